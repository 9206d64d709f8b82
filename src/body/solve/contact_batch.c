// Graph colouring of contacts into batches of eight without common dynamic bodies. Each contact gets the
// lowest colour that neither of its bodies has yet, so contacts of one colour are independent and the order
// follows from the list of contacts alone. A contact without a free colour gets a batch of its own.
#include "body/solve/dynamics.h"

#include <string.h>

#define LINEAR_SLOP 2e-3 // of the smaller radius: penetration that is not corrected
// Of the smaller radius: arm of torsional friction of a single point, so that a spinning ball comes to rest.
#define MIN_FRICTION_RADIUS 1e-3f

bool batches_reserve(struct bodies *b, int slots, int contacts, int batches)
{
    struct solver *s = &b->dynamics->solver;
    const struct memory *m = b->memory;
    const int n = slots + 1 + b->dynamics->collider_count;
    return memory_grow(m, (void **)&s->body_of_slot, &s->slot_capacity, slots, sizeof *s->body_of_slot) &&
           memory_grow(m, (void **)&s->slot_of_body, &s->body_capacity, n, sizeof *s->slot_of_body) &&
           memory_grow(m, (void **)&s->velocity, &s->velocity_capacity, n, sizeof *s->velocity) &&
           memory_grow(m, (void **)&s->displacement, &s->displacement_capacity, n, sizeof *s->displacement) &&
           memory_grow(m, (void **)&s->acceleration, &s->acceleration_capacity, n, sizeof *s->acceleration) &&
           memory_grow(m, (void **)&s->stored_velocity, &s->stored_velocity_capacity, n,
                       sizeof *s->stored_velocity) &&
           memory_grow(m, (void **)&s->velocity_unwarmed, &s->velocity_unwarmed_capacity, n,
                       sizeof *s->velocity_unwarmed) &&
           memory_grow(m, (void **)&s->inverse_mass, &s->inverse_mass_capacity, n, sizeof *s->inverse_mass) &&
           memory_grow(m, (void **)&s->inertia, &s->inertia_capacity, n, sizeof *s->inertia) &&
           memory_grow(m, (void **)&s->colours, &s->colour_capacity, n, sizeof *s->colours) &&
           memory_grow(m, (void **)&s->warm_start, &s->warm_start_capacity, slots, sizeof *s->warm_start) &&
           memory_grow(m, (void **)&s->batch_lane, &s->batch_lane_capacity, contacts,
                       sizeof *s->batch_lane) &&
           memory_grow(m, (void **)&s->batches, &s->batch_capacity, batches, sizeof *s->batches);
}

static bool is_awake(const struct bodies *b, int i)
{
    return body_exists(b, i) && !b->dynamics->is_asleep[i] && body_is_enabled(b, i);
}

// Lists the awake bodies, dynamic and kinematic, and clears the entries of domain and colliders.
static void list_solver_bodies(struct bodies *b)
{
    struct solver *s = &b->dynamics->solver;
    s->body_count = 0;
    for (int i = 0; i < b->slot_count; ++i) s->body_count += is_awake(b, i);
    const int static_count = 1 + b->dynamics->collider_count, n = s->body_count + static_count;
    int k = 0;
    for (int i = 0; i < b->slot_count; ++i) {
        s->body_of_slot[i] = s->body_count;
        if (!is_awake(b, i)) continue;
        s->slot_of_body[k] = i;
        s->body_of_slot[i] = k++;
    }
    memset(s->displacement, 0, (size_t)n * sizeof *s->displacement);
    memset(s->colours, 0, (size_t)n * sizeof *s->colours);
    memset(&s->velocity[s->body_count], 0, (size_t)static_count * sizeof *s->velocity);
    memset(&s->acceleration[s->body_count], 0, (size_t)static_count * sizeof *s->acceleration);
    memset(&s->inverse_mass[s->body_count], 0, (size_t)static_count * sizeof *s->inverse_mass);
}

// The colour of a contact; -1: nothing to solve; MAX_COLOURS: none is free.
static int assign_colour(struct bodies *b, const struct contact *c)
{
    struct solver *s = &b->dynamics->solver;
    const int body_a = solver_body(s, c->a), body_b = solver_body(s, c->b);
    const bool dynamic_a = body_a < s->body_count && body_is_dynamic(b, c->a),
               dynamic_b = c->b >= 0 && body_b < s->body_count && body_is_dynamic(b, c->b);
    if (c->point_count == 0 || (!dynamic_a && !dynamic_b)) return -1;
    uint64_t taken = (dynamic_a ? s->colours[body_a] : 0) | (dynamic_b ? s->colours[body_b] : 0);
    int colour = 0;
    while (colour < MAX_COLOURS && taken & 1u) taken >>= 1, ++colour;
    if (colour == MAX_COLOURS) return MAX_COLOURS;
    if (dynamic_a) s->colours[body_a] |= (uint64_t)1 << colour;
    if (dynamic_b) s->colours[body_b] |= (uint64_t)1 << colour;
    return colour;
}

// Contacts of one colour are independent, so they are sorted by the work they need and few batches mix
// several kinds: faces with impulses in all points, faces with impulses in some, edges and vertices, faces
// without impulses.
#define WORK_CLASSES 4
#define UNCOLOURED   (WORK_CLASSES * MAX_COLOURS) // group of contacts without a free colour
static int work_class(const struct contact *c)
{
    int loaded = 0;
    for (int k = 0; k < c->point_count; ++k) loaded += c->points[k].normal_impulse > 0.0f;
    if (c->point_count < 3) return 2;
    return loaded == c->point_count ? 0 : loaded ? 1 : 3;
}

static void set_lane3(f32x8 *out, int lane, vec3 v)
{
    out[0][lane] = (float)v.x, out[1][lane] = (float)v.y, out[2][lane] = (float)v.z;
}

static bool is_round_part(const struct bodies *b, int slot, int part)
{
    return b->slots[slot].body->def.shape->data.convex_parts[part].profile_count > 0;
}

// Both arms of a point end half-way between the two surfaces, so that an impulse pair exerts no net torque.
// The arm of the static domain stays 0. All points are projected into the plane through their centroid.
static void fill_points(struct bodies *b, const struct contact *c, vec3 n, vec3 offset,
                        struct contact_batch *batch, int lane)
{
    const mat3 *rotation_a = &b->dynamics->rotation[c->a],
               *rotation_b = c->b >= 0 ? &b->dynamics->rotation[c->b] : NULL;
    vec3 t1, t2, arms[MANIFOLD_POINTS], centroid = {0, 0, 0}, friction = {0, 0, 0};
    double square_sum = 0.0, torsion = 0.0;
    v3_orthonormal_basis(n, &t1, &t2);
    for (int k = 0; k < c->point_count; ++k) {
        const struct contact_point *point = &c->points[k];
        const vec3 arm = mat3_mul(rotation_a, point->local_a),
                   arm_b = rotation_b ? mat3_mul(rotation_b, point->local_b) : point->local_b;
        const vec3 gap = v3_sub(v3_add(offset, arm_b), arm);
        arms[k] = v3_madd(arm, 0.5, gap);
        centroid = v3_madd(centroid, 1.0 / c->point_count, arms[k]);
        batch->gap[k][lane] = (float)v3_dot(n, gap);
    }
    for (int k = 0; k < c->point_count; ++k) {
        const struct contact_point *point = &c->points[k];
        const vec3 d = v3_sub(arms[k], centroid),
                   impulse =
                       v3(point->friction_impulse[0], point->friction_impulse[1], point->friction_impulse[2]);
        const double x = v3_dot(d, t1), z = v3_dot(d, t2);
        batch->points[k].offset_1[lane] = (float)x, batch->points[k].offset_2[lane] = (float)z;
        batch->points[k].effective_mass[lane] = 1.0f;
        batch->points[k].normal_impulse[lane] = point->normal_impulse;
        square_sum += x * x + z * z;
        friction = v3_add(friction, impulse);
        torsion += x * v3_dot(impulse, t2) - z * v3_dot(impulse, t1);
    }
    set_lane3(batch->normal, lane, n), set_lane3(batch->tangent_1, lane, t1),
        set_lane3(batch->tangent_2, lane, t2);
    set_lane3(batch->arm_a, lane, centroid);
    if (c->b >= 0) set_lane3(batch->arm_b, lane, v3_sub(centroid, offset));
    if (contact_collider(b, c))
        set_lane3(batch->arm_b, lane,
                  v3_sub(v3_add(centroid, b->state[c->a].position), c->collider_position));
    batch->friction_radius[lane] =
        fmaxf((float)sqrt(square_sum / c->point_count), MIN_FRICTION_RADIUS * batch->min_radius[lane]);
    batch->friction_impulse.tangent_1[lane] = (float)v3_dot(friction, t1),
    batch->friction_impulse.tangent_2[lane] = (float)v3_dot(friction, t2);
    batch->friction_impulse.torsion[lane] = (float)torsion;
}

static void fill_lane(struct bodies *b, const struct contact *c, struct contact_batch *batch, int lane)
{
    struct solver *s = &b->dynamics->solver;
    const tarn_body_def *def_a = &b->slots[c->a].body->def,
                        *def_b = c->b >= 0 ? &b->slots[c->b].body->def : def_a;
    const vec3 n = mat3_mul(&b->dynamics->rotation[c->a], c->normal);
    vec3 offset = v3_scale(b->state[c->a].position, -1.0); // [m] from a's centre to the origin of b's arms
    if (c->b >= 0)
        offset = v3_add(offset, v3_add(b->state[c->b].position, image_offset(c->image, b->dynamics->period)));
    const struct collider *collider = contact_collider(b, c);
    batch->body_a[lane] = solver_body(s, c->a),
    batch->body_b[lane] = collider ? s->body_count + 1 + c->collider : solver_body(s, c->b);
    batch->point_count = imax(batch->point_count, c->point_count);
    batch->friction[lane] = (float)sqrt(def_a->friction * def_b->friction);
    const double radius_a = b->slots[c->a].body->def.shape->bounding_radius,
                 radius_b = c->b >= 0 ? b->slots[c->b].body->def.shape->bounding_radius : radius_a;
    const bool round_a = is_round_part(b, c->a, c->part_a),
               round_b = collider ? collider->shape.convex_parts[0].profile_count > 0
                                  : c->b >= 0 && is_round_part(b, c->b, c->part_b);
    const bool is_static = c->b < 0 && !collider;
    batch->arm_share_a[lane] = is_static || (round_a && !round_b) ? 0.0f : round_b && !round_a ? 1.0f : 0.5f;
    batch->arm_share_sum[lane] = is_static ? 0.0f : 1.0f;
    batch->slop[lane] = (float)(LINEAR_SLOP * fmin(radius_a, radius_b));
    batch->min_radius[lane] = (float)fmin(radius_a, radius_b);
    batch->restitution[lane] = (float)fmax(def_a->restitution, def_b->restitution);
    fill_points(b, c, n, offset, batch, lane);
}

// Assigns a group (colour and work class) to each contact and computes the first lane of each group. Returns
// the number of batches.
static int group_contacts(struct bodies *b, int first[UNCOLOURED + 1])
{
    struct solver *s = &b->dynamics->solver;
    const struct contacts *c = &b->dynamics->contacts;
    int sizes[UNCOLOURED + 1] = {0}, count = 0;
    for (int k = 0; k < c->count; ++k) {
        const int colour = assign_colour(b, &c->current[k]);
        s->contact_group[k] = colour < 0              ? -1
                              : colour == MAX_COLOURS ? UNCOLOURED
                                                      : WORK_CLASSES * colour + work_class(&c->current[k]);
        if (s->contact_group[k] >= 0) sizes[s->contact_group[k]] += 1;
    }
    for (int k = 0; k <= UNCOLOURED; ++k) {
        if (k % WORK_CLASSES == 0)
            count = (count + BATCH_LANES - 1) / BATCH_LANES * BATCH_LANES; // colours do not share batches
        first[k] = count;
        count += sizes[k];
    }
    return first[UNCOLOURED] / BATCH_LANES + sizes[UNCOLOURED];
}

bool batches_build(struct bodies *b)
{
    struct solver *s = &b->dynamics->solver;
    const struct contacts *c = &b->dynamics->contacts;
    int first[UNCOLOURED + 1];
    s->batch_count = 0;
    if (!batches_reserve(b, b->slot_count, c->count, 0)) return false;
    list_solver_bodies(b);
    const int count = group_contacts(b, first);
    if (!batches_reserve(b, b->slot_count, c->count, count)) return false;
    s->batch_count = count;
    s->batches_are_new = true;
    memset(s->batches, 0, (size_t)count * sizeof *s->batches);
    for (int k = 0; k < count; ++k)
        for (int lane = 0; lane < BATCH_LANES; ++lane)
            s->batches[k].body_a[lane] = s->batches[k].body_b[lane] = s->body_count;
    for (int k = 0; k < c->count; ++k) {
        const int group = s->contact_group[k];
        if (group < 0) continue;
        s->batch_lane[k] = first[group];
        first[group] += group == UNCOLOURED ? BATCH_LANES : 1;
        fill_lane(b, &c->current[k], &s->batches[s->batch_lane[k] / BATCH_LANES],
                  s->batch_lane[k] % BATCH_LANES);
    }
    return true;
}

void batches_store_impulses(struct bodies *b)
{
    const struct solver *s = &b->dynamics->solver;
    struct contacts *c = &b->dynamics->contacts;
    for (int k = 0; s->batch_count && k < c->count; ++k) {
        if (s->batch_lane[k] < 0) continue;
        const struct contact_batch *batch = &s->batches[s->batch_lane[k] / BATCH_LANES];
        const int lane = s->batch_lane[k] % BATCH_LANES;
        struct contact *out = &c->current[k];
        const struct friction_impulse *friction = &batch->friction_impulse;
        const float share = 1.0f / (float)out->point_count, radius = batch->friction_radius[lane],
                    spin_share = friction->torsion[lane] * share / (radius * radius);
        float impact_impulse = 0.0f;
        out->is_touching = false;
        for (int m = 0; m < out->point_count;
             ++m) { // the friction of the contact is divided among its points
            const struct batch_point *point = &batch->points[m];
            const struct impact_point *impact = &batch->impacts[m];
            struct contact_point *out_point = &out->points[m];
            const float along_1 = friction->tangent_1[lane] * share - spin_share * point->offset_2[lane],
                        along_2 = friction->tangent_2[lane] * share + spin_share * point->offset_1[lane];
            out_point->normal_impulse = point->normal_impulse[lane];
            out_point->step_impulse += batch->step_impulse[m][lane];
            for (int i = 0; i < 3; ++i)
                out_point->friction_impulse[i] =
                    batch->tangent_1[i][lane] * along_1 + batch->tangent_2[i][lane] * along_2;
            out->is_touching |= out_point->normal_impulse > 0.0f || impact->total_impulse[lane] > 0.0f;
            if (!batch->had_impact) continue;
            impact_impulse += impact->total_impulse[lane];
            out->impact_speed = fmaxf(out->impact_speed, impact->max_speed[lane]);
        }
        out->impact_impulse = fmaxf(out->impact_impulse, impact_impulse);
    }
}
