// Body to water by a penalty: the real-time literature's way in an implicit height field, for comparison.
//
// Where a body cuts the surface, its columns are drawn to the height c_t of its underside with a weight c_w,
//
//     (1 + c_w) eta - ... = h - ... + c_w c_t
//
// which takes the water away that stands above. The literature's water knows its speed from the last two heights, so that it
// comes to rest in such columns. Nothing keeps that in balance: a little flows in from around in every step and is taken
// away again. What it costs is booked as placed, and no momentum is kept. The body feels the level of the water around it.
#include "couple.h"

void penalty_level(struct press *p, const struct fluid *f)
{
    double sum = 0.0;
    int count = 0;
    for (int j = 0; j < p->nj; ++j) {
        const int row = fluid_row(f, p->j0 + j);
        for (int i = 0; row >= 0 && i < p->ni; ++i) {
            const int column = fluid_column(f, p->i0 + i);
            float eta;
            if (column < 0 || p->columns.cover[j * p->ni + i] > 0.0f || !f->kind->wet(f, column, row))
                continue;
            f->kind->surface(f, row, column, column + 1, &eta);
            sum += (double)eta, ++count;
        }
    }
    if (count) p->surface = (struct plane){sum / count, 0.0, 0.0};
}

// One piece for every column, which fills less than nothing: minus c_w (eta - c_t).
void penalty_tell(struct press *p, const struct fluid *f, double weight)
{
    struct shadows *s = &p->shadow;
    int count = 0;
    pressure_list(p, f);
    for (int k = 0; k < p->presser.count; ++k) {
        const int cell = s->cell[k];
        const double x = grid_x(&f->g, p->i0 + cell % p->ni) - p->x,
                     z = grid_z(&f->g, p->j0 + cell / p->ni) - p->z;
        const double rise = p->moved.a + p->moved.b * x + p->moved.c * z, eta = p->surface.a - rise;
        double area = 0.0, under = 0.0, height = 0.0;
        for (int n = s->first[k]; n < s->first[k + 1]; ++n) {
            if (!((double)s->height[n] < eta)) continue;
            area += (double)s->area[n];
            if (s->area[n] > 0.0f) under += (double)s->area[n], height += (double)(s->area[n] * s->height[n]);
        }
        if (!(area > 1e-3)) continue; // dry, or under water altogether
        // Columns move up in their lists: no later one has been read yet, and each had a piece at least.
        s->at[count] = s->at[k], s->cell[count] = cell;
        s->low[count] = (float)(height / under + rise), s->hold[count] = (float)(-weight * fmin(area, 1.0));
        ++count;
    }
    for (int k = 0; k <= count; ++k) s->first[k] = k;
    for (int k = 0; k < 2 * count; ++k) s->numbers[k] = 0.0;
    p->presser = (struct presser){.still = true,
                                  .count = count,
                                  .at = s->at,
                                  .x = s->numbers,
                                  .z = s->numbers + count,
                                  .first = s->first,
                                  .area = s->hold,
                                  .height = s->low,
                                  .fill = s->numbers + 2 * count,
                                  .slope = s->numbers + 3 * count,
                                  .row = s->numbers + 4 * count};
}

void penalty_take(struct press *p, struct fluid *f)
{
    for (int k = 0; k < p->presser.count; ++k) {
        const int cell = p->shadow.cell[k], i = fluid_column(f, p->i0 + cell % p->ni),
                  j = fluid_row(f, p->j0 + cell / p->ni);
        const float depth = (float)p->presser.fill[k];
        f->placed -= f->kind->add(f, j, i, i + 1, &depth, NULL);
    }
}

static vec3 answer(const struct couple *c, struct fluid *f, const struct bodies *b, int i, vec3 owed,
                   double dt)
{
    (void)c, (void)f, (void)b, (void)i, (void)owed, (void)dt;
    return v3(0, 0, 0);
}

const struct couple_kind couple_penalty = {.drawn = true, .answer = answer};
