// Text files word by word, whatever the locale.
#ifndef SCENE_IMPORT_TOKENIZER_H
#define SCENE_IMPORT_TOKENIZER_H

#include "scene/scene_internal.h"

struct words {
    const char *at, *end;
    const char *word; // the last one
    size_t length;    // 0: there was none
    int line, next;   // of the last word, of `at`; begin with next = 1
};

static inline int is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static inline int is_digit(char c) { return c >= '0' && c <= '9'; }
static inline int is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// The next word, which may stand on a later line. @return 0 past the last
int words_next(struct words *w);

// How much of the last word fits into a message: for "%.*s".
static inline int words_shown(const struct words *w) { return w->length < 30 ? (int)w->length : 30; }

// The last word should have been a number.
tarn_result words_no_number(const struct words *w, struct fault *fault);

// @return 0 if it is no number, or not a finite one
int number_read(const char *c, size_t length, double *out);

#endif
