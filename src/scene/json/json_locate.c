// Finds the byte offset of a JSON path. jansson's values carry no positions, so the text is scanned again
// along the path. The text has passed json_syntax_check(); on any other text the scan ends early and stays
// inside the text.
#include "json_path.h"

#include <string.h>

struct json_cursor {
    const char *text;
    size_t size, offset;
};

static int peek(const struct json_cursor *cursor)
{
    return cursor->offset < cursor->size ? (unsigned char)cursor->text[cursor->offset] : -1;
}

static void skip_space(struct json_cursor *cursor)
{
    while (cursor->offset < cursor->size && strchr(" \t\r\n", cursor->text[cursor->offset]) &&
           cursor->text[cursor->offset])
        cursor->offset++;
}

static int skip_char(struct json_cursor *cursor, int c)
{
    skip_space(cursor);
    if (peek(cursor) != c) return 0;
    cursor->offset++;
    return 1;
}

static void skip_string(struct json_cursor *cursor)
{
    for (cursor->offset++; cursor->offset < cursor->size && cursor->text[cursor->offset] != '"';
         cursor->offset++)
        if (cursor->text[cursor->offset] == '\\') cursor->offset++;
    if (cursor->offset < cursor->size)
        cursor->offset++;
    else
        cursor->offset = cursor->size;
}

// Skip a value of any depth without recursion by counting brackets.
static void skip_value(struct json_cursor *cursor)
{
    size_t depth = 0;

    skip_space(cursor);
    while (cursor->offset < cursor->size) {
        const int c = peek(cursor);
        if (c == '"') {
            skip_string(cursor);
            if (depth == 0) return;
            continue;
        }
        if (depth == 0 && (c == ',' || c == '}' || c == ']')) return; // the end of a number or literal
        cursor->offset++;
        if (c == '{' || c == '[') depth++;
        if ((c == '}' || c == ']') && --depth == 0) return;
    }
}

static unsigned parse_hex4(const struct json_cursor *cursor, size_t at)
{
    unsigned value = 0;
    for (size_t i = at; i < at + 4 && i < cursor->size; ++i) {
        const char *digits = "0123456789abcdef0123456789ABCDEF";
        const char *d = cursor->text[i] ? strchr(digits, cursor->text[i]) : NULL;
        value = value * 16 + (d ? (unsigned)(d - digits) % 16 : 0);
    }
    return value;
}

// Decode the character or escape sequence at the cursor inside a string to UTF-8. @return its bytes
static size_t decode_string_char(struct json_cursor *cursor, char out[4])
{
    if (cursor->text[cursor->offset] != '\\' || cursor->offset + 1 >= cursor->size) {
        out[0] = cursor->text[cursor->offset++];
        return 1;
    }
    const char escape_char = cursor->text[cursor->offset + 1];
    cursor->offset += 2;
    if (escape_char != 'u') {
        const char *escaped = "bfnrt", *decoded = "\b\f\n\r\t";
        const char *escape = strchr(escaped, escape_char);
        out[0] = escape && escape_char ? decoded[escape - escaped] : escape_char;
        return 1;
    }
    unsigned code = parse_hex4(cursor, cursor->offset);
    cursor->offset += 4;
    if (code >= 0xd800 && code < 0xdc00 && cursor->offset + 6 <= cursor->size &&
        cursor->text[cursor->offset] == '\\') {
        code =
            0x10000 + ((code - 0xd800) << 10) + ((parse_hex4(cursor, cursor->offset + 2) - 0xdc00) & 0x3ff);
        cursor->offset += 6;
    }
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    const size_t bytes = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned lead_byte[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = bytes; i-- > 1; code >>= 6) out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(lead_byte[bytes] | code);
    return bytes;
}

// Skip the string at the cursor. @return 1 if it equals `key`
static int string_equals(struct json_cursor *cursor, const char *key)
{
    const size_t length = strlen(key);
    size_t n = 0;
    int equal = 1;

    for (cursor->offset++; cursor->offset < cursor->size && cursor->text[cursor->offset] != '"';) {
        char c[4];
        const size_t bytes = decode_string_char(cursor, c);
        equal = equal && n + bytes <= length && memcmp(key + n, c, bytes) == 0;
        n += bytes;
    }
    if (cursor->offset > cursor->size) cursor->offset = cursor->size;
    if (cursor->offset < cursor->size) cursor->offset++;
    return equal && n == length;
}

static int enter_object(struct json_cursor *cursor, const char *key, size_t *key_at)
{
    if (!skip_char(cursor, '{')) return 0;
    do {
        skip_space(cursor);
        if (peek(cursor) != '"') return 0;
        *key_at = cursor->offset;
        const int found = string_equals(cursor, key);
        if (!skip_char(cursor, ':')) return 0;
        skip_space(cursor);
        if (found) return 1;
        skip_value(cursor);
    } while (skip_char(cursor, ','));
    return 0;
}

static int enter_array(struct json_cursor *cursor, size_t index)
{
    if (!skip_char(cursor, '[')) return 0;
    for (; index > 0; --index) {
        skip_value(cursor);
        if (!skip_char(cursor, ',')) return 0;
    }
    skip_space(cursor);
    return peek(cursor) != ']' && peek(cursor) >= 0;
}

int json_find_offset(const char *text, size_t size, const struct json_path *path, int want_key,
                     size_t *offset)
{
    struct json_cursor cursor = {text, size, 0};
    int found = 0;

    skip_space(&cursor);
    *offset = cursor.offset;
    for (; found < path->count; ++found) {
        const struct json_step *s = &path->steps[found];
        size_t key_at = 0;
        if (!(s->key ? enter_object(&cursor, s->key, &key_at) : enter_array(&cursor, s->index))) break;
        *offset = want_key && s->key && found == path->count - 1 ? key_at : cursor.offset;
    }
    return found;
}

void offset_to_line(const char *text, size_t size, size_t offset, int *line, int *column)
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
