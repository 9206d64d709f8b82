// Promise of tarn.h: a call with a const world changes nothing that a later call can see, in every fluid
// model.
#include "body_def.h"
#include "check.h"
#include "memory_stream.h"

#include <tarn/command.h>
#include <tarn/tarn.h>

#include <stdbool.h>

#define WIDTH 2.0 // [m] of the domain, both ways
#define CELLS 32

static bool is_planar(const tarn_kind *model) { return strcmp(model->name, "flow") == 0; }

// x and y (planar) or x and z (height field) from the centre of the domain [m].
static tarn_vec3 place(const tarn_kind *model, double x, double y)
{
    if (is_planar(model)) return (tarn_vec3){0.5 * WIDTH + x, 0.5 * WIDTH + y, 0.0};
    return (tarn_vec3){x, 1.0, y};
}

static tarn_world *create_world(const tarn_kind *model)
{
    tarn_world_def def = tarn_world_def_default(model->name);
    tarn_world *w = NULL;
    tarn_error err = {0};
    CHECK_OK(tarn_spec_set(&def.fluid, "size", tarn_value_vec2(WIDTH, WIDTH), &err));
    tarn_spec_set(&def.fluid, "cells", tarn_value_vec2(CELLS, CELLS), NULL); // `none` has no grid
    CHECK_OK(tarn_world_create(&def, &w, &err));
    return w;
}

static void add_body(tarn_world *w, const tarn_kind *model, double x, double y)
{
    tarn_body_def def = body_def(is_planar(model) ? "circle" : "sphere");
    tarn_body_id body;
    tarn_error err = {0};
    CHECK_OK(set_shape(&def, "radius", tarn_value_number(0.2), &err));
    def.density = 600.0;
    def.position = place(model, x, y);
    CHECK_OK(tarn_body_create(w, &def, &body, &err));
}

static void move_body(tarn_world *w, const tarn_kind *model, double x, double y)
{
    tarn_body_state motion;
    CHECK_OK(tarn_body_get_state(w, tarn_body_at(w, 0), &motion));
    motion.position = place(model, x, y);
    CHECK_OK(tarn_body_set_state(w, tarn_body_at(w, 0), &motion));
}

// Dye or a wave where a body is, so that it matters which cells the body passes.
static void disturb_fluid(tarn_world *w, const tarn_kind *model)
{
    if (strcmp(model->name, "none") == 0) return;
    tarn_command c = {.kind = is_planar(model) ? TARN_COMMAND_ADD_DYE : TARN_COMMAND_STIR,
                      .at = place(model, 0.3, 0.1),
                      .way = {0.4, 0.0, 0.2},
                      .radius = 0.3,
                      .strength = 1.0};
    tarn_error err = {0};
    CHECK_OK(tarn_world_apply_command(w, &c, &err));
}

// The edits that a program may make between two steps.
static void edit(tarn_world *w, const tarn_kind *model, int step)
{
    switch (step) {
    case 0: disturb_fluid(w, model); break;
    case 1: add_body(w, model, -0.4, 0.0); break;
    case 2: move_body(w, model, 0.1, 0.0); break;
    case 3: move_body(w, model, 0.3, 0.2); break;
    case 4: add_body(w, model, -0.25, 0.1); break;
    case 5: CHECK_OK(tarn_world_advance(w, 1.0 / 60.0)); break;
    case 6: move_body(w, model, 0.5, 0.0); break;
    case 7: move_body(w, model, 0.6, -0.3); break;
    case 8: CHECK_OK(tarn_world_set_param(w, "run.collisions", tarn_value_flag(0), NULL)); break;
    case 9: disturb_fluid(w, model); break;
    case 10: CHECK_OK(tarn_body_destroy(w, tarn_body_at(w, 1))); break;
    default: CHECK_OK(tarn_world_advance(w, 0.1)); break;
    }
}
#define EDITS 12

static void query_bodies(const tarn_world *w)
{
    for (int i = 0; i < tarn_world_get_status(w).bodies; ++i) {
        const tarn_body_id body = tarn_body_at(w, i);
        tarn_body_state motion;
        tarn_load load;
        tarn_body_info info;
        CHECK_OK(tarn_body_get_state(w, body, &motion));
        CHECK_OK(tarn_body_get_load(w, body, &load));
        CHECK_OK(tarn_body_get_info(w, body, &info));
        tarn_body_def def;
        tarn_mass mass;
        tarn_vec3 low, high;
        CHECK_OK(tarn_body_get_def(w, body, &def));
        CHECK_OK(tarn_body_get_mass(w, body, &mass));
        CHECK_OK(tarn_body_get_bounds(w, body, &low, &high));
        CHECK_OK(tarn_bodies_get_states(w, 1, &body, &motion));
        CHECK_OK(tarn_bodies_get_loads(w, 1, &body, &load));
        tarn_body_get_point_velocity(w, body, low);
        tarn_body_is_awake(w, body);
    }
}

static void query_water(const tarn_world *w)
{
    for (int k = 0; k < 5; ++k) {
        const double x = 0.4 * k - 0.8, z = 0.1 * k;
        tarn_flow_sample flow;
        tarn_surface surface = tarn_world_get_surface(w, x, z);
        CHECK_OK(tarn_water_at_n(w, 1, &x, &z, &surface));
        tarn_flow_get_sample(w, x + 0.5 * WIDTH, z + 0.5 * WIDTH, &flow); // refused by height fields
    }
}

// Every public function that takes a const world.
static void query_all(const tarn_world *w)
{
    static struct buffer saved;
    tarn_frame frame = {0};
    tarn_value value;
    tarn_obstacle_load load;
    assert_string_equal(tarn_world_get_failure(w), "");
    tarn_world_get_ledger(w);
    CHECK_OK(tarn_world_get_param(w, "run.dt", &value));
    tarn_world_get_param(w, "bodies[0].density", &value);
    tarn_obstacle_get_load(w, 0, &load);
    query_bodies(w);
    tarn_body_find(w, "nobody");
    tarn_contact_point points[8];
    tarn_world_get_events(w);
    tarn_body_get_contacts(w, (tarn_body_id){0}, points, 8);
    query_water(w);
    tarn_flow_get_divergence(w);
    CHECK_OK(tarn_world_get_frame(w, 1.0, &frame));
    tarn_frame_free(&frame);
    saved.size = saved.at = 0;
    CHECK_OK(tarn_world_save(w, buffer_put, &saved));
    tarn_world_get_status(w);
}

static void queries_do_not_change_the_hash(void **state)
{
    (void)state;
    const tarn_kind *model;
    for (int m = 0; (model = tarn_kind_at("fluid", m)); ++m) {
        tarn_world *w = create_world(model);
        for (int k = 0; k < EDITS; ++k) {
            edit(w, model, k);
            const uint64_t before = tarn_world_hash(w);
            query_all(w);
            if (tarn_world_hash(w) != before) fail_msg("%s: queries after edit %d change it", model->name, k);
        }
        tarn_world_destroy(w);
    }
}

// `queried` is queried after every edit, `other` only where both are compared.
static void queries_do_not_change_what_follows(void **state)
{
    (void)state;
    const tarn_kind *model;
    for (int m = 0; (model = tarn_kind_at("fluid", m)); ++m) {
        tarn_world *queried = create_world(model), *other = create_world(model);
        for (int k = 0; k < EDITS; ++k) {
            edit(queried, model, k);
            edit(other, model, k);
            query_all(queried);
            tarn_world_hash(queried);
        }
        if (tarn_world_hash(queried) != tarn_world_hash(other)) fail_msg("%s: queries matter", model->name);
        tarn_world_destroy(queried);
        tarn_world_destroy(other);
    }
}

static tarn_world *copy_of(const tarn_world *w)
{
    static struct buffer b;
    tarn_world *copy = NULL;
    tarn_error err = {0};
    b.size = b.at = 0;
    CHECK_OK(tarn_world_save(w, buffer_put, &b));
    CHECK_OK(tarn_world_load(buffer_get, &b, NULL, &copy, &err));
    return copy;
}

// A checkpoint between two edits: the loaded world has the same hash, and the same edits lead to the same
// state.
static void checkpoints_between_edits_continue_alike(void **state)
{
    (void)state;
    const tarn_kind *model;
    for (int m = 0; (model = tarn_kind_at("fluid", m)); ++m)
        for (int from = 0; from < EDITS; ++from) {
            tarn_world *w = create_world(model);
            for (int k = 0; k <= from; ++k) edit(w, model, k);
            tarn_world *copy = copy_of(w);
            if (tarn_world_hash(w) != tarn_world_hash(copy))
                fail_msg("%s: the copy after edit %d has another hash", model->name, from);
            for (int k = from + 1; k < EDITS; ++k) {
                edit(w, model, k);
                edit(copy, model, k);
            }
            CHECK_OK(tarn_world_advance(w, 0.05));
            CHECK_OK(tarn_world_advance(copy, 0.05));
            if (tarn_world_hash(w) != tarn_world_hash(copy))
                fail_msg("%s: the copy after edit %d continues otherwise", model->name, from);
            tarn_world_destroy(w);
            tarn_world_destroy(copy);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_do_not_change_the_hash),
        cmocka_unit_test(queries_do_not_change_what_follows),
        cmocka_unit_test(checkpoints_between_edits_continue_alike),
    };
    return cmocka_run_group_tests_name("const_queries", tests, NULL, NULL);
}
