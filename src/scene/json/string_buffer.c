// String buffer, UTF-8 validation and locale-independent number formatting.
#include "string_buffer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void buffer_append(struct string_buffer *buffer, const char *data, size_t size)
{
    if (buffer->failed) return;
    if (buffer->capacity - buffer->size <= size) {
        // cannot overflow: sizes are bounded by the limits of the readers
        const size_t capacity = 2 * (buffer->size + size) + 64;
        char *grown = realloc(buffer->data, capacity);
        if (!grown) {
            buffer->failed = 1;
            return;
        }
        buffer->data = grown;
        buffer->capacity = capacity;
    }
    memcpy(buffer->data + buffer->size, data, size);
    buffer->size += size;
    buffer->data[buffer->size] = '\0';
}

void buffer_append_string(struct string_buffer *buffer, const char *string)
{
    buffer_append(buffer, string, strlen(string));
}

char *copy_string(const char *data, size_t size)
{
    char *copy = malloc(size + 1);
    if (!copy) return NULL;
    if (size) memcpy(copy, data, size);
    copy[size] = '\0';
    return copy;
}

int utf8_length(const char *s, size_t available)
{
    const unsigned char *b = (const unsigned char *)s;
    int length;

    if (available == 0) return 0;
    if (b[0] < 0x80) return 1;
    if (b[0] >= 0xc2 && b[0] <= 0xdf)
        length = 2;
    else if (b[0] >= 0xe0 && b[0] <= 0xef)
        length = 3;
    else if (b[0] >= 0xf0 && b[0] <= 0xf4)
        length = 4;
    else
        return 0;
    if ((size_t)length > available) return 0;
    for (int i = 1; i < length; ++i)
        if ((b[i] & 0xc0) != 0x80) return 0;
    // Reject overlong encodings, surrogates and code points above U+10FFFF.
    if (b[0] == 0xe0 && b[1] < 0xa0) return 0;
    if (b[0] == 0xed && b[1] > 0x9f) return 0;
    if (b[0] == 0xf0 && b[1] < 0x90) return 0;
    if (b[0] == 0xf4 && b[1] > 0x8f) return 0;
    return length;
}

void sanitize_text(char *s)
{
    size_t remaining = strlen(s);
    char *out = s;

    while (remaining > 0) {
        const int length = utf8_length(s, remaining);
        const unsigned char first = (unsigned char)s[0];
        const int control = first < 0x20 || first == 0x7f || (first == 0xc2 && (unsigned char)s[1] < 0xa0);
        if (length == 0 || control) {
            *out++ = '?';
        } else {
            memmove(out, s, (size_t)length);
            out += length;
        }
        const size_t used = length ? (size_t)length : 1;
        s += used;
        remaining -= used;
    }
    *out = '\0';
}

void format_number(double x, char out[32])
{
    char digits[64];
    int precision = 1;

    // snprintf and strtod use the same locale, so the decimal separator is replaced afterwards.
    do snprintf(digits, sizeof digits, "%.*g", precision, x);
    while (++precision <= 17 && strtod(digits, NULL) != x);
    if (x > -1e15 && x < 1e15) { // integers without an exponent
        char integer[64];
        snprintf(integer, sizeof integer, "%.0f", x);
        if (strtod(integer, NULL) == x) memcpy(digits, integer, sizeof integer);
    }

    size_t n = 0;
    int has_point = 0;
    for (const char *c = digits; *c && n < 31; ++c) {
        const int is_ascii = strchr("0123456789+-einfa", *c) != NULL;
        if (is_ascii)
            out[n++] = *c;
        else if (!has_point)
            out[n++] = '.'; // the decimal separator of a locale may have several bytes
        has_point = has_point || !is_ascii;
    }
    out[n] = '\0';
}
