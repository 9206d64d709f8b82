// Moving solids in the projection: Jacobian rows from cut faces, low-rank terms and wall flux [batty2007].
// flow_build_cut_cells(), body_step.c and body_impulse.c call it.
//
// A face is open by a and covered by s = 1 - a. A cell keeps its volume if
//
//     sum over faces n (a u + s V(x_m)) = 0,     V(x) = (U - W (y - y_0), V + W (x - x_0))
//
// with x_m the centre of the covered part; this is exact for rotation too. The covered parts form the row J
// of the solid, with columns for U, V and W. The pressure acts on the solid through the same J, so the
// operator gains the term rho dx^2 J M^-1 J^T of rank three. It is stable for bodies of any density. Momentum
// is conserved: what a cell gives to its faces and covered parts sums up to zero.
#include "fluid/flow/flow.h"

#include <string.h>

bool flow_add_cut_face(struct fluid *f, const struct cut_face *cut)
{
    struct flow *s = f->impl;
    if (s->cut_face_count == s->cut_face_capacity &&
        !memory_grow(f->memory, (void **)&s->cut_faces, &s->cut_face_capacity, s->cut_face_count + 1,
                     sizeof *s->cut_faces))
        return false;
    s->cut_faces[s->cut_face_count++] = *cut;
    return true;
}

// Capacity for the given number of entries. False without memory.
static bool reserve_jacobian(struct fluid *f, int count)
{
    struct flow *s = f->impl;
    const struct memory *m = f->memory;
    bool ok = memory_grow(m, (void **)&s->jacobian_cell, &s->jacobian_cell_capacity, count,
                          sizeof *s->jacobian_cell);
    for (int k = 0; k < 3; ++k)
        ok = memory_grow(m, (void **)&s->jacobian[k], &s->jacobian_capacity[k], count,
                         sizeof *s->jacobian[k]) &&
             ok;
    return ok;
}

// Add sign * row to the entry of cell c, which is made if it does not exist.
static void add_jacobian_entry(struct flow *s, struct body_rows *rows, size_t c, const double row[3],
                               double sign)
{
    if (!s->is_fluid[c]) return;
    if (s->cell_slot[c] == 0) {
        const int entry = rows->first + rows->count++;
        s->cell_slot[c] = entry + 1;
        s->jacobian_cell[entry] = c;
        for (int k = 0; k < 3; ++k) s->jacobian[k][entry] = 0.0;
    }
    for (int k = 0; k < 3; ++k) s->jacobian[k][s->cell_slot[c] - 1] += sign * row[k];
}

static bool has_outflow(const struct fluid *f)
{
    for (int side = 0; side < 4; ++side)
        if (flow_def_of(f)->boundary[side].type == TARN_FLOW_OUTFLOW) return true;
    return false;
}

// The volume of a solid is constant, so each row sums up to zero. Where the solid overlaps a wall or another
// solid the sum of the scanned row is not zero; an incompressible fluid would then prevent their relative
// motion. The difference is removed in proportion to the entries.
static void remove_row_mean(double *row, int count)
{
    double sum = 0.0, abs_sum = 0.0;
    for (int i = 0; i < count; ++i) sum += row[i], abs_sum += fabs(row[i]);
    if (!(fabs(sum) > 1e-12 * abs_sum)) return;
    for (int i = 0; i < count; ++i) row[i] -= sum / abs_sum * fabs(row[i]);
}

static double sum_squares(const double *row, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; ++i) sum += row[i] * row[i];
    return sum;
}

// Estimates the added mass: the mass of displaced fluid, reduced by the ratio of the squares of the balanced
// and the scanned row. A body that lies flat on a wall has fluid on one side only; its row vanishes, and it
// moves as if there were no fluid. The smaller ratio of both axes counts, since that is the obstructed one.
static void balance_rows(struct fluid *f, const struct body_rows *rows)
{
    const struct flow *s = f->impl;
    struct obstacle *o = solid_at(f, rows->solid_id);
    double ratio = 1.0;
    for (int k = 0; k < 3 && !has_outflow(f); ++k) {
        double *row = s->jacobian[k] + rows->first;
        const double before = sum_squares(row, rows->count);
        remove_row_mean(row, rows->count);
        if (k < 2 && before > 0.0) ratio = fmin(ratio, sum_squares(row, rows->count) / before);
    }
    o->added_mass = ratio * f->density * o->area;
}

// Fraction of a face that belongs to this solid, including its share of what was closed additionally.
static double solid_fraction_of(const struct flow *s, const struct cut_face *cut)
{
    const double aperture = (double)(cut->axis ? s->aperture_z : s->aperture_x)[cut->face],
                 closed_sum = (double)(cut->axis ? s->closed_z : s->closed_x)[cut->face];
    return cut->closed_fraction * (1.0 - aperture) / closed_sum;
}

// Entries of the two cells beside a face.
static void add_face_entries(struct flow *s, struct body_rows *rows, const struct cut_face *cut, bool is_disc,
                             size_t stride)
{
    const double fraction = solid_fraction_of(s, cut);
    const double lever = is_disc ? 0.0 : cut->lever; // the rotation of a disc moves no fluid
    const double row[3] = {cut->axis ? 0.0 : fraction, cut->axis ? fraction : 0.0,
                           cut->axis ? fraction * lever : -fraction * lever};
    add_jacobian_entry(s, rows, cut->face, row, -1.0);
    add_jacobian_entry(s, rows, cut->face - (cut->axis ? stride : 1), row, 1.0);
}

// Most covered faces lie between two closed cells and have no entries.
static void add_cut_entries(struct flow *s, struct body_rows *rows, struct cut_face *cut, bool is_disc,
                            const struct grid *grid)
{
    const size_t along = cut->axis ? 1 : grid->stride, across = cut->axis ? grid->stride : 1;
    struct cut_face face = *cut;
    if (cut->count == 1) cut->solid_fraction = solid_fraction_of(s, cut); // runs of faces have no open part
    for (int k = 0; k < cut->count; ++k, face.face += along) {
        if (!s->is_fluid[face.face] && !s->is_fluid[face.face - across]) continue;
        face.lever = cut->lever + k * grid->dx;
        add_face_entries(s, rows, &face, is_disc, grid->stride);
    }
}

// Upper bound of the entries of cut faces first .. last - 1.
static int count_entries(const struct flow *s, int first, int last)
{
    int sum = 0;
    for (int i = first; i < last; ++i) sum += 2 * s->cut_faces[i].count;
    return sum;
}

// Rows of one solid from its cut faces: those of its scan, which are consecutive, and those of fully closed
// faces, which are at the end of the list. False without memory.
static bool build_rows_of_solid(struct fluid *f, int first, int last)
{
    struct flow *s = f->impl;
    const int solid_id = s->cut_faces[first].solid_id, closed_count = s->cut_face_count - s->cut_closed_start;
    const bool is_disc = solid_at(f, solid_id)->radius > 0.0;
    struct body_rows rows = {.solid_id = solid_id};
    if (s->body_rows_count)
        rows.first = s->body_rows[s->body_rows_count - 1].first + s->body_rows[s->body_rows_count - 1].count;
    if (!memory_grow(f->memory, (void **)&s->body_rows, &s->body_rows_capacity, s->body_rows_count + 1,
                     sizeof *s->body_rows) ||
        !reserve_jacobian(f, rows.first + count_entries(s, first, last) + 2 * closed_count))
        return false;
    for (int i = first; i < last; ++i) add_cut_entries(s, &rows, &s->cut_faces[i], is_disc, &f->grid);
    for (int i = s->cut_closed_start; i < s->cut_face_count; ++i)
        if (s->cut_faces[i].solid_id == solid_id)
            add_cut_entries(s, &rows, &s->cut_faces[i], is_disc, &f->grid);
    for (int i = rows.first; i < rows.first + rows.count; ++i) s->cell_slot[s->jacobian_cell[i]] = 0;
    balance_rows(f, &rows);
    s->body_rows[s->body_rows_count++] = rows;
    return true;
}

// Two low-rank terms for a disc, else three. None for obstacles and with weak coupling. False without memory.
static bool add_body_terms(struct fluid *f, const struct body_rows *rows)
{
    struct flow *s = f->impl;
    const struct obstacle *o = solid_at(f, rows->solid_id);
    const double weight = f->density * f->grid.dx * f->grid.dx, mass[3] = {o->mass, o->mass, o->inertia};
    if (rows->solid_id <= f->obstacle_count || flow_is_weakly_coupled(f)) return true;
    if (!memory_grow(f->memory, (void **)&s->body_terms, &s->body_term_capacity, s->body_term_count + 3,
                     sizeof *s->body_terms))
        return false;
    for (int k = 0; k < (o->radius > 0.0 ? 2 : 3); ++k)
        s->body_terms[s->body_term_count++] = (struct low_rank_term){
            weight / mass[k], rows->count, s->jacobian_cell + rows->first, s->jacobian[k] + rows->first};
    return true;
}

static void clear_wall_flux(const struct flow *s)
{
    for (int n = 0; n < s->body_rows_count; ++n)
        for (int i = s->body_rows[n].first; i < s->body_rows[n].first + s->body_rows[n].count; ++i)
            s->wall_flux[s->jacobian_cell[i]] = 0.0f;
}

// Keep the cut faces that are partly open, and mark the first entry of each.
static void keep_partly_open(struct flow *s)
{
    int kept = 0;
    for (int i = 0; i < s->cut_face_count; ++i) {
        struct cut_face cut = s->cut_faces[i];
        const int axis_bit = cut.axis ? 2 : 1;
        if (cut.count > 1 || (cut.axis ? s->aperture_z : s->aperture_x)[cut.face] == 0.0f) continue;
        cut.is_first = !(s->cut_axes[cut.face] & axis_bit);
        s->cut_axes[cut.face] |= axis_bit;
        s->cut_faces[kept++] = cut;
    }
    for (int i = 0; i < kept; ++i) s->cut_axes[s->cut_faces[i].face] = 0;
    s->cut_face_count = kept;
}

bool flow_build_body_rows(struct fluid *f)
{
    struct flow *s = f->impl;
    bool ok = true;
    clear_wall_flux(s);
    s->body_rows_count = s->body_term_count = 0;
    for (int i = 0; i < f->body_count; ++i) f->bodies[i].added_mass = 0.0;
    for (int i = 0, next; i < s->cut_closed_start && ok; i = next) {
        for (next = i; next < s->cut_closed_start && s->cut_faces[next].solid_id == s->cut_faces[i].solid_id;)
            ++next;
        ok = build_rows_of_solid(f, i, next);
    }
    for (int i = 0; i < s->body_rows_count && ok; ++i)
        ok = add_body_terms(f, &s->body_rows[i]); // the arrays of the rows do not move from here on
    keep_partly_open(s);
    flow_update_wall_flux(f);
    return ok;
}

void flow_update_wall_flux(const struct fluid *f)
{
    struct flow *s = f->impl;
    clear_wall_flux(s);
    for (int n = 0; n < s->body_rows_count; ++n) {
        const struct body_rows *rows = &s->body_rows[n];
        const struct planar_motion *p = &solid_at(f, rows->solid_id)->motion;
        for (int i = rows->first; i < rows->first + rows->count; ++i)
            s->wall_flux[s->jacobian_cell[i]] +=
                (float)((s->jacobian[0][i] * p->u + s->jacobian[1][i] * p->v) + s->jacobian[2][i] * p->spin);
    }
}

double flow_impulse_divergence(const struct fluid *f)
{
    struct flow *s = f->impl;
    double sum = 0.0;
    memset(s->divergence, 0, f->grid.size * sizeof *s->divergence);
    for (int n = 0; n < s->body_rows_count; ++n) {
        const struct body_rows *rows = &s->body_rows[n];
        const struct obstacle *o = solid_at(f, rows->solid_id);
        if (!o->has_impulse) continue;
        const double u = o->impulse[0] / o->mass, v = o->impulse[1] / o->mass,
                     spin = o->impulse[2] / o->inertia;
        for (int i = rows->first; i < rows->first + rows->count; ++i) {
            double *b = &s->divergence[s->jacobian_cell[i]];
            const double before = *b;
            *b -= (s->jacobian[0][i] * u + s->jacobian[1][i] * v) + s->jacobian[2][i] * spin;
            sum += *b * *b - before * before; // a cell may have entries in several rows
        }
    }
    return sum;
}
