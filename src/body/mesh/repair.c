// Mesh repair: from a triangle soup to a closed, outward-oriented solid with mass properties. Runs the passes
// of weld.c, adjacency.c and orient.c, and reports what was changed or why the result is no solid.
#include "repair.h"

#include "base/error.h"

#include <stdio.h>

#define MIN_VOLUME 1e-12 // of the cube of the longest side; a smaller volume is rounding error

static tarn_result check_soup(const struct triangle_soup *in, tarn_error *err)
{
    if (in->vertex_count > MAX_MESH_ELEMENTS || in->triangle_count > MAX_MESH_ELEMENTS)
        return fail(err, TARN_BAD_INPUT, "", "a mesh has at most %d vertices and triangles",
                    MAX_MESH_ELEMENTS);
    for (int i = 0; i < 3 * in->triangle_count; ++i)
        if (in->triangles[i] < 0 || in->triangles[i] >= in->vertex_count)
            return fail(err, TARN_BAD_INPUT, "", "triangle %d: there is no vertex %d; there are %d", i / 3,
                        in->triangles[i], in->vertex_count);
    for (int i = 0; i < 3 * in->vertex_count; ++i)
        if (!(fabs(in->vertices[i]) <= MAX_MESH_COORDINATE))
            return fail(err, TARN_BAD_INPUT, "", "vertex %d: %g is not within 1e9 m", i / 3, in->vertices[i]);
    return TARN_OK;
}

// ---- mass properties --------------------------------------------------------------------------------

// Marks the vertices that triangles use; returns their number.
static int count_used_vertices(const struct repair_mesh *s, char *used)
{
    int count = 0;

    for (int t = 0; t < s->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) used[s->triangles[t][k]] = 1;
    for (int v = 0; v < s->vertex_count; ++v) count += used[v];
    return count;
}

static void compute_mass_properties(struct repair_mesh *s, struct solid_mesh *out)
{
    const struct volume_moments m = trimesh_moments(&out->mesh);

    for (int v = 0; v < out->mesh.vertex_count; ++v)
        out->mesh.vertices[v] = v3_sub(out->mesh.vertices[v], m.centroid);
    trimesh_compute_facets(&out->mesh);
    out->volume = m.volume;
    out->centroid = v3_add(s->origin, m.centroid);
    out->principal_inertia = principal_of_moments(&m, &out->principal_axes);
}

// Principal moments of a real body are positive and satisfy the triangle inequality I_1 <= I_2 + I_3. In a
// self-intersecting mesh regions of negative winding number can violate it.
static bool is_physical_inertia(vec3 i)
{
    const double little = 1e-9 * (i.x + i.y + i.z); // rounding: equality holds for a thin plate
    return i.x > 0.0 && i.y > 0.0 && i.z > 0.0 && i.x <= i.y + i.z + little && i.y <= i.z + i.x + little &&
           i.z <= i.x + i.y + little;
}

static void swap_doubles(double *a, double *b)
{
    const double x = *a;
    *a = *b;
    *b = x;
}

static void report_solid(const struct solid_mesh *solid, tarn_mesh_facts *facts)
{
    vec3 i = solid->principal_inertia;

    if (i.x > i.y) swap_doubles(&i.x, &i.y);
    if (i.y > i.z) swap_doubles(&i.y, &i.z);
    if (i.x > i.y) swap_doubles(&i.x, &i.y);
    facts->closed = 1;
    facts->volume = solid->volume;
    facts->centre = solid->centroid;
    facts->inertia = i;
}

// ---- repair -----------------------------------------------------------------------------------------

#define REPORT_PROBLEM(facts, ...) snprintf((facts)->trouble, sizeof(facts)->trouble, __VA_ARGS__)

// Welds vertices, pairs edges, makes the winding consistent, fills holes, orients outwards. Stops at the
// first problem, which the report then names. False without memory.
static bool repair_surface(struct repair_mesh *s, const struct triangle_soup *in)
{
    tarn_mesh_facts *f = s->report;
    int twisted = 0;
    bool lost = false;

    if (!mesh_weld(s, in) || !mesh_pair_edges(s)) return false;
    f->dropped = in->triangle_count - s->triangle_count;
    const int mark = arena_mark(s);
    char *used = arena_alloc(s, (size_t)s->vertex_count, 1);
    if (!used) return false;
    f->welded = count_used_vertices(s, used);
    arena_release(s, mark);
    if (s->triangle_count == 0) return REPORT_PROBLEM(f, "there are no faces with an area"), true;

    if (!mesh_orient_consistently(s, &twisted) || !mesh_fill_holes(s)) return false;
    f->parts = s->component_count;
    if (f->crowded_edges > 0)
        REPORT_PROBLEM(f, "%d edge%s shared by more than two faces", f->crowded_edges,
                       f->crowded_edges == 1 ? " is" : "s are");
    else if (f->open_edges > 0)
        REPORT_PROBLEM(f, "%d open edges", f->open_edges);
    else if (twisted > 0)
        REPORT_PROBLEM(f, "%d part%s only one side", twisted, twisted == 1 ? " has" : "s have");
    if (f->trouble[0]) return true;
    if (!mesh_orient_outward(s, &lost)) return false;
    if (lost) REPORT_PROBLEM(f, "%d parts are too many to tell inside from outside", s->component_count);
    for (int t = 0; t < s->input_triangle_count; ++t) f->turned += s->is_flipped[t];
    return true;
}

tarn_result mesh_repair(const struct triangle_soup *in, const struct memory *m, struct solid_mesh *out,
                        tarn_mesh_facts *facts, tarn_error *err)
{
    struct repair_mesh s = {.memory = m, .report = facts};

    *out = (struct solid_mesh){0};
    *facts = (tarn_mesh_facts){.triangles = in->triangle_count, .vertices = in->vertex_count};
    tarn_result r = check_soup(in, err);
    if (r != TARN_OK) return r;
    if (in->triangle_count == 0) {
        REPORT_PROBLEM(facts, "there are no faces");
        return fail(err, TARN_BAD_INPUT, "", "%s", facts->trouble);
    }
    bool fine = repair_surface(&s, in);
    if (fine && !facts->trouble[0]) {
        fine = trimesh_compact(&out->mesh, m, s.vertices, s.vertex_count, (const int(*)[3])s.triangles,
                               s.triangle_count);
        if (fine) compute_mass_properties(&s, out);
        if (fine && !(out->volume > MIN_VOLUME * s.extent * s.extent * s.extent))
            REPORT_PROBLEM(facts, "the faces enclose no volume");
        else if (fine && !is_physical_inertia(out->principal_inertia))
            REPORT_PROBLEM(facts, "the faces run through each other so that no body has such an inertia");
        else if (fine)
            report_solid(out, facts);
    }
    arena_release(&s, 0);
    if (!fine)
        r = fail(err, TARN_NO_MEMORY, "", "there is no memory for a mesh of %d triangles",
                 in->triangle_count);
    if (fine && facts->trouble[0])
        r = fail(err, TARN_BAD_INPUT, "", "the mesh is no solid: %s", facts->trouble);
    if (r != TARN_OK) solid_mesh_free(out, m);
    return r;
}

void solid_mesh_free(struct solid_mesh *s, const struct memory *m)
{
    trimesh_free(&s->mesh, m);
    *s = (struct solid_mesh){0};
}

tarn_result tarn_mesh_look(int vertex_count, const double *vertices, int triangle_count, const int *triangles,
                           const tarn_allocator *allocator, tarn_mesh_facts *out, tarn_error *err)
{
    const struct triangle_soup in = {vertex_count, triangle_count, vertices, triangles};
    struct memory memory;
    struct solid_mesh solid;

    if (!out || vertex_count < 0 || triangle_count < 0 || (vertex_count > 0 && !vertices) ||
        (triangle_count > 0 && !triangles))
        return fail(err, TARN_BAD_ARGUMENT, "", "a mesh is missing");
    memory_init(&memory, allocator);
    const tarn_result r = mesh_repair(&in, &memory, &solid, out, err);
    if (r == TARN_BAD_INPUT && out->trouble[0]) return TARN_OK; // the mesh is no solid; the report says why
    solid_mesh_free(&solid, &memory);
    return r;
}
