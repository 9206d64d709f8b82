// Is the text JSON? jansson would say so too, but not in words that help, so the text is scanned first:
// one loop, a stack of open brackets, no recursion.
#include "scene_internal.h"

#include <stdio.h>
#include <string.h>

enum expect { VALUE, VALUE_OR_END, KEY, KEY_OR_END, COLON, COMMA_OR_END, END };

struct scan {
    const char *text;
    size_t size, at;
    size_t open[SCENE_DEPTH]; // where the brackets that are not closed yet stand
    int depth;
    int values;
    enum expect expect;
    size_t comma, stop;
    size_t fault;
    char *words;
    size_t words_size;
};

#define FAIL(s, place, ...) ((s)->fault = (place), snprintf((s)->words, (s)->words_size, __VA_ARGS__), 0)

static int is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static int is_digit(char c) { return c >= '0' && c <= '9'; }

// Letters, digits and what people put into numbers.
static int is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '+' ||
           c == '-' || c == '.' || c == '$';
}

static char char_at(const struct scan *s, size_t i) { return i < s->size ? s->text[i] : '\0'; }

static int line_of(const struct scan *s, size_t offset)
{
    int line, column;
    locate_line(s->text, s->size, offset, &line, &column);
    return line;
}

static int hex_at(const struct scan *s, size_t at)
{
    int value = 0;
    for (size_t i = at; i < at + 4; ++i) {
        const char c = char_at(s, i);
        const int lower = c >= 'A' && c <= 'F' ? c + 32 : c;
        if (!is_digit(c) && !(lower >= 'a' && lower <= 'f')) return -1;
        value = value * 16 + (is_digit(c) ? c - '0' : lower - 'a' + 10);
    }
    return value;
}

static int scan_escape(struct scan *s)
{
    const size_t at = s->at;
    const char kind = char_at(s, at + 1);

    s->at += 2;
    if (kind && strchr("\"\\/bfnrt", kind)) return 1;
    if (kind != 'u')
        return FAIL(s, at,
                    "a backslash needs one of \" \\ / b f n r t u after it; for itself write it twice");
    const int code = hex_at(s, at + 2);
    s->at += 4;
    if (code < 0) return FAIL(s, at, "\\u needs four digits 0-9 a-f after it");
    if (code == 0) return FAIL(s, at, "\\u0000 cannot be part of a text");
    if (code < 0xd800 || code > 0xdfff) return 1;
    const int low = char_at(s, at + 6) == '\\' && char_at(s, at + 7) == 'u' ? hex_at(s, at + 8) : -1;
    s->at += 6;
    if (code < 0xdc00 && low >= 0xdc00 && low <= 0xdfff) return 1;
    return FAIL(s, at, "\\u%04x is half of a character; the other half is missing", (unsigned)code);
}

static int scan_string(struct scan *s)
{
    const size_t start = s->at++;

    while (s->at < s->size && s->text[s->at] != '"') {
        const unsigned char c = (unsigned char)s->text[s->at];
        if (c == '\n' || c == '\r') return FAIL(s, start, "this text is not closed: a '\"' is missing");
        if (c == '\t') return FAIL(s, s->at, "a tab inside a text is written \\t");
        if (c == 0) return FAIL(s, s->at, "a zero byte: this is not a text file");
        if (c < 0x20) return FAIL(s, s->at, "a control character (0x%02x) inside a text", c);
        if (c == '\\') {
            if (!scan_escape(s)) return 0;
            continue;
        }
        const int length = utf8_length(s->text + s->at, s->size - s->at);
        if (length == 0) return FAIL(s, s->at, "the byte 0x%02x is not valid UTF-8", c);
        s->at += (size_t)length;
    }
    if (s->at >= s->size) return FAIL(s, start, "this text is not closed: a '\"' is missing");
    s->at++;
    return 1;
}

// -? (0 | [1-9][0-9]*) (.[0-9]+)? ([eE][+-]?[0-9]+)?
static int is_number(const char *c, size_t size)
{
    size_t i = size && c[0] == '-', from = i;

    while (i < size && is_digit(c[i])) i++;
    if (i == from || (c[from] == '0' && i > from + 1)) return 0;
    if (i < size && c[i] == '.') {
        for (from = ++i; i < size && is_digit(c[i]);) i++;
        if (i == from) return 0;
    }
    if (i < size && (c[i] == 'e' || c[i] == 'E')) {
        if (++i < size && (c[i] == '+' || c[i] == '-')) i++;
        for (from = i; i < size && is_digit(c[i]);) i++;
        if (i == from) return 0;
    }
    return i == size;
}

// A number, true, false, null, or a word that means nothing.
static int scan_word(struct scan *s)
{
    static const char *const words[] = {"true", "false", "null"};
    static const char *const infinite[] = {"NaN", "nan", "NAN", "Infinity", "-Infinity", "inf", "-inf"};
    const size_t start = s->at;
    const char *word = s->text + start;

    while (s->at < s->size && is_word(s->text[s->at])) s->at++;
    const size_t size = s->at - start;
    for (size_t i = 0; i < 3; ++i)
        if (size == strlen(words[i]) && memcmp(word, words[i], size) == 0) return 1;
    for (size_t i = 0; i < sizeof infinite / sizeof infinite[0]; ++i)
        if (size == strlen(infinite[i]) && memcmp(word, infinite[i], size) == 0)
            return FAIL(s, start, "%s is not a number that a scene can hold", infinite[i]);
    if (is_number(word, size)) return 1;
    const int shown = size < 40 ? (int)size : 40;
    if (is_digit(word[0]) || strchr("+-.", word[0]))
        return FAIL(s, start, "'%.*s' is not a number as JSON writes it (0.5, -3, 1e-4)", shown, word);
    return FAIL(s, start, "'%.*s' is not a value; a text needs double quotes around it", shown, word);
}

static int scan_bracket(struct scan *s, char c)
{
    if (c == '{' || c == '[') {
        if (s->depth == SCENE_DEPTH) return FAIL(s, s->at, "nested deeper than %d", SCENE_DEPTH);
        s->open[s->depth++] = s->at++;
        s->expect = c == '{' ? KEY_OR_END : VALUE_OR_END;
        return 1;
    }
    const size_t opened = s->open[s->depth - 1];
    if ((s->text[opened] == '{') != (c == '}'))
        return FAIL(s, s->at, "'%c' does not close the '%c' of line %d", c, s->text[opened],
                    line_of(s, opened));
    s->at++;
    s->depth--;
    s->expect = s->depth ? COMMA_OR_END : END;
    return 1;
}

// What stands here instead of what is expected.
static int unexpected(struct scan *s, char c)
{
    const unsigned char byte = (unsigned char)c;
    const int in_object = s->depth > 0 && s->text[s->open[s->depth - 1]] == '{';
    const int closing = c == '}' || c == ']';

    if (c == '\0') return FAIL(s, s->at, "a zero byte: this is not a text file");
    if (c == '/' || c == '#') return FAIL(s, s->at, "comments are not part of JSON");
    if (c == '\'') return FAIL(s, s->at, "texts and keys need double quotes (\"), not single ones");
    if (s->expect == END) return FAIL(s, s->at, "there is more text after the end of the scene");
    if (closing && s->depth > 0 && (s->expect == KEY || (s->expect == VALUE && !in_object)))
        return FAIL(s, s->comma, "a comma too many: '%c' follows", c);
    if (closing && s->expect == VALUE) return FAIL(s, s->at, "a value is missing before '%c'", c);
    if (c == ',' && s->expect != COLON)
        return FAIL(s, s->at, "a comma too many: a %s is expected here",
                    in_object && s->expect != VALUE ? "key" : "value");
    if (byte >= 0x7f || byte < 0x20)
        return FAIL(s, s->at, "a character (0x%02x) that does not belong here", byte);
    if (s->expect == KEY || s->expect == KEY_OR_END) {
        if (is_digit(c))
            return FAIL(s, s->at, "a key is expected; a decimal number has a point, not a comma");
        return FAIL(s, s->at, "a key in double quotes is expected here");
    }
    if (s->expect == COLON) return FAIL(s, s->at, "a ':' is missing after the key");
    if (s->expect == COMMA_OR_END) {
        if (c == ':') return FAIL(s, s->at, "':' stands after a key in double quotes only");
        return FAIL(s, s->at, "a comma is missing before this");
    }
    return FAIL(s, s->at, "a value is expected here, not '%c'", c);
}

// One token. @return 0 if it does not belong there
static int scan_token(struct scan *s)
{
    const char c = s->text[s->at];
    const enum expect e = s->expect;
    const int value = e == VALUE || e == VALUE_OR_END;

    if (value && ++s->values > SCENE_VALUES) return FAIL(s, s->at, "more than %d values", SCENE_VALUES);
    if (value && (c == '{' || c == '[')) return scan_bracket(s, c);
    if ((c == '}' && (e == KEY_OR_END || e == COMMA_OR_END)) ||
        (c == ']' && (e == VALUE_OR_END || e == COMMA_OR_END)))
        return scan_bracket(s, c);
    if (c == '}' && e == VALUE_OR_END) return scan_bracket(s, c);
    if (c == ']' && e == KEY_OR_END) return scan_bracket(s, c);
    if (c == ',' && e == COMMA_OR_END) {
        s->comma = s->at++;
        s->expect = s->text[s->open[s->depth - 1]] == '{' ? KEY : VALUE;
        return 1;
    }
    if (c == ':' && e == COLON) {
        s->at++;
        s->expect = VALUE;
        return 1;
    }
    if (c == '"' && (e == KEY || e == KEY_OR_END)) {
        s->expect = COLON;
        return scan_string(s);
    }
    if (!value || !(c == '"' || is_word(c))) return unexpected(s, c);
    s->expect = s->depth ? COMMA_OR_END : END;
    return c == '"' ? scan_string(s) : scan_word(s);
}

static int scan_all(struct scan *s, size_t *last)
{
    while (s->at < s->size && s->at < s->stop) {
        if (is_space(s->text[s->at])) {
            s->at++;
            continue;
        }
        *last = s->at;
        if (!scan_token(s)) return 0;
    }
    return 1;
}

int syntax_check(const char *text, size_t size, size_t *offset, char *words, size_t words_size)
{
    struct scan s = {
        .text = text, .size = size, .stop = (size_t)-1, .words = words, .words_size = words_size};
    size_t last = 0;
    int fine = 1;

    if (size >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
        fine = FAIL(&s, 0, "the file is in UTF-16; save it as UTF-8");
    else if (!scan_all(&s, &last))
        fine = 0;
    else if (s.expect == VALUE && s.depth == 0)
        fine = FAIL(&s, 0, "the file is empty; the least is {\"version\": 1, \"fluid\": {\"model\": ...}}");
    else if (s.depth > 0) {
        while (size > 0 && is_space(text[size - 1])) size--; // the last line that says something
        fine = FAIL(&s, size, "the file ends early: the '%c' of line %d is not closed",
                    text[s.open[s.depth - 1]], line_of(&s, s.open[s.depth - 1]));
    }
    *offset = s.fault;
    return fine;
}

size_t syntax_token_start(const char *text, size_t size, size_t end)
{
    char words[8];
    struct scan s = {.text = text, .size = size, .stop = end, .words = words, .words_size = sizeof words};
    size_t last = 0;

    scan_all(&s, &last);
    return last;
}

json_t *syntax_parse(struct pass *p)
{
    const struct source *source = p->source;
    char words[200];
    size_t offset;
    json_error_t error = {0}; // jansson leaves the code as it was where the first allocation fails

    if (!syntax_check(source->text, source->size, &offset, words, sizeof words)) {
        note_add_at(p, offset, "%s", words);
        return NULL;
    }
    // Whole numbers as doubles too: then nothing but the range of a parameter limits them.
    json_t *root = json_loadb(source->text, source->size,
                              JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL | JSON_DECODE_ANY, &error);
    if (root) return root;

    const enum json_error_code code = json_error_code(&error);
    const size_t end = error.position > 0 ? (size_t)error.position : 0;
    offset = syntax_token_start(source->text, source->size, end);
    if (code == json_error_duplicate_key)
        note_add_at(p, offset, "this key stands twice in the same object");
    else if (code == json_error_numeric_overflow)
        note_add_at(p, offset, "this number is too large to hold");
    else
        pass_fail(p, TARN_NO_MEMORY); // the text is JSON, and jansson has other words when memory ends
    return NULL;
}
