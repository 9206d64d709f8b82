// Displaced depth of the columns under a hull, and the plane of the surface at the hull.
//
// hull_clip.c gives the pieces of the hull over every column; they displace b(eta) = sum a (eta - y)+, which
// is smoothed over 3 x 3 cells by (1/4, 1/2, 1/4)^2.
//
// Using b directly as a height is unstable, since b depends on the height. Instead the surface at the body is
// the plane eta that fits the loaded columns,  sum cover (1, x, z) (h - eta) = 0  with  h =
// surface_without_body + alpha b(eta), found by Newton's method. b is piecewise linear in eta, so a step is
// exact if no piece becomes wet or dry.
//
// Called by coupling.c in every substep; the forces of the columns are used by loads.c.
#include "couple/coupling.h"

#include <string.h>

#define MAX_NEWTON_STEPS 12
#define FIT_RIDGE        0.05 // [cells^2] ridge regularisation of the slope, for bodies over few cells

static const struct columns_kernels *kernels(void) { return KERNELS_SELECT(columns_kernels); }

// Centre of a column, from the centre of the body when the hull was clipped.
static double column_x(const struct body_coupling *p, const struct fluid *f, int i)
{
    return grid_cell_x(&f->grid, p->i0 + i) - p->build_x;
}
static double column_z(const struct body_coupling *p, const struct fluid *f, int j)
{
    return grid_cell_z(&f->grid, p->j0 + j) - p->build_z;
}

static struct patch_grid patch_grid_of(const struct body_coupling *p, const struct fluid *f)
{
    return (struct patch_grid){p->ni, p->nj, column_x(p, f, 0), column_z(p, f, 0), f->grid.dx};
}

// Mark the sums over wet pieces as invalid; a column without pieces displaces nothing at any height.
static void invalidate_wet_sums(struct body_coupling *p)
{
    struct columns *c = &p->columns;
    for (int k = 0; k < p->ni * p->nj; ++k) {
        const struct column_hull *t = &p->column_hulls[k];
        const bool any = t->first_piece || t->submerged[0] != 0.0 || t->submerged[1] != 0.0;
        c->valid_min[k] = any ? INFINITY : -INFINITY, c->valid_max[k] = any ? -INFINITY : INFINITY;
        c->wet_area[k] = c->wet_moment[k] = 0.0f;
    }
}

// Cover of every column, the area of the faces over it that look down, and the matrix of the fit.
static void compute_cover(struct body_coupling *p, const struct fluid *f)
{
    struct columns *c = &p->columns;
    const struct patch_grid grid = patch_grid_of(p, f);
    for (int k = 0; k < p->ni * p->nj; ++k)
        c->raw_cover[k] = p->column_hulls[k].downward_area < 1.0f ? p->column_hulls[k].downward_area : 1.0f;
    kernels()->smooth(&grid, c->raw_cover, c->half_smooth, c->cover);
    kernels()->assemble_fit(&grid, c, p->fit_matrix);
    const double ridge = FIT_RIDGE * f->grid.dx * f->grid.dx * p->fit_matrix[0][0];
    p->fit_matrix[1][1] += ridge, p->fit_matrix[2][2] += ridge;
}

void patch_build(struct body_coupling *p, const struct fluid *f, const struct trimesh *h,
                 const struct body_state *state)
{
    p->hull = h, p->build_rotation = state->rotation;
    p->build_x = state->position.x, p->build_y = state->position.y, p->build_z = state->position.z;
    p->offset_x = p->offset_z = 0.0;
    p->rise_plane = (struct plane){0};
    patch_clip_hull(p, f, p->surface_plane);
    invalidate_wet_sums(p);
    compute_cover(p, f);
}

// The first column beyond a wall is folded back onto the boundary column; farther out there is none.
int patch_grid_column(const struct fluid *f, int i)
{
    if (!f->periodic_x && (i == -1 || i == f->grid.nx)) return i < 0 ? 0 : i - 1;
    return fluid_wrap_column(f, i);
}

int patch_grid_row(const struct fluid *f, int j)
{
    if (!f->periodic_z && (j == -1 || j == f->grid.nz)) return j < 0 ? 0 : j - 1;
    return fluid_wrap_row(f, j);
}

// The surface over row j of a patch, 0 where there is no water.
static void read_surface_row(const struct body_coupling *p, const struct fluid *f, int j, float *out)
{
    const int row = patch_grid_row(f, p->j0 + j);
    if (row >= 0 && p->i0 >= 0 && p->i0 + p->ni <= f->grid.nx) {
        f->model->height_field->read_surface(f, row, p->i0, p->i0 + p->ni, out);
        return;
    }
    for (int i = 0; i < p->ni; ++i) {
        const int column = patch_grid_column(f, p->i0 + i);
        out[i] = 0.0f;
        if (row >= 0 && column >= 0)
            f->model->height_field->read_surface(f, row, column, column + 1, &out[i]);
    }
}

// Whether a column of the patch is in the grid; *wet: whether it has water.
static bool is_column_wet(const struct body_coupling *p, const struct fluid *f, int i, int j, bool *wet)
{
    const int row = patch_grid_row(f, p->j0 + j), column = patch_grid_column(f, p->i0 + i);
    const bool in_grid = row >= 0 && column >= 0;
    *wet = in_grid && f->model->height_field->is_wet(f, column, row);
    return in_grid;
}

void patch_check_water(struct body_coupling *p, const struct fluid *f)
{
    bool wet = !f->model->height_field->can_fall_dry;
    for (int j = 0; !wet && j < p->nj; ++j)
        for (int i = 0; !wet && i < p->ni; ++i) is_column_wet(p, f, i, j, &wet);
    p->has_no_water = !wet;
}

// Dry columns have no surface: under a body that reaches over land the mean surface of the wet columns is
// continued, so that a cliff beside a pond does not raise its surface.
static void extend_surface_over_land(const struct body_coupling *p, const struct fluid *f, float *surface)
{
    double sum = 0.0;
    int wet_count = 0;
    bool wet;
    for (int j = 0; j < p->nj; ++j)
        for (int i = 0; i < p->ni; ++i)
            if (is_column_wet(p, f, i, j, &wet) && wet) sum += (double)surface[j * p->ni + i], ++wet_count;
    if (wet_count == 0 || wet_count == p->ni * p->nj) return;
    const float mean = (float)(sum / wet_count);
    for (int j = 0; j < p->nj; ++j)
        for (int i = 0; i < p->ni; ++i) {
            float *here = &surface[j * p->ni + i];
            if (is_column_wet(p, f, i, j, &wet) && !wet && *here > mean) *here = mean;
        }
}

void patch_read_surface(struct body_coupling *p, const struct fluid *f, double strength)
{
    patch_check_water(p, f);
    const float fraction = (float)strength, *displaced = p->columns.displaced_smooth;
    float *surface = p->columns.surface_without_body;
    for (int j = 0; j < p->nj; ++j) read_surface_row(p, f, j, surface + j * p->ni);
    for (int k = 0; k < p->ni * p->nj; ++k) surface[k] -= fraction * displaced[k];
    if (f->model->height_field->can_fall_dry && !p->has_no_water) extend_surface_over_land(p, f, surface);
}

// Sum over the pieces of a column that are wet, and the interval of heights in which the same pieces are.
static void sum_wet_pieces(struct body_coupling *p, int cell)
{
    const struct column_hull *t = &p->column_hulls[cell];
    const float eta = p->columns.plane_height[cell];
    double area = t->submerged[0], height = t->submerged[1];
    float lo = -INFINITY, hi = INFINITY;
    for (int k = t->first_piece; k > 0; k = p->pieces[k - 1].next) {
        const struct hull_piece *piece = &p->pieces[k - 1];
        if (piece->height < eta) {
            area += piece->area;
            height += (double)piece->area * (double)piece->height;
            lo = piece->height > lo ? piece->height : lo;
        } else {
            hi = piece->height < hi ? piece->height : hi;
        }
    }
    p->columns.valid_min[cell] = lo, p->columns.valid_max[cell] = hi;
    p->columns.wet_area[cell] = (float)area, p->columns.wet_moment[cell] = (float)height;
}

// Whether a plane is within the band over all of the patch.
static bool is_plane_in_band(const struct body_coupling *p, const struct fluid *f, const struct plane *q)
{
    const double b = q->b - p->band_plane.b, c = q->c - p->band_plane.c;
    const double x = column_x(p, f, 0), z = column_z(p, f, 0), s = f->grid.dx;
    const double middle =
        q->a - p->band_plane.a + b * (x + 0.5 * s * (p->ni - 1)) + c * (z + 0.5 * s * (p->nj - 1));
    return fabs(middle) + 0.5 * s * (fabs(b) * p->ni + fabs(c) * p->nj) < p->band_half_width;
}

// The plane relative to the pieces, which have risen since the hull was clipped.
static struct plane plane_at_build(const struct body_coupling *p, const struct plane *eta)
{
    return (struct plane){eta->a - p->rise_plane.a, eta->b - p->rise_plane.b, eta->c - p->rise_plane.c};
}

// b of every column for a plane. False: pieces have become wet or dry since the last call.
static bool evaluate_displaced(struct body_coupling *p, const struct fluid *f, const struct plane *eta)
{
    const struct plane relative = plane_at_build(p, eta);
    const bool clipped_again = !is_plane_in_band(p, f, &relative);
    if (clipped_again) {
        patch_clip_hull(p, f, relative);
        invalidate_wet_sums(p);
    }
    const struct patch_grid grid = patch_grid_of(p, f);
    const int stale = kernels()->evaluate_plane(&grid, &p->columns, &relative, p->stale_columns);
    for (int k = 0; k < stale; ++k) sum_wet_pieces(p, p->stale_columns[k]);
    kernels()->evaluate_displaced(&grid, &p->columns);
    return stale == 0 && !clipped_again;
}

// Solve a 3 x 3 system by Cramer's rule; zero if it is singular.
static vec3 solve_3x3(double a[3][3], const double r[3])
{
    const vec3 x = v3(a[0][0], a[1][0], a[2][0]), y = v3(a[0][1], a[1][1], a[2][1]),
               z = v3(a[0][2], a[1][2], a[2][2]);
    const vec3 b = v3(r[0], r[1], r[2]);
    const double det = v3_dot(x, v3_cross(y, z));
    if (!(fabs(det) > 0.0)) return v3(0, 0, 0);
    return v3_scale(v3(v3_dot(b, v3_cross(y, z)), v3_dot(x, v3_cross(b, z)), v3_dot(x, v3_cross(y, b))),
                    1.0 / det);
}

// A plane with (x, z) from the present centre of the body, to the centre when the hull was clipped, and back.
static struct plane plane_to_build_origin(const struct body_coupling *p, struct plane q)
{
    return (struct plane){q.a - (q.b * p->offset_x + q.c * p->offset_z), q.b, q.c};
}

static struct plane plane_from_build_origin(const struct body_coupling *p, struct plane q)
{
    return (struct plane){q.a + (q.b * p->offset_x + q.c * p->offset_z), q.b, q.c};
}

static void smooth_displaced(struct body_coupling *p, const struct fluid *f)
{
    const struct patch_grid grid = patch_grid_of(p, f);
    struct columns *c = &p->columns;
    const int cells = p->ni * p->nj;
    kernels()->smooth(&grid, c->displaced, c->half_smooth, c->displaced_smooth);
    p->is_wet = false;
    for (int k = 0; k < cells && !p->is_wet; ++k) p->is_wet = c->displaced[k] != 0.0f;
    if (p->has_no_water) {
        p->is_wet = false;
        memset(c->displaced_smooth, 0, (size_t)cells * sizeof *c->displaced_smooth);
    }
    memcpy(c->displaced_next, c->displaced_smooth,
           (size_t)cells * sizeof *c->displaced_next); // until a motion is predicted
}

void patch_compute_displaced(struct body_coupling *p, const struct fluid *f)
{
    const struct plane eta = plane_to_build_origin(p, p->surface_plane);
    evaluate_displaced(p, f, &eta);
    smooth_displaced(p, f);
}

void patch_predict(const struct body_coupling *p, const struct fluid *f, double x, double z)
{
    struct body_coupling *q = p->predicted;
    q->hull = p->hull, q->build_rotation = p->build_rotation;
    q->keeps_all_pieces = p->keeps_all_pieces, q->has_no_water = p->has_no_water;
    q->build_x = p->build_x + x, q->build_y = p->build_y, q->build_z = p->build_z + z;
    q->offset_x = p->offset_x, q->offset_z = p->offset_z, q->rise_plane = p->rise_plane;
    q->surface_plane = p->surface_plane;
    q->surface_plane.a += x * p->surface_plane.b + z * p->surface_plane.c;
    const struct plane eta = plane_to_build_origin(q, q->surface_plane);
    patch_clip_hull(q, f, plane_at_build(q, &eta));
    invalidate_wet_sums(q);
    patch_compute_displaced(q, f);
}

#define MAX_REUSE_ANGLE 0.01 // [rad] Smaller rotations leave the predicted displaced depth valid.

// Exchange the derived members with those of the prediction; state and members of the substep stay.
static void swap_patch_keep_state(struct body_coupling *p)
{
    struct body_coupling *q = p->predicted, previous = *p;
    *p = *q;
    p->surface_plane = previous.surface_plane, p->added_mass = previous.added_mass,
    p->floodwater_depth = previous.floodwater_depth, p->load = previous.load;
    p->water_velocity = previous.water_velocity, p->momentum_to_return = previous.momentum_to_return,
    p->rise_plane = previous.rise_plane;
    p->predicted = q;
    *q = previous;
    q->predicted = NULL;
}

bool patch_adopt_prediction(struct body_coupling *p, const struct fluid *f, const struct body_state *state)
{
    const struct body_coupling *q = p->predicted;
    if (!q || !q->ni || p->keeps_all_pieces) return false;
    const quat a = p->build_rotation, b = state->rotation;
    const double cosine = fabs(a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z); // of half the angle
    const double x = state->position.x - q->build_x, z = state->position.z - q->build_z;
    if (1.0 - cosine > 0.125 * MAX_REUSE_ANGLE * MAX_REUSE_ANGLE ||
        fmax(fabs(x), fabs(z)) > MIN_ADVECTED_OFFSET * f->grid.dx)
        return false;
    swap_patch_keep_state(p);
    p->offset_x = x, p->offset_z = z;
    compute_cover(p, f);
    patch_check_water(p, f);
    patch_compute_displaced(p, f);
    return true;
}

void fit_plane_to_surface(struct body_coupling *p, const struct fluid *f)
{
    const struct patch_grid grid = patch_grid_of(p, f);
    double sum[3];
    if (!(p->fit_matrix[0][0] > 0.0)) return;
    kernels()->sum_surface(&grid, &p->columns, sum);
    const vec3 q = solve_3x3(p->fit_matrix, sum);
    p->surface_plane = plane_from_build_origin(p, (struct plane){q.x, q.y, q.z});
}

void fit_loaded_plane(struct body_coupling *p, const struct fluid *f, double strength)
{
    struct plane eta = plane_to_build_origin(p, p->surface_plane);
    const double small = 1e-7 * f->grid.dx,
                 reach = f->grid.dx * imax(p->ni, p->nj); // below the resolution of float heights
    const struct patch_grid grid = patch_grid_of(p, f);
    double constant[3]; // the part of the residual that does not depend on the plane
    kernels()->sum_surface(&grid, &p->columns, constant);
    if (!(p->fit_matrix[0][0] > 0.0))
        memset(p->columns.displaced, 0, (size_t)(p->ni * p->nj) * sizeof(float));
    for (int n = 0; p->fit_matrix[0][0] > 0.0; ++n) {
        double residual[3], slope[3][3];
        const bool unchanged = evaluate_displaced(p, f, &eta);
        if ((n > 0 && unchanged) || n == MAX_NEWTON_STEPS) break; // b was linear: the plane is exact
        kernels()->sum_displaced(&grid, &p->columns, residual, slope);
        const double now[3] = {eta.a, eta.b, eta.c};
        for (int k = 0; k < 3; ++k) {
            residual[k] = constant[k] + strength * residual[k];
            for (int m = 0; m < 3; ++m) {
                residual[k] -= p->fit_matrix[k][m] * now[m];
                slope[k][m] = p->fit_matrix[k][m] - strength * slope[k][m];
            }
        }
        const vec3 step = solve_3x3(slope, residual);
        if (fabs(step.x) + reach * (fabs(step.y) + fabs(step.z)) < small)
            break; // the displaced depth is exact already
        eta.a += step.x, eta.b += step.y, eta.c += step.z;
    }
    smooth_displaced(p, f);
    p->surface_plane = plane_from_build_origin(p, eta);
}

void hydrostatic_stiffness(const struct body_coupling *p, const struct fluid *f, double strength,
                           double out[3][3])
{
    const double k = f->density * f->gravity * f->grid.dx * f->grid.dx;
    double sum = 0.0, x = 0.0, z = 0.0, xx = 0.0, xz = 0.0, zz = 0.0;
    for (int j = 0; j < p->nj; ++j) {
        const double dz = column_z(p, f, j) - p->offset_z;
        double row = 0.0, row_x = 0.0, row_xx = 0.0;
        for (int i = 0; i < p->ni; ++i) {
            const double fraction = clamp(p->columns.wet_area[j * p->ni + i], 0.0, 1.0);
            if (fraction <= 0.0) continue;
            const double stiff = k * fraction / (1.0 - strength * fraction),
                         dx = column_x(p, f, i) - p->offset_x;
            row += stiff, row_x += stiff * dx, row_xx += stiff * dx * dx;
        }
        sum += row, x += row_x, z += row * dz;
        xx += row_xx, xz += row_x * dz, zz += row * dz * dz;
    }
    const double all[3][3] = {{sum, -z, x}, {-z, zz, -xz}, {x, -xz, xx}};
    memcpy(out, all, sizeof all);
}

// By the divergence theorem the horizontal force of the pressure rho g (h - y) on a closed hull is -rho g int
// b grad(h), with the b that loads the water. If the columns displace more than the clipped hull (a thin
// plate that just touches), the force is scaled to the volume of the hull.
void horizontal_pressure_force(const struct body_coupling *p, const struct fluid *f, double strength,
                               double volume, vec3 *force, double *yaw)
{
    const double k = -0.5 * f->density * f->gravity * f->grid.dx;
    double displaced = 0.0;
    *force = v3(0, 0, 0), *yaw = 0.0;
#define surface_at(c) ((double)surface[c] + strength * (double)displaced_smooth[c])
    const float *surface = p->columns.surface_without_body, *displaced_smooth = p->columns.displaced_smooth;
    const double x0 = column_x(p, f, 0) - p->offset_x, z0 = column_z(p, f, 0) - p->offset_z;
    for (int j = 1; j + 1 < p->nj; ++j)
        for (int i = 1; i + 1 < p->ni; ++i) {
            const int c = j * p->ni + i;
            const double b = displaced_smooth[c];
            if (b == 0.0) continue;
            const double fx = k * b * (surface_at(c + 1) - surface_at(c - 1)),
                         fz = k * b * (surface_at(c + p->ni) - surface_at(c - p->ni));
            displaced += b;
            force->x += fx, force->z += fz;
            *yaw += (z0 + j * f->grid.dx) * fx - (x0 + i * f->grid.dx) * fz;
        }
#undef surface_at
    displaced *= f->grid.dx * f->grid.dx;
    const double fraction = displaced > volume ? fmax(0.0, volume / displaced) : 1.0;
    *force = v3_scale(*force, fraction), *yaw *= fraction;
}

void vertical_inertia_force(const struct body_coupling *p, const struct fluid *f, double volume,
                            double *force, double torque[2])
{
    const double k = f->density * f->grid.dx * f->grid.dx;
    double displaced = 0.0;
    *force = torque[0] = torque[1] = 0.0;
    for (int j = 0; j < p->nj; ++j)
        for (int i = 0; i < p->ni; ++i) {
            const double b = p->columns.displaced_smooth[j * p->ni + i];
            const int row = patch_grid_row(f, p->j0 + j), column = patch_grid_column(f, p->i0 + i);
            if (b == 0.0 || row < 0 || column < 0) continue;
            const double here = k * b * f->model->height_field->read_acceleration(f, column, row);
            displaced += b;
            *force += here;
            torque[0] -= (column_z(p, f, j) - p->offset_z) * here;
            torque[1] += (column_x(p, f, i) - p->offset_x) * here;
        }
    displaced *= f->grid.dx * f->grid.dx;
    const double fraction = displaced > volume ? fmax(0.0, volume / displaced) : 1.0;
    *force *= fraction, torque[0] *= fraction, torque[1] *= fraction;
}

// The velocity of the water at a body is sampled on a lattice of the same number of points on every grid. A
// sample is bilinear in the four cells around it, so that it is continuous in the position of the body.
enum { LATTICE_POINTS = 8, LATTICE_CELLS = 2 * LATTICE_POINTS };

// The cells beside the lattice points along an axis, each once, from west to east (south to north).
struct lattice_cells {
    int count;
    int patch_index[LATTICE_CELLS]; // index in the patch, or outside it
    int grid_index[LATTICE_CELLS];  // index in the grid; -1: none
    double weight[LATTICE_CELLS];
};

static void find_lattice_cells(double middle, double radius, int first,
                               int (*inside)(const struct fluid *f, int i), const struct fluid *f,
                               struct lattice_cells *out)
{
    int n = 0;
    for (int k = 0; k < LATTICE_POINTS; ++k) {
        const double at = middle + radius * (4.0 * (k + 0.5) / LATTICE_POINTS - 2.0), low = floor(at - 0.5);
        for (int m = 0; m < 2; ++m) {
            const int cell = (int)low + m;
            int to = n; // an earlier point may have added the cell already
            while (to > 0 && out->patch_index[to - 1] >= cell - first) --to;
            if (to == n) {
                out->patch_index[n] = cell - first, out->grid_index[n] = inside(f, cell),
                out->weight[n] = 0.0;
                ++n;
            }
            out->weight[to] += m ? at - 0.5 - low : low + 1.5 - at;
        }
    }
    out->count = n;
}

// Weighted sums over the lattice: horizontal velocity of covered cells, rate of rise of open cells.
struct current_sums {
    double u, v, covered_weight;
    double rise, open_weight;
};

// Add the cells x[from] .. x[to-1] of a row, which are contiguous in the grid.
static void add_current_row(const struct body_coupling *p, const struct fluid *f,
                            const struct lattice_cells *x, int from, int to, const struct lattice_cells *z,
                            int at, struct current_sums *sum)
{
    const int row = z->grid_index[at], i0 = x->grid_index[from], i1 = i0 + to - from;
    const bool in_patch_row = 0 <= z->patch_index[at] && z->patch_index[at] < p->nj &&
                              x->patch_index[from] < p->ni && x->patch_index[to - 1] >= 0;
    float u[LATTICE_CELLS] = {0}, v[LATTICE_CELLS] = {0};
    double rate[LATTICE_CELLS];
    f->model->height_field->read_surface_rate(f, row, i0, i1, rate);
    if (in_patch_row) f->model->height_field->read_velocity(f, row, i0, i1, u, v);
    for (int k = from; k < to; ++k) {
        const double weight = x->weight[k] * z->weight[at];
        const bool in_patch = in_patch_row && 0 <= x->patch_index[k] && x->patch_index[k] < p->ni;
        const double cover =
            in_patch ? p->columns.cover[z->patch_index[at] * p->ni + x->patch_index[k]] : 0.0;
        if (cover > 0.0) {
            sum->u += weight * cover * u[k - from], sum->v += weight * cover * v[k - from];
            sum->covered_weight += weight * cover;
        } else {
            sum->rise += weight * rate[k - from];
            sum->open_weight += weight;
        }
    }
}

vec3 sample_water_velocity(const struct body_coupling *p, const struct fluid *f, double radius)
{
    const double per = 1.0 / f->grid.dx;
    struct lattice_cells x, z;
    struct current_sums sum = {0};
    find_lattice_cells((p->build_x + p->offset_x - f->grid.x0) * per, radius * per, p->i0, fluid_wrap_column,
                       f, &x);
    find_lattice_cells((p->build_z + p->offset_z - f->grid.z0) * per, radius * per, p->j0, fluid_wrap_row, f,
                       &z);
    for (int b = 0; b < z.count; ++b)
        for (int from = 0, to; z.grid_index[b] >= 0 && from < x.count; from = to) {
            to = from + 1;
            if (x.grid_index[from] < 0) continue;
            while (to < x.count && x.grid_index[to] == x.grid_index[to - 1] + 1) ++to;
            add_current_row(p, f, &x, from, to, &z, b, &sum);
        }
    return v3(sum.covered_weight > 0.0 ? sum.u / sum.covered_weight : 0.0,
              sum.open_weight > 0.0 ? sum.rise / sum.open_weight : 0.0,
              sum.covered_weight > 0.0 ? sum.v / sum.covered_weight : 0.0);
}
