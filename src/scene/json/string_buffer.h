// String buffer, UTF-8 validation and locale-independent number formatting.
#ifndef SCENE_STRING_BUFFER_H
#define SCENE_STRING_BUFFER_H

#include <stddef.h>

// A growing string. After a failed allocation `failed` is set and nothing more is appended.
struct string_buffer {
    char *data; // zero-terminated after the first append
    size_t size, capacity;
    int failed;
};
void buffer_append(struct string_buffer *buffer, const char *data, size_t size);
void buffer_append_string(struct string_buffer *buffer, const char *string);

// @return the bytes of the UTF-8 character at s, 0 if it is not valid
int utf8_length(const char *s, size_t available);

// Replace control characters and invalid UTF-8 by '?', so that the text can be printed on a terminal.
void sanitize_text(char *s);

// The shortest decimal number that reads back as x, independent of the locale.
void format_number(double x, char out[32]);

// @return a new string, NULL if memory is exhausted
char *copy_string(const char *data, size_t size);

#endif
