// Water and bodies in one system: what presses on a model that solves for it (fluid.h: presser).
//
// The model is told which pieces of a body stand over which column, how fast the body would rise and tilt without its
// pressure, and how it yields to an impulse. It finds the surface, the impulse and what the body fills of every column
// together. So the water feels all that a body displaces, no body is too light, and water that has to be moved for a body to
// heave is in the system: there is no added mass for that but where a body is under water altogether.
#include "couple.h"

#define HELD  2.0  // [g] that contacts may be expected to give again
#define RESTS 0.05 // [g] from which on something is held
#define SLOW  0.1  // [m/s] slower is at rest

static const int motions[3] = {1, 3, 5}; // heave, roll and pitch among all six

bool pressure_reserve(struct press *p, const struct memory *m)
{
    struct shadows *s = &p->shadow;
    const int columns = p->shadow_room, pieces = p->piece_room;
    if (s->column_room >= columns && s->piece_room >= pieces) return true;
    pressure_free(p, m);
    s->column_room = columns, s->piece_room = pieces;
    s->first = memory_alloc(m, (size_t)columns + 1, sizeof *s->first);
    s->cell = memory_alloc(m, (size_t)columns, sizeof *s->cell);
    s->at = memory_alloc(m, (size_t)columns, sizeof *s->at);
    s->numbers = memory_alloc(m, 7 * (size_t)columns, sizeof *s->numbers);
    s->area = memory_alloc(m, (size_t)pieces, sizeof *s->area);
    s->height = memory_alloc(m, (size_t)pieces, sizeof *s->height);
    s->low = memory_alloc(m, (size_t)columns, sizeof *s->low);
    s->hold = memory_alloc(m, (size_t)columns, sizeof *s->hold);
    return s->first && s->cell && s->at && s->numbers && s->area && s->height && s->low && s->hold;
}

void pressure_free(struct press *p, const struct memory *m)
{
    struct shadows *s = &p->shadow;
    const size_t columns = (size_t)s->column_room, pieces = (size_t)s->piece_room;
    memory_free(m, s->first, columns + 1, sizeof *s->first);
    memory_free(m, s->cell, columns, sizeof *s->cell);
    memory_free(m, s->at, columns, sizeof *s->at);
    memory_free(m, s->numbers, 7 * columns, sizeof *s->numbers);
    memory_free(m, s->area, pieces, sizeof *s->area);
    memory_free(m, s->height, pieces, sizeof *s->height);
    memory_free(m, s->low, columns, sizeof *s->low);
    memory_free(m, s->hold, columns, sizeof *s->hold);
    *s = (struct shadows){0};
}

// The pieces column by column. Beyond the grid there is no column to press on.
void pressure_list(struct press *p, const struct fluid *f)
{
    struct shadows *s = &p->shadow;
    struct presser *q = &p->presser;
    int count = 0, pieces = 0;
    for (int j = 0; j < p->nj; ++j) {
        const int row = fluid_row(f, p->j0 + j);
        for (int i = 0; row >= 0 && i < p->ni; ++i) {
            const int cell = j * p->ni + i, column = fluid_column(f, p->i0 + i);
            if (column < 0 || !p->shadows[cell].first) continue;
            s->cell[count] = cell, s->at[count] = grid_at(&f->g, column, row), s->first[count++] = pieces;
            for (int k = p->shadows[cell].first; k > 0; k = p->pieces[k - 1].next) {
                s->area[pieces] = p->pieces[k - 1].area;
                s->height[pieces++] = p->pieces[k - 1].height;
            }
        }
    }
    s->first[count] = pieces;
    *q = (struct presser){.count = count,
                          .at = s->at,
                          .x = s->numbers,
                          .z = s->numbers + count,
                          .first = s->first,
                          .area = s->area,
                          .height = s->height,
                          .fill = s->numbers + 2 * count,
                          .slope = s->numbers + 3 * count,
                          .row = s->numbers + 4 * count};
}

// How far each point has risen since the pieces were made, about the body's centre of now.
static void raise_pieces(struct press *p, const struct fluid *f)
{
    struct shadows *s = &p->shadow;
    for (int k = 0; k < p->presser.count; ++k) {
        s->numbers[k] = grid_x(&f->g, p->i0 + s->cell[k] % p->ni) - p->x - p->aside_x;
        s->numbers[p->presser.count + k] = grid_z(&f->g, p->j0 + s->cell[k] / p->ni) - p->z - p->aside_z;
    }
    const struct plane m = p->moved;
    p->presser.risen = (struct presser_tilt){m.a + m.b * p->aside_x + m.c * p->aside_z, m.b, m.c};
}

static double rise_of(const struct presser *q, int k)
{
    return q->risen.a + q->risen.b * q->x[k] + q->risen.c * q->z[k];
}

// A column holds no less than nothing: what is in the ground does not count.
static void note_filled(struct press *p, const struct fluid *f)
{
    float *filled = p->columns.filled;
    for (int k = 0; k < p->ni * p->nj; ++k) filled[k] = 0.0f;
    p->wet = false;
    for (int k = 0; k < p->presser.count && !p->stranded; ++k) {
        const size_t at = p->presser.at[k];
        const double b = fmax(0.0, fmin(p->presser.fill[k], (double)f->head[at] - (double)f->bed[at]));
        filled[p->shadow.cell[k]] = (float)b;
        p->wet = p->wet || b > 0.0;
    }
}

// What the body fills of every column, the surface being as it was found last.
void pressure_fill(struct press *p, const struct fluid *f)
{
    struct presser *q = &p->presser;
    raise_pieces(p, f);
    for (int k = 0; k < q->count; ++k)
        q->fill[k] = presser_fill(q, k, (double)f->head[q->at[k]] - rise_of(q, k), &q->slope[k]);
    note_filled(p, f);
}

// Under a body that is put in the surface is where it was without it.
void pressure_place(struct press *p, struct fluid *f)
{
    for (int k = 0; k < p->presser.count; ++k) {
        const int cell = p->shadow.cell[k], i = fluid_column(f, p->i0 + cell % p->ni),
                  j = fluid_row(f, p->j0 + cell / p->ni);
        f->kind->surface(f, j, i, i + 1, &f->head[p->presser.at[k]]);
    }
}

double pressure_sunk(const struct press *p)
{
    double cut = 0.0, cover = 0.0;
    for (int n = 0; n < p->presser.count; ++n) {
        cut += p->presser.slope[n];
        cover += fmin(1.0, (double)p->shadows[p->shadow.cell[n]].down);
    }
    return cover > 0.0 ? 1.0 - clamp(cut / cover, 0.0, 1.0) : 1.0;
}

// What the columns would give at the plane of the surface: force up and torques about x and z. The hull that is cut there
// knows better; what it says more is added.
struct columns_say pressure_at_plane(struct press *p, const struct fluid *f)
{
    struct presser *q = &p->presser;
    const double k = f->density * f->gravity * f->g.s * f->g.s;
    struct columns_say say = {0};
    raise_pieces(p, f);
    for (int n = 0; n < q->count; ++n) {
        const double eta = p->surface.a + p->surface.b * q->x[n] + p->surface.c * q->z[n];
        const double b = k * presser_fill(q, n, eta - rise_of(q, n), &q->slope[n]);
        say.push[0] += b, say.push[1] -= q->z[n] * b, say.push[2] += q->x[n] * b;
    }
    say.sunk = pressure_sunk(p);
    return say;
}

static void upright(const struct bodies *b, int i, double w[3])
{
    const vec3 spin = body_spin(b, i);
    w[0] = body_velocity(b, i).y, w[1] = spin.x, w[2] = spin.z;
}

// A body that stands on the ground, or hangs on something, does not do what the water and its weight alone would make it
// do. What held it last is expected to hold it again, as far as that is no more than rest needs: a blow is not. True: it
// is held at rest.
static bool expect_held(struct press *p, const struct fluid *f, const struct bodies *b, int i, double dt,
                        const double w[3])
{
    const double most = f->gravity * dt, radius = b->slots[i].cold->figure->radius;
    for (int k = 0; k < 3; ++k) {
        const double limit = k ? HELD * most / radius : HELD * most;
        p->held[k] = p->expects ? clamp(w[k] - p->expected[k], -limit, limit) : 0.0;
    }
    return fabs(p->held[0]) > RESTS * most && fabs(w[0]) + radius * (fabs(w[1]) + fabs(w[2])) < SLOW;
}

void pressure_tell(struct press *p, const struct fluid *f, const struct bodies *b, int i, double dt)
{
    struct presser *q = &p->presser;
    const struct due *d = &p->due;
    double w[3];
    upright(b, i, w);
    const double free = expect_held(p, f, b, i, dt, w) ? 0.0 : 1.0;
    for (int k = 0; k < 3; ++k) {
        p->expected[k] = w[k] + d->free[motions[k]];
        q->rate[k] = free * (p->expected[k] + p->held[k]);
        q->impulse[k] = 0.0;
        for (int n = 0; n < 3; ++n)
            q->yields[k][n] = 0.5 * free * (d->back[n][motions[k]] + d->back[k][motions[n]]);
    }
}

void pressure_take(struct press *p, const struct fluid *f)
{
    for (int k = 0; k < 3; ++k)
        for (int n = 0; n < 3; ++n) p->expected[k] += p->due.back[n][motions[k]] * p->presser.impulse[n];
    p->expects = true;
    note_filled(p, f);
}
