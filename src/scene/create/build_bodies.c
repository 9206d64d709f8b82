// Creates the bodies of a scene in its world. A mesh file is read once, even if many bodies name it, and
// equal shapes are one shape.
#include "scene/import/mesh.h"
#include "scene/scene_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- mesh file cache --------------------------------------------------------------------------------

// A mesh file that was read, or the error if it could not be read.
struct cached_mesh {
    char file[TARN_FILE_BYTES];
    struct mesh mesh;
    struct load_error error;
};

struct mesh_file_cache {
    struct cached_mesh *list;
    size_t count;
};

static void mesh_file_cache_free(struct mesh_file_cache *cache)
{
    for (size_t i = 0; i < cache->count; ++i) mesh_free(&cache->list[i].mesh);
    free(cache->list);
    *cache = (struct mesh_file_cache){0};
}

// @return NULL if memory is exhausted
static const struct cached_mesh *mesh_file_cache_get(struct mesh_file_cache *cache,
                                                     const struct source_text *source, const char *file)
{
    for (size_t i = 0; i < cache->count; ++i)
        if (strcmp(cache->list[i].file, file) == 0) return &cache->list[i];
    struct cached_mesh *grown = realloc(cache->list, (cache->count + 1) * sizeof *grown);
    if (!grown) return NULL;
    cache->list = grown;
    struct cached_mesh *entry = &grown[cache->count++];
    *entry = (struct cached_mesh){0};
    snprintf(entry->file, sizeof entry->file, "%s", file);
    mesh_read(source, file, &entry->mesh, &entry->error);
    return entry;
}

// Get the triangles of a shape that names a file; the cache owns them. @return 0 with a diagnostic, or if
// memory is exhausted
static int load_shape_mesh(struct parser *p, struct mesh_file_cache *cache, const tarn_spec *shape,
                           tarn_mesh *out)
{
    const tarn_param *param = tarn_param_find(shape->kind, "file");
    tarn_value file;

    *out = (tarn_mesh){0};
    if (!param || param->type != TARN_PARAM_FILE || tarn_spec_get(shape, "file", &file) != TARN_OK) return 1;
    if (!file.text[0]) {
        diag_at_path(p, DIAG_VALUE, "\"file\" is missing");
        return 0;
    }
    const struct cached_mesh *entry = mesh_file_cache_get(cache, p->source, file.text);
    if (!entry) {
        parser_set_result(p, TARN_NO_MEMORY);
        return 0;
    }
    const struct mesh *m = &entry->mesh;
    if (entry->error.result != TARN_OK) {
        tarn_error err = {.key = "file"};
        snprintf(err.message, sizeof err.message, "%s", entry->error.message);
        diag_from_error(p, entry->error.result, &err);
        return 0;
    }
    *out = (tarn_mesh){m->vertex_count, m->triangle_count, m->vertices, m->triangles};
    return 1;
}

// ---- shapes -----------------------------------------------------------------------------------------

struct shape_cache {
    struct cached_shape {
        uint64_t content;
        tarn_shape *shape;
    } * list;
    size_t count;
};

static void shape_cache_free(struct shape_cache *cache)
{
    for (size_t i = 0; i < cache->count; ++i) tarn_shape_release(cache->list[i].shape);
    free(cache->list);
    *cache = (struct shape_cache){0};
}

// Keys of errors as scenes call them: the user named a file, not a mesh.
static void rename_error_key(tarn_error *err)
{
    if (strcmp(err->key, "mesh") == 0) memcpy(err->key, "file", sizeof "file");
    if (strcmp(err->key, "children") == 0) memcpy(err->key, "parts", sizeof "parts");
}

// The shape of a definition; the cache owns it. @return NULL with a diagnostic, or if memory is exhausted
static const tarn_shape *shape_cache_get(struct parser *p, struct shape_cache *cache,
                                         const tarn_shape_def *def)
{
    const uint64_t content = tarn_shape_def_hash(def);
    tarn_error err = {0};

    for (size_t i = 0; i < cache->count; ++i)
        if (cache->list[i].content == content) return cache->list[i].shape;
    if ((cache->count & (cache->count - 1)) == 0) { // the capacity is a power of two
        struct cached_shape *grown =
            realloc(cache->list, (cache->count ? 2 * cache->count : 1) * sizeof *grown);
        if (!grown) {
            parser_set_result(p, TARN_NO_MEMORY);
            return NULL;
        }
        cache->list = grown;
    }
    struct cached_shape *entry = &cache->list[cache->count];
    const tarn_result r = tarn_shape_create(def, NULL, &entry->shape, &err);
    if (r != TARN_OK) {
        rename_error_key(&err);
        diag_from_error(p, r, &err);
        return NULL;
    }
    entry->content = content;
    ++cache->count;
    return entry->shape;
}

struct body_builder {
    tarn_world *world;
    json_t *names;
    uint64_t seed;
    struct mesh_file_cache meshes;
    struct shape_cache shapes;
};

// The shape of an entry that is no compound. @return NULL with a diagnostic, or if memory is exhausted
static const tarn_shape *build_shape(struct parser *p, struct body_builder *builder,
                                     const struct packed_params *params)
{
    tarn_spec spec;
    tarn_shape_def def;

    spec_unpack(params, &spec);
    if (tarn_shape_def_from_spec(&spec, &def) != TARN_OK) return NULL;
    if (def.type == TARN_SHAPE_MESH && !load_shape_mesh(p, &builder->meshes, &spec, &def.mesh.mesh))
        return NULL;
    return shape_cache_get(p, &builder->shapes, &def);
}

// Either all parts have a density or none: if some have one, the others get that of the body.
static void complete_densities(tarn_compound_child *children, int count, double body_density)
{
    int given = 0;
    for (int i = 0; i < count; ++i) given += children[i].density > 0.0;
    for (int i = 0; i < count && given; ++i)
        if (!(children[i].density > 0.0)) children[i].density = body_density;
}

// @return NULL with a diagnostic, or if memory is exhausted
static const tarn_shape *build_compound(struct parser *p, struct body_builder *builder,
                                        const struct part_list *entries, double body_density)
{
    const int depth = p->path.count;
    tarn_compound_child *children = calloc((size_t)entries->count, sizeof *children);
    const tarn_shape *shape = NULL;
    int ok = 1;

    if (!children) {
        parser_set_result(p, TARN_NO_MEMORY);
        return NULL;
    }
    for (int i = 0; i < entries->count; ++i) {
        params_unpack(&entries->list[i].common, &children[i]);
        if (!parser_push(p, "parts", 0) || !parser_push(p, NULL, (size_t)i)) {
            ok = 0;
            break;
        }
        children[i].shape = build_shape(p, builder, &entries->list[i].shape);
        ok &= children[i].shape != NULL;
        p->path.count = depth;
    }
    p->path.count = depth;
    complete_densities(children, entries->count, body_density);
    const tarn_shape_def def = {.type = TARN_SHAPE_COMPOUND, .compound = {children, entries->count}};
    if (ok) shape = shape_cache_get(p, &builder->shapes, &def);
    free(children);
    return shape;
}

// ---- copies of a body -------------------------------------------------------------------------------

// Each body entry has its own random stream. Streams of emitters have small numbers; streams of bodies start
// here. A copy uses at most DRAWS_PER_COPY numbers of its stream.
#define BODY_RNG_STREAM UINT64_C(0x100000000)
#define DRAWS_PER_COPY  1024

struct rng {
    uint64_t seed, stream, draw;
};

// Uniform in [-1, 1).
static double rng_signed(struct rng *rng)
{
    return 2.0 * tarn_random(rng->seed, rng->stream, rng->draw++) - 1.0;
}

// A uniformly distributed rotation by rejection sampling: a point that is uniform in the unit 4-ball is a
// unit quaternion once it is normalised. A sample is accepted with probability pi^2/32, so all of them fail
// for one copy in 10^40.
static tarn_quat random_rotation(struct rng *rng)
{
    for (int i = 0; i < DRAWS_PER_COPY / 4 - 1; ++i) {
        const double w = rng_signed(rng), x = rng_signed(rng), y = rng_signed(rng), z = rng_signed(rng);
        const double square = w * w + x * x + y * y + z * z;
        if (1e-6 < square && square <= 1.0) return (tarn_quat){w, x, y, z};
    }
    return (tarn_quat){1, 0, 0, 0};
}

// A uniformly distributed rotation about z, for planar scenes.
static tarn_quat random_rotation_z(struct rng *rng)
{
    for (int i = 0; i < DRAWS_PER_COPY / 4 - 1; ++i) {
        const double w = rng_signed(rng), z = rng_signed(rng), square = w * w + z * z;
        if (1e-6 < square && square <= 1.0) return (tarn_quat){w, 0, 0, z};
    }
    return (tarn_quat){1, 0, 0, 0};
}

// Append the number of a copy to its name; a name that is too long is cut between UTF-8 characters.
static void name_copy(char out[TARN_NAME_BYTES], const char *name, int64_t number)
{
    int length = (int)strlen(name);

    if (length == 0) return;
    if (length > TARN_NAME_BYTES - 8) length = TARN_NAME_BYTES - 8;
    while (length > 0 && ((unsigned char)name[length] & 0xc0) == 0x80) --length;
    snprintf(out, TARN_NAME_BYTES, "%.*s %d", length, name, (int)number);
}

// The definition of copy n. Copies are numbered along x first, then z, then y.
static void place_copy(const tarn_body_def *body, const struct body_array *array, int64_t n, struct rng rng,
                       int planar, tarn_body_def *out)
{
    const int64_t nx = array->count[0], ny = array->count[1], nz = array->count[2];
    const int64_t cell[3] = {n % nx, n / (nx * nz), n / nx % nz};
    double *position[3] = {&out->position.x, &out->position.y, &out->position.z};

    *out = *body;
    rng.draw = (uint64_t)n * DRAWS_PER_COPY;
    for (int i = 0; i < 3; ++i) {
        *position[i] += (double)cell[i] * array->spacing[i];
        if (array->jitter > 0.0) *position[i] += 0.5 * array->jitter * array->spacing[i] * rng_signed(&rng);
    }
    if (array->jitter > 0.0) out->rotation = planar ? random_rotation_z(&rng) : random_rotation(&rng);
    if (planar) out->position.z = 0.0;
    if (nx * ny * nz > 1) name_copy(out->name, body->name, n + 1);
}

// ---- bodies -----------------------------------------------------------------------------------------

// Create all copies of a body; stop at the first error, because the others would fail in the same way.
static void create_copies(struct parser *p, const struct body_builder *builder, const tarn_body_def *body,
                          const struct body_array *array, int index)
{
    const int64_t count = (int64_t)array->count[0] * array->count[1] * array->count[2];
    const struct rng rng = {builder->seed, BODY_RNG_STREAM + (uint64_t)index, 0};
    tarn_result r = TARN_OK;

    for (int64_t n = 0; n < count && r == TARN_OK; ++n) {
        tarn_body_def copy;
        tarn_body_id id;
        tarn_error err = {0};
        place_copy(body, array, n, rng, p->planar, &copy);
        r = tarn_body_create(builder->world, &copy, &id, &err);
        if (r == TARN_OK && !body_names_add(builder->names, copy.name, id))
            parser_set_result(p, TARN_NO_MEMORY);
        if (r == TARN_OK) continue;
        tarn_error shown = err;
        if (count > 1)
            snprintf(shown.message, sizeof shown.message, "copy %d: %.230s", (int)n + 1, err.message);
        diag_from_error(p, r, &shown);
    }
}

static void build_body(struct parser *p, struct body_builder *builder, const struct body_entry *entry,
                       int index)
{
    tarn_body_def body = {0};

    params_unpack(&entry->common, &body);
    body.shape = entry->parts.count ? build_compound(p, builder, &entry->parts, body.density)
                                    : build_shape(p, builder, &entry->shape);
    if (body.shape) create_copies(p, builder, &body, &entry->array, index);
}

void build_bodies(struct parser *p, const tarn_scene *scene, tarn_world *world, json_t *names)
{
    const struct scene_entries *entries = &scene->entries;
    struct body_builder builder = {.world = world, .names = names, .seed = (uint64_t)scene->def.seed};

    for (int i = 0; i < entries->body_count && parser_push_entry(p, "bodies", i); ++i) {
        build_body(p, &builder, &entries->bodies[i], i);
        parser_pop_entry(p);
    }
    shape_cache_free(&builder.shapes);
    mesh_file_cache_free(&builder.meshes);
}
