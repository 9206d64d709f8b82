// Reads a PLY file, ASCII or binary of either byte order:
//
//   ply
//   format ascii 1.0                        or binary_little_endian, binary_big_endian
//   comment, obj_info                       ignored
//   element vertex 8
//   property float x                        x, y and z are used, other properties are skipped
//   element face 6
//   property list uchar int vertex_indices  or vertex_index; polygons are triangulated as fans
//   end_header
//   the elements, in this order
#include "mesh.h"
#include "tokenizer.h"

#include <math.h>
#include <string.h>

enum { MAX_ELEMENTS = 32, MAX_PROPERTIES = 64 }; // in total; typical files have a dozen

enum ply_format { PLY_ASCII, PLY_LITTLE_ENDIAN, PLY_BIG_ENDIAN };
enum property_use { USE_NONE, USE_X, USE_Y, USE_Z, USE_VERTEX_INDICES };

struct ply_type {
    const char *names[2];
    int size;      // [bytes]
    char category; // s signed, u unsigned, f float
};
static const struct ply_type types[] = {
    {{"char", "int8"}, 1, 's'},     {{"uchar", "uint8"}, 1, 'u'},    {{"short", "int16"}, 2, 's'},
    {{"ushort", "uint16"}, 2, 'u'}, {{"int", "int32"}, 4, 's'},      {{"uint", "uint32"}, 4, 'u'},
    {{"float", "float32"}, 4, 'f'}, {{"double", "float64"}, 8, 'f'},
};

struct property {
    const struct ply_type *count_type; // type of a list's length; NULL: a single value
    const struct ply_type *type;
    enum property_use use;
};

struct element {
    uint64_t count;
    int first, end; // range of its properties
    int is_vertex, is_face;
};

struct ply_reader {
    const char *data;
    size_t size;
    struct tokenizer tokens; // its cursor is the read position in binary files too
    enum ply_format format;
    struct element elements[MAX_ELEMENTS];
    struct property properties[MAX_PROPERTIES];
    int element_count, property_count;
    uint64_t vertex_total; // according to the header
    struct mesh *out;
    struct load_error *error;
};

// ---- header -----------------------------------------------------------------------------------------

static int token_is(const struct tokenizer *tokens, const char *text)
{
    return tokens->length == strlen(text) && memcmp(tokens->token, text, tokens->length) == 0;
}

// The next token of the current line. @return 0 at the end of the line
static int next_token_on_line(struct tokenizer *tokens)
{
    while (tokens->cursor < tokens->end && is_space(*tokens->cursor) && *tokens->cursor != '\n')
        tokens->cursor++;
    if (tokens->cursor == tokens->end || *tokens->cursor == '\n') {
        tokens->token = tokens->cursor;
        tokens->length = 0;
        tokens->line = tokens->cursor_line;
        return 0;
    }
    return next_token(tokens);
}

static int reject_header(struct ply_reader *r, const char *expected)
{
    const struct tokenizer *tokens = &r->tokens;
    if (tokens->length == 0) return REJECT(r->error, "line %d: %s is missing", tokens->line, expected);
    return REJECT(r->error, "line %d: '%.*s' is not %s", tokens->line, token_shown_length(tokens),
                  tokens->token, expected);
}

static const struct ply_type *parse_type(struct ply_reader *r)
{
    next_token_on_line(&r->tokens);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i)
        if (token_is(&r->tokens, types[i].names[0]) || token_is(&r->tokens, types[i].names[1]))
            return &types[i];
    reject_header(r, "a type of PLY");
    return NULL;
}

static int parse_format(struct ply_reader *r)
{
    next_token_on_line(&r->tokens);
    if (token_is(&r->tokens, "ascii"))
        r->format = PLY_ASCII;
    else if (token_is(&r->tokens, "binary_little_endian"))
        r->format = PLY_LITTLE_ENDIAN;
    else if (token_is(&r->tokens, "binary_big_endian"))
        r->format = PLY_BIG_ENDIAN;
    else
        return reject_header(r, "a format of PLY");
    next_token_on_line(&r->tokens);
    return token_is(&r->tokens, "1.0") ? 1 : reject_header(r, "1.0");
}

static int parse_element(struct ply_reader *r)
{
    double count;

    if (r->element_count == MAX_ELEMENTS)
        return REJECT(r->error, "line %d: more than %d elements", r->tokens.line, MAX_ELEMENTS);
    struct element *element = &r->elements[r->element_count++];
    if (!next_token_on_line(&r->tokens)) return reject_header(r, "the name of the element");
    *element = (struct element){.first = r->property_count, .end = r->property_count};
    element->is_vertex = token_is(&r->tokens, "vertex");
    element->is_face = token_is(&r->tokens, "face");
    for (const struct element *other = r->elements; other < element; ++other)
        if ((element->is_vertex && other->is_vertex) || (element->is_face && other->is_face))
            return REJECT(r->error, "line %d: duplicate element", r->tokens.line);
    next_token_on_line(&r->tokens);
    if (!parse_number(r->tokens.token, r->tokens.length, &count) || !(0.0 <= count && count <= 1e15) ||
        count != floor(count))
        return reject_header(r, "a number of elements");
    element->count = (uint64_t)count;
    if (element->is_vertex) r->vertex_total = element->count;
    if (element->is_vertex && element->count > MESH_MAX_VERTICES)
        return REJECT(r->error, "line %d: a mesh has at most %d vertices, not %.0f", r->tokens.line,
                      MESH_MAX_VERTICES, count);
    if (element->is_face && element->count > MESH_MAX_TRIANGLES)
        return REJECT(r->error, "line %d: a mesh has at most %d triangles, not %.0f", r->tokens.line,
                      MESH_MAX_TRIANGLES, count);
    return 1;
}

static enum property_use property_use(const struct tokenizer *token, const struct element *element,
                                      int is_list)
{
    if (element->is_vertex && !is_list && token->length == 1 && *token->token >= 'x' && *token->token <= 'z')
        return (enum property_use)(USE_X + (*token->token - 'x'));
    if (element->is_face && is_list && (token_is(token, "vertex_indices") || token_is(token, "vertex_index")))
        return USE_VERTEX_INDICES;
    return USE_NONE;
}

static int parse_property(struct ply_reader *r)
{
    struct property property = {0};

    if (r->element_count == 0)
        return REJECT(r->error, "line %d: property without an element", r->tokens.line);
    if (r->property_count == MAX_PROPERTIES)
        return REJECT(r->error, "line %d: more than %d properties", r->tokens.line, MAX_PROPERTIES);
    struct element *element = &r->elements[r->element_count - 1];
    const struct tokenizer saved = r->tokens;
    if (next_token_on_line(&r->tokens) && token_is(&r->tokens, "list")) {
        if (!(property.count_type = parse_type(r))) return 0;
        if (property.count_type->category == 'f') return reject_header(r, "a type for the length of a list");
    } else {
        r->tokens = saved;
    }
    if (!(property.type = parse_type(r))) return 0;
    if (!next_token_on_line(&r->tokens)) return reject_header(r, "the name of the property");
    property.use = property_use(&r->tokens, element, property.count_type != NULL);
    for (int i = element->first; property.use != USE_NONE && i < element->end; ++i)
        if (r->properties[i].use == property.use)
            return REJECT(r->error, "line %d: duplicate property", r->tokens.line);
    r->properties[r->property_count++] = property;
    element->end = r->property_count;
    return 1;
}

// Check that the header has all that is needed. Faces may precede vertices, because the header has their
// count.
static int check_header(struct ply_reader *r)
{
    int vertex = -1, face = -1, used[USE_VERTEX_INDICES + 1] = {0};

    for (int i = 0; i < r->element_count; ++i) {
        if (r->elements[i].is_vertex) vertex = i;
        if (r->elements[i].is_face) face = i;
    }
    for (int i = 0; i < r->property_count; ++i) used[r->properties[i].use] = 1;
    if (vertex < 0 || !used[USE_X] || !used[USE_Y] || !used[USE_Z])
        return REJECT(r->error, "the header has no element 'vertex' with properties x, y and z");
    if (face < 0 || !used[USE_VERTEX_INDICES])
        return REJECT(r->error, "the header has no element 'face' with a list 'vertex_indices'");
    return 1;
}

static int read_header(struct ply_reader *r)
{
    struct tokenizer *tokens = &r->tokens;
    int formats = 0, ok = 1;

    if (!next_token(tokens) || !token_is(tokens, "ply")) return REJECT(r->error, "line 1: not a PLY file");
    while (ok) {
        while (tokens->cursor < tokens->end && *tokens->cursor != '\n')
            tokens->cursor++; // skip the rest of the line
        if (!next_token(tokens))
            return REJECT(r->error, "line %d: the file ends within the header", tokens->line);
        if (token_is(tokens, "end_header")) break;
        if (token_is(tokens, "format"))
            ok =
                formats++ == 0 ? parse_format(r) : REJECT(r->error, "line %d: a second format", tokens->line);
        else if (token_is(tokens, "element"))
            ok = parse_element(r);
        else if (token_is(tokens, "property"))
            ok = parse_property(r);
        else if (!token_is(tokens, "comment") && !token_is(tokens, "obj_info"))
            ok = reject_header(r, "a word of the head");
    }
    if (!ok) return 0;
    if (!formats) return REJECT(r->error, "the header has no format");
    if (tokens->cursor < tokens->end && *tokens->cursor == '\r') tokens->cursor++;
    if (tokens->cursor == tokens->end || *tokens->cursor != '\n')
        return REJECT(r->error, "line %d: the header ends early", tokens->line);
    tokens->cursor++;
    tokens->cursor_line++;
    return check_header(r);
}

// ---- elements ---------------------------------------------------------------------------------------

// The minimum size of one element; an ASCII value takes at least a digit and a space.
static uint64_t min_element_bytes(const struct ply_reader *r, const struct element *element)
{
    uint64_t bytes = 0;
    for (int i = element->first; i < element->end; ++i) {
        const struct property *property = &r->properties[i];
        bytes += r->format == PLY_ASCII
                     ? 2u
                     : (uint64_t)(property->count_type ? property->count_type->size : property->type->size);
    }
    return bytes;
}

static size_t byte_offset(const struct ply_reader *r) { return (size_t)(r->tokens.cursor - r->data); }

static int read_value(struct ply_reader *r, const struct ply_type *type, double *out)
{
    const unsigned char *bytes = (const unsigned char *)r->tokens.cursor;
    const int big_endian = r->format == PLY_BIG_ENDIAN;

    if (r->format == PLY_ASCII) {
        if (next_token(&r->tokens) && parse_number(r->tokens.token, r->tokens.length, out)) return 1;
        fail_not_a_number(&r->tokens, r->error);
        return 0;
    }
    if ((size_t)type->size > r->size - byte_offset(r))
        return REJECT(r->error, "byte %zu: the file ends early", byte_offset(r));
    if (type->category == 'f') {
        *out = read_float(bytes, type->size, big_endian);
    } else {
        const uint64_t integer = read_uint(bytes, type->size, big_endian), sign_bit = UINT64_C(1)
                                                                                      << (8 * type->size - 1);
        *out = type->category == 's' && integer >= sign_bit ? (double)integer - 2.0 * (double)sign_bit
                                                            : (double)integer;
    }
    r->tokens.cursor += type->size;
    return 1;
}

// Reject the value of `size` bytes that was read last, naming its position. @return 0
static int reject_value(struct ply_reader *r, int size, const char *problem)
{
    if (r->format == PLY_ASCII)
        return REJECT(r->error, "line %d: '%.*s' %s", r->tokens.line, token_shown_length(&r->tokens),
                      r->tokens.token, problem);
    return REJECT(r->error, "byte %zu: the value %s", byte_offset(r) - (size_t)size, problem);
}

static int read_list(struct ply_reader *r, const struct property *property)
{
    double count, value;
    struct polygon_fan fan = {0};

    if (!read_value(r, property->count_type, &count)) return 0;
    if (!(count >= 0.0 && count == floor(count)))
        return reject_value(r, property->count_type->size, "is not a valid length of a list");
    const double max_count = r->format == PLY_ASCII
                                 ? 0.5 * (double)(r->size - byte_offset(r))
                                 : (double)(r->size - byte_offset(r)) / property->type->size;
    if (count > max_count)
        return reject_value(r, property->count_type->size, "is a length that the file cannot hold");
    if (property->use == USE_VERTEX_INDICES && count < 3.0)
        return reject_value(r, property->count_type->size, "corners are no face; it takes three");
    for (double i = 0.0; i < count; i += 1.0) {
        if (!read_value(r, property->type, &value)) return 0;
        if (property->use != USE_VERTEX_INDICES) continue;
        if (!(0.0 <= value && value < (double)r->vertex_total && value == floor(value)))
            return reject_value(r, property->type->size, "is not a vertex number");
        if (!mesh_add_polygon_vertex(r->out, &fan, (int)value, r->error)) return 0;
    }
    return 1;
}

static int read_element_data(struct ply_reader *r, const struct element *element)
{
    double position[3] = {0}, value = 0.0;

    for (int i = element->first; i < element->end; ++i) {
        const struct property *property = &r->properties[i];
        if (property->count_type ? !read_list(r, property) : !read_value(r, property->type, &value)) return 0;
        if (property->use < USE_X || property->use > USE_Z) continue;
        if (!isfinite(value)) return reject_value(r, property->type->size, "is not a finite number");
        position[property->use - USE_X] = value;
    }
    return element->is_vertex ? mesh_add_vertex(r->out, position, r->error) : 1;
}

static int read_elements(struct ply_reader *r)
{
    for (const struct element *element = r->elements; element < r->elements + r->element_count; ++element) {
        const uint64_t min_bytes = min_element_bytes(r, element),
                       remaining = r->size - byte_offset(r) + (r->format == PLY_ASCII);
        if (min_bytes == 0) continue; // the element takes no space in the file
        if (element->count > remaining / min_bytes) {
            const char *unit = r->format == PLY_ASCII ? "line" : "byte";
            const size_t location = r->format == PLY_ASCII ? (size_t)r->tokens.cursor_line : byte_offset(r);
            return REJECT(r->error, "%s %zu: the file is too short for %llu elements", unit, location,
                          (unsigned long long)element->count);
        }
        for (uint64_t i = 0; i < element->count; ++i)
            if (!read_element_data(r, element)) return 0;
    }
    const size_t end = byte_offset(r);
    if (!next_token(&r->tokens)) return 1;
    if (r->format == PLY_ASCII)
        return REJECT(r->error, "line %d: data after the last element", r->tokens.line);
    return REJECT(r->error, "byte %zu: data after the last element", end);
}

static tarn_result read_ply(const char *data, size_t size, const struct mesh_dir *dir, struct mesh *out,
                            struct load_error *error)
{
    (void)dir; // PLY files refer to no other geometry
    struct ply_reader r = {.data = data, .size = size, .out = out, .error = error};

    r.tokens = (struct tokenizer){.cursor = data, .end = data + size, .cursor_line = 1};
    *out = (struct mesh){0};
    *error = (struct load_error){0};
    if (read_header(&r) && read_elements(&r) && out->triangle_count == 0)
        load_fail(error, TARN_BAD_INPUT, "the file has no faces");
    if (error->result != TARN_OK) mesh_free(out);
    return error->result;
}

static int has_ply_signature(const char *data, size_t size) { return has_prefix(data, size, "ply"); }

const struct mesh_format mesh_format_ply = {
    .name = "PLY", .extensions = {".ply"}, .has_signature = has_ply_signature, .read = read_ply};
