// Any heap of triangles -> a closed solid: the order of it all.
#include "solid.h"

#include "base/error.h"

#include <stdio.h>

#define VOLUME_PART 1e-12 // of the cube of the longest side: below is rounding

static tarn_result check(const struct soup *in, tarn_error *err)
{
    if (in->vertex_count > SOLID_MOST || in->triangle_count > SOLID_MOST)
        return fail(err, TARN_BAD_INPUT, "", "a mesh has at most %d vertices and triangles", SOLID_MOST);
    for (int i = 0; i < 3 * in->triangle_count; ++i)
        if (in->triangles[i] < 0 || in->triangles[i] >= in->vertex_count)
            return fail(err, TARN_BAD_INPUT, "", "triangle %d: there is no vertex %d; there are %d", i / 3,
                        in->triangles[i], in->vertex_count);
    for (int i = 0; i < 3 * in->vertex_count; ++i)
        if (!(fabs(in->vertices[i]) <= SOLID_REACH))
            return fail(err, TARN_BAD_INPUT, "", "vertex %d: %g is not within 1e9 m", i / 3, in->vertices[i]);
    return TARN_OK;
}

// ---- from a shell to a hull -------------------------------------------------------------------------

// Vertices that faces use.
static int used_vertices(const struct shell *s, char *used)
{
    int count = 0;

    for (int t = 0; t < s->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) used[s->triangles[t][k]] = 1;
    for (int v = 0; v < s->vertex_count; ++v) count += used[v];
    return count;
}

static void weigh(struct shell *s, struct solid *out)
{
    const struct moments m = hull_moments(&out->hull);

    for (int v = 0; v < out->hull.vertex_count; ++v)
        out->hull.vertices[v] = v3_sub(out->hull.vertices[v], m.centre);
    hull_finish(&out->hull);
    out->volume = m.volume;
    out->centre = v3_add(s->origin, m.centre);
    out->inertia = moments_principal(&m, &out->axes);
}

// Faces that run through each other may enclose parts of space less than no times; what then comes out as inertia
// can be that of no body: each moment is at most the sum of the other two.
static bool possible(vec3 i)
{
    const double little = 1e-9 * (i.x + i.y + i.z); // a thin plate is at the limit
    return i.x > 0.0 && i.y > 0.0 && i.z > 0.0 && i.x <= i.y + i.z + little && i.y <= i.z + i.x + little &&
           i.z <= i.x + i.y + little;
}

static void exchange(double *a, double *b)
{
    const double x = *a;
    *a = *b;
    *b = x;
}

static void tell(const struct solid *solid, tarn_mesh_facts *facts)
{
    vec3 i = solid->inertia;

    if (i.x > i.y) exchange(&i.x, &i.y);
    if (i.y > i.z) exchange(&i.y, &i.z);
    if (i.x > i.y) exchange(&i.x, &i.y);
    facts->closed = 1;
    facts->volume = solid->volume;
    facts->centre = solid->centre;
    facts->inertia = i;
}

// ---- the story --------------------------------------------------------------------------------------

#define TROUBLE(facts, ...) snprintf((facts)->trouble, sizeof(facts)->trouble, __VA_ARGS__)

// Weld, find neighbours, make faces agree, close holes, turn the outside out. Stops at the first trouble.
static bool make_shell(struct shell *s, const struct soup *in)
{
    tarn_mesh_facts *f = s->facts;
    int twisted = 0;
    bool lost = false;

    if (!shell_weld(s, in) || !shell_edges(s)) return false;
    f->dropped = in->triangle_count - s->triangle_count;
    const int mark = shell_mark(s);
    char *used = shell_take(s, (size_t)s->vertex_count, 1);
    if (!used) return false;
    f->welded = used_vertices(s, used);
    shell_release(s, mark);
    if (s->triangle_count == 0) return TROUBLE(f, "there are no faces with an area"), true;

    if (!shell_agree(s, &twisted) || !shell_cap(s)) return false;
    f->parts = s->part_count;
    if (f->crowded_edges > 0)
        TROUBLE(f, "%d edge%s shared by more than two faces", f->crowded_edges,
                f->crowded_edges == 1 ? " is" : "s are");
    else if (f->open_edges > 0)
        TROUBLE(f, "%d open edges", f->open_edges);
    else if (twisted > 0)
        TROUBLE(f, "%d part%s only one side", twisted, twisted == 1 ? " has" : "s have");
    if (f->trouble[0]) return true;
    if (!shell_outward(s, &lost)) return false;
    if (lost) TROUBLE(f, "%d parts are too many to tell inside from outside", s->part_count);
    for (int t = 0; t < s->own_count; ++t) f->turned += s->turned[t];
    return true;
}

tarn_result solid_make(const struct soup *in, const struct memory *m, struct solid *out,
                       tarn_mesh_facts *facts, tarn_error *err)
{
    struct shell s = {.memory = m, .facts = facts};

    *out = (struct solid){0};
    *facts = (tarn_mesh_facts){.triangles = in->triangle_count, .vertices = in->vertex_count};
    tarn_result r = check(in, err);
    if (r != TARN_OK) return r;
    if (in->triangle_count == 0) {
        TROUBLE(facts, "there are no faces");
        return fail(err, TARN_BAD_INPUT, "", "%s", facts->trouble);
    }
    bool fine = make_shell(&s, in);
    if (fine && !facts->trouble[0]) {
        fine = hull_pick(&out->hull, m, s.vertices, s.vertex_count, (const int(*)[3])s.triangles,
                         s.triangle_count);
        if (fine) weigh(&s, out);
        if (fine && !(out->volume > VOLUME_PART * s.extent * s.extent * s.extent))
            TROUBLE(facts, "the faces enclose no volume");
        else if (fine && !possible(out->inertia))
            TROUBLE(facts, "the faces run through each other so that no body has such an inertia");
        else if (fine)
            tell(out, facts);
    }
    shell_release(&s, 0);
    if (!fine)
        r = fail(err, TARN_NO_MEMORY, "", "there is no memory for a mesh of %d triangles",
                 in->triangle_count);
    if (fine && facts->trouble[0])
        r = fail(err, TARN_BAD_INPUT, "", "the mesh is no solid: %s", facts->trouble);
    if (r != TARN_OK) solid_free(out, m);
    return r;
}

void solid_free(struct solid *s, const struct memory *m)
{
    hull_free(&s->hull, m);
    *s = (struct solid){0};
}

tarn_result tarn_mesh_look(int vertex_count, const double *vertices, int triangle_count, const int *triangles,
                           const tarn_allocator *allocator, tarn_mesh_facts *out, tarn_error *err)
{
    const struct soup in = {vertex_count, triangle_count, vertices, triangles};
    struct memory memory;
    struct solid solid;

    if (!out || vertex_count < 0 || triangle_count < 0 || (vertex_count > 0 && !vertices) ||
        (triangle_count > 0 && !triangles))
        return fail(err, TARN_BAD_ARGUMENT, "", "a mesh is missing");
    memory_init(&memory, allocator);
    const tarn_result r = solid_make(&in, &memory, &solid, out, err);
    if (r == TARN_BAD_INPUT && out->trouble[0]) return TARN_OK; // no solid, and the facts say why
    solid_free(&solid, &memory);
    return r;
}
