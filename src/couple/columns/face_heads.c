// Load heads at cell faces: the displaced depth that passes the faces between columns while a body moves
// sideways.
//
// The displacement of a body in a substep is known except for contacts, and so are the displaced depths
// before and after. What passes a face is the mean displaced depth of both columns times the displacement,
// plus a small residual that makes the balance of every column exact: the residual is summed along rows, and
// what a row leaves along columns.
//
// Used by models that advect their depth (shallow).
#include "couple/coupling.h"

#include <string.h>

#define MAX_OFFSET 1.0 // [columns] displacement for which a patch has an outer ring

// Displacement of one body in columns. The outermost ring of the patch is empty before and after it.
struct body_path {
    double offset[2];            // along x and z
    double residual_fraction[2]; // 0 .. 1 fraction of the residual that is applied
    const float *displaced_before, *displaced_after;
    float *residual_z;   // [m] scratch: residual that passes faces along z
    float *column_share; // scratch: 0 .. 1 share of a column in the residual of a row
    int ni, nj;
};

// [columns] Horizontal displacement of body i in dt without contacts; 0 if it is negligible or too large for
// the patch.
static void predict_offset(const struct fluid *f, const struct bodies *b, int i, double dt, double offset[2])
{
    const struct body *body = b->slots[i].body;
    const vec3 impulse = body_is_dynamic(b, i) ? b->applied[i].linear : v3(0, 0, 0);
    const vec3 d = v3_scale(v3_add(b->state[i].momentum, impulse), dt / (body->def.mass * f->grid.dx));
    const bool in_range = fmax(fabs(d.x), fabs(d.z)) <= MAX_OFFSET;
    offset[0] = in_range && fabs(d.x) >= MIN_ADVECTED_OFFSET ? d.x : 0.0;
    offset[1] = in_range && fabs(d.z) >= MIN_ADVECTED_OFFSET ? d.z : 0.0;
}

// Fraction of the residual to apply: 1 for water that moves with the body. For faster or opposite water the
// residual means little, and for a small offset it is dominated by rounding errors of 1e-7 m divided by the
// offset.
static double residual_fraction_of(double offset, double water_offset)
{
    return offset * water_offset <= 0.0 ? 0.0 : fmin(1.0, offset / water_offset);
}

// [m] Twice the mean displaced depth of a column during the displacement.
static double displaced_sum(const struct body_path *w, int c)
{
    return (double)w->displaced_before[c] + (double)w->displaced_after[c];
}

// [m] Change of the displaced depth of a column that the means at its faces do not account for.
static double displaced_residual(const struct body_path *w, int c)
{
    const double x = w->offset[0] * (displaced_sum(w, c + 1) - displaced_sum(w, c - 1)),
                 z = w->offset[1] * (displaced_sum(w, c + w->ni) - displaced_sum(w, c - w->ni));
    return ((double)w->displaced_before[c] - (double)w->displaced_after[c]) - 0.25 * (x + z);
}

// Add the load head of the west (axis 0) or south face of column c: the mean, and the residual that passes
// there.
static void add_face_head(const struct body_coupling *p, struct fluid *f, const struct body_path *w, int c,
                          int axis, double strength, double residual)
{
    const double mean = 0.25 * (displaced_sum(w, c) + displaced_sum(w, c - (axis ? w->ni : 1)));
    const double depth =
        residual == 0.0 ? mean : mean + w->residual_fraction[axis] * residual / w->offset[axis];
    const int i = fluid_wrap_column(f, p->i0 + c % w->ni), j = fluid_wrap_row(f, p->j0 + c / w->ni);
    if (depth != 0.0 && i >= 0 && j >= 0)
        f->load_head_face[axis][grid_at(&f->grid, i, j)] += (float)(strength * depth);
}

// Share of every column along x in the displaced depth; the sum is 1.
static void compute_column_shares(const struct body_path *w)
{
    double sum = 1e-30; // all shares are 0 if nothing is displaced
    for (int i = 1; i + 1 < w->ni; ++i) {
        double depth = 0.0;
        for (int j = 1; j + 1 < w->nj; ++j) depth += fabs(displaced_sum(w, j * w->ni + i));
        w->column_share[i] = (float)depth;
        sum += depth;
    }
    for (int i = 1; i + 1 < w->ni; ++i) w->column_share[i] = (float)((double)w->column_share[i] / sum);
}

// The residuals of a row sum to zero except for what passes along z, which is divided among the columns in
// the same shares for every row, so that the residuals of a column sum to zero as well.
static void write_row_faces(const struct body_coupling *p, struct fluid *f, const struct body_path *w, int j,
                            double strength)
{
    const int first = j * w->ni, last = w->ni - 1;
    const bool x = w->offset[0] != 0.0, both = x && w->offset[1] != 0.0;
    double row_residual = 0.0, passed = 0.0;
    for (int i = 1; both && i < last; ++i) row_residual += displaced_residual(w, first + i);
    for (int i = 1; i < last; ++i) {
        const double residual = displaced_residual(w, first + i),
                     along_z = both ? row_residual * (double)w->column_share[i]
                               : x  ? 0.0
                                    : residual;
        add_face_head(p, f, w, first + i, 0, strength, passed);
        w->residual_z[first + i] = (float)along_z;
        passed += residual - along_z;
    }
    add_face_head(p, f, w, first + last, 0, strength, 0.0);
}

static void write_column_faces(const struct body_coupling *p, struct fluid *f, const struct body_path *w,
                               int i, double strength)
{
    double passed = 0.0;
    for (int j = 1; j < w->nj; ++j) {
        const int c = j * w->ni + i;
        add_face_head(p, f, w, c, 1, strength, w->offset[1] != 0.0 ? passed : 0.0);
        if (j + 1 < w->nj) passed += (double)w->residual_z[c];
    }
}

// Displaced depth after the displacement.
static void predict_displaced(const struct body_coupling *p, const struct fluid *f, const double offset[2])
{
    const struct body_coupling *next_patch = p->predicted;
    float *displaced_next = p->columns.displaced_next;
    p->predicted->ni = 0;
    if (offset[0] == 0.0 && offset[1] == 0.0) return; // unchanged
    patch_predict(p, f, offset[0] * f->grid.dx, offset[1] * f->grid.dx);
    memset(displaced_next, 0, (size_t)(p->ni * p->nj) * sizeof *displaced_next);
    for (int j = imax(0, next_patch->j0 - p->j0); j < imin(p->nj, next_patch->j0 + next_patch->nj - p->j0);
         ++j)
        for (int i = imax(0, next_patch->i0 - p->i0);
             i < imin(p->ni, next_patch->i0 + next_patch->ni - p->i0); ++i)
            displaced_next[j * p->ni + i] =
                next_patch->columns.displaced_smooth[(j + p->j0 - next_patch->j0) * next_patch->ni +
                                                     (i + p->i0 - next_patch->i0)];
}

static void write_body_faces(struct coupling *c, struct fluid *f, const struct bodies *b, int k, double dt)
{
    const struct body_coupling *p = &c->per_body[k];
    const double water_offset[2] = {dt * p->water_velocity.x / f->grid.dx,
                                    dt * p->water_velocity.z / f->grid.dx};
    struct body_path w = {.displaced_before = p->columns.displaced_smooth,
                          .displaced_after = p->columns.displaced_next,
                          .ni = p->ni,
                          .nj = p->nj};
    predict_offset(f, b, k, dt, w.offset);
    predict_displaced(p, f, w.offset);
    for (int axis = 0; axis < 2; ++axis)
        w.residual_fraction[axis] = residual_fraction_of(w.offset[axis], water_offset[axis]);
    w.residual_z = p->columns.residual_z, w.column_share = p->columns.column_share;
    compute_column_shares(&w);
    for (int j = 1; j + 1 < p->nj; ++j) write_row_faces(p, f, &w, j, c->strength);
    for (int i = 1; i + 1 < p->ni; ++i) write_column_faces(p, f, &w, i, c->strength);
}

void couple_write_face_heads(struct coupling *c, struct fluid *f, const struct bodies *b, double dt)
{
    if (!fluid_advects_depth(f) || !c->kind->displaces) return;
    for (int i = 0; i < b->slot_count; ++i) {
        const struct body_coupling *p = &c->per_body[i];
        if (body_exists(b, i) && p->is_wet) write_body_faces(c, f, b, i, dt);
    }
    surface_load_write_next(c, f, b);
}
