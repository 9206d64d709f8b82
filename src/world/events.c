// Events of a step call as the public arrays, those that concern the water, and the contacts of a body.
#include "base/parallel/fpmode.h"
#include "body/solve/dynamics.h"
#include "world.h"

#define SECTION_STEP 1e-4 // of the bounding radius: half distance of the planes that give a section's area

tarn_events tarn_world_get_events(const tarn_world *w)
{
    tarn_events out = {0};
    if (!w || !w->bodies.dynamics) return out;
    const struct event_list *lists = w->bodies.dynamics->events.of;
    out.contacts_begun = lists[EVENT_CONTACT_BEGUN].items;
    out.contacts_begun_count = lists[EVENT_CONTACT_BEGUN].count;
    out.contacts_ended = lists[EVENT_CONTACT_ENDED].items;
    out.contacts_ended_count = lists[EVENT_CONTACT_ENDED].count;
    out.hits = lists[EVENT_HIT].items, out.hit_count = lists[EVENT_HIT].count;
    out.sensors_entered = lists[EVENT_SENSOR_ENTERED].items;
    out.sensors_entered_count = lists[EVENT_SENSOR_ENTERED].count;
    out.sensors_left = lists[EVENT_SENSOR_LEFT].items;
    out.sensors_left_count = lists[EVENT_SENSOR_LEFT].count;
    out.water_entered = lists[EVENT_WATER_ENTERED].items;
    out.water_entered_count = lists[EVENT_WATER_ENTERED].count;
    out.water_left = lists[EVENT_WATER_LEFT].items, out.water_left_count = lists[EVENT_WATER_LEFT].count;
    out.moves = lists[EVENT_MOVED].items, out.move_count = lists[EVENT_MOVED].count;
    out.joints_broken = lists[EVENT_JOINT_BROKEN].items;
    out.joints_broken_count = lists[EVENT_JOINT_BROKEN].count;
    return out;
}

// ---- water ----------------------------------------------------------------------------------------

// A body before a world step.
struct water_contact {
    bool is_wet;
    vec3 velocity; // [m/s]
};

static bool is_wet(const tarn_world *w, int i) { return w->coupling.per_body[i].load.submerged_volume > 0.0; }

bool world_store_wet_bodies(tarn_world *w)
{
    const int count = w->bodies.slot_count;
    if (w->fluid.model->no_fluid || w->fluid.model->planar) return true;
    if (!memory_grow(&w->memory, (void **)&w->water_contacts, &w->water_contact_capacity, count,
                     sizeof *w->water_contacts))
        return false;
    for (int i = 0; i < count; ++i)
        if (body_exists(&w->bodies, i))
            w->water_contacts[i] = (struct water_contact){is_wet(w, i), body_velocity(&w->bodies, i)};
    return true;
}

// The section of a hull by a plane: its area is the change of the volume below as the plane rises, its centre
// that of the moment over that of the volume.
static double section_of(const tarn_world *w, int i, struct plane plane, vec3 *centre)
{
    const tarn_shape *shape = w->bodies.slots[i].body->def.shape;
    const struct body_state *state = &w->bodies.state[i];
    const double h = SECTION_STEP * shape->bounding_radius;
    struct plane above = plane, below = plane;
    above.a += h, below.a -= h;
    const struct submerged_part high = submerged_below(&shape->data.hull, state, &above, w->fluid.rest_level),
                                low = submerged_below(&shape->data.hull, state, &below, w->fluid.rest_level);
    const double area = (high.volume - low.volume) / (2.0 * h);
    *centre = v3(state->position.x, w->fluid.rest_level + plane.a, state->position.z);
    if (!(area > 1e-6 * shape->bounding_radius * shape->bounding_radius)) return 0.0;
    const double dx = (high.moment.x - low.moment.x) / (2.0 * h * area),
                 dz = (high.moment.z - low.moment.z) / (2.0 * h * area);
    *centre = v3_add(*centre, v3(dx, plane.b * dx + plane.c * dz, dz));
    return area;
}

static tarn_water_event water_event_of(const tarn_world *w, int i, vec3 velocity_before)
{
    const struct body_coupling *p = &w->coupling.per_body[i];
    const struct plane surface = p->surface_plane;
    const double steep = sqrt(1.0 + surface.b * surface.b + surface.c * surface.c);
    const vec3 up = v3(-surface.b / steep, 1.0 / steep, -surface.c / steep);
    tarn_water_event event = {.body = body_id(&w->bodies, i),
                              .user_data = w->bodies.slots[i].body->def.user_data,
                              .speed = -v3_dot(up, v3_sub(velocity_before, p->water_velocity))};
    event.area = section_of(w, i, surface, &event.point);
    if (event.area == 0.0) {
        vec3 unused;
        event.area = section_of(
            w, i, (struct plane){w->bodies.state[i].position.y - w->fluid.rest_level, 0, 0}, &unused);
    }
    return event;
}

bool world_add_water_events(tarn_world *w)
{
    if (w->fluid.model->no_fluid || w->fluid.model->planar) return true;
    for (int i = 0; i < w->bodies.slot_count; ++i) {
        if (!body_exists(&w->bodies, i) || is_wet(w, i) == w->water_contacts[i].is_wet) continue;
        const tarn_water_event event = water_event_of(w, i, w->water_contacts[i].velocity);
        if (!events_add(&w->bodies, is_wet(w, i) ? EVENT_WATER_ENTERED : EVENT_WATER_LEFT, &event))
            return false;
    }
    return true;
}

void world_free_events(tarn_world *w)
{
    memory_free(&w->memory, w->water_contacts, (size_t)w->water_contact_capacity, sizeof *w->water_contacts);
}

// ---- contacts -------------------------------------------------------------------------------------

static tarn_contact_point contact_point_of(const struct bodies *b, const struct contact *c, int k)
{
    const struct body_state *state = &b->state[c->a];
    tarn_contact_point out = {.a = body_id(b, c->a),
                              .point =
                                  v3_add(state->position, quat_rotate(state->rotation, c->points[k].local_a)),
                              .normal = quat_rotate(state->rotation, c->normal),
                              .separation = contact_point_gap(b, c, k),
                              .normal_impulse = (double)c->points[k].step_impulse};
    if (c->b >= 0) out.b = body_id(b, c->b);
    return out;
}

int tarn_body_get_contacts(const tarn_world *w, tarn_body_id body, tarn_contact_point *out, int capacity)
{
    const bool all = body.value == 0;
    const int i = w ? body_index(&w->bodies, body) : -1;
    int count = 0;
    if (!w || !w->bodies.dynamics || (!all && i < 0)) return 0;
    const struct fpmode host = fpmode_enter();
    const struct contacts *contacts = &w->bodies.dynamics->contacts;
    for (int n = 0; n < contacts->count; ++n) {
        const struct contact *c = &contacts->current[n];
        if (!all && c->a != i && c->b != i) continue;
        for (int k = 0; k < c->point_count; ++k, ++count)
            if (out && count < capacity) out[count] = contact_point_of(&w->bodies, c, k);
    }
    fpmode_leave(host);
    return count;
}
