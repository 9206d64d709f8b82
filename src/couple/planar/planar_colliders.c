// Colliders of the obstacles in the planar model: convex parts, built once, and poses, set as the obstacles
// move. Concave outlines are triangulated by ear clipping [meisters1975], bitmaps divided into rectangles.
#include "body/shape/construct/prism.h"
#include "fluid/flow/obstacle/obstacle.h"
#include "planar_coupling.h"

#include <string.h>

enum { MAX_OUTLINE_VERTICES = 64 }; // of a polygon, see obstacle_polygon.c

struct outline {
    int count;
    double points[MAX_OUTLINE_VERTICES][2];
};

static double twice_area(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// The outline of an obstacle, counter-clockwise.
static struct outline outline_of(const struct obstacle *o)
{
    struct outline out = {.count = imin(o->point_count, MAX_OUTLINE_VERTICES)};
    double area = 0.0;
    for (int i = 1; i + 1 < out.count; ++i) area += twice_area(o->points[0], o->points[i], o->points[i + 1]);
    for (int i = 0; i < out.count; ++i) {
        const double *p = o->points[area > 0.0 ? i : out.count - 1 - i];
        out.points[i][0] = p[0], out.points[i][1] = p[1];
    }
    return out;
}

// Strictly convex, and winding once.
static bool is_convex(const struct outline *outline)
{
    for (int i = 0; i < outline->count; ++i)
        if (!(twice_area(outline->points[i], outline->points[(i + 1) % outline->count],
                         outline->points[(i + 2) % outline->count]) > 0.0))
            return false;
    double around = 0.0; // [rad] sum of the exterior angles: 4 pi for a star polygon
    for (int i = 0; i < outline->count; ++i) {
        const double *a = outline->points[i], *b = outline->points[(i + 1) % outline->count],
                     *c = outline->points[(i + 2) % outline->count];
        around += m_atan2(twice_area(a, b, c), (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]));
    }
    return around < 3.0 * PI;
}

// Add a convex outline, translated to its centre.
static bool add_convex_part(struct collider *f, int n, const double (*points)[2], int count,
                            const struct memory *m)
{
    double about[MAX_PRISM_VERTICES][2], x = 0.0, y = 0.0;
    struct convex_part *p = &f->shape.convex_parts[n];
    for (int i = 0; i < count; ++i) x += points[i][0] / count, y += points[i][1] / count;
    for (int i = 0; i < count; ++i) about[i][0] = points[i][0] - x, about[i][1] = points[i][1] - y;
    p->position = v3(x, y, 0.0);
    return prism_convex_part((const double(*)[2])about, count, m, p);
}

static bool is_in_triangle(const double *p, const double *a, const double *b, const double *c)
{
    return twice_area(a, b, p) >= 0.0 && twice_area(b, c, p) >= 0.0 && twice_area(c, a, p) >= 0.0;
}

static bool is_ear(const struct outline *outline, int i)
{
    const double *a = outline->points[(i + outline->count - 1) % outline->count], *b = outline->points[i],
                 *c = outline->points[(i + 1) % outline->count];
    if (!(twice_area(a, b, c) > 0.0)) return false;
    for (int k = 0; k < outline->count; ++k) {
        const double *p = outline->points[k];
        if (p != a && p != b && p != c && is_in_triangle(p, a, b, c)) return false;
    }
    return true;
}

// Triangulate by ear clipping; a remainder without an ear has no area.
static bool add_triangles(struct collider *f, struct outline outline, const struct memory *m)
{
    double ears[MAX_OUTLINE_VERTICES][3][2];
    int n = 0;
    for (int i = 0; outline.count >= 3 && i < outline.count;) {
        if (!is_ear(&outline, i)) {
            ++i;
            continue;
        }
        const int corner[3] = {(i + outline.count - 1) % outline.count, i, (i + 1) % outline.count};
        for (int k = 0; k < 3; ++k) memcpy(ears[n][k], outline.points[corner[k]], sizeof outline.points[0]);
        memmove(outline.points + i, outline.points + i + 1,
                (size_t)(outline.count - 1 - i) * sizeof *outline.points);
        --outline.count, ++n, i = 0;
    }
    bool ok = n == 0 || shape_alloc_parts(&f->shape, m, n);
    for (int k = 0; k < n && ok; ++k) ok = add_convex_part(f, k, (const double(*)[2])ears[k], 3, m);
    return ok;
}

// ---- bitmaps ----------------------------------------------------------------------------------------------

struct solid_map {
    const unsigned char *solid;
    unsigned char *uncovered; // solid cells that are in no rectangle yet
    int nx, ny;
};

static bool is_row_uncovered(const struct solid_map *p, int i, int width, int j)
{
    for (int k = i; k < i + width; ++k)
        if (!p->uncovered[j * p->nx + k]) return false;
    return true;
}

// The next rectangle of solid cells, as wide and then as high as possible: few seams, at which bodies could
// catch.
static bool next_rectangle(const struct solid_map *p, int *from, int out[4])
{
    while (*from < p->nx * p->ny && !p->uncovered[*from]) ++*from;
    if (*from == p->nx * p->ny) return false;
    const int i = *from % p->nx, j = *from / p->nx;
    int width = 1, height = 1;
    while (i + width < p->nx && p->uncovered[*from + width]) ++width;
    while (j + height < p->ny && is_row_uncovered(p, i, width, j + height)) ++height;
    for (int k = j; k < j + height; ++k) memset(p->uncovered + k * p->nx + i, 0, (size_t)width);
    out[0] = i, out[1] = j, out[2] = i + width, out[3] = j + height;
    return true;
}

static bool add_rectangles(struct collider *f, const struct obstacle *o, const struct memory *m)
{
    const int nx = o->def.bitmap.nx, ny = o->def.bitmap.ny;
    const size_t cells = (size_t)nx * (size_t)ny;
    struct solid_map p = {o->map, memory_alloc(m, cells, 1), nx, ny};
    int count = 0, from = 0, r[4];
    if (!p.uncovered) return false;
    const double x = o->def.bitmap.size.x / nx, y = o->def.bitmap.size.y / ny;
    memcpy(p.uncovered, p.solid, cells);
    while (next_rectangle(&p, &from, r)) ++count;
    bool ok = count == 0 || shape_alloc_parts(&f->shape, m, count);
    memcpy(p.uncovered, p.solid, cells);
    from = 0;
    for (int n = 0; n < count && ok && next_rectangle(&p, &from, r); ++n) {
        const double corners[4][2] = {
            {r[0] * x, r[1] * y}, {r[2] * x, r[1] * y}, {r[2] * x, r[3] * y}, {r[0] * x, r[3] * y}};
        ok = add_convex_part(f, n, corners, 4, m);
    }
    memory_free(m, p.uncovered, cells, 1);
    return ok;
}

// ---- all obstacles --------------------------------------------------------------------------------

static bool build_collider(struct collider *f, const struct obstacle *o, const struct memory *m)
{
    if (o->map) return add_rectangles(f, o, m);
    if (o->def.type == TARN_OBSTACLE_CIRCLE) return prism_add_disc(o->def.circle.radius, m, &f->shape);
    const struct outline outline = outline_of(o);
    if (outline.count > MAX_PRISM_VERTICES || !is_convex(&outline)) return add_triangles(f, outline, m);
    return shape_alloc_parts(&f->shape, m, 1) && add_convex_part(f, 0, outline.points, outline.count, m);
}

// Contact detection finds periodic images of bodies one domain away only, so obstacles are wrapped into the
// domain.
void planar_place_colliders(struct planar_coupling *s, const struct fluid *f, double ago)
{
    const double width = f->grid.nx * f->grid.dx;
    for (int i = 0; i < s->collider_count; ++i) {
        const struct planar_motion *p = &f->obstacles[i].motion;
        const double x = p->x - ago * p->u, y = p->y - ago * p->v;
        s->colliders[i].position = v3(f->periodic_x ? x - width * floor(x / width) : x, y, 0.0);
        s->colliders[i].rotation = quat_from_rotation_vector(v3(0.0, 0.0, p->angle - ago * p->spin));
        s->colliders[i].velocity = v3(p->u, p->v, 0.0);
        s->colliders[i].angular_velocity = v3(0.0, 0.0, p->spin);
    }
}

bool planar_update_colliders(struct planar_coupling *s, const struct fluid *f)
{
    if (!memory_grow(s->memory, (void **)&s->colliders, &s->collider_capacity, f->obstacle_count,
                     sizeof *s->colliders))
        return false;
    while (s->collider_count < f->obstacle_count) {
        struct collider *x = &s->colliders[s->collider_count];
        *x = (struct collider){0};
        if (!build_collider(x, &f->obstacles[s->collider_count], s->memory)) {
            shape_data_free(&x->shape, s->memory);
            return false;
        }
        for (int k = 0; k < x->shape.convex_part_count; ++k)
            x->bounding_radius = fmax(x->bounding_radius, v3_length(x->shape.convex_parts[k].position) +
                                                              x->shape.convex_parts[k].bounding_radius);
        ++s->collider_count;
    }
    planar_place_colliders(s, f, 0.0);
    return true;
}

void planar_free_colliders(struct planar_coupling *s)
{
    for (int i = 0; i < s->collider_count; ++i) shape_data_free(&s->colliders[i].shape, s->memory);
    memory_free(s->memory, s->colliders, (size_t)s->collider_capacity, sizeof *s->colliders);
}
