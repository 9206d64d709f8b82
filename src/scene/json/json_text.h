// JSON from text and back to text.
#ifndef SCENE_JSON_TEXT_H
#define SCENE_JSON_TEXT_H

#include "string_buffer.h"

#include <jansson.h>

#define SCENE_VERSION      2 // of the format
#define SCENE_VERSION_TEXT "2"

// Limits of a JSON file, which may come from an untrusted source: they bound time and memory.
#define SCENE_MAX_DEPTH  128
#define SCENE_MAX_VALUES 1000000

struct parser;

// Check that a text is JSON. @return 0 with the offset of the first error and a message
int json_syntax_check(const char *text, size_t size, size_t *offset, char *message, size_t message_size);

// @return the offset of the token that ends at `end`; jansson reports ends of tokens
size_t json_token_start(const char *text, size_t size, size_t end);

// Parse the source of a parser. @return NULL with a diagnostic, or if memory is exhausted
json_t *json_parse(struct parser *p);

// @return an array of numbers, NULL if memory is exhausted
json_t *json_from_numbers(const double *number, int count);

// Append a JSON tree as text; arrays and objects that fit are written on one line.
void json_format(const json_t *json, struct string_buffer *out);

#endif
