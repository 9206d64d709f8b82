// Open meshes: cut at the opening they have the compartment that geometry gives; caps close any outline;
// checkpoints and missing memory. (Shapes with walls: test_open_shapes.c)
#include "body_def.h"
#include "counting_allocator.h"
#include "memory_stream.h"
#include "open_shapes.h"
#include "world_setup.h"

#include <tarn/tarn.h>

// ---- meshes -----------------------------------------------------------------------------------------

static struct shape_data make_mesh(const struct list *l, double scale, double rim)
{
    const tarn_mesh mesh = {l->vertex_count, l->triangle_count, l->vertices, l->triangles};
    const struct shape_input in = {.mesh = &mesh};
    const tarn_spec s = with(with(spec_of("mesh"), "scale", scale), "rim_height", rim);
    struct shape_data f;
    tarn_error err;
    if (try_make(&in, &s, &f, &err) != TARN_OK) fail_msg("%s: %s", err.key, err.message);
    return f;
}

static struct list list_of(const struct trimesh *h, vec3 by)
{
    struct list l = {0};
    for (int i = 0; i < h->vertex_count; ++i) {
        const vec3 v = v3_add(h->vertices[i], by);
        point(&l, v.x, v.y, v.z);
    }
    for (int t = 0; t < h->triangle_count; ++t)
        face(&l, h->triangles[t][0], h->triangles[t][1], h->triangles[t][2]);
    return l;
}

// The surface of every open shape, used as an open mesh, is the same body.
static void open_mesh_keeps_interior_volume(void **state)
{
    (void)state;
    const double bowl[][2] = {{0, 0}, {0.3, 0.05}, {0.5, 0.3}};
    const tarn_spec specs[] = {open_box(v3(0.5, 0.3, 0.9), 0.03),
                               with(spec_of("cylinder"), "wall_thickness", 0.02),
                               with(table("lathe", 3, bowl[0]), "wall_thickness", 0.02),
                               with(spec_of("wigley"), "wall_thickness", 0.01)};
    for (int k = 0; k < 2 * COUNT(specs); ++k) {
        struct shape_data f = make(specs[k / 2]);
        const double up = k % 2 ? 0.3 : 0, scale = k % 2 ? 0.7 : 1, cube = scale * scale * scale;
        struct list l = list_of(&f.solid_surface, v3(-3 * up, up, 2 * up));
        struct shape_data g = make_mesh(&l, scale, scale * (f.opening[0].y + up));
        const struct volume_moments of = trimesh_moments(&f.compartment),
                                    to = trimesh_moments(&g.compartment);
        CHECK_NEAR(g.volume, cube * f.volume, 1e-11 * f.volume);
        CHECK_NEAR(g.compartment_volume, cube * f.compartment_volume, 1e-11 * f.compartment_volume);
        CHECK_NEAR(v3_length(v3_sub(to.centroid, v3_scale(of.centroid, scale))), 0, 1e-11);
        assert_int_equal(g.opening_count, f.opening_count);
        CHECK_NEAR(rim_area(&g), scale * scale * rim_area(&f), 1e-11);
        assert_int_equal(g.solid_surface.triangle_count, f.solid_surface.triangle_count);
        check_open(&g);
        for (int i = 0; i < 100; ++i) // it collides as its convex hull, as before
            assert_true(support_all(&g, direction(i)) <= scale * support_all(&f, direction(i)) * (1 + 5e-3));
        shape_data_free(&f, &heap);
        shape_data_free(&g, &heap);
        drop(&l);
    }
}

// A tub with the outline r(angle): 0.1 m of floor, walls up to 0.5 m; the inside is 0.8 of the outline at
// the top and `taper` of that at the floor. It may contain a post of 0.1 of the outline.
#define AROUND 60
static void add_ring(struct list *l, const double *r, double scale, double y, double x)
{
    for (int i = 0; i < AROUND; ++i) {
        const double a = 2 * PI * i / AROUND;
        point(l, x + scale * r[i] * sin(a), y, scale * r[i] * cos(a));
    }
}

static void add_belt(struct list *l, int low, int high)
{
    for (int i = 0; i < AROUND; ++i) {
        const int j = (i + 1) % AROUND;
        face(l, low + i, low + j, high + j);
        face(l, low + i, high + j, high + i);
    }
}

static void add_fan(struct list *l, int ring, double y, double x)
{
    const int middle = point(l, x, y, 0);
    for (int i = 0; i < AROUND; ++i) face(l, ring + i, ring + (i + 1) % AROUND, middle);
}

static void add_tub(struct list *l, const double *r, double taper, double x, bool post, double lip)
{
    const int n = AROUND, first = l->vertex_count;
    add_ring(l, r, 1, 0, x);
    add_ring(l, r, 1, 0.5, x);
    add_ring(l, r, lip, 0.5, x);
    add_ring(l, r, 0.8 * taper, 0.1, x);
    if (lip < 1) add_belt(l, first + n, first + 2 * n);
    add_belt(l, first, first + n);
    add_belt(l, lip < 1 ? first + 2 * n : first + n, first + 3 * n);
    const int bottom = point(l, x, 0, 0);
    for (int i = 0; i < n; ++i) face(l, first + (i + 1) % n, first + i, bottom);
    if (!post) {
        add_fan(l, first + 3 * n, 0.1, x);
        return;
    }
    const int foot = l->vertex_count;
    add_ring(l, r, 0.1, 0.1, x);
    add_ring(l, r, 0.1, 0.7, x);
    add_belt(l, first + 3 * n, foot);
    add_belt(l, foot, foot + n);
    add_fan(l, foot + n, 0.7, x);
}

static double outline(double *r, int kind)
{
    double twice = 0;
    for (int i = 0; i < AROUND; ++i) {
        const double a = 2 * PI * i / AROUND;
        r[i] = kind == 0   ? 1
               : kind == 1 ? 0.6 / fmax(fabs(sin(a)), fabs(cos(a)))
               : kind == 2 ? 1 - 0.6 * (i % 2)
                           : 1 + 0.4 * dice(i);
    }
    for (int i = 0; i < AROUND; ++i) twice += r[i] * r[(i + 1) % AROUND] * sin(2 * PI / AROUND);
    return twice / 2;
}

// Round, square, star-shaped and irregular outlines, cut at heights that are not those of vertices: the
// compartment is a frustum.
static void open_meshes_are_cut_at_their_rim(void **state)
{
    (void)state;
    const double rims[] = {0.5, 0.45, 0.2, 0.500000005, 0.3};
    for (int k = 0; k < 4 * COUNT(rims); ++k) {
        double r[AROUND];
        const double area = outline(r, k % 4), rim = rims[k / 4], high = fmin(rim, 0.5);
        for (int n = 0; n < 2; ++n) {
            const double lip = n ? 1 : 0.8, taper = n ? 0.6 : 1; // with n: a sharp edge
            const double low = 0.8 * taper, wide = low + (lip - low) * (high - 0.1) / 0.4;
            const double whole = 0.5 * area - 0.4 / 3 * area * (lip * lip + lip * low + low * low);
            struct list l = {0};
            add_tub(&l, r, taper, 3, false, lip);
            // as floats of a file: an opening at the top is found
            for (int i = 0; i < 3 * l.vertex_count; ++i) l.vertices[i] = (float)l.vertices[i];
            struct shape_data f = make_mesh(&l, 1, rim);
            const double held = (high - 0.1) / 3 * area * (wide * wide + wide * low + low * low);
            CHECK_NEAR(f.compartment_volume, held, 1e-6 * held); // floats
            CHECK_NEAR(f.volume, whole, 1e-6 * whole + 1e-6 * area);
            check_open(&f);
            shape_data_free(&f, &heap);
            drop(&l);
        }
    }
}

// A tilted tub: the volume below a plane that meets neither floor nor top is the area times the depth on
// the axis.
static void tilted_tubs_have_exact_submerged_volume(void **state)
{
    (void)state;
    const double lean = 0.15, depth = 0.2;
    for (int kind = 0; kind < 2; ++kind) {
        double r[AROUND];
        const double area = 0.64 * outline(r, kind);
        struct list l = {0};
        add_tub(&l, r, 1, 0, false, 0.8);
        for (int i = 0; i < l.vertex_count; ++i) {
            double *p = l.vertices + 3 * i;
            const double x = p[0];
            p[0] = x * cos(lean) - p[1] * sin(lean), p[1] = x * sin(lean) + p[1] * cos(lean);
        }
        struct shape_data f = make_mesh(&l, 1, (0.1 + depth) * cos(lean));
        CHECK_NEAR(f.compartment_volume, area * depth, 1e-12);
        check_open(&f);
        shape_data_free(&f, &heap);
        drop(&l);
    }
}

static void open_meshes_need_exactly_one_compartment(void **state)
{
    (void)state;
    double r[AROUND];
    outline(r, 0);
    struct list block = cube(), ring = torus(1, 0.3, 24, 12), one = {0}, two = {0}, post = {0},
                hollow = cube();
    const tarn_spec s = with(spec_of("mesh"), "rim_height", 0.4);
    refuse(&block, s, "rim_height", "no compartment below the rim");
    refuse(&ring, s, "rim_height", "no compartment below the rim");
    add_tub(&one, r, 1, 0, false, 0.8);
    refuse(&one, with(s, "rim_height", 0.1), "rim_height", "no compartment below the rim"); // the floor
    refuse(&one, with(s, "rim_height", 0.6), "rim_height", "no compartment below the rim"); // above
    refuse(&one, with(s, "rim_height", -1), "rim_height", "no compartment below the rim");
    add_tub(&two, r, 1, 0, false, 0.8);
    add_tub(&two, r, 1, 3, false, 0.8);
    refuse(&two, s, "rim_height", "2 compartments below the rim");
    add_tub(&post, r, 1, 0, true, 0.8);
    refuse(&post, s, "rim_height", "more than one opening");
    const int own = hollow.triangle_count; // a closed cavity
    add_box(&hollow, v3(0.1, 0.1, 0.1), v3(0.2, 0.2, 0.2));
    turn_faces(&hollow, own, 1);
    refuse(&hollow, s, "rim_height", "no compartment below the rim");
    drop(&block), drop(&ring), drop(&one), drop(&two), drop(&post), drop(&hollow);
}

// ---- lids -------------------------------------------------------------------------------------------

static void check_lid(const double (*at)[2], int count)
{
    vec3 *v = calloc((size_t)count, sizeof *v);
    int *loop = calloc((size_t)count, 7 * sizeof(int)), *work = loop + count;
    int(*lid)[3] = (int(*)[3])(work + 3 * count);
    double want = 0, got = 0;
    for (int i = 0; i < count; ++i) v[i] = v3(at[i][1], 2, at[i][0]), loop[i] = i; // seen from above
    for (int i = 0; i < count; ++i) {
        const double *a = at[i], *b = at[(i + 1) % count];
        want += a[0] * b[1] - a[1] * b[0];
    }
    assert_true(triangulate_polygon(v, loop, count, work, lid));
    for (int t = 0; t < count - 2; ++t) {
        const double *a = at[lid[t][0]], *b = at[lid[t][1]], *c = at[lid[t][2]];
        const double area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        assert_true(area > 1e-12 * want); // also with collinear vertices
        got += area;
    }
    CHECK_NEAR(got, want, 1e-12 * want); // none is inverted, so they do not overlap
    free(loop);
    free(v);
}

static void caps_fill_their_openings(void **state)
{
    (void)state;
    const double square[][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    const double corner[][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 3}, {0, 3}};
    const double row[][2] = {{0, 0},     {0.1, 0},   {0.3, 0}, {0.7, 0}, {1, 0},
                             {0.9, 0.1}, {0.5, 0.5}, {0, 1},   {0, 0.2}};
    check_lid(square, COUNT(square));
    check_lid(corner, COUNT(corner));
    check_lid(row, COUNT(row));
    double comb[400][2];
    for (int i = 0; i < 398; ++i) comb[i][0] = 398 - i, comb[i][1] = i % 2 ? 1 : 100;
    comb[398][0] = 0, comb[398][1] = 0, comb[399][0] = 399, comb[399][1] = 0;
    check_lid(comb, COUNT(comb));
    double spiral[600][2];
    for (int i = 0; i < 300; ++i) {
        const double a = 0.1 * i;
        spiral[i][0] = (1 + a) * cos(a), spiral[i][1] = (1 + a) * sin(a);
        spiral[599 - i][0] = (0.5 + a) * cos(a), spiral[599 - i][1] = (0.5 + a) * sin(a);
    }
    check_lid(spiral, COUNT(spiral));
}

static void self_intersecting_rims_are_rejected(void **state)
{
    (void)state;
    const vec3 bow[] = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {1, 0, 1}, {2, 0, 0.5}, {2, 0, -3}};
    const int back[] = {0, 2, 1}, all[] = {0, 3, 2, 1}, line[] = {0, 2, 0};
    int work[18], lid[6][3];
    assert_false(triangulate_polygon(bow, back, 3, work, lid)); // clockwise
    assert_false(triangulate_polygon(bow, all, 4, work, lid));  // no area
    assert_false(triangulate_polygon(bow, line, 3, work, lid));
    assert_false(triangulate_polygon(bow, back, 2, work, lid));
}

// ---- saving, memory ---------------------------------------------------------------------------------

static void open_bodies_come_back_from_a_checkpoint(void **state)
{
    (void)state;
    static struct memory_stream file;
    double r[AROUND];
    outline(r, 0);
    struct list l = {0};
    add_tub(&l, r, 1, 0, false, 0.8);
    struct world_setup def = world_setup(TARN_FLUID_DRY);
    tarn_world *w = NULL, *again = NULL;
    tarn_body_id id;
    CHECK_OK(setup_create(&def, &w, NULL));
    tarn_body_def d = tarn_default_body_def();
    d.shape = mesh_shape_of((tarn_mesh){l.vertex_count, l.triangle_count, l.vertices, l.triangles});
    CHECK_OK(set_shape(&d, "rim_height", tarn_value_number(0.4), NULL));
    CHECK_OK(tarn_body_create(w, &d, &id, NULL));
    d.shape = body_def("cylinder").shape;
    CHECK_OK(set_shape(&d, "wall_thickness", tarn_value_number(0.03), NULL));
    d.position.y = 4;
    CHECK_OK(tarn_body_create(w, &d, &id, NULL));
    CHECK_OK(tarn_world_advance(w, 0.1));
    file.size = file.at = 0;
    CHECK_OK(tarn_world_save(w, stream_write, &file));
    CHECK_OK(tarn_world_load(stream_read, &file, NULL, &again, NULL));
    assert_int_equal(tarn_world_hash(w), tarn_world_hash(again));
    CHECK_OK(tarn_world_advance(w, 1));
    CHECK_OK(tarn_world_advance(again, 1));
    assert_int_equal(tarn_world_hash(w), tarn_world_hash(again));
    tarn_frame a = {0}, b = {0};
    CHECK_OK(tarn_world_get_frame(w, 1, &a));
    CHECK_OK(tarn_world_get_frame(again, 1, &b));
    for (int i = 0; i < 2; ++i) {
        const tarn_render_mesh *m = a.bodies[i].mesh, *n = b.bodies[i].mesh;
        assert_int_equal(m->vertex_count, n->vertex_count);
        assert_memory_equal(m->vertices, n->vertices, sizeof(float) * 3 * (size_t)m->vertex_count);
    }
    tarn_frame_free(&a);
    tarn_frame_free(&b);
    tarn_world_destroy(w);
    tarn_world_destroy(again);
    drop(&l);
}

static void missing_memory_is_reported_as_a_result(void **state)
{
    (void)state;
    struct counting_allocator ledger = {0};
    const tarn_allocator hook = counting_hook(&ledger);
    double r[AROUND];
    outline(r, 2);
    struct list l = {0};
    add_tub(&l, r, 1, 0, false, 0.8);
    const tarn_mesh mesh = {l.vertex_count, l.triangle_count, l.vertices, l.triangles};
    const struct shape_part part = {.shape = with(spec_of("box"), "wall_thickness", 0.01),
                                    .rotation = {1, 0, 0, 0}};
    const tarn_spec specs[] = {with(spec_of("box"), "wall_thickness", 0.02),
                               with(spec_of("cylinder"), "wall_thickness", 0.02),
                               with(spec_of("wigley"), "wall_thickness", 0.02),
                               with(spec_of("mesh"), "rim_height", 0.3), spec_of("compound")};
    const struct shape_input in = {.parts = &part, .part_count = 1};
    tarn_compound_child *children = make_children(&in);
    for (int k = 0; k < COUNT(specs); ++k) {
        tarn_result got = TARN_NO_MEMORY;
        int needed = 0;
        for (; got != TARN_OK && needed < 300; ++needed) {
            tarn_error err = {0};
            tarn_shape_def def;
            tarn_shape *shape;
            CHECK_OK(tarn_shape_def_from_spec(&specs[k], &def));
            if (def.type == TARN_SHAPE_MESH) def.mesh.mesh = mesh;
            if (def.type == TARN_SHAPE_COMPOUND) def.compound = (tarn_compound){children, 1};
            ledger.left = needed;
            got = tarn_shape_create(&def, &hook, &shape, &err);
            if (got == TARN_OK)
                tarn_shape_release(shape);
            else
                assert_int_equal(err.code, TARN_NO_MEMORY);
            assert_int_equal(ledger.blocks, 0);
        }
        assert_int_equal(got, TARN_OK);
        assert_true(needed > 15);
    }
    assert_int_equal(ledger.now, 0);
    release_children(children, 1);
    drop(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_mesh_keeps_interior_volume),
        cmocka_unit_test(open_meshes_are_cut_at_their_rim),
        cmocka_unit_test(tilted_tubs_have_exact_submerged_volume),
        cmocka_unit_test(open_meshes_need_exactly_one_compartment),
        cmocka_unit_test(caps_fill_their_openings),
        cmocka_unit_test(self_intersecting_rims_are_rejected),
        cmocka_unit_test(open_bodies_come_back_from_a_checkpoint),
        cmocka_unit_test(missing_memory_is_reported_as_a_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
