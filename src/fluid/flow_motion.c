// Obstacles that move: nodes that they hold, and what cells hand over that they cover or set free.
#include "flow.h"

#include <string.h>

// Nodes from (i, j) on that are held.
static bool note_held(struct fluid *f, int net, int i, int j, int count)
{
    struct flow *s = f->self;
    const size_t c = grid_at(&f->g, i, j);
    const int number = (net ? s->owner_v : s->owner_u)[c];
    const bool closed = (net ? s->az : s->ax)[c] == 0.0f;
    if (!closed && (number == 0 || number > f->obstacle_count)) return true;
    const struct pose *p = number ? &obstacle_of(f, number)->now : NULL;
    const double at = ((net ? i : j) + 0.5) * f->g.s,
                 arm = p ? flow_arm(f, !net, at, net ? p->x : p->y) : 0.0;
    if (!memory_grow(f->memory, (void **)&s->held, &s->held_room, s->held_count + 1, sizeof *s->held))
        return false;
    s->held[s->held_count++] =
        (struct flow_held){(uint32_t)c, (uint16_t)number, (unsigned char)net, closed, count, arm};
    return true;
}

// How many nodes of the first `most` are held alike. Around a periodic domain arms may not go on, so no run does.
static int held_alike(const struct fluid *f, const uint16_t *owner, const float *open, int most)
{
    int count = 1;
    while (count < most && !f->wrap_x && owner[count] == owner[0] &&
           (open[count] == 0.0f) == (open[0] == 0.0f))
        ++count;
    return count;
}

bool flow_find_held(struct fluid *f)
{
    struct flow *s = f->self;
    const struct grid *g = &f->g;
    s->held_count = 0;
    for (int net = FLOW_U; net <= FLOW_V; ++net) {
        const uint16_t *owner = net ? s->owner_v : s->owner_u;
        const float *open = net ? s->az : s->ax;
        FLOW_EACH_RUN(s, g, 1, j, begin, end)
        {
            const size_t c = grid_at(g, begin, j);
            unsigned char *marks = s->marks + grid_at(g, 0, j);
            s->room->held(owner + c, open + c, marks + begin, (size_t)(end - begin));
            for (int i = begin, count; (i = flow_marked(marks, i, end)) < end; i += count) {
                const size_t at = grid_at(g, i, j);
                count = held_alike(f, owner + at, open + at, end - i);
                if (!note_held(f, net, i, j, count)) return false;
            }
        }
    }
    return true;
}

// In a loose obstacle only those whose faces are closed: the others have fluid of their own, and rub on the obstacle. To
// make them one with it would make light obstacles heavier.
static void hold(const struct fluid *f, float *u, float *v, bool closed)
{
    const struct flow *s = f->self;
    for (int k = 0; k < s->held_count; ++k) {
        const struct flow_held *h = &s->held[k];
        if (closed && !h->closed) continue;
        const struct pose *p = h->number ? &obstacle_of(f, h->number)->now : NULL;
        float *const at = (h->net == FLOW_V ? v : u) + h->c,
                     along = p ? (float)(p->u - p->spin * h->arm) : 0.0f;
        if (h->net == FLOW_U || !p)
            for (int i = 0; i < h->count; ++i) at[i] = along;
        else
            for (int i = 0; i < h->count; ++i) at[i] = (float)(p->v + p->spin * (h->arm + i * f->g.s));
    }
}

void flow_hold(const struct fluid *f, float *u, float *v) { hold(f, u, v, false); }
void flow_hold_closed(const struct fluid *f, float *u, float *v) { hold(f, u, v, true); }

// The open cells beside one that were so, or came free in a layer before this one, in a fixed order, across periodic sides
// too; how many.
static int beside(const struct fluid *f, size_t c, int layer, size_t out[4])
{
    static const int way[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    const struct flow *s = f->self;
    const struct grid *g = &f->g;
    const uint32_t at = (uint32_t)(c - g->first), stride = (uint32_t)g->stride;
    const int i = (int)(at % stride), j = (int)(at / stride);
    int count = 0;
    for (int k = 0; k < 4; ++k) {
        int x = i + way[k][0], z = j + way[k][1];
        const bool inside = 0 <= x && x < g->nx && 0 <= z && z < g->nz;
        if (!inside) x = fluid_column(f, x), z = fluid_row(f, z);
        if (x < 0 || z < 0) continue;
        const size_t to = grid_at(g, x, z);
        if (s->cells[to] && s->was[to] && s->was[to] <= layer) out[count++] = to;
    }
    return count;
}

// A cell that is covered gives its dye and heat to its neighbours; one that comes free takes its part of theirs.
static void share(struct flow *s, size_t c, float *q, double *out, const size_t *to, int count)
{
    const float each = q[c] / (float)imax(count, 1);
    float taken = 0.0f;
    for (int k = 0; k < count; ++k) {
        const float part = s->cells[c] ? q[to[k]] / (float)(count + 1) : -each;
        q[to[k]] -= part;
        taken += part;
    }
    if (!s->cells[c] && !count) *out += (double)q[c]; // nowhere to go
    q[c] = s->cells[c] ? taken : 0.0f;
}

// Where values are carried along and sums are not kept, that would pile them up before whatever moves: there a cell that
// comes free looks like its neighbours, and what one that is covered had is gone.
static void copy(struct flow *s, size_t c, float *q, double *out, const size_t *to, int count)
{
    float mean = 0.0f;
    for (int k = 0; k < count && s->cells[c]; ++k) mean += q[to[k]] / (float)count;
    *out += (double)q[c] - (double)mean;
    q[c] = mean;
}

static void change_cell(const struct fluid *f, size_t c, const size_t *to, int count)
{
    struct flow *s = f->self;
    const bool sums = flow_def_of(f)->advection == FLOW_CONSERVATIVE;
    float pressure = 0.0f;
    for (int k = 0; k < count; ++k) pressure += s->p[to[k]];
    s->p[c] = s->cells[c] && count ? pressure / (float)count : 0.0f;
    for (int q = 0; q < FLOW_SCALARS; ++q) (sums ? share : copy)(s, c, s->q[q], &s->out[q], to, count);
}

// Cells that are covered or come free, row by row; how many.
static int find_changed(const struct flow *s, const struct grid *g, int *list)
{
    int count = 0;
    for (int j = 0; j < g->nz; ++j) {
        const size_t row = grid_at(g, 0, j);
        if (memcmp(s->cells + row, s->was + row, (size_t)g->nx) == 0) continue;
        for (int i = 0; i < g->nx; ++i) {
            const size_t c = row + (size_t)i;
            if (i + 8 <= g->nx && memcmp(s->cells + c, s->was + c, 8) == 0)
                i += 7;
            else if (s->cells[c] != s->was[c])
                list[count++] = (int)c;
        }
    }
    return count;
}

// Behind what moves by more than a cell the free ones lie deep: layer by layer, each from those before it. Cells that nothing
// leads to begin with nothing.
static void hand_over(const struct fluid *f)
{
    struct flow *s = f->self;
    int *const list = s->slot, changed = find_changed(s, &f->g, list);
    size_t to[4];
    int left = 0;
    for (int k = 0; k < changed; ++k) {
        const size_t c = (size_t)list[k];
        if (s->cells[c])
            list[left++] = (int)c;
        else
            change_cell(f, c, to, beside(f, c, 1, to));
    }
    for (int layer = 1, before = 0; left > 0; layer = imin(layer + 1, 254)) {
        const bool last = left == before;
        before = left, left = 0;
        for (int k = 0; k < before; ++k) {
            const size_t c = (size_t)list[k];
            const int count = beside(f, c, layer, to);
            if (count > 0 || last) {
                change_cell(f, c, to, count);
                s->was[c] = (unsigned char)(layer + 1);
            } else {
                list[left++] = (int)c;
            }
        }
    }
    memset(list, 0, (size_t)changed * sizeof *list);
}

void flow_follow(struct fluid *f)
{
    struct flow *s = f->self;
    if (!f->starved) memcpy(s->was, s->cells, f->g.count); // else it is what the last good room was
    if (flow_build_room(f)) hand_over(f);
}

void flow_move_obstacles(struct fluid *f, double dt)
{
    if (!((struct flow *)f->self)->on_paths) return;
    for (int i = 0; i < f->obstacle_count; ++i)
        f->obstacles[i].now = obstacle_pose(&f->obstacles[i], f->time + dt, dt);
    flow_follow(f);
}
