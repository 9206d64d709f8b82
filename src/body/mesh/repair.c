// Mesh repair: from a triangle soup to a closed, outward-oriented solid with mass properties. Runs the passes
// of weld.c, adjacency.c and orient.c, and reports what was changed or why the result is no solid.
#include "body/mesh/repair.h"

#include "base/error.h"

#include <stdio.h>

#define MIN_VOLUME 1e-12 // of the cube of the longest side; a smaller volume is rounding error

static tarn_result check_soup(const struct triangle_soup *in, tarn_error *err)
{
    if (in->vertex_count > MAX_MESH_ELEMENTS || in->triangle_count > MAX_MESH_ELEMENTS)
        return fail(err, TARN_BAD_INPUT, "", "too many vertices or triangles (limit %d)", MAX_MESH_ELEMENTS);
    for (int i = 0; i < 3 * in->triangle_count; ++i)
        if (in->triangles[i] < 0 || in->triangles[i] >= in->vertex_count)
            return fail(err, TARN_BAD_INPUT, "", "triangle %d: no vertex %d (number of vertices: %d)", i / 3,
                        in->triangles[i], in->vertex_count);
    for (int i = 0; i < 3 * in->vertex_count; ++i)
        if (!(fabs(in->vertices[i]) <= MAX_MESH_COORDINATE))
            return fail(err, TARN_BAD_INPUT, "", "vertex %d: coordinate %g exceeds 1e9 m", i / 3,
                        in->vertices[i]);
    return TARN_OK;
}

// ---- mass properties --------------------------------------------------------------------------------

// Marks the vertices that triangles use; returns their number.
static int count_used_vertices(const struct repair_mesh *mesh, char *used)
{
    int count = 0;

    for (int t = 0; t < mesh->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) used[mesh->triangles[t][k]] = 1;
    for (int v = 0; v < mesh->vertex_count; ++v) count += used[v];
    return count;
}

static void compute_mass_properties(struct repair_mesh *mesh, struct solid_mesh *out)
{
    const struct volume_moments moments = trimesh_moments(&out->mesh);

    for (int v = 0; v < out->mesh.vertex_count; ++v)
        out->mesh.vertices[v] = v3_sub(out->mesh.vertices[v], moments.centroid);
    trimesh_compute_facets(&out->mesh);
    out->volume = moments.volume;
    out->centroid = v3_add(mesh->origin, moments.centroid);
    out->principal_inertia = principal_of_moments(&moments, &out->principal_axes);
}

// Principal moments of a real body are positive and satisfy the triangle inequality I_1 <= I_2 + I_3. In a
// self-intersecting mesh regions of negative winding number can violate it.
static bool is_physical_inertia(vec3 inertia)
{
    const double tolerance =
        1e-9 * (inertia.x + inertia.y + inertia.z); // rounding: equality holds for a thin plate
    return inertia.x > 0.0 && inertia.y > 0.0 && inertia.z > 0.0 &&
           inertia.x <= inertia.y + inertia.z + tolerance && inertia.y <= inertia.z + inertia.x + tolerance &&
           inertia.z <= inertia.x + inertia.y + tolerance;
}

static void swap_doubles(double *a, double *b)
{
    const double previous_a = *a;
    *a = *b;
    *b = previous_a;
}

static void report_solid(const struct solid_mesh *solid, tarn_mesh_report *report)
{
    vec3 inertia = solid->principal_inertia;

    if (inertia.x > inertia.y) swap_doubles(&inertia.x, &inertia.y);
    if (inertia.y > inertia.z) swap_doubles(&inertia.y, &inertia.z);
    if (inertia.x > inertia.y) swap_doubles(&inertia.x, &inertia.y);
    report->closed = 1;
    report->volume = solid->volume;
    report->centre = solid->centroid;
    report->inertia = inertia;
}

// ---- repair -----------------------------------------------------------------------------------------

#define REPORT_PROBLEM(report, ...) snprintf((report)->problem, sizeof(report)->problem, __VA_ARGS__)

// Welds vertices, pairs edges, makes the winding consistent, fills holes, orients outwards. Stops at the
// first problem, which the report then names. False without memory.
static bool repair_surface(struct repair_mesh *mesh, const struct triangle_soup *in)
{
    tarn_mesh_report *report = mesh->report;
    int non_orientable_count = 0;
    bool too_many = false;

    if (!mesh_weld(mesh, in) || !mesh_pair_edges(mesh)) return false;
    report->dropped_faces = in->triangle_count - mesh->triangle_count;
    const int mark = arena_mark(&mesh->arena);
    char *used = arena_alloc(&mesh->arena, (size_t)mesh->vertex_count, 1);
    if (!used) return false;
    report->welded_vertices = count_used_vertices(mesh, used);
    arena_release(&mesh->arena, mark);
    if (mesh->triangle_count == 0) return REPORT_PROBLEM(report, "no triangle has an area"), true;

    if (!mesh_orient_consistently(mesh, &non_orientable_count) || !mesh_fill_holes(mesh)) return false;
    report->components = mesh->component_count;
    if (report->non_manifold_edges > 0)
        REPORT_PROBLEM(report, "%d edge%s shared by more than two triangles", report->non_manifold_edges,
                       report->non_manifold_edges == 1 ? " is" : "s are");
    else if (report->open_edges > 0)
        REPORT_PROBLEM(report, "%d open edges", report->open_edges);
    else if (non_orientable_count > 0)
        REPORT_PROBLEM(report, "%d component%s not orientable", non_orientable_count,
                       non_orientable_count == 1 ? " is" : "s are");
    if (report->problem[0]) return true;
    if (!mesh_orient_outward(mesh, &too_many)) return false;
    if (too_many)
        REPORT_PROBLEM(report, "too many components (%d) to determine their nesting", mesh->component_count);
    for (int t = 0; t < mesh->input_triangle_count; ++t) report->flipped_faces += mesh->is_flipped[t];
    return true;
}

tarn_result mesh_repair(const struct triangle_soup *in, const struct memory *m, struct solid_mesh *out,
                        tarn_mesh_report *report, tarn_error *err)
{
    struct repair_mesh mesh = {.arena = {.memory = m}, .report = report};

    *out = (struct solid_mesh){0};
    *report = (tarn_mesh_report){.triangles = in->triangle_count, .vertices = in->vertex_count};
    tarn_result r = check_soup(in, err);
    if (r != TARN_OK) return r;
    if (in->triangle_count == 0) {
        REPORT_PROBLEM(report, "no triangles");
        return fail(err, TARN_BAD_INPUT, "", "%s", report->problem);
    }
    bool ok = repair_surface(&mesh, in);
    if (ok && !report->problem[0]) {
        ok = trimesh_compact(&out->mesh, m, mesh.vertices, mesh.vertex_count, (const int(*)[3])mesh.triangles,
                             mesh.triangle_count);
        if (ok) compute_mass_properties(&mesh, out);
        if (ok && !(out->volume > MIN_VOLUME * mesh.extent * mesh.extent * mesh.extent))
            REPORT_PROBLEM(report, "the triangles enclose no volume");
        else if (ok && !is_physical_inertia(out->principal_inertia))
            REPORT_PROBLEM(report, "the mesh intersects itself: its inertia is impossible for a body");
        else if (ok)
            report_solid(out, report);
    }
    arena_release(&mesh.arena, 0);
    if (!ok) r = fail(err, TARN_NO_MEMORY, "", "no memory for a mesh of %d triangles", in->triangle_count);
    if (ok && report->problem[0])
        r = fail(err, TARN_BAD_INPUT, "", "the mesh is not a solid: %s", report->problem);
    if (r != TARN_OK) solid_mesh_free(out, m);
    return r;
}

void solid_mesh_free(struct solid_mesh *solid, const struct memory *m)
{
    trimesh_free(&solid->mesh, m);
    *solid = (struct solid_mesh){0};
}

tarn_result tarn_mesh_inspect(int vertex_count, const double *vertices, int triangle_count,
                              const int *triangles, const tarn_allocator *allocator, tarn_mesh_report *out,
                              tarn_error *err)
{
    const struct triangle_soup in = {vertex_count, triangle_count, vertices, triangles};
    struct memory memory;
    struct solid_mesh solid;

    if (!out || vertex_count < 0 || triangle_count < 0 || (vertex_count > 0 && !vertices) ||
        (triangle_count > 0 && !triangles))
        return fail(err, TARN_BAD_ARGUMENT, "", "mesh arrays are missing");
    memory_init(&memory, allocator);
    const tarn_result r = mesh_repair(&in, &memory, &solid, out, err);
    if (r == TARN_BAD_INPUT && out->problem[0]) return TARN_OK; // the mesh is no solid; the report says why
    solid_mesh_free(&solid, &memory);
    return r;
}
