// Joints in scene files: bodies by name. Skipped where there are no joints.
#include "scenes.h"

#define DOOR                                                                                                \
    TOP "\"bodies\": [{\"shape\": \"box\", \"name\": \"door\", \"position\": [0, 4, 0]},\n"                 \
        "{\"shape\": \"box\", \"name\": \"frame\", \"position\": [1, 4, 0]},\n"                             \
        "{\"shape\": \"box\", \"name\": \"twin\", \"position\": [3, 4, 0]},\n"                              \
        "{\"shape\": \"box\", \"name\": \"twin\", \"position\": [5, 4, 0]},\n"                              \
        "{\"shape\": \"box\", \"name\": \"link\", \"position\": [-5, 4, 0], \"array\": {\"count\": [3, 1, " \
        "1]}}],\n"                                                                                          \
        "\"joints\": [\n"
#define BALL_JOINT "{\"kind\": \"ball\", \"anchor_a\": [0.5, 4, 0], "

static int no_joints(void) { return !tarn_kind_find("joint", "ball"); }

// Bodies are found by name, copies too, and a joint without a second one holds to the world. That a world has
// joints shows in its hash.
static void joints_find_their_bodies(void **state)
{
    (void)state;
    if (no_joints()) skip();
    const uint64_t none = hash_of(DOOR "]}");
    const uint64_t two = hash_of(DOOR BALL_JOINT "\"body_a\": \"door\", \"body_b\": \"frame\"}]}");
    const uint64_t one = hash_of(DOOR BALL_JOINT "\"body_a\": \"door\"}]}");
    const uint64_t link =
        hash_of(DOOR BALL_JOINT "\"body_a\": \"link 3\", \"body_b\": \"link 2\", \"anchor_b\": [0, 4, 0]}]}");
    assert_true(none != two && none != one && none != link && one != two);
    expect_round_trip(
        DOOR "{\"anchor_a\": [0, 4, 0], \"body_b\": \"frame\", \"body_a\": \"door\", \"kind\": \"ball\"}]}");
}

static void joint_errors_name_their_key(void **state)
{
    static const struct mistake early[] = {
        {DOOR "{\"kind\": \"bal\"}]}", "a.json:8:10", "joints[0].kind", "unknown joint 'bal'; did you mean"},
        {DOOR BALL_JOINT "\"c\": 1}]}", "a.json:8:43", "joints[0].c", "unknown key"},
        {DOOR BALL_JOINT "\"body_a\": 1}]}", "a.json:8:53", "joints[0].body_a", "expected a string"},
    };
    static const struct mistake late[] = {
        {DOOR BALL_JOINT "\"body_b\": \"door\"}]}", "a.json:8:1", "joints[0]", "\"body_a\" is missing"},
        {DOOR "{\"kind\": \"ball\", \"body_a\": \"door\"}]}", "a.json:8:1", "joints[0]",
         "\"anchor_a\" is missing"},
        {DOOR BALL_JOINT "\"body_a\": \"dor\"}]}", "a.json:8:53", "joints[0].body_a",
         "unknown body 'dor'; did you mean 'door'?"},
        {DOOR BALL_JOINT "\"body_a\": \"door\", \"body_b\": \"window\"}]}", "a.json:8:71", "joints[0].body_b",
         "unknown body 'window'; expected one of: door, frame"},
        {DOOR BALL_JOINT "\"body_a\": \"twin\"}]}", "a.json:8:53", "joints[0].body_a",
         "several bodies have the name 'twin'"},
        {DOOR BALL_JOINT "\"body_a\": \"link\"}]}", "a.json:8:53", "joints[0].body_a",
         "did you mean 'link 1'?"},
    };

    (void)state;
    if (no_joints()) skip();
    expect_mistakes(early, COUNT(early));
    for (int i = 0; i < COUNT(late); ++i) {
        tarn_scene *scene;
        tarn_world *world;
        tarn_diagnostics diagnostics = {0};
        CHECK_OK(parse(late[i].text, &scene, &diagnostics));
        assert_int_equal(tarn_scene_create_world(scene, NULL, &world, &diagnostics), TARN_BAD_INPUT);
        assert_int_equal(diagnostics.count, 1);
        assert_diagnostic(&diagnostics.list[0], late[i].where, late[i].path, late[i].words);
        tarn_diagnostics_free(&diagnostics);
        tarn_scene_destroy(scene);
    }
}

#define PLANK "\"shape\": \"box\", \"rotation\": {\"degrees\": 3}"

static int allocations_left;

static void *scarce_malloc(size_t size) { return allocations_left-- > 0 ? malloc(size) : NULL; }

// Without memory for JSON it is TARN_NO_MEMORY or NULL at every place, and nothing else.
static void missing_memory_is_reported(void **state)
{
    const int bare = no_joints() || !tarn_kind_find("shape", "compound");
    const char *text = bare ? TOP "\"bodies\": [{" PLANK ", \"array\": {\"count\": [2, 1, 1]}}]}"
                            : TOP "\"bodies\": [{\"name\": \"raft\", \"parts\": [{" PLANK "}]}],\n"
                                  "\"joints\": [" BALL_JOINT "\"body_a\": \"raft\"}]}";
    tarn_scene *scene = NULL;
    tarn_world *world = NULL;
    char *written = NULL;
    int n;

    (void)state;
    json_set_alloc_funcs(scarce_malloc, free);
    for (n = 0; !scene; ++n) {
        allocations_left = n;
        const tarn_result r = parse(text, &scene, NULL);
        assert_int_equal(r, scene ? TARN_OK : TARN_NO_MEMORY);
    }
    for (n = 0; !written; ++n) {
        allocations_left = n;
        written = tarn_scene_write(scene);
    }
    for (n = 0; !world; ++n) {
        allocations_left = n;
        const tarn_result r = tarn_scene_create_world(scene, NULL, &world, NULL);
        assert_int_equal(r, world ? TARN_OK : TARN_NO_MEMORY);
    }
    json_set_alloc_funcs(malloc, free);
    tarn_text_free(written);
    tarn_world_destroy(world);
    tarn_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_find_their_bodies),
        cmocka_unit_test(joint_errors_name_their_key),
        cmocka_unit_test(missing_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
