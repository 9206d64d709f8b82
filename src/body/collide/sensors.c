// Overlaps of sensors with other bodies at the end of a world step. Candidates are the pairs of the broad
// phase. The list of overlapping pairs is state: events are its difference to that of the step before.
#include "base/error.h"
#include "body/solve/dynamics.h"

static bool parts_overlap(const struct convex_instance *a, const struct convex_instance *b)
{
    struct manifold manifold;
    const vec3 offset = v3_sub(b->position, a->position);
    const double reach = a->part->bounding_radius + b->part->bounding_radius;
    if (v3_dot(offset, offset) > reach * reach) return false;
    collide_convex(a, b, 0.0, &manifold);
    for (int k = 0; k < manifold.count; ++k)
        if (manifold_point_gap(&manifold.points[k], manifold.normal) <= 0.0) return true;
    return false;
}

static bool bodies_overlap(const struct bodies *b, const struct body_pair *pair)
{
    const struct shape_data *shape_a = &b->slots[pair->a].body->def.shape->data,
                            *shape_b = &b->slots[pair->b].body->def.shape->data;
    const mat3 rotation_a = quat_to_matrix(b->state[pair->a].rotation),
               rotation_b = quat_to_matrix(b->state[pair->b].rotation);
    const vec3 position_b =
        v3_add(b->state[pair->b].position, image_offset(pair->image, b->dynamics->period));
    for (int i = 0; i < shape_a->convex_part_count; ++i) {
        const struct convex_instance part_a =
            convex_place(&shape_a->convex_parts[i], b->state[pair->a].position, &rotation_a);
        for (int k = 0; k < shape_b->convex_part_count; ++k) {
            const struct convex_instance part_b =
                convex_place(&shape_b->convex_parts[k], position_b, &rotation_b);
            if (parts_overlap(&part_a, &part_b)) return true;
        }
    }
    return false;
}

static bool is_sensor(const struct bodies *b, int i) { return b->slots[i].body->def.sensor; }

static bool add_event(struct bodies *b, enum event_kind kind, const struct body_pair *pair)
{
    if (!body_exists(b, pair->a) || !body_exists(b, pair->b)) return true;
    const int sensor = is_sensor(b, pair->a) ? pair->a : pair->b,
              visitor = sensor == pair->a ? pair->b : pair->a;
    return events_add(b, kind,
                      &(tarn_sensor_event){body_id(b, sensor), body_id(b, visitor),
                                           b->slots[sensor].body->def.user_data,
                                           b->slots[visitor].body->def.user_data});
}

static int compare_pairs(const struct body_pair *x, const struct body_pair *y)
{
    return x->a != y->a ? (x->a < y->a ? -1 : 1) : x->b < y->b ? -1 : x->b > y->b;
}

// Events of two sorted lists: pairs only in `before` left, pairs only in `now` entered.
static bool add_events(struct bodies *b, int before_count, const struct body_pair *now, int now_count)
{
    const struct body_pair *before = b->dynamics->overlaps;
    int i = 0, k = 0;
    while (i < before_count || k < now_count) {
        const int order = i == before_count ? 1 : k == now_count ? -1 : compare_pairs(&before[i], &now[k]);
        if (order < 0 && !add_event(b, EVENT_SENSOR_LEFT, &before[i])) return false;
        if (order > 0 && !add_event(b, EVENT_SENSOR_ENTERED, &now[k])) return false;
        i += order <= 0, k += order >= 0;
    }
    return true;
}

bool overlaps_update(struct bodies *b)
{
    struct dynamics *dyn = b->dynamics;
    const struct broad_phase *candidates = &dyn->broad_phase;
    const int before_count = dyn->overlap_count;
    int count = before_count; // the new list is behind the old one
    for (int k = 0; k < candidates->pair_count; ++k) {
        const struct body_pair *pair = &candidates->pairs[k];
        if (!body_exists(b, pair->a) || !body_exists(b, pair->b)) continue;
        if (is_sensor(b, pair->a) == is_sensor(b, pair->b) || !bodies_may_meet(b, pair->a, pair->b)) continue;
        const bool is_listed = count > before_count && compare_pairs(&dyn->overlaps[count - 1], pair) == 0;
        if (is_listed || !bodies_overlap(b, pair)) continue; // another image of the same pair
        if (!memory_grow(b->memory, (void **)&dyn->overlaps, &dyn->overlap_capacity, count + 1,
                         sizeof *dyn->overlaps))
            return false;
        dyn->overlaps[count++] = *pair;
    }
    if (count == 0) return true; // `overlaps` may be NULL, and NULL + 0 is undefined
    if (!add_events(b, before_count, dyn->overlaps + before_count, count - before_count)) return false;
    for (int k = before_count; k < count; ++k) dyn->overlaps[k - before_count] = dyn->overlaps[k];
    dyn->overlap_count = count - before_count;
    return true;
}

void overlaps_remove_body(struct bodies *b, int i)
{
    struct dynamics *dyn = b->dynamics;
    int kept = 0;
    for (int k = 0; k < dyn->overlap_count; ++k)
        if (dyn->overlaps[k].a != i && dyn->overlaps[k].b != i) dyn->overlaps[kept++] = dyn->overlaps[k];
    dyn->overlap_count = kept;
}

void overlaps_save(struct saver *s, const struct bodies *b)
{
    const struct dynamics *dyn = b->dynamics;
    if (!dyn || dyn->overlap_count == 0) return;
    save_u32(s, (uint32_t)dyn->overlap_count);
    for (int k = 0; k < dyn->overlap_count; ++k) {
        save_u32(s, (uint32_t)dyn->overlaps[k].a);
        save_u32(s, (uint32_t)dyn->overlaps[k].b);
    }
}

tarn_result overlaps_load(struct loader *l, struct bodies *b, tarn_error *err)
{
    struct dynamics *dyn = b->dynamics;
    if (load_is_complete(l)) return TARN_OK;
    const uint32_t count = load_u32(l);
    if (l->failed || count > l->size / 8)
        return fail(err, TARN_BAD_INPUT, "bodies", "the list of overlaps is invalid");
    if (!memory_grow(b->memory, (void **)&dyn->overlaps, &dyn->overlap_capacity, (int)count,
                     sizeof *dyn->overlaps))
        return fail(err, TARN_NO_MEMORY, "", "no memory for %u overlaps", count);
    for (uint32_t k = 0; k < count; ++k) {
        struct body_pair *pair = &dyn->overlaps[k];
        const uint32_t first = load_u32(l), second = load_u32(l);
        const bool good = first < second && second < (uint32_t)b->slot_count && body_exists(b, (int)first) &&
                          body_exists(b, (int)second);
        *pair = (struct body_pair){(int)first, (int)second, IMAGE_SELF};
        if (!good || (k && compare_pairs(pair - 1, pair) >= 0))
            return fail(err, TARN_BAD_INPUT, "bodies", "overlap %u is invalid", k);
    }
    dyn->overlap_count = (int)count;
    return TARN_OK;
}
