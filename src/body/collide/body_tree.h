// A bounding volume hierarchy of all bodies, for queries. Results of queries do not depend on its form.
#ifndef BODY_COLLIDE_BODY_TREE_H
#define BODY_COLLIDE_BODY_TREE_H

#include "body/collide/broad_phase.h"

// A balanced binary tree in one array: node i has the children 2 i and 2 i + 1, the leaves are the nodes
// leaf_count .. 2 leaf_count - 1. The box of a leaf is that of the body's bounding sphere.
struct body_tree {
    struct aabb *nodes;
    int *slot_of_leaf, *leaf_of_slot; // leaf_of_slot: -1 for bodies that are not in the tree
    int leaf_count;
    int *added; // slots of bodies that were added since the last build; they are searched one by one
    int added_count;
    int refit_count;            // since the last build
    int *keys, *order, *counts; // scratch of a build
    int node_capacity, slot_of_leaf_capacity, leaf_of_slot_capacity, added_capacity, key_capacity,
        order_capacity, count_capacity;
};

bool body_tree_reserve(struct bodies *b, int slots); // false: out of memory
void body_tree_free(struct bodies *b);
void body_tree_clear(struct bodies *b);            // memory is kept
void body_tree_add(struct bodies *b, int slot);    // memory was reserved
void body_tree_remove(struct bodies *b, int slot); // before the body is freed
void body_tree_move(struct bodies *b, int slot);   // after a body was moved by the application
void body_tree_update(struct bodies *b);           // after a step

// [m] Radius about the centre of mass of a sphere that contains all convex parts.
double body_query_radius(const struct bodies *b, int slot);

// A box of half extents `half` that is moved from `centre` along `translation`, as far as `max_fraction`.
struct swept_box {
    vec3 centre, translation, half; // [m]
    double max_fraction;
};

// Calls visit(context, slot) for every body whose box meets the swept box, nearer boxes first. visit()
// returns the fraction beyond which bodies are of no interest; it never grows.
void body_tree_visit(const struct bodies *b, const struct swept_box *sweep,
                     double (*visit)(void *context, int slot), void *context);

#endif
