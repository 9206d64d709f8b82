#include "scene_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_add(struct text *t, const char *data, size_t size)
{
    if (t->failed) return;
    if (t->capacity - t->size <= size) {
        const size_t capacity = 2 * (t->size + size) + 64; // texts are bounded far below SIZE_MAX / 2
        char *grown = realloc(t->data, capacity);
        if (!grown) {
            t->failed = 1;
            return;
        }
        t->data = grown;
        t->capacity = capacity;
    }
    memcpy(t->data + t->size, data, size);
    t->size += size;
    t->data[t->size] = '\0';
}

void text_add_word(struct text *t, const char *word) { text_add(t, word, strlen(word)); }

char *text_copy(const char *data, size_t size)
{
    char *copy = malloc(size + 1);
    if (!copy) return NULL;
    if (size) memcpy(copy, data, size);
    copy[size] = '\0';
    return copy;
}

int utf8_length(const char *s, size_t left)
{
    const unsigned char *b = (const unsigned char *)s;
    int length;

    if (left == 0) return 0;
    if (b[0] < 0x80) return 1;
    if (b[0] >= 0xc2 && b[0] <= 0xdf)
        length = 2;
    else if (b[0] >= 0xe0 && b[0] <= 0xef)
        length = 3;
    else if (b[0] >= 0xf0 && b[0] <= 0xf4)
        length = 4;
    else
        return 0;
    if ((size_t)length > left) return 0;
    for (int i = 1; i < length; ++i)
        if ((b[i] & 0xc0) != 0x80) return 0;
    // too long for what they say, halves of surrogate pairs, beyond U+10FFFF
    if (b[0] == 0xe0 && b[1] < 0xa0) return 0;
    if (b[0] == 0xed && b[1] > 0x9f) return 0;
    if (b[0] == 0xf0 && b[1] < 0x90) return 0;
    if (b[0] == 0xf4 && b[1] > 0x8f) return 0;
    return length;
}

void text_clean(char *s)
{
    size_t left = strlen(s);
    char *to = s;

    while (left > 0) {
        const int length = utf8_length(s, left);
        const unsigned char first = (unsigned char)s[0];
        const int control = first < 0x20 || first == 0x7f || (first == 0xc2 && (unsigned char)s[1] < 0xa0);
        if (length == 0 || control) {
            *to++ = '?';
        } else {
            memmove(to, s, (size_t)length);
            to += length;
        }
        const size_t used = length ? (size_t)length : 1;
        s += used;
        left -= used;
    }
    *to = '\0';
}

void number_text(double x, char out[32])
{
    char raw[64];
    int precision = 1;

    // The same locale prints and reads here, so its decimal point only has to be replaced afterwards.
    do snprintf(raw, sizeof raw, "%.*g", precision, x);
    while (++precision <= 17 && strtod(raw, NULL) != x);
    if (x > -1e15 && x < 1e15) { // whole numbers without an exponent
        char whole[64];
        snprintf(whole, sizeof whole, "%.0f", x);
        if (strtod(whole, NULL) == x) memcpy(raw, whole, sizeof whole);
    }

    size_t n = 0;
    int point = 0;
    for (const char *c = raw; *c && n < 31; ++c) {
        const int plain = strchr("0123456789+-einfa", *c) != NULL;
        if (plain)
            out[n++] = *c;
        else if (!point)
            out[n++] = '.'; // a decimal point may be several bytes long
        point = point || !plain;
    }
    out[n] = '\0';
}
