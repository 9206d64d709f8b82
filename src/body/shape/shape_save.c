// Content hashes of shapes, sets of shapes, and the section of a checkpoint that holds them.
#include "base/error.h"
#include "body/shape/shape.h"

#include <string.h>

// ---- content ------------------------------------------------------------------------------------------

// Everything of a definition but the shapes of its children.
static void save_own_def(struct saver *s, const struct shape_kind *kind, const tarn_shape_def *def)
{
    double params[TARN_SPEC_BYTES / sizeof(double)] = {0};
    memcpy(params, def->space, kind->def_size);
    save_text(s, kind->kind.name);
    param_save(s, &kind->kind, params);
    if (def->type != TARN_SHAPE_MESH) return;
    const tarn_mesh *mesh = &def->mesh.mesh;
    save_u32(s, (uint32_t)mesh->vertex_count);
    save_u32(s, (uint32_t)mesh->triangle_count);
    save_f64s(s, mesh->vertices, (size_t)mesh->vertex_count * 3);
    save_ints(s, mesh->triangles, (size_t)mesh->triangle_count * 3);
}

uint64_t shape_content(const struct shape_kind *kind, const tarn_shape_def *def)
{
    struct saver s = {.result = TARN_OK}; // without a writer it hashes
    hash_init(&s.hash);
    save_own_def(&s, kind, def);
    for (int i = 0; def->type == TARN_SHAPE_COMPOUND && i < def->compound.child_count; ++i) {
        save_u64(&s, def->compound.children[i].shape->content);
        param_save(&s, &compound_child_kind, &def->compound.children[i]);
    }
    return hash_result(&s.hash);
}

// ---- sets ---------------------------------------------------------------------------------------------

// The bucket of a content, or the empty bucket where it belongs. Open addressing, at most half full.
static int *find_bucket(const struct shape_set *set, uint64_t content)
{
    size_t i = (size_t)content & ((size_t)set->bucket_count - 1);
    while (set->buckets[i] && set->list[set->buckets[i] - 1]->content != content)
        i = (i + 1) & ((size_t)set->bucket_count - 1);
    return &set->buckets[i];
}

static bool grow_buckets(struct shape_set *set, const struct memory *m)
{
    if (2 * (set->count + 1) <= set->bucket_count) return true;
    const int count = set->bucket_count ? 2 * set->bucket_count : 16;
    int *buckets = memory_alloc(m, (size_t)count, sizeof *buckets);
    if (!buckets) return false;
    memory_free(m, set->buckets, (size_t)set->bucket_count, sizeof *set->buckets);
    set->buckets = buckets, set->bucket_count = count;
    for (int i = 0; i < set->count; ++i) *find_bucket(set, set->list[i]->content) = i + 1;
    return true;
}

const tarn_shape *shape_set_find(const struct shape_set *set, uint64_t content)
{
    const int index = set->bucket_count ? *find_bucket(set, content) : 0;
    return index ? set->list[index - 1] : NULL;
}

bool shape_set_add(struct shape_set *set, const tarn_shape *shape, const struct memory *m)
{
    if (shape_set_find(set, shape->content)) return true;
    if (!grow_buckets(set, m) ||
        !memory_grow(m, (void **)&set->list, &set->list_capacity, set->count + 1, sizeof *set->list))
        return false;
    tarn_shape_retain(shape);
    set->list[set->count++] = shape;
    *find_bucket(set, shape->content) = set->count;
    return true;
}

bool shape_set_add_with_children(struct shape_set *set, const tarn_shape *shape, const struct memory *m)
{
    for (int i = 0; shape->children && i < shape->def.compound.child_count; ++i)
        if (!shape_set_add(set, shape->children[i].shape, m)) return false;
    return shape_set_add(set, shape, m);
}

void shape_set_free(struct shape_set *set, const struct memory *m)
{
    for (int i = 0; i < set->count; ++i) tarn_shape_release(set->list[i]);
    memory_free(m, set->list, (size_t)set->list_capacity, sizeof *set->list);
    memory_free(m, set->buckets, (size_t)set->bucket_count, sizeof *set->buckets);
    *set = (struct shape_set){0};
}

// ---- checkpoints --------------------------------------------------------------------------------------

void shape_set_save(struct saver *s, const struct shape_set *set)
{
    save_u32(s, (uint32_t)set->count);
    for (int i = 0; i < set->count; ++i) {
        const tarn_shape *shape = set->list[i];
        save_own_def(s, shape->kind, &shape->def);
        if (!shape->children) continue;
        save_u32(s, (uint32_t)shape->def.compound.child_count);
        for (int k = 0; k < shape->def.compound.child_count; ++k) {
            save_u32(s, (uint32_t)*find_bucket(set, shape->children[k].shape->content) - 1);
            param_save(s, &compound_child_kind, &shape->children[k]);
        }
    }
}

// A definition that is being loaded, and the arrays that it borrows.
struct loaded_def {
    tarn_shape_def def;
    struct table_rows_buffer rows;
    struct triangle_arrays triangles;
    tarn_compound_child children[TARN_MAX_COMPOUND_CHILDREN];
};

static tarn_result load_own_params(struct loader *l, struct loaded_def *loaded, tarn_error *err)
{
    char name[TARN_NAME_BYTES];
    double params[TARN_SPEC_BYTES / sizeof(double)] = {0};
    int type = 0;
    load_text(l, name, sizeof name);
    while (shape_kind_at(type) && strcmp(shape_kind_at(type)->kind.name, name) != 0) ++type;
    const struct shape_kind *kind = shape_kind_at(type);
    if (!kind) return fail(err, TARN_BAD_INPUT, "shape", "unknown shape");
    tarn_kind_init(&kind->kind, params);
    loaded->def.type = (tarn_shape_type)type;
    const tarn_result r = param_load_with_rows(l, &kind->kind, params, &loaded->rows, err);
    memcpy(loaded->def.space, params, kind->def_size);
    return r;
}

// Counts are compared with the size of the section before memory is allocated.
static tarn_result load_triangles(struct loader *l, struct loaded_def *loaded, const struct memory *m,
                                  tarn_error *err)
{
    const uint32_t vertices = load_u32(l), triangles = load_u32(l);
    struct triangle_arrays *mesh = &loaded->triangles;
    if (l->failed || vertices > l->size / 24 || triangles > l->size / 12)
        return fail(err, TARN_BAD_INPUT, "mesh", "invalid mesh size in the checkpoint");
    if (!triangle_arrays_alloc(mesh, (int)vertices, (int)triangles, m))
        return fail(err, TARN_NO_MEMORY, "", "no memory for a mesh");
    load_f64s(l, mesh->vertices, (size_t)vertices * 3);
    for (size_t k = 0; k < (size_t)triangles * 3; ++k) mesh->triangles[k] = (int)load_u32(l);
    loaded->def.mesh.mesh = triangles_view(mesh);
    return TARN_OK;
}

static tarn_result load_children(struct loader *l, struct loaded_def *loaded, const struct shape_set *set,
                                 tarn_error *err)
{
    const uint32_t count = load_u32(l);
    if (l->failed || count > TARN_MAX_COMPOUND_CHILDREN)
        return fail(err, TARN_BAD_INPUT, "children", "invalid number of children in the checkpoint: %u",
                    count);
    for (uint32_t i = 0; i < count; ++i) {
        tarn_compound_child *child = &loaded->children[i];
        const uint32_t index = load_u32(l);
        if (index >= (uint32_t)set->count)
            return fail(err, TARN_BAD_INPUT, "children", "the checkpoint has no shape %u", index);
        tarn_kind_init(&compound_child_kind, child);
        child->shape = set->list[index];
        const tarn_result r = param_load(l, &compound_child_kind, child, err);
        if (r != TARN_OK) return r;
    }
    loaded->def.compound = (tarn_compound){loaded->children, (int)count};
    return TARN_OK;
}

static tarn_result load_shape(struct loader *l, struct loaded_def *loaded, struct shape_set *set,
                              const struct memory *m, tarn_error *err)
{
    tarn_shape *shape = NULL;
    tarn_result r = load_own_params(l, loaded, err);
    if (r == TARN_OK && loaded->def.type == TARN_SHAPE_MESH) r = load_triangles(l, loaded, m, err);
    if (r == TARN_OK && loaded->def.type == TARN_SHAPE_COMPOUND) r = load_children(l, loaded, set, err);
    if (r == TARN_OK) r = tarn_shape_create(&loaded->def, &m->allocator, &shape, err);
    const int count = set->count;
    if (r == TARN_OK && !shape_set_add(set, shape, m))
        r = fail(err, TARN_NO_MEMORY, "", "no memory for a shape");
    if (r == TARN_OK && set->count == count)
        r = fail(err, TARN_BAD_INPUT, "shapes", "the checkpoint has a shape twice");
    tarn_shape_release(shape);
    return r;
}

tarn_result shape_set_load(struct loader *l, struct shape_set *set, const struct memory *m, tarn_error *err)
{
    const uint32_t count = load_u32(l);
    if (l->failed || count > l->size) return fail(err, TARN_BAD_INPUT, "shapes", "invalid number of shapes");
    struct loaded_def *loaded = memory_alloc(m, 1, sizeof *loaded);
    if (!loaded) return fail(err, TARN_NO_MEMORY, "", "no memory for a shape");
    tarn_result r = TARN_OK;
    for (uint32_t i = 0; i < count && r == TARN_OK; ++i) {
        r = load_shape(l, loaded, set, m, err);
        triangle_arrays_free(&loaded->triangles, m);
    }
    memory_free(m, loaded, 1, sizeof *loaded);
    if (r == TARN_OK && !load_is_complete(l))
        r = fail(err, TARN_BAD_INPUT, "shapes", "the section 'shapes' has a wrong length");
    return r;
}
