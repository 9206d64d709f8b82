// Mesh files: values are read exactly; damaged and malicious files are rejected with a message. (glTF:
// test_gltf.c)
#define _XOPEN_SOURCE 700
#include "body/shape/shape.h"
#include "mesh_samples.h"

#include <locale.h>
#include <unistd.h>

static void every_format_gives_the_same_box(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * FORMATS; ++i) { // recognised by content alone, too
        struct string_buffer t = box_as(i / 2);
        struct mesh m;
        struct load_error f;
        if (mesh_parse(i % 2 ? "mesh" : names[i / 2], t.data, t.size, NULL, &m, &f) != TARN_OK)
            fail_msg("%s: %s", names[i / 2], f.message);
        const tarn_mesh_report report = report_of(&m);
        assert_int_equal(m.triangle_count, 12);
        assert_int_equal(report.welded_vertices, 8);
        assert_true(report.closed && report.flipped_faces == 0 && report.components == 1);
        const int moved = i / 2 >= GLTF; // nodes translate it; the other two rotate it forth and back
        CHECK_NEAR(report.volume, 6.0, 1e-14);
        CHECK_NEAR(report.box_min.x, moved ? 5 : 0, 1e-14);
        CHECK_NEAR(report.box_max.x, moved ? 6 : 1, 1e-14);
        CHECK_NEAR(report.box_min.y, moved ? 6 : 0, 1e-14);
        CHECK_NEAR(report.box_max.y, moved ? 8 : 2, 1e-14);
        CHECK_NEAR(report.box_min.z, moved ? 7 : 0, 1e-14);
        CHECK_NEAR(report.box_max.z, moved ? 10 : 3, 1e-14);
        mesh_free(&m);
        free(t.data);
    }
}

// Truncated at any byte, nothing is read beyond the end (the copy is exact, so that a sanitizer sees it),
// and only an OBJ, whose lines are independent, may still be a mesh; otherwise the missing part must be
// irrelevant.
static void every_truncation_is_rejected(void **state)
{
    (void)state;
    for (int i = 0; i < FORMATS; ++i) {
        struct string_buffer t = box_as(i);
        size_t needed = t.size;
        if (i == STL_TEXT) needed -= strlen(" my box\n");
        if (i == PLY_TEXT || i == GLTF) needed -= 1; // the last line end
        for (size_t n = 0; n < t.size; ++n) {
            char *cut = malloc(n ? n : 1);
            struct mesh m;
            struct load_error f;
            memcpy(cut, t.data, n);
            const tarn_result r = mesh_parse(names[i], cut, n, NULL, &m, &f);
            check_whole(r, &m, &f);
            if (i != OBJ && (r == TARN_OK) != (n >= needed))
                fail_msg("%s, %zu bytes: %s", names[i], n, f.message);
            mesh_free(&m);
            free(cut);
        }
        free(t.data);
    }
}

// Any byte is replaced by any other.
static void damaged_bytes_do_not_crash(void **state)
{
    (void)state;
    for (int i = 0; i < FORMATS; ++i) {
        struct string_buffer t = box_as(i);
        for (size_t n = 0; n < t.size; ++n) {
            static const char others[] = {0, '9', '-', (char)0xff, 'e', '\n'};
            const char was = t.data[n];
            for (size_t k = 0; k < sizeof others; ++k) {
                struct mesh m;
                struct load_error f;
                t.data[n] = others[k];
                check_whole(mesh_parse(names[i], t.data, t.size, NULL, &m, &f), &m, &f);
                mesh_free(&m);
            }
            t.data[n] = was;
        }
        free(t.data);
    }
}

// ---- OBJ --------------------------------------------------------------------------------------------

#define THREE "v 0 0 0\nv 1 0 0\nv 0 1 0\n"

static void obj_errors_name_the_line(void **state)
{
    (void)state;
    refused_text("a.obj", "", "empty");
    refused_text("a.obj", "# nothing\n", "no faces");
    refused_text("a.obj", THREE "f 1 2 4\n", "line 4: no vertex '4'; number of vertices: 3");
    refused_text("a.obj", THREE "f 1 2 -4\n", "line 4: no vertex '-4'");
    refused_text("a.obj", THREE "f 1 2 0\n", "line 4: no vertex '0'");
    refused_text("a.obj", THREE "f 1 2 99999999999999999999\n", "line 4: no vertex");
    refused_text("a.obj", THREE "f 1 2\n", "line 4: expected at least three corners of a face, found 2");
    refused_text("a.obj", THREE "f 1 2 x\n", "line 4: 'x' is not a corner");
    refused_text("a.obj", THREE "f 1 2 3;\n", "line 4: '3;' is not a corner");
    refused_text("a.obj", "v 0 0\n", "line 1: expected three coordinates of a vertex, found 2");
    refused_text("a.obj", "\n\nv 0 nan 0\n", "line 3: 'nan' is not a number");
    refused_text("a.obj", "v 0 1e999 0\n", "line 1: '1e999' is not a number");
    refused_text("a.obj", "v 0 1,5 0\n", "a decimal number has a point");
    refused_text("a.obj", "v 0 \\\n 0 \\\n x\n" THREE "f 1 2 3", "line 3: 'x'");
    refused_text("a.obj", "\xef\xbb\xbf\xef\xbb\xbf", "no faces");
    refused_text("a.obj", "\xef\xbb\xbf \n", "empty");
    refused_text("model", "hello\n", "unknown mesh format; known: STL, glTF, PLY, OBJ");
}

// Vertices may come after the faces that use them; -1 counts from those before the line.
static void obj_order_and_polygons(void **state)
{
    (void)state;
    const char text[] = "\xef\xbb\xbf"
                        "f 1 2 3\n" THREE "f -3 -2 -1\nv 5 5 5\nv 6 6 6\nf 1 2 3 4 5 # five\n";
    struct mesh m;
    struct load_error f;
    if (mesh_parse("a.obj", text, strlen(text), NULL, &m, &f) != TARN_OK) fail_msg("%s", f.message);
    const int want[] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 2, 3, 0, 3, 4};
    assert_int_equal(m.triangle_count, 5);
    assert_memory_equal(m.triangles, want, sizeof want);
    mesh_free(&m);
}

static void locale_does_not_change_results(void **state)
{
    (void)state;
    const char text[] = "v 0.5 0 0\nv 1.25 0 0\nv 0 1e-1 0\nf 1 2 3\n";
    struct mesh m;
    struct load_error f;
    static const char *const comma[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "es_ES.UTF-8"};
    const char *set = NULL;
    for (int i = 0; !set && i < COUNT(comma); ++i) set = setlocale(LC_ALL, comma[i]);
    if (!set) skip();
    assert_int_equal(mesh_parse("a.obj", text, strlen(text), NULL, &m, &f), TARN_OK);
    assert_true(m.vertices[0] == 0.5 && m.vertices[3] == 1.25 && m.vertices[7] == 0.1);
    mesh_free(&m);
    setlocale(LC_ALL, "C");
}

// ---- STL and PLY ------------------------------------------------------------------------------------

static void stl_errors_name_the_line(void **state)
{
    (void)state;
    const char facet[] = "solid\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n";
    char text[300];
    snprintf(text, sizeof text, "%svertex 0 1\nendloop\nendfacet\nendsolid\n", facet);
    refused_text("a.stl", text, "line 7: 'endloop' is not a number");
    snprintf(text, sizeof text, "%sendloop\n", facet);
    refused_text("a.stl", text, "line 6: expected 'vertex', found 'endloop'");
    snprintf(text, sizeof text, "%svertex 0 inf 0\n", facet);
    refused_text("a.stl", text, "line 6: 'inf' is not a number");
    refused_text("a.stl", "solid a\nendsolid a\n", "no triangles");
    refused_text("a.stl", "solid a\nendsolid a\nmore\n", "line 3: 'more' after the end");

    struct string_buffer t = stl_box(1);
    t.data[80] = 13; // one triangle more than there are
    refused("b.stl", t.data, t.size, "solid");
    memset(t.data, ' ', 5);
    refused("b.stl", t.data, t.size, "byte 80: 13 triangles take 734 bytes, but the file has 684");
    memcpy(t.data + 80, "\xff\xff\xff\xff", 4);
    refused("b.stl", t.data, t.size, "byte 80: 4294967295 triangles take 214748364834 bytes");
    memcpy(t.data + 80, "\x0c\0\0", 4);
    memset(t.data + 84 + 50 + 12, 0xff, 4);
    refused("b.stl", t.data, t.size, "byte 146: this is not a finite number");
    free(t.data);
}

#define PLY_HEAD(format, vertices, faces)                                         \
    "ply\nformat " format " 1.0\nelement vertex " vertices                        \
    "\nproperty float x\nproperty float y\nproperty float z\nelement face " faces \
    "\nproperty list uchar int vertex_index\nend_header\n"
#define PLY_3 "0 0 0\n1 0 0\n0 1 0\n"

static void ply_errors_name_the_line(void **state)
{
    (void)state;
    refused_text("a.ply", "plx", "line 1: not a PLY");
    refused_text("a.ply", "ply\nformat utf8 1.0\n", "line 2: 'utf8' is not a format");
    refused_text("a.ply", "ply\nformat ascii\nend_header\n", "line 2: 1.0 is missing");
    refused_text("a.ply", "ply\nelement vertex 3\nend_header\n", "no format");
    refused_text("a.ply", "ply\nformat ascii 1.0\nproperty float x\n", "line 3: property without an element");
    refused_text("a.ply", "ply\nformat ascii 1.0\nelement vertex -3\n",
                 "line 3: '-3' is not a number of elements");
    refused_text("a.ply", "ply\nformat ascii 1.0\nelement vertex 3\nproperty real x\n",
                 "line 4: 'real' is not a type");
    refused_text("a.ply", "ply\nformat ascii 1.0\nelement vertex 3\nelement vertex 3\n",
                 "line 4: duplicate element");
    refused_text("a.ply", "ply\nformat ascii 1.0\nelement vertex 3\nend_header\n",
                 "no element 'vertex' with");
    refused_text("a.ply", "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float x\n",
                 "line 5: duplicate property");
    refused_text("a.ply", PLY_HEAD("ascii", "3", "1") PLY_3 "3 0 1 3\n",
                 "line 13: '3' is not a vertex number");
    refused_text("a.ply", PLY_HEAD("ascii", "3", "1") PLY_3 "3 0 1 -1\n",
                 "line 13: '-1' is not a vertex number");
    refused_text("a.ply", PLY_HEAD("ascii", "3", "1") PLY_3 "3 0 1 0.5\n",
                 "line 13: '0.5' is not a vertex number");
    refused_text("a.ply", PLY_HEAD("ascii", "3", "1") PLY_3 "2 0 1\n", "line 13: '2' corners are no face");
    refused_text("a.ply", PLY_HEAD("ascii", "3", "1") PLY_3 "300 0 1\n", "line 13: '300' is a length that");
    refused_text("a.ply", PLY_HEAD("ascii", "3", "1") PLY_3 "3 0 1 2\n3 0 1 2\n",
                 "line 14: data after the last element");
    refused_text("a.ply", PLY_HEAD("ascii", "3", "2") PLY_3 "3 0 1 2\n", "line 14: the file ends early");
    refused_text("a.ply", PLY_HEAD("ascii", "3", "1") "0 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n", "line 11: 'nan'");
}

// Sizes in the header are compared with the size of the file before memory is allocated.
static void ply_sizes_are_checked_before_memory_is_allocated(void **state)
{
    (void)state;
    refused_text("a.ply", PLY_HEAD("ascii", "9999999", "1") PLY_3,
                 "line 10: the file is too short for 9999999");
    refused_text("a.ply", PLY_HEAD("ascii", "3", "10000000") PLY_3,
                 "line 12: the file is too short for 10000000");
    refused_text("a.ply",
                 PLY_HEAD("binary_big_endian", "3", "10000000") "0 0 0 1 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 ",
                 "the file is too short for 10000000");
    refused_text("a.ply", PLY_HEAD("ascii", "10000001", "1") PLY_3,
                 "line 3: a mesh has at most 10000000 vertices");
    refused_text("a.ply", PLY_HEAD("ascii", "1e300", "1") PLY_3, "line 3: '1e300'");
    refused_text("a.ply", PLY_HEAD("ascii", "3", "0") PLY_3, "the file has no faces");
    for (int k = 0; k < 2; ++k) { // headers that do not end
        struct string_buffer head = {0};
        buffer_append_string(&head, "ply\nformat ascii 1.0\nelement vertex 3\n");
        for (int n = 0; n < 64; ++n)
            buffer_append_string(&head, k ? "element other 1\n" : "property float a\n");
        buffer_append_string(&head, "property float b\n");
        refused("a.ply", head.data, head.size,
                k ? "line 35: more than 32 elements" : "line 68: more than 64 properties");
        free(head.data);
    }
}

static void binary_ply_errors_name_the_byte(void **state)
{
    (void)state;
    struct string_buffer t = ply_box(LITTLE);
    const size_t size = t.size;
    char words[80];
    buffer_append(&t, "x", 1);
    snprintf(words, sizeof words, "byte %zu: data after the last element", size);
    refused("b.ply", t.data, t.size, words);
    t.size = size;
    const size_t first = t.size - 2 - 6 * (1 + 4 + 1 + 16);
    memset(t.data + first + 6, 0xff, 4);
    snprintf(words, sizeof words, "byte %zu: the value is not a vertex number", first + 6);
    refused("b.ply", t.data, t.size, words);
    memset(t.data + first - 4, 0xff, 4);
    snprintf(words, sizeof words, "byte %zu: the value is not a finite number", first - 4);
    refused("b.ply", t.data, t.size, words);
    free(t.data);
}

// An element without properties takes no bytes, however many there are: it must take no time either.
static void ply_empty_elements_cost_nothing(void **state)
{
    (void)state;
    const char text[] =
        "ply\nformat ascii 1.0\nelement nothing 999999999999999\nelement vertex 3\nproperty float x\n"
        "property float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\n"
        "end_header\n" PLY_3 "3 0 1 2\n";
    struct mesh m;
    struct load_error f;
    if (mesh_parse("a.ply", text, strlen(text), NULL, &m, &f) != TARN_OK) fail_msg("%s", f.message);
    mesh_free(&m);
}

// The triangles that a program gets for a body are those of the file, a box of 1 x 2 x 3 m; freeing twice
// is allowed.
static void triangles_are_read_and_freed(void **state)
{
    static const char *const wrong[][2] = {{"v 0 0 0\nf 1 2 3\n", "no vertex '2'"}, {"", "empty"}};
    char path[] = "/tmp/tarn_triangles_XXXXXX";
    tarn_mesh t;
    tarn_diagnostics diagnostics = {0};
    (void)state;
    const int file = mkstemp(path);
    struct string_buffer box = box_as(OBJ);
    assert_true(file >= 0 && write(file, box.data, box.size) == (ssize_t)box.size);
    CHECK_OK(tarn_mesh_file_read(path, &t, &diagnostics));
    assert_int_equal(t.vertex_count, 8);
    assert_int_equal(t.triangle_count, 12);
    tarn_mesh_report report;
    CHECK_OK(
        tarn_mesh_inspect(t.vertex_count, t.vertices, t.triangle_count, t.triangles, NULL, &report, NULL));
    CHECK_NEAR(report.volume, 6.0, 1e-14);
    for (int k = 0; k < 2; ++k) {
        tarn_mesh_file_free(&t);
        assert_true(!t.vertices && !t.triangles && t.vertex_count == 0 && t.triangle_count == 0);
    }
    tarn_mesh_file_free(NULL);
    assert_int_equal(tarn_mesh_file_read(NULL, &t, NULL), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_mesh_file_read(path, NULL, NULL), TARN_BAD_ARGUMENT);
    for (int k = 0; k < COUNT(wrong); ++k) {
        assert_int_equal(ftruncate(file, 0), 0);
        assert_int_equal(pwrite(file, wrong[k][0], strlen(wrong[k][0]), 0), (ssize_t)strlen(wrong[k][0]));
        assert_int_equal(tarn_mesh_file_read(path, &t, &diagnostics), TARN_BAD_INPUT);
        assert_true(!t.vertices && !t.triangles && t.triangle_count == 0);
        assert_int_equal(diagnostics.count, k + 1);
        if (!strstr(diagnostics.list[k].message, wrong[k][1])) fail_msg("%s", diagnostics.list[k].message);
    }
    // Beyond the largest coordinate: it is read, but not a solid.
    static const char far[] = "v 0 0 0\nv 1e10 0 0\nv 0 1 0\nf 1 2 3\n";
    assert_int_equal(pwrite(file, far, strlen(far), 0), (ssize_t)strlen(far));
    assert_int_equal(tarn_mesh_file_inspect(path, &report, &diagnostics), TARN_BAD_INPUT);
    assert_int_equal(diagnostics.count, COUNT(wrong) + 1);
    assert_non_null(strstr(diagnostics.list[COUNT(wrong)].message, "1e+10"));
    close(file), remove(path);
    assert_int_equal(tarn_mesh_file_read(path, &t, NULL), TARN_IO);
    tarn_diagnostics_free(&diagnostics);
    free(box.data);
}

// The Stanford bunny as glmark2 has it: installed, not copied.
static void bunny_mesh_is_closed_by_repair(void **state)
{
    (void)state;
    const char *path = "/usr/share/glmark2/models/bunny.obj";
    tarn_mesh_report f;
    if (access(path, R_OK) != 0) {
        print_message("%s is not installed (Debian: glmark2-data)\n", path);
        skip();
    }
    CHECK_OK(tarn_mesh_file_inspect(path, &f, NULL));
    assert_int_equal(f.vertices, 34835);
    assert_int_equal(f.welded_vertices, 34835);
    assert_int_equal(f.triangles, 69666);
    assert_true(f.closed && f.components == 1 && f.flipped_faces == 0 && f.dropped_faces == 0 &&
                f.holes == 0);
    CHECK_NEAR(f.volume, 1.59981, 5e-6); // as many digits as are known
}

// As a body it has the mass of its report, and its hull of 96 vertices contains nearly all of it.
static void bunny_mesh_is_a_valid_body(void **state)
{
    (void)state;
    const char *path = "/usr/share/glmark2/models/bunny.obj";
    struct mesh mesh = {0};
    struct memory heap;
    struct shape_data f;
    if (access(path, R_OK) != 0) skip();
    CHECK_OK(mesh_read_path(path, &mesh, NULL));
    tarn_shape_def def = tarn_default_shape_def(TARN_SHAPE_MESH);
    def.mesh.mesh = (tarn_mesh){mesh.vertex_count, mesh.triangle_count, mesh.vertices, mesh.triangles};
    const tarn_mesh_report report = report_of(&mesh);
    memory_init(&heap, NULL);
    CHECK_OK(shape_kind_at(TARN_SHAPE_MESH)->make(def.space, &heap, &f, NULL));
    CHECK_NEAR(f.volume, report.volume, 1e-12 * f.volume);
    CHECK_NEAR(f.inertia.m[0][0] + f.inertia.m[1][1] + f.inertia.m[2][2],
               report.inertia.x + report.inertia.y + report.inertia.z, 1e-9 * f.volume);
    assert_in_range(f.convex_parts[0].vertex_count, 50, 96);
    double out = 0;
    for (int s = 0; s < f.convex_parts[0].face_count; ++s)
        for (int i = 0; i < f.hull.vertex_count; ++i) {
            const struct convex_face *side = &f.convex_parts[0].faces[s];
            out = fmax(out, v3_dot(side->normal, v3_sub(f.hull.vertices[i], f.convex_parts[0].position)) -
                                side->offset);
        }
    assert_true(out < 0.02 * f.convex_parts[0].bounding_radius);
    shape_data_free(&f, &heap);
    mesh_free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_gives_the_same_box),
        cmocka_unit_test(every_truncation_is_rejected),
        cmocka_unit_test(damaged_bytes_do_not_crash),
        cmocka_unit_test(obj_errors_name_the_line),
        cmocka_unit_test(obj_order_and_polygons),
        cmocka_unit_test(locale_does_not_change_results),
        cmocka_unit_test(stl_errors_name_the_line),
        cmocka_unit_test(ply_errors_name_the_line),
        cmocka_unit_test(ply_sizes_are_checked_before_memory_is_allocated),
        cmocka_unit_test(binary_ply_errors_name_the_byte),
        cmocka_unit_test(ply_empty_elements_cost_nothing),
        cmocka_unit_test(triangles_are_read_and_freed),
        cmocka_unit_test(bunny_mesh_is_closed_by_repair),
        cmocka_unit_test(bunny_mesh_is_a_valid_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
