// The bodies of a scene, put into its world: the files they name are read once, however many name them.
#include "import/mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- mesh files -------------------------------------------------------------------------------------

// A file that was read, or why it was not.
struct kept {
    char file[TARN_FILE_BYTES];
    struct mesh mesh;
    struct fault fault;
};

struct shelf {
    struct kept *list;
    size_t count;
};

static void shelf_free(struct shelf *shelf)
{
    for (size_t i = 0; i < shelf->count; ++i) mesh_free(&shelf->list[i].mesh);
    free(shelf->list);
    *shelf = (struct shelf){0};
}

// @return NULL without memory
static const struct kept *shelf_take(struct shelf *shelf, const struct source *source, const char *file)
{
    for (size_t i = 0; i < shelf->count; ++i)
        if (strcmp(shelf->list[i].file, file) == 0) return &shelf->list[i];
    struct kept *grown = realloc(shelf->list, (shelf->count + 1) * sizeof *grown);
    if (!grown) return NULL;
    shelf->list = grown;
    struct kept *kept = &grown[shelf->count++];
    *kept = (struct kept){0};
    snprintf(kept->file, sizeof kept->file, "%s", file);
    mesh_read(source, file, &kept->mesh, &kept->fault);
    return kept;
}

// Lend the triangles of a shape that names a file. @return 0 with a note, or without memory
static int lend_mesh(struct pass *p, struct shelf *shelf, const tarn_spec *shape, tarn_triangles *out)
{
    const tarn_param *param = tarn_param_find(shape->kind, "file");
    tarn_value file;

    *out = (tarn_triangles){0};
    if (!param || param->type != TARN_FILE || tarn_spec_get(shape, "file", &file) != TARN_OK) return 1;
    if (!file.text[0]) {
        note_add(p, NOTE_VALUE, "\"file\" is missing");
        return 0;
    }
    const struct kept *kept = shelf_take(shelf, p->source, file.text);
    if (!kept) {
        pass_fail(p, TARN_NO_MEMORY);
        return 0;
    }
    const struct mesh *m = &kept->mesh;
    if (kept->fault.result != TARN_OK) {
        tarn_error err = {.key = "file"};
        snprintf(err.text, sizeof err.text, "%s", kept->fault.words);
        note_error(p, kept->fault.result, &err);
        return 0;
    }
    *out = (tarn_triangles){m->vertex_count, m->triangle_count, m->vertices, m->triangles};
    return 1;
}

// ---- bodies -----------------------------------------------------------------------------------------

// The parts of a compound, to be freed. @return 0 with a note, or without memory
static int read_parts(struct pass *p, struct shelf *shelf, json_t *body, tarn_part **out, int *count)
{
    const struct section *section = section_find("bodies")->inner;
    json_t *list = json_object_get(body, section->key), *json;
    const int depth = p->path.count;
    struct item item;
    size_t i;
    int fine = 1;

    *out = NULL;
    *count = (int)json_array_size(list); // at most TARN_PARTS: it was checked
    if (*count == 0) return 1;
    if (!(*out = calloc((size_t)*count, sizeof **out))) {
        pass_fail(p, TARN_NO_MEMORY);
        return 0;
    }
    json_array_foreach(list, i, json)
    {
        if (!pass_push(p, section->key, 0) || !pass_push(p, NULL, i)) return 0;
        item_read(p, section, json, &item);
        (*out)[i] = item.part;
        fine &= lend_mesh(p, shelf, &item.spec, &(*out)[i].mesh);
        p->path.count = depth;
    }
    return fine;
}

// ---- copies -----------------------------------------------------------------------------------------

// Random numbers of one copy. Streams of emitters have small numbers, those of bodies begin here.
#define BODY_STREAM UINT64_C(0x100000000)
#define COPY_DRAWS  1024

struct dice {
    uint64_t seed, stream, n;
};

// -1 .. 1
static double toss(struct dice *d) { return 2.0 * tarn_random(d->seed, d->stream, d->n++) - 1.0; }

// A direction in four dimensions, all equally likely: a point in the ball, thrown until it is in it. Each throw
// is with probability pi^2/32, so that all of them fail in one of 10^40 copies.
static tarn_quat random_rotation(struct dice *d)
{
    for (int i = 0; i < COPY_DRAWS / 4 - 1; ++i) {
        const double w = toss(d), x = toss(d), y = toss(d), z = toss(d);
        const double square = w * w + x * x + y * y + z * z;
        if (1e-6 < square && square <= 1.0) return (tarn_quat){w, x, y, z};
    }
    return (tarn_quat){1, 0, 0, 0};
}

// About z: of a plane.
static tarn_quat random_turn(struct dice *d)
{
    for (int i = 0; i < COPY_DRAWS / 4 - 1; ++i) {
        const double w = toss(d), z = toss(d), square = w * w + z * z;
        if (1e-6 < square && square <= 1.0) return (tarn_quat){w, 0, 0, z};
    }
    return (tarn_quat){1, 0, 0, 0};
}

// The name with a number behind it, cut between characters if it would be too long.
static void name_copy(char out[TARN_NAME_BYTES], const char *name, int64_t number)
{
    int length = (int)strlen(name);

    if (length == 0) return;
    if (length > TARN_NAME_BYTES - 8) length = TARN_NAME_BYTES - 8;
    while (length > 0 && ((unsigned char)name[length] & 0xc0) == 0x80) --length;
    snprintf(out, TARN_NAME_BYTES, "%.*s %d", length, name, (int)number);
}

// Copy number n of a body: along x first, then z, then y.
static void place_copy(const tarn_body_def *body, const struct copies *c, int64_t n, struct dice dice,
                       int flat, tarn_body_def *out)
{
    const int64_t nx = c->count[0], ny = c->count[1], nz = c->count[2];
    const int64_t at[3] = {n % nx, n / (nx * nz), n / nx % nz};
    double *position[3] = {&out->position.x, &out->position.y, &out->position.z};

    *out = *body;
    dice.n = (uint64_t)n * COPY_DRAWS;
    for (int i = 0; i < 3; ++i) {
        *position[i] += (double)at[i] * c->spacing[i];
        if (c->jitter > 0.0) *position[i] += 0.5 * c->jitter * c->spacing[i] * toss(&dice);
    }
    if (c->jitter > 0.0) out->rotation = flat ? random_turn(&dice) : random_rotation(&dice);
    if (flat) out->position.z = 0.0;
    if (nx * ny * nz > 1) name_copy(out->name, body->name, n + 1);
}

// ---- into the world -----------------------------------------------------------------------------------

struct making {
    tarn_world *world;
    json_t *names;
    uint64_t seed;
    struct shelf shelf;
};

// A mistake of a mesh is one of the file that it came from.
static void blame_file(tarn_error *err)
{
    const size_t length = strlen(err->key);
    if (length >= 4 && strcmp(err->key + length - 4, "mesh") == 0) memcpy(err->key + length - 4, "file", 4);
}

// What goes wrong with one copy goes wrong with the next.
static void make_copies(struct pass *p, const struct making *making, const struct item *item, size_t number)
{
    const struct copies *c = &item->own.copies;
    const int64_t count = (int64_t)c->count[0] * c->count[1] * c->count[2];
    const struct dice dice = {making->seed, BODY_STREAM + number, 0};
    tarn_result r = TARN_OK;

    for (int64_t n = 0; n < count && r == TARN_OK; ++n) {
        tarn_body_def body;
        tarn_body id;
        tarn_error err = {0};
        place_copy(&item->body, c, n, dice, p->flat, &body);
        r = tarn_body_create(making->world, &body, &id, &err);
        if (r == TARN_OK && !names_add(making->names, body.name, id)) pass_fail(p, TARN_NO_MEMORY);
        if (r == TARN_OK) continue;
        blame_file(&err);
        tarn_error told = err;
        if (count > 1) snprintf(told.text, sizeof told.text, "copy %d: %.230s", (int)n + 1, err.text);
        note_error(p, r, &told);
    }
}

static void make_body(struct pass *p, json_t *json, size_t number, void *ctx)
{
    struct making *making = ctx;
    struct item item;
    tarn_part *parts = NULL;

    item_read(p, section_find("bodies"), json, &item);
    if (lend_mesh(p, &making->shelf, &item.spec, &item.body.mesh) &&
        read_parts(p, &making->shelf, json, &parts, &item.body.part_count)) {
        item.body.parts = parts;
        make_copies(p, making, &item, number);
    }
    free(parts);
}

void scene_add_bodies(struct pass *p, const tarn_scene *scene, tarn_world *world, json_t *names)
{
    struct making making = {.world = world, .names = names, .seed = (uint64_t)scene->def.seed};

    things_each(p, scene, "bodies", make_body, &making);
    shelf_free(&making.shelf);
}
