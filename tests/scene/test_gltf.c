// glTF: the node hierarchy is a forest, accessors lie inside their buffers, external files lie beside the
// file.
#define _XOPEN_SOURCE 700
#include "mesh_samples.h"

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- glTF -------------------------------------------------------------------------------------------

static void refused_glb(const char *nodes, const char *scenes, const char *words)
{
    struct string_buffer bytes = gltf_bytes(), json = gltf_json("", nodes, scenes), t = glb_of(&json, &bytes);
    refused("a.glb", t.data, t.size, words);
    free(bytes.data), free(json.data), free(t.data);
}

static void gltf_nodes_are_a_forest(void **state)
{
    (void)state;
    refused_glb("[{\"children\": [1]}, {\"children\": [0], \"mesh\": 0}]", NULL,
                "nodes[0] is an ancestor of itself");
    refused_glb("[{\"children\": [0], \"mesh\": 0}]", NULL, "nodes[0] is an ancestor of itself");
    refused_glb("[{\"mesh\": 0}, {\"children\": [2]}, {\"children\": [1]}]", NULL,
                "is an ancestor of itself");
    refused_glb("[{\"children\": [2]}, {\"children\": [2]}, {\"mesh\": 0}]", NULL,
                "nodes[2] has two parents");
    refused_glb("[{\"children\": [1, 1]}, {\"mesh\": 0}]", NULL, "nodes[1] has two parents");
    refused_glb("[{\"children\": [7]}]", NULL, "none of the 1 nodes");
    refused_glb("[{\"children\": [-1]}]", NULL, "none of the 1 nodes");
    refused_glb("[{\"children\": [1]}, {\"mesh\": 0}]", "[{}, {\"nodes\": [0, 1]}]", "nodes[1] is a child");
    refused_glb("[{\"mesh\": 0}, {}]", "[{}, {\"nodes\": [0, 0]}]", "names nodes[0] twice");
    refused_glb("[{\"mesh\": 0}]", "[{\"nodes\": [0]}]", "scenes[1] has no nodes");
    refused_glb("[{\"mesh\": 1}]", NULL, "meshes[1] has no primitives");
    refused_glb("[{\"mesh\": 0, \"rotation\": [0, 0, 0, 0]}]", NULL, "rotation is not of length 1");
    refused_glb("[{\"mesh\": 0, \"scale\": [1, 2]}]", NULL, "nodes[0].scale: 3 numbers");
    refused_glb("[{\"mesh\": 0, \"scale\": [1e300, 1e300, 1e300], \"children\": [1]}, {\"mesh\": 0, "
                "\"scale\": [1e300, "
                "1e300, 1e300]}]",
                NULL, "is not finite");
    refused_glb("[]", NULL, "no nodes");
    refused_glb("[{}]", NULL, "no triangles");
}

// A chain of nodes as long as the file, and many nodes that instantiate one mesh.
static void gltf_deep_and_wide_hierarchies_are_read(void **state)
{
    (void)state;
    for (int wide = 0; wide < 2; ++wide) {
        const int n = wide ? 1000 : 50000;
        struct string_buffer nodes = {0}, scene = {0};
        add(&nodes, "[");
        add(&scene, "[{}, {\"nodes\": [0");
        for (int i = 0; i < n; ++i) {
            if (wide)
                add(&nodes, "{\"mesh\": 0, \"translation\": [%d, 0, 0]}%s", 2 * i, i + 1 < n ? "," : "]");
            else
                add(&nodes, i + 1 < n ? "{\"children\": [%d]}," : "{\"mesh\": 0}]", i + 1);
            if (wide && i > 0) add(&scene, ", %d", i);
        }
        add(&scene, "]}]");
        struct string_buffer bytes = gltf_bytes(), json = {0};
        add(&json, "{\"asset\": {\"version\": \"2.0\"}, \"scene\": 1, \"scenes\": ");
        buffer_append(&json, scene.data, scene.size);
        add(&json, ", \"nodes\": ");
        buffer_append(&json, nodes.data, nodes.size);
        struct string_buffer rest = gltf_json("", "[]", NULL);
        buffer_append_string(&json, strstr(rest.data, ",\n \"meshes\""));
        struct string_buffer t = glb_of(&json, &bytes);
        struct mesh m;
        struct load_error f;
        if (mesh_parse("a.glb", t.data, t.size, NULL, &m, &f) != TARN_OK) fail_msg("%s", f.message);
        assert_int_equal(m.triangle_count, wide ? 12 * n : 12);
        CHECK_NEAR(report_of(&m).volume, wide ? n : 1, 1e-9);
        mesh_free(&m);
        free(nodes.data), free(scene.data), free(bytes.data), free(json.data), free(rest.data), free(t.data);
    }
}

// A mirroring transform inverts faces; their orientation is restored.
static void gltf_mirrors(void **state)
{
    (void)state;
    struct string_buffer bytes = gltf_bytes(),
                         json = gltf_json("", "[{\"mesh\": 0, \"scale\": [-1, 1, 1]}]", NULL);
    struct string_buffer t = glb_of(&json, &bytes);
    struct mesh m;
    struct load_error f;
    if (mesh_parse("a.glb", t.data, t.size, NULL, &m, &f) != TARN_OK) fail_msg("%s", f.message);
    const tarn_mesh_report report = report_of(&m);
    assert_true(report.closed && report.flipped_faces == 0 && report.box_min.x == -1.0);
    mesh_free(&m);
    free(bytes.data), free(json.data), free(t.data);
}

// Replace the first `old` of the JSON by `new` and expect a refusal.
static void refused_change(const char *old, const char *new, const char *words)
{
    struct string_buffer bytes = gltf_bytes(), json = gltf_json("", NULL, NULL), changed = {0};
    const char *at = strstr(json.data, old);
    assert_non_null(at);
    buffer_append(&changed, json.data, (size_t)(at - json.data));
    buffer_append_string(&changed, new);
    buffer_append_string(&changed, at + strlen(old));
    struct string_buffer t = glb_of(&changed, &bytes);
    refused("a.glb", t.data, t.size, words);
    free(bytes.data), free(json.data), free(changed.data), free(t.data);
}

static void gltf_numbers_are_checked(void **state)
{
    (void)state;
    refused_change("\"count\": 8", "\"count\": 9", "accessors[0]: 9 elements do not fit into 128 bytes");
    refused_change("\"count\": 8", "\"count\": 10000000", "accessors[0]: 10000000 elements do not fit");
    refused_change("\"count\": 8", "\"count\": 0", "accessors[0]: 0 elements");
    refused_change("\"count\": 8", "\"count\": -8", "accessors[0]: 'count' is not a whole number");
    refused_change("\"count\": 8", "\"count\": 1e18", "accessors[0]: 'count' is not a whole number");
    refused_change("\"count\": 8", "\"count\": 7", "is none of its 7 vertices");
    refused_change("\"count\": 36", "\"count\": 35", "35 corners do not make triangles");
    refused_change("\"byteOffset\": 2", "\"byteOffset\": 3", "accessors[1]: 36 elements do not fit");
    refused_change("\"byteOffset\": 2", "\"byteOffset\": 2147483647", "accessors[1]: 36 elements do not fit");
    refused_change("\"byteOffset\": 126", "\"byteOffset\": 127", "bufferViews[1] ends beyond byte 200");
    refused_change("\"byteOffset\": 126", "\"byteOffset\": 2147483647",
                   "bufferViews[1] ends beyond byte 200");
    refused_change("\"byteStride\": 16", "\"byteStride\": 0", "do not fit");
    refused_change("\"byteStride\": 16", "\"byteStride\": 12", "is not finite"); // now the NaNs are read
    refused_change("\"byteLength\": 200", "\"byteLength\": 201", "201 bytes are promised, 200 are there");
    refused_change("\"componentType\": 5126", "\"componentType\": 5123", "positions are VEC3 of floats");
    refused_change("\"SCALAR\"", "\"VEC2\"", "indices are SCALAR");
    refused_change("\"bufferView\": 0,", "", "accessors[0]: 'bufferView' is missing");
    refused_change("\"bufferView\": 0", "\"bufferView\": 2", "bufferViews[2] is not there");
    refused_change("\"buffer\": 0", "\"buffer\": 1", "buffers[1] is not there");
    refused_change("\"count\": 8", "\"count\": 8, \"sparse\": {}", "sparse");
    refused_change("\"2.0\"", "\"1.0\"", "asset.version is '1.0'");
    refused_change("\"asset\"", "\"extensionsRequired\": [\"KHR_draco_mesh_compression\"], \"asset\"",
                   "KHR_draco");
    refused_change("\"mode\": 1", "\"mode\": 7", "mode is 7");
    refused_change("[5, 6, 7]", "[5, 6, \"7\"]", ".translation: 3 numbers are expected");
    refused_change("[5, 6, 7]", "[5, 6]", ".translation: 3 numbers are expected");
    refused_change("\"scene\": 1", "\"scene\": 1,,", "line 1, column");
    refused_change("\"scene\": 1", "\"scene\": 1, \"scene\": 1", "duplicate");
    struct string_buffer t = glb_box();
    t.data[12] = t.data[13] = (char)0xff;
    refused("a.glb", t.data, t.size, "byte 12: a chunk of 65535 bytes is longer than the file");
    t.data[4] = 1;
    refused("a.glb", t.data, t.size, "byte 4: version 1");
    free(t.data);
}

// ---- files ------------------------------------------------------------------------------------------

static char folder[] = "/tmp/tarn-mesh-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[2][300];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static void write_file(const char *name, const struct string_buffer *t)
{
    FILE *file = fopen(in_folder(name), "wb");
    assert_non_null(file);
    assert_true(fwrite(t->data, 1, t->size, file) == t->size && fclose(file) == 0);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *ftw)
{
    (void)s, (void)type, (void)ftw;
    return remove(path);
}

static int remove_folder(void **state)
{
    (void)state;
    return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void write_gltf(const char *name, const char *uri)
{
    char buffer[300];
    snprintf(buffer, sizeof buffer, ", \"uri\": \"%s\"", uri);
    struct string_buffer t = gltf_json(buffer, NULL, NULL);
    write_file(name, &t);
    free(t.data);
}

// The result of a path.
static void expect_path(const char *name, tarn_result want, const char *words)
{
    tarn_mesh_report f;
    tarn_diagnostics diagnostics = {0};
    const tarn_result r = tarn_mesh_file_inspect(in_folder(name), &f, &diagnostics);
    const char *got = diagnostics.count > 0 ? diagnostics.list[0].message : "";
    if (r != want || (words && !strstr(got, words))) fail_msg("%s: %d '%s'", name, (int)r, got);
    if (r == TARN_OK) CHECK_NEAR(f.volume, 6.0, 1e-14);
    tarn_diagnostics_free(&diagnostics);
}

static void files_beside_a_gltf(void **state)
{
    (void)state;
    struct string_buffer bytes = gltf_bytes(), obj = obj_box();
    mkdir(in_folder("models"), 0777);
    write_file("models/my box.bin", &bytes);
    write_file("outside.bin", &bytes);
    write_file("box.obj", &obj);
    write_gltf("models/good.gltf", "my%20box.bin");
    expect_path("models/good.gltf", TARN_OK, NULL);
    write_gltf("models/up.gltf", "../outside.bin");
    expect_path("models/up.gltf", TARN_BAD_INPUT, "'..'");
    write_gltf("models/up.gltf", "%2e%2e/outside.bin");
    expect_path("models/up.gltf", TARN_BAD_INPUT, "'..'");
    write_gltf("models/root.gltf", "/etc/passwd");
    expect_path("models/root.gltf", TARN_BAD_INPUT, "remove the leading '/'");
    write_gltf("models/root.gltf", "%2fetc/passwd");
    expect_path("models/root.gltf", TARN_BAD_INPUT, "remove the leading '/'");
    write_gltf("models/web.gltf", "https://example.org/box.bin");
    expect_path("models/web.gltf", TARN_BAD_INPUT, "only files beside");
    write_gltf("models/zero.gltf", "box%00.bin");
    expect_path("models/zero.gltf", TARN_BAD_INPUT, "broken");
    write_gltf("models/none.gltf", "none.bin");
    expect_path("models/none.gltf", TARN_IO, "no file 'none.bin'");
    write_gltf("models/data.gltf", "data:application/octet-stream;base64,A?==");
    expect_path("models/data.gltf", TARN_BAD_INPUT, "character 1 is not base64");
    assert_int_equal(symlink("../outside.bin", in_folder("models/link.bin")), 0);
    write_gltf("models/link.gltf", "link.bin");
    expect_path("models/link.gltf", TARN_BAD_INPUT, "symbolic links");
    expect_path("box.obj", TARN_OK, NULL);
    expect_path("none.obj", TARN_IO, NULL);
    expect_path("models", TARN_BAD_INPUT, "this is a folder; expected a mesh file");

    // For a scene: relative to its folder, and the files of a mesh relative to the mesh.
    struct source_text scene = {.name = (char *)in_folder("scene.json"), .is_file = 1};
    struct mesh m;
    struct load_error f;
    if (mesh_read(&scene, "models/good.gltf", &m, &f) != TARN_OK) fail_msg("%s", f.message);
    assert_int_equal(m.triangle_count, 12);
    mesh_free(&m);
    assert_int_equal(mesh_read(&scene, "models/up.gltf", &m, &f), TARN_BAD_INPUT);
    assert_int_equal(mesh_read(&scene, "../box.obj", &m, &f), TARN_BAD_INPUT);
    assert_int_equal(mesh_read(&scene, "none.obj", &m, &f), TARN_IO);
    assert_int_equal(tarn_mesh_file_inspect(NULL, NULL, NULL), TARN_BAD_ARGUMENT);
    free(bytes.data), free(obj.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gltf_nodes_are_a_forest),
        cmocka_unit_test(gltf_deep_and_wide_hierarchies_are_read),
        cmocka_unit_test(gltf_mirrors),
        cmocka_unit_test(gltf_numbers_are_checked),
        cmocka_unit_test_setup_teardown(files_beside_a_gltf, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
