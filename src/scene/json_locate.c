// jansson's values carry no position, so the text is walked again along the key path. The text was
// checked before; on any other text the walk ends early and never leaves it.
#include "scene_internal.h"

#include <string.h>

struct walk {
    const char *text;
    size_t size, at;
};

static int peek(const struct walk *w) { return w->at < w->size ? (unsigned char)w->text[w->at] : -1; }

static void skip_space(struct walk *w)
{
    while (w->at < w->size && strchr(" \t\r\n", w->text[w->at]) && w->text[w->at]) w->at++;
}

static int skip_char(struct walk *w, int c)
{
    skip_space(w);
    if (peek(w) != c) return 0;
    w->at++;
    return 1;
}

static void skip_string(struct walk *w)
{
    for (w->at++; w->at < w->size && w->text[w->at] != '"'; w->at++)
        if (w->text[w->at] == '\\') w->at++;
    if (w->at < w->size)
        w->at++;
    else
        w->at = w->size;
}

// A whole value: brackets are counted, so depth costs nothing.
static void skip_value(struct walk *w)
{
    size_t depth = 0;

    skip_space(w);
    while (w->at < w->size) {
        const int c = peek(w);
        if (c == '"') {
            skip_string(w);
            if (depth == 0) return;
            continue;
        }
        if (depth == 0 && (c == ',' || c == '}' || c == ']')) return; // the end of a number or word
        w->at++;
        if (c == '{' || c == '[') depth++;
        if ((c == '}' || c == ']') && --depth == 0) return;
    }
}

static unsigned hex4(const struct walk *w, size_t at)
{
    unsigned value = 0;
    for (size_t i = at; i < at + 4 && i < w->size; ++i) {
        const char *digits = "0123456789abcdef0123456789ABCDEF";
        const char *d = w->text[i] ? strchr(digits, w->text[i]) : NULL;
        value = value * 16 + (d ? (unsigned)(d - digits) % 16 : 0);
    }
    return value;
}

// The character at w->at inside a string, escapes resolved, as UTF-8. @return its bytes
static size_t string_char(struct walk *w, char out[4])
{
    if (w->text[w->at] != '\\' || w->at + 1 >= w->size) {
        out[0] = w->text[w->at++];
        return 1;
    }
    const char kind = w->text[w->at + 1];
    w->at += 2;
    if (kind != 'u') {
        const char *from = "bfnrt", *to = "\b\f\n\r\t";
        const char *known = strchr(from, kind);
        out[0] = known && kind ? to[known - from] : kind;
        return 1;
    }
    unsigned code = hex4(w, w->at);
    w->at += 4;
    if (code >= 0xd800 && code < 0xdc00 && w->at + 6 <= w->size && w->text[w->at] == '\\') {
        code = 0x10000 + ((code - 0xd800) << 10) + ((hex4(w, w->at + 2) - 0xdc00) & 0x3ff);
        w->at += 6;
    }
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    const size_t bytes = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = bytes; i-- > 1; code >>= 6) out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(lead[bytes] | code);
    return bytes;
}

// Read the string at w->at. @return 1 if it says `key`
static int string_is(struct walk *w, const char *key)
{
    const size_t length = strlen(key);
    size_t n = 0;
    int same = 1;

    for (w->at++; w->at < w->size && w->text[w->at] != '"';) {
        char c[4];
        const size_t bytes = string_char(w, c);
        same = same && n + bytes <= length && memcmp(key + n, c, bytes) == 0;
        n += bytes;
    }
    if (w->at > w->size) w->at = w->size;
    if (w->at < w->size) w->at++;
    return same && n == length;
}

static int enter_object(struct walk *w, const char *key, size_t *key_at)
{
    if (!skip_char(w, '{')) return 0;
    do {
        skip_space(w);
        if (peek(w) != '"') return 0;
        *key_at = w->at;
        const int found = string_is(w, key);
        if (!skip_char(w, ':')) return 0;
        skip_space(w);
        if (found) return 1;
        skip_value(w);
    } while (skip_char(w, ','));
    return 0;
}

static int enter_array(struct walk *w, size_t index)
{
    if (!skip_char(w, '[')) return 0;
    for (; index > 0; --index) {
        skip_value(w);
        if (!skip_char(w, ',')) return 0;
    }
    skip_space(w);
    return peek(w) != ']' && peek(w) >= 0;
}

int locate(const char *text, size_t size, const struct path *path, int of_key, size_t *offset)
{
    struct walk w = {text, size, 0};
    int found = 0;

    skip_space(&w);
    *offset = w.at;
    for (; found < path->count; ++found) {
        const struct step *s = &path->steps[found];
        size_t key_at = 0;
        if (!(s->key ? enter_object(&w, s->key, &key_at) : enter_array(&w, s->index))) break;
        *offset = of_key && s->key && found == path->count - 1 ? key_at : w.at;
    }
    return found;
}

void locate_line(const char *text, size_t size, size_t offset, int *line, int *column)
{
    *line = 1;
    *column = 1;
    for (size_t i = 0; i < offset && i < size; ++i) {
        if (text[i] == '\n') {
            ++*line;
            *column = 1;
        } else if (((unsigned char)text[i] & 0xc0) != 0x80) {
            ++*column;
        }
    }
}
