// Reads the geometry of a Wavefront OBJ file:
//
//   v x y z            more numbers (weight, colour) may follow
//   f 1 2 3            vertices as v, v/vt, v//vn or v/vt/vn; from 1, or backwards from -1; any polygon
//
// All other lines are ignored. A backslash at the end of a line continues it.
#include "mesh.h"
#include "tokenizer.h"

#include <stdlib.h>
#include <string.h>

struct line_reader {
    const char *cursor, *end;
    int line;
};

// Is the line from `start` to the line break at `end` continued on the next line?
static int is_continued(const char *start, const char *end)
{
    if (end > start && end[-1] == '\r') end--;
    return *start != '#' && end > start && end[-1] == '\\';
}

// Make a tokenizer for the next line, continuations included. @return 0 past the last line
static int next_line(struct line_reader *lines, struct tokenizer *tokens)
{
    const char *end = lines->cursor;

    if (lines->cursor == lines->end) return 0;
    *tokens = (struct tokenizer){.cursor = lines->cursor, .cursor_line = lines->line};
    for (; end < lines->end; ++end) {
        lines->line += *end == '\n';
        if (*end == '\n' && !is_continued(lines->cursor, end)) break;
    }
    tokens->end = end;
    lines->cursor = end + (end < lines->end);
    return 1;
}

// The next token of a line, without the backslash of a continuation.
static int next_line_token(struct tokenizer *tokens)
{
    while (next_token(tokens)) {
        if (tokens->token[tokens->length - 1] == '\\' &&
            (tokens->cursor == tokens->end || *tokens->cursor == '\n' || *tokens->cursor == '\r'))
            tokens->length--;
        if (tokens->length > 0) return 1;
    }
    return 0;
}

static int token_is(const struct tokenizer *tokens, char key)
{
    return tokens->length == 1 && *tokens->token == key;
}

// @return -1 with an error if there are too many
static int count_vertices(struct line_reader lines, struct load_error *error)
{
    struct tokenizer tokens;
    int count = 0;

    while (next_line(&lines, &tokens)) {
        if (!next_line_token(&tokens) || !token_is(&tokens, 'v')) continue;
        if (count++ < MESH_MAX_VERTICES) continue;
        load_fail(error, TARN_BAD_INPUT, "line %d: a mesh has at most %d vertices", tokens.line,
                  MESH_MAX_VERTICES);
        return -1;
    }
    return count;
}

static int read_vertex(struct tokenizer *tokens, struct mesh *out, struct load_error *error)
{
    double position[3];
    const int line = tokens->line;

    for (int i = 0; i < 3; ++i) {
        if (!next_line_token(tokens))
            return REJECT(error, "line %d: expected three coordinates of a vertex, found %d", line, i);
        if (!parse_number(tokens->token, tokens->length, &position[i]))
            return fail_not_a_number(tokens, error), 0;
    }
    return mesh_add_vertex(out, position, error);
}

// Parse the vertex index of a face vertex: 7, -1, 7/2, 7//3 or 7/2/3. @return 0 if it has another form
static int parse_face_vertex(const struct tokenizer *tokens, long long *out)
{
    const char *cursor = tokens->token, *end = cursor + tokens->length;
    const int negative = *cursor == '-';
    long long value = 0;

    cursor += negative;
    if (cursor == end || !is_digit(*cursor)) return 0;
    for (; cursor < end && is_digit(*cursor); ++cursor)
        if (value <= MESH_MAX_VERTICES) value = 10 * value + (*cursor - '0');
    for (const char *rest = cursor; rest < end; ++rest)
        if (!is_digit(*rest) && *rest != '/' && *rest != '-') return 0;
    if (cursor < end && *cursor != '/') return 0;
    *out = negative ? -value : value;
    return 1;
}

// `vertex_total` counts all vertices of the file, out->vertex_count those before this line.
static int read_face(struct tokenizer *tokens, int vertex_total, struct mesh *out, struct load_error *error)
{
    const int line = tokens->line;
    struct polygon_fan fan = {0};

    while (next_line_token(tokens)) {
        long long index;
        if (*tokens->token == '#') break;
        if (!parse_face_vertex(tokens, &index))
            return REJECT(error, "line %d: '%.*s' is not a corner of a face", tokens->line,
                          token_shown_length(tokens), tokens->token);
        const long long vertex = index > 0 ? index - 1 : out->vertex_count + index;
        if (index == 0 || vertex < 0 || vertex >= vertex_total)
            return REJECT(error, "line %d: no vertex '%.*s'; number of vertices: %d", tokens->line,
                          token_shown_length(tokens), tokens->token,
                          index < 0 ? out->vertex_count : vertex_total);
        if (!mesh_add_polygon_vertex(out, &fan, (int)vertex, error)) return 0;
    }
    if (fan.count >= 3) return 1;
    return REJECT(error, "line %d: expected at least three corners of a face, found %d", line, fan.count);
}

static tarn_result read_obj(const char *data, size_t size, const struct mesh_dir *dir, struct mesh *out,
                            struct load_error *error)
{
    (void)dir; // OBJ files refer to no other geometry
    struct line_reader lines = {.cursor = data, .end = data + size, .line = 1};
    struct tokenizer tokens;
    int ok = 1;

    *out = (struct mesh){0};
    *error = (struct load_error){0};
    const int vertex_total = count_vertices(lines, error);
    ok = vertex_total >= 0;
    while (ok && next_line(&lines, &tokens)) {
        if (!next_line_token(&tokens)) continue;
        if (token_is(&tokens, 'v'))
            ok = read_vertex(&tokens, out, error);
        else if (token_is(&tokens, 'f'))
            ok = read_face(&tokens, vertex_total, out, error);
    }
    if (ok && out->triangle_count == 0) load_fail(error, TARN_BAD_INPUT, "the file has no faces");
    if (error->result != TARN_OK) mesh_free(out);
    return error->result;
}

// Is the first token that is not a comment a keyword of OBJ?
static int looks_like_obj(const char *data, size_t size)
{
    static const char *const keys[] = {"v", "vn", "vt", "f", "o", "g", "s", "mtllib", "usemtl"};
    struct tokenizer tokens = {.cursor = data, .end = data + size, .cursor_line = 1};

    while (next_token(&tokens) && *tokens.token == '#')
        while (tokens.cursor < tokens.end && *tokens.cursor != '\n') tokens.cursor++;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i)
        if (tokens.length == strlen(keys[i]) && memcmp(tokens.token, keys[i], tokens.length) == 0) return 1;
    return 0;
}

const struct mesh_format mesh_format_obj = {
    .name = "OBJ", .extensions = {".obj"}, .looks_like = looks_like_obj, .read = read_obj};
