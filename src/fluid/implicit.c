// The implicit height field: shallow water whose surface at the end of a step is found together with what moves it.
//
//     V(eta1) = h - dt div(H u1),     u1 = u* - dt g grad(eta1),     V(eta) = max(eta - bed - b(eta), 0)
//
// u* is the speed that the water brings along, H the depth of a face at the start of the step, b what is filled of a
// column by what presses on it. With the second put into the first that is one system for eta1: symmetric, positive, and
// linear but for columns that fall dry, get wet or are pressed on; Newton's method finds those (Casulli & Stelling 2011).
// So steps may be of any length. Depth then follows from what passes the faces, in whole quanta, never from the
// solver's iterate: volume is exact whatever the solver left undone. Waves shorter than the steps are damped, by
// 1/sqrt(1 + W^2) a step, W = 2 (c dt/dx) |sin(k dx/2)|.
//
// Fields, bed, quanta and all that is no step are those of `shallow`.
#include "implicit.h"

#include "base/error.h"

static const char *const side_names[] = {"wall", "open", "periodic", NULL};
static const char *const solver_names[] = {"multigrid", "cg", "gauss-seidel", "jacobi", NULL};

#define SIDE(i, name_)                                                                          \
    PARAM_CHOICE(struct implicit_def, base.side[i].kind, "sides." name_, SIDE_WALL, side_names, \
                 "what the water meets there; open: waves go out")

static const tarn_param params[] = {
    PARAM_VEC2(struct implicit_def, base.size, "size", 4, 4, 1e-4, 1e6, "m", "length along x and z"),
    PARAM_INT2(struct implicit_def, base.cells, "cells", 128, 128, 4, 32768,
               "columns along x and z; they must be square"),
    PARAM_MAYBE(struct implicit_def, base.depth, "depth", 0, 1e4, "m",
                "of the water at rest over the lowest point of the bed; neither this nor level: 1"),
    PARAM_MAYBE(struct implicit_def, base.level, "level", -1e5, 1e5, "m",
                "y of the surface at rest, instead of depth"),
    PARAM_INTEGER(struct implicit_def, base.steps, "steps", 1, 1, 10000,
                  "inner steps in a world step; what floats may ask for more"),
    PARAM_LIVE(struct implicit_def, friction, "d0", 0, 0, 1e3, "m/s",
               "friction: in a second the water loses d0/depth of its speed"),
    PARAM_LIVE(struct implicit_def, tau, "tau", 0, 0, 1, "",
               "part of its speed that the water loses in a world step"),
    PARAM_NUMBER(struct implicit_def, tension, "gamma", 0, 0, 1e3, "N/m",
                 "surface tension; of clean water 0.073"),
    PARAM_LIVE(struct implicit_def, base.acceleration[0], "acceleration.x", 0, -1e3, 1e3, "m/s^2",
               "that the water feels besides gravity"),
    PARAM_LIVE(struct implicit_def, base.acceleration[1], "acceleration.z", 0, -1e3, 1e3, "m/s^2",
               "likewise"),
    PARAM_LIVE(struct implicit_def, base.shake[0], "shake.x", 0, -1e3, 1e3, "m/s^2",
               "a sine in time added to acceleration.x"),
    PARAM_LIVE(struct implicit_def, base.shake[1], "shake.z", 0, -1e3, 1e3, "m/s^2", "likewise"),
    PARAM_NUMBER(struct implicit_def, base.shake_period, "shake.period", 1, 1e-3, 1e6, "s", "of that sine"),
    PARAM_CHOICE(struct implicit_def, solver, "solver", 0, solver_names,
                 "of the linear systems; jacobi and gauss-seidel make `iterations` sweeps, for comparison"),
    PARAM_NUMBER(struct implicit_def, tolerance, "solver.tolerance", 1e-6, 1e-12, 0.5, "",
                 "of what a step changes, what may be left undone"),
    PARAM_INTEGER(struct implicit_def, iterations, "solver.iterations", 0, 0, 100000,
                  "at most; 0: as many as the kind thinks right"),
    SIDE(0, "west"),
    SIDE(1, "east"),
    SIDE(2, "south"),
    SIDE(3, "north"),
};

static tarn_result create(struct fluid *f, const tarn_world_def *def, tarn_error *err)
{
    tarn_result r = shallow_check(f, err);
    if (r == TARN_OK) r = shallow_make(f, def, sizeof(struct implicit), err);
    if (r != TARN_OK) return r;
    struct implicit *self = f->self;
    bool all = true;
    self->kernels = KERNELS_PICK(implicit_kernels);
    const bool tense = implicit_def_of(f)->tension > 0.0;
    for (int i = 0; i < (tense ? IMPLICIT_FIELDS : 3); ++i)
        all = (self->own[i] = grid_field(&f->g, f->memory, i + 6 + SHALLOW_FIELDS)) && all;
    for (int i = 0; i < IMPLICIT_VECTORS - !tense; ++i)
        all = (self->vector[i] = linear_vector(&f->g, f->memory)) && all;
    self->row_sum = memory_alloc(f->memory, (size_t)f->g.nz + 1, sizeof *self->row_sum);
    self->kind = linear_kind_find(solver_names[implicit_def_of(f)->solver]);
    self->solver = all ? linear_create(f->memory, f->parallel, self->kind, &f->g) : NULL;
    if (self->solver && tense) self->tense = linear_create(f->memory, f->parallel, self->kind, &f->g);
    if (self->solver && self->row_sum && !tense == !self->tense) return TARN_OK;
    return fail(err, TARN_NO_MEMORY, "cells", "no memory for %d x %d columns", f->g.nx, f->g.nz);
}

static void destroy(struct fluid *f)
{
    struct implicit *self = f->self;
    if (!self) return;
    linear_destroy(self->solver);
    linear_destroy(self->tense);
    memory_free(f->memory, self->row_sum, (size_t)f->g.nz + 1, sizeof *self->row_sum);
    for (int i = 0; i < IMPLICIT_VECTORS; ++i) linear_vector_free(&f->g, f->memory, self->vector[i]);
    for (int i = 0; i < IMPLICIT_FIELDS; ++i)
        grid_field_free(&f->g, f->memory, self->own[i], i + 6 + SHALLOW_FIELDS);
    shallow_destroy(f);
}

// Pressures act with the depths at the end of a step.
static float depth(const struct fluid *f, int i, int j, float *mean)
{
    return *mean = ((const struct shallow *)f->self)->h[grid_at(&f->g, i, j)];
}

static void save(struct saver *s, const struct fluid *f)
{
    shallow_save(s, f);
    save_u32(s, f->head != NULL);
    for (int j = 0; f->head && j < f->g.nz; ++j)
        save_f32s(s, f->head + grid_at(&f->g, 0, j), (size_t)f->g.nx);
}

static bool load(struct loader *l, struct fluid *f)
{
    if (!shallow_load(l, f)) return false;
    const uint32_t pressed = load_u32(l);
    if (pressed == 0) return true;
    if (pressed != 1) return false;
    l->starved = !fluid_allow_press(f, 0);
    return !l->starved && shallow_load_rows(l, &f->g, f->head, f->g.nx, f->g.nz);
}

const struct fluid_kind fluid_implicit = {
    .kind = {.room = "fluid",
             .name = "implicit",
             .help = "shallow water with steps of any length, thin water, surface tension",
             PARAMS(params)},
    .terrain = true,
    .varying = true,
    .solves = true,
    .check = shallow_check,
    .create = create,
    .destroy = destroy,
    .inner = implicit_inner,
    .step = implicit_step,
    .sound = shallow_sound,
    .surface = shallow_surface,
    .speed = shallow_speed,
    .rising = shallow_rising,
    .wet = shallow_wet,
    .whole = shallow_whole,
    .depth = depth,
    .shove = shallow_shove,
    .add = shallow_add,
    .raise = shallow_raise,
    .set = shallow_set,
    .totals = shallow_totals,
    .save = save,
    .load = load,
};
