// STL -> triangles. Text:
//
//   solid name
//   facet normal 0 0 1  outer loop  vertex 0 0 0  vertex 1 0 0  vertex 0 1 0  endloop  endfacet
//   endsolid name
//
// or binary, little endian: 80 bytes of anything, the number of triangles, and for each of them a normal, three
// corners and two bytes of anything. Some programs begin binary files with "solid" too, so the size decides.
// Normals are not used: the corners say the same, and files often get them wrong.
#include "mesh.h"
#include "tokenizer.h"

#include <math.h>
#include <string.h>

#define HEAD_BYTES     84
#define TRIANGLE_BYTES 50

// Letters of either case.
static int is_word(const struct words *w, const char *word)
{
    size_t i = 0;
    while (i < w->length && word[i] && (w->word[i] | (is_letter(w->word[i]) ? 32 : 0)) == word[i]) i++;
    return i == w->length && !word[i];
}

static int expect(struct words *w, const char *word, struct fault *fault)
{
    words_next(w);
    if (is_word(w, word)) return 1;
    if (w->length == 0)
        return REFUSE(fault, "line %d: the file ends early; '%s' should follow", w->line, word);
    return REFUSE(fault, "line %d: '%s' should stand here, not '%.*s'", w->line, word, words_shown(w),
                  w->word);
}

static void skip_line(struct words *w)
{
    while (w->at < w->end && *w->at != '\n') w->at++;
}

static int read_facet(struct words *w, struct mesh *out, struct fault *fault)
{
    const int first = out->vertex_count;

    if (!expect(w, "normal", fault)) return 0;
    for (int i = 0; i < 3; ++i) words_next(w);
    if (!expect(w, "outer", fault) || !expect(w, "loop", fault)) return 0;
    for (int k = 0; k < 3; ++k) {
        double at[3];
        if (!expect(w, "vertex", fault)) return 0;
        for (int i = 0; i < 3; ++i)
            if (!words_next(w) || !number_read(w->word, w->length, &at[i]))
                return words_no_number(w, fault), 0;
        if (!mesh_add_vertex(out, at, fault)) return 0;
    }
    return expect(w, "endloop", fault) && expect(w, "endfacet", fault) &&
           mesh_add_triangle(out, first, first + 1, first + 2, fault);
}

static int read_text(const char *data, size_t size, struct mesh *out, struct fault *fault)
{
    struct words w = {.at = data, .end = data + size, .next = 1};

    if (!expect(&w, "solid", fault)) return 0;
    do { // several solids may follow each other
        skip_line(&w);
        while (words_next(&w) && is_word(&w, "facet"))
            if (!read_facet(&w, out, fault)) return 0;
        if (!is_word(&w, "endsolid")) {
            w.at = w.word; // look at it once more, to say so
            w.next = w.line;
            return expect(&w, "endsolid", fault);
        }
        skip_line(&w);
    } while (words_next(&w) && is_word(&w, "solid"));
    if (w.length == 0) return 1;
    return REFUSE(fault, "line %d: '%.*s' stands after the end", w.line, words_shown(&w), w.word);
}

static int read_binary(const unsigned char *data, size_t size, struct mesh *out, struct fault *fault)
{
    const uint64_t count = size < HEAD_BYTES ? 0 : bytes_whole(data + 80, 4, 0);
    const uint64_t whole = HEAD_BYTES + TRIANGLE_BYTES * count;

    if (size < HEAD_BYTES) return REFUSE(fault, "byte %zu: the file ends early; this is no STL file", size);
    if (whole != size)
        return REFUSE(fault, "byte 80: %llu triangles take %llu bytes, but the file has %zu",
                      (unsigned long long)count, (unsigned long long)whole, size);
    if (3 * count > MESH_VERTICES)
        return REFUSE(fault, "byte 80: a mesh has at most %d vertices, not %llu", MESH_VERTICES,
                      (unsigned long long)(3 * count));
    for (size_t at = HEAD_BYTES; at < size; at += TRIANGLE_BYTES) {
        const int first = out->vertex_count;
        for (size_t k = 0; k < 3; ++k) {
            double p[3];
            for (size_t i = 0; i < 3; ++i) {
                const size_t byte = at + 12 + 12 * k + 4 * i;
                p[i] = bytes_float(data + byte, 4, 0);
                if (!isfinite(p[i])) return REFUSE(fault, "byte %zu: this is not a finite number", byte);
            }
            if (!mesh_add_vertex(out, p, fault)) return 0;
        }
        if (!mesh_add_triangle(out, first, first + 1, first + 2, fault)) return 0;
    }
    return 1;
}

tarn_result mesh_stl_read(const char *data, size_t size, struct mesh *out, struct fault *fault)
{
    const unsigned char *bytes = (const unsigned char *)data;
    size_t start = 0;

    *out = (struct mesh){0};
    *fault = (struct fault){0};
    while (start < size && is_space(data[start])) start++;
    const int solid =
        size - start >= 5 && is_word(&(struct words){.word = data + start, .length = 5}, "solid");
    const int exact =
        size >= HEAD_BYTES && HEAD_BYTES + TRIANGLE_BYTES * bytes_whole(bytes + 80, 4, 0) == size;
    if (solid && !exact)
        read_text(data, size, out, fault);
    else
        read_binary(bytes, size, out, fault);
    if (fault->result == TARN_OK && out->triangle_count == 0)
        fault_say(fault, TARN_BAD_INPUT, "the file has no triangles");
    if (fault->result != TARN_OK) mesh_free(out);
    return fault->result;
}
