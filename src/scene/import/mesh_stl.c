// Reads an STL file, ASCII:
//
//   solid name
//   facet normal 0 0 1  outer loop  vertex 0 0 0  vertex 1 0 0  vertex 0 1 0  endloop  endfacet
//   endsolid name
//
// or binary (little endian): an 80-byte header, the triangle count, and for each triangle a normal, three
// vertices and a 2-byte attribute. Some programs start binary files with "solid" too, so the file size
// decides. Normals are ignored: the vertex order defines them, and files often have wrong ones.
#include "mesh.h"
#include "tokenizer.h"

#include <math.h>
#include <string.h>

#define HEADER_BYTES   84
#define TRIANGLE_BYTES 50

// Compare without case.
static int token_is(const struct tokenizer *tokens, const char *text)
{
    size_t i = 0;
    while (i < tokens->length && text[i] &&
           (tokens->token[i] | (is_letter(tokens->token[i]) ? 32 : 0)) == text[i])
        i++;
    return i == tokens->length && !text[i];
}

static int expect_token(struct tokenizer *tokens, const char *text, struct load_error *error)
{
    next_token(tokens);
    if (token_is(tokens, text)) return 1;
    if (tokens->length == 0)
        return REJECT(error, "line %d: the file ends early; expected '%s'", tokens->line, text);
    return REJECT(error, "line %d: expected '%s', found '%.*s'", tokens->line, text,
                  token_shown_length(tokens), tokens->token);
}

static void skip_line(struct tokenizer *tokens)
{
    while (tokens->cursor < tokens->end && *tokens->cursor != '\n') tokens->cursor++;
}

static int read_facet(struct tokenizer *tokens, struct mesh *out, struct load_error *error)
{
    const int first = out->vertex_count;

    if (!expect_token(tokens, "normal", error)) return 0;
    for (int i = 0; i < 3; ++i) next_token(tokens);
    if (!expect_token(tokens, "outer", error) || !expect_token(tokens, "loop", error)) return 0;
    for (int k = 0; k < 3; ++k) {
        double position[3];
        if (!expect_token(tokens, "vertex", error)) return 0;
        for (int i = 0; i < 3; ++i)
            if (!next_token(tokens) || !parse_number(tokens->token, tokens->length, &position[i]))
                return fail_not_a_number(tokens, error), 0;
        if (!mesh_add_vertex(out, position, error)) return 0;
    }
    return expect_token(tokens, "endloop", error) && expect_token(tokens, "endfacet", error) &&
           mesh_add_triangle(out, first, first + 1, first + 2, error);
}

static int read_ascii(const char *data, size_t size, struct mesh *out, struct load_error *error)
{
    struct tokenizer tokens = {.cursor = data, .end = data + size, .cursor_line = 1};

    if (!expect_token(&tokens, "solid", error)) return 0;
    do { // a file may have several solids
        skip_line(&tokens);
        while (next_token(&tokens) && token_is(&tokens, "facet"))
            if (!read_facet(&tokens, out, error)) return 0;
        if (!token_is(&tokens, "endsolid")) {
            tokens.cursor = tokens.token; // scan the token again, for the error message
            tokens.cursor_line = tokens.line;
            return expect_token(&tokens, "endsolid", error);
        }
        skip_line(&tokens);
    } while (next_token(&tokens) && token_is(&tokens, "solid"));
    if (tokens.length == 0) return 1;
    return REJECT(error, "line %d: '%.*s' after the end of the solid", tokens.line,
                  token_shown_length(&tokens), tokens.token);
}

static int read_binary(const unsigned char *data, size_t size, struct mesh *out, struct load_error *error)
{
    const uint64_t count = size < HEADER_BYTES ? 0 : read_uint(data + 80, 4, 0);
    const uint64_t expected_size = HEADER_BYTES + TRIANGLE_BYTES * count;

    if (size < HEADER_BYTES) return REJECT(error, "byte %zu: the file ends early; not an STL file", size);
    if (expected_size != size)
        return REJECT(error, "byte 80: %llu triangles take %llu bytes, but the file has %zu",
                      (unsigned long long)count, (unsigned long long)expected_size, size);
    if (3 * count > MESH_MAX_VERTICES)
        return REJECT(error, "byte 80: a mesh has at most %d vertices, not %llu", MESH_MAX_VERTICES,
                      (unsigned long long)(3 * count));
    for (size_t offset = HEADER_BYTES; offset < size; offset += TRIANGLE_BYTES) {
        const int first = out->vertex_count;
        for (size_t k = 0; k < 3; ++k) {
            double position[3];
            for (size_t i = 0; i < 3; ++i) {
                const size_t byte = offset + 12 + 12 * k + 4 * i;
                position[i] = read_float(data + byte, 4, 0);
                if (!isfinite(position[i]))
                    return REJECT(error, "byte %zu: this is not a finite number", byte);
            }
            if (!mesh_add_vertex(out, position, error)) return 0;
        }
        if (!mesh_add_triangle(out, first, first + 1, first + 2, error)) return 0;
    }
    return 1;
}

// A binary STL file may start with any bytes, so it is recognised by a size that matches its triangle count.
static int has_binary_size(const char *data, size_t size)
{
    return size >= HEADER_BYTES &&
           HEADER_BYTES + TRIANGLE_BYTES * read_uint((const unsigned char *)data + 80, 4, 0) == size;
}

static tarn_result read_stl(const char *data, size_t size, const struct mesh_dir *dir, struct mesh *out,
                            struct load_error *error)
{
    (void)dir; // STL files refer to no other geometry
    const unsigned char *bytes = (const unsigned char *)data;

    *out = (struct mesh){0};
    *error = (struct load_error){0};
    const size_t start = skip_spaces(data, size);
    const int has_solid =
        size - start >= 5 && token_is(&(struct tokenizer){.token = data + start, .length = 5}, "solid");
    if (has_solid && !has_binary_size(data, size))
        read_ascii(data, size, out, error);
    else
        read_binary(bytes, size, out, error);
    if (error->result == TARN_OK && out->triangle_count == 0)
        load_fail(error, TARN_BAD_INPUT, "the file has no triangles");
    if (error->result != TARN_OK) mesh_free(out);
    return error->result;
}

static int looks_like_ascii_stl(const char *data, size_t size)
{
    const size_t start = skip_spaces(data, size);
    return has_prefix(data + start, size - start, "solid");
}

const struct mesh_format mesh_format_stl = {.name = "STL",
                                            .extensions = {".stl"},
                                            .has_signature = has_binary_size,
                                            .looks_like = looks_like_ascii_stl,
                                            .read = read_stl};
