// Contacts of bodies with colliders: obstacles of prescribed motion and infinite mass, made of convex parts.
#include "body/collide/narrow_phase.h"
#include "body/solve/dynamics.h"

// A body and one periodic image of a collider during the narrow phase.
struct collider_query {
    int body, collider_index;
    const struct collider *collider;
    vec3 position;
    mat3 rotation;
    double margin;
};

static bool add_collider_contact(struct bodies *b, const struct collider_query *query, int part,
                                 const struct manifold *manifold)
{
    struct contact like = {.a = query->body,
                           .b = -1,
                           .part_a = part,
                           .collider = query->collider_index,
                           .image = IMAGE_SELF,
                           .point_count = manifold->count,
                           .collider_position = query->position};
    const struct body_state *state = &b->state[query->body];
    like.normal = quat_rotate_inverse(state->rotation, manifold->normal);
    for (int k = 0; k < manifold->count; ++k) {
        like.points[k].local_a =
            quat_rotate_inverse(state->rotation, v3_sub(manifold->points[k].on_a, state->position));
        like.points[k].local_b = manifold->points[k].on_b;
    }
    return manifold->count == 0 || contacts_add(b, &like) != NULL;
}

static bool collide_with(struct bodies *b, const struct collider_query *query)
{
    const struct shape_data *shape = &b->slots[query->body].body->def.shape->data,
                            *collider_shape = &query->collider->shape;
    for (int i = 0; i < shape->convex_part_count; ++i) {
        const struct convex_instance p = convex_place(&shape->convex_parts[i], b->state[query->body].position,
                                                      &b->dynamics->rotation[query->body]);
        for (int k = 0; k < collider_shape->convex_part_count; ++k) {
            const struct convex_instance q =
                convex_place(&collider_shape->convex_parts[k], query->position, &query->rotation);
            const vec3 offset = v3_sub(q.position, p.position);
            const double max_distance = p.part->bounding_radius + q.part->bounding_radius + query->margin;
            struct manifold manifold;
            if (v3_dot(offset, offset) > max_distance * max_distance) continue;
            collide_convex(&p, &q, query->margin, &manifold);
            if (!add_collider_contact(b, query, i, &manifold)) return false;
        }
    }
    return true;
}

bool add_collider_contacts(struct bodies *b, const struct body_domain *domain, int i)
{
    const double radius = b->slots[i].body->def.shape->bounding_radius;
    const int images_x = domain->period[0] > 0.0, images_z = domain->period[1] > 0.0;
    for (int k = 0; k < domain->collider_count; ++k) {
        const struct collider *collider = &domain->colliders[k];
        const double speed =
            v3_length(collider->velocity) + collider->bounding_radius * v3_length(collider->angular_velocity);
        struct collider_query query = {.body = i,
                                       .collider_index = k,
                                       .collider = collider,
                                       .rotation = quat_to_matrix(collider->rotation)};
        query.margin = b->dynamics->margin[i] + b->dynamics->detection_interval * speed;
        for (int x = -images_x; x <= images_x; ++x)
            for (int z = -images_z; z <= images_z; ++z) {
                query.position =
                    v3_add(collider->position, v3(x * domain->period[0], 0.0, z * domain->period[1]));
                const vec3 offset = v3_sub(query.position, b->state[i].position);
                const double max_distance = collider->bounding_radius + radius + query.margin;
                if (v3_dot(offset, offset) <= max_distance * max_distance && !collide_with(b, &query))
                    return false;
            }
    }
    return true;
}
