// What obstacles take of faces, and what follows for the pressure.
//
// A face is open by a and closed by s = 1 - a. A cell that an obstacle reaches into keeps its volume,
//
//     sum over faces n (a u + s V(x_m)) = 0,   V(x) = (U - W (y - y_0), V + W (x - x_0)),   x_m the middle of what is closed
//
// which is exact for turning as well. The closed parts make the obstacle's row J of each cell, for U, V and W; pressure
// pushes the obstacle through the same J, so that the operator gains rho h^2 J M^-1 J^T: a term of rank three, which is
// stable for an obstacle of any lightness. What each cell's faces and closed parts get adds up to nothing.
#include "flow.h"

#include <string.h>

#define WIDE 0.75f // open part from which on faces are carried in stages as whole ones are

// ---- rows -------------------------------------------------------------------------------------------------

bool flow_note_cut(struct fluid *f, const struct flow_cut *cut)
{
    struct flow *s = f->self;
    if (s->cut_count == s->cut_room &&
        !memory_grow(f->memory, (void **)&s->cuts, &s->cut_room, s->cut_count + 1, sizeof *s->cuts))
        return false;
    s->cuts[s->cut_count++] = *cut;
    return true;
}

// Room for so many entries of rows. They grow together.
static bool row_room(struct fluid *f, int need)
{
    struct flow *s = f->self;
    const struct memory *m = f->memory;
    bool good = memory_grow(m, (void **)&s->row_at, &s->row_at_room, need, sizeof *s->row_at);
    for (int k = 0; k < 3; ++k)
        good = memory_grow(m, (void **)&s->row[k], &s->row_room[k], need, sizeof *s->row[k]) && good;
    return good;
}

static void add_row(struct flow *s, struct flow_grip *g, size_t c, const double part[3], double sign)
{
    if (!s->cells[c]) return;
    if (s->slot[c] == 0) {
        const int at = g->first + g->count++;
        s->slot[c] = at + 1;
        s->row_at[at] = c;
        for (int k = 0; k < 3; ++k) s->row[k][at] = 0.0;
    }
    for (int k = 0; k < 3; ++k) s->row[k][s->slot[c] - 1] += sign * part[k];
}

static bool leads_out(const struct fluid *f)
{
    for (int side = 0; side < 4; ++side)
        if (flow_def_of(f)->side[side].kind == FLOW_OUTFLOW) return true;
    return false;
}

// An obstacle keeps its volume wherever it goes: where it overlaps a wall or another one its row would say otherwise, and
// an incompressible fluid would glue them together.
static void balance(double *row, int count)
{
    double sum = 0.0, size = 0.0;
    for (int i = 0; i < count; ++i) sum += row[i], size += fabs(row[i]);
    if (!(fabs(sum) > 1e-12 * size)) return;
    for (int i = 0; i < count; ++i) row[i] -= sum / size * fabs(row[i]);
}

static double squares_of(const double *row, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; ++i) sum += row[i] * row[i];
    return sum;
}

// What of its own area's fluid an obstacle takes along is as much less as the squares of a row are: one that lies flat on a wall has
// fluid on one side only, no row is left of that, and it goes as if there were no fluid. The least of both axes, since it
// is there that something is in its way.
static void balance_grip(struct fluid *f, const struct flow_grip *g)
{
    const struct flow *s = f->self;
    struct obstacle *o = obstacle_of(f, g->number);
    double left = 1.0;
    for (int k = 0; k < 3 && !leads_out(f); ++k) {
        double *row = s->row[k] + g->first;
        const double before = squares_of(row, g->count);
        balance(row, g->count);
        if (k < 2 && before > 0.0) left = fmin(left, squares_of(row, g->count) / before);
    }
    o->along = left * f->density * o->area;
}

// What was closed besides belongs to who is there.
static double solid_of(const struct flow *s, const struct flow_cut *cut)
{
    const double open = (double)(cut->axis ? s->az : s->ax)[cut->face],
                 all = (double)(cut->axis ? s->v1 : s->u1)[cut->face];
    return cut->part * (1.0 - open) / all;
}

static void add_face(struct flow *s, struct flow_grip *g, const struct flow_cut *cut, bool round_one,
                     size_t n)
{
    const double part = solid_of(s, cut);
    const double arm = round_one ? 0.0 : cut->arm; // a disc's turning moves no fluid
    const double row[3] = {cut->axis ? 0.0 : part, cut->axis ? part : 0.0,
                           cut->axis ? part * arm : -part * arm};
    add_row(s, g, cut->face, row, -1.0);
    add_row(s, g, cut->face - (cut->axis ? n : 1), row, 1.0);
}

// Faces between two closed cells, as most are, move nothing.
static void add_cut(struct flow *s, struct flow_grip *g, struct flow_cut *cut, bool round_one,
                    const struct grid *grid)
{
    const size_t along = cut->axis ? 1 : grid->stride, across = cut->axis ? grid->stride : 1;
    struct flow_cut one = *cut;
    if (cut->count == 1) cut->solid = solid_of(s, cut); // others leave nothing open
    for (int k = 0; k < cut->count; ++k, one.face += along) {
        if (!s->cells[one.face] && !s->cells[one.face - across]) continue;
        one.arm = cut->arm + k * grid->s;
        add_face(s, g, &one, round_one, grid->stride);
    }
}

// Most entries of rows that cuts make.
static int entries_of(const struct flow *s, int first, int last)
{
    int sum = 0;
    for (int i = first; i < last; ++i) sum += 2 * s->cuts[i].count;
    return sum;
}

// Row of one obstacle from its cuts: those of its spans follow each other, those of whole faces stand at the end.
static bool grip_one(struct fluid *f, int first, int last)
{
    struct flow *s = f->self;
    const int number = s->cuts[first].number, whole = s->cut_count - s->cut_first;
    const bool round_one = obstacle_of(f, number)->radius > 0.0;
    struct flow_grip g = {.number = number};
    if (s->grip_count) g.first = s->grips[s->grip_count - 1].first + s->grips[s->grip_count - 1].count;
    if (!memory_grow(f->memory, (void **)&s->grips, &s->grip_room, s->grip_count + 1, sizeof *s->grips) ||
        !row_room(f, g.first + entries_of(s, first, last) + 2 * whole))
        return false;
    for (int i = first; i < last; ++i) add_cut(s, &g, &s->cuts[i], round_one, &f->g);
    for (int i = s->cut_first; i < s->cut_count; ++i)
        if (s->cuts[i].number == number) add_cut(s, &g, &s->cuts[i], round_one, &f->g);
    for (int i = g.first; i < g.first + g.count; ++i) s->slot[s->row_at[i]] = 0;
    balance_grip(f, &g);
    s->grips[s->grip_count++] = g;
    return true;
}

static bool add_terms(struct fluid *f, const struct flow_grip *g)
{
    struct flow *s = f->self;
    const struct obstacle *o = obstacle_of(f, g->number);
    const double weight = f->density * f->g.s * f->g.s, mass[3] = {o->mass, o->mass, o->inertia};
    if (g->number <= f->obstacle_count || flow_is_weak(f)) return true;
    if (!memory_grow(f->memory, (void **)&s->terms, &s->term_room, s->term_count + 3, sizeof *s->terms))
        return false;
    for (int k = 0; k < (o->radius > 0.0 ? 2 : 3); ++k)
        s->terms[s->term_count++] =
            (struct linear_term){weight / mass[k], g->count, s->row_at + g->first, s->row[k] + g->first};
    return true;
}

static void clear_pump(const struct flow *s)
{
    for (int n = 0; n < s->grip_count; ++n)
        for (int i = s->grips[n].first; i < s->grips[n].first + s->grips[n].count; ++i)
            s->pump[s->row_at[i]] = 0.0f;
}

static void keep_open_cuts(struct flow *s)
{
    int kept = 0;
    for (int i = 0; i < s->cut_count; ++i) {
        struct flow_cut cut = s->cuts[i];
        const int axis = cut.axis ? 2 : 1;
        if (cut.count > 1 || (cut.axis ? s->az : s->ax)[cut.face] == 0.0f) continue;
        cut.first = !(s->slot[cut.face] & axis);
        s->slot[cut.face] |= axis;
        s->cuts[kept++] = cut;
    }
    for (int i = 0; i < kept; ++i) s->slot[s->cuts[i].face] = 0;
    s->cut_count = kept;
}

bool flow_grip(struct fluid *f)
{
    struct flow *s = f->self;
    bool good = true;
    clear_pump(s);
    s->grip_count = s->term_count = 0;
    for (int i = 0; i < f->loose_count; ++i) f->loose[i].along = 0.0;
    for (int i = 0, next; i < s->cut_first && good; i = next) {
        for (next = i; next < s->cut_first && s->cuts[next].number == s->cuts[i].number;) ++next;
        good = grip_one(f, i, next);
    }
    for (int i = 0; i < s->grip_count && good; ++i) good = add_terms(f, &s->grips[i]); // rows stay now
    keep_open_cuts(s);
    flow_pump(f);
    return good;
}

void flow_pump(const struct fluid *f)
{
    struct flow *s = f->self;
    clear_pump(s);
    for (int n = 0; n < s->grip_count; ++n) {
        const struct flow_grip *g = &s->grips[n];
        const struct pose *p = &obstacle_of(f, g->number)->now;
        for (int i = g->first; i < g->first + g->count; ++i)
            s->pump[s->row_at[i]] +=
                (float)((s->row[0][i] * p->u + s->row[1][i] * p->v) + s->row[2][i] * p->spin);
    }
}

double flow_pump_blows(const struct fluid *f)
{
    struct flow *s = f->self;
    double sum = 0.0;
    memset(s->b, 0, f->g.count * sizeof *s->b);
    for (int n = 0; n < s->grip_count; ++n) {
        const struct flow_grip *g = &s->grips[n];
        const struct obstacle *o = obstacle_of(f, g->number);
        if (!o->struck) continue;
        const double u = o->blow[0] / o->mass, v = o->blow[1] / o->mass, spin = o->blow[2] / o->inertia;
        for (int i = g->first; i < g->first + g->count; ++i) {
            double *b = &s->b[s->row_at[i]];
            const double was = *b;
            *b -= (s->row[0][i] * u + s->row[1][i] * v) + s->row[2][i] * spin;
            sum += *b * *b - was * was; // a cell may be in several rows
        }
    }
    return sum;
}

// ---- faces ------------------------------------------------------------------------------------------------

// Then what forces give is a part of what changes.
static bool in_stages(const struct fluid *f) { return flow_def_of(f)->advection == FLOW_CONSERVATIVE; }

void flow_mix_faces(const struct fluid *f)
{
    const struct flow *s = f->self;
    for (int i = 0; i < s->cut_count; ++i) {
        struct flow_cut *cut = &s->cuts[i];
        double p[3];
        flow_began_with(f, cut->number, p);
        const double surface = cut->axis ? p[1] + p[2] * cut->arm : p[0] - p[2] * cut->arm;
        float *u = (cut->axis ? s->v : s->u) + cut->face;
        if (cut->first) {
            const float open = (cut->axis ? s->az : s->ax)[cut->face];
            float *mass = (cut->axis ? s->mass_v : s->mass_u) + cut->face;
            cut->mass = *mass, cut->was = *u;
            if (!in_stages(f)) *mass = 0.0f; // nobody needs to find what it will be
            *u *= open;
        }
        *u += (float)(cut->solid * surface);
    }
    flow_speed_ghosts(f, s->u, s->v);
}

// [m/s] What passes a face, of which a part is open.
static inline float passing(const float *open, const float *u, size_t c) { return open[c] * u[c]; }

// What is in a face and what comes in from its neighbours mingle, as much of each as there is,
//
//     (a + sum F) u' = a u + sum F u_n    over neighbours n that it comes from, F = k (a u), the mean of two faces, k = dt/h
//
// of first order, and within the speeds that are there, however little is open.
float flow_mingled(const struct fluid *f, const float *old_u, const float *old_v, int net, size_t c, float k)
{
    const struct flow *s = f->self;
    const float *u = net ? old_v : old_u, *v = net ? old_u : old_v;
    const float *a = net ? s->az : s->ax, *b = net ? s->ax : s->az;
    const int back = net ? 2 : 0, left = 2 - back; // links
    const size_t from[4] = {flow_beside(f, c, back), flow_beside(f, c, back + 1), flow_beside(f, c, left),
                            flow_beside(f, c, left + 1)};
    const float here = passing(a, u, c);
    const float in[4] = {passing(a, u, from[0]) + here, -(here + passing(a, u, from[1])),
                         passing(b, v, from[0]) + passing(b, v, c),
                         -(passing(b, v, flow_beside(f, from[0], left + 1)) + passing(b, v, from[3]))};
    float mass = a[c], sum = here;
    for (int n = 0; n < 4; ++n) {
        const float comes = a[from[n]] > 0.0f ? 0.5f * k * larger(in[n], 0.0f) : 0.0f;
        mass += comes;
        sum += comes * u[from[n]];
    }
    return sum / mass;
}

// What changed of a whole face is the fluid's, which has only its part of the mass. To divide by little gains energy, since the
// pressure weighs speeds by it, without end where a jet is fed from the side: there, and where ways are followed, which is of
// first order beside surfaces anyway, fluid mingles. Nobody looks at ghosts of the old speeds any more.
void flow_part_faces(const struct fluid *f, float k)
{
    const struct flow *s = f->self;
    for (int i = 0; i < s->cut_count; ++i) {
        const struct flow_cut *cut = &s->cuts[i];
        const size_t c = cut->face;
        const bool z = cut->axis;
        if (!cut->first) continue;
        float *u = (z ? s->v : s->u) + c, *next = (z ? s->v1 : s->u1) + c;
        const float open = (z ? s->az : s->ax)[c], force = in_stages(f) ? (z ? s->dv : s->du)[c] : 0.0f;
        *next = cut->mass > 0.0f ? cut->was + (force + ((*next - *u) - force) / open) : cut->was;
        *u = cut->was;
        (z ? s->mass_v : s->mass_u)[c] = cut->mass;
    }
    for (int i = 0; i < s->cut_count; ++i) {
        const struct flow_cut *cut = &s->cuts[i];
        const size_t c = cut->face;
        const bool z = cut->axis;
        if (!cut->first || cut->mass == 0.0f || (in_stages(f) && (z ? s->az : s->ax)[c] >= WIDE)) continue;
        const float force = in_stages(f) ? (z ? s->dv : s->du)[c] : 0.0f;
        (z ? s->v1 : s->u1)[c] = flow_mingled(f, s->u, s->v, z, c, k) + force;
    }
}
