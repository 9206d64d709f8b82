// Tokenizer for text files, independent of the locale.
#ifndef SCENE_IMPORT_TOKENIZER_H
#define SCENE_IMPORT_TOKENIZER_H

#include "scene/create/assets.h"

struct tokenizer {
    const char *cursor, *end;
    const char *token;     // the last token read
    size_t length;         // 0: there was none
    int line, cursor_line; // lines of the last token and of the cursor; initialise cursor_line with 1
};

static inline int is_space(char text) { return text == ' ' || (text >= '\t' && text <= '\r'); }
static inline int is_digit(char text) { return text >= '0' && text <= '9'; }
static inline int is_letter(char text)
{
    return (text >= 'a' && text <= 'z') || (text >= 'A' && text <= 'Z');
}

// Read the next token, which may be on a later line. @return 0 past the last token
int next_token(struct tokenizer *tokens);

// Length of the last token in messages, for "%.*s".
static inline int token_shown_length(const struct tokenizer *tokens)
{
    return tokens->length < 30 ? (int)tokens->length : 30;
}

// Report that the last token is not a number.
tarn_result fail_not_a_number(const struct tokenizer *tokens, struct load_error *error);

// @return 0 if the text is not a number or not finite
int parse_number(const char *cursor, size_t length, double *out);

#endif
