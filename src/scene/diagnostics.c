// A place and words become a tarn_note, kept in the order of the file.
#include "scene_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ORDER_OPTION ((size_t)-2) // after everything that stands in the file
#define ORDER_LAST   ((size_t)-1)

void tarn_notes_free(tarn_notes *notes)
{
    if (!notes) return;
    free(notes->list);
    *notes = (tarn_notes){0};
}

void pass_begin(struct pass *p, const struct source *source, tarn_notes *notes)
{
    memset(p, 0, sizeof *p);
    p->source = source;
    p->notes = notes;
    p->first = notes ? notes->count : 0;
}

void pass_fail(struct pass *p, tarn_result result)
{
    // Without memory the other mistakes may be wrong themselves.
    if (p->result == TARN_OK || result == TARN_NO_MEMORY) p->result = result;
}

int pass_push(struct pass *p, const char *key, size_t index)
{
    if (p->path.count == PATH_STEPS) {
        note_add(p, NOTE_VALUE, "nested deeper than anything a scene knows");
        return 0;
    }
    p->path.steps[p->path.count++] = (struct step){key, index};
    return 1;
}

void pass_pop(struct pass *p) { p->path.count--; }

void path_text(const struct path *path, char *out, size_t size)
{
    size_t n = 0;

    out[0] = '\0';
    for (int i = 0; i < path->count && n < size; ++i) {
        const struct step *s = &path->steps[i];
        const int more = s->key ? snprintf(out + n, size - n, "%s%s", i ? "." : "", s->key)
                                : snprintf(out + n, size - n, "[%zu]", s->index);
        if (more > 0) n += (size_t)more;
    }
    text_clean(out);
}

// Room for a note, in its place among those of this pass.
static tarn_note *note_new(struct pass *p, size_t order)
{
    tarn_notes *notes = p->notes;
    if (!notes || p->full) return NULL;
    if (notes->count == notes->capacity) {
        const int capacity = notes->capacity ? 2 * notes->capacity : 8;
        tarn_note *list = realloc(notes->list, (size_t)capacity * sizeof *list);
        if (!list) {
            pass_fail(p, TARN_NO_MEMORY);
            return NULL;
        }
        notes->list = list;
        notes->capacity = capacity;
    }

    int place = notes->count - p->first;
    p->full = place == SCENE_NOTES - 1;
    if (p->full) order = ORDER_LAST;
    for (; place > 0 && p->order[place - 1] > order; --place) {
        p->order[place] = p->order[place - 1];
        notes->list[p->first + place] = notes->list[p->first + place - 1];
    }
    p->order[place] = order;
    notes->count++;

    tarn_note *note = &notes->list[p->first + place];
    memset(note, 0, sizeof *note);
    note->caret = -1;
    if (p->full) {
        snprintf(note->where, sizeof note->where, "%.200s", p->source->name);
        snprintf(note->text, sizeof note->text, "there are more mistakes than these");
        text_clean(note->where);
        return NULL;
    }
    return note;
}

// The line around an offset, cut so that the offset is in it.
static void excerpt(const struct source *s, size_t offset, tarn_note *note)
{
    size_t from = offset, to = offset, n = 0;

    while (from > 0 && s->text[from - 1] != '\n') from--;
    while (to < s->size && s->text[to] != '\n') to++;
    if (to > from && s->text[to - 1] == '\r') to--;
    if (offset - from > 80) {
        from = offset - 60;
        while (from < offset && ((unsigned char)s->text[from] & 0xc0) == 0x80) from++;
    }
    note->caret = 0;
    for (size_t i = from; i < to;) {
        const int length = utf8_length(s->text + i, to - i);
        const size_t used = length ? (size_t)length : 1;
        if (n + used >= sizeof note->excerpt) break;
        if (i < offset) note->caret++;
        if (length == 0 || s->text[i] == '\0')
            note->excerpt[n++] = '?';
        else if (s->text[i] == '\t')
            note->excerpt[n++] = ' '; // the caret counts characters
        else
            for (size_t k = 0; k < used; ++k) note->excerpt[n++] = s->text[i + k];
        i += used;
    }
    note->excerpt[n] = '\0';
    text_clean(note->excerpt);
}

static void place_at(const struct source *s, size_t offset, tarn_note *note)
{
    int line, column;
    const size_t length = strlen(s->name);
    const char *name = length > 200 ? s->name + length - 200 : s->name;

    locate_line(s->text, s->size, offset, &line, &column);
    snprintf(note->where, sizeof note->where, "%s%s:%d:%d", length > 200 ? "..." : "", name, line, column);
    text_clean(note->where);
    excerpt(s, offset, note);
}

int path_begins(const struct path *path, const struct path *start)
{
    if (path->count < start->count) return 0;
    for (int i = 0; i < start->count; ++i) {
        const struct step *a = &path->steps[i], *b = &start->steps[i];
        if (!a->key != !b->key) return 0;
        if (a->key ? strcmp(a->key, b->key) != 0 : a->index != b->index) return 0;
    }
    return 1;
}

// The change that a path's value came from; NULL: the file.
static const struct change *change_of(const struct pass *p, int in_file)
{
    for (int i = p->change_count; i-- > 0;)
        if (path_begins(&p->path, &p->changes[i].path)) return &p->changes[i];
    for (int i = p->change_count; !in_file && i-- > 0;) // made on the way to a changed value
        if (path_begins(&p->changes[i].path, &p->path)) return &p->changes[i];
    return NULL;
}

static void note_words(tarn_note *note, const char *format, va_list args)
{
    vsnprintf(note->text, sizeof note->text, format, args);
    text_clean(note->text);
}

void note_add(struct pass *p, enum note_place place, const char *format, ...)
{
    size_t offset;
    va_list args;

    pass_fail(p, TARN_BAD_INPUT);
    if (!p->notes || p->full) return;
    const int found = locate(p->source->text, p->source->size, &p->path, place == NOTE_KEY, &offset);
    const struct change *change = change_of(p, found == p->path.count);
    tarn_note *note = note_new(p, change ? ORDER_OPTION : offset);
    if (!note) return;

    path_text(&p->path, note->path, sizeof note->path);
    if (!change) {
        place_at(p->source, offset, note);
    } else if (change->option) {
        snprintf(note->where, sizeof note->where, "%.250s", change->shown);
        text_clean(note->where);
        if (p->path.count == change->path.count) note->path[0] = '\0'; // said already
    } else {
        snprintf(note->where, sizeof note->where, "%.200s", p->source->name);
        text_clean(note->where);
    }
    va_start(args, format);
    note_words(note, format, args);
    va_end(args);
}

void note_add_at(struct pass *p, size_t offset, const char *format, ...)
{
    va_list args;

    pass_fail(p, TARN_BAD_INPUT);
    tarn_note *note = note_new(p, offset);
    if (!note) return;
    place_at(p->source, offset, note);
    va_start(args, format);
    note_words(note, format, args);
    va_end(args);
}

void note_add_plain(struct pass *p, const char *where, const char *format, ...)
{
    va_list args;

    pass_fail(p, TARN_BAD_INPUT);
    tarn_note *note = note_new(p, ORDER_OPTION);
    if (!note) return;
    snprintf(note->where, sizeof note->where, "%.250s", where);
    text_clean(note->where);
    va_start(args, format);
    note_words(note, format, args);
    va_end(args);
}

// The parameter that an error names ("sides.west.level", "parts[2].size"), as steps below the pass's path; `name`
// must live as long as them.
static void push_name(struct pass *p, char *name)
{
    for (char *part = name; part && *part;) {
        char *dot = strchr(part, '.'), *bracket = strchr(part, '[');
        if (dot) *dot = '\0';
        if (bracket && dot && bracket > dot) bracket = NULL;
        if (bracket) *bracket = '\0';
        if (!pass_push(p, part, 0)) return;
        if (bracket && !pass_push(p, NULL, strtoul(bracket + 1, NULL, 10))) return;
        part = dot ? dot + 1 : NULL;
    }
}

void note_error(struct pass *p, tarn_result result, const tarn_error *err)
{
    const int depth = p->path.count;
    char name[sizeof err->key];

    memcpy(name, err->key, sizeof name);
    name[sizeof name - 1] = '\0';
    push_name(p, name);
    note_add(p, NOTE_VALUE, "%s", err->text[0] ? err->text : "this is not possible");
    p->path.count = depth;
    if (result != TARN_BAD_INPUT) p->result = result;
}
