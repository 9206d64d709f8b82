// Adds diagnostics (tarn_diagnostic) with file position, excerpt and JSON path, sorted by their position in
// the file.
#include "diagnostics.h"
#include "scene/json/string_buffer.h"
#include "scene/parse/overrides.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OFFSET_OVERRIDE ((size_t)-2) // sorts after every offset of the file
#define OFFSET_LAST     ((size_t)-1)

void tarn_diagnostics_free(tarn_diagnostics *diagnostics)
{
    if (!diagnostics) return;
    free(diagnostics->list);
    *diagnostics = (tarn_diagnostics){0};
}

void parser_init(struct parser *p, const struct source_text *source, tarn_diagnostics *diagnostics)
{
    memset(p, 0, sizeof *p);
    p->source = source;
    p->diagnostics = diagnostics;
    p->first_diagnostic = diagnostics ? diagnostics->count : 0;
}

void parser_set_result(struct parser *p, tarn_result result)
{
    // If memory is exhausted, earlier diagnostics may be consequences of that, so this result wins.
    if (p->result == TARN_OK || result == TARN_NO_MEMORY) p->result = result;
}

int parser_push(struct parser *p, const char *key, size_t index)
{
    if (p->path.count == JSON_PATH_MAX) {
        diag_at_path(p, DIAG_VALUE, "nesting too deep");
        return 0;
    }
    p->path.steps[p->path.count++] = (struct json_step){key, index};
    return 1;
}

void parser_pop(struct parser *p) { p->path.count--; }

void json_path_format(const struct json_path *path, char *out, size_t size)
{
    size_t n = 0;

    out[0] = '\0';
    for (int i = 0; i < path->count && n < size; ++i) {
        const struct json_step *s = &path->steps[i];
        const int written = s->key ? snprintf(out + n, size - n, "%s%s", i ? "." : "", s->key)
                                   : snprintf(out + n, size - n, "[%zu]", s->index);
        if (written > 0) n += (size_t)written;
    }
    sanitize_text(out);
}

// Insert a diagnostic, sorted by offset among those of this parser. @return NULL if there is none to fill in
static tarn_diagnostic *diag_insert(struct parser *p, size_t offset)
{
    tarn_diagnostics *list = p->diagnostics;
    if (!list || p->too_many) return NULL;
    if (list->count == list->capacity) {
        const int capacity = list->capacity ? 2 * list->capacity : 8;
        tarn_diagnostic *grown = realloc(list->list, (size_t)capacity * sizeof *grown);
        if (!grown) {
            parser_set_result(p, TARN_NO_MEMORY);
            return NULL;
        }
        list->list = grown;
        list->capacity = capacity;
    }

    int position = list->count - p->first_diagnostic;
    p->too_many = position == SCENE_MAX_DIAGNOSTICS - 1;
    if (p->too_many) offset = OFFSET_LAST;
    for (; position > 0 && p->offsets[position - 1] > offset; --position) {
        p->offsets[position] = p->offsets[position - 1];
        list->list[p->first_diagnostic + position] = list->list[p->first_diagnostic + position - 1];
    }
    p->offsets[position] = offset;
    list->count++;

    tarn_diagnostic *diagnostic = &list->list[p->first_diagnostic + position];
    memset(diagnostic, 0, sizeof *diagnostic);
    diagnostic->caret = -1;
    if (p->too_many) {
        snprintf(diagnostic->where, sizeof diagnostic->where, "%.200s", p->source->name);
        snprintf(diagnostic->message, sizeof diagnostic->message,
                 "too many errors; the others are not shown");
        sanitize_text(diagnostic->where);
        return NULL;
    }
    return diagnostic;
}

// Copy the line around an offset, shortened so that the offset is in the excerpt.
static void diag_set_excerpt(const struct source_text *s, size_t offset, tarn_diagnostic *diagnostic)
{
    size_t start = offset, end = offset, length = 0;

    while (start > 0 && s->text[start - 1] != '\n') start--;
    while (end < s->size && s->text[end] != '\n') end++;
    if (end > start && s->text[end - 1] == '\r') end--;
    if (offset - start > 80) {
        start = offset - 60;
        while (start < offset && ((unsigned char)s->text[start] & 0xc0) == 0x80) start++;
    }
    diagnostic->caret = 0;
    for (size_t i = start; i < end;) {
        const int char_length = utf8_length(s->text + i, end - i);
        const size_t consumed = char_length ? (size_t)char_length : 1;
        if (length + consumed >= sizeof diagnostic->excerpt) break;
        if (i < offset) diagnostic->caret++;
        if (char_length == 0 || s->text[i] == '\0')
            diagnostic->excerpt[length++] = '?';
        else if (s->text[i] == '\t')
            diagnostic->excerpt[length++] = ' '; // one column, because the caret counts characters
        else
            for (size_t k = 0; k < consumed; ++k) diagnostic->excerpt[length++] = s->text[i + k];
        i += consumed;
    }
    diagnostic->excerpt[length] = '\0';
    sanitize_text(diagnostic->excerpt);
}

static void diag_set_location(const struct source_text *s, size_t offset, tarn_diagnostic *diagnostic)
{
    int line, column;
    const size_t length = strlen(s->name);
    const char *name = length > 200 ? s->name + length - 200 : s->name;

    offset_to_line(s->text, s->size, offset, &line, &column);
    snprintf(diagnostic->where, sizeof diagnostic->where, "%s%s:%d:%d", length > 200 ? "..." : "", name, line,
             column);
    sanitize_text(diagnostic->where);
    diag_set_excerpt(s, offset, diagnostic);
}

int json_path_has_prefix(const struct json_path *path, const struct json_path *start)
{
    if (path->count < start->count) return 0;
    for (int i = 0; i < start->count; ++i) {
        const struct json_step *a = &path->steps[i], *b = &start->steps[i];
        if (!a->key != !b->key) return 0;
        if (a->key ? strcmp(a->key, b->key) != 0 : a->index != b->index) return 0;
    }
    return 1;
}

// @return the override that set the value at the current path, or NULL if the value comes from the file
static const struct override *override_at_path(const struct parser *p, int in_file)
{
    for (int i = p->override_count; i-- > 0;)
        if (json_path_has_prefix(&p->path, &p->overrides[i].path)) return &p->overrides[i];
    for (int i = p->override_count; !in_file && i-- > 0;) // the override created this object
        if (json_path_has_prefix(&p->overrides[i].path, &p->path)) return &p->overrides[i];
    return NULL;
}

static void diag_set_message(tarn_diagnostic *diagnostic, const char *format, va_list args)
{
    vsnprintf(diagnostic->message, sizeof diagnostic->message, format, args);
    sanitize_text(diagnostic->message);
}

void diag_at_path(struct parser *p, enum diag_anchor anchor, const char *format, ...)
{
    size_t offset;
    va_list args;

    parser_set_result(p, TARN_BAD_INPUT);
    if (!p->diagnostics || p->too_many) return;
    const int found =
        json_find_offset(p->source->text, p->source->size, &p->path, anchor == DIAG_KEY, &offset);
    const struct override *override = override_at_path(p, found == p->path.count);
    tarn_diagnostic *diagnostic = diag_insert(p, override ? OFFSET_OVERRIDE : offset);
    if (!diagnostic) return;

    json_path_format(&p->path, diagnostic->path, sizeof diagnostic->path);
    if (!override) {
        diag_set_location(p->source, offset, diagnostic);
    } else if (override->from_cli) {
        snprintf(diagnostic->where, sizeof diagnostic->where, "%.250s", override->label);
        sanitize_text(diagnostic->where);
        // the label contains the path already
        if (p->path.count == override->path.count) diagnostic->path[0] = '\0';
    } else {
        snprintf(diagnostic->where, sizeof diagnostic->where, "%.200s", p->source->name);
        sanitize_text(diagnostic->where);
    }
    va_start(args, format);
    diag_set_message(diagnostic, format, args);
    va_end(args);
}

void diag_at_offset(struct parser *p, size_t offset, const char *format, ...)
{
    va_list args;

    parser_set_result(p, TARN_BAD_INPUT);
    tarn_diagnostic *diagnostic = diag_insert(p, offset);
    if (!diagnostic) return;
    diag_set_location(p->source, offset, diagnostic);
    va_start(args, format);
    diag_set_message(diagnostic, format, args);
    va_end(args);
}

void diag_at_label(struct parser *p, const char *label, const char *format, ...)
{
    va_list args;

    parser_set_result(p, TARN_BAD_INPUT);
    tarn_diagnostic *diagnostic = diag_insert(p, OFFSET_OVERRIDE);
    if (!diagnostic) return;
    snprintf(diagnostic->where, sizeof diagnostic->where, "%.250s", label);
    sanitize_text(diagnostic->where);
    va_start(args, format);
    diag_set_message(diagnostic, format, args);
    va_end(args);
}

// Push the parameter that an error names ("boundary.west.level", "parts[2].size") as steps below the current
// path. The steps point into `key`.
static void push_error_key(struct parser *p, char *key)
{
    for (char *component = key; component && *component;) {
        char *dot = strchr(component, '.'), *bracket = strchr(component, '[');
        if (dot) *dot = '\0';
        if (bracket && dot && bracket > dot) bracket = NULL;
        if (bracket) *bracket = '\0';
        if (!parser_push(p, component, 0)) return;
        if (bracket && !parser_push(p, NULL, strtoul(bracket + 1, NULL, 10))) return;
        component = dot ? dot + 1 : NULL;
    }
}

void diag_from_error(struct parser *p, tarn_result result, const tarn_error *err)
{
    const int depth = p->path.count;
    char key[sizeof err->key];

    memcpy(key, err->key, sizeof key);
    key[sizeof key - 1] = '\0';
    push_error_key(p, key);
    diag_at_path(p, DIAG_VALUE, "%s", err->message[0] ? err->message : "invalid value");
    p->path.count = depth;
    if (result != TARN_BAD_INPUT) p->result = result;
}
