// The room that obstacles leave to the fluid: open parts of faces, which nodes are held, and how far from their
// neighbours the surfaces are.
//
// Lines through the middles and edges of all cells are laid through every obstacle. What it takes of an edge is the
// closed part of a face; where it begins between two nodes of a speed is where they feel it.
#include "flow.h"

#include <string.h>

#define NEAREST 0.1 // [cells] a surface is felt as if it were no nearer than this
#define NEAR_ENOUGH \
    0.25 // likewise where looks are what counts: friction of thin fluids need not be solved for then
#define FILM  0.02 // the same where there are loose ones, which squeeze fluid out of ever thinner gaps
#define THIN  0.25 // least mass of a node
#define TOUCH 1e-9 // [cells] nodes so near count as inside

// One axis of the room: lines x = const (axis 0) run along z.
struct sweep {
    struct fluid *f;
    struct flow *s;
    int number; // of the obstacle, from 1
    int axis;
    double shift[2];      // [m] along x and z that it is seen from where it is, across periodic sides
    size_t across, along; // index steps from line to line and along a line
    int lines, nodes;     // cells
    float *face;          // closed faces are on the lines between cells
    float *side_link, *middle_link; // links along lines between cells, and through their middles
    uint16_t *side_owner, *middle_owner;
    float *closed; // what all obstacles together take of a face
    float *middle; // what is open of a line through the middles
    double nearest;
};

// Where a span begins and ends in cell j of a line. Comparisons, here and below, because fmax and fmin are calls.
static double begin_in(double low, int j) { return low > j ? low : j; }
static double end_in(double high, int j) { return high < j + 1.0 ? high : j + 1.0; }

static double overlap(double low, double high, int j)
{
    const double length = end_in(high, j) - begin_in(low, j);
    return length > 0.0 ? length : 0.0;
}

// floor() likewise.
static int whole(double x)
{
    const int i = (int)x;
    return x < i ? i - 1 : i;
}

static size_t node_at(const struct sweep *w, int line, int node)
{
    return w->f->g.first + (size_t)line * w->across + (size_t)node * w->along;
}

// `count` whole faces, from number j of the line on.
static bool close_whole(const struct sweep *w, int line, int j, int count, double centre)
{
    const size_t c = node_at(w, line, j);
    const struct flow_cut cut = {.face = (uint32_t)c,
                                 .number = (uint16_t)w->number,
                                 .axis = (unsigned char)w->axis,
                                 .count = count,
                                 .part = 1.0,
                                 .arm = (j + 0.5) * w->f->g.s - centre};
    for (int k = 0; k < count; ++k) {
        const size_t at = c + (size_t)k * w->along;
        w->face[at] = 0.0f;
        w->closed[at] += 1.0f;
        w->s->marks[at] |= FLOW_CORNER;
    }
    return !w->s->moving || flow_note_cut(w->f, &cut);
}

static bool close_part(const struct sweep *w, int line, int j, double low, double high, double centre)
{
    const unsigned char pierced = w->axis ? FLOW_PIERCED_Z : FLOW_PIERCED_X;
    const size_t c = node_at(w, line, j);
    const double part = overlap(low, high, j), middle = 0.5 * (begin_in(low, j) + end_in(high, j));
    w->face[c] = larger(w->face[c] - (float)part, 0.0f);
    w->closed[c] += (float)part;
    const struct flow_cut cut = {.face = (uint32_t)c,
                                 .number = (uint16_t)w->number,
                                 .axis = (unsigned char)w->axis,
                                 .count = 1,
                                 .part = part,
                                 .arm = middle * w->f->g.s - centre};
    if (low > j + TOUCH && high < j + 1.0 - TOUCH) w->s->marks[c] |= pierced;
    if (low <= j + TOUCH && j <= high + TOUCH) w->s->marks[c] |= FLOW_CORNER;
    return !w->s->moving || !(part > TOUCH) || flow_note_cut(w->f, &cut);
}

// What a span takes of the faces on a line between cells. False without memory.
static bool close_faces(const struct sweep *w, int line, double low, double high)
{
    const struct obstacle *o = obstacle_of(w->f, w->number);
    const double centre = w->axis ? o->now.x + w->shift[0] : o->now.y + w->shift[1];
    const int first = imax(0, whole(low)), last = imin(w->nodes - 1, whole(high)), more = last - first - 1;
    bool good = true;
    if (first <= last) good = close_part(w, line, first, low, high, centre);
    if (more > 0) good = good && close_whole(w, line, first + 1, more, centre);
    if (last > first) good = good && close_part(w, line, last, low, high, centre);
    // corners of the cells beside those
    for (int j = imax(0, last); j <= imin(w->nodes, whole(high + TOUCH)); ++j)
        if (j >= low - TOUCH) w->s->marks[node_at(w, line, j)] |= FLOW_CORNER;
    return good;
}

// The link to node j, if it is one of 0 .. last, ends at a surface after `gap`.
static void shorten(const struct sweep *w, int line, int j, int last, double gap, float *link)
{
    if (j < 0 || j > last) return;
    float *to = &link[node_at(w, line, j)];
    *to = larger((float)(1.0 / clamp(gap, w->nearest, 1.0)), *to);
}

// Nodes stand at j + offset along the line: those inside are held, links that lead inside end at the surface.
static void hold_nodes(const struct sweep *w, int line, double offset, double low, double high,
                       uint16_t *owner, float *link)
{
    const int count = offset > 0.0 ? w->nodes : w->nodes + 1;
    const int first = -whole(offset - (low - TOUCH)), after = whole(high + TOUCH - offset) + 1;
    if (first >= after) { // thinner than a cell, between two nodes
        if (0 <= first && first <= count) link[node_at(w, line, first)] = 0.0f;
        return;
    }
    for (int j = imax(0, first); j < imin(count, after); ++j)
        owner[node_at(w, line, j)] = (uint16_t)w->number;
    shorten(w, line, first, count, low - (first + offset - 1.0), link);
    shorten(w, line, after, count, after + offset - high, link);
}

static void close_middle(const struct sweep *w, int line, double low, double high)
{
    const int first = imax(0, whole(low)), last = imin(w->nodes - 1, whole(high));
    for (int j = first; j <= last; ++j) {
        const bool edge = j == first || j == last;
        w->middle[node_at(w, line, j)] -= edge ? (float)overlap(low, high, j) : 1.0f;
    }
}

// The same for whole cells: those whose middles are inside, on either side of a line between cells.
static bool cross_cells(const struct sweep *w, int k)
{
    const struct obstacle *o = &w->f->obstacles[w->number - 1];
    const double s = w->f->g.s;
    struct spans *found = w->s->spans, *cells = w->s->spans + 1;
    cells->count = 0;
    for (int line = k % 2 ? k : k - 1; line <= k + 1; line += 2) {
        if (!obstacle_cross(o, w->f->memory, w->axis, 0.5 * line * s - w->shift[w->axis], found))
            return false;
        for (int i = 0; i < found->count; ++i) {
            const double from = ceil(found->list[i][0] / s - 0.5),
                         to = floor(found->list[i][1] / s - 0.5) + 1.0;
            if (to > from && !spans_put(cells, w->f->memory, from * s, to * s)) return false;
        }
        if (k % 2) break;
    }
    const struct spans kept = *found;
    *found = *cells, *cells = kept;
    return true;
}

static bool sweep_obstacle(const struct sweep *w)
{
    const struct obstacle *o = obstacle_of(w->f, w->number);
    const double s = w->f->g.s, across = w->shift[w->axis], along = w->shift[1 - w->axis];
    double low, high;
    obstacle_extent(o, w->axis, &low, &high);
    low += across, high += across;
    const double more = o->def.boundary ? 1.0 : 0.001;                        // whole cells reach beyond
    const double reach = (w->axis ? w->f->wrap_x : w->f->wrap_z) ? 1.0 : 0.0; // links lead across such sides
    const int first = (int)ceil(clamp(2.0 * low / s - more, 0.0, 2.0 * w->lines)),
              last = (int)floor(clamp(2.0 * high / s + more, 0.0, 2.0 * w->lines));
    for (int k = first; k <= last; ++k) {
        const int line = k / 2;
        if (o->def.boundary ? !cross_cells(w, k)
                            : !obstacle_cross(o, w->f->memory, w->axis, 0.5 * k * s - across, w->s->spans))
            return false;
        for (int i = 0; i < w->s->spans->count; ++i) {
            const double from = (w->s->spans->list[i][0] + along) / s,
                         to = (w->s->spans->list[i][1] + along) / s;
            if (to < -reach || from > w->nodes + reach) continue;
            if (k % 2 == 0) {
                if (!close_faces(w, line, from, to)) return false;
                hold_nodes(w, line, 0.5, from, to, w->side_owner, w->side_link);
                continue;
            }
            hold_nodes(w, line, 0.0, from, to, w->middle_owner, w->middle_link);
            close_middle(w, line, from, to);
        }
    }
    return true;
}

static struct sweep sweep_of(struct fluid *f, int number, int axis)
{
    struct flow *s = f->self;
    const struct grid *g = &f->g;
    const double nearest = flow_def_of(f)->advection == FLOW_CONSERVATIVE ? NEAREST : NEAR_ENOUGH;
    if (axis == 0) // u stands on these lines, v between them
        return (struct sweep){.f = f,
                              .s = s,
                              .number = number,
                              .axis = 0,
                              .across = 1,
                              .along = g->stride,
                              .lines = g->nx,
                              .nodes = g->nz,
                              .face = s->ax,
                              .side_link = s->uz,
                              .middle_link = s->vz,
                              .side_owner = s->owner_u,
                              .middle_owner = s->owner_v,
                              .closed = s->u1,
                              .middle = s->q1,
                              .nearest = nearest};
    return (struct sweep){.f = f,
                          .s = s,
                          .number = number,
                          .axis = 1,
                          .across = g->stride,
                          .along = 1,
                          .lines = g->nz,
                          .nodes = g->nx,
                          .face = s->az,
                          .side_link = s->vx,
                          .middle_link = s->ux,
                          .side_owner = s->owner_v,
                          .middle_owner = s->owner_u,
                          .closed = s->v1,
                          .middle = s->q2,
                          .nearest = nearest};
}

enum { MARGIN = 2 }; // [cells] around an obstacle that it may change

// How often an obstacle is seen along an axis: itself, and across periodic sides that it reaches over or comes near.
static void images(const struct fluid *f, const struct obstacle *o, int axis, int *first, int *last)
{
    double low, high;
    obstacle_extent(o, axis, &low, &high);
    *first = 0;
    *last = low <= high ? 0 : -1; // a loose one may not be there
    if (*last < 0 || !(axis ? f->wrap_z : f->wrap_x)) return;
    const double length = (axis ? f->g.nz : f->g.nx) * f->g.s, margin = MARGIN * f->g.s;
    // What is much larger than the domain need not be seen more often.
    const double home = clamp(-floor(0.5 * (low + high) / length), -1e9, 1e9);
    *first = (int)clamp(ceil((-margin - high) / length), home - 2.0, home + 2.0);
    *last = (int)clamp(floor((length + margin - low) / length), home - 2.0, home + 2.0);
}

static bool place_obstacle(struct fluid *f, int number)
{
    const struct obstacle *o = obstacle_of(f, number);
    const double wide = f->g.nx * f->g.s, high = f->g.nz * f->g.s;
    int i0, i1, j0, j1;
    images(f, o, 0, &i0, &i1);
    images(f, o, 1, &j0, &j1);
    for (int axis = 0; axis < 2; ++axis)
        for (int i = i0; i <= i1; ++i)
            for (int j = j0; j <= j1; ++j) {
                struct sweep w = sweep_of(f, number, axis);
                w.shift[0] = i * wide, w.shift[1] = j * high;
                if (!sweep_obstacle(&w)) return false;
            }
    return true;
}

// ---- leaks ----------------------------------------------------------------------------------------------

static void shut(float *a, float *b) { *a = *b = 0.0f; }

// A cell has one value of everything, so it belongs to one side of what goes through it. Where fluid is left in two
// corners across, the smaller one is closed; a cell that something thinner than itself goes through is closed.
static void close_leaks(struct flow *s, const struct grid *g)
{
    const size_t n = g->stride;
    unsigned char *const leaks = s->far; // it is found anew later
    FLOW_EACH_RUN(s, g, 0, j, begin, end)
    {
        const size_t row = grid_at(g, 0, j), first = row + (size_t)begin;
        s->room->leaks(s->marks + first, s->marks + first + n, leaks + first, (size_t)(end - begin));
        for (int i = begin; (i = flow_marked(leaks + row, i, end)) < end; ++i) {
            const size_t c = row + (size_t)i;
            float *w = &s->ax[c], *e = &s->ax[c + 1], *b = &s->az[c], *t = &s->az[c + n];
            const bool rising = leaks[c] == FLOW_RISING; // fluid is left in the north-west and the south-east
            if (leaks[c] == FLOW_PIERCED) {
                shut(w, e);
                shut(b, t);
            } else if (rising ? *e + *b < *w + *t : *w + *b < *e + *t) {
                shut(rising ? e : w, b);
            } else {
                shut(rising ? w : e, t);
            }
        }
    }
}

// ---- what follows ---------------------------------------------------------------------------------------

// Periodic sides: the first face and the last are one.
static void join_faces(const struct fluid *f)
{
    struct flow *s = f->self;
    const struct grid *g = &f->g;
    for (int j = 0; f->wrap_x && j < g->nz; ++j) {
        const size_t a = grid_at(g, 0, j), b = grid_at(g, g->nx, j);
        s->ax[a] = s->ax[b] = fminf(s->ax[a], s->ax[b]);
        s->mass_u[a] = s->mass_u[b] = fminf(s->mass_u[a], s->mass_u[b]);
        s->owner_u[a] = s->owner_u[b] = s->owner_u[a] ? s->owner_u[a] : s->owner_u[b];
    }
    for (int i = 0; f->wrap_z && i < g->nx; ++i) {
        const size_t a = grid_at(g, i, 0), b = grid_at(g, i, g->nz);
        s->az[a] = s->az[b] = fminf(s->az[a], s->az[b]);
        s->mass_v[a] = s->mass_v[b] = fminf(s->mass_v[a], s->mass_v[b]);
        s->owner_v[a] = s->owner_v[b] = s->owner_v[a] ? s->owner_v[a] : s->owner_v[b];
    }
}

// Who holds nodes beyond periodic sides.
static void join_owners(const struct fluid *f, uint16_t *owner)
{
    const struct grid *g = &f->g;
    for (int j = 0; f->wrap_x && j < g->nz; ++j) {
        owner[grid_at(g, -1, j)] = owner[grid_at(g, g->nx - 1, j)];
        owner[grid_at(g, g->nx, j)] = owner[grid_at(g, 0, j)];
    }
    for (int i = -1; f->wrap_z && i <= g->nx; ++i) {
        owner[grid_at(g, i, -1)] = owner[grid_at(g, i, g->nz - 1)];
        owner[grid_at(g, i, g->nz)] = owner[grid_at(g, i, 0)];
    }
}

// Links to the first nodes are those from the last ones.
static void join_links(const struct fluid *f)
{
    const struct flow *s = f->self;
    const struct grid *g = &f->g;
    for (int j = 0; f->wrap_x && j <= g->nz; ++j) {
        const size_t a = grid_at(g, 0, j), b = grid_at(g, g->nx, j);
        s->ux[b] = s->ux[a], s->vx[b] = s->vx[a];
    }
    for (int i = 0; f->wrap_z && i <= g->nx; ++i) {
        const size_t a = grid_at(g, i, 0), b = grid_at(g, i, g->nz);
        s->uz[b] = s->uz[a], s->vz[b] = s->vz[a];
    }
}

static void join_sides(const struct fluid *f)
{
    const struct flow *s = f->self;
    join_faces(f);
    join_owners(f, s->owner_u);
    join_owners(f, s->owner_v);
    join_links(f);
}

// The first that is not 0.
static uint16_t one_of(uint16_t a, uint16_t b, uint16_t c, uint16_t d) { return a ? a : b ? b : c ? c : d; }

// A face that is quite closed moves with what closes it, all of it. False without memory.
static bool own_face(struct fluid *f, int axis, int i, int j, uint16_t *owner, uint16_t other, float *closed)
{
    const struct flow *s = f->self;
    const size_t c = grid_at(&f->g, i, j);
    if (!owner[c]) owner[c] = other;
    if (!owner[c] || !s->moving || closed[c] > 0.5f) return true;
    const struct pose *p = &obstacle_of(f, owner[c])->now;
    const double arm =
        axis ? flow_arm(f, 0, (i + 0.5) * f->g.s, p->x) : flow_arm(f, 1, (j + 0.5) * f->g.s, p->y);
    const struct flow_cut cut = {.face = (uint32_t)c,
                                 .number = owner[c],
                                 .axis = (unsigned char)axis,
                                 .count = 1,
                                 .part = 1.0 - (double)closed[c],
                                 .arm = arm};
    closed[c] = 1.0f;
    return flow_note_cut(f, &cut);
}

static bool own_faces(struct fluid *f)
{
    struct flow *s = f->self;
    const struct grid *g = &f->g;
    const size_t n = g->stride;
    bool good = true;
    FLOW_EACH_RUN(s, g, 1, j, begin, end)
    {
        const size_t row = grid_at(g, 0, j), first = row + (size_t)begin;
        const uint16_t *u = s->owner_u, *v = s->owner_v;
        s->room->closed(u + first, v + first, s->ax + first, s->az + first, s->u1 + first, s->v1 + first,
                        s->marks + first, (size_t)(end - begin));
        for (int i = begin; (i = flow_marked(s->marks + row, i, end)) < end; ++i) {
            const size_t c = row + (size_t)i;
            if (j < g->nz && s->marks[c] & 1)
                good =
                    own_face(f, 0, i, j, s->owner_u, one_of(v[c], v[c - 1], v[c + n], v[c - 1 + n]), s->u1) &&
                    good;
            if (i < g->nx && s->marks[c] & 2)
                good =
                    own_face(f, 1, i, j, s->owner_v, one_of(u[c], u[c - n], u[c + 1], u[c + 1 - n]), s->v1) &&
                    good;
        }
    }
    return good;
}

static void weigh_nodes(struct flow *s, const struct grid *g, float least)
{
    FLOW_EACH_RUN(s, g, 1, j, begin, end)
    {
        const size_t c = grid_at(g, begin, j), n = (size_t)(end - begin);
        const size_t cells =
            (size_t)(imin(end, g->nx) - begin); // of the row; the last node is no cell's south face
        if (j < g->nz) s->room->nodes(least, (float)THIN, s->owner_u + c, s->ax + c, s->mass_u + c, n);
        s->room->nodes(least, (float)THIN, s->owner_v + c, s->az + c, s->mass_v + c, cells);
    }
}

// Whose surface is in a cell. It may touch a cell and hold none of its nodes.
static uint16_t owner_of(const struct flow *s, size_t c, size_t n)
{
    const uint16_t own = one_of(s->owner_u[c], s->owner_u[c + 1], s->owner_v[c], s->owner_v[c + n]);
    if (own) return own;
    const size_t beside[4] = {c - 1, c + 1, c - n, c + n};
    uint16_t near[4];
    for (int k = 0; k < 4; ++k)
        near[k] = s->owner_u[beside[k]] ? s->owner_u[beside[k]] : s->owner_v[beside[k]];
    return one_of(near[0], near[1], near[2], near[3]);
}

static void weigh_cells(struct flow *s, const struct grid *g)
{
    const size_t n = g->stride;
    s->cell_count = (size_t)g->nx * (size_t)g->nz;
    FLOW_EACH_RUN(s, g, 0, j, begin, end)
    {
        const size_t first = grid_at(g, begin, j), last = first + (size_t)(end - begin);
        s->cell_count -=
            s->room->cells(s->ax + first, s->az + first, s->az + first + n, s->q1 + first, s->q2 + first,
                           s->open + first, s->mass_q + first, s->cells + first, last - first);
        s->room->narrow(4.0f, s->ax + first, s->az + first, s->az + first + n, s->marks + first,
                        last - first);
        for (int i = 0, count = end - begin; (i = flow_marked(s->marks + first, i, count)) < count; ++i)
            s->owner[first + (size_t)i] = owner_of(s, first + (size_t)i, n);
    }
}

// ---- where there is anything ----

static void mark_one(const struct fluid *f, const struct obstacle *o, double x, double z)
{
    struct flow *s = f->self;
    const struct grid *g = &f->g;
    double low[2], high[2];
    obstacle_extent(o, 0, &low[0], &high[0]);
    obstacle_extent(o, 1, &low[1], &high[1]);
    const int i0 = (int)clamp(floor((low[0] + x) / g->s) - MARGIN, 0.0, g->nx),
              i1 = (int)clamp(floor((high[0] + x) / g->s) + MARGIN, 0.0, g->nx),
              j0 = (int)clamp(floor((low[1] + z) / g->s) - MARGIN, 0.0, g->nz),
              j1 = (int)clamp(floor((high[1] + z) / g->s) + MARGIN, 0.0, g->nz);
    for (int j = j0; j <= j1; ++j)
        memset(s->busy + j * s->blocks + i0 / FLOW_BLOCK, 1, (size_t)(i1 / FLOW_BLOCK - i0 / FLOW_BLOCK + 1));
}

static void mark_obstacles(const struct fluid *f)
{
    struct flow *s = f->self;
    memset(s->busy, 0, (size_t)s->blocks * (size_t)(f->g.nz + 1));
    for (int n = 1; n <= obstacle_last(f); ++n) {
        const struct obstacle *o = obstacle_of(f, n);
        int i0, i1, j0, j1;
        images(f, o, 0, &i0, &i1);
        images(f, o, 1, &j0, &j1);
        for (int i = i0; i <= i1; ++i)
            for (int j = j0; j <= j1; ++j) mark_one(f, o, i * f->g.nx * f->g.s, j * f->g.nz * f->g.s);
    }
}

// Nodes of row j from `begin` on.
static void clear_run(struct flow *s, const struct grid *g, int j, int begin, int end)
{
    const size_t c = grid_at(g, begin, j), n = (size_t)(end - begin),
                 cells = (size_t)(imin(end, g->nx) - begin);
    const bool row = j < g->nz;
    float *const ones[] = {s->ax, s->az, s->open, s->ux, s->uz, s->vx, s->vz};
    for (size_t i = 0; i < sizeof ones / sizeof ones[0]; ++i) s->room->fill(ones[i] + c, n, 1.0f);
    memset(s->owner + c, 0, n * sizeof *s->owner);
    memset(s->owner_u + c, 0, n * sizeof *s->owner_u);
    memset(s->owner_v + c, 0, n * sizeof *s->owner_v);
    s->room->fill(s->mass_u + c, n, row ? 1.0f : 0.0f);
    s->room->fill(s->mass_v + c, n, 0.0f);
    s->room->fill(s->mass_v + c, cells, 1.0f);
    s->room->fill(s->mass_q + c, n, 0.0f);
    s->room->fill(s->mass_q + c, cells, row ? 1.0f : 0.0f);
    memset(s->cells + c, 0, n);
    memset(s->cells + c, row, cells);
    memset(s->doors + c, FLOW_ALL_DOORS, n);
}

static void clear_room(struct fluid *f)
{
    struct flow *s = f->self;
    const struct grid *g = &f->g;
    memset(s->marks, 0, g->count);
    FLOW_EACH_RUN(s, g, 1, j, begin, end) clear_run(s, g, j, begin, end); // where obstacles were
    for (int j = 0; j < g->nz; ++j) s->mass_u[grid_at(g, 0, j)] = s->mass_u[grid_at(g, g->nx, j)] = 1.0f;
    for (int i = 0; i < g->nx; ++i) s->mass_v[grid_at(g, i, 0)] = s->mass_v[grid_at(g, i, g->nz)] = 1.0f;
    mark_obstacles(f);
    FLOW_EACH_RUN(s, g, 1, j, begin, end)
    {
        const size_t c = grid_at(g, begin, j), n = (size_t)(end - begin);
        s->room->fill(s->u1 + c, n, 0.0f);
        s->room->fill(s->v1 + c, n, 0.0f);
        s->room->fill(s->q1 + c, n, 1.0f);
        s->room->fill(s->q2 + c, n, 1.0f);
    }
    s->cell_count = (size_t)g->nx * (size_t)g->nz;
    s->stiff_from = FLOW_STIFF;
}

void flow_empty_room(struct fluid *f)
{
    struct flow *s = f->self;
    const struct grid *g = &f->g;
    float *const ones[] = {s->ax, s->az, s->open, s->ux, s->uz, s->vx, s->vz};
    for (int i = 0; i < (int)(sizeof ones / sizeof ones[0]); ++i)
        for (size_t c = 0; c < g->count; ++c) ones[i][c] = 1.0f;
    for (int j = 0; j <= g->nz; ++j) clear_run(s, g, j, 0, g->nx + 1);
}

bool flow_build_room(struct fluid *f)
{
    struct flow *s = f->self;
    bool good = true;
    s->on_paths = false;
    for (int i = 0; i < f->obstacle_count; ++i) s->on_paths |= obstacle_moves(&f->obstacles[i]);
    s->moving = s->on_paths || f->loose_count > 0;
    s->cut_first = s->cut_count = 0;
    s->mirrors = false;
    for (int i = 0; i < f->obstacle_count; ++i) s->mirrors = s->mirrors || f->obstacles[i].def.boundary;
    clear_room(f);
    for (int n = 1; n <= obstacle_last(f) && good; ++n) good = place_obstacle(f, n);
    if (obstacle_last(f) > 0) {
        close_leaks(s, &f->g);
        join_sides(f);
        s->cut_first = s->cut_count;
        good = own_faces(f) && good;
        join_sides(f);
        weigh_nodes(s, &f->g, (float)(f->loose_count ? FILM : FLOW_LEAST));
        if (f->loose_count) {
            good = flow_close_pockets(f) && good;
            join_faces(f);
        }
        weigh_cells(s, &f->g);
        // Lines know how far surfaces are; stages do not.
        s->stiff_from = flow_def_of(f)->advection == FLOW_CONSERVATIVE ? 0.0 : 0.06;
    }
    good = flow_find_held(f) && good;
    flow_seed_far(f);
    good = flow_grip(f) && good;
    flow_edges(f);
    good = flow_find_rubs(f) && good;
    good = flow_prepare(f) && good;
    s->stale = true;
    f->starved = !good;
    return good;
}
