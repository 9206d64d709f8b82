// Geometry of the viewer: rays into frames, interpolation of frames, limits of the camera.
#include "check.h"

#include "apps/view/input/camera_control.h"
#include "apps/view/input/raycast.h"
#include "apps/view/interpolate.h"

#include <string.h>

enum { N = 8 };

// A cube of 1 m, centred.
static const float corners[24] = {-0.5f, -0.5f, -0.5f, 0.5f,  -0.5f, -0.5f, -0.5f, 0.5f,
                                  -0.5f, 0.5f,  0.5f,  -0.5f, -0.5f, -0.5f, 0.5f,  0.5f,
                                  -0.5f, 0.5f,  -0.5f, 0.5f,  0.5f,  0.5f,  0.5f,  0.5f};
static const int faces[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 4, 2, 2, 4, 6,
                              1, 3, 5, 3, 7, 5, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7};
static const tarn_render_mesh cube = {8, 12, corners, faces};

static float heights[2][N * N], bed[N * N];
static tarn_frame_body bodies[2][2];

// 4 m of water that rises by 0.1 m per metre of x from 1 m at the middle, and two cubes over it.
static tarn_frame make_frame(int which)
{
    for (int c = 0; c < N * N; ++c) heights[which][c] = (float)(1.0 + 0.1 * (-1.75 + 0.5 * (c % N)));
    for (int k = 0; k < 2; ++k)
        bodies[which][k] =
            (tarn_frame_body){.id = {1ull << 32 | (uint32_t)k},
                              .mesh = &cube,
                              .state = {.position = {k ? 1.0 : -1.0, 3, 0}, .rotation = {1, 0, 0, 0}}};
    return (tarn_frame){.nx = N,
                        .nz = N,
                        .cell_size = 0.5,
                        .x0 = -1.75,
                        .z0 = -1.75,
                        .level = 1.0,
                        .height = heights[which],
                        .body_count = 2,
                        .bodies = bodies[which]};
}

// The nearest face of the nearest body, however it is turned.
static void rays_meet_bodies(void **state)
{
    (void)state;
    const tarn_frame f = make_frame(0);
    double far;
    assert_int_equal(raycast_bodies(&f, (tarn_vec3){1, 10, 0}, (tarn_vec3){0, -1, 0}, &far), 1);
    CHECK_NEAR(far, 6.5, 1e-6); // vertices are floats
    assert_int_equal(raycast_bodies(&f, (tarn_vec3){-5, 3, 0.2}, (tarn_vec3){1, 0, 0}, &far), 0);
    CHECK_NEAR(far, 3.5, 1e-6);
    assert_int_equal(raycast_bodies(&f, (tarn_vec3){0, 10, 0}, (tarn_vec3){0, -1, 0}, &far), -1);
    assert_int_equal(raycast_bodies(&f, (tarn_vec3){1, 0, 0}, (tarn_vec3){0, -1, 0}, &far),
                     -1); // it is behind
    bodies[0][1].state.rotation =
        (tarn_quat){0.9238795325112867, 0.3826834323650898, 0, 0}; // 45 degrees about x
    assert_int_equal(raycast_bodies(&f, (tarn_vec3){1, 10, 0}, (tarn_vec3){0, -1, 0}, &far), 1);
    CHECK_NEAR(far, 7.0 - sqrt(0.5), 1e-6); // now an edge is on top
}

// The surface is a plane here, so the hit is known; boundaries and dry land are distinguished.
static void rays_meet_water(void **state)
{
    (void)state;
    tarn_frame f = make_frame(0);
    const double s = sqrt(0.5);
    double far;
    bool wet = false;
    CHECK_NEAR(surface_height_at(&f, 0.6, -0.3), 1.06, 1e-6);
    assert_true(isnan(surface_height_at(&f, 2.1, 0)));
    assert_true(raycast_surface(&f, (tarn_vec3){-1, 3, 0}, (tarn_vec3){s, -s, 0}, &far, &wet));
    assert_true(wet);
    // 3 - d s = 1 + 0.1 (-1 + d s)
    CHECK_NEAR(far, 2.1 / (1.1 * s), 1e-5);
    assert_false(raycast_surface(&f, (tarn_vec3){-1, 3, 0}, (tarn_vec3){0, 1, 0}, &far, &wet));
    assert_false(raycast_surface(&f, (tarn_vec3){9, 3, 0}, (tarn_vec3){0, -1, 0}, &far, &wet));
    memcpy(bed, heights[0], sizeof bed);
    f.bed = bed;
    assert_true(raycast_surface(&f, (tarn_vec3){0, 3, 0}, (tarn_vec3){0, -1, 0}, &far, &wet));
    assert_false(wet);
}

// Half-way between two states; bodies that are not in both, or crossed a periodic boundary, are as they are
// now.
static void frames_are_interpolated(void **state)
{
    (void)state;
    tarn_frame a = make_frame(0), b = make_frame(1), out = {0};
    heights[1][3] += 1.0f;
    a.time = 1.0, b.time = 2.0;
    bodies[1][0].state.position.y = 5.0;
    bodies[1][0].state.rotation = (tarn_quat){0, 0, 1, 0};
    bodies[1][1].id.value += 2ull << 32; // another one
    bodies[1][1].state.position.y = 7.0;
    assert_true(interpolate_frames(&a, &b, 0.5, &out));
    CHECK_NEAR((double)out.height[3], (double)heights[0][3] + 0.5, 1e-6);
    CHECK_NEAR(out.time, 1.5, 0.0);
    CHECK_NEAR(out.bodies[0].state.position.y, 4.0, 1e-12);
    CHECK_NEAR(out.bodies[0].state.rotation.y, sqrt(0.5), 1e-12);
    CHECK_NEAR(out.bodies[1].state.position.y, 7.0, 0.0);
    bodies[0][0].state.position.x = 1.9, bodies[1][0].state.position.x = -1.9; // across a periodic side
    assert_true(interpolate_frames(&a, &b, 0.5, &out));
    CHECK_NEAR(out.bodies[0].state.position.x, -1.9, 0.0);
    assert_true(interpolate_frames(&(tarn_frame){0}, &b, 0.5, &out)); // the first state of all
    CHECK_NEAR((double)out.height[3], (double)heights[1][3], 0.0);
    interpolate_free(&out);
}

static double distance(tarn_vec3 a, tarn_vec3 b)
{
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

static void camera_control_stays_within_its_limits(void **state)
{
    (void)state;
    const tarn_frame f = make_frame(0);
    const tarn_vec3 none = {0};
    struct camera_control e;
    camera_init(&e, &f, none, none);
    CHECK_NEAR(e.target.x, 0.0, 1e-12); // the middle of the water
    CHECK_NEAR(e.target.y, 1.0, 1e-12);
    const double far = distance(e.position, e.target);
    for (int k = 0; k < 50; ++k) camera_orbit(&e, 0.3, 0.2); // over the top is no way
    CHECK_NEAR(distance(e.position, e.target), far, 1e-9);
    assert_true(e.position.y > e.target.y &&
                fabs(e.position.x - e.target.x) + fabs(e.position.z - e.target.z) > 1e-3);
    camera_zoom(&e, 0.5);
    CHECK_NEAR(distance(e.position, e.target), 0.5 * far, 1e-9);
    for (int k = 0; k < 100; ++k) camera_zoom(&e, 0.5); // never into the target
    assert_true(distance(e.position, e.target) > 0.01);
    camera_reset(&e);
    CHECK_NEAR(distance(e.position, e.target), far, 1e-9);
    camera_set_mode(&e, CAMERA_FOLLOW);
    e.followed = f.bodies[1].id;
    camera_follow(&e, &f);
    const tarn_vec3 before = e.position;
    bodies[0][1].state.position.z += 2.0;
    camera_follow(&e, &f);
    CHECK_NEAR(e.position.z - before.z, 2.0, 1e-12); // it goes along
    camera_set_mode(&e, CAMERA_FLY);
    const tarn_vec3 at = e.position;
    camera_orbit(&e, 0.4, 0.1); // the camera rotates about its own position
    CHECK_NEAR(distance(e.position, at), 0.0, 1e-12);
    camera_fly(&e, 1.0, 0.0, 0.0);
    CHECK_NEAR(distance(e.position, at), 1.0, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_meet_bodies),
        cmocka_unit_test(rays_meet_water),
        cmocka_unit_test(frames_are_interpolated),
        cmocka_unit_test(camera_control_stays_within_its_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
