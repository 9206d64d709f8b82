// Properties of bodies that change at run time: live parameters, mass, enabling, user data; sleep and bounds.
#include "base/error.h"
#include "base/parallel/fpmode.h"
#include "world/world.h"

#include <string.h>

static struct body *body_of(const tarn_world *w, int i) { return w->bodies.slots[i].body; }

static int index_of(const tarn_world *w, tarn_body_id id) { return w ? body_index(&w->bodies, id) : -1; }

// ---- definition -----------------------------------------------------------------------------------

tarn_result tarn_body_get_def(const tarn_world *w, tarn_body_id id, tarn_body_def *out)
{
    const int i = index_of(w, id);
    if (i < 0 || !out) return TARN_BAD_ARGUMENT;
    *out = body_of(w, i)->def;
    out->position = w->bodies.state[i].position, out->rotation = w->bodies.state[i].rotation;
    out->velocity = body_velocity(&w->bodies, i),
    out->angular_velocity = body_angular_velocity(&w->bodies, i);
    return TARN_OK;
}

static tarn_result copy_live_params(tarn_body_def *to, const tarn_body_def *from, tarn_error *err)
{
    const tarn_result r = param_copy_live(&body_kind, to, from, err);
    if (r != TARN_OK) return r;
    to->colour = from->colour, to->appearance = from->appearance, to->user_data = from->user_data;
    return tarn_kind_check(&body_kind, to, err);
}

tarn_result tarn_body_set_def(tarn_world *w, tarn_body_id id, const tarn_body_def *def, tarn_error *err)
{
    const int i = index_of(w, id);
    if (i < 0 || !def) return fail(err, TARN_BAD_ARGUMENT, "", "there is no such body, or no definition");
    tarn_body_def changed = body_of(w, i)->def;
    const struct fpmode host = fpmode_enter();
    const tarn_result r = copy_live_params(&changed, def, err);
    if (r == TARN_OK) {
        body_of(w, i)->def = changed;
        body_settings_changed(&w->bodies, i);
    }
    fpmode_leave(host);
    return r;
}

tarn_result tarn_body_set_type(tarn_world *w, tarn_body_id id, tarn_body_type type, tarn_error *err)
{
    const int i = index_of(w, id);
    if (i < 0) return fail(err, TARN_BAD_ARGUMENT, "body", "there is no such body");
    if (type != TARN_BODY_DYNAMIC && type != TARN_BODY_KINEMATIC && type != TARN_BODY_STATIC)
        return fail(err, TARN_BAD_ARGUMENT, "type", "%d is no type of a body", (int)type);
    tarn_body_def *def = &body_of(w, i)->def;
    if (type == TARN_BODY_DYNAMIC && def->sensor)
        return fail(err, TARN_BAD_INPUT, "type", "a sensor cannot be dynamic");
    const struct fpmode host = fpmode_enter();
    def->type = type;
    if (type == TARN_BODY_STATIC) {
        def->velocity = def->angular_velocity = v3(0, 0, 0);
        w->bodies.state[i].momentum = w->bodies.state[i].angular_momentum = v3(0, 0, 0);
    }
    body_settings_changed(&w->bodies, i);
    fpmode_leave(host);
    return TARN_OK;
}

uint64_t tarn_body_get_user_data(const tarn_world *w, tarn_body_id id)
{
    const int i = index_of(w, id);
    return i < 0 ? 0 : body_of(w, i)->def.user_data;
}

tarn_result tarn_body_set_user_data(tarn_world *w, tarn_body_id id, uint64_t user_data)
{
    const int i = index_of(w, id);
    if (i < 0) return TARN_BAD_ARGUMENT;
    body_of(w, i)->def.user_data = user_data;
    return TARN_OK;
}

// ---- mass -----------------------------------------------------------------------------------------

tarn_result tarn_body_get_mass(const tarn_world *w, tarn_body_id id, tarn_mass *out)
{
    const int i = index_of(w, id);
    if (i < 0 || !out) return TARN_BAD_ARGUMENT;
    const struct body *body = body_of(w, i);
    *out = (tarn_mass){body->def.mass, body->principal_inertia, body->principal_axes};
    return TARN_OK;
}

static void set_mass_of_def(tarn_body_def *def, const tarn_mass *mass)
{
    def->mass = mass ? mass->mass : 0.0;
    def->inertia = mass ? mass->inertia : v3(0, 0, 0);
    def->inertia_axes = mass && v3_dot(mass->inertia, mass->inertia) > 0.0 ? mass->axes : (quat){1, 0, 0, 0};
}

static tarn_result check_mass(const struct body *body, const tarn_mass *mass, tarn_error *err)
{
    tarn_body_def def = body->def;
    set_mass_of_def(&def, mass);
    if (mass && !(mass->mass > 0.0)) return fail(err, TARN_BAD_INPUT, "mass", "a mass is above 0 kg");
    return tarn_kind_check(&body_kind, &def, err);
}

tarn_result tarn_body_set_mass(tarn_world *w, tarn_body_id id, const tarn_mass *mass, tarn_error *err)
{
    const int i = index_of(w, id);
    if (i < 0) return fail(err, TARN_BAD_ARGUMENT, "body", "there is no such body");
    struct body *body = body_of(w, i), before = *body;
    tarn_result r = check_mass(body, mass, err);
    if (r != TARN_OK) return r;
    const struct fpmode host = fpmode_enter();
    const vec3 velocity = body_velocity(&w->bodies, i), spin = body_angular_velocity(&w->bodies, i);
    set_mass_of_def(&body->def, mass);
    r = body_set_mass_properties(body, w->bodies.planar, err);
    if (r != TARN_OK) {
        *body = before;
    } else {
        w->bodies.state[i].momentum = v3_scale(velocity, body->def.mass);
        w->bodies.state[i].angular_momentum = body_angular_momentum(&w->bodies, i, spin);
        body_settings_changed(&w->bodies, i);
        if (w->bodies.planar) planar_update_mass(&w->planar, &w->fluid, &w->bodies, i);
    }
    world_end_edit(w);
    fpmode_leave(host);
    return r;
}

// ---- enabling -------------------------------------------------------------------------------------

static void take_out_of_fluid(tarn_world *w, int i)
{
    if (w->bodies.planar)
        planar_remove_body(&w->planar, &w->coupling, &w->fluid, &w->bodies, i);
    else
        couple_remove_body(&w->coupling, &w->fluid, &w->bodies, i);
}

static tarn_result put_into_fluid(tarn_world *w, int i, tarn_error *err)
{
    return w->bodies.planar ? planar_insert_body(&w->planar, &w->coupling, &w->fluid, &w->bodies, i, err)
                            : couple_insert_body(&w->coupling, &w->fluid, &w->bodies, i, err);
}

tarn_result tarn_body_set_enabled(tarn_world *w, tarn_body_id id, bool enabled, tarn_error *err)
{
    const int i = index_of(w, id);
    if (i < 0) return fail(err, TARN_BAD_ARGUMENT, "body", "there is no such body");
    tarn_body_def *def = &body_of(w, i)->def;
    if (def->enabled == enabled) return TARN_OK;
    tarn_result r = TARN_OK;
    const struct fpmode host = fpmode_enter();
    if (!enabled) take_out_of_fluid(w, i);
    def->enabled = enabled;
    if (enabled) r = put_into_fluid(w, i, err);
    if (r != TARN_OK) def->enabled = false;
    body_settings_changed(&w->bodies, i);
    world_end_edit(w);
    fpmode_leave(host);
    return r;
}

bool tarn_body_is_enabled(const tarn_world *w, tarn_body_id id)
{
    const int i = index_of(w, id);
    return i >= 0 && body_is_enabled(&w->bodies, i);
}

// ---- sleep and bounds -----------------------------------------------------------------------------

bool tarn_body_is_awake(const tarn_world *w, tarn_body_id id)
{
    const int i = index_of(w, id);
    return i >= 0 && !body_is_asleep(&w->bodies, i);
}

tarn_result tarn_body_wake(tarn_world *w, tarn_body_id id)
{
    const int i = index_of(w, id);
    if (i < 0) return TARN_BAD_ARGUMENT;
    body_wake(&w->bodies, i);
    return TARN_OK;
}

tarn_result tarn_body_get_bounds(const tarn_world *w, tarn_body_id id, tarn_vec3 *low, tarn_vec3 *high)
{
    const int i = index_of(w, id);
    if (i < 0 || !low || !high) return TARN_BAD_ARGUMENT;
    const struct fpmode host = fpmode_enter();
    body_bounds(&w->bodies, i, low, high);
    fpmode_leave(host);
    return TARN_OK;
}
