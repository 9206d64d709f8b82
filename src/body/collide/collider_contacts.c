// What stands in the way of bodies or moves as it is told: it touches like a body, and gives way like a wall.
#include "contact.h"
#include "narrow_phase.h"

// A body and a fixture as it is seen, across a periodic side perhaps.
struct collider_query {
    int body, collider_index;
    const struct collider *collider;
    vec3 position;
    mat3 rotation;
    double margin;
};

static bool add_collider_contact(struct bodies *b, const struct collider_query *m, int piece,
                                 const struct manifold *f)
{
    struct contact like = {.a = m->body,
                           .b = -1,
                           .part_a = piece,
                           .part_b = m->collider_index + 1,
                           .image = 4,
                           .point_count = f->count,
                           .relative_position = m->position};
    const struct body_state *h = &b->state[m->body];
    like.normal = quat_rotate_inverse(h->rotation, f->normal);
    for (int k = 0; k < f->count; ++k) {
        like.points[k].local_a = quat_rotate_inverse(h->rotation, v3_sub(f->points[k].on_a, h->position));
        like.points[k].local_b = f->points[k].on_b;
    }
    return f->count == 0 || contacts_add(b, &like) != NULL;
}

static bool collide_with(struct bodies *b, const struct collider_query *m)
{
    const struct shape_data *mine = &b->slots[m->body].body->geometry->shape, *other = &m->collider->shape;
    for (int i = 0; i < mine->convex_part_count; ++i) {
        const struct convex_instance p =
            convex_place(&mine->convex_parts[i], b->state[m->body].position, &b->dynamics->rotation[m->body]);
        for (int k = 0; k < other->convex_part_count; ++k) {
            const struct convex_instance q = convex_place(&other->convex_parts[k], m->position, &m->rotation);
            const vec3 apart = v3_sub(q.position, p.position);
            const double far = p.part->bounding_radius + q.part->bounding_radius + m->margin;
            struct manifold f;
            if (v3_dot(apart, apart) > far * far) continue;
            collide_convex(&p, &q, m->margin, &f);
            if (!add_collider_contact(b, m, i, &f)) return false;
        }
    }
    return true;
}

bool add_collider_contacts(struct bodies *b, const struct body_domain *w, int i)
{
    const double radius = b->slots[i].body->geometry->bounding_radius;
    const int far_x = w->period[0] > 0.0, far_z = w->period[1] > 0.0;
    for (int n = 0; n < w->collider_count; ++n) {
        const struct collider *f = &w->colliders[n];
        const double speed = v3_length(f->velocity) + f->bounding_radius * v3_length(f->angular_velocity);
        struct collider_query m = {
            .body = i, .collider_index = n, .collider = f, .rotation = quat_to_matrix(f->rotation)};
        m.margin = b->dynamics->margin[i] + b->dynamics->detection_interval * speed;
        for (int x = -far_x; x <= far_x; ++x)
            for (int z = -far_z; z <= far_z; ++z) {
                m.position = v3_add(f->position, v3(x * w->period[0], 0.0, z * w->period[1]));
                const vec3 apart = v3_sub(m.position, b->state[i].position);
                const double far = f->bounding_radius + radius + m.margin;
                if (v3_dot(apart, apart) <= far * far && !collide_with(b, &m)) return false;
            }
    }
    return true;
}
