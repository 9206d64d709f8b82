// What obstacles take of faces, and what follows for the pressure.
//
// A face is open by a and closed by s = 1 - a. A cell that an obstacle reaches into keeps its volume,
//
//     sum over faces n (a u + s V(x_m)) = 0,   V(x) = (U - W (y - y_0), V + W (x - x_0)),   x_m the middle of what is closed
//
// which is exact for turning as well. The closed parts make the obstacle's row J of each cell, for U, V and
// W; pressure pushes the obstacle through the same J, so that the operator gains rho h^2 J M^-1 J^T: a term
// of rank three, which is stable for an obstacle of any lightness. What each cell's faces and closed parts
// get adds up to nothing.
#include "fluid/flow/flow.h"

#include <string.h>

#define STAGE_MIN_APERTURE 0.75f // open part from which on faces are carried in stages as whole ones are

// ---- rows ----

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

// Room for so many entries of rows. They grow together.
static bool reserve_jacobian(struct fluid *f, int need)
{
    struct flow *s = f->impl;
    const struct memory *m = f->memory;
    bool good = memory_grow(m, (void **)&s->jacobian_cell, &s->jacobian_cell_capacity, need,
                            sizeof *s->jacobian_cell);
    for (int k = 0; k < 3; ++k)
        good = memory_grow(m, (void **)&s->jacobian[k], &s->jacobian_capacity[k], need,
                           sizeof *s->jacobian[k]) &&
               good;
    return good;
}

static void add_jacobian_entry(struct flow *s, struct body_rows *g, size_t c, const double part[3],
                               double sign)
{
    if (!s->is_fluid[c]) return;
    if (s->cell_slot[c] == 0) {
        const int at = g->first + g->count++;
        s->cell_slot[c] = at + 1;
        s->jacobian_cell[at] = c;
        for (int k = 0; k < 3; ++k) s->jacobian[k][at] = 0.0;
    }
    for (int k = 0; k < 3; ++k) s->jacobian[k][s->cell_slot[c] - 1] += sign * part[k];
}

static bool has_outflow(const struct fluid *f)
{
    for (int side = 0; side < 4; ++side)
        if (flow_def_of(f)->boundary[side].kind == FLOW_OUTFLOW) return true;
    return false;
}

// An obstacle keeps its volume wherever it goes: where it overlaps a wall or another one its row would say
// otherwise, and an incompressible fluid would glue them together.
static void remove_row_mean(double *row, int count)
{
    double sum = 0.0, size = 0.0;
    for (int i = 0; i < count; ++i) sum += row[i], size += fabs(row[i]);
    if (!(fabs(sum) > 1e-12 * size)) return;
    for (int i = 0; i < count; ++i) row[i] -= sum / size * fabs(row[i]);
}

static double sum_squares(const double *row, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; ++i) sum += row[i] * row[i];
    return sum;
}

// What of its own area's fluid an obstacle takes along is as much less as the squares of a row are: one that
// lies flat on a wall has fluid on one side only, no row is left of that, and it goes as if there were no
// fluid. The least of both axes, since it is there that something is in its way.
static void balance_rows(struct fluid *f, const struct body_rows *g)
{
    const struct flow *s = f->impl;
    struct obstacle *o = solid_at(f, g->solid_id);
    double left = 1.0;
    for (int k = 0; k < 3 && !has_outflow(f); ++k) {
        double *row = s->jacobian[k] + g->first;
        const double before = sum_squares(row, g->count);
        remove_row_mean(row, g->count);
        if (k < 2 && before > 0.0) left = fmin(left, sum_squares(row, g->count) / before);
    }
    o->added_mass = left * f->density * o->area;
}

// What was closed besides belongs to who is there.
static double solid_fraction_of(const struct flow *s, const struct cut_face *cut)
{
    const double open = (double)(cut->axis ? s->aperture_z : s->aperture_x)[cut->face],
                 all = (double)(cut->axis ? s->closed_z : s->closed_x)[cut->face];
    return cut->closed_fraction * (1.0 - open) / all;
}

static void add_face_entries(struct flow *s, struct body_rows *g, const struct cut_face *cut, bool round_one,
                             size_t n)
{
    const double part = solid_fraction_of(s, cut);
    const double arm = round_one ? 0.0 : cut->lever; // a disc's turning moves no fluid
    const double row[3] = {cut->axis ? 0.0 : part, cut->axis ? part : 0.0,
                           cut->axis ? part * arm : -part * arm};
    add_jacobian_entry(s, g, cut->face, row, -1.0);
    add_jacobian_entry(s, g, cut->face - (cut->axis ? n : 1), row, 1.0);
}

// Faces between two closed cells, as most are, move nothing.
static void add_cut_entries(struct flow *s, struct body_rows *g, struct cut_face *cut, bool round_one,
                            const struct grid *grid)
{
    const size_t along = cut->axis ? 1 : grid->stride, across = cut->axis ? grid->stride : 1;
    struct cut_face one = *cut;
    if (cut->count == 1) cut->solid_fraction = solid_fraction_of(s, cut); // others leave nothing open
    for (int k = 0; k < cut->count; ++k, one.face += along) {
        if (!s->is_fluid[one.face] && !s->is_fluid[one.face - across]) continue;
        one.lever = cut->lever + k * grid->dx;
        add_face_entries(s, g, &one, round_one, grid->stride);
    }
}

// Most entries of rows that cuts make.
static int count_entries(const struct flow *s, int first, int last)
{
    int sum = 0;
    for (int i = first; i < last; ++i) sum += 2 * s->cut_faces[i].count;
    return sum;
}

// Row of one obstacle from its cuts: those of its spans follow each other, those of whole faces stand at the
// end.
static bool build_rows_of_solid(struct fluid *f, int first, int last)
{
    struct flow *s = f->impl;
    const int number = s->cut_faces[first].solid_id, whole = s->cut_face_count - s->cut_closed_start;
    const bool round_one = solid_at(f, number)->radius > 0.0;
    struct body_rows g = {.solid_id = number};
    if (s->body_rows_count)
        g.first = s->body_rows[s->body_rows_count - 1].first + s->body_rows[s->body_rows_count - 1].count;
    if (!memory_grow(f->memory, (void **)&s->body_rows, &s->body_rows_capacity, s->body_rows_count + 1,
                     sizeof *s->body_rows) ||
        !reserve_jacobian(f, g.first + count_entries(s, first, last) + 2 * whole))
        return false;
    for (int i = first; i < last; ++i) add_cut_entries(s, &g, &s->cut_faces[i], round_one, &f->grid);
    for (int i = s->cut_closed_start; i < s->cut_face_count; ++i)
        if (s->cut_faces[i].solid_id == number) add_cut_entries(s, &g, &s->cut_faces[i], round_one, &f->grid);
    for (int i = g.first; i < g.first + g.count; ++i) s->cell_slot[s->jacobian_cell[i]] = 0;
    balance_rows(f, &g);
    s->body_rows[s->body_rows_count++] = g;
    return true;
}

static bool add_body_terms(struct fluid *f, const struct body_rows *g)
{
    struct flow *s = f->impl;
    const struct obstacle *o = solid_at(f, g->solid_id);
    const double weight = f->density * f->grid.dx * f->grid.dx, mass[3] = {o->mass, o->mass, o->inertia};
    if (g->solid_id <= f->obstacle_count || flow_is_weakly_coupled(f)) return true;
    if (!memory_grow(f->memory, (void **)&s->body_terms, &s->body_term_capacity, s->body_term_count + 3,
                     sizeof *s->body_terms))
        return false;
    for (int k = 0; k < (o->radius > 0.0 ? 2 : 3); ++k)
        s->body_terms[s->body_term_count++] = (struct low_rank_term){
            weight / mass[k], g->count, s->jacobian_cell + g->first, s->jacobian[k] + g->first};
    return true;
}

static void clear_wall_flux(const struct flow *s)
{
    for (int n = 0; n < s->body_rows_count; ++n)
        for (int i = s->body_rows[n].first; i < s->body_rows[n].first + s->body_rows[n].count; ++i)
            s->wall_flux[s->jacobian_cell[i]] = 0.0f;
}

static void keep_partly_open(struct flow *s)
{
    int kept = 0;
    for (int i = 0; i < s->cut_face_count; ++i) {
        struct cut_face cut = s->cut_faces[i];
        const int axis = cut.axis ? 2 : 1;
        if (cut.count > 1 || (cut.axis ? s->aperture_z : s->aperture_x)[cut.face] == 0.0f) continue;
        cut.is_first = !(s->cut_axes[cut.face] & axis);
        s->cut_axes[cut.face] |= axis;
        s->cut_faces[kept++] = cut;
    }
    for (int i = 0; i < kept; ++i) s->cut_axes[s->cut_faces[i].face] = 0;
    s->cut_face_count = kept;
}

bool flow_build_body_rows(struct fluid *f)
{
    struct flow *s = f->impl;
    bool good = true;
    clear_wall_flux(s);
    s->body_rows_count = s->body_term_count = 0;
    for (int i = 0; i < f->body_count; ++i) f->bodies[i].added_mass = 0.0;
    for (int i = 0, next; i < s->cut_closed_start && good; i = next) {
        for (next = i; next < s->cut_closed_start && s->cut_faces[next].solid_id == s->cut_faces[i].solid_id;)
            ++next;
        good = build_rows_of_solid(f, i, next);
    }
    for (int i = 0; i < s->body_rows_count && good; ++i)
        good = add_body_terms(f, &s->body_rows[i]); // rows stay now
    keep_partly_open(s);
    flow_update_wall_flux(f);
    return good;
}

void flow_update_wall_flux(const struct fluid *f)
{
    struct flow *s = f->impl;
    clear_wall_flux(s);
    for (int n = 0; n < s->body_rows_count; ++n) {
        const struct body_rows *g = &s->body_rows[n];
        const struct planar_motion *p = &solid_at(f, g->solid_id)->motion;
        for (int i = g->first; i < g->first + g->count; ++i)
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
        const struct body_rows *g = &s->body_rows[n];
        const struct obstacle *o = solid_at(f, g->solid_id);
        if (!o->has_impulse) continue;
        const double u = o->impulse[0] / o->mass, v = o->impulse[1] / o->mass,
                     spin = o->impulse[2] / o->inertia;
        for (int i = g->first; i < g->first + g->count; ++i) {
            double *b = &s->divergence[s->jacobian_cell[i]];
            const double was = *b;
            *b -= (s->jacobian[0][i] * u + s->jacobian[1][i] * v) + s->jacobian[2][i] * spin;
            sum += *b * *b - was * was; // a cell may be in several rows
        }
    }
    return sum;
}

// ---- faces ----

// Then what forces give is a part of what changes.
static bool uses_rk_stages(const struct fluid *f) { return flow_def_of(f)->advection == FLOW_CONSERVATIVE; }

void flow_blend_cut_faces(const struct fluid *f)
{
    const struct flow *s = f->impl;
    for (int i = 0; i < s->cut_face_count; ++i) {
        struct cut_face *cut = &s->cut_faces[i];
        double p[3];
        flow_start_velocity(f, cut->solid_id, p);
        const double surface = cut->axis ? p[1] + p[2] * cut->lever : p[0] - p[2] * cut->lever;
        float *u = (cut->axis ? s->v : s->u) + cut->face;
        if (cut->is_first) {
            const float open = (cut->axis ? s->aperture_z : s->aperture_x)[cut->face];
            float *mass = (cut->axis ? s->mass_v : s->mass_u) + cut->face;
            cut->saved_mass = *mass, cut->saved_velocity = *u;
            if (!uses_rk_stages(f)) *mass = 0.0f; // nobody needs to find what it will be
            *u *= open;
        }
        *u += (float)(cut->solid_fraction * surface);
    }
    flow_fill_velocity_ghosts(f, s->u, s->v);
}

// [m/s] What passes a face, of which a part is open.
static inline float face_flux(const float *open, const float *u, size_t c) { return open[c] * u[c]; }

// What is in a face and what comes in from its neighbours mingle, as much of each as there is,
//
//     (a + sum F) u' = a u + sum F u_n    over neighbours n that it comes from, F = k (a u), the mean of two faces, k = dt/h
//
// of first order, and within the speeds that are there, however little is open.
float flow_mixed_velocity(const struct fluid *f, const float *old_u, const float *old_v, int net, size_t c,
                          float k)
{
    const struct flow *s = f->impl;
    const float *u = net ? old_v : old_u, *v = net ? old_u : old_v;
    const float *a = net ? s->aperture_z : s->aperture_x, *b = net ? s->aperture_x : s->aperture_z;
    const int back = net ? 2 : 0, left = 2 - back; // links
    const size_t from[4] = {flow_neighbour_node(f, c, back), flow_neighbour_node(f, c, back + 1),
                            flow_neighbour_node(f, c, left), flow_neighbour_node(f, c, left + 1)};
    const float here = face_flux(a, u, c);
    const float in[4] = {
        face_flux(a, u, from[0]) + here, -(here + face_flux(a, u, from[1])),
        face_flux(b, v, from[0]) + face_flux(b, v, c),
        -(face_flux(b, v, flow_neighbour_node(f, from[0], left + 1)) + face_flux(b, v, from[3]))};
    float mass = a[c], sum = here;
    for (int n = 0; n < 4; ++n) {
        const float comes = a[from[n]] > 0.0f ? 0.5f * k * max_f(in[n], 0.0f) : 0.0f;
        mass += comes;
        sum += comes * u[from[n]];
    }
    return sum / mass;
}

// What changed of a whole face is the fluid's, which has only its part of the mass. To divide by little gains
// energy, since the pressure weighs speeds by it, without end where a jet is fed from the side: there, and
// where ways are followed, which is of first order beside surfaces anyway, fluid mingles. Nobody looks at
// ghosts of the old speeds any more.
void flow_unblend_cut_faces(const struct fluid *f, float k)
{
    const struct flow *s = f->impl;
    for (int i = 0; i < s->cut_face_count; ++i) {
        const struct cut_face *cut = &s->cut_faces[i];
        const size_t c = cut->face;
        const bool z = cut->axis;
        if (!cut->is_first) continue;
        float *u = (z ? s->v : s->u) + c, *next = (z ? s->v_next : s->u_next) + c;
        const float open = (z ? s->aperture_z : s->aperture_x)[c],
                    force = uses_rk_stages(f) ? (z ? s->v_change : s->u_change)[c] : 0.0f;
        *next = cut->saved_mass > 0.0f ? cut->saved_velocity + (force + ((*next - *u) - force) / open)
                                       : cut->saved_velocity;
        *u = cut->saved_velocity;
        (z ? s->mass_v : s->mass_u)[c] = cut->saved_mass;
    }
    for (int i = 0; i < s->cut_face_count; ++i) {
        const struct cut_face *cut = &s->cut_faces[i];
        const size_t c = cut->face;
        const bool z = cut->axis;
        if (!cut->is_first || cut->saved_mass == 0.0f ||
            (uses_rk_stages(f) && (z ? s->aperture_z : s->aperture_x)[c] >= STAGE_MIN_APERTURE))
            continue;
        const float force = uses_rk_stages(f) ? (z ? s->v_change : s->u_change)[c] : 0.0f;
        (z ? s->v_next : s->u_next)[c] = flow_mixed_velocity(f, s->u, s->v, z, c, k) + force;
    }
}
