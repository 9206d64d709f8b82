// Promise of tarn.h: a call with a const world changes nothing that a later call can see, in every fluid
// model. The calls are those of support/calls/calls.h, which are made from the headers: a new function is
// called without being listed here.
#include "check.h"
#include "memory_stream.h"

#include "calls/fixture.h"

static struct caller *create_caller(int model)
{
    struct caller *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->choose = choose_planned;
    c->wrong_site = -1; // all arguments are right
    begin_calls(c, model);
    return c;
}

static void destroy_caller(struct caller *c)
{
    end_calls(c);
    free(c);
}

// x and y (planar) or x and z (height field) from the centre of the domain [m].
static tarn_vec3 place(const struct caller *c, double x, double y)
{
    return c->planar ? (tarn_vec3){1.0 + x, 1.0 + y, 0.0} : (tarn_vec3){x, 1.0, y};
}

// ---- what a program may do between two steps ----------------------------------------------------------

static void add_body(struct caller *c, double x, double y)
{
    tarn_body_def def = tarn_default_body_def();
    tarn_body_id body;
    tarn_error err = {0};
    def.shape = c->shape;
    def.position = place(c, x, y);
    CHECK_OK(tarn_body_create(c->world, &def, &body, &err));
}

static void move_body(struct caller *c, double x, double y)
{
    tarn_body_state state;
    CHECK_OK(tarn_body_get_state(c->world, tarn_body_at(c->world, 0), &state));
    state.position = place(c, x, y);
    CHECK_OK(tarn_body_set_state(c->world, tarn_body_at(c->world, 0), &state));
}

// Dye or a wave where a body is, so that it matters which cells the body passes.
static void disturb_fluid(struct caller *c)
{
    const tarn_command command = {.kind = c->planar ? TARN_COMMAND_ADD_DYE : TARN_COMMAND_STIR,
                                  .position = place(c, 0.3, 0.1),
                                  .velocity = {0.4, 0.0, 0.2},
                                  .radius = 0.3,
                                  .amount = 1.0};
    tarn_error err = {0};
    const tarn_result r = tarn_world_apply_command(c->world, &command, &err);
    if (r != TARN_BAD_INPUT) CHECK_OK(r); // the model 'none' has no water
}

#define EDITS 12

static void edit(struct caller *c, int number)
{
    switch (number) {
    case 0: disturb_fluid(c); break;
    case 1: add_body(c, -0.4, 0.0); break;
    case 2: move_body(c, 0.1, 0.0); break;
    case 3: move_body(c, 0.3, 0.2); break;
    case 4: add_body(c, -0.25, 0.1); break;
    case 5: CHECK_OK(tarn_world_step(c->world)); break;
    case 6: move_body(c, 0.5, 0.0); break;
    case 7: move_body(c, 0.6, -0.3); break;
    case 8: CHECK_OK(tarn_world_set_param(c->world, "run.collisions", tarn_value_flag(0), NULL)); break;
    case 9: disturb_fluid(c); break;
    case 10: CHECK_OK(tarn_body_destroy(c->world, tarn_body_at(c->world, 3))); break;
    default: CHECK_OK(tarn_world_advance(c->world, 0.1)); break;
    }
    fill_ids(c);
}

// ---- queries ------------------------------------------------------------------------------------------

static bool succeeded[FUNCTIONS];

// Each public function that takes the world as const, with each of its right arguments.
static void query_all(struct caller *c, int model, int after_edit)
{
    for (int f = 0; f < FUNCTIONS; ++f) {
        if (!api_calls[f].has_const_world) continue;
        c->instances = 1;
        for (c->instance = 0; c->instance < c->instances; ++c->instance) {
            make_call(c, f);
            if (c->problem[0])
                fail_msg("model %d, after edit %d: %s: %s", model, after_edit, c->function, c->problem);
            succeeded[f] = succeeded[f] || c->result == TARN_OK;
        }
    }
}

// make_call() compares the hash before and after each call.
static void queries_do_not_change_the_hash(void **state)
{
    (void)state;
    int count = 0;
    for (int model = 0; model < MODELS; ++model) {
        struct caller *c = create_caller(model);
        for (int k = 0; k < EDITS; ++k) {
            edit(c, k);
            query_all(c, model, k);
        }
        destroy_caller(c);
    }
    for (int f = 0; f < FUNCTIONS; ++f) {
        if (!api_calls[f].has_const_world) continue;
        ++count;
        if (!succeeded[f]) fail_msg("no call of %s succeeds", api_calls[f].name);
    }
    print_message("%d functions take a const world\n", count);
}

// One world is queried after every edit, the other is only edited. In the planar model a query between two
// moves of a body (edits 2 and 3, 6 and 7) must not move the dye out of the cells that it covers in between.
static void queries_do_not_change_what_follows(void **state)
{
    (void)state;
    for (int model = 0; model < MODELS; ++model) {
        struct caller *queried = create_caller(model), *other = create_caller(model);
        for (int k = 0; k < EDITS; ++k) {
            edit(queried, k);
            edit(other, k);
            query_all(queried, model, k);
        }
        if (tarn_world_hash(queried->world) != tarn_world_hash(other->world))
            fail_msg("model %d: queries change what follows", model);
        destroy_caller(queried);
        destroy_caller(other);
    }
}

// ---- checkpoints --------------------------------------------------------------------------------------

static tarn_world *copy_of(const tarn_world *w)
{
    static struct memory_stream file;
    tarn_world *copy = NULL;
    tarn_error err = {0};
    file.size = file.at = 0;
    CHECK_OK(tarn_world_save(w, stream_write, &file));
    CHECK_OK(tarn_world_load(stream_read, &file, NULL, &copy, &err));
    return copy;
}

// A world that is loaded between two edits has the same hash, and the same edits lead to the same state.
static void check_copy(int model, int after_edit)
{
    struct caller *saved = create_caller(model), *loaded = create_caller(model);
    for (int k = 0; k <= after_edit; ++k) edit(saved, k);
    tarn_world_destroy(loaded->world);
    loaded->world = copy_of(saved->world);
    if (tarn_world_hash(saved->world) != tarn_world_hash(loaded->world))
        fail_msg("model %d: the copy after edit %d has another hash", model, after_edit);
    for (int k = after_edit + 1; k < EDITS; ++k) {
        edit(saved, k);
        edit(loaded, k);
    }
    CHECK_OK(tarn_world_advance(saved->world, 0.05));
    CHECK_OK(tarn_world_advance(loaded->world, 0.05));
    if (tarn_world_hash(saved->world) != tarn_world_hash(loaded->world))
        fail_msg("model %d: the copy after edit %d continues otherwise", model, after_edit);
    destroy_caller(saved);
    destroy_caller(loaded);
}

static void checkpoints_between_edits_continue_alike(void **state)
{
    (void)state;
    for (int model = 0; model < MODELS; ++model)
        for (int k = 0; k < EDITS; ++k) check_copy(model, k);
}

// The fixture has a scene for every fluid model.
static void all_models_are_tested(void **state)
{
    (void)state;
    assert_non_null(tarn_kind_at("fluid", MODELS - 1));
    assert_null(tarn_kind_at("fluid", MODELS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_models_are_tested),
        cmocka_unit_test(queries_do_not_change_the_hash),
        cmocka_unit_test(queries_do_not_change_what_follows),
        cmocka_unit_test(checkpoints_between_edits_continue_alike),
    };
    return cmocka_run_group_tests_name("const_queries", tests, NULL, NULL);
}
