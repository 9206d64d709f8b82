// Exact clipping of a hull against the grid columns.
//
// Every triangle is divided among the columns exactly. A piece over a column has a = -(upward area)/s^2 and a
// mean height y; below a surface at eta the body displaces b(eta) = sum a (eta - y)+ of that column. A hull
// may pass a column any number of times, so rings and bowls are included.
//
// Only pieces near the surface can become wet or dry before the next build, so only those are kept. The
// surface is a plane here, and the band reaches half the width of a column to both sides of it:
//
//     above the band    dry: only the cover of faces that look down
//     in the band       pieces, in a list per column
//     below the band    wet: two sums per column
//
// If the plane leaves the band, the hull is clipped again in the same pose about the new plane. So the band
// changes only the order of sums.
//
// Most triangles of a fine mesh lie within one column, or within 2 x 2 (hull_clip_rows.c); larger ones are
// subdivided or clipped as polygons.
#include "couple/coupling.h"

#include "base/error.h"

#include <string.h>

#define BAND_COLUMNS      0.5 // [columns] half width of the band, unless all pieces are kept
#define MAX_CLIP_VERTICES 9   // of a clipped triangle

static const struct hull_clip_kernels *kernels(void) { return KERNELS_SELECT(hull_clip_kernels); }

enum { QUEUE_SIZE = 4 * CLUSTER_SIZE }; // triangles that wait until all lanes can be filled

// Triangles that wait to be clipped.
struct clip_queue {
    const struct trimesh *hull;
    const struct column_vertex *vertices;
    const struct hull_clip_kernels *kernels;
    struct clip_target target;
    int queue[3][QUEUE_SIZE]; // by band_side
    int queued[3];
    // parts of subdivided triangles, for the next call of split_2x2()
    int count;
    struct triangle_lanes lanes;
    float y[CLIP_LANES];  // [m] origin of the heights
    int cell[CLIP_LANES]; // first column
    enum band_side band[CLIP_LANES];
};

// ---- adding to the columns ------------------------------------------------------------------------

// `height` is the mean above the rest level.
static void add_piece(struct clip_target *p, int cell, enum band_side side, double area, double height)
{
    struct column_hull *t = &p->column_hulls[cell];
    if (area > 0.0) t->downward_area += (float)area;
    if (side == BELOW_BAND) {
        t->submerged[0] += area;
        t->submerged[1] += area * height;
    } else if (side == IN_BAND) {
        p->pieces[p->piece_count++] = (struct hull_piece){(float)area, (float)height, t->first_piece};
        t->first_piece = p->piece_count;
    }
}

static void flush_lanes(struct clip_queue *b)
{
    struct cell_shares s;
    const int to[4] = {0, 1, b->target.ni, b->target.ni + 1};
    b->kernels->split_2x2(&b->lanes, &s);
    for (int n = 0; n < b->count; ++n)
        for (int k = 0; k < 4; ++k) {
            const double area = s.area[k][n];
            if (fabs(area) >= (double)MIN_SHARE)
                add_piece(&b->target, b->cell[n] + to[k], b->band[n], area, b->y[n] + s.height[k][n] / area);
        }
    b->count = 0;
}

// ---- large triangles ------------------------------------------------------------------------------

struct clip_vertex {
    double x, z, y;
};

static double coordinate(const struct clip_vertex *c, int axis) { return axis ? c->z : c->x; }

static struct clip_vertex intersect_line(const struct clip_vertex *a, const struct clip_vertex *b, double t,
                                         int axis, double at)
{
    const double x = a->x + t * (b->x - a->x), z = a->z + t * (b->z - a->z), y = a->y + t * (b->y - a->y);
    return axis ? (struct clip_vertex){x, at, y} : (struct clip_vertex){at, z, y};
}

// Split a polygon by a line; a vertex on it belongs to both parts.
static int split_polygon(const struct clip_vertex *in, int count, int axis, double at,
                         struct clip_vertex *low, struct clip_vertex *high, int *high_count)
{
    int below = 0, above = 0;
    double da = coordinate(&in[0], axis) - at;
    for (int k = 0; k < count; ++k) {
        const struct clip_vertex *a = &in[k], *b = &in[k + 1 < count ? k + 1 : 0];
        const double db = coordinate(b, axis) - at;
        if (da <= 0.0) low[below++] = *a;
        if (da >= 0.0) high[above++] = *a;
        if (da * db < 0.0) low[below++] = high[above++] = intersect_line(a, b, da / (da - db), axis, at);
        da = db;
    }
    *high_count = above;
    return below;
}

static void add_polygon(struct clip_target *p, const struct clip_vertex *c, int count, int cell,
                        enum band_side side)
{
    double area = 0.0, height = 0.0;
    for (int k = 1; k + 1 < count; ++k) {
        const double twice =
            (c[k].x - c[0].x) * (c[k + 1].z - c[0].z) - (c[k + 1].x - c[0].x) * (c[k].z - c[0].z);
        area += 0.5 * twice;
        height += twice / 6.0 * (c[0].y + c[k].y + c[k + 1].y);
    }
    if (fabs(area) >= (double)MIN_SHARE) add_piece(p, cell, side, area, height / area);
}

static int first_cell(const struct clip_vertex *c, int count, int axis)
{
    double low = coordinate(&c[0], axis);
    for (int k = 1; k < count; ++k) low = coordinate(&c[k], axis) < low ? coordinate(&c[k], axis) : low;
    return (int)floor(low);
}

static int last_cell(const struct clip_vertex *c, int count, int axis)
{
    double high = coordinate(&c[0], axis);
    for (int k = 1; k < count; ++k) high = coordinate(&c[k], axis) > high ? coordinate(&c[k], axis) : high;
    return (int)ceil(high) - 1;
}

// Clip a polygon within row j to its cells.
static void clip_to_cells(struct clip_target *p, struct clip_vertex *c, int count, int j, enum band_side side)
{
    struct clip_vertex part[MAX_CLIP_VERTICES], rest[MAX_CLIP_VERTICES];
    const int last = last_cell(c, count, 0);
    for (int i = first_cell(c, count, 0); i < last; ++i) {
        const int left = split_polygon(c, count, 0, i + 1.0, part, rest, &count);
        if (left >= 3) add_polygon(p, part, left, j * p->ni + i, side);
        memcpy(c, rest, (size_t)count * sizeof *c);
        if (count < 3) return;
    }
    add_polygon(p, c, count, j * p->ni + last, side);
}

static void clip_to_rows(struct clip_target *p, const struct column_vertex *const t[3], enum band_side side)
{
    struct clip_vertex c[MAX_CLIP_VERTICES], part[MAX_CLIP_VERTICES], rest[MAX_CLIP_VERTICES];
    int count = 3;
    for (int k = 0; k < 3; ++k)
        c[k] = (struct clip_vertex){(double)t[k]->x - p->origin_i, (double)t[k]->z - p->origin_j, t[k]->y};
    const int last = last_cell(c, 3, 1);
    for (int j = first_cell(c, 3, 1); j < last; ++j) {
        const int below = split_polygon(c, count, 1, j + 1.0, part, rest, &count);
        if (below >= 3) clip_to_cells(p, part, below, j, side);
        memcpy(c, rest, (size_t)count * sizeof *c);
        if (count < 3) return;
    }
    clip_to_cells(p, c, count, last, side);
}

// ---- triangles ------------------------------------------------------------------------------------

static float min3(float a, float b, float c)
{
    const float m = a < b ? a : b;
    return m < c ? m : c;
}
static float max3(float a, float b, float c)
{
    const float m = a > b ? a : b;
    return m > c ? m : c;
}

static struct column_vertex midpoint(const struct column_vertex *a, const struct column_vertex *b)
{
    return (struct column_vertex){0.5f * (a->x + b->x), 0.5f * (a->z + b->z), 0.5f * (a->y + b->y), IN_BAND};
}

static void clip_triangle(struct clip_queue *b, const struct column_vertex *c0,
                          const struct column_vertex *c1, const struct column_vertex *c2,
                          enum band_side side);

static void subdivide(struct clip_queue *b, const struct column_vertex *const c[3], enum band_side side)
{
    const struct column_vertex m0 = midpoint(c[1], c[2]), m1 = midpoint(c[2], c[0]),
                               m2 = midpoint(c[0], c[1]);
    clip_triangle(b, c[0], &m2, &m1, side);
    clip_triangle(b, &m2, c[1], &m0, side);
    clip_triangle(b, &m1, &m0, c[2], side);
    clip_triangle(b, &m0, &m1, &m2, side);
}

// A triangle within one column or within 2 x 2 columns; others are subdivided or clipped as polygons.
static void clip_triangle(struct clip_queue *b, const struct column_vertex *c0,
                          const struct column_vertex *c1, const struct column_vertex *c2, enum band_side side)
{
    struct clip_target *p = &b->target;
    const float x0 = min3(c0->x, c1->x, c2->x), x1 = max3(c0->x, c1->x, c2->x);
    const float z0 = min3(c0->z, c1->z, c2->z), z1 = max3(c0->z, c1->z, c2->z);
    const int i = (int)x0, j = (int)z0; // never negative
    const float x = (float)i, z = (float)j;
    if (x1 > x + 2.0f || z1 > z + 2.0f) {
        const struct column_vertex *const c[3] = {c0, c1, c2};
        const float max_width =
            side == IN_BAND ? 1.99f : 3.98f; // in the band, two subdivisions would make too many pieces
        if (x1 - x0 < max_width && z1 - z0 < max_width)
            subdivide(b, c, side);
        else
            clip_to_rows(p, c, side);
        return;
    }
    const int cell = (j - p->origin_j) * p->ni + i - p->origin_i;
    if (x1 <= x + 1.0f && z1 <= z + 1.0f) {
        const double area =
            0.5 * (double)((c1->x - c0->x) * (c2->z - c0->z) - (c2->x - c0->x) * (c1->z - c0->z));
        if (fabs(area) >= (double)MIN_SHARE)
            add_piece(p, cell, side, area, (double)(c0->y + c1->y + c2->y) * (1.0 / 3.0));
        return;
    }
    const struct column_vertex *const c[3] = {c0, c1, c2};
    const int n = b->count++;
    for (int k = 0; k < 3; ++k) {
        b->lanes.x[k][n] = c[k]->x - x, b->lanes.z[k][n] = c[k]->z - z;
        b->lanes.y[k][n] = c[k]->y - c0->y;
    }
    b->cell[n] = cell, b->band[n] = side, b->y[n] = c0->y;
    if (b->count == CLIP_LANES) flush_lanes(b);
}

static bool faces_down(const struct column_vertex *a, const struct column_vertex *b,
                       const struct column_vertex *c)
{
    return (b->x - a->x) * (c->z - a->z) - (c->x - a->x) * (b->z - a->z) > 0.0f;
}

// Clip the triangles of a queue.
static void clip_queued(struct clip_queue *b, enum band_side side)
{
    int left[QUEUE_SIZE];
    const struct column_vertex *c = b->vertices;
    const int(*triangles)[3] = (const int(*)[3])b->hull->triangles;
    const int rest =
        b->kernels->clip_triangles(&b->target, c, triangles, b->queue[side], b->queued[side], side, left);
    for (int k = 0; k < rest; ++k) {
        const int *v = triangles[left[k]];
        clip_triangle(b, &c[v[0]], &c[v[1]], &c[v[2]], side);
    }
    b->queued[side] = 0;
}

static void queue_cluster(struct clip_queue *b, const struct triangle_cluster *cluster)
{
    for (int t = cluster->first; t < cluster->first + cluster->count; ++t) {
        const int *v = b->hull->triangles[t];
        const struct column_vertex *c0 = &b->vertices[v[0]], *c1 = &b->vertices[v[1]],
                                   *c2 = &b->vertices[v[2]];
        const int side = c0->band & c1->band & c2->band;
        if (side != ABOVE_BAND || faces_down(c0, c1, c2)) b->queue[side][b->queued[side]++] = t;
    }
    for (int k = 0; k < 3; ++k)
        if (b->queued[k] > QUEUE_SIZE - CLUSTER_SIZE) clip_queued(b, (enum band_side)k);
}

// Whether all triangles of a cluster are above the band and look up, so that they contribute nothing. Height
// of a point r above the plane: offset + slope . r in body axes.
static bool is_dry_and_facing_up(const struct triangle_cluster *t, vec3 up, vec3 slope, double offset,
                                 double edge)
{
    const double height = offset + v3_dot(slope, t->box_centre);
    const double range = fabs(slope.x) * t->box_half.x + fabs(slope.y) * t->box_half.y +
                         fabs(slope.z) * t->box_half.z + 1e-6 * edge;
    return height - range > edge && v3_dot(t->cone_axis, up) > t->cone_sine + 1e-6;
}

// ---- the hull -------------------------------------------------------------------------------------

// Transform the vertices to columns, counted from one so far south-west that no coordinate is negative.
static void transform_vertices(struct body_coupling *p, const struct fluid *f, const mat3 *rotation,
                               const struct plane *eta, double edge, float low[4], float high[4])
{
    const double columns_per_metre = 1.0 / f->grid.dx, (*m)[3] = rotation->m;
    const double x = (p->build_x - f->grid.x0) * columns_per_metre,
                 z = (p->build_z - f->grid.z0) * columns_per_metre;
    double map[4][4] = {{0}, {0}, {0}, {0}};
    for (int k = 0; k < 3; ++k) {
        map[0][k] = columns_per_metre * m[0][k], map[1][k] = columns_per_metre * m[2][k], map[2][k] = m[1][k];
        map[3][k] = m[1][k] - eta->b * m[0][k] - eta->c * m[2][k];
    }
    p->i0 = (int)floor(x) - p->radius_columns, p->j0 = (int)floor(z) - p->radius_columns;
    map[0][3] = x - p->i0, map[1][3] = z - p->j0;
    map[2][3] = p->build_y - f->rest_level, map[3][3] = map[2][3] - eta->a;
    kernels()->transform_vertices(p->hull->vertices, p->hull->vertex_count, map, (float)edge, p->vertices,
                                  low, high);
}

// The arrays are contiguous, each as long as the patch has columns, so that those of a small body stay in the
// cache.
static void assign_column_arrays(struct body_coupling *p)
{
    struct columns *c = &p->columns;
    float **const all[COLUMN_ARRAYS] = {
        &c->wet_area,     &c->wet_moment,       &c->valid_min,      &c->valid_max,
        &c->displaced,    &c->displaced_smooth, &c->displaced_next, &c->surface_without_body,
        &c->cover,        &c->fit_weight[0],    &c->fit_weight[1],  &c->fit_weight[2],
        &c->plane_height, &c->half_smooth};
    for (int k = 0; k < COLUMN_ARRAYS; ++k) *all[k] = p->column_storage + k * p->ni * p->nj;
}

static int round_up_to_lanes(int n) { return (n + COLUMN_LANES - 1) / COLUMN_LANES * COLUMN_LANES; }

// Rings around the columns under the hull: one for smoothing, one for the motion in a substep if the model
// advects its depth, and an empty one.
static int halo_width(const struct fluid *f) { return f->model->height_field->can_advect_depth ? 3 : 2; }

// A clipped hull in a snapshot. Its columns and pieces follow.
struct stored_clip {
    double x, y, z; // pose
    quat rotation;
    struct plane plane;
    int i0, j0, ni, nj, origin_i, origin_j;
    int body, piece_count;
};

static struct stored_clip describe_clip(const struct body_coupling *p, int body)
{
    struct stored_clip clip;
    memset(&clip, 0, sizeof clip); // snapshots of equal states are equal
    clip.x = p->build_x, clip.y = p->build_y, clip.z = p->build_z;
    clip.rotation = p->build_rotation, clip.plane = p->band_plane;
    clip.i0 = p->i0, clip.j0 = p->j0, clip.ni = p->ni, clip.nj = p->nj;
    clip.origin_i = p->origin_i, clip.origin_j = p->origin_j;
    clip.body = body, clip.piece_count = p->piece_count;
    return clip;
}

static size_t hull_bytes(const struct stored_clip *clip)
{
    return (size_t)(clip->ni * clip->nj) * sizeof(struct column_hull);
}

static size_t piece_bytes(const struct stored_clip *clip)
{
    return (size_t)clip->piece_count * sizeof(struct hull_piece);
}

void patch_save_clip(const struct body_coupling *p, int body, tarn_write_fn write, void *context)
{
    const struct stored_clip clip = describe_clip(p, body);
    write(context, &clip, sizeof clip);
    write(context, p->column_hulls, hull_bytes(&clip));
    write(context, p->pieces, piece_bytes(&clip));
}

const unsigned char *patch_next_clip(const unsigned char *stored, int *body)
{
    struct stored_clip clip;
    memcpy(&clip, stored, sizeof clip);
    *body = clip.body;
    return stored + sizeof clip + hull_bytes(&clip) + piece_bytes(&clip);
}

// Copy the clipped hull of a snapshot. False: it is of another pose or for another plane.
static bool copy_stored_clip(struct body_coupling *p)
{
    struct stored_clip clip;
    const unsigned char *columns = p->stored + sizeof clip;
    memcpy(&clip, p->stored, sizeof clip);
    const quat a = clip.rotation, b = p->build_rotation;
    if (clip.x != p->build_x || clip.y != p->build_y || clip.z != p->build_z || a.w != b.w || a.x != b.x ||
        a.y != b.y || a.z != b.z || clip.plane.a != p->band_plane.a || clip.plane.b != p->band_plane.b ||
        clip.plane.c != p->band_plane.c)
        return false;
    p->i0 = clip.i0, p->j0 = clip.j0, p->ni = clip.ni, p->nj = clip.nj;
    p->origin_i = clip.origin_i, p->origin_j = clip.origin_j, p->piece_count = clip.piece_count;
    ASSERT(p->ni * p->nj <= p->column_hull_capacity && p->piece_count <= p->piece_capacity);
    assign_column_arrays(p);
    memcpy(p->column_hulls, columns, hull_bytes(&clip));
    memcpy(p->pieces, columns + hull_bytes(&clip), piece_bytes(&clip));
    return true;
}

void patch_clip_hull(struct body_coupling *p, const struct fluid *f, struct plane eta)
{
    const mat3 rotation = quat_to_matrix(p->build_rotation);
    float low[4], high[4];
    p->band_plane = eta;
    p->band_half_width = p->keeps_all_pieces ? 1e6 : BAND_COLUMNS * f->grid.dx;
    if (p->stored && copy_stored_clip(p)) return;
    // The height of the plane is evaluated at the centre of a column, up to half a column away from a piece.
    const double edge = p->band_half_width + 0.51 * f->grid.dx * (fabs(eta.b) + fabs(eta.c));
    transform_vertices(p, f, &rotation, &eta, edge, low, high);
    const int rings = halo_width(f);
    p->origin_i = (int)low[0] - rings, p->ni = round_up_to_lanes((int)high[0] + rings + 1 - p->origin_i);
    p->origin_j = (int)low[1] - rings, p->nj = (int)high[1] + rings + 1 - p->origin_j;
    p->i0 += p->origin_i, p->j0 += p->origin_j;
    ASSERT(p->ni * p->nj <= p->column_hull_capacity);
    assign_column_arrays(p);
    memset(p->column_hulls, 0, (size_t)(p->ni * p->nj) * sizeof *p->column_hulls);
    const vec3 up = mat3_mul_t(&rotation, v3(0, 1, 0)),
               slope = mat3_mul_t(&rotation, v3(-eta.b, 1.0, -eta.c));
    const double offset = p->build_y - f->rest_level - eta.a;
    struct clip_queue b;
    b.hull = p->hull, b.vertices = p->vertices, b.kernels = kernels();
    b.target = (struct clip_target){p->ni, p->origin_i, p->origin_j, p->column_hulls, p->pieces, 0};
    b.queued[ABOVE_BAND] = b.queued[IN_BAND] = b.queued[BELOW_BAND] = b.count = 0;
    for (int k = 0; k < p->hull->cluster_count; ++k) {
        const struct triangle_cluster *t = &p->hull->clusters[k];
        if (!is_dry_and_facing_up(t, up, slope, offset, edge)) queue_cluster(&b, t);
    }
    for (int k = 0; k < 3; ++k) clip_queued(&b, (enum band_side)k);
    if (b.count) flush_lanes(&b);
    p->piece_count = b.target.piece_count;
    ASSERT(p->piece_count <= p->piece_capacity);
}

// In any orientation a body lies over a square as wide as its diameter. A triangle with edges up to L lies
// over 2 x 2 columns if L < s; otherwise it makes at most (L/s + 2)^2 pieces.
static bool reserve_patch(struct body_coupling *p, const struct memory *m, const struct fluid *f,
                          const struct trimesh *h, double radius)
{
    const double side = ceil(2.0 * radius / f->grid.dx) + 2.0 + 2.0 * halo_width(f),
                 cells = (side + COLUMN_LANES) * side;
    double pieces = 0.0;
    for (int t = 0; t < h->triangle_count; ++t) {
        double longest = 0.0;
        for (int k = 0; k < 3; ++k) {
            const vec3 edge =
                v3_sub(h->vertices[h->triangles[t][k]], h->vertices[h->triangles[t][(k + 1) % 3]]);
            longest = fmax(longest, v3_dot(edge, edge));
        }
        const double across = sqrt(longest) / f->grid.dx,
                     side_pieces = across < 0.999 ? 2.0 : ceil(across) + 2.0;
        pieces += side_pieces * side_pieces;
    }
    if (pieces > 2e8 || COLUMN_ARRAYS * cells > 2e9) return false;
    p->radius_columns = (int)ceil(radius / f->grid.dx) + 2 + halo_width(f);
    return memory_grow(m, (void **)&p->pieces, &p->piece_capacity, (int)pieces, sizeof *p->pieces) &&
           memory_grow(m, (void **)&p->column_hulls, &p->column_hull_capacity, (int)cells,
                       sizeof *p->column_hulls) &&
           memory_grow(m, (void **)&p->stale_columns, &p->stale_capacity, (int)cells,
                       sizeof *p->stale_columns) &&
           memory_grow(m, (void **)&p->column_storage, &p->column_storage_capacity,
                       COLUMN_ARRAYS * (int)cells, sizeof *p->column_storage) &&
           memory_grow(m, (void **)&p->vertices, &p->vertex_capacity, h->vertex_count, sizeof *p->vertices);
}

bool patch_reserve(struct body_coupling *p, const struct memory *m, const struct fluid *f,
                   const struct trimesh *h, double radius)
{
    if (f->model->height_field->can_advect_depth && !p->predicted)
        p->predicted = memory_alloc(m, 1, sizeof *p->predicted);
    if (f->model->height_field->can_advect_depth &&
        !(p->predicted && reserve_patch(p->predicted, m, f, h, radius)))
        return false;
    return reserve_patch(p, m, f, h, radius);
}

void body_coupling_reset(struct body_coupling *p)
{
    if (p->predicted) body_coupling_reset(p->predicted);
    *p = (struct body_coupling){.predicted = p->predicted,
                                .load_arrays = p->load_arrays,
                                .vertices = p->vertices,
                                .pieces = p->pieces,
                                .column_hulls = p->column_hulls,
                                .column_storage = p->column_storage,
                                .stale_columns = p->stale_columns,
                                .piece_capacity = p->piece_capacity,
                                .column_hull_capacity = p->column_hull_capacity,
                                .column_storage_capacity = p->column_storage_capacity,
                                .stale_capacity = p->stale_capacity,
                                .vertex_capacity = p->vertex_capacity};
}

void body_coupling_free(struct body_coupling *p, const struct memory *m)
{
    if (p->predicted) body_coupling_free(p->predicted, m);
    memory_free(m, p->predicted, p->predicted ? 1 : 0, sizeof *p->predicted);
    memory_free(m, p->pieces, (size_t)p->piece_capacity, sizeof *p->pieces);
    memory_free(m, p->column_hulls, (size_t)p->column_hull_capacity, sizeof *p->column_hulls);
    memory_free(m, p->stale_columns, (size_t)p->stale_capacity, sizeof *p->stale_columns);
    memory_free(m, p->column_storage, (size_t)p->column_storage_capacity, sizeof *p->column_storage);
    memory_free(m, p->vertices, (size_t)p->vertex_capacity, sizeof *p->vertices);
    load_arrays_free(p, m);
    *p = (struct body_coupling){0};
}
