// A small JSON writer: valid output whatever the values.
#include "app.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct json_writer json_begin(FILE *out) { return (struct json_writer){.out = out}; }

// Length of the UTF-8 character at p in bytes; 0: not valid.
static int utf8_length(const unsigned char *p)
{
    const int n = p[0] < 0x80                   ? 1
                  : p[0] >= 0xC2 && p[0] < 0xE0 ? 2
                  : (p[0] & 0xF0) == 0xE0       ? 3
                  : p[0] >= 0xF0 && p[0] < 0xF5 ? 4
                                                : 0;
    for (int i = 1; i < n; ++i)
        if ((p[i] & 0xC0) != 0x80) return 0;
    if (n == 3 && ((p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xED && p[1] > 0x9F))) return 0;
    if (n == 4 && ((p[0] == 0xF0 && p[1] < 0x90) || (p[0] == 0xF4 && p[1] > 0x8F))) return 0;
    return n;
}

static void put_text(FILE *out, const char *text)
{
    const unsigned char *p = (const unsigned char *)text;

    fputc('"', out);
    while (*p) {
        const int n = utf8_length(p);
        if (n == 0) {
            fputs("\\ufffd", out);
        } else if (*p == '"' || *p == '\\') {
            fprintf(out, "\\%c", *p);
        } else if (*p < 0x20 || *p == 0x7F) {
            fprintf(out, "\\u%04x", *p);
        } else {
            fwrite(p, 1, (size_t)n, out);
        }
        p += n ? n : 1;
    }
    fputc('"', out);
}

// Writes what precedes a value: comma, line break, indentation, key.
static void write_separator(struct json_writer *json, const char *key)
{
    if (json->depth > 0) {
        if (json->count[json->depth]++ > 0) fputc(',', json->out);
        fprintf(json->out, "\n%*s", 2 * json->depth, "");
    }
    if (key) {
        put_text(json->out, key);
        fputs(": ", json->out);
    }
}

void json_open(struct json_writer *json, const char *key, char bracket)
{
    write_separator(json, key);
    fputc(bracket, json->out);
    if (json->depth + 1 >= JSON_DEPTH) abort(); // an internal error: no command nests this deep
    ++json->depth;
    json->count[json->depth] = 0;
    json->close[json->depth] = bracket == '{' ? '}' : ']';
}

void json_close(struct json_writer *json)
{
    const int empty = json->count[json->depth] == 0;
    const char bracket = json->close[json->depth--];

    if (!empty) fprintf(json->out, "\n%*s", 2 * json->depth, "");
    fputc(bracket, json->out);
    if (json->depth == 0) fputc('\n', json->out);
}

void json_text(struct json_writer *json, const char *key, const char *text)
{
    write_separator(json, key);
    put_text(json->out, text);
}

static void put_number(FILE *out, double number)
{
    char text[40] = "null";

    if (isfinite(number)) {
        for (int digits = 6; digits <= 17; ++digits) {
            snprintf(text, sizeof text, "%.*g", digits, number);
            if (strtod(text, NULL) == number) break;
        }
    }
    fputs(text, out);
}

void json_number(struct json_writer *json, const char *key, double number)
{
    write_separator(json, key);
    put_number(json->out, number);
}

void json_write_int(struct json_writer *json, const char *key, long long number)
{
    write_separator(json, key);
    fprintf(json->out, "%lld", number);
}

void json_write_bool(struct json_writer *json, const char *key, int on)
{
    write_separator(json, key);
    fputs(on ? "true" : "false", json->out);
}

void json_vector(struct json_writer *json, const char *key, tarn_vec3 v)
{
    write_separator(json, key);
    fputc('[', json->out);
    put_number(json->out, v.x);
    fputs(", ", json->out);
    put_number(json->out, v.y);
    fputs(", ", json->out);
    put_number(json->out, v.z);
    fputc(']', json->out);
}

void json_diagnostics(struct json_writer *json, const char *key, const tarn_diagnostics *diagnostics)
{
    json_open(json, key, '[');
    for (int i = 0; i < diagnostics->count; ++i) {
        const tarn_diagnostic *n = &diagnostics->list[i];
        json_open(json, NULL, '{');
        json_text(json, "location", n->where);
        json_text(json, "path", n->path);
        json_text(json, "message", n->message);
        json_text(json, "excerpt", n->excerpt);
        json_integer(json, "caret", n->caret);
        json_close(json);
    }
    json_close(json);
}

int for_each_argument(const struct args *args, int as_json,
                      int (*one)(const char *arg, struct json_writer *json))
{
    struct json_writer json = json_begin(stdout);
    int worst = 0;

    if (as_json) json_open(&json, NULL, '[');
    for (int i = 0; i < args->count; ++i) {
        const int code = one(args->positional[i], as_json ? &json : NULL);
        if (code > worst) worst = code;
    }
    if (as_json) json_close(&json);
    return worst;
}
