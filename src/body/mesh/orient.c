// Orientation of a triangle mesh: connected components, consistent winding inside a component, outward
// orientation by nesting (point-in-mesh test by solid angle [vanoosterom1983]). Called by repair.c.
#include "repair.h"

#define MAX_NESTING_WORK 1e8  // limit of solid-angle evaluations in the nesting test; some seconds
#define BOX_TEST_COST    0.05 // cost of a box test in solid-angle evaluations

static void flip_triangle(struct repair_mesh *s, int t)
{
    const int corner = s->triangles[t][1], mate = s->twin[3 * t];

    // The edges ab, bc, ca become ac, cb, ba: the first and the last change places. The twin numbers of the
    // neighbours become wrong by that; later passes only ask whether an edge is EDGE_BOUNDARY, which stays
    // right.
    s->triangles[t][1] = s->triangles[t][2];
    s->triangles[t][2] = corner;
    s->twin[3 * t] = s->twin[3 * t + 2];
    s->twin[3 * t + 2] = mate;
    s->is_flipped[t] = !s->is_flipped[t];
}

// Flood fill over the twins from triangle queue[0]: assigns the component number and lists the triangles in
// `queue`. flips[t] is 1 if t must be flipped to agree with queue[0]. Returns the number of triangles;
// *non_orientable is set if no choice makes all of them agree.
static int flood_component(struct repair_mesh *s, int *queue, char *flips, int part, bool *twisted)
{
    int count = 1;

    s->component[queue[0]] = part;
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k) {
            const int e = 3 * queue[i] + k, f = s->twin[e];
            if (f < 0) continue;
            // Windings agree if both triangles pass along the common edge in opposite directions.
            const bool same = s->triangles[e / 3][k] == s->triangles[f / 3][f % 3];
            const char want = (char)(flips[e / 3] != same);
            if (s->component[f / 3] < 0) {
                s->component[f / 3] = part;
                flips[f / 3] = want;
                queue[count++] = f / 3;
            } else if (flips[f / 3] != want) {
                *twisted = true;
            }
        }
    return count;
}

bool mesh_orient_consistently(struct repair_mesh *s, int *twisted)
{
    const size_t n = (size_t)s->triangle_count;

    s->input_triangle_count = s->triangle_count;
    s->component = arena_alloc(s, n, sizeof *s->component);
    s->is_flipped = arena_alloc(s, n, 1);
    const int mark = arena_mark(s);
    int *queue = arena_alloc(s, n, sizeof *queue);
    char *flips = arena_alloc(s, n, 1);
    if (!s->component || !s->is_flipped || !queue || !flips) return false;
    for (size_t t = 0; t < n; ++t) s->component[t] = -1;
    for (int t = 0; t < s->triangle_count; ++t) {
        if (s->component[t] >= 0) continue;
        bool bad = false;
        int wrong = 0;
        queue[0] = t;
        const int count = flood_component(s, queue, flips, s->component_count++, &bad);
        *twisted += bad;
        for (int i = 0; i < count; ++i) wrong += flips[queue[i]];
        for (int i = 0; i < count; ++i) // the majority keeps its winding; 2 marks a triangle to flip
            if (flips[queue[i]] == (2 * wrong <= count)) flips[queue[i]] = 2;
    }
    for (int t = 0; t < s->triangle_count; ++t)
        if (flips[t] == 2) flip_triangle(s, t);
    arena_release(s, mark);
    return true;
}

// ---- outward orientation ----------------------------------------------------------------------------

struct mesh_component {
    int first, end;       // range in the list of triangles by component
    double signed_volume; // [m^3] positive: normals point outwards
    vec3 box_min, box_max, sample_point;
    int outermost; // index of the outermost component that contains it, or its own
};

static void measure_component(const struct repair_mesh *s, const int *faces, struct mesh_component *p)
{
    const vec3 o = s->vertices[s->triangles[faces[p->first]][0]];

    p->box_min = p->box_max = o;
    for (int i = p->first; i < p->end; ++i) {
        const int *t = s->triangles[faces[i]];
        const vec3 a = v3_sub(s->vertices[t[0]], o), b = v3_sub(s->vertices[t[1]], o);
        const vec3 c = v3_sub(s->vertices[t[2]], o);
        p->signed_volume += v3_dot(a, v3_cross(b, c)) / 6.0;
        for (int k = 0; k < 3; ++k) {
            const vec3 v = s->vertices[t[k]];
            p->box_min = v3(fmin(p->box_min.x, v.x), fmin(p->box_min.y, v.y), fmin(p->box_min.z, v.z));
            p->box_max = v3(fmax(p->box_max.x, v.x), fmax(p->box_max.y, v.y), fmax(p->box_max.z, v.z));
        }
    }
    const int *t = s->triangles[faces[p->first]]; // centroid of a triangle: a surface point that is no vertex
    p->sample_point =
        v3_scale(v3_add(s->vertices[t[0]], v3_add(s->vertices[t[1]], s->vertices[t[2]])), 1.0 / 3.0);
}

static int orientation_sign(const struct mesh_component *p) { return p->signed_volume < 0.0 ? -1 : 1; }

static bool is_box_inside(const struct mesh_component *a, const struct mesh_component *b)
{
    return a->box_min.x >= b->box_min.x && a->box_min.y >= b->box_min.y && a->box_min.z >= b->box_min.z &&
           a->box_max.x <= b->box_max.x && a->box_max.y <= b->box_max.y && a->box_max.z <= b->box_max.z;
}

// The solid angle of a closed surface seen from a point is +-4 pi inside and 0 outside [vanoosterom1983].
static bool contains_point(const struct repair_mesh *s, const int *faces, const struct mesh_component *p,
                           vec3 at)
{
    double angle = 0.0;

    for (int i = p->first; i < p->end; ++i) {
        const int *t = s->triangles[faces[i]];
        const vec3 a = v3_sub(s->vertices[t[0]], at), b = v3_sub(s->vertices[t[1]], at);
        const vec3 c = v3_sub(s->vertices[t[2]], at);
        const double la = v3_length(a), lb = v3_length(b), lc = v3_length(c);
        angle += 2.0 * m_atan2(v3_dot(a, v3_cross(b, c)),
                               la * lb * lc + v3_dot(a, b) * lc + v3_dot(b, c) * la + v3_dot(c, a) * lb);
    }
    return fabs(angle) > 2.0 * PI;
}

// Sets components[i].outermost to the component of largest volume that contains i and has this orientation
// sign (0: any sign). False: the work limit was reached.
static bool find_outermost(const struct repair_mesh *s, const int *faces, struct mesh_component *pieces,
                           int i, int sign, double *effort)
{
    struct mesh_component *p = &pieces[i];

    for (int k = 0; k < s->component_count; ++k) {
        const struct mesh_component *q = &pieces[k];
        if ((*effort += BOX_TEST_COST) > MAX_NESTING_WORK) return false;
        if (k == i || (sign && (q->outermost != k || orientation_sign(q) != sign))) continue;
        if (fabs(q->signed_volume) <= fabs(pieces[p->outermost].signed_volume) || !is_box_inside(p, q))
            continue;
        *effort += q->end - q->first;
        if (contains_point(s, faces, q, p->sample_point)) p->outermost = k;
    }
    return true;
}

// Finds the outermost components as far as their orientation sign matters. Components of the rarer sign are
// tested against all others. A component of the common sign needs a test only against outermost components of
// the rarer sign: inside none of these, its outermost component has its own sign.
static bool find_all_outermost(const struct repair_mesh *s, const int *faces, struct mesh_component *pieces,
                               int rare)
{
    double effort = 0.0;
    int roots = 0;

    for (int i = 0; i < s->component_count; ++i) {
        if (orientation_sign(&pieces[i]) != rare) continue;
        if (!find_outermost(s, faces, pieces, i, 0, &effort)) return false;
        roots += pieces[i].outermost == i;
    }
    for (int i = 0; roots > 0 && i < s->component_count; ++i)
        if (orientation_sign(&pieces[i]) != rare && !find_outermost(s, faces, pieces, i, rare, &effort))
            return false;
    return true;
}

// Lists the triangles of each component, one component after the other, and measures the components.
static bool list_components(struct repair_mesh *s, int **faces, struct mesh_component **pieces)
{
    *faces = arena_alloc(s, (size_t)s->triangle_count, sizeof **faces);
    *pieces = arena_alloc(s, (size_t)s->component_count, sizeof **pieces);
    if (!*faces || !*pieces) return false;
    for (int t = 0; t < s->triangle_count; ++t) (*pieces)[s->component[t]].end++;
    for (int i = 0, at = 0; i < s->component_count; ++i) {
        struct mesh_component *p = &(*pieces)[i];
        const int count = p->end;
        p->first = p->end = at;
        p->outermost = i;
        at += count;
    }
    for (int t = 0; t < s->triangle_count; ++t) (*faces)[(*pieces)[s->component[t]].end++] = t;
    for (int i = 0; i < s->component_count; ++i) measure_component(s, *faces, &(*pieces)[i]);
    return true;
}

// The outermost component of each nest is oriented outwards; the components inside are flipped together with
// it, so that cavities stay cavities, also in a file that is inside out as a whole. If all components have
// the same sign, no nesting test is needed.
bool mesh_orient_outward(struct repair_mesh *s, bool *lost)
{
    int *faces, inward = 0;
    struct mesh_component *pieces;

    if (!list_components(s, &faces, &pieces)) return false;
    for (int i = 0; i < s->component_count; ++i) inward += orientation_sign(&pieces[i]) < 0;
    const int outward = s->component_count - inward;
    if (inward > 0 && outward > 0 && !find_all_outermost(s, faces, pieces, inward <= outward ? -1 : 1)) {
        *lost = true;
        return true;
    }
    for (int i = 0; inward > 0 && i < s->component_count; ++i) {
        const bool turn = orientation_sign(&pieces[pieces[i].outermost]) < 0;
        s->report->cavities += (orientation_sign(&pieces[i]) < 0) != turn;
        for (int k = pieces[i].first; turn && k < pieces[i].end; ++k) {
            int *t = s->triangles[faces[k]];
            const int corner = t[1];
            t[1] = t[2];
            t[2] = corner;
            if (faces[k] < s->input_triangle_count) s->is_flipped[faces[k]] = !s->is_flipped[faces[k]];
        }
    }
    return true;
}
