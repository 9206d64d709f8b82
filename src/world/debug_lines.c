// Public function for debug drawing: bodies, bounds, contacts, joints, velocities and forces of the water as line
// segments.
#include "base/parallel/fpmode.h"
#include "body/solve/dynamics.h"
#include "world/world.h"

#define VELOCITY_TIME 0.1  // [s] a velocity is drawn as the way in this time
#define NORMAL_LENGTH 0.25 // [bounding radii] of the first body of a contact

// Counts all lines and keeps those that there is space for.
struct line_list {
    tarn_debug_line *lines;
    int count, capacity;
};

static void add_line(struct line_list *out, tarn_debug_kind kind, tarn_body_id body, vec3 from, vec3 to)
{
    if (out->lines && out->count < out->capacity)
        out->lines[out->count] = (tarn_debug_line){.from = from, .to = to, .kind = kind, .body = body};
    out->count += 1;
}

static vec3 body_point(const struct body_state *state, vec3 local)
{
    return v3_add(state->position, quat_rotate(state->rotation, local));
}

// Every edge of a closed mesh belongs to two triangles, which run through it in opposite directions.
static void add_mesh(struct line_list *out, const struct bodies *b, int i, const struct trimesh *mesh)
{
    for (int t = 0; t < mesh->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) {
            const int from = mesh->triangles[t][k], to = mesh->triangles[t][(k + 1) % 3];
            if (from < to)
                add_line(out, TARN_DEBUG_SHAPES, body_id(b, i),
                         body_point(&b->state[i], mesh->vertices[from]),
                         body_point(&b->state[i], mesh->vertices[to]));
        }
}

static void add_shape(struct line_list *out, const struct bodies *b, int i)
{
    const tarn_shape *shape = b->slots[i].body->def.shape;
    const tarn_vec2 *corners = NULL;
    const int count = tarn_shape_get_outline(shape, &corners);
    for (int k = 0; k < count; ++k) {
        const tarn_vec2 from = corners[k], to = corners[(k + 1) % count];
        add_line(out, TARN_DEBUG_SHAPES, body_id(b, i), body_point(&b->state[i], v3(from.x, from.y, 0.0)),
                 body_point(&b->state[i], v3(to.x, to.y, 0.0)));
    }
    if (count == 0) add_mesh(out, b, i, shape_solid_surface(&shape->data));
}

// The edges of a box: from every corner along the axes on whose lower side it is.
static void add_bounds(struct line_list *out, const struct bodies *b, int i)
{
    vec3 ends[2];
    body_bounds(b, i, &ends[0], &ends[1]);
    for (int corner = 0; corner < 8; ++corner)
        for (int axis = 0; axis < 3; ++axis) {
            const int other = corner | 1 << axis;
            if (other == corner) continue;
            add_line(out, TARN_DEBUG_BOUNDS, body_id(b, i),
                     v3(ends[corner & 1].x, ends[corner >> 1 & 1].y, ends[corner >> 2].z),
                     v3(ends[other & 1].x, ends[other >> 1 & 1].y, ends[other >> 2].z));
        }
}

static void add_body(struct line_list *out, const tarn_world *w, int i, uint32_t kinds)
{
    const struct bodies *b = &w->bodies;
    const struct body *body = b->slots[i].body;
    const vec3 at = b->state[i].position;
    const double weight = body->def.mass * w->def.gravity;
    if (kinds & TARN_DEBUG_SHAPES) add_shape(out, b, i);
    if (kinds & TARN_DEBUG_BOUNDS) add_bounds(out, b, i);
    if (kinds & TARN_DEBUG_VELOCITIES)
        add_line(out, TARN_DEBUG_VELOCITIES, body_id(b, i), at,
                 v3_madd(at, VELOCITY_TIME, body_velocity(b, i)));
    if (kinds & TARN_DEBUG_FORCES && !w->fluid.model->no_fluid)
        add_line(out, TARN_DEBUG_FORCES, body_id(b, i), at,
                 v3_madd(at, body->def.shape->bounding_radius / weight, w->coupling.per_body[i].load.force));
}

static void add_contacts(struct line_list *out, const struct bodies *b)
{
    for (int n = 0; b->dynamics && n < b->dynamics->contacts.count; ++n) {
        const struct contact *c = &b->dynamics->contacts.current[n];
        const double length = NORMAL_LENGTH * b->slots[c->a].body->def.shape->bounding_radius;
        const vec3 normal = quat_rotate(b->state[c->a].rotation, c->normal);
        for (int k = 0; k < c->point_count; ++k) {
            const vec3 point = body_point(&b->state[c->a], c->points[k].local_a);
            add_line(out, TARN_DEBUG_CONTACTS, body_id(b, c->a), point, v3_madd(point, length, normal));
        }
    }
}

// From the centre of a to its anchor, from there to the anchor of b, and to the centre of b.
static void add_joints(struct line_list *out, const struct bodies *b)
{
    for (int n = 0; b->dynamics && n < b->dynamics->joints.slot_count; ++n) {
        const struct joint *j = b->dynamics->joints.slots[n].joint;
        if (!j) continue;
        const struct joint_frame frame = joint_frame_of(b, j, 0.0);
        const tarn_body_id a = body_id(b, j->a);
        add_line(out, TARN_DEBUG_JOINTS, a, b->state[j->a].position, frame.anchor_a);
        add_line(out, TARN_DEBUG_JOINTS, a, frame.anchor_a, frame.anchor_b);
        if (j->b >= 0)
            add_line(out, TARN_DEBUG_JOINTS, body_id(b, j->b), frame.anchor_b,
                     v3_sub(frame.anchor_b, frame.arm_b));
    }
}

int tarn_world_get_debug_lines(const tarn_world *w, uint32_t kinds, tarn_debug_line *out, int capacity)
{
    if (!w) return 0;
    struct line_list list = {out, 0, capacity};
    const struct fpmode host = fpmode_enter();
    for (int i = 0; i < w->bodies.slot_count; ++i)
        if (body_exists(&w->bodies, i)) add_body(&list, w, i, kinds);
    if (kinds & TARN_DEBUG_CONTACTS) add_contacts(&list, &w->bodies);
    if (kinds & TARN_DEBUG_JOINTS) add_joints(&list, &w->bodies);
    fpmode_leave(host);
    return list.count;
}
