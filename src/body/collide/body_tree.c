// Bounding volume hierarchy for queries: bodies sorted along a Morton curve [lauterbach2009], boxes fitted
// bottom-up. The boxes are fitted anew after every step, the order after MAX_REFITS steps.
#include "body/collide/body_tree.h"

#include "base/sort.h"
#include "body/body.h"

#include <string.h>

#define MAX_REFITS  16
#define MAX_ADDED   32 // and a quarter of the tree
#define DIGIT_BITS  10
#define DIGIT_RANGE (1 << DIGIT_BITS)
#define MAX_DEPTH   64

static const struct aabb empty_box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static struct aabb aabb_union(const struct aabb *x, const struct aabb *y)
{
    return (struct aabb){v3(fmin(x->lo.x, y->lo.x), fmin(x->lo.y, y->lo.y), fmin(x->lo.z, y->lo.z)),
                         v3(fmax(x->hi.x, y->hi.x), fmax(x->hi.y, y->hi.y), fmax(x->hi.z, y->hi.z))};
}

double body_query_radius(const struct bodies *b, int slot)
{
    const tarn_shape *shape = b->slots[slot].body->def.shape;
    double radius = shape->bounding_radius;
    for (int k = 0; b->planar && k < shape->data.convex_part_count; ++k) {
        const struct convex_part *part = &shape->data.convex_parts[k];
        radius = fmax(radius, v3_length(part->position) + part->bounding_radius);
    }
    return radius;
}

static struct aabb bounding_box(const struct bodies *b, int slot)
{
    const double radius = body_query_radius(b, slot);
    const vec3 half = v3(radius, radius, radius), centre = b->state[slot].position;
    return (struct aabb){v3_sub(centre, half), v3_add(centre, half)};
}

// ---- building ---------------------------------------------------------------------------------------

bool body_tree_reserve(struct bodies *b, int slots)
{
    const struct memory *m = b->memory;
    if (!b->tree) b->tree = memory_alloc(m, 1, sizeof *b->tree);
    struct body_tree *t = b->tree;
    return t && memory_grow(m, (void **)&t->nodes, &t->node_capacity, 2 * slots, sizeof *t->nodes) &&
           memory_grow(m, (void **)&t->slot_of_leaf, &t->slot_of_leaf_capacity, slots,
                       sizeof *t->slot_of_leaf) &&
           memory_grow(m, (void **)&t->leaf_of_slot, &t->leaf_of_slot_capacity, slots,
                       sizeof *t->leaf_of_slot) &&
           memory_grow(m, (void **)&t->added, &t->added_capacity, slots, sizeof *t->added) &&
           memory_grow(m, (void **)&t->keys, &t->key_capacity, 3 * slots, sizeof *t->keys) &&
           memory_grow(m, (void **)&t->order, &t->order_capacity, 2 * slots, sizeof *t->order) &&
           memory_grow(m, (void **)&t->counts, &t->count_capacity, DIGIT_RANGE + 1, sizeof *t->counts);
}

void body_tree_free(struct bodies *b)
{
    const struct memory *m = b->memory;
    struct body_tree *t = b->tree;
    if (!t) return;
    memory_free(m, t->nodes, (size_t)t->node_capacity, sizeof *t->nodes);
    memory_free(m, t->slot_of_leaf, (size_t)t->slot_of_leaf_capacity, sizeof *t->slot_of_leaf);
    memory_free(m, t->leaf_of_slot, (size_t)t->leaf_of_slot_capacity, sizeof *t->leaf_of_slot);
    memory_free(m, t->added, (size_t)t->added_capacity, sizeof *t->added);
    memory_free(m, t->keys, (size_t)t->key_capacity, sizeof *t->keys);
    memory_free(m, t->order, (size_t)t->order_capacity, sizeof *t->order);
    memory_free(m, t->counts, (size_t)t->count_capacity, sizeof *t->counts);
    memory_free(m, t, 1, sizeof *t);
    b->tree = NULL;
}

void body_tree_clear(struct bodies *b)
{
    b->tree->leaf_count = b->tree->added_count = b->tree->refit_count = 0;
}

// Every third bit of the Morton code is one of `x`, starting with bit `axis`: digits of ten bits.
static void interleave(int x, int axis, int digits[3])
{
    for (int bit = 0; bit < DIGIT_BITS; ++bit) {
        const int at = 3 * bit + axis;
        digits[at / DIGIT_BITS] |= (x >> bit & 1) << at % DIGIT_BITS;
    }
}

static struct aabb box_of_centres(const struct bodies *b, const int *slots, int count)
{
    struct aabb box = empty_box;
    for (int i = 0; i < count; ++i) {
        const vec3 p = b->state[slots[i]].position;
        box = aabb_union(&box, &(struct aabb){p, p});
    }
    return box;
}

// Sorts the leaves by the Morton codes of the bodies' centres.
static void sort_leaves(struct bodies *b)
{
    struct body_tree *t = b->tree;
    const int n = t->leaf_count;
    if (n == 0) return;
    const struct aabb box = box_of_centres(b, t->slot_of_leaf, n);
    const vec3 size = v3_sub(box.hi, box.lo);
    const double widest = fmax(size.x, fmax(size.y, size.z));
    const double scale = widest > 0.0 ? (DIGIT_RANGE - 1) / widest : 0.0;
    for (int i = 0; i < n; ++i) {
        const vec3 p = v3_scale(v3_sub(b->state[t->slot_of_leaf[i]].position, box.lo), scale);
        int digits[3] = {0};
        for (int axis = 0; axis < 3; ++axis) interleave((int)v3_get(p, axis), axis, digits);
        for (int k = 0; k < 3; ++k) t->keys[k * n + i] = digits[k];
        t->order[i] = i;
    }
    for (int k = 0; k < 3; ++k)
        counting_sort(t->keys + k * n, n, DIGIT_RANGE, t->order, t->order + n, t->counts);
    for (int i = 0; i < n; ++i) t->order[n + i] = t->slot_of_leaf[t->order[i]];
    memcpy(t->slot_of_leaf, t->order + n, (size_t)n * sizeof *t->slot_of_leaf);
}

static void fit_boxes(struct bodies *b)
{
    struct body_tree *t = b->tree;
    const int n = t->leaf_count;
    for (int i = 0; i < n; ++i) {
        const int slot = t->slot_of_leaf[i];
        t->nodes[n + i] = slot >= 0 ? bounding_box(b, slot) : empty_box;
    }
    for (int i = n - 1; i >= 1; --i) t->nodes[i] = aabb_union(&t->nodes[2 * i], &t->nodes[2 * i + 1]);
}

static void build_tree(struct bodies *b)
{
    struct body_tree *t = b->tree;
    t->leaf_count = t->added_count = t->refit_count = 0;
    for (int i = 0; i < b->slot_count; ++i)
        if (body_exists(b, i) && body_is_valid(b, i)) t->slot_of_leaf[t->leaf_count++] = i;
    for (int i = 0; i < b->slot_count; ++i) t->leaf_of_slot[i] = -1;
    sort_leaves(b);
    for (int i = 0; i < t->leaf_count; ++i) t->leaf_of_slot[t->slot_of_leaf[i]] = i;
    fit_boxes(b);
}

void body_tree_add(struct bodies *b, int slot)
{
    struct body_tree *t = b->tree;
    t->leaf_of_slot[slot] = -1;
    t->added[t->added_count++] = slot;
    if (t->added_count > MAX_ADDED + t->leaf_count / 4) build_tree(b);
}

static void set_leaf_box(struct body_tree *t, int leaf, struct aabb box)
{
    int i = t->leaf_count + leaf;
    t->nodes[i] = box;
    for (i /= 2; i >= 1; i /= 2) t->nodes[i] = aabb_union(&t->nodes[2 * i], &t->nodes[2 * i + 1]);
}

void body_tree_remove(struct bodies *b, int slot)
{
    struct body_tree *t = b->tree;
    const int leaf = t->leaf_of_slot[slot];
    if (leaf >= 0) {
        t->slot_of_leaf[leaf] = t->leaf_of_slot[slot] = -1;
        set_leaf_box(t, leaf, empty_box);
        return;
    }
    for (int i = 0; i < t->added_count; ++i)
        if (t->added[i] == slot) t->added[i] = t->added[--t->added_count];
}

void body_tree_move(struct bodies *b, int slot)
{
    const int leaf = b->tree->leaf_of_slot[slot];
    if (leaf >= 0) set_leaf_box(b->tree, leaf, bounding_box(b, slot));
}

void body_tree_update(struct bodies *b)
{
    struct body_tree *t = b->tree;
    if (!t) return;
    if (t->added_count > 0 || t->leaf_count != b->body_count || ++t->refit_count >= MAX_REFITS)
        build_tree(b);
    else
        fit_boxes(b);
}

// ---- searching --------------------------------------------------------------------------------------

// A swept box prepared for the slab test: reciprocals of the translation instead of divisions. Where it is 0,
// 1e300 sends the slab's ends to where they exclude the whole path, or none of it.
struct slab_test {
    double centre[3], half[3], reciprocal[3];
};

static struct slab_test slab_test_init(const struct swept_box *s)
{
    struct slab_test out;
    for (int axis = 0; axis < 3; ++axis) {
        const double d = v3_get(s->translation, axis);
        out.centre[axis] = v3_get(s->centre, axis), out.half[axis] = v3_get(s->half, axis);
        out.reciprocal[axis] = fabs(d) > 1e-290 ? 1.0 / d : 1e300;
    }
    return out;
}

// The fraction at which the swept box meets a box; INFINITY: not before max_fraction.
static double meet_fraction(const struct slab_test *s, const struct aabb *box, double max_fraction)
{
    const double lo[3] = {box->lo.x, box->lo.y, box->lo.z}, hi[3] = {box->hi.x, box->hi.y, box->hi.z};
    double enter = 0.0, leave = max_fraction;
    for (int axis = 0; axis < 3; ++axis) {
        const double a = (lo[axis] - s->half[axis] - s->centre[axis]) * s->reciprocal[axis],
                     b = (hi[axis] + s->half[axis] - s->centre[axis]) * s->reciprocal[axis];
        const double first = a < b ? a : b, last = a < b ? b : a;
        enter = first > enter ? first : enter;
        leave = last < leave ? last : leave;
    }
    return enter <= leave ? enter : INFINITY;
}

struct pending_node {
    int node;
    double fraction;
};

void body_tree_visit(const struct bodies *b, const struct swept_box *sweep,
                     double (*visit)(void *context, int slot), void *context)
{
    const struct body_tree *t = b->tree;
    const struct slab_test slabs = slab_test_init(sweep);
    double limit = sweep->max_fraction;
    if (!t) return;
    for (int i = 0; i < t->added_count; ++i) {
        const struct aabb box = bounding_box(b, t->added[i]);
        if (meet_fraction(&slabs, &box, limit) < INFINITY) limit = fmin(limit, visit(context, t->added[i]));
    }
    struct pending_node stack[MAX_DEPTH];
    int count = 0;
    if (t->leaf_count > 0) stack[count++] = (struct pending_node){1, 0.0};
    while (count > 0) {
        const struct pending_node top = stack[--count];
        if (top.fraction > limit) continue;
        if (top.node >= t->leaf_count) {
            const int slot = t->slot_of_leaf[top.node - t->leaf_count];
            if (slot >= 0) limit = fmin(limit, visit(context, slot));
            continue;
        }
        const int left = 2 * top.node, right = left + 1;
        const double at_left = meet_fraction(&slabs, &t->nodes[left], limit),
                     at_right = meet_fraction(&slabs, &t->nodes[right], limit);
        const bool left_is_nearer = at_left < at_right; // the nearer one is pushed last
        const struct pending_node near = left_is_nearer ? (struct pending_node){left, at_left}
                                                        : (struct pending_node){right, at_right},
                                  far = left_is_nearer ? (struct pending_node){right, at_right}
                                                       : (struct pending_node){left, at_left};
        if (far.fraction < INFINITY) stack[count++] = far;
        if (near.fraction < INFINITY) stack[count++] = near;
    }
}
