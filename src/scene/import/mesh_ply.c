// PLY -> triangles, text or binary of either byte order:
//
//   ply
//   format ascii 1.0                        or binary_little_endian, binary_big_endian
//   comment, obj_info                       anything
//   element vertex 8
//   property float x                        x, y and z are read, other properties passed over
//   element face 6
//   property list uchar int vertex_indices  or vertex_index; polygons are fanned
//   end_header
//   the elements, in this order
#include "mesh.h"
#include "tokenizer.h"

#include <math.h>
#include <string.h>

enum { ELEMENTS = 32, PROPERTIES = 64 }; // in all; real files have a dozen

enum form { TEXT, LITTLE, BIG };
enum use { PASS_OVER, X, Y, Z, CORNERS };

struct type {
    const char *names[2];
    int size;  // [bytes]
    char sort; // s signed, u unsigned, f float
};
static const struct type types[] = {
    {{"char", "int8"}, 1, 's'},     {{"uchar", "uint8"}, 1, 'u'},    {{"short", "int16"}, 2, 's'},
    {{"ushort", "uint16"}, 2, 'u'}, {{"int", "int32"}, 4, 's'},      {{"uint", "uint32"}, 4, 'u'},
    {{"float", "float32"}, 4, 'f'}, {{"double", "float64"}, 8, 'f'},
};

struct property {
    const struct type *count; // of a list; NULL: one value
    const struct type *type;
    enum use use;
};

struct element {
    uint64_t count;
    int first, end; // its properties
    int is_vertex, is_face;
};

struct reader {
    const char *data;
    size_t size;
    struct words w; // its `at` is the place in a binary file too
    enum form form;
    struct element elements[ELEMENTS];
    struct property properties[PROPERTIES];
    int element_count, property_count;
    uint64_t vertices; // that the head promises
    struct mesh *out;
    struct fault *fault;
};

// ---- the head ---------------------------------------------------------------------------------------

static int is_word(const struct words *w, const char *word)
{
    return w->length == strlen(word) && memcmp(w->word, word, w->length) == 0;
}

// The next word of this line. @return 0 at its end
static int word_here(struct words *w)
{
    while (w->at < w->end && is_space(*w->at) && *w->at != '\n') w->at++;
    if (w->at == w->end || *w->at == '\n') {
        w->word = w->at;
        w->length = 0;
        w->line = w->next;
        return 0;
    }
    return words_next(w);
}

static int refuse_head(struct reader *r, const char *wanted)
{
    const struct words *w = &r->w;
    if (w->length == 0) return REFUSE(r->fault, "line %d: %s is missing", w->line, wanted);
    return REFUSE(r->fault, "line %d: '%.*s' is not %s", w->line, words_shown(w), w->word, wanted);
}

static const struct type *type_here(struct reader *r)
{
    word_here(&r->w);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i)
        if (is_word(&r->w, types[i].names[0]) || is_word(&r->w, types[i].names[1])) return &types[i];
    refuse_head(r, "a type of PLY");
    return NULL;
}

static int read_format(struct reader *r)
{
    word_here(&r->w);
    if (is_word(&r->w, "ascii"))
        r->form = TEXT;
    else if (is_word(&r->w, "binary_little_endian"))
        r->form = LITTLE;
    else if (is_word(&r->w, "binary_big_endian"))
        r->form = BIG;
    else
        return refuse_head(r, "a format of PLY");
    word_here(&r->w);
    return is_word(&r->w, "1.0") ? 1 : refuse_head(r, "1.0");
}

static int read_element(struct reader *r)
{
    double count;

    if (r->element_count == ELEMENTS)
        return REFUSE(r->fault, "line %d: more than %d elements", r->w.line, ELEMENTS);
    struct element *e = &r->elements[r->element_count++];
    if (!word_here(&r->w)) return refuse_head(r, "the name of the element");
    *e = (struct element){.first = r->property_count, .end = r->property_count};
    e->is_vertex = is_word(&r->w, "vertex");
    e->is_face = is_word(&r->w, "face");
    for (const struct element *other = r->elements; other < e; ++other)
        if ((e->is_vertex && other->is_vertex) || (e->is_face && other->is_face))
            return REFUSE(r->fault, "line %d: this element stands twice", r->w.line);
    word_here(&r->w);
    if (!number_read(r->w.word, r->w.length, &count) || !(0.0 <= count && count <= 1e15) ||
        count != floor(count))
        return refuse_head(r, "a number of elements");
    e->count = (uint64_t)count;
    if (e->is_vertex) r->vertices = e->count;
    if (e->is_vertex && e->count > MESH_VERTICES)
        return REFUSE(r->fault, "line %d: a mesh has at most %d vertices, not %.0f", r->w.line, MESH_VERTICES,
                      count);
    if (e->is_face && e->count > MESH_TRIANGLES)
        return REFUSE(r->fault, "line %d: a mesh has at most %d triangles, not %.0f", r->w.line,
                      MESH_TRIANGLES, count);
    return 1;
}

static enum use use_of(const struct words *w, const struct element *e, int is_list)
{
    if (e->is_vertex && !is_list && w->length == 1 && *w->word >= 'x' && *w->word <= 'z')
        return (enum use)(X + (*w->word - 'x'));
    if (e->is_face && is_list && (is_word(w, "vertex_indices") || is_word(w, "vertex_index"))) return CORNERS;
    return PASS_OVER;
}

static int read_property(struct reader *r)
{
    struct property p = {0};

    if (r->element_count == 0) return REFUSE(r->fault, "line %d: a property of no element", r->w.line);
    if (r->property_count == PROPERTIES)
        return REFUSE(r->fault, "line %d: more than %d properties", r->w.line, PROPERTIES);
    struct element *e = &r->elements[r->element_count - 1];
    const struct words before = r->w;
    if (word_here(&r->w) && is_word(&r->w, "list")) {
        if (!(p.count = type_here(r))) return 0;
        if (p.count->sort == 'f') return refuse_head(r, "a type for the length of a list");
    } else {
        r->w = before;
    }
    if (!(p.type = type_here(r))) return 0;
    if (!word_here(&r->w)) return refuse_head(r, "the name of the property");
    p.use = use_of(&r->w, e, p.count != NULL);
    for (int i = e->first; p.use != PASS_OVER && i < e->end; ++i)
        if (r->properties[i].use == p.use)
            return REFUSE(r->fault, "line %d: this property stands twice", r->w.line);
    r->properties[r->property_count++] = p;
    e->end = r->property_count;
    return 1;
}

// Is what is needed there? The order does not matter: the head says how many vertices there will be.
static int check_head(struct reader *r)
{
    int vertex = -1, face = -1, uses[CORNERS + 1] = {0};

    for (int i = 0; i < r->element_count; ++i) {
        if (r->elements[i].is_vertex) vertex = i;
        if (r->elements[i].is_face) face = i;
    }
    for (int i = 0; i < r->property_count; ++i) uses[r->properties[i].use] = 1;
    if (vertex < 0 || !uses[X] || !uses[Y] || !uses[Z])
        return REFUSE(r->fault, "the head has no element 'vertex' with properties x, y and z");
    if (face < 0 || !uses[CORNERS])
        return REFUSE(r->fault, "the head has no element 'face' with a list 'vertex_indices'");
    return 1;
}

static int read_head(struct reader *r)
{
    struct words *w = &r->w;
    int formats = 0, fine = 1;

    if (!words_next(w) || !is_word(w, "ply")) return REFUSE(r->fault, "line 1: this is no PLY file");
    while (fine) {
        while (w->at < w->end && *w->at != '\n') w->at++; // what is left of the line
        if (!words_next(w)) return REFUSE(r->fault, "line %d: the file ends within the head", w->line);
        if (is_word(w, "end_header")) break;
        if (is_word(w, "format"))
            fine = formats++ == 0 ? read_format(r) : REFUSE(r->fault, "line %d: a second format", w->line);
        else if (is_word(w, "element"))
            fine = read_element(r);
        else if (is_word(w, "property"))
            fine = read_property(r);
        else if (!is_word(w, "comment") && !is_word(w, "obj_info"))
            fine = refuse_head(r, "a word of the head");
    }
    if (!fine) return 0;
    if (!formats) return REFUSE(r->fault, "the head has no format");
    if (w->at < w->end && *w->at == '\r') w->at++;
    if (w->at == w->end || *w->at != '\n') return REFUSE(r->fault, "line %d: the head ends early", w->line);
    w->at++;
    w->next++;
    return check_head(r);
}

// ---- the elements -----------------------------------------------------------------------------------

// The least that one of them takes; a value in a text is a digit and a space.
static uint64_t least_bytes(const struct reader *r, const struct element *e)
{
    uint64_t bytes = 0;
    for (int i = e->first; i < e->end; ++i) {
        const struct property *p = &r->properties[i];
        bytes += r->form == TEXT ? 2u : (uint64_t)(p->count ? p->count->size : p->type->size);
    }
    return bytes;
}

static size_t place(const struct reader *r) { return (size_t)(r->w.at - r->data); }

static int read_value(struct reader *r, const struct type *type, double *out)
{
    const unsigned char *at = (const unsigned char *)r->w.at;
    const int big = r->form == BIG;

    if (r->form == TEXT) {
        if (words_next(&r->w) && number_read(r->w.word, r->w.length, out)) return 1;
        words_no_number(&r->w, r->fault);
        return 0;
    }
    if ((size_t)type->size > r->size - place(r))
        return REFUSE(r->fault, "byte %zu: the file ends early", place(r));
    if (type->sort == 'f') {
        *out = bytes_float(at, type->size, big);
    } else {
        const uint64_t whole = bytes_whole(at, type->size, big), top = UINT64_C(1) << (8 * type->size - 1);
        *out = type->sort == 's' && whole >= top ? (double)whole - 2.0 * (double)top : (double)whole;
    }
    r->w.at += type->size;
    return 1;
}

// Like REFUSE, with the place of the value of `size` bytes that was read last.
static int refuse_value(struct reader *r, int size, const char *words)
{
    if (r->form == TEXT)
        return REFUSE(r->fault, "line %d: '%.*s' %s", r->w.line, words_shown(&r->w), r->w.word, words);
    return REFUSE(r->fault, "byte %zu: the value %s", place(r) - (size_t)size, words);
}

static int read_list(struct reader *r, const struct property *p)
{
    double count, value;
    struct fan fan = {0};

    if (!read_value(r, p->count, &count)) return 0;
    if (!(count >= 0.0 && count == floor(count)))
        return refuse_value(r, p->count->size, "is no length of a list");
    const double room =
        r->form == TEXT ? 0.5 * (double)(r->size - place(r)) : (double)(r->size - place(r)) / p->type->size;
    if (count > room) return refuse_value(r, p->count->size, "is a length that the file cannot hold");
    if (p->use == CORNERS && count < 3.0)
        return refuse_value(r, p->count->size, "corners are no face; it takes three");
    for (double i = 0.0; i < count; i += 1.0) {
        if (!read_value(r, p->type, &value)) return 0;
        if (p->use != CORNERS) continue;
        if (!(0.0 <= value && value < (double)r->vertices && value == floor(value)))
            return refuse_value(r, p->type->size, "is no number of a vertex");
        if (!mesh_add_corner(r->out, &fan, (int)value, r->fault)) return 0;
    }
    return 1;
}

static int read_one(struct reader *r, const struct element *e)
{
    double at[3] = {0}, value = 0.0;

    for (int i = e->first; i < e->end; ++i) {
        const struct property *p = &r->properties[i];
        if (p->count ? !read_list(r, p) : !read_value(r, p->type, &value)) return 0;
        if (p->use < X || p->use > Z) continue;
        if (!isfinite(value)) return refuse_value(r, p->type->size, "is not a finite number");
        at[p->use - X] = value;
    }
    return e->is_vertex ? mesh_add_vertex(r->out, at, r->fault) : 1;
}

static int read_elements(struct reader *r)
{
    for (const struct element *e = r->elements; e < r->elements + r->element_count; ++e) {
        const uint64_t least = least_bytes(r, e), left = r->size - place(r) + (r->form == TEXT);
        if (least == 0) continue; // nothing of it is in the file
        if (e->count > left / least) {
            const char *unit = r->form == TEXT ? "line" : "byte";
            const size_t where = r->form == TEXT ? (size_t)r->w.next : place(r);
            return REFUSE(r->fault, "%s %zu: the file is too short for %llu elements", unit, where,
                          (unsigned long long)e->count);
        }
        for (uint64_t i = 0; i < e->count; ++i)
            if (!read_one(r, e)) return 0;
    }
    const size_t end = place(r);
    if (!words_next(&r->w)) return 1;
    if (r->form == TEXT) return REFUSE(r->fault, "line %d: there is more than the head says", r->w.line);
    return REFUSE(r->fault, "byte %zu: there is more than the head says", end);
}

tarn_result mesh_ply_read(const char *data, size_t size, struct mesh *out, struct fault *fault)
{
    struct reader r = {.data = data, .size = size, .out = out, .fault = fault};

    r.w = (struct words){.at = data, .end = data + size, .next = 1};
    *out = (struct mesh){0};
    *fault = (struct fault){0};
    if (read_head(&r) && read_elements(&r) && out->triangle_count == 0)
        fault_say(fault, TARN_BAD_INPUT, "the file has no faces");
    if (fault->result != TARN_OK) mesh_free(out);
    return fault->result;
}
