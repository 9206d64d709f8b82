// Orientation of a triangle mesh: connected components, consistent winding inside a component, outward
// orientation by nesting (point-in-mesh test by solid angle [vanoosterom1983]). Called by repair.c.
#include "body/mesh/repair.h"

#define MAX_NESTING_WORK 1e8  // limit of solid-angle evaluations in the nesting test; some seconds
#define BOX_TEST_COST    0.05 // cost of a box test in solid-angle evaluations

static void flip_triangle(struct repair_mesh *mesh, int t)
{
    const int vertex = mesh->triangles[t][1], twin = mesh->twin[3 * t];

    // The edges ab, bc, ca become ac, cb, ba: the first and the last change places. The twin numbers of the
    // neighbours become wrong by that; later passes only test whether an edge is EDGE_BOUNDARY, which stays
    // right.
    mesh->triangles[t][1] = mesh->triangles[t][2];
    mesh->triangles[t][2] = vertex;
    mesh->twin[3 * t] = mesh->twin[3 * t + 2];
    mesh->twin[3 * t + 2] = twin;
    mesh->is_flipped[t] = !mesh->is_flipped[t];
}

// Flood fill over the twins from triangle queue[0]: assigns the component number and lists the triangles in
// `queue`. flips[t] is 1 if t must be flipped to agree with queue[0]. Returns the number of triangles;
// *non_orientable is set if no choice makes all of them agree.
static int flood_component(struct repair_mesh *mesh, int *queue, char *flips, int component,
                           bool *non_orientable)
{
    int count = 1;

    mesh->component[queue[0]] = component;
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k) {
            const int e = 3 * queue[i] + k, f = mesh->twin[e];
            if (f < 0) continue;
            // Windings agree if both triangles pass along the common edge in opposite directions.
            const bool same = mesh->triangles[e / 3][k] == mesh->triangles[f / 3][f % 3];
            const char must_flip = (char)(flips[e / 3] != same);
            if (mesh->component[f / 3] < 0) {
                mesh->component[f / 3] = component;
                flips[f / 3] = must_flip;
                queue[count++] = f / 3;
            } else if (flips[f / 3] != must_flip) {
                *non_orientable = true;
            }
        }
    return count;
}

bool mesh_orient_consistently(struct repair_mesh *mesh, int *non_orientable_count)
{
    const size_t n = (size_t)mesh->triangle_count;

    mesh->input_triangle_count = mesh->triangle_count;
    mesh->component = arena_alloc(&mesh->arena, n, sizeof *mesh->component);
    mesh->is_flipped = arena_alloc(&mesh->arena, n, 1);
    const int mark = arena_mark(&mesh->arena);
    int *queue = arena_alloc(&mesh->arena, n, sizeof *queue);
    char *flips = arena_alloc(&mesh->arena, n, 1);
    if (!mesh->component || !mesh->is_flipped || !queue || !flips) return false;
    for (size_t t = 0; t < n; ++t) mesh->component[t] = -1;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        if (mesh->component[t] >= 0) continue;
        bool non_orientable = false;
        int flip_count = 0;
        queue[0] = t;
        const int count = flood_component(mesh, queue, flips, mesh->component_count++, &non_orientable);
        *non_orientable_count += non_orientable;
        for (int i = 0; i < count; ++i) flip_count += flips[queue[i]];
        for (int i = 0; i < count; ++i) // the majority keeps its winding; 2 marks a triangle to flip
            if (flips[queue[i]] == (2 * flip_count <= count)) flips[queue[i]] = 2;
    }
    for (int t = 0; t < mesh->triangle_count; ++t)
        if (flips[t] == 2) flip_triangle(mesh, t);
    arena_release(&mesh->arena, mark);
    return true;
}

// ---- outward orientation ----------------------------------------------------------------------------

struct mesh_component {
    int first, end;       // range in the list of triangles by component
    double signed_volume; // [m^3] positive: normals point outwards
    vec3 box_min, box_max, sample_point;
    int outermost; // index of the outermost component that contains it, or its own
};

static void measure_component(const struct repair_mesh *mesh, const int *triangles,
                              struct mesh_component *component)
{
    const vec3 origin = mesh->vertices[mesh->triangles[triangles[component->first]][0]];

    component->box_min = component->box_max = origin;
    for (int i = component->first; i < component->end; ++i) {
        const int *t = mesh->triangles[triangles[i]];
        const vec3 a = v3_sub(mesh->vertices[t[0]], origin), b = v3_sub(mesh->vertices[t[1]], origin);
        const vec3 c = v3_sub(mesh->vertices[t[2]], origin);
        component->signed_volume += v3_dot(a, v3_cross(b, c)) / 6.0;
        for (int k = 0; k < 3; ++k) {
            const vec3 v = mesh->vertices[t[k]];
            component->box_min = v3(fmin(component->box_min.x, v.x), fmin(component->box_min.y, v.y),
                                    fmin(component->box_min.z, v.z));
            component->box_max = v3(fmax(component->box_max.x, v.x), fmax(component->box_max.y, v.y),
                                    fmax(component->box_max.z, v.z));
        }
    }
    const int *t =
        mesh->triangles
            [triangles[component->first]]; // centroid of a triangle: a surface point that is no vertex
    component->sample_point =
        v3_scale(v3_add(mesh->vertices[t[0]], v3_add(mesh->vertices[t[1]], mesh->vertices[t[2]])), 1.0 / 3.0);
}

static int orientation_sign(const struct mesh_component *component)
{
    return component->signed_volume < 0.0 ? -1 : 1;
}

static bool is_box_inside(const struct mesh_component *a, const struct mesh_component *b)
{
    return a->box_min.x >= b->box_min.x && a->box_min.y >= b->box_min.y && a->box_min.z >= b->box_min.z &&
           a->box_max.x <= b->box_max.x && a->box_max.y <= b->box_max.y && a->box_max.z <= b->box_max.z;
}

// The solid angle of a closed surface seen from a point is +-4 pi inside and 0 outside [vanoosterom1983].
static bool contains_point(const struct repair_mesh *mesh, const int *triangles,
                           const struct mesh_component *component, vec3 point)
{
    double angle = 0.0;

    for (int i = component->first; i < component->end; ++i) {
        const int *t = mesh->triangles[triangles[i]];
        const vec3 a = v3_sub(mesh->vertices[t[0]], point), b = v3_sub(mesh->vertices[t[1]], point);
        const vec3 c = v3_sub(mesh->vertices[t[2]], point);
        const double la = v3_length(a), lb = v3_length(b), lc = v3_length(c);
        angle += 2.0 * m_atan2(v3_dot(a, v3_cross(b, c)),
                               la * lb * lc + v3_dot(a, b) * lc + v3_dot(b, c) * la + v3_dot(c, a) * lb);
    }
    return fabs(angle) > 2.0 * PI;
}

// Sets components[i].outermost to the component of largest volume that contains i and has this orientation
// sign (0: any sign). False: the work limit was reached.
static bool find_outermost(const struct repair_mesh *mesh, const int *triangles,
                           struct mesh_component *components, int i, int sign, double *work)
{
    struct mesh_component *component = &components[i];

    for (int k = 0; k < mesh->component_count; ++k) {
        const struct mesh_component *other = &components[k];
        if ((*work += BOX_TEST_COST) > MAX_NESTING_WORK) return false;
        if (k == i || (sign && (other->outermost != k || orientation_sign(other) != sign))) continue;
        if (fabs(other->signed_volume) <= fabs(components[component->outermost].signed_volume) ||
            !is_box_inside(component, other))
            continue;
        *work += other->end - other->first;
        if (contains_point(mesh, triangles, other, component->sample_point)) component->outermost = k;
    }
    return true;
}

// Finds the outermost components as far as their orientation sign matters. Components of the rarer sign are
// tested against all others. A component of the common sign needs a test only against outermost components of
// the rarer sign: inside none of these, its outermost component has its own sign.
static bool find_all_outermost(const struct repair_mesh *mesh, const int *triangles,
                               struct mesh_component *components, int rare_sign)
{
    double work = 0.0;
    int outermost_count = 0;

    for (int i = 0; i < mesh->component_count; ++i) {
        if (orientation_sign(&components[i]) != rare_sign) continue;
        if (!find_outermost(mesh, triangles, components, i, 0, &work)) return false;
        outermost_count += components[i].outermost == i;
    }
    for (int i = 0; outermost_count > 0 && i < mesh->component_count; ++i)
        if (orientation_sign(&components[i]) != rare_sign &&
            !find_outermost(mesh, triangles, components, i, rare_sign, &work))
            return false;
    return true;
}

// Lists the triangles of each component, one component after the other, and measures the components.
static bool list_components(struct repair_mesh *mesh, int **triangles, struct mesh_component **components)
{
    *triangles = arena_alloc(&mesh->arena, (size_t)mesh->triangle_count, sizeof **triangles);
    *components = arena_alloc(&mesh->arena, (size_t)mesh->component_count, sizeof **components);
    if (!*triangles || !*components) return false;
    for (int t = 0; t < mesh->triangle_count; ++t) (*components)[mesh->component[t]].end++;
    for (int i = 0, first = 0; i < mesh->component_count; ++i) {
        struct mesh_component *component = &(*components)[i];
        const int count = component->end;
        component->first = component->end = first;
        component->outermost = i;
        first += count;
    }
    for (int t = 0; t < mesh->triangle_count; ++t) (*triangles)[(*components)[mesh->component[t]].end++] = t;
    for (int i = 0; i < mesh->component_count; ++i) measure_component(mesh, *triangles, &(*components)[i]);
    return true;
}

// The outermost component of each nest is oriented outwards; the components inside are flipped together with
// it, so that cavities stay cavities, also in a file that is inside out as a whole. If all components have
// the same sign, no nesting test is needed.
bool mesh_orient_outward(struct repair_mesh *mesh, bool *too_many)
{
    int *triangles, inward_count = 0;
    struct mesh_component *components;

    if (!list_components(mesh, &triangles, &components)) return false;
    for (int i = 0; i < mesh->component_count; ++i) inward_count += orientation_sign(&components[i]) < 0;
    const int outward_count = mesh->component_count - inward_count;
    if (inward_count > 0 && outward_count > 0 &&
        !find_all_outermost(mesh, triangles, components, inward_count <= outward_count ? -1 : 1)) {
        *too_many = true;
        return true;
    }
    for (int i = 0; inward_count > 0 && i < mesh->component_count; ++i) {
        const bool flips = orientation_sign(&components[components[i].outermost]) < 0;
        mesh->report->cavities += (orientation_sign(&components[i]) < 0) != flips;
        for (int k = components[i].first; flips && k < components[i].end; ++k) {
            int *t = mesh->triangles[triangles[k]];
            const int vertex = t[1];
            t[1] = t[2];
            t[2] = vertex;
            if (triangles[k] < mesh->input_triangle_count)
                mesh->is_flipped[triangles[k]] = !mesh->is_flipped[triangles[k]];
        }
    }
    return true;
}
