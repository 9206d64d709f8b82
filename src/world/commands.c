// Commands of the user to a running world: a function and a row of the table per kind.
#include "base/error.h"
#include "base/math/math.h"
#include "base/parallel/fpmode.h"
#include "body/solve/dynamics.h"
#include "world.h"

#include <tarn/command.h>

#include <string.h>

#define CUTOFF_RADII 2.5   // a Gaussian is cut off at this many radii, where it is exp(-2.5^2) = 0.002
#define MAX_SPEED    100.0 // [m/s]
#define MAX_SOURCE   1e4   // dye, or temperature [K], of one command

static const char grab_joint_name[] = "tarn.hand"; // name of the spring, by which a loaded world finds it

// ---- bodies ---------------------------------------------------------------------------------------

// Slot of the joint that grabs a body; -1: none.
static int find_grab_joint(const tarn_world *w)
{
    if (!w->bodies.dynamics) return -1;
    const struct joints *all = &w->bodies.dynamics->joints;
    for (int i = 0; i < all->slot_count; ++i)
        if (all->slots[i].joint && strcmp(all->slots[i].joint->def.name, grab_joint_name) == 0) return i;
    return -1;
}

static tarn_joint_id joint_id(const tarn_world *w, int slot)
{
    return (tarn_joint_id){id_value((uint32_t)slot, w->bodies.dynamics->joints.slots[slot].generation)};
}

static tarn_result release(tarn_world *w, const tarn_command *c, tarn_error *err)
{
    (void)c;
    const int slot = find_grab_joint(w);
    if (slot < 0) return fail(err, TARN_BAD_ARGUMENT, "", "no body is grabbed");
    return tarn_joint_destroy(w, joint_id(w, slot));
}

static vec3 project_to_plane(const tarn_world *w, vec3 at)
{
    return v3(at.x, at.y, w->fluid.model->planar ? 0.0 : at.z);
}

static tarn_result grab(tarn_world *w, const tarn_command *c, tarn_error *err)
{
    tarn_joint_id joint;
    const int old = find_grab_joint(w);
    const tarn_joint_id before = old < 0 ? (tarn_joint_id){0} : joint_id(w, old);
    if (!v3_is_finite(c->position)) return fail(err, TARN_BAD_INPUT, "at", "position is not finite");
    const tarn_result r = tarn_body_grab(w, c->body, project_to_plane(w, c->position), &joint);
    if (r != TARN_OK) return fail(err, r, "body", "this body cannot be grabbed");
    struct joint *j = w->bodies.dynamics->joints.slots[joint_index(&w->bodies, joint)].joint;
    memcpy(j->def.name, grab_joint_name, sizeof grab_joint_name);
    if (old >= 0) tarn_joint_destroy(w, before);
    return TARN_OK;
}

static tarn_result pull(tarn_world *w, const tarn_command *c, tarn_error *err)
{
    const int slot = find_grab_joint(w);
    if (slot < 0) return fail(err, TARN_BAD_ARGUMENT, "", "no body is grabbed");
    const tarn_result r = tarn_joint_set_anchor(w, joint_id(w, slot), project_to_plane(w, c->position));
    return r == TARN_OK ? r : fail(err, r, "at", "position is outside the world");
}

static tarn_result spawn(tarn_world *w, const tarn_command *c, tarn_error *err)
{
    tarn_body_def def = tarn_default_body_def();
    tarn_body_id id;
    def.shape = c->shape;
    memcpy(def.name, c->path, sizeof def.name - 1); // the default is all zeros
    def.density = c->density;
    def.position = c->position, def.velocity = c->velocity, def.angular_velocity = c->angular_velocity,
    def.colour = c->colour;
    return tarn_body_create(w, &def, &id, err);
}

static tarn_result remove_body(tarn_world *w, const tarn_command *c, tarn_error *err)
{
    const tarn_result r = tarn_body_destroy(w, c->body);
    return r == TARN_OK ? r : fail(err, r, "body", "unknown body");
}

// ---- water ----------------------------------------------------------------------------------------

// Apply a command to one cell: `weight` = exp(-(d/radius)^2) with d = (dx, dz) [m] from the centre.
typedef void (*cell_fn)(struct fluid *f, int i, int j, double weight, double dx, double dz,
                        const tarn_command *c);

// Range of columns or rows within `reach` of a coordinate; across a periodic boundary up to one period.
static void cell_range(double at, double reach, double x0, double s, int n, bool wrap, int *first, int *end)
{
    const double period = wrap ? n : 0.0;
    *first = (int)floor(clamp((at - reach - x0) / s, -period, n));
    *end = (int)ceil(clamp((at + reach - x0) / s, -period, n + period));
}

// Visit the cells around (x, z), row by row; z is y in the planar model.
static void visit_cells_near(struct fluid *f, double x, double z, cell_fn apply, const tarn_command *c)
{
    const double radius = fmax(c->radius, 2.0 * f->grid.dx); // smallest width that the grid resolves
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
                apply(f, column, row, m_exp(-r2), dx, dz, c);
        }
    }
}

static tarn_result check_radius(const tarn_command *c, tarn_error *err)
{
    if (c->radius > 0.0 && c->radius <= 1e6) return TARN_OK;
    return fail(err, TARN_BAD_INPUT, "radius", "radius is outside 0 .. 1e6 m");
}

// The water at the position of a command; an error if there is none.
static tarn_result find_water(const tarn_world *w, const tarn_command *c, tarn_surface *out, tarn_error *err)
{
    const tarn_result r = check_radius(c, err);
    if (r != TARN_OK) return r;
    if (w->fluid.model->no_fluid || !w->fluid.model->height_field)
        return fail(err, TARN_BAD_INPUT, "", "the model '%s' has no surface", w->fluid.model->kind.name);
    if (w->fluid.model->height_field->is_prescribed)
        return fail(err, TARN_BAD_INPUT, "", "the water of the model '%s' cannot be changed",
                    w->fluid.model->kind.name);
    *out = tarn_world_get_surface(w, c->position.x, c->position.z);
    return out->wet ? TARN_OK : fail(err, TARN_BAD_INPUT, "at", "no water at this position");
}

// A head impulse P exp(-(r/R)^2) [m s] raises the surface at the rate g depth laplace(P), in the centre
// -4 g depth P / R^2.
static tarn_result poke(tarn_world *w, const tarn_command *c, tarn_error *err)
{
    tarn_surface s;
    if (!(fabs(c->amount) <= MAX_SPEED))
        return fail(err, TARN_BAD_INPUT, "strength", "speed exceeds %g m/s", MAX_SPEED);
    const tarn_result r = find_water(w, c, &s, err);
    if (r != TARN_OK) return r;
    const double radius = fmax(c->radius, 2.0 * w->fluid.grid.dx); // smallest width that the grid resolves
    const double depth = fmax(s.depth, 0.1 * radius);              // limits the impulse on a film of water
    fluid_add_gaussian(&w->fluid, c->position.x, c->position.z, radius, 0.0,
                       c->amount * radius * radius / (4.0 * w->fluid.gravity * depth));
    couple_refresh(&w->coupling, &w->fluid, &w->bodies);
    return TARN_OK;
}

// A head impulse P changes velocities by -g grad(P). P = -(way . d)/g exp(-(d/R)^2) gives `way` in the centre
// and a return flow around it; momentum is neither added nor lost.
static void stir_cell(struct fluid *f, int i, int j, double weight, double dx, double dz,
                      const tarn_command *c)
{
    const float head_impulse = (float)(-(c->velocity.x * dx + c->velocity.z * dz) / f->gravity * weight);
    f->emitted_depth += f->model->height_field->add_water(f, j, i, i + 1, NULL, &head_impulse);
}

// Blends by 1/2 per cell. A face belongs to two cells, so its velocity is blended by 3/4.
static void pull_cell(struct fluid *f, int i, int j, double weight, double dx, double dy,
                      const tarn_command *c)
{
    (void)dx, (void)dy;
    const struct fluid_source in = {.velocity_blend = 0.5 * weight, .u = c->velocity.x, .v = c->velocity.y};
    f->model->planar->add_source(f, i, j, &in);
}

// Check the position of a command to the planar model.
static tarn_result find_fluid(tarn_world *w, const tarn_command *c, tarn_error *err)
{
    const tarn_result r = check_radius(c, err);
    if (r != TARN_OK) return r;
    if (!w->fluid.model->planar)
        return fail(err, TARN_BAD_INPUT, "", "the model '%s' has neither dye nor temperature",
                    w->fluid.model->kind.name);
    if (!fluid_contains(&w->fluid, c->position.x, c->position.y)) // false for a NaN
        return fail(err, TARN_BAD_INPUT, "at", "no fluid at this position");
    world_apply_body_edits(w);
    return TARN_OK;
}

static tarn_result stir(tarn_world *w, const tarn_command *c, tarn_error *err)
{
    const bool flat = w->fluid.model->planar != NULL;
    tarn_surface s;
    if (!(fabs(c->velocity.x) <= MAX_SPEED && fabs(flat ? c->velocity.y : c->velocity.z) <= MAX_SPEED))
        return fail(err, TARN_BAD_INPUT, "way", "speed exceeds %g m/s", MAX_SPEED);
    const tarn_result r = flat ? find_fluid(w, c, err) : find_water(w, c, &s, err);
    if (r != TARN_OK) return r;
    visit_cells_near(&w->fluid, c->position.x, flat ? c->position.y : c->position.z,
                     flat ? pull_cell : stir_cell, c);
    couple_refresh(&w->coupling, &w->fluid, &w->bodies);
    return TARN_OK;
}

static void add_scalar_cell(struct fluid *f, int i, int j, double weight, double dx, double dy,
                            const tarn_command *c)
{
    (void)dx, (void)dy;
    const double amount = weight * c->amount;
    const struct fluid_source in = {.dye = c->kind == TARN_COMMAND_ADD_DYE ? amount : 0.0,
                                    .temperature = c->kind == TARN_COMMAND_ADD_HEAT ? amount : 0.0};
    f->model->planar->add_source(f, i, j, &in);
}

static tarn_result add_scalar(tarn_world *w, const tarn_command *c, tarn_error *err)
{
    const double minimum =
        c->kind == TARN_COMMAND_ADD_DYE ? 0.0 : -MAX_SOURCE; // a concentration is not negative
    if (!(c->amount >= minimum && c->amount <= MAX_SOURCE))
        return fail(err, TARN_BAD_INPUT, "strength", "amount is outside %g .. %g", minimum, MAX_SOURCE);
    const tarn_result r = find_fluid(w, c, err);
    if (r == TARN_OK) visit_cells_near(&w->fluid, c->position.x, c->position.y, add_scalar_cell, c);
    return r;
}

// ---- bed ------------------------------------------------------------------------------------------

static void raise_bed_cell(struct fluid *f, int i, int j, double weight, double dx, double dz,
                           const tarn_command *c)
{
    (void)dx, (void)dz;
    const float height = (float)(weight * c->amount);
    f->model->height_field->edit->raise_bed(f, j, i, i + 1, &height);
}

void world_refresh_after_bed_change(tarn_world *w)
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
        return fail(err, TARN_BAD_INPUT, "", "the bed of the model '%s' cannot be changed",
                    w->fluid.model->kind.name);
    if (!(fabs(c->amount) <= c->radius))
        return fail(err, TARN_BAD_INPUT, "strength", "slope exceeds 1: more than %g m", c->radius);
    if (!fluid_contains(&w->fluid, c->position.x, c->position.z))
        return fail(err, TARN_BAD_INPUT, "at", "position is outside the domain");
    visit_cells_near(&w->fluid, c->position.x, c->position.z, raise_bed_cell, c);
    world_refresh_after_bed_change(w);
    return TARN_OK;
}

// ---- others ---------------------------------------------------------------------------------------

static tarn_result set_parameter(tarn_world *w, const tarn_command *c, tarn_error *err)
{
    if (c->value.type == TARN_PARAM_TABLE)
        return fail(err, TARN_BAD_INPUT, c->path, "tables cannot be changed by a command");
    return tarn_world_set_param(w, c->path, c->value, err);
}

static tarn_result create_emitter(tarn_world *w, const tarn_command *c, tarn_error *err)
{
    return tarn_emitter_create(w, &c->emitter, NULL, err);
}

static const struct {
    const char *name;
    tarn_result (*apply)(tarn_world *w, const tarn_command *c, tarn_error *err);
} kinds[] = {
    [TARN_COMMAND_GRAB] = {"grab", grab},
    [TARN_COMMAND_MOVE_GRAB] = {"pull", pull},
    [TARN_COMMAND_RELEASE] = {"release", release},
    [TARN_COMMAND_POKE] = {"poke", poke},
    [TARN_COMMAND_STIR] = {"stir", stir},
    [TARN_COMMAND_SPAWN] = {"spawn", spawn},
    [TARN_COMMAND_REMOVE] = {"remove", remove_body},
    [TARN_COMMAND_SET_PARAM] = {"set", set_parameter},
    [TARN_COMMAND_ADD_EMITTER] = {"emit", create_emitter},
    [TARN_COMMAND_ADD_DYE] = {"dye", add_scalar},
    [TARN_COMMAND_ADD_HEAT] = {"warm", add_scalar},
    [TARN_COMMAND_RAISE_BED] = {"raise", raise_bed},
};
#define COMMAND_COUNT ((int)(sizeof kinds / sizeof kinds[0]))

const char *tarn_command_name(tarn_command_kind kind)
{
    return (int)kind > 0 && (int)kind < COMMAND_COUNT ? kinds[kind].name : NULL;
}

tarn_result tarn_world_apply_command(tarn_world *w, const tarn_command *c, tarn_error *err)
{
    if (!w || !c) return fail(err, TARN_BAD_ARGUMENT, "", "null pointer");
    if (!tarn_command_name(c->kind)) return fail(err, TARN_BAD_ARGUMENT, "kind", "unknown command");
    if (!memchr(c->path, 0, sizeof c->path)) return fail(err, TARN_BAD_INPUT, "path", "path is too long");
    const struct fpmode host = fpmode_enter();
    const tarn_result r = kinds[c->kind].apply(w, c, err);
    world_end_edit(w);
    fpmode_leave(host);
    return r;
}
