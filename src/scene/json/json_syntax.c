// Checks that a text is JSON and parses it with jansson. jansson's own error messages do not say how to
// repair the text, so it is scanned here first: one loop with a stack of open brackets, no recursion.
#include "json_path.h"
#include "json_text.h"
#include "scene/diagnostics.h"

#include <stdio.h>
#include <string.h>

enum expect { VALUE, VALUE_OR_END, KEY, KEY_OR_END, COLON, COMMA_OR_END, END };

struct scanner {
    const char *text;
    size_t size, offset;
    size_t brackets[SCENE_MAX_DEPTH]; // offsets of the brackets that are not closed yet
    int depth;
    int values;
    enum expect expect;
    size_t last_comma, stop;
    size_t error_offset;
    char *message;
    size_t message_size;
};

#define FAIL(s, position, ...) \
    ((s)->error_offset = (position), snprintf((s)->message, (s)->message_size, __VA_ARGS__), 0)

static int is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static int is_digit(char c) { return c >= '0' && c <= '9'; }

// Characters of numbers, literals and unquoted words.
static int is_token_char(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '+' ||
           c == '-' || c == '.' || c == '$';
}

static char char_at(const struct scanner *s, size_t i) { return i < s->size ? s->text[i] : '\0'; }

static int line_at(const struct scanner *s, size_t offset)
{
    int line, column;
    offset_to_line(s->text, s->size, offset, &line, &column);
    return line;
}

static int parse_hex4(const struct scanner *s, size_t offset)
{
    int value = 0;
    for (size_t i = offset; i < offset + 4; ++i) {
        const char c = char_at(s, i);
        const int lower = c >= 'A' && c <= 'F' ? c + 32 : c;
        if (!is_digit(c) && !(lower >= 'a' && lower <= 'f')) return -1;
        value = value * 16 + (is_digit(c) ? c - '0' : lower - 'a' + 10);
    }
    return value;
}

static int scan_escape(struct scanner *s)
{
    const size_t start = s->offset;
    const char kind = char_at(s, start + 1);

    s->offset += 2;
    if (kind && strchr("\"\\/bfnrt", kind)) return 1;
    if (kind != 'u')
        return FAIL(s, start,
                    "a backslash needs one of \" \\ / b f n r t u after it; for itself write it twice");
    const int code = parse_hex4(s, start + 2);
    s->offset += 4;
    if (code < 0) return FAIL(s, start, "\\u needs four digits 0-9 a-f after it");
    if (code == 0) return FAIL(s, start, "\\u0000 is not allowed in a string");
    if (code < 0xd800 || code > 0xdfff) return 1;
    const int low_surrogate =
        char_at(s, start + 6) == '\\' && char_at(s, start + 7) == 'u' ? parse_hex4(s, start + 8) : -1;
    s->offset += 6;
    if (code < 0xdc00 && low_surrogate >= 0xdc00 && low_surrogate <= 0xdfff) return 1;
    return FAIL(s, start, "\\u%04x is half of a surrogate pair; the other half is missing", (unsigned)code);
}

static int scan_string(struct scanner *s)
{
    const size_t start = s->offset++;

    while (s->offset < s->size && s->text[s->offset] != '"') {
        const unsigned char c = (unsigned char)s->text[s->offset];
        if (c == '\n' || c == '\r') return FAIL(s, start, "string is not closed: a '\"' is missing");
        if (c == '\t') return FAIL(s, s->offset, "a tab inside a string is written \\t");
        if (c == 0) return FAIL(s, s->offset, "a zero byte: this is not a text file");
        if (c < 0x20) return FAIL(s, s->offset, "a control character (0x%02x) inside a string", c);
        if (c == '\\') {
            if (!scan_escape(s)) return 0;
            continue;
        }
        const int length = utf8_length(s->text + s->offset, s->size - s->offset);
        if (length == 0) return FAIL(s, s->offset, "the byte 0x%02x is not valid UTF-8", c);
        s->offset += (size_t)length;
    }
    if (s->offset >= s->size) return FAIL(s, start, "string is not closed: a '\"' is missing");
    s->offset++;
    return 1;
}

// -? (0 | [1-9][0-9]*) (.[0-9]+)? ([eE][+-]?[0-9]+)?
static int is_number(const char *c, size_t size)
{
    size_t i = size && c[0] == '-', start = i;

    while (i < size && is_digit(c[i])) i++;
    if (i == start || (c[start] == '0' && i > start + 1)) return 0;
    if (i < size && c[i] == '.') {
        for (start = ++i; i < size && is_digit(c[i]);) i++;
        if (i == start) return 0;
    }
    if (i < size && (c[i] == 'e' || c[i] == 'E')) {
        if (++i < size && (c[i] == '+' || c[i] == '-')) i++;
        for (start = i; i < size && is_digit(c[i]);) i++;
        if (i == start) return 0;
    }
    return i == size;
}

// Scan a number, true, false, null, or reject an unquoted word.
static int scan_token(struct scanner *s)
{
    static const char *const literals[] = {"true", "false", "null"};
    static const char *const non_finite[] = {"NaN", "nan", "NAN", "Infinity", "-Infinity", "inf", "-inf"};
    const size_t start = s->offset;
    const char *token = s->text + start;

    while (s->offset < s->size && is_token_char(s->text[s->offset])) s->offset++;
    const size_t size = s->offset - start;
    for (size_t i = 0; i < 3; ++i)
        if (size == strlen(literals[i]) && memcmp(token, literals[i], size) == 0) return 1;
    for (size_t i = 0; i < sizeof non_finite / sizeof non_finite[0]; ++i)
        if (size == strlen(non_finite[i]) && memcmp(token, non_finite[i], size) == 0)
            return FAIL(s, start, "%s is not allowed as a number", non_finite[i]);
    if (is_number(token, size)) return 1;
    const int shown_length = size < 40 ? (int)size : 40;
    if (is_digit(token[0]) || strchr("+-.", token[0]))
        return FAIL(s, start, "'%.*s' is not a number as JSON writes it (0.5, -3, 1e-4)", shown_length,
                    token);
    return FAIL(s, start, "'%.*s' is not a value; strings need double quotes", shown_length, token);
}

static int scan_bracket(struct scanner *s, char c)
{
    if (c == '{' || c == '[') {
        if (s->depth == SCENE_MAX_DEPTH)
            return FAIL(s, s->offset, "nesting too deep (limit %d)", SCENE_MAX_DEPTH);
        s->brackets[s->depth++] = s->offset++;
        s->expect = c == '{' ? KEY_OR_END : VALUE_OR_END;
        return 1;
    }
    const size_t open_offset = s->brackets[s->depth - 1];
    if ((s->text[open_offset] == '{') != (c == '}'))
        return FAIL(s, s->offset, "'%c' does not close the '%c' of line %d", c, s->text[open_offset],
                    line_at(s, open_offset));
    s->offset++;
    s->depth--;
    s->expect = s->depth ? COMMA_OR_END : END;
    return 1;
}

// Report a character that is not valid in the current state. @return 0
static int unexpected(struct scanner *s, char c)
{
    const unsigned char byte = (unsigned char)c;
    const int in_object = s->depth > 0 && s->text[s->brackets[s->depth - 1]] == '{';
    const int is_closing = c == '}' || c == ']';

    if (c == '\0') return FAIL(s, s->offset, "a zero byte: this is not a text file");
    if (c == '/' || c == '#') return FAIL(s, s->offset, "comments are not part of JSON");
    if (c == '\'') return FAIL(s, s->offset, "strings and keys need double quotes (\"), not single ones");
    if (s->expect == END) return FAIL(s, s->offset, "text after the end of the scene");
    if (is_closing && s->depth > 0 && (s->expect == KEY || (s->expect == VALUE && !in_object)))
        return FAIL(s, s->last_comma, "extra comma before '%c'", c);
    if (is_closing && s->expect == VALUE) return FAIL(s, s->offset, "a value is missing before '%c'", c);
    if (c == ',' && s->expect != COLON)
        return FAIL(s, s->offset, "extra comma: expected a %s",
                    in_object && s->expect != VALUE ? "key" : "value");
    if (byte >= 0x7f || byte < 0x20) return FAIL(s, s->offset, "unexpected character (0x%02x)", byte);
    if (s->expect == KEY || s->expect == KEY_OR_END) {
        if (is_digit(c))
            return FAIL(s, s->offset, "expected a key; decimal numbers have a point, not a comma");
        return FAIL(s, s->offset, "expected a key in double quotes");
    }
    if (s->expect == COLON) return FAIL(s, s->offset, "a ':' is missing after the key");
    if (s->expect == COMMA_OR_END) {
        if (c == ':') return FAIL(s, s->offset, "':' is allowed only after a key in double quotes");
        return FAIL(s, s->offset, "a comma is missing before this");
    }
    return FAIL(s, s->offset, "expected a value, found '%c'", c);
}

// Scan one token. @return 0 if it is not valid in the current state
static int scan_next(struct scanner *s)
{
    const char c = s->text[s->offset];
    const enum expect expect = s->expect;
    const int expects_value = expect == VALUE || expect == VALUE_OR_END;

    if (expects_value && ++s->values > SCENE_MAX_VALUES)
        return FAIL(s, s->offset, "too many values (limit %d)", SCENE_MAX_VALUES);
    if (expects_value && (c == '{' || c == '[')) return scan_bracket(s, c);
    if ((c == '}' && (expect == KEY_OR_END || expect == COMMA_OR_END)) ||
        (c == ']' && (expect == VALUE_OR_END || expect == COMMA_OR_END)))
        return scan_bracket(s, c);
    if (c == '}' && expect == VALUE_OR_END) return scan_bracket(s, c);
    if (c == ']' && expect == KEY_OR_END) return scan_bracket(s, c);
    if (c == ',' && expect == COMMA_OR_END) {
        s->last_comma = s->offset++;
        s->expect = s->text[s->brackets[s->depth - 1]] == '{' ? KEY : VALUE;
        return 1;
    }
    if (c == ':' && expect == COLON) {
        s->offset++;
        s->expect = VALUE;
        return 1;
    }
    if (c == '"' && (expect == KEY || expect == KEY_OR_END)) {
        s->expect = COLON;
        return scan_string(s);
    }
    if (!expects_value || !(c == '"' || is_token_char(c))) return unexpected(s, c);
    s->expect = s->depth ? COMMA_OR_END : END;
    return c == '"' ? scan_string(s) : scan_token(s);
}

static int scan_until_stop(struct scanner *s, size_t *last_token)
{
    while (s->offset < s->size && s->offset < s->stop) {
        if (is_space(s->text[s->offset])) {
            s->offset++;
            continue;
        }
        *last_token = s->offset;
        if (!scan_next(s)) return 0;
    }
    return 1;
}

int json_syntax_check(const char *text, size_t size, size_t *offset, char *message, size_t message_size)
{
    struct scanner scanner = {
        .text = text, .size = size, .stop = (size_t)-1, .message = message, .message_size = message_size};
    size_t last_token = 0;
    int ok = 1;

    if (size >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
        ok = FAIL(&scanner, 0, "the file is in UTF-16; save it as UTF-8");
    else if (!scan_until_stop(&scanner, &last_token))
        ok = 0;
    else if (scanner.expect == VALUE && scanner.depth == 0)
        ok = FAIL(&scanner, 0,
                  "the file is empty; a minimum is {\"version\": " SCENE_VERSION_TEXT
                  ", \"fluid\": {\"model\": ...}}");
    else if (scanner.depth > 0) {
        // report the end of the last line that is not blank
        while (size > 0 && is_space(text[size - 1])) size--;
        ok = FAIL(&scanner, size, "the file ends early: the '%c' of line %d is not closed",
                  text[scanner.brackets[scanner.depth - 1]],
                  line_at(&scanner, scanner.brackets[scanner.depth - 1]));
    }
    *offset = scanner.error_offset;
    return ok;
}

size_t json_token_start(const char *text, size_t size, size_t end)
{
    char message[8];
    struct scanner scanner = {
        .text = text, .size = size, .stop = end, .message = message, .message_size = sizeof message};
    size_t last_token = 0;

    scan_until_stop(&scanner, &last_token);
    return last_token;
}

json_t *json_parse(struct parser *p)
{
    const struct source_text *source = p->source;
    char message[200];
    size_t offset;
    json_error_t error = {0}; // jansson does not set the code if its first allocation fails

    if (!json_syntax_check(source->text, source->size, &offset, message, sizeof message)) {
        diag_at_offset(p, offset, "%s", message);
        return NULL;
    }
    // Integers are decoded as doubles too, so that only the range of a parameter limits them.
    json_t *root = json_loadb(source->text, source->size,
                              JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL | JSON_DECODE_ANY, &error);
    if (root) return root;

    const enum json_error_code code = json_error_code(&error);
    const size_t end = error.position > 0 ? (size_t)error.position : 0;
    offset = json_token_start(source->text, source->size, end);
    if (code == json_error_duplicate_key)
        diag_at_offset(p, offset, "duplicate key in this object");
    else if (code == json_error_numeric_overflow)
        diag_at_offset(p, offset, "number too large");
    else
        parser_set_result(p, TARN_NO_MEMORY); // nothing else can fail, because the text is valid JSON
    return NULL;
}
