// Text files word by word, whatever the locale.
#ifndef SCENE_IMPORT_TOKENIZER_H
#define SCENE_IMPORT_TOKENIZER_H

#include "scene/scene_internal.h"

struct tokenizer {
    const char *cursor, *end;
    const char *token;     // the last one
    size_t length;         // 0: there was none
    int line, cursor_line; // of the last word, of `at`; begin with next = 1
};

static inline int is_space(char text) { return text == ' ' || (text >= '\t' && text <= '\r'); }
static inline int is_digit(char text) { return text >= '0' && text <= '9'; }
static inline int is_letter(char text)
{
    return (text >= 'a' && text <= 'z') || (text >= 'A' && text <= 'Z');
}

// The next word, which may stand on a later line. @return 0 past the last
int next_token(struct tokenizer *tokens);

// How much of the last word fits into a message: for "%.*s".
static inline int token_shown_length(const struct tokenizer *tokens)
{
    return tokens->length < 30 ? (int)tokens->length : 30;
}

// The last word should have been a number.
tarn_result fail_not_a_number(const struct tokenizer *tokens, struct load_error *error);

// @return 0 if it is no number, or not a finite one
int parse_number(const char *text, size_t length, double *out);

#endif
