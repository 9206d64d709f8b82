// Creates the bodies of a scene in its world. A mesh file is read once, even if many bodies name it.
#include "import/mesh.h"
#include "scene_internal.h"

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
                           tarn_triangles *out)
{
    const tarn_param *param = tarn_param_find(shape->kind, "file");
    tarn_value file;

    *out = (tarn_triangles){0};
    if (!param || param->type != TARN_FILE || tarn_spec_get(shape, "file", &file) != TARN_OK) return 1;
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
        snprintf(err.text, sizeof err.text, "%s", entry->error.message);
        diag_from_error(p, entry->error.result, &err);
        return 0;
    }
    *out = (tarn_triangles){m->vertex_count, m->triangle_count, m->vertices, m->triangles};
    return 1;
}

// ---- compound parts ---------------------------------------------------------------------------------

// Make the parts of a compound; the caller frees them. @return 0 with a diagnostic, or if memory is exhausted
static int build_parts(struct parser *p, struct mesh_file_cache *cache, const struct part_list *entries,
                       tarn_part **out)
{
    const int depth = p->path.count;
    int ok = 1;

    *out = NULL;
    if (entries->count == 0) return 1;
    if (!(*out = calloc((size_t)entries->count, sizeof **out))) {
        parser_set_result(p, TARN_NO_MEMORY);
        return 0;
    }
    for (int i = 0; i < entries->count; ++i) {
        tarn_part *part = &(*out)[i];
        params_unpack(&entries->list[i].common, part);
        spec_unpack(&entries->list[i].shape, &part->shape);
        if (!parser_push(p, "parts", 0) || !parser_push(p, NULL, (size_t)i)) return 0;
        ok &= load_shape_mesh(p, cache, &part->shape, &part->mesh);
        p->path.count = depth;
    }
    return ok;
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

struct body_builder {
    tarn_world *world;
    json_t *names;
    uint64_t seed;
    struct mesh_file_cache cache;
};

// The user named a file, not a mesh: errors about "mesh" are reported for the key "file".
static void rename_error_key(tarn_error *err)
{
    const size_t length = strlen(err->key);
    if (length >= 4 && strcmp(err->key + length - 4, "mesh") == 0) memcpy(err->key + length - 4, "file", 4);
}

// Create all copies of a body; stop at the first error, because the others would fail in the same way.
static void create_copies(struct parser *p, const struct body_builder *builder, const tarn_body_def *body,
                          const struct body_array *array, int index)
{
    const int64_t count = (int64_t)array->count[0] * array->count[1] * array->count[2];
    const struct rng rng = {builder->seed, BODY_RNG_STREAM + (uint64_t)index, 0};
    tarn_result r = TARN_OK;

    for (int64_t n = 0; n < count && r == TARN_OK; ++n) {
        tarn_body_def copy;
        tarn_body id;
        tarn_error err = {0};
        place_copy(body, array, n, rng, p->planar, &copy);
        r = tarn_body_create(builder->world, &copy, &id, &err);
        if (r == TARN_OK && !body_names_add(builder->names, copy.name, id))
            parser_set_result(p, TARN_NO_MEMORY);
        if (r == TARN_OK) continue;
        rename_error_key(&err);
        tarn_error shown = err;
        if (count > 1) snprintf(shown.text, sizeof shown.text, "copy %d: %.230s", (int)n + 1, err.text);
        diag_from_error(p, r, &shown);
    }
}

static void build_body(struct parser *p, struct body_builder *builder, const struct body_entry *entry,
                       int index)
{
    tarn_body_def body = {0};
    tarn_part *parts = NULL;

    params_unpack(&entry->common, &body);
    spec_unpack(&entry->shape, &body.shape);
    if (load_shape_mesh(p, &builder->cache, &body.shape, &body.mesh) &&
        build_parts(p, &builder->cache, &entry->parts, &parts)) {
        body.parts = parts;
        body.part_count = entry->parts.count;
        create_copies(p, builder, &body, &entry->array, index);
    }
    free(parts);
}

void build_bodies(struct parser *p, const tarn_scene *scene, tarn_world *world, json_t *names)
{
    const struct scene_entries *entries = &scene->entries;
    struct body_builder builder = {.world = world, .names = names, .seed = (uint64_t)scene->def.seed};

    for (int i = 0; i < entries->body_count && parser_push_entry(p, "bodies", i); ++i) {
        build_body(p, &builder, &entries->bodies[i], i);
        parser_pop_entry(p);
    }
    mesh_file_cache_free(&builder.cache);
}
