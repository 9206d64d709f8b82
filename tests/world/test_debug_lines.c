// Lines for debug drawing: where they are, and that their number does not depend on the space for them.
#include "body_def.h"
#include "check.h"
#include "world_setup.h"

#include <tarn/tarn.h>

#include <math.h>
#include <string.h>

enum { MOST_LINES = 4096 };
static tarn_debug_line lines[MOST_LINES];

static tarn_world *create_world(const char *model)
{
    struct world_setup def = world_setup_of(model);
    tarn_world *w = NULL;
    set_size(&def.fluid, 4.0, 4.0);
    set_cells(&def.fluid, 32, 32); // `none` has no grid
    set_depth(&def.fluid, 1.0);
    CHECK_OK(setup_create(&def, &w, NULL));
    return w;
}

static tarn_body_id add_box(tarn_world *w, tarn_vec3 at, tarn_vec3 velocity)
{
    tarn_body_def def = body_def("box");
    tarn_body_id id;
    CHECK_OK(set_shape(&def, "size", tarn_value_vec3(0.4, 0.2, 0.6), NULL));
    def.position = at, def.velocity = velocity, def.density = 500.0;
    CHECK_OK(tarn_body_create(w, &def, &id, NULL));
    return id;
}

static int get_lines(const tarn_world *w, uint32_t kinds)
{
    const int count = tarn_world_get_debug_lines(w, kinds, lines, MOST_LINES);
    assert_true(count <= MOST_LINES);
    assert_int_equal(tarn_world_get_debug_lines(w, kinds, NULL, 0), count);
    for (int i = 0; i < count; ++i) assert_true(lines[i].kind & kinds);
    return count;
}

static double length_of(const tarn_debug_line *l)
{
    const double x = l->to.x - l->from.x, y = l->to.y - l->from.y, z = l->to.z - l->from.z;
    return sqrt(x * x + y * y + z * z);
}

// Its 12 edges at least, and those of the triangles of its sides.
static void edges_are_on_the_surface(void **state)
{
    (void)state;
    tarn_world *w = create_world("none");
    const tarn_body_id box = add_box(w, (tarn_vec3){0.5, 2.0, -0.5}, (tarn_vec3){0, 0, 0});
    const int count = get_lines(w, TARN_DEBUG_SHAPES);
    assert_true(count >= 12);
    for (int i = 0; i < count; ++i) {
        const tarn_vec3 ends[2] = {lines[i].from, lines[i].to};
        for (int k = 0; k < 2; ++k) {
            const double x = fabs(ends[k].x - 0.5) / 0.2, y = fabs(ends[k].y - 2.0) / 0.1,
                         z = fabs(ends[k].z + 0.5) / 0.3;
            CHECK_NEAR(fmax(x, fmax(y, z)), 1.0, 1e-12); // positions are doubles
        }
        assert_true(lines[i].body.value == box.value);
    }
    assert_int_equal(get_lines(w, TARN_DEBUG_BOUNDS), 12);
    double sum = 0.0;
    for (int i = 0; i < 12; ++i) sum += length_of(&lines[i]);
    CHECK_NEAR(sum, 4.0 * (0.4 + 0.2 + 0.6), 1e-9); // four edges along each axis
    tarn_world_destroy(w);
}

static void velocities_are_drawn_to_scale(void **state)
{
    (void)state;
    tarn_world *w = create_world("none");
    add_box(w, (tarn_vec3){0.0, 2.0, 0.0}, (tarn_vec3){3.0, 0.0, 4.0});
    assert_int_equal(get_lines(w, TARN_DEBUG_VELOCITIES), 1);
    CHECK_NEAR(length_of(&lines[0]), 0.5, 1e-12);         // 5 m/s for 0.1 s
    assert_int_equal(get_lines(w, TARN_DEBUG_FORCES), 0); // there is no water
    tarn_world_destroy(w);
}

// The water carries a floating body: its force is the weight, drawn upwards as long as the bounding radius.
static void the_force_on_a_floating_body_is_its_weight(void **state)
{
    (void)state;
    tarn_world *w = create_world("shallow");
    const tarn_body_id box = add_box(w, (tarn_vec3){0.0, 1.0, 0.0}, (tarn_vec3){0, 0, 0});
    tarn_body_info info;
    for (int n = 0; n < 600; ++n) CHECK_OK(tarn_world_step(w));
    CHECK_OK(tarn_body_get_info(w, box, &info));
    assert_int_equal(get_lines(w, TARN_DEBUG_FORCES), 1);
    CHECK_NEAR(lines[0].to.y - lines[0].from.y, info.radius, 0.02 * info.radius); // it still bobs a little
    tarn_world_destroy(w);
}

static void joints_connect_the_centres(void **state)
{
    (void)state;
    tarn_world *w = create_world("none");
    tarn_joint_def rope = tarn_default_joint_def(TARN_JOINT_ROPE);
    rope.body_a = add_box(w, (tarn_vec3){-1.0, 2.0, 0.0}, (tarn_vec3){0, 0, 0});
    rope.body_b = add_box(w, (tarn_vec3){1.0, 2.0, 0.0}, (tarn_vec3){0, 0, 0});
    rope.anchor_a = (tarn_vec3){-0.8, 2.1, 0.0}, rope.anchor_b = (tarn_vec3){0.8, 2.1, 0.0};
    CHECK_OK(tarn_joint_create(w, &rope, NULL, NULL));
    assert_int_equal(get_lines(w, TARN_DEBUG_JOINTS), 3);
    CHECK_NEAR(lines[0].from.x, -1.0, 1e-12);
    CHECK_NEAR(lines[1].from.x, -0.8, 1e-12);
    CHECK_NEAR(lines[1].to.x, 0.8, 1e-12);
    CHECK_NEAR(lines[2].to.x, 1.0, 1e-12);
    tarn_world_destroy(w);
}

// A line for every contact point: a box at rest on the ground has them at its underside, pointing down.
static void contacts_have_their_normals(void **state)
{
    (void)state;
    tarn_world *w = create_world("none");
    add_box(w, (tarn_vec3){0.0, 0.1, 0.0}, (tarn_vec3){0, 0, 0});
    for (int n = 0; n < 30; ++n) CHECK_OK(tarn_world_step(w));
    const int count = get_lines(w, TARN_DEBUG_CONTACTS);
    assert_int_equal(count, tarn_body_get_contacts(w, (tarn_body_id){0}, NULL, 0));
    assert_true(count > 0);
    for (int i = 0; i < count; ++i) {
        CHECK_NEAR(lines[i].from.y, 0.0, 1e-3); // the slop of contacts
        CHECK_NEAR(lines[i].from.y - lines[i].to.y, length_of(&lines[i]), 1e-6);
    }
    tarn_world_destroy(w);
}

static void planar_bodies_have_outlines(void **state)
{
    (void)state;
    tarn_world *w = create_world("flow");
    tarn_body_def def = body_def("circle");
    CHECK_OK(set_shape(&def, "radius", tarn_value_number(0.3), NULL));
    def.position = (tarn_vec3){2.0, 1.5, 0.0};
    CHECK_OK(tarn_body_create(w, &def, NULL, NULL));
    const int count = get_lines(w, TARN_DEBUG_SHAPES);
    assert_true(count >= 8);
    for (int i = 0; i < count; ++i)
        CHECK_NEAR(hypot(lines[i].from.x - 2.0, lines[i].from.y - 1.5), 0.3, 0.01);
    tarn_world_destroy(w);
}

static void too_little_space_is_filled(void **state)
{
    (void)state;
    tarn_world *w = create_world("shallow");
    add_box(w, (tarn_vec3){0.0, 1.0, 0.0}, (tarn_vec3){0, 0, 0});
    const int count = get_lines(w, TARN_DEBUG_ALL);
    static tarn_debug_line few[8], empty;
    assert_int_equal(tarn_world_get_debug_lines(w, TARN_DEBUG_ALL, few, 7), count);
    assert_memory_equal(few, lines, 7 * sizeof *few);
    assert_memory_equal(&few[7], &empty, sizeof empty);
    assert_int_equal(tarn_world_get_debug_lines(NULL, TARN_DEBUG_ALL, few, 7), 0);
    assert_int_equal(tarn_world_get_debug_lines(w, 0, few, 7), 0);
    tarn_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_are_on_the_surface),
        cmocka_unit_test(velocities_are_drawn_to_scale),
        cmocka_unit_test(the_force_on_a_floating_body_is_its_weight),
        cmocka_unit_test(joints_connect_the_centres),
        cmocka_unit_test(contacts_have_their_normals),
        cmocka_unit_test(planar_bodies_have_outlines),
        cmocka_unit_test(too_little_space_is_filled),
    };
    return cmocka_run_group_tests_name("debug_lines", tests, NULL, NULL);
}
