#define _POSIX_C_SOURCE 200809L // clock_gettime
#include "block_scenes.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_COUNT = 1000000 };

// ---- scenes ----------------------------------------------------------------------------------------

static const double no_rotation[4] = {1.0, 0.0, 0.0, 0.0};

static void put_block(struct block *to, double length, double height, double width, double x, double y,
                      double z)
{
    *to = (struct block){{length, height, width}, {x, y, z}, {0}};
    memcpy(to->rotation, no_rotation, sizeof no_rotation);
}

// Running bond along x. Every other row begins and ends with half a brick: otherwise the centres of the end
// bricks are not supported and the wall falls apart from its ends. The last row may be incomplete.
//
//    |__|____|____|__|
//    |____|____|____|
static void make_wall(struct blocks *b, int rows)
{
    const double length = 0.5, edge = 0.25, gap = 0.001, pitch = length + gap, half = (length - gap) / 2.0;
    const int across = b->count / rows;
    const double wall_length = across * pitch - gap, west = -wall_length / 2.0;
    int k = 0;

    for (int row = 0; k < b->count; ++row) {
        const double y = (row + 0.5) * edge;
        const int odd = row % 2;
        for (int i = 0; i < across + odd && k < b->count; ++i) {
            const int end = odd && (i == 0 || i == across);
            const double size = end ? half : length;
            const double from = odd && i > 0 ? (i - 0.5) * pitch : i * pitch;
            put_block(&b->list[k++], size, edge, edge, west + from + size / 2.0, y, 0.0);
        }
    }
    b->tray[0] = ceil(wall_length) + 10.0; // fallen bricks stay inside
    b->tray[1] = ceil(2.0 * rows * edge) + 10.0;
    b->steps = 300;
    b->from = BLOCKS_WINDOW; // while the wall stands; the walls of some engines fall soon
    b->to = 60;
}

// Uniform in -1 .. 1, equal on every machine: a hash of two numbers.
static double random_pm1(int block, int which)
{
    uint64_t x = (uint64_t)block * 8u + (uint64_t)which + 1u;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u; // finaliser of splitmix64 [steele2014]
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    return (double)(x >> 11) * 0x1p-52 - 1.0;
}

// A lattice of cubes above a tray of 1.5 times its width. Every layer is shifted by up to half a lattice
// constant, and every cube has a small random rotation. With smaller shifts some columns of cubes remain
// standing, and the mean height varies: that of 1,000 cubes in ODE by 4 % with the seed of its solver, with
// these shifts by 1 %.
static void make_pile(struct blocks *b)
{
    const double edge = 0.3, pitch = 0.4;
    int side = 1;

    while (side * side * side < b->count) ++side;
    for (int k = 0; k < b->count; ++k) {
        const int i = k % side, j = k / side % side, layer = k / (side * side);
        const double x = (i - 0.5 * (side - 1)) * pitch + 0.5 * pitch * random_pm1(layer, 0);
        const double z = (j - 0.5 * (side - 1)) * pitch + 0.5 * pitch * random_pm1(layer, 1);
        double *q = b->list[k].rotation, square = 1.0;

        put_block(&b->list[k], edge, edge, edge, x, (layer + 1) * pitch, z);
        for (int a = 1; a < 4; ++a) {
            q[a] = 0.06 * random_pm1(k, 1 + a); // at most 0.2 rad: neighbours do not touch at the start
            square += q[a] * q[a];
        }
        for (int a = 0; a < 4; ++a) q[a] /= sqrt(square);
    }
    b->tray[0] = b->tray[1] = 1.5 * side * pitch;
    b->steps = 600;
    b->from = 450; // most cubes are at rest
    b->to = 600;
}

int blocks_make(struct blocks *b, const char *kind, int count, int rows)
{
    const int is_wall = strcmp(kind, "wall") == 0;

    *b = (struct blocks){.count = count};
    if (count < 2 || count > MAX_COUNT || (!is_wall && strcmp(kind, "pile") != 0)) return -1;
    if (is_wall && (rows < 1 || rows > count)) return -1;
    b->list = calloc((size_t)count, sizeof *b->list);
    if (!b->list) return -1;
    if (is_wall)
        make_wall(b, rows);
    else
        make_pile(b);
    return 0;
}

void blocks_free(struct blocks *b)
{
    free(b->list);
    *b = (struct blocks){0};
}

// ---- results ---------------------------------------------------------------------------------------

double blocks_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void blocks_time(struct blocks_clock *c, const struct blocks *b, double collide, double solve,
                 struct blocks_result *r)
{
    c->collide += collide;
    c->solve += solve;
    c->all += collide + solve;
    if (++c->step == b->steps) r->average = 1e3 * c->all / b->steps;
    if (c->step % BLOCKS_WINDOW != 0) return;

    const double ms = 1e3 / BLOCKS_WINDOW, now = ms * (c->collide + c->solve);
    const int first = r->collide + r->solve == 0.0;
    if (b->from < c->step && c->step <= b->to && (first || now < r->collide + r->solve)) {
        r->collide = ms * c->collide;
        r->solve = ms * c->solve;
    }
    c->collide = c->solve = 0.0;
}

#define NUMBER(name)                                \
    {                                               \
#name, offsetof(struct blocks_result, name) \
    }
static const struct {
    const char *name;
    size_t offset;
} numbers[] = {
    NUMBER(collide),   NUMBER(solve),    NUMBER(average),         NUMBER(highest),     NUMBER(mean),
    NUMBER(mean_drop), NUMBER(max_drop), NUMBER(window_max_drop), NUMBER(max_overlap), NUMBER(contacts),
};
enum { NUMBERS = sizeof numbers / sizeof numbers[0] };

void blocks_write(FILE *out, const struct blocks_result *r)
{
    for (int i = 0; i < NUMBERS; ++i)
        fprintf(out, "%s %.17g\n", numbers[i].name, *(const double *)((const char *)r + numbers[i].offset));
}

int blocks_read(const char *text, struct blocks_result *r)
{
    int used = 0;

    *r = (struct blocks_result){0};
    for (int i = 0; i < NUMBERS; ++i, text += used) {
        char name[16];
        double *to = (double *)((char *)r + numbers[i].offset);
        if (sscanf(text, "%15s %lf%n", name, to, &used) != 2) return -1;
        if (strcmp(name, numbers[i].name) != 0 || !isfinite(*to)) return -1;
    }
    return 0;
}

void blocks_window_heights(const struct blocks *b, const double *y, struct blocks_result *r)
{
    blocks_heights(b, y, r);
    r->window_max_drop = r->max_drop;
}

void blocks_heights(const struct blocks *b, const double *y, struct blocks_result *r)
{
    r->highest = y[0];
    r->mean = r->mean_drop = r->max_drop = 0.0;
    for (int i = 0; i < b->count; ++i) {
        const double drop = fabs(y[i] - b->list[i].position[1]);
        r->highest = fmax(r->highest, y[i]);
        r->mean += y[i] / b->count;
        r->mean_drop += drop / b->count;
        r->max_drop = fmax(r->max_drop, drop);
    }
}
