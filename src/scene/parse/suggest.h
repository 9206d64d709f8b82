// Suggestions for unknown names ("did you mean").
#ifndef SCENE_SUGGEST_H
#define SCENE_SUGGEST_H

#include <stddef.h>

// The best candidate so far; initialise `input` with the unknown name.
struct suggestion {
    const char *input;
    int cost; // of the best candidate, 0: there is none
    char best[128];
    const char *suffix; // printed after it
};
// Try a name; if it is the nearest, `shown` is suggested.
void suggest_try(struct suggestion *suggestion, const char *name, const char *shown);
// Try a name that is valid in another object: only an exact match counts.
void suggest_try_exact(struct suggestion *suggestion, const char *name, const char *shown,
                       const char *suffix);

// Append to "a, b, c" as long as it fits.
void list_append(char *out, size_t size, const char *name);

#endif
