// Wavefront OBJ -> triangles:
//
//   v x y z            more numbers (a weight, a colour) may follow
//   f 1 2 3            corners as v, v/vt, v//vn or v/vt/vn; from 1, or from -1 backwards; polygons too
//
// Only geometry is read: all other lines are passed over. A backslash at the end of a line continues it.
#include "mesh.h"
#include "tokenizer.h"

#include <stdlib.h>
#include <string.h>

struct lines {
    const char *at, *end;
    int line;
};

// Does the line that begins at `start` go on after the line end at `stop`?
static int goes_on(const char *start, const char *stop)
{
    if (stop > start && stop[-1] == '\r') stop--;
    return *start != '#' && stop > start && stop[-1] == '\\';
}

// The next line as words. @return 0 past the last
static int next_line(struct lines *l, struct words *w)
{
    const char *stop = l->at;

    if (l->at == l->end) return 0;
    *w = (struct words){.at = l->at, .next = l->line};
    for (; stop < l->end; ++stop) {
        l->line += *stop == '\n';
        if (*stop == '\n' && !goes_on(l->at, stop)) break;
    }
    w->end = stop;
    l->at = stop + (stop < l->end);
    return 1;
}

// The next word of a line, without the backslash of a continued one.
static int next_word(struct words *w)
{
    while (words_next(w)) {
        if (w->word[w->length - 1] == '\\' && (w->at == w->end || *w->at == '\n' || *w->at == '\r'))
            w->length--;
        if (w->length > 0) return 1;
    }
    return 0;
}

static int is_word(const struct words *w, char letter) { return w->length == 1 && *w->word == letter; }

// @return -1 with a fault if there are too many
static int count_vertices(struct lines l, struct fault *fault)
{
    struct words w;
    int count = 0;

    while (next_line(&l, &w)) {
        if (!next_word(&w) || !is_word(&w, 'v')) continue;
        if (count++ < MESH_VERTICES) continue;
        fault_say(fault, TARN_BAD_INPUT, "line %d: a mesh has at most %d vertices", w.line, MESH_VERTICES);
        return -1;
    }
    return count;
}

static int read_vertex(struct words *w, struct mesh *out, struct fault *fault)
{
    double at[3];
    const int line = w->line;

    for (int i = 0; i < 3; ++i) {
        if (!next_word(w))
            return REFUSE(fault, "line %d: a vertex has three numbers, this one has %d", line, i);
        if (!number_read(w->word, w->length, &at[i])) return words_no_number(w, fault), 0;
    }
    return mesh_add_vertex(out, at, fault);
}

// The vertex of a corner: 7, -1, 7/2, 7//3, 7/2/3. @return 0 if it is no such thing
static int corner_number(const struct words *w, long long *out)
{
    const char *c = w->word, *end = c + w->length;
    const int minus = *c == '-';
    long long n = 0;

    c += minus;
    if (c == end || !is_digit(*c)) return 0;
    for (; c < end && is_digit(*c); ++c)
        if (n <= MESH_VERTICES) n = 10 * n + (*c - '0');
    for (const char *rest = c; rest < end; ++rest)
        if (!is_digit(*rest) && *rest != '/' && *rest != '-') return 0;
    if (c < end && *c != '/') return 0;
    *out = minus ? -n : n;
    return 1;
}

// `total` vertices are in the file, those before this line are in the mesh.
static int read_face(struct words *w, int total, struct mesh *out, struct fault *fault)
{
    const int line = w->line;
    struct fan fan = {0};

    while (next_word(w)) {
        long long n;
        if (*w->word == '#') break;
        if (!corner_number(w, &n))
            return REFUSE(fault, "line %d: '%.*s' is no corner of a face", w->line, words_shown(w), w->word);
        const long long index = n > 0 ? n - 1 : out->vertex_count + n;
        if (n == 0 || index < 0 || index >= total)
            return REFUSE(fault, "line %d: there is no vertex '%.*s'; there are %d", w->line, words_shown(w),
                          w->word, n < 0 ? out->vertex_count : total);
        if (!mesh_add_corner(out, &fan, (int)index, fault)) return 0;
    }
    if (fan.count >= 3) return 1;
    return REFUSE(fault, "line %d: a face has at least three corners, this one has %d", line, fan.count);
}

tarn_result mesh_obj_read(const char *data, size_t size, struct mesh *out, struct fault *fault)
{
    struct lines l = {.at = data, .end = data + size, .line = 1};
    struct words w;
    int fine = 1;

    *out = (struct mesh){0};
    *fault = (struct fault){0};
    const int total = count_vertices(l, fault);
    fine = total >= 0;
    while (fine && next_line(&l, &w)) {
        if (!next_word(&w)) continue;
        if (is_word(&w, 'v'))
            fine = read_vertex(&w, out, fault);
        else if (is_word(&w, 'f'))
            fine = read_face(&w, total, out, fault);
    }
    if (fine && out->triangle_count == 0) fault_say(fault, TARN_BAD_INPUT, "the file has no faces");
    if (fault->result != TARN_OK) mesh_free(out);
    return fault->result;
}
