// What a person does to a running world: one function and one line of the table for each kind of command.
#include "base/error.h"
#include "base/fpmode.h"
#include "base/math.h"
#include "body/solve/dynamics.h"
#include "world.h"

#include <tarn/command.h>

#include <string.h>

#define CUTOFF_RADII 2.5   // radii within which the water is stirred; exp(-REACH^2) = 0.002
#define MAX_SPEED    100.0 // [m/s] no hand is faster
#define MAX_SOURCE   1e4   // dye or [K] that one touch brings

static const char grab_joint_name[] = "tarn.hand"; // of the spring, so that checkpoints know it

// ---- bodies ---------------------------------------------------------------------------------------

// The joint that is the hand, -1 without one.
static int find_grab_joint(const tarn_world *w)
{
    if (!w->bodies.dynamics) return -1;
    const struct joints *all = &w->bodies.dynamics->joints;
    for (int i = 0; i < all->slot_count; ++i)
        if (all->slots[i].joint && strcmp(all->slots[i].joint->def.name, grab_joint_name) == 0) return i;
    return -1;
}

static tarn_joint joint_id(const tarn_world *w, int slot)
{
    return (tarn_joint){(uint32_t)slot, w->bodies.dynamics->joints.slots[slot].generation};
}

static tarn_result release(tarn_world *w, const tarn_command *c, tarn_error *err)
{
    (void)c;
    const int hand = find_grab_joint(w);
    if (hand < 0) return fail(err, TARN_BAD_ARGUMENT, "", "nothing is held");
    return tarn_joint_remove(w, joint_id(w, hand));
}

static vec3 project_to_plane(const tarn_world *w, vec3 at)
{
    return v3(at.x, at.y, w->fluid.model->planar ? 0.0 : at.z);
}

static tarn_result grab(tarn_world *w, const tarn_command *c, tarn_error *err)
{
    tarn_joint joint;
    const int old = find_grab_joint(w);
    const tarn_joint before = old < 0 ? (tarn_joint){0} : joint_id(w, old);
    if (!v3_is_finite(c->at)) return fail(err, TARN_BAD_INPUT, "at", "it is not finite");
    const tarn_result r = tarn_body_grab(w, c->body, project_to_plane(w, c->at), &joint);
    if (r != TARN_OK) return fail(err, r, "body", "it cannot be held");
    struct joint *j = w->bodies.dynamics->joints.slots[joint_index(&w->bodies, joint)].joint;
    memcpy(j->def.name, grab_joint_name, sizeof grab_joint_name);
    if (old >= 0) tarn_joint_remove(w, before);
    return TARN_OK;
}

static tarn_result pull(tarn_world *w, const tarn_command *c, tarn_error *err)
{
    const int hand = find_grab_joint(w);
    if (hand < 0) return fail(err, TARN_BAD_ARGUMENT, "", "nothing is held");
    const tarn_result r = tarn_joint_move(w, joint_id(w, hand), project_to_plane(w, c->at));
    return r == TARN_OK ? r : fail(err, r, "at", "the hand cannot get there");
}

static tarn_result spawn(tarn_world *w, const tarn_command *c, tarn_error *err)
{
    tarn_body_def def = tarn_body_def_default("sphere");
    tarn_body id;
    def.shape = c->spec;
    def.mesh = c->mesh;
    memcpy(def.name, c->path, sizeof def.name - 1); // it ends with the zero of the default
    def.density = c->density;
    def.position = c->at, def.velocity = c->way, def.spin = c->spin, def.colour = c->colour;
    return tarn_body_create(w, &def, &id, err);
}

static tarn_result remove_body(tarn_world *w, const tarn_command *c, tarn_error *err)
{
    const tarn_result r = tarn_body_remove(w, c->body);
    return r == TARN_OK ? r : fail(err, r, "body", "there is no such body");
}

// ---- water ----------------------------------------------------------------------------------------

// What a finger does to one cell: `weight` is 1 in the middle and falls as exp(-(d/radius)^2), d = (dx, dz) [m].
typedef void (*cell_fn)(struct fluid *f, int i, int j, double weight, double dx, double dz,
                        const tarn_command *c);

// Columns or rows of n within reach of a coordinate; on a periodic side up to once around.
static void cell_range(double at, double reach, double x0, double s, int n, bool wrap, int *first, int *end)
{
    const double room = wrap ? n : 0.0;
    *first = (int)floor(clamp((at - reach - x0) / s, -room, n));
    *end = (int)ceil(clamp((at + reach - x0) / s, -room, n + room));
}

// All cells within reach of (x, z), row by row; of a flat fluid z is y.
static void visit_cells_near(struct fluid *f, double x, double z, cell_fn touch, const tarn_command *c)
{
    const double radius = fmax(c->radius, 2.0 * f->grid.dx); // what the grid can show
    int i0, i1, j0, j1;
    cell_range(x, CUTOFF_RADII * radius, f->grid.x0, f->grid.dx, f->grid.nx, f->periodic_x, &i0, &i1);
    cell_range(z, CUTOFF_RADII * radius, f->grid.z0, f->grid.dx, f->grid.nz, f->periodic_z, &j0, &j1);
    for (int j = j0; j < j1; ++j) {
        const int row = fluid_wrap_row(f, j);
        const double dz = grid_cell_z(&f->grid, j) - z;
        for (int i = i0; row >= 0 && i < i1; ++i) {
            const int column = fluid_wrap_column(f, i);
            const double dx = grid_cell_x(&f->grid, i) - x, r2 = (dx * dx + dz * dz) / (radius * radius);
            if (column >= 0 && r2 <= CUTOFF_RADII * CUTOFF_RADII)
                touch(f, column, row, m_exp(-r2), dx, dz, c);
        }
    }
}

static tarn_result check_radius(const tarn_command *c, tarn_error *err)
{
    if (c->radius > 0.0 && c->radius <= 1e6) return TARN_OK;
    return fail(err, TARN_BAD_INPUT, "radius", "it is outside 0 .. 1e6 m");
}

// The water at a place that a hand may touch.
static tarn_result find_water(const tarn_world *w, const tarn_command *c, tarn_surface *out, tarn_error *err)
{
    const tarn_result r = check_radius(c, err);
    if (r != TARN_OK) return r;
    if (w->fluid.model->no_fluid || !w->fluid.model->height_field)
        return fail(err, TARN_BAD_INPUT, "", "the model '%s' has no surface", w->fluid.model->kind.name);
    *out = tarn_water_at(w, c->at.x, c->at.z);
    return out->wet ? TARN_OK : fail(err, TARN_BAD_INPUT, "at", "there is no water");
}

// A push P exp(-(r/R)^2) [m s] makes the surface rise at the rate g depth lap(P), in the middle -4 g depth P / R^2.
static tarn_result poke(tarn_world *w, const tarn_command *c, tarn_error *err)
{
    tarn_surface s;
    if (!(fabs(c->strength) <= MAX_SPEED))
        return fail(err, TARN_BAD_INPUT, "strength", "it is beyond %g m/s", MAX_SPEED);
    const tarn_result r = find_water(w, c, &s, err);
    if (r != TARN_OK) return r;
    const double radius = fmax(c->radius, 2.0 * w->fluid.grid.dx); // what the grid can show
    const double deep = fmax(s.depth, 0.1 * radius);               // a film of water is not shot away
    fluid_add_gaussian(&w->fluid, c->at.x, c->at.z, radius, 0.0,
                       c->strength * radius * radius / (4.0 * w->fluid.gravity * deep));
    couple_refresh(&w->coupling, &w->fluid, &w->bodies);
    return TARN_OK;
}

// A push changes speeds by -g grad(P). P = -(way . d)/g exp(-(d/R)^2) gives `way` in the middle and lets the water
// come back round the sides; nothing is added or lost.
static void stir_cell(struct fluid *f, int i, int j, double weight, double dx, double dz,
                      const tarn_command *c)
{
    const float push = (float)(-(c->way.x * dx + c->way.z * dz) / f->gravity * weight);
    f->emitted_depth += f->model->height_field->add_water(f, j, i, i + 1, NULL, &push);
}

// Half the way: each face has two cells, and so it gets there by three quarters.
static void pull_cell(struct fluid *f, int i, int j, double weight, double dx, double dy,
                      const tarn_command *c)
{
    (void)dx, (void)dy;
    const struct fluid_source in = {.velocity_blend = 0.5 * weight, .u = c->way.x, .v = c->way.y};
    f->model->planar->add_source(f, i, j, &in);
}

// A place in a flat fluid.
static tarn_result find_fluid(tarn_world *w, const tarn_command *c, tarn_error *err)
{
    const tarn_result r = check_radius(c, err);
    if (r != TARN_OK) return r;
    if (!w->fluid.model->planar)
        return fail(err, TARN_BAD_INPUT, "", "the model '%s' carries neither dye nor heat",
                    w->fluid.model->kind.name);
    if (!fluid_contains(&w->fluid, c->at.x, c->at.y)) // a NaN is not
        return fail(err, TARN_BAD_INPUT, "at", "there is no fluid");
    world_apply_body_edits(w);
    return TARN_OK;
}

static tarn_result stir(tarn_world *w, const tarn_command *c, tarn_error *err)
{
    const bool flat = w->fluid.model->planar != NULL;
    tarn_surface s;
    if (!(fabs(c->way.x) <= MAX_SPEED && fabs(flat ? c->way.y : c->way.z) <= MAX_SPEED))
        return fail(err, TARN_BAD_INPUT, "way", "it is beyond %g m/s", MAX_SPEED);
    const tarn_result r = flat ? find_fluid(w, c, err) : find_water(w, c, &s, err);
    if (r != TARN_OK) return r;
    visit_cells_near(&w->fluid, c->at.x, flat ? c->at.y : c->at.z, flat ? pull_cell : stir_cell, c);
    couple_refresh(&w->coupling, &w->fluid, &w->bodies);
    return TARN_OK;
}

static void add_scalar_cell(struct fluid *f, int i, int j, double weight, double dx, double dy,
                            const tarn_command *c)
{
    (void)dx, (void)dy;
    const double more = weight * c->strength;
    const struct fluid_source in = {.dye = c->kind == TARN_DYE ? more : 0.0,
                                    .temperature = c->kind == TARN_WARM ? more : 0.0};
    f->model->planar->add_source(f, i, j, &in);
}

static tarn_result add_scalar(tarn_world *w, const tarn_command *c, tarn_error *err)
{
    const double least = c->kind == TARN_DYE ? 0.0 : -MAX_SOURCE; // there is no less than no dye
    if (!(c->strength >= least && c->strength <= MAX_SOURCE))
        return fail(err, TARN_BAD_INPUT, "strength", "it is outside %g .. %g", least, MAX_SOURCE);
    const tarn_result r = find_fluid(w, c, err);
    if (r == TARN_OK) visit_cells_near(&w->fluid, c->at.x, c->at.y, add_scalar_cell, c);
    return r;
}

// ---- ground ---------------------------------------------------------------------------------------

static void raise_bed_cell(struct fluid *f, int i, int j, double weight, double dx, double dz,
                           const tarn_command *c)
{
    (void)dx, (void)dz;
    const float height = (float)(weight * c->strength);
    f->model->height_field->edit->raise_bed(f, j, i, i + 1, &height);
}

// What lay on the ground wakes, and what floats over it meets another surface.
static void refresh_after_bed_change(tarn_world *w)
{
    for (int i = 0; i < w->bodies.slot_count; ++i)
        if (body_exists(&w->bodies, i)) body_wake(&w->bodies, i);
    couple_build_columns(&w->coupling, &w->fluid, &w->bodies, -1);
}

static tarn_result raise_bed(tarn_world *w, const tarn_command *c, tarn_error *err)
{
    const tarn_result r = check_radius(c, err);
    if (r != TARN_OK) return r;
    if (!fluid_has_editable_columns(&w->fluid))
        return fail(err, TARN_BAD_INPUT, "", "the ground of the model '%s' cannot be shaped",
                    w->fluid.model->kind.name);
    if (!(fabs(c->strength) <= c->radius))
        return fail(err, TARN_BAD_INPUT, "strength", "it is steeper than 1 in 1: more than %g m", c->radius);
    if (!fluid_contains(&w->fluid, c->at.x, c->at.z))
        return fail(err, TARN_BAD_INPUT, "at", "there is no ground");
    visit_cells_near(&w->fluid, c->at.x, c->at.z, raise_bed_cell, c);
    refresh_after_bed_change(w);
    return TARN_OK;
}

// ---- the rest -------------------------------------------------------------------------------------

static tarn_result set_parameter(tarn_world *w, const tarn_command *c, tarn_error *err)
{
    if (c->value.type == TARN_TABLE) return fail(err, TARN_BAD_INPUT, c->path, "tables do not change");
    return tarn_world_set(w, c->path, c->value, err);
}

static tarn_result create_emitter(tarn_world *w, const tarn_command *c, tarn_error *err)
{
    return tarn_emitter_create(w, &c->spec, err);
}

static const struct {
    const char *name;
    tarn_result (*apply)(tarn_world *w, const tarn_command *c, tarn_error *err);
} kinds[] = {
    [TARN_GRAB] = {"grab", grab},
    [TARN_PULL] = {"pull", pull},
    [TARN_RELEASE] = {"release", release},
    [TARN_POKE] = {"poke", poke},
    [TARN_STIR] = {"stir", stir},
    [TARN_SPAWN] = {"spawn", spawn},
    [TARN_REMOVE] = {"remove", remove_body},
    [TARN_SET] = {"set", set_parameter},
    [TARN_EMIT] = {"emit", create_emitter},
    [TARN_DYE] = {"dye", add_scalar},
    [TARN_WARM] = {"warm", add_scalar},
    [TARN_RAISE] = {"raise", raise_bed},
};
#define COMMAND_COUNT ((int)(sizeof kinds / sizeof kinds[0]))

const char *tarn_command_name(tarn_command_kind kind)
{
    return (int)kind > 0 && (int)kind < COMMAND_COUNT ? kinds[kind].name : NULL;
}

tarn_result tarn_world_command(tarn_world *w, const tarn_command *c, tarn_error *err)
{
    if (!w || !c) return fail(err, TARN_BAD_ARGUMENT, "", "a null pointer");
    if (!tarn_command_name(c->kind)) return fail(err, TARN_BAD_ARGUMENT, "kind", "there is no such command");
    if (!memchr(c->path, 0, sizeof c->path)) return fail(err, TARN_BAD_INPUT, "path", "it is too long");
    const struct fpmode host = fpmode_enter();
    const tarn_result r = kinds[c->kind].apply(w, c, err);
    world_end_edit(w);
    fpmode_leave(host);
    return r;
}
