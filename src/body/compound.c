// Several shapes as one body. Where parts overlap, both count. One of them may be open: its hold is that of the body.
#include "base/error.h"
#include "solid.h"

#include <stdio.h>

extern const struct shape_kind shape_compound;

// Where a part goes: turned, then moved.
struct way {
    mat3 turn;
    vec3 move;
};

static struct way way_of(const tarn_part *part, vec3 centre)
{
    return (struct way){quat_matrix(quat_unit(part->rotation)), v3_sub(part->position, centre)};
}

static vec3 place(const struct way *to, vec3 p) { return v3_add(to->move, mat3_mul(&to->turn, p)); }

static mat3 times(const mat3 *a, const mat3 *b)
{
    mat3 out;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
    return out;
}

static mat3 transposed(const mat3 *a)
{
    mat3 out;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) out.m[i][j] = a->m[j][i];
    return out;
}

static tarn_result make_part(const struct shape_input *in, int index, const struct memory *m,
                             struct form *out, tarn_error *err)
{
    const tarn_part *part = &in->parts[index];
    const struct shape_kind *kind = shape_kind_of(part->shape.kind);
    tarn_error why = {0};
    tarn_result r = TARN_OK;
    char key[sizeof why.key];
    if (!kind)
        r = fail(&why, TARN_BAD_INPUT, "shape", "there is no such shape");
    else if (kind == &shape_compound)
        r = fail(&why, TARN_BAD_INPUT, "shape", "a part of a compound cannot be one itself");
    if (r == TARN_OK) r = tarn_kind_check(&kind->kind, part->shape.data, &why);
    if (r == TARN_OK) {
        const struct shape_input of = {.def = part->shape.data,
                                       .density = part->density > 0.0 ? part->density : in->density,
                                       .mesh = &part->mesh};
        r = kind->make(&of, m, out, &why);
    }
    if (r == TARN_OK) return r;
    snprintf(key, sizeof key, "parts[%d]%s%.40s", index, why.key[0] ? "." : "", why.key);
    return fail(err, r, r == TARN_BAD_INPUT ? key : "", "%s", why.text);
}

// Add the part's mass, and its inertia about the centre of the whole.
static void add_mass(const struct form *part, const struct way *to, struct form *out)
{
    const mat3 back = transposed(&to->turn), turned = times(&to->turn, &part->inertia),
               own = times(&turned, &back);
    const double d[3] = {to->move.x, to->move.y, to->move.z}, dd = v3_dot(to->move, to->move);
    out->volume += part->volume;
    out->mass += part->mass;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out->inertia.m[i][j] += own.m[i][j] + part->mass * ((i == j ? dd : 0.0) - d[i] * d[j]);
}

// Fill in the part's triangles from `vertex` and `triangle` on.
static void add_hull(const struct hull *part, const struct way *to, struct hull *out, int vertex,
                     int triangle)
{
    for (int i = 0; i < part->vertex_count; ++i) out->vertices[vertex + i] = place(to, part->vertices[i]);
    for (int t = 0; t < part->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) out->triangles[triangle + t][k] = vertex + part->triangles[t][k];
}

// The pieces change hands: the part has none any more.
static void move_pieces(struct form *part, const struct way *to, struct piece *out)
{
    for (int i = 0; i < part->piece_count; ++i) {
        struct piece *p = &part->pieces[i];
        p->at = place(to, p->at);
        p->axes = times(&to->turn, &p->axes);
        out[i] = *p;
        *p = (struct piece){0};
    }
}

// The hold of the part that is open, and all skins.
static bool add_hold(const struct form *parts, int open, const struct shape_input *in, vec3 centre,
                     const struct memory *m, struct form *out)
{
    const struct form *of = &parts[open];
    const struct way way = way_of(&in->parts[open], centre);
    int vertices = 0, triangles = 0;
    for (int i = 0; i < in->part_count; ++i) {
        vertices += form_skin(&parts[i])->vertex_count;
        triangles += form_skin(&parts[i])->triangle_count;
    }
    out->rim = memory_alloc(m, (size_t)of->rim_count, sizeof *out->rim);
    out->rim_count = out->rim ? of->rim_count : 0;
    if (!out->rim || !hull_alloc(&out->hold, m, of->hold.vertex_count, of->hold.triangle_count) ||
        !hull_alloc(&out->skin, m, vertices, triangles))
        return false;
    for (int i = 0; i < of->rim_count; ++i) out->rim[i] = place(&way, of->rim[i]);
    out->held = of->held;
    add_hull(&of->hold, &way, &out->hold, 0, 0);
    vertices = triangles = 0;
    for (int i = 0; i < in->part_count; ++i) {
        const struct hull *skin = form_skin(&parts[i]);
        const struct way to = way_of(&in->parts[i], centre);
        add_hull(skin, &to, &out->skin, vertices, triangles);
        vertices += skin->vertex_count, triangles += skin->triangle_count;
    }
    hull_finish(&out->hold);
    hull_finish(&out->skin);
    return true;
}

static tarn_result join(struct form *parts, const struct shape_input *in, const struct memory *m,
                        struct form *out, tarn_error *err)
{
    double mass = 0.0;
    vec3 moment = v3(0, 0, 0);
    int64_t vertices = 0, triangles = 0, pieces = 0;
    int holds = 0, open = 0;
    for (int i = 0; i < in->part_count; ++i) {
        mass += parts[i].mass;
        moment = v3_madd(moment, parts[i].mass, in->parts[i].position);
        vertices += parts[i].hull.vertex_count;
        triangles += parts[i].hull.triangle_count;
        pieces += parts[i].piece_count;
        if (form_is_open(&parts[i])) open = i, ++holds;
    }
    if (holds > 1)
        return fail(err, TARN_BAD_INPUT, "parts", "%d of them are open; at most one can be", holds);
    if (vertices > SOLID_MOST || triangles > SOLID_MOST)
        return fail(err, TARN_BAD_INPUT, "parts", "they have more than %d triangles", SOLID_MOST);
    if (!hull_alloc(&out->hull, m, (int)vertices, (int)triangles) || !form_pieces(out, m, (int)pieces))
        return fail(err, TARN_NO_MEMORY, "", "no memory for a compound");
    const vec3 centre = v3_scale(moment, 1.0 / mass);
    vertices = triangles = pieces = 0;
    for (int i = 0; i < in->part_count; ++i) {
        const struct way to = way_of(&in->parts[i], centre);
        add_mass(&parts[i], &to, out);
        add_hull(&parts[i].hull, &to, &out->hull, (int)vertices, (int)triangles);
        move_pieces(&parts[i], &to, out->pieces + pieces);
        vertices += parts[i].hull.vertex_count;
        triangles += parts[i].hull.triangle_count;
        pieces += parts[i].piece_count;
    }
    hull_finish(&out->hull);
    if (holds == 1 && !add_hold(parts, open, in, centre, m, out))
        return fail(err, TARN_NO_MEMORY, "", "no memory for a compound");
    return TARN_OK;
}

static tarn_result make(const struct shape_input *in, const struct memory *m, struct form *out,
                        tarn_error *err)
{
    *out = (struct form){0};
    if (!in->parts || in->part_count < 1)
        return fail(err, TARN_BAD_INPUT, "parts", "a compound needs at least one part");
    struct form *parts = memory_alloc(m, (size_t)in->part_count, sizeof *parts);
    if (!parts) return fail(err, TARN_NO_MEMORY, "", "no memory for a compound");
    tarn_result r = TARN_OK;
    for (int i = 0; i < in->part_count && r == TARN_OK; ++i) r = make_part(in, i, m, &parts[i], err);
    if (r == TARN_OK) r = join(parts, in, m, out, err);
    for (int i = 0; i < in->part_count; ++i) form_free(&parts[i], m);
    memory_free(m, parts, (size_t)in->part_count, sizeof *parts);
    if (r != TARN_OK) form_free(out, m);
    return r;
}

const struct shape_kind shape_compound = {
    .kind = {.room = "shape", .name = "compound", .help = "several shapes as one body"},
    .drag = 0.82,
    .facing = 0.9,
    .make = make,
};
