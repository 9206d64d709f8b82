// Clipping of hulls at the surface and against columns.
#include "body_def.h"
#include "wave_world.h"

#include "base/math/random.h"
#include "couple/wetted/wetted_rows.h"
#include "world/world.h"

static const char *const shapes[] = {"sphere", "box", "torus", "cylinder", "cone", "capsule"};

// A body of a kind in some pose; kinematic bodies keep it. Columns are 0.1 m wide, or 0.02 m.
static tarn_world *put(const char *shape, double y, int fine)
{
    tarn_world *w = wave_world_create(
        &(struct wave_world){.wide = 4, .deep = 4, .nx = fine ? 200 : 40, .nz = fine ? 200 : 40, .depth = 2});
    tarn_body_def def = body_def(shape);
    tarn_body_id id;
    def.type = TARN_BODY_KINEMATIC;
    def.position = (tarn_vec3){0.013, y, 0.027};
    def.rotation = quat_normalize((quat){1.0, 0.2, 0.3, -0.4});
    def.velocity = (tarn_vec3){0.3, -0.2, 0.1};
    def.angular_velocity = (tarn_vec3){0.1, 0.4, -0.2};
    CHECK_OK(tarn_body_create(w, &def, &id, NULL));
    return w;
}

static const struct trimesh *hull_of(const tarn_world *w)
{
    return &w->bodies.slots[0].body->def.shape->data.hull;
}

// ---- tiles ----------------------------------------------------------------------------------------

// The box of a cluster contains its triangles and its cone their normals; summed over all clusters the
// integrals are those of a closed surface: int n = 0, int n.r = 3 V, int r x n = 0.
static void clusters_contain_every_triangle_once(void **state)
{
    (void)state;
    for (int k = 0; k < COUNT(shapes); ++k) {
        tarn_world *w = put(shapes[k], 2.0, 0);
        const struct trimesh *h = hull_of(w);
        vec3 area = {0, 0, 0}, lever = {0, 0, 0};
        double volume = 0.0;
        int count = 0;
        for (int n = 0; n < h->cluster_count; ++n) {
            const struct triangle_cluster *t = &h->clusters[n];
            assert_int_equal(t->first, count);
            count += t->count;
            area = v3_add(area, t->area_vector), lever = v3_add(lever, t->torque_vector);
            volume += (t->normal_moment[0][0] + t->normal_moment[1][1] + t->normal_moment[2][2]) / 3.0;
            for (int m = t->first; m < t->first + t->count; ++m) {
                const vec3 off = v3_sub(h->facets[m].centroid, t->box_centre), normal = h->facets[m].normal;
                assert_true(fabs(off.x) <= t->box_half.x + 1e-12 && fabs(off.y) <= t->box_half.y + 1e-12 &&
                            fabs(off.z) <= t->box_half.z + 1e-12);
                assert_true(t->cone_sine > 1.0 ||
                            v3_length(v3_cross(normal, t->cone_axis)) <= t->cone_sine + 1e-7);
            }
        }
        const struct volume_moments all = trimesh_moments(h);
        assert_int_equal(count, h->triangle_count);
        CHECK_NEAR(v3_length(area), 0.0, 1e-13); // rounding of a square metre
        CHECK_NEAR(v3_length(lever), 0.0, 1e-13);
        CHECK_NEAR(volume, all.volume, 1e-12 * all.volume);
        tarn_world_destroy(w);
    }
}

static void cut_at(const tarn_world *w, const struct trimesh *h, const struct plane *surface,
                   struct wetted_forces *out)
{
    const struct bodies *b = &w->bodies;
    const struct hull_motion motion = {body_velocity(b, 0), body_angular_velocity(b, 0), v3(0, 0, 0)};
    integrate_wetted_surface(h, &b->state[0], &b->slots[0].body->def, &motion, surface, &w->fluid, out);
}

// Clusters only save time: with boxes so large that every cluster seems to be cut, all is summed triangle
// by triangle.
static void clusters_load_like_their_triangles(void **state)
{
    (void)state;
    for (int k = 0; k < COUNT(shapes); ++k)
        for (int n = 0; n < 5; ++n) {
            tarn_world *w = put(shapes[k], 2.0, 0);
            const struct plane surface = {0.15 * (n - 2), 0.1, -0.2};
            struct trimesh one = *hull_of(w);
            struct triangle_cluster *tiles = malloc((size_t)one.cluster_count * sizeof *tiles);
            struct wetted_forces a, b;
            for (int t = 0; t < one.cluster_count; ++t)
                tiles[t] = one.clusters[t], tiles[t].box_half = v3(9, 9, 9);
            one.clusters = tiles;
            cut_at(w, hull_of(w), &surface, &a);
            cut_at(w, &one, &surface, &b);
            // rounding: forces are up to 1e4 N, torques about 1e3 N m
            CHECK_NEAR(a.volume, b.volume, 1e-14);
            CHECK_NEAR(v3_length(v3_sub(a.pressure, b.pressure)), 0.0, 1e-9);
            CHECK_NEAR(v3_length(v3_sub(a.pressure_torque, b.pressure_torque)), 0.0, 1e-9);
            // a cluster as one facet: its points differ by 5 % in speed, which is 0.1 % of drag
            const double drag = v3_length(b.drag) + 1e-11;
            CHECK_NEAR(v3_length(v3_sub(a.drag, b.drag)), 0.0, 2e-3 * drag);
            CHECK_NEAR(v3_length(v3_sub(a.drag_torque, b.drag_torque)), 0.0, 2e-3 * drag);
            CHECK_NEAR(v3_length(v3_sub(a.lift_torque, b.lift_torque)), 0.0, 2e-3 * drag);
            free(tiles);
            tarn_world_destroy(w);
        }
}

// The drag from the sums of k, k r and k r r^T is the sum over all facets.
static void drag_is_the_sum_over_facets(void **state)
{
    (void)state;
    tarn_world *w = put("torus", 0.5, 0);
    const struct trimesh *h = hull_of(w);
    const struct bodies *b = &w->bodies;
    const double c = 0.5 * 1000.0 * b->slots[0].body->def.drag_coefficient;
    const mat3 turn = quat_to_matrix(b->state[0].rotation);
    struct wetted_forces got;
    vec3 drag = {0, 0, 0}, torque = {0, 0, 0};
    cut_at(w, h, &(struct plane){0, 0, 0}, &got);
    for (int t = 0; t < h->triangle_count; ++t) {
        const vec3 n = mat3_mul(&turn, h->facets[t].normal), r = mat3_mul(&turn, h->facets[t].centroid);
        const vec3 u = v3_add(body_velocity(b, 0), v3_cross(body_angular_velocity(b, 0), r));
        const double fast = v3_length(u), part = fmax(0.0, 0.9 * v3_dot(n, u) / fast + 0.1);
        const vec3 f = v3_scale(u, -c * h->facets[t].area * part * fast);
        drag = v3_add(drag, f), torque = v3_add(torque, v3_cross(r, f));
    }
    CHECK_NEAR(v3_length(v3_sub(got.drag, drag)), 0.0, 1e-12 * v3_length(drag));
    CHECK_NEAR(v3_length(v3_sub(got.drag_torque, torque)), 0.0, 1e-11 * v3_length(torque));
    tarn_world_destroy(w);
}

// ---- columns --------------------------------------------------------------------------------------

// Areas of the parts of a triangle over 2 x 2 columns and integrals of the height, by recursive
// subdivision into points.
static void add_points(const double p[3][3], int depth, double sum[4][2])
{
    if (depth == 0) {
        const double x = (p[0][0] + p[1][0] + p[2][0]) / 3.0, z = (p[0][1] + p[1][1] + p[2][1]) / 3.0;
        const double area =
            0.5 * ((p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (p[1][1] - p[0][1]));
        double *to = sum[(x > 1.0) + 2 * (z > 1.0)];
        to[0] += area, to[1] += area * (p[0][2] + p[1][2] + p[2][2]) / 3.0;
        return;
    }
    double m[3][3], q[4][3][3];
    for (int k = 0; k < 3; ++k)
        for (int n = 0; n < 3; ++n) m[k][n] = 0.5 * (p[(k + 1) % 3][n] + p[(k + 2) % 3][n]);
    memcpy(q[3], m, sizeof m);
    for (int k = 0; k < 3; ++k) {
        memcpy(q[k][0], p[k], sizeof p[k]);
        memcpy(q[k][1], m[(k + 2) % 3], sizeof m[0]);
        memcpy(q[k][2], m[(k + 1) % 3], sizeof m[0]);
    }
    for (int k = 0; k < 4; ++k) add_points((const double(*)[3])q[k], depth - 1, sum);
}

// The parts of a triangle over 2 x 2 columns sum to the triangle.
static void clipped_areas_sum_to_the_triangle(void **state)
{
    (void)state;
    const struct hull_clip_kernels *kernels = KERNELS_SELECT(hull_clip_kernels);
    const int depth = 6; // parts of a 64th: a line through the triangle goes through 3 % of them, half wrong
    for (int n = 0; n < 50; ++n) {
        struct triangle_lanes in;
        struct cell_shares out;
        double p[CLIP_LANES][3][3];
        for (int l = 0; l < CLIP_LANES; ++l)
            for (int k = 0; k < 3; ++k)
                for (int m = 0; m < 3; ++m) {
                    p[l][k][m] = 2.0 * random_unit(7, 0, (uint64_t)(((n * CLIP_LANES + l) * 3 + k) * 3 + m));
                    if (n == 0 && m < 2)
                        p[l][k][m] = (l >> k & 1) + 0.5 * m; // vertices on lines, edges along lines
                }
        for (int l = 0; l < CLIP_LANES; ++l)
            for (int k = 0; k < 3; ++k)
                in.x[k][l] = (float)p[l][k][0], in.z[k][l] = (float)p[l][k][1],
                in.y[k][l] = (float)p[l][k][2];
        kernels->split_2x2(&in, &out);
        for (int l = 0; l < CLIP_LANES; ++l) {
            double sum[4][2] = {{0}}, whole[2] = {0, 0}, got[2] = {0, 0};
            add_points((const double(*)[3])p[l], depth, sum);
            for (int k = 0; k < 4; ++k) {
                CHECK_NEAR(out.area[k][l], sum[k][0], 0.02);
                CHECK_NEAR(out.height[k][l], sum[k][1], 0.04);
                whole[0] += sum[k][0], whole[1] += sum[k][1];
                got[0] += (double)out.area[k][l], got[1] += (double)out.height[k][l];
            }
            CHECK_NEAR(got[0], whole[0], 1e-6); // float
            CHECK_NEAR(got[1], whole[1], 2e-6);
        }
    }
}

static double filled(const tarn_world *w)
{
    const struct body_coupling *p = &w->coupling.per_body[0];
    double sum = 0.0;
    for (int c = 0; c < p->ni * p->nj; ++c) sum += (double)p->columns.displaced_smooth[c];
    return sum * w->fluid.grid.dx * w->fluid.grid.dx;
}

// The columns of a submerged body sum to its volume, whether its triangles are smaller than columns or
// larger.
static void columns_sum_to_the_displaced_volume(void **state)
{
    (void)state;
    for (int k = 0; k < COUNT(shapes); ++k)
        for (int fine = 0; fine < 2; ++fine) {
            tarn_world *w = put(shapes[k], 1.0, fine);
            const double volume = trimesh_moments(hull_of(w)).volume;
            CHECK_NEAR(filled(w), volume, 2e-6 * volume); // float vertices and columns
            tarn_world_destroy(w);
        }
}

// Displaced depth and stiffness do not depend on the plane for which the hull was clipped: all of it dry,
// all of it submerged, or a plane through its centre.
static void clipping_band_does_not_change_results(void **state)
{
    (void)state;
    for (int k = 0; k < COUNT(shapes); ++k)
        for (int fine = 0; fine < 2; ++fine) {
            tarn_world *w = put(shapes[k], 2.0, fine);
            struct body_coupling *p = &w->coupling.per_body[0];
            const struct plane middle = {0.01, 0.05, -0.03};
            float *want = malloc((size_t)p->column_hull_capacity * sizeof *want);
            double stiff[3][3], wanted[3][3];
            for (int n = 0; n < 3; ++n) {
                p->surface_plane = n == 0 ? middle : (struct plane){n == 1 ? -3.0 : 3.0, 0.0, 0.0};
                patch_build(p, &w->fluid, hull_of(w), &w->bodies.state[0]);
                patch_compute_displaced(p, &w->fluid);
                p->surface_plane = middle;
                patch_compute_displaced(p, &w->fluid);
                hydrostatic_stiffness(p, &w->fluid, 0.9, stiff);
                if (n == 0) memcpy(wanted, stiff, sizeof stiff);
                CHECK_NEAR(stiff[0][0], wanted[0][0], 1e-4 * wanted[0][0]); // 1/(1 - 0.9 a) of floats
                for (int c = 0; c < p->ni * p->nj; ++c) {
                    if (n == 0) want[c] = p->columns.displaced_smooth[c];
                    CHECK_NEAR(p->columns.displaced_smooth[c], want[c], 1e-6); // [m] rounding of floats
                }
            }
            p->surface_plane = (struct plane){-3.0, 0.0, 0.0};
            patch_compute_displaced(p, &w->fluid);
            hydrostatic_stiffness(p, &w->fluid, 0.9, stiff);
            CHECK_NEAR(stiff[0][0], 0.0, 0.0);
            free(want);
            tarn_world_destroy(w);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clusters_contain_every_triangle_once),
        cmocka_unit_test(clusters_load_like_their_triangles),
        cmocka_unit_test(drag_is_the_sum_over_facets),
        cmocka_unit_test(clipped_areas_sum_to_the_triangle),
        cmocka_unit_test(columns_sum_to_the_displaced_volume),
        cmocka_unit_test(clipping_band_does_not_change_results),
    };
    return cmocka_run_group_tests_name("press", tests, NULL, NULL);
}
