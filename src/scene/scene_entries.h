// The objects of a parsed scene, from which its world is built.
#ifndef SCENE_SCENE_ENTRIES_H
#define SCENE_SCENE_ENTRIES_H

#include "scene/parse/scene_params.h"

// The parameters of a kind's struct without the rest of the struct, and the tables that it borrows. A
// tarn_spec takes 1 kB, most kinds need less than 100 bytes, and a scene may have 100,000 bodies.
struct packed_params {
    const tarn_kind *kind;
    void *bytes; // NULL: the kind has no parameters
};
int params_pack(struct packed_params *out, const tarn_kind *kind, const void *data); // 0: memory is exhausted
void params_unpack(const struct packed_params *packed, void *data);
void spec_unpack(const struct packed_params *packed, tarn_spec *out);

struct part_entry {
    struct packed_params shape;
    struct packed_params common; // over tarn_compound_child
};
struct part_list {
    struct part_entry *list;
    int count;
};

struct body_entry {
    struct packed_params shape;
    struct packed_params common; // over tarn_body_def
    struct body_array array;
    struct part_list parts; // of a compound
};

struct joint_entry {
    struct packed_params kind;
    struct joint_ends ends;
};

// A bitmap given as rows of text; no cells: not given.
struct row_bitmap {
    int nx, ny;
    unsigned char *cells; // 1: solid; the first row is the lowest
};

struct obstacle_entry {
    struct packed_params shape;
    struct packed_params common; // over tarn_obstacle_def
    struct row_bitmap bitmap;
};

// All arrays are in the order of the file, so that an index is also the index in the JSON array.
struct scene_entries {
    struct packed_params fluid, beds[TARN_MAX_BEDS];
    struct body_entry *bodies;
    struct joint_entry *joints;
    struct packed_params *emitters;
    struct obstacle_entry *obstacles;
    tarn_gauge *gauges;
    int bed_count, body_count, joint_count, emitter_count, obstacle_count, gauge_count;
};
void part_list_free(struct part_list *parts);
void scene_entries_free(struct scene_entries *entries);

#endif
