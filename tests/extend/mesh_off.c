// Sample mesh format: the Object File Format. The word OFF, the numbers of vertices, faces and edges, then
// the vertices and for each face its number of vertices and their indices from 0.
#include "mesh.h"
#include "tokenizer.h"

// Reads the next number, which must lie between 0 and `max`. @return -1 with an error otherwise
static int next_count(struct tokenizer *tokens, int max, struct load_error *error)
{
    double value;
    if (!next_token(tokens) || !parse_number(tokens->token, tokens->length, &value) ||
        !(0 <= value && value <= max)) {
        load_fail(error, TARN_BAD_INPUT, "line %d: expected a count or an index up to %d", tokens->line, max);
        return -1;
    }
    return (int)value;
}

static int read_vertex(struct tokenizer *tokens, struct mesh *out, struct load_error *error)
{
    double position[3];
    for (int i = 0; i < 3; ++i)
        if (!next_token(tokens) || !parse_number(tokens->token, tokens->length, &position[i]))
            return REJECT(error, "line %d: expected a coordinate", tokens->line);
    return mesh_add_vertex(out, position, error);
}

static int read_face(struct tokenizer *tokens, struct mesh *out, struct load_error *error)
{
    struct polygon_fan fan = {0};
    const int count = next_count(tokens, MESH_MAX_VERTICES, error);
    for (int i = 0; i < count; ++i) {
        const int vertex = next_count(tokens, out->vertex_count - 1, error);
        if (vertex < 0 || !mesh_add_polygon_vertex(out, &fan, vertex, error)) return 0;
    }
    return count >= 0;
}

static tarn_result read_off(const char *data, size_t size, const struct mesh_dir *dir, struct mesh *out,
                            struct load_error *error)
{
    struct tokenizer tokens = {.cursor = data, .end = data + size, .cursor_line = 1};
    (void)dir; // OFF files refer to no other files
    *out = (struct mesh){0};
    *error = (struct load_error){0};
    next_token(&tokens); // the word OFF
    const int vertices = next_count(&tokens, MESH_MAX_VERTICES, error),
              faces = vertices < 0 ? -1 : next_count(&tokens, MESH_MAX_TRIANGLES, error);
    int ok = faces >= 0 && next_count(&tokens, MESH_MAX_TRIANGLES, error) >= 0; // edges are not used
    for (int i = 0; ok && i < vertices; ++i) ok = read_vertex(&tokens, out, error);
    for (int i = 0; ok && i < faces; ++i) ok = read_face(&tokens, out, error);
    if (ok && out->triangle_count == 0) load_fail(error, TARN_BAD_INPUT, "the file has no faces");
    if (error->result != TARN_OK) mesh_free(out);
    return error->result;
}

static int has_off_signature(const char *data, size_t size) { return has_prefix(data, size, "OFF"); }

const struct mesh_format mesh_format_off = {
    .name = "OFF", .extensions = {".off"}, .has_signature = has_off_signature, .read = read_off};
