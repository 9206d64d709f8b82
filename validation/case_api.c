#include "case_api.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static void trouble(struct vrun *run, const char *format, ...)
{
    va_list args;

    if (run->trouble[0]) return;
    va_start(args, format);
    vsnprintf(run->trouble, sizeof run->trouble, format, args);
    va_end(args);
}

static void refused(struct vrun *run, const tarn_error *err)
{
    trouble(run, "%s%s%s", err->key, err->key[0] ? ": " : "", err->text);
}

// ---- a run ----------------------------------------------------------------------------------------

void vrun_case(struct vrun *run, const struct vcase *vcase, bool thorough)
{
    *run = (struct vrun){.thorough = thorough, .x_label = "", .y_label = ""};
    vcase->run(run);
    if (run->row_count == 0) trouble(run, "it says nothing");
}

void vrun_free(struct vrun *run)
{
    for (int i = 0; i < run->world_count; ++i) tarn_world_destroy(run->worlds[i]);
    for (int i = 0; i < run->number_count; ++i) free(run->numbers[i]);
    tarn_frame_free(&run->frame);
    run->world_count = run->number_count = 0;
}

double *case_numbers(struct vrun *run, int count)
{
    const int room = (int)(sizeof run->numbers / sizeof run->numbers[0]);
    double *p = run->number_count < room ? calloc((size_t)count, sizeof *p) : NULL;

    if (p)
        run->numbers[run->number_count++] = p;
    else
        trouble(run, "no room for %d numbers", count);
    return p;
}

// ---- worlds ---------------------------------------------------------------------------------------

tarn_world_def case_tank(struct vrun *run, const char *model, int nx, int nz, double dx)
{
    tarn_world_def def = tarn_world_def_default(model);

    if (!def.fluid.kind) trouble(run, "there is no model '%s'", model);
    def.gravity = GRAVITY;
    case_set(run, &def.fluid, "cells", tarn_pair(nx, nz));
    case_set(run, &def.fluid, "size", tarn_pair(nx * dx, nz * dx));
    return def;
}

tarn_spec case_spec(struct vrun *run, const char *room, const char *kind)
{
    tarn_error err = {0};
    tarn_spec spec = {0};

    if (!run->trouble[0] && tarn_spec_init(&spec, room, kind, &err) != TARN_OK) refused(run, &err);
    return spec;
}

void case_set(struct vrun *run, tarn_spec *spec, const char *name, tarn_value value)
{
    tarn_error err = {0};

    if (run->trouble[0]) return;
    if (tarn_spec_set(spec, name, value, &err) != TARN_OK) refused(run, &err);
}

tarn_spec *case_bed(struct vrun *run, tarn_world_def *def, const char *kind)
{
    tarn_spec *spec = &def->bed[def->bed_count++];

    *spec = case_spec(run, "bed", kind);
    return spec;
}

tarn_world *case_world(struct vrun *run, const tarn_world_def *def)
{
    tarn_error err = {0};
    tarn_world *world = NULL;

    if (run->trouble[0]) return NULL;
    if (run->world_count == VKEPT)
        trouble(run, "more than %d worlds", VKEPT);
    else if (tarn_world_create(def, &world, &err) != TARN_OK)
        refused(run, &err);
    else
        run->worlds[run->world_count++] = world;
    return world;
}

void case_emitter(struct vrun *run, tarn_world *world, const tarn_spec *spec)
{
    tarn_error err = {0};

    if (!run->trouble[0] && tarn_emitter_create(world, spec, &err) != TARN_OK) refused(run, &err);
}

tarn_body case_body(struct vrun *run, tarn_world *world, const tarn_body_def *def)
{
    tarn_error err = {0};
    tarn_body body = {0};

    if (!run->trouble[0] && tarn_body_create(world, def, &body, &err) != TARN_OK) refused(run, &err);
    return body;
}

void case_flow(struct vrun *run, tarn_world *world, tarn_flow_field field, void *ctx)
{
    tarn_error err = {0};

    if (!run->trouble[0] && tarn_flow_fill(world, field, ctx, &err) != TARN_OK) refused(run, &err);
}

void case_obstacle(struct vrun *run, tarn_world *world, const tarn_obstacle_def *def)
{
    tarn_error err = {0};

    if (!run->trouble[0] && tarn_obstacle_create(world, def, &err) != TARN_OK) refused(run, &err);
}

tarn_flow case_flow_at(struct vrun *run, const tarn_world *world, double x, double y)
{
    tarn_flow at = {0};

    if (!run->trouble[0] && tarn_flow_at(world, x, y, &at) != TARN_OK) trouble(run, "this is no flow");
    return at;
}

double case_settle(struct vrun *run, tarn_world *world, double dt, double time, double rate)
{
    enum { BETWEEN = 50 };
    double last = 0.0;
    int steps = 0;

    while (steps * dt < time && !run->trouble[0]) {
        case_steps(run, world, dt, BETWEEN);
        steps += BETWEEN;
        const double energy = tarn_world_ledger(world).energy_water;
        if (fabs(energy - last) <= rate * BETWEEN * dt * energy) break;
        last = energy;
    }
    return steps * dt;
}

void case_fill(struct vrun *run, tarn_world *world, case_field field, const void *self)
{
    const tarn_frame *f = case_frame(run, world);
    if (!f) return;
    const size_t cells = (size_t)f->nx * (size_t)f->nz;
    tarn_column *columns = calloc(cells, sizeof *columns);
    tarn_error err = {.text = "no memory to fill the tank"};

    for (size_t c = 0; c < cells && columns; ++c) columns[c] = field(self, frame_x(f, c), frame_z(f, c));
    if (!columns || tarn_water_fill(world, columns, &err) != TARN_OK) refused(run, &err);
    free(columns);
}

void case_steps(struct vrun *run, tarn_world *world, double dt, int count)
{
    for (int n = 0; n < count && !run->trouble[0]; ++n)
        if (tarn_world_step(world, dt) != TARN_OK) {
            const char *why = tarn_world_trouble(world);
            trouble(run, "%s", why[0] ? why : "the world takes no step");
        }
}

// ---- looking --------------------------------------------------------------------------------------

const tarn_frame *case_frame(struct vrun *run, const tarn_world *world)
{
    if (run->trouble[0]) return NULL;
    if (tarn_world_frame(world, 1.0, &run->frame) == TARN_OK) return &run->frame;
    trouble(run, "no memory for a frame");
    return NULL;
}

double frame_depth(const tarn_frame *f, size_t c)
{
    return (double)f->height[c] - (f->bed ? (double)f->bed[c] : 0.0);
}

double frame_x(const tarn_frame *f, size_t c) { return f->x0 + (double)(c % (size_t)f->nx) * f->dx; }

double frame_z(const tarn_frame *f, size_t c) { return f->z0 + (double)(c / (size_t)f->nx) * f->dx; }

bool case_profile(struct vrun *run, const tarn_world *world, char axis, struct profile *p)
{
    const tarn_frame *f = case_frame(run, world);
    if (!f) return false;
    const bool along_x = axis == 'x';

    *p = (struct profile){.n = along_x ? f->nx : f->nz, .dx = f->dx};
    p->x = case_numbers(run, p->n);
    p->h = case_numbers(run, p->n);
    p->bed = case_numbers(run, p->n);
    p->u = case_numbers(run, p->n);
    if (run->trouble[0]) return false;
    for (int i = 0; i < p->n; ++i) {
        const size_t c = along_x ? (size_t)(f->nz / 2) * (size_t)f->nx + (size_t)i
                                 : (size_t)i * (size_t)f->nx + (size_t)(f->nx / 2);
        p->x[i] = along_x ? frame_x(f, c) : frame_z(f, c);
        p->h[i] = frame_depth(f, c);
        p->bed[i] = f->bed ? (double)f->bed[c] : 0.0;
        p->u[i] = (double)(along_x ? f->speed_x : f->speed_z)[c];
    }
    return true;
}

// ---- reports --------------------------------------------------------------------------------------

static void add_row(struct vrun *run, const char *quantity, const struct vrow *row, const char *unit)
{
    if (run->row_count == VROWS) {
        trouble(run, "more than %d lines", VROWS);
        return;
    }
    struct vrow *r = &run->rows[run->row_count++];
    *r = *row;
    snprintf(r->quantity, sizeof r->quantity, "%s", quantity);
    snprintf(r->unit, sizeof r->unit, "%s", unit);
}

void case_report(struct vrun *run, const char *quantity, double ours, double theirs, double error,
                 double limit, const char *unit)
{
    const struct vrow row = {
        .ours = ours,
        .theirs = theirs,
        .error = error,
        .limit = limit,
        .verdict = isnan(limit)     ? SHOWN
                   : error <= limit ? PASSED
                                    : FAILED,
    };
    if (!run->trouble[0]) add_row(run, quantity, &row, unit);
}

// The error of an order is what it lacks: `least` allows theirs - least of that.
void case_order(struct vrun *run, const char *quantity, const double *errors, int count, double theirs,
                double least)
{
    const double order = log2(errors[0] / errors[count - 1]) / (count - 1);
    const double lacks = order > theirs ? 0.0 : theirs - order;
    case_report(run, quantity, order, theirs, isnan(order) ? NAN : lacks, theirs - least, "");
}

void case_axes(struct vrun *run, const char *x_label, const char *y_label)
{
    run->x_label = x_label;
    run->y_label = y_label;
}

void case_curve(struct vrun *run, const char *name, int n, const double *x, const double *y,
                enum vstyle style)
{
    if (run->trouble[0]) return;
    if (run->curve_count == VCURVES) {
        trouble(run, "more than %d curves", VCURVES);
        return;
    }
    struct vcurve *c = &run->curves[run->curve_count];
    c->x = case_numbers(run, n);
    c->y = case_numbers(run, n);
    if (run->trouble[0]) return;
    memcpy(c->x, x, (size_t)n * sizeof *x);
    memcpy(c->y, y, (size_t)n * sizeof *y);
    snprintf(c->name, sizeof c->name, "%s", name);
    c->n = n;
    c->style = style;
    ++run->curve_count;
}
