// Functions that the published cases call; see case_api.h.
#include "case_api.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static void set_failure(struct case_run *run, const char *format, ...)
{
    va_list args;

    if (run->error[0]) return;
    va_start(args, format);
    vsnprintf(run->error, sizeof run->error, format, args);
    va_end(args);
}

static void set_failure_from(struct case_run *run, const tarn_error *err)
{
    set_failure(run, "%s%s%s", err->key, err->key[0] ? ": " : "", err->message);
}

// ---- a run -----------------------------------------------------------------------------------------

void run_validation_case(struct case_run *run, const struct validation_case *vcase, bool long_run)
{
    *run = (struct case_run){.long_run = long_run, .x_label = "", .y_label = ""};
    vcase->run(run);
    if (run->row_count == 0) set_failure(run, "the case reports no quantity");
}

void free_case_run(struct case_run *run)
{
    for (int i = 0; i < run->world_count; ++i) tarn_world_destroy(run->worlds[i]);
    for (int i = 0; i < run->number_count; ++i) free(run->numbers[i]);
    tarn_frame_free(&run->frame);
    run->world_count = run->number_count = 0;
}

double *case_alloc(struct case_run *run, int count)
{
    const int capacity = (int)(sizeof run->numbers / sizeof run->numbers[0]);
    double *p = run->number_count < capacity ? calloc((size_t)count, sizeof *p) : NULL;

    if (p)
        run->numbers[run->number_count++] = p;
    else
        set_failure(run, "no memory for %d numbers", count);
    return p;
}

// ---- worlds ----------------------------------------------------------------------------------------

struct case_def case_world_def(tarn_fluid_type model, int nx, int nz, double dx)
{
    struct case_def def = {.world = tarn_default_world_def(), .fluid = tarn_default_fluid_def(model)};

    def.world.gravity = GRAVITY;
    def.fluid.wave.size = (tarn_vec2){nx * dx, nz * dx}; // all models begin with it, and with the cells
    def.fluid.wave.cells[0] = nx, def.fluid.wave.cells[1] = nz;
    return def;
}

struct case_def case_pool_def(tarn_fluid_type model, int nx, int nz, double dx, double depth)
{
    struct case_def def = case_world_def(model, nx, nz, dx);

    def.fluid.wave.depth = depth; // at the same place in both
    for (int i = 0; i < 4; ++i)
        if (model == TARN_FLUID_WAVE)
            def.fluid.wave.boundary[i] = TARN_WAVE_OPEN;
        else
            def.fluid.shallow.boundary[i].type = TARN_BOUNDARY_OPEN;
    return def;
}

tarn_bed_def *case_bed(struct case_def *def, tarn_bed_type type)
{
    tarn_bed_def *bed = &def->beds[def->world.bed_count++];

    *bed = tarn_default_bed_def(type);
    return bed;
}

tarn_world *case_world(struct case_run *run, const struct case_def *def)
{
    tarn_world_def complete = def->world;
    tarn_error err = {0};
    tarn_world *world = NULL;

    complete.fluid = &def->fluid, complete.beds = def->beds;
    if (run->error[0]) return NULL;
    if (run->world_count == MAX_WORLDS)
        set_failure(run, "more than %d worlds", MAX_WORLDS);
    else if (tarn_world_create(&complete, &world, &err) != TARN_OK)
        set_failure_from(run, &err);
    else
        run->worlds[run->world_count++] = world;
    return world;
}

void case_emitter(struct case_run *run, tarn_world *world, const tarn_emitter_def *def)
{
    tarn_error err = {0};

    if (!run->error[0] && tarn_emitter_create(world, def, NULL, &err) != TARN_OK) set_failure_from(run, &err);
}

tarn_body_id case_body(struct case_run *run, tarn_world *world, const tarn_body_def *def,
                       const tarn_shape_def *shape)
{
    tarn_error err = {0};
    tarn_body_id body = {0};

    if (!run->error[0] && tarn_body_create_with_shape(world, def, shape, &body, &err) != TARN_OK)
        set_failure_from(run, &err);
    return body;
}

void case_set_flow(struct case_run *run, tarn_world *world, tarn_flow_fn field, void *ctx)
{
    tarn_error err = {0};

    if (!run->error[0] && tarn_flow_set_fields(world, field, ctx, &err) != TARN_OK)
        set_failure_from(run, &err);
}

void case_obstacle(struct case_run *run, tarn_world *world, const tarn_obstacle_def *def)
{
    tarn_error err = {0};

    if (!run->error[0] && tarn_obstacle_create(world, def, NULL, &err) != TARN_OK)
        set_failure_from(run, &err);
}

tarn_flow_sample case_flow_at(struct case_run *run, const tarn_world *world, double x, double y)
{
    tarn_flow_sample at = {0};

    if (!run->error[0] && tarn_flow_get_sample(world, x, y, &at) != TARN_OK)
        set_failure(run, "the world is not planar");
    return at;
}

double run_to_steady_state(struct case_run *run, tarn_world *world, double dt, double time, double rate)
{
    enum { STEPS_BETWEEN = 50 };
    double last = 0.0;
    int steps = 0;

    while (steps * dt < time && !run->error[0]) {
        case_steps(run, world, dt, STEPS_BETWEEN);
        steps += STEPS_BETWEEN;
        const double energy = tarn_world_get_ledger(world).energy_water;
        if (fabs(energy - last) <= rate * STEPS_BETWEEN * dt * energy) break;
        last = energy;
    }
    return steps * dt;
}

void case_set_water(struct case_run *run, tarn_world *world, case_field field, const void *self)
{
    const tarn_frame *f = case_frame(run, world);
    if (!f) return;
    const size_t cells = (size_t)f->nx * (size_t)f->nz;
    tarn_column *columns = calloc(cells, sizeof *columns);
    tarn_error err = {.message = "no memory to fill the tank"};

    for (size_t c = 0; c < cells && columns; ++c) columns[c] = field(self, frame_x(f, c), frame_z(f, c));
    if (!columns || tarn_water_set_fields(world, columns, &err) != TARN_OK) set_failure_from(run, &err);
    free(columns);
}

void case_steps(struct case_run *run, tarn_world *world, double dt, int count)
{
    for (int n = 0; n < count && !run->error[0]; ++n)
        if (tarn_world_advance(world, dt) != TARN_OK) {
            const char *why = tarn_world_get_failure(world);
            set_failure(run, "%s", why[0] ? why : "the world takes no step");
        }
}

// ---- reading ---------------------------------------------------------------------------------------

const tarn_frame *case_frame(struct case_run *run, const tarn_world *world)
{
    if (run->error[0]) return NULL;
    if (tarn_world_get_frame(world, 1.0, &run->frame) == TARN_OK) return &run->frame;
    set_failure(run, "no memory for a frame");
    return NULL;
}

double frame_depth(const tarn_frame *f, size_t c)
{
    return (double)f->height[c] - (f->bed ? (double)f->bed[c] : 0.0);
}

double frame_x(const tarn_frame *f, size_t c) { return f->x0 + (double)(c % (size_t)f->nx) * f->cell_size; }

double frame_z(const tarn_frame *f, size_t c) { return f->z0 + (double)(c / (size_t)f->nx) * f->cell_size; }

bool case_profile(struct case_run *run, const tarn_world *world, char axis, struct profile *p)
{
    const tarn_frame *f = case_frame(run, world);
    if (!f) return false;
    const bool along_x = axis == 'x';

    *p = (struct profile){.n = along_x ? f->nx : f->nz, .dx = f->cell_size};
    p->x = case_alloc(run, p->n);
    p->h = case_alloc(run, p->n);
    p->bed = case_alloc(run, p->n);
    p->u = case_alloc(run, p->n);
    if (run->error[0]) return false;
    for (int i = 0; i < p->n; ++i) {
        const size_t c = along_x ? (size_t)(f->nz / 2) * (size_t)f->nx + (size_t)i
                                 : (size_t)i * (size_t)f->nx + (size_t)(f->nx / 2);
        p->x[i] = along_x ? frame_x(f, c) : frame_z(f, c);
        p->h[i] = frame_depth(f, c);
        p->bed[i] = f->bed ? (double)f->bed[c] : 0.0;
        p->u[i] = (double)(along_x ? f->velocity_x : f->velocity_z)[c];
    }
    return true;
}

// ---- reports ---------------------------------------------------------------------------------------

static void add_row(struct case_run *run, const char *quantity, const struct report_row *row,
                    const char *unit)
{
    if (run->row_count == MAX_ROWS) {
        set_failure(run, "more than %d rows", MAX_ROWS);
        return;
    }
    struct report_row *r = &run->rows[run->row_count++];
    *r = *row;
    snprintf(r->quantity, sizeof r->quantity, "%s", quantity);
    snprintf(r->unit, sizeof r->unit, "%s", unit);
}

void case_report(struct case_run *run, const char *quantity, double computed, double reference, double error,
                 double limit, const char *unit)
{
    const struct report_row row = {
        .computed = computed,
        .reference = reference,
        .error = error,
        .limit = limit,
        .verdict = isnan(limit)     ? INFO
                   : error <= limit ? PASSED
                                    : FAILED,
    };
    if (!run->error[0]) add_row(run, quantity, &row, unit);
}

// The error of an order is the amount by which it is below the reference; an order of `least` is allowed.
void report_order(struct case_run *run, const char *quantity, const double *errors, int count,
                  double reference, double least)
{
    const double order = log2(errors[0] / errors[count - 1]) / (count - 1);
    const double deficit = order > reference ? 0.0 : reference - order;
    case_report(run, quantity, order, reference, isnan(order) ? NAN : deficit, reference - least, "");
}

void case_axes(struct case_run *run, const char *x_label, const char *y_label)
{
    run->x_label = x_label;
    run->y_label = y_label;
}

void case_curve(struct case_run *run, const char *name, int n, const double *x, const double *y,
                enum curve_style style)
{
    if (run->error[0]) return;
    if (run->curve_count == MAX_CURVES) {
        set_failure(run, "more than %d curves", MAX_CURVES);
        return;
    }
    struct report_curve *c = &run->curves[run->curve_count];
    c->x = case_alloc(run, n);
    c->y = case_alloc(run, n);
    if (run->error[0]) return;
    memcpy(c->x, x, (size_t)n * sizeof *x);
    memcpy(c->y, y, (size_t)n * sizeof *y);
    snprintf(c->name, sizeof c->name, "%s", name);
    c->n = n;
    c->style = style;
    ++run->curve_count;
}
