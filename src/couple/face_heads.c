// What of a body passes the faces between columns while it moves sideways.
//
// Its way in an inner step is known but for what contacts will do, and so is what it fills at both ends. What passes a face
// on the way is about the mean of what is filled on both sides of it, times the way. The small rest, by which that differs
// from what is really filled at the end, is found by adding up along rows and then along columns: so all together is
// exact, whatever the shape.
#include "coupling.h"

#include <string.h>

#define MAX_OFFSET 1.0 // [columns] of a way that a patch has room for

// Of one body, in columns of its patch. The outermost ring is empty before the way and after it.
struct body_path {
    double offset[2];            // along x and z
    double residual_fraction[2]; // 0 .. 1: how much of the rest the water at the body goes along with
    const float *displaced_before, *displaced_after;
    float *residual_z;   // [m] scratch, what is left to be found along z
    float *column_share; // scratch, 0 .. 1, of what is left in a row
    int ni, nj;
};

// How far body i will go sideways in dt, if it touches nothing. What goes farther than a patch has room for, or next to
// nowhere, is as if it stood.
static void predict_offset(const struct fluid *f, const struct bodies *b, int i, double dt, double way[2])
{
    const struct body *cold = b->slots[i].body;
    const vec3 kick = cold->def.external ? v3(0, 0, 0) : b->applied[i].linear;
    const vec3 d = v3_scale(v3_add(b->state[i].momentum, kick), dt / (cold->def.mass * f->grid.dx));
    const bool near = fmax(fabs(d.x), fabs(d.z)) <= MAX_OFFSET;
    way[0] = near && fabs(d.x) >= MIN_ADVECTED_OFFSET ? d.x : 0.0;
    way[1] = near && fabs(d.z) >= MIN_ADVECTED_OFFSET ? d.z : 0.0;
}

// For water that goes along with the body the rest has to be there. Where it is faster or goes another way it means little, and
// what a short way says of it is roundings of 1e-7 m divided by that.
static double residual_fraction_of(double way, double drift)
{
    return way * drift <= 0.0 ? 0.0 : fmin(1.0, way / drift);
}

// [m] Mean over the way of what is filled in a column, twice that.
static double displaced_sum(const struct body_path *w, int c)
{
    return (double)w->displaced_before[c] + (double)w->displaced_after[c];
}

// [m] What a column loses on the way, beyond what passes its faces by the means.
static double displaced_residual(const struct body_path *w, int c)
{
    const double x = w->offset[0] * (displaced_sum(w, c + 1) - displaced_sum(w, c - 1)),
                 z = w->offset[1] * (displaced_sum(w, c + w->ni) - displaced_sum(w, c - w->ni));
    return ((double)w->displaced_before[c] - (double)w->displaced_after[c]) - 0.25 * (x + z);
}

// The face before column c of the patch: the mean, and its part of the rest that passes there.
static void add_face_head(const struct body_coupling *p, struct fluid *f, const struct body_path *w, int c,
                          int axis, double strength, double rest)
{
    const double mean = 0.25 * (displaced_sum(w, c) + displaced_sum(w, c - (axis ? w->ni : 1)));
    const double filled = rest == 0.0 ? mean : mean + w->residual_fraction[axis] * rest / w->offset[axis];
    const int i = fluid_wrap_column(f, p->i0 + c % w->ni), j = fluid_wrap_row(f, p->j0 + c / w->ni);
    if (filled != 0.0 && i >= 0 && j >= 0)
        f->load_head_face[axis][grid_at(&f->grid, i, j)] += (float)(strength * filled);
}

// Columns (x) of the patch by how much is filled in them, all together 1.
static void compute_column_shares(const struct body_path *w)
{
    double sum = 1e-30; // nothing is shared out if nothing is filled
    for (int i = 1; i + 1 < w->ni; ++i) {
        double filled = 0.0;
        for (int j = 1; j + 1 < w->nj; ++j) filled += fabs(displaced_sum(w, j * w->ni + i));
        w->column_share[i] = (float)filled;
        sum += filled;
    }
    for (int i = 1; i + 1 < w->ni; ++i) w->column_share[i] = (float)((double)w->column_share[i] / sum);
}

// A row closes in itself but for what goes along z. That is shared out alike in every row, so that columns close too.
static void write_row_faces(const struct body_coupling *p, struct fluid *f, const struct body_path *w, int j,
                            double strength)
{
    const int first = j * w->ni, last = w->ni - 1;
    const bool x = w->offset[0] != 0.0, both = x && w->offset[1] != 0.0;
    double left = 0.0, passed = 0.0;
    for (int i = 1; both && i < last; ++i) left += displaced_residual(w, first + i);
    for (int i = 1; i < last; ++i) {
        const double rest = displaced_residual(w, first + i),
                     max_i32 = both ? left * (double)w->column_share[i]
                               : x  ? 0.0
                                    : rest;
        add_face_head(p, f, w, first + i, 0, strength, passed);
        w->residual_z[first + i] = (float)max_i32;
        passed += rest - max_i32;
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

// What the body fills at the end of its way.
static void predict_displaced(const struct body_coupling *p, const struct fluid *f, const double way[2])
{
    const struct body_coupling *a = p->predicted;
    float *next = p->columns.displaced_next;
    p->predicted->ni = 0;
    if (way[0] == 0.0 && way[1] == 0.0) return; // as it is
    patch_predict(p, f, way[0] * f->grid.dx, way[1] * f->grid.dx);
    memset(next, 0, (size_t)(p->ni * p->nj) * sizeof *next);
    for (int j = imax(0, a->j0 - p->j0); j < imin(p->nj, a->j0 + a->nj - p->j0); ++j)
        for (int i = imax(0, a->i0 - p->i0); i < imin(p->ni, a->i0 + a->ni - p->i0); ++i)
            next[j * p->ni + i] =
                a->columns.displaced_smooth[(j + p->j0 - a->j0) * a->ni + (i + p->i0 - a->i0)];
}

static void write_body_faces(struct coupling *c, struct fluid *f, const struct bodies *b, int k, double dt)
{
    const struct body_coupling *p = &c->per_body[k];
    const double drift[2] = {dt * p->water_velocity.x / f->grid.dx, dt * p->water_velocity.z / f->grid.dx};
    struct body_path w = {.displaced_before = p->columns.displaced_smooth,
                          .displaced_after = p->columns.displaced_next,
                          .ni = p->ni,
                          .nj = p->nj};
    predict_offset(f, b, k, dt, w.offset);
    predict_displaced(p, f, w.offset);
    for (int axis = 0; axis < 2; ++axis)
        w.residual_fraction[axis] = residual_fraction_of(w.offset[axis], drift[axis]);
    w.residual_z = p->columns.scratch,
    w.column_share = p->columns.plane_height; // of no more use in this inner step
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
