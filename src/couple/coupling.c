// Order of the coupling of bodies and height fields in a substep; insertion and removal of bodies;
// checkpoint.
#include "coupling.h"

#include "base/error.h"

#include <string.h>

// [s] Time constant with which the mean level of a closed tank follows the displaced volume without load
// head.
#define UNIFORM_RISE_TIME 1.0
// [cells] Horizontal displacement after which the patch is rebuilt (MIN_ADVECTED_OFFSET if the depth is
// advected).
#define REBUILD_OFFSET   0.05
#define DEFAULT_STRENGTH 0.9
#define MAX_STRENGTH     0.95
#define SEARCH_HEIGHT    0.5 // [radii] A body that is higher above the surface has no patch.

const char *const coupling_method_names[] = {
    [TARN_COUPLING_AUTOMATIC] = "automatic", [TARN_COUPLING_COLUMNS] = "columns",
    [TARN_COUPLING_TRIANGLES] = "triangles", [TARN_COUPLING_PRESSURE] = "pressure",
    [TARN_COUPLING_PENALTY] = "penalty",     [TARN_COUPLING_STRONG] = "strong",
    [TARN_COUPLING_WEAK] = "weak",           NULL};

// One-way coupling with water whose motion is given: all momentum that it gives is lost to it.
static vec3 return_nothing(const struct coupling *c, struct fluid *f, const struct bodies *b, int i,
                           vec3 owed, double dt)
{
    (void)c, (void)f, (void)b, (void)i, (void)owed, (void)dt;
    return v3(0, 0, 0);
}

static const struct coupling_kind coupling_one_way = {.return_momentum = return_nothing};

const struct coupling_kind *coupling_kind_for(tarn_coupling_method method, const struct fluid_model *model)
{
    const bool is_implicit = fluid_model_solves_loads(model), is_planar = model->planar != NULL;
    if (model->height_field && model->height_field->is_prescribed)
        return method == TARN_COUPLING_AUTOMATIC ? &coupling_one_way : NULL;
    switch (method) {
    case TARN_COUPLING_AUTOMATIC: return is_implicit ? &coupling_pressure : &coupling_columns;
    case TARN_COUPLING_COLUMNS: return is_implicit || is_planar ? NULL : &coupling_columns;
    case TARN_COUPLING_TRIANGLES: return is_implicit || is_planar ? NULL : &coupling_triangles;
    case TARN_COUPLING_PRESSURE: return is_implicit ? &coupling_pressure : NULL;
    case TARN_COUPLING_PENALTY: return is_implicit ? &coupling_penalty : NULL;
    default: return is_planar ? &coupling_columns : NULL; // planar bodies have no columns
    }
}

tarn_result coupling_check(const tarn_world_def *def, const struct fluid_model *model, tarn_error *err)
{
    const struct coupling_kind *kind = coupling_kind_for(def->coupling, model);
    if (!kind)
        return fail(err, TARN_BAD_INPUT, "coupling.method", "'%s' is not available in the model '%s'",
                    coupling_method_names[def->coupling], model->kind.name);
    if (!model->planar && kind->displaces && def->coupling_strength > MAX_STRENGTH)
        return fail(err, TARN_BAD_INPUT, "coupling.strength", "%g is above %g, the limit in the model '%s'",
                    def->coupling_strength, MAX_STRENGTH, model->kind.name);
    return TARN_OK;
}

double coupling_strength(const struct coupling_kind *kind, double strength)
{
    if (kind->is_implicit) return 1.0;
    return !kind->displaces ? 0.0 : isnan(strength) ? DEFAULT_STRENGTH : strength;
}

void couple_free(struct coupling *c)
{
    for (int i = 0; i < c->body_capacity; ++i) body_coupling_free(&c->per_body[i], c->memory);
    memory_free(c->memory, c->per_body, (size_t)c->body_capacity, sizeof *c->per_body);
    memory_free(c->memory, c->applied_head, c->applied_head_count, sizeof *c->applied_head);
    memory_free(c->memory, c->previous_rects, (size_t)c->previous_rect_capacity, sizeof *c->previous_rects);
    memory_free(c->memory, c->surface_loads, (size_t)c->surface_load_capacity, sizeof *c->surface_loads);
}

void couple_reset(struct coupling *c, struct fluid *f)
{
    for (int i = 0; i < c->body_capacity; ++i) body_coupling_reset(&c->per_body[i]);
    surface_load_clear(c, f);
    f->surface_load_count = 0;
    c->deferred_impulse = v3(0, 0, 0);
    c->last_dt = 0.0;
}

// No water, or water without a free surface.
static bool has_no_columns(const struct fluid *f) { return f->model->no_fluid || f->model->planar; }

static double domain_area(const struct fluid *f) { return f->grid.dx * f->grid.dx * f->grid.nx * f->grid.nz; }

// ---- building the columns -------------------------------------------------------------------------

// True if a body is too high above the water or beside the grid. Then it has no patch.
static bool is_out_of_reach(const struct body_coupling *p, const struct fluid *f, const struct bodies *b,
                            int i)
{
    if (has_no_columns(f) || !body_is_solid(b, i)) return true;
    const struct grid *g = &f->grid;
    const vec3 at = b->state[i].position;
    const double r = b->slots[i].body->def.shape->bounding_radius,
                 far = 1e8 * g->dx; // columns and rows are counted in int
    if (!body_is_valid(b, i) || fabs(at.x) > far || fabs(at.z) > far) return true;
    if (!f->periodic_x && (at.x + r < g->x0 || at.x - r > g->x0 + g->nx * g->dx)) return true;
    if (!f->periodic_z && (at.z + r < g->z0 || at.z - r > g->z0 + g->nz * g->dx)) return true;
    return at.y - r - f->rest_level - p->surface_plane.a > SEARCH_HEIGHT * r;
}

// Memory for every pose of body i. False without memory.
static bool reserve_body(struct coupling *c, struct fluid *f, const struct bodies *b, int i)
{
    if (!memory_grow(c->memory, (void **)&c->per_body, &c->body_capacity, b->slot_count, sizeof *c->per_body))
        return false;
    if (has_no_columns(f)) return true;
    struct body_coupling *p = &c->per_body[i];
    p->keeps_all_pieces = c->kind->is_implicit || c->kind->is_penalty;
    return surface_load_reserve(c, f, b->slot_count) &&
           patch_reserve(p, c->memory, f, &b->slots[i].body->def.shape->data.hull,
                         b->slots[i].body->def.shape->bounding_radius) &&
           (!p->keeps_all_pieces || load_arrays_reserve(p, c->memory));
}

static void build_columns(struct coupling *c, struct fluid *f, const struct bodies *b, int i)
{
    struct body_coupling *p = &c->per_body[i];
    p->ni = p->nj = 0, p->is_wet = false;
    p->surface_load.column_count = 0;
    if (is_out_of_reach(p, f, b, i)) return;
    patch_build(p, f, &b->slots[i].body->def.shape->data.hull, &b->state[i]);
    patch_check_water(p, f);
    if (c->kind->is_implicit) {
        load_arrays_build(p, f);
        pressure_evaluate_displaced(p, f);
    } else {
        patch_compute_displaced(p, f);
    }
}

// Whether columns a0 .. a0+na-1 and b0 .. b0+nb-1 of n have a grid column in common or are neighbours.
static bool intervals_touch(int a0, int na, int b0, int nb, int n, bool periodic)
{
    if (!periodic) return a0 <= b0 + nb && b0 <= a0 + na;
    const int offset = (((b0 - a0) % n) + n) % n;
    return offset <= na || offset + nb >= n;
}

static bool patches_touch(const struct body_coupling *a, const struct body_coupling *b, const struct fluid *f)
{
    return a->ni && b->ni && intervals_touch(a->i0, a->ni, b->i0, b->ni, f->grid.nx, f->periodic_x) &&
           intervals_touch(a->j0, a->nj, b->j0, b->nj, f->grid.nz, f->periodic_z);
}

// The water under the patch of body i has changed. Rebuild the columns of the bodies beside it, as loading a
// checkpoint would. True if there are any.
static bool rebuild_columns_around(struct coupling *c, struct fluid *f, const struct bodies *b, int i)
{
    bool rebuilt = false;
    for (int k = 0; k < b->slot_count; ++k) {
        struct body_coupling *p = &c->per_body[k];
        if (k == i || !body_exists(b, k) || !patches_touch(p, &c->per_body[i], f)) continue;
        build_columns(c, f, b, k);
        rebuilt = true;
    }
    return rebuilt;
}

void couple_build_columns(struct coupling *c, struct fluid *f, const struct bodies *b, int i)
{
    for (int k = 0; k < b->slot_count; ++k)
        if (body_exists(b, k) && (i < 0 || i == k)) build_columns(c, f, b, k);
    if (!b->body_count) return;
    surface_load_write(c, f, b, 0.5 * c->last_dt);
    if (c->kind->displaces && !c->kind->is_implicit)
        couple_return_momentum(c, f, b, 0.0); // of the deferred change of the load head
}

// Add sign * strength * displaced depth to the water. Returns the sum of the depths [m].
static double add_displaced_to_water(const struct body_coupling *p, struct fluid *f, double strength,
                                     double sign)
{
    double sum = 0.0;
    for (int j = 0; j < p->nj; ++j) {
        const int row = patch_grid_row(f, p->j0 + j);
        for (int i = 0; row >= 0 && i < p->ni; ++i) {
            const int column = patch_grid_column(f, p->i0 + i);
            const float depth = (float)sign * ((float)strength * p->columns.displaced_smooth[j * p->ni + i]);
            if (column >= 0 && depth != 0.0f)
                sum += f->model->height_field->add_water(f, row, column, column + 1, &depth, NULL);
        }
    }
    return sum;
}

tarn_result couple_insert_body(struct coupling *c, struct fluid *f, const struct bodies *b, int i,
                               tarn_error *err)
{
    const double width = f->grid.nx * f->grid.dx, depth = f->grid.nz * f->grid.dx;
    ASSERT(!f->derived_stale);
    if (!f->unbounded_floor &&
        b->slots[i].body->def.shape->bounding_radius > sqrt(width * width + depth * depth))
        return fail(err, TARN_BAD_INPUT, "shape",
                    "a body %.3g m across does not fit into a tank of %.3g x %.3g m",
                    2.0 * b->slots[i].body->def.shape->bounding_radius, width, depth);
    if (!reserve_body(c, f, b, i))
        return fail(err, TARN_NO_MEMORY, "", "no memory for the columns of a body");
    struct body_coupling *p = &c->per_body[i];
    if (!body_is_solid(b, i)) return TARN_OK; // it has no effect on the water
    const vec3 at = b->state[i].position;
    p->surface_plane = (struct plane){fluid_sample_surface(f, at.x, at.z).surface, 0, 0};
    build_columns(c, f, b, i);
    if (p->ni) {
        patch_read_surface(p, f, 0.0);
        if (c->kind->is_implicit) {
            fit_plane_to_surface(p, f);
            pressure_init_surface(p, f);
            pressure_evaluate_displaced(p, f);
        } else {
            fit_loaded_plane(p, f, 0.0);
        }
        f->displaced_depth -= add_displaced_to_water(p, f, c->strength, -1.0);
    }
    struct wetted_forces w = {0};
    if (p->ni && !p->has_no_water) body_wetted_forces(p, f, b, i, v3(0, 0, 0), &w);
    report_hydrostatics(p, f, b, i, &w);
    p->added_mass.horizontal = added_mass_of(f, w.volume);
    p->added_mass.vertical = (p->keeps_all_pieces ? uncut_cover_fraction(p) : 1.0) * p->added_mass.horizontal;
    c->submerged_volume += w.volume;
    c->initial_submerged_volume += w.volume;
    // The columns for the fitted plane, which loading a checkpoint would build.
    build_columns(c, f, b, i);
    if (rebuild_columns_around(c, f, b, i) || i + 1 < b->slot_count)
        surface_load_write(c, f, b, 0.0);
    else
        surface_load_add(c, f, i);
    return TARN_OK;
}

void couple_remove_body(struct coupling *c, struct fluid *f, const struct bodies *b, int i)
{
    struct body_coupling *p = &c->per_body[i];
    if (p->is_wet) f->displaced_depth -= add_displaced_to_water(p, f, c->strength, 1.0);
    f->displaced_depth += p->floodwater_depth; // leaves with the hull
    c->submerged_volume -= p->load.submerged_volume;
    c->initial_submerged_volume -= p->load.submerged_volume;
    p->is_wet = false;
    rebuild_columns_around(c, f, b, i);
    body_coupling_free(p, c->memory);
    surface_load_write(c, f, b, 0.0);
}

// ---- steps ----------------------------------------------------------------------------------------

// The plane of the surface at body i, and its displaced depths.
static void find_surface_plane(struct coupling *c, struct fluid *f, const struct bodies *b, int i)
{
    struct body_coupling *p = &c->per_body[i];
    const bool is_new = !p->ni; // the water has no load head of this body yet
    if (is_new) {
        const vec3 at = b->state[i].position;
        p->surface_plane = (struct plane){fluid_sample_surface(f, at.x, at.z).surface, 0, 0};
        build_columns(c, f, b, i);
    }
    if (!p->ni) return;
    if (c->kind->is_implicit) {
        patch_read_surface(p, f, 0.0);
        fit_plane_to_surface(p, f);
        return;
    }
    if (c->kind->is_penalty) {
        patch_read_surface(p, f, 0.0);
        penalty_find_level(p, f);
        patch_compute_displaced(p, f);
        return;
    }
    patch_read_surface(p, f, is_new ? 0.0 : c->strength);
    fit_loaded_plane(p, f, c->strength);
}

// Without water: gravity and user forces.
static void apply_loads_dry(const struct fluid *f, struct bodies *b, double dt)
{
    for (int i = 0; i < b->slot_count; ++i) {
        const struct body *body = b->slots[i].body;
        if (!body || !body_is_dynamic(b, i) || !body->def.enabled) continue;
        const double weight = body->def.mass * body->def.gravity_scale * f->gravity;
        const vec3 force = v3_add(body->user_force, v3(0.0, -weight, 0.0));
        b->applied[i] = (struct applied_impulse){v3_scale(force, dt), v3_scale(body->user_torque, dt),
                                                 .is_uniform = true};
    }
}

// Loading a checkpoint builds the columns in the same way: both worlds continue with the same bits.
void couple_refresh(struct coupling *c, struct fluid *f, const struct bodies *b)
{
    if (!b->body_count || has_no_columns(f)) return;
    for (int i = 0; i < b->slot_count; ++i)
        if (body_exists(b, i)) build_columns(c, f, b, i);
    surface_load_write(c, f, b, 0.0);
}

void couple_apply_loads(struct coupling *c, struct fluid *f, struct bodies *b, double dt)
{
    if (f->model->no_fluid) {
        apply_loads_dry(f, b, dt);
        return;
    }
    c->submerged_volume = 0.0;
    f->surface_load_count = 0, f->surface_loads = c->surface_loads;
    for (int i = 0; i < b->slot_count; ++i) {
        if (!body_exists_solid(b, i)) continue;
        struct body_coupling *p = &c->per_body[i];
        fluid_update_derived(f); // the body before may have changed the water
        find_surface_plane(c, f, b, i);
        c->submerged_volume += c->kind->is_implicit ? predict_body_loads(p, f, b, i, dt)
                                                    : apply_body_loads(p, f, b, i, c->strength, dt);
        if (!p->ni || p->has_no_water) continue;
        add_splash(p, f, b, i, c->splash_strength, dt);
        if (c->kind->is_penalty) penalty_set_load(p, f, c->penalty_weight);
        if (p->keeps_all_pieces) c->surface_loads[f->surface_load_count++] = &p->surface_load;
    }
    surface_load_write(c, f, b, 0.5 * c->last_dt);
    couple_write_face_heads(c, f, b, dt);
    c->last_dt = dt;
}

void couple_apply_solved_pressure(struct coupling *c, struct fluid *f, struct bodies *b, double dt)
{
    if (f->model->no_fluid || !(c->kind->is_implicit || c->kind->is_penalty)) return;
    const int count = f->surface_load_count;
    f->surface_load_count = 0; // the model borrowed them for the substep
    for (int i = 0; i < b->slot_count; ++i) {
        if (!body_exists_solid(b, i)) continue;
        if (c->kind->is_implicit) correct_body_loads(&c->per_body[i], f, b, i, dt);
        for (int k = 0; k < count && c->kind->is_penalty; ++k)
            if (c->surface_loads[k] == &c->per_body[i].surface_load) penalty_remove_water(&c->per_body[i], f);
    }
    if (c->kind->is_implicit) surface_load_write(c, f, b, 0.0);
}

void couple_return_momentum(struct coupling *c, struct fluid *f, const struct bodies *b, double dt)
{
    if (f->model->no_fluid) return;
    // The deferred impulse is divided among the bodies in proportion to their submerged volumes; the sum is
    // exact. If no body is submerged any more, it is counted as a sink.
    if (!(c->submerged_volume > 0.0)) c->momentum_sink = v3_sub(c->momentum_sink, c->deferred_impulse);
    const vec3 deferred =
        c->submerged_volume > 0.0 ? v3_scale(c->deferred_impulse, 1.0 / c->submerged_volume) : v3(0, 0, 0);
    for (int i = 0; i < b->slot_count; ++i) {
        if (!body_exists_solid(b, i)) continue;
        struct body_coupling *p = &c->per_body[i];
        const vec3 received = v3_scale(deferred, p->load.submerged_volume),
                   pending = v3_add(p->momentum_to_return, v3_sub(b->added_mass_impulse[i], received));
        vec3 taken = {0, 0, 0};
        if (p->ni && !p->has_no_water) taken = c->kind->return_momentum(c, f, b, i, pending, dt);
        c->momentum_sink = v3_add(c->momentum_sink, v3_sub(pending, taken));
        p->momentum_to_return = v3(0, 0, 0);
    }
    c->deferred_impulse = v3(0, 0, 0);
}

void couple_update_columns(struct coupling *c, struct fluid *f, const struct bodies *b, double dt)
{
    bool rebuilt = false;
    for (int i = 0; i < b->slot_count; ++i) {
        if (!body_exists_solid(b, i)) continue; // a slot without a body may lie beyond per_body
        struct body_coupling *p = &c->per_body[i];
        if (!p->ni) continue;
        const vec3 at = b->state[i].position, spin = body_angular_velocity(b, i);
        const double x = at.x - p->build_x, z = at.z - p->build_z;
        p->surface_plane.a += p->surface_plane.b * (x - p->offset_x) + p->surface_plane.c * (z - p->offset_z);
        p->offset_x = x, p->offset_z = z;
        p->rise_plane =
            (struct plane){at.y - p->build_y, p->rise_plane.b + dt * spin.z, p->rise_plane.c - dt * spin.x};
        if (fmax(fabs(x), fabs(z)) <
            (fluid_advects_depth(f) ? MIN_ADVECTED_OFFSET : REBUILD_OFFSET) * f->grid.dx)
            continue;
        if (!patch_adopt_prediction(p, f, &b->state[i])) build_columns(c, f, b, i);
        rebuilt = true;
    }
    if (f->is_closed && c->kind->displaces) {
        const double full =
            (1.0 - c->strength) * (c->submerged_volume - c->initial_submerged_volume) / domain_area(f);
        f->mean_rise += dt / UNIFORM_RISE_TIME * (full - f->mean_rise);
    }
    if (rebuilt) surface_load_write(c, f, b, 0.5 * c->last_dt);
}

// ---- saving ---------------------------------------------------------------------------------------

double couple_floodwater(const struct coupling *c, const struct bodies *b)
{
    double sum = 0.0;
    for (int i = 0; i < b->slot_count; ++i)
        if (body_exists(b, i)) sum += c->per_body[i].floodwater_depth;
    return sum;
}

// The rest of a load is in another section, which is no part of the hash.
#define LOAD_DOUBLES (offsetof(tarn_load, slamming) / sizeof(double))

void couple_save(struct saver *s, const struct coupling *c, const struct bodies *b)
{
    save_f64(s, c->submerged_volume);
    save_f64(s, c->initial_submerged_volume);
    save_f64s(s, &c->momentum_sink.x, 3);
    save_f64(s, c->last_dt);
    for (int i = 0; i < b->slot_count; ++i) {
        if (!body_exists(b, i)) continue;
        const struct body_coupling *p = &c->per_body[i];
        save_f64s(s, &p->surface_plane.a, 3);
        save_f64s(s, &p->added_mass.horizontal, 2);
        save_f64(s, p->floodwater_depth);
        if (c->kind->is_implicit) {
            save_u32(s, p->has_prediction);
            save_f64s(s, p->predicted_rate, 3);
            save_f64s(s, p->support_rate, 3);
        }
        save_f64s(s, &p->load.buoyancy.x, LOAD_DOUBLES);
    }
}

int couple_save_clips(const struct coupling *c, const struct bodies *b, tarn_write_fn write, void *context)
{
    int count = 0;
    for (int i = 0; i < imin(b->slot_count, c->body_capacity); ++i) {
        if (!body_exists(b, i) || !c->per_body[i].ni) continue;
        patch_save_clip(&c->per_body[i], i, write, context);
        ++count;
    }
    return count;
}

// Build the columns of all bodies, with the clipped hulls of a snapshot.
static void refresh_with_clips(struct coupling *c, struct fluid *f, const struct bodies *b,
                               const struct stored_clips *clips)
{
    const unsigned char *at = clips->data;
    for (int k = 0, body; k < clips->count; ++k) {
        const unsigned char *next = patch_next_clip(at, &body);
        c->per_body[body].stored = at;
        at = next;
    }
    couple_refresh(c, f, b);
    for (int i = 0; i < c->body_capacity; ++i) c->per_body[i].stored = NULL; // borrowed
}

tarn_result couple_load(struct loader *l, struct coupling *c, struct fluid *f, const struct bodies *b,
                        const struct stored_clips *clips, tarn_error *err)
{
    c->submerged_volume = load_f64(l);
    c->initial_submerged_volume = load_f64(l);
    load_f64s(l, &c->momentum_sink.x, 3);
    const double last_dt = load_f64(l);
    bool ok = fabs(c->submerged_volume) < 1e15 && fabs(c->initial_submerged_volume) < 1e15 &&
              v3_is_finite(c->momentum_sink) && 0.0 <= last_dt && last_dt <= TARN_MAX_DT;
    for (int i = 0; i < b->slot_count; ++i) {
        if (!body_exists(b, i)) continue;
        if (!reserve_body(c, f, b, i))
            return fail(err, TARN_NO_MEMORY, "", "no memory for the columns of bodies");
        struct body_coupling *p = &c->per_body[i];
        load_f64s(l, &p->surface_plane.a, 3);
        load_f64s(l, &p->added_mass.horizontal, 2);
        p->floodwater_depth = load_f64(l);
        if (c->kind->is_implicit) {
            p->has_prediction = load_u32(l) != 0;
            load_f64s(l, p->predicted_rate, 3);
            load_f64s(l, p->support_rate, 3);
            // No bound: a load may turn a very small kinematic body arbitrarily fast. Only clamped
            // differences are used.
            for (int k = 0; k < 3; ++k)
                ok = ok && isfinite(p->predicted_rate[k]) && isfinite(p->support_rate[k]);
        }
        load_f64s(l, &p->load.buoyancy.x, LOAD_DOUBLES);
        ok = ok && fabs(p->surface_plane.a) < 1e6 && fabs(p->surface_plane.b) < 1e6 &&
             fabs(p->surface_plane.c) < 1e6 && 0.0 <= p->added_mass.vertical &&
             p->added_mass.vertical <= p->added_mass.horizontal && p->added_mass.horizontal < 1e18 &&
             0.0 <= p->floodwater_depth &&
             // water moves in whole quanta: a small compartment may be slightly more than full
             p->floodwater_depth <=
                 1.1 * b->slots[i].body->def.shape->data.compartment_volume / (f->grid.dx * f->grid.dx);
    }
    if (!ok || !load_is_complete(l))
        return fail(err, TARN_BAD_INPUT, "", "section 'coupling' does not fit its bodies");
    refresh_with_clips(c, f, b, clips);
    c->last_dt = last_dt;
    return TARN_OK;
}
