// tarn bench coupling: the cost of the coupling of bodies and water, compared with a loop over triangles.
//
// The cost of the coupling is the time of a step of a world with bodies minus that of the same world without:
// columns under the hull, plane of the surface, clipping, pressure, drag and lift, and the load on the water.
// It is measured twice: in world steps as short as a substep, each of which rebuilds the columns, and in
// world steps of 1/60 s, whose substeps reuse them. The baseline transforms all vertices and computes area,
// normal and centroid of every triangle.
#define _DEFAULT_SOURCE // posix_memalign
#include "baseline_loops.h"
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TANK         8.0    // [m]
#define DEPTH        2.0    // [m]
#define SHORT_STEP   0.0005 // [s] world step that is not divided into substeps on these grids
#define SMALL_RADIUS 0.05   // [m] radius of a ball of 512 triangles
#define MAX_RATIO    4.0    // times the baseline, at most
#define MODELS_DIR   "/usr/share/glmark2/models"

enum { WATER_SHORT, BODIES_SHORT, WATER_LONG, BODIES_LONG, TRIANGLE_LOOP, CANDIDATES };

struct entry {
    const char *name;
    int count;          // bodies
    int is_large;       // 1: the bunny, or a ball of as many triangles; 0: a ball of 512 triangles
    double height;      // [m] of the centre above the surface
    double max_rebuilt; // largest ratio to the baseline with columns rebuilt in every substep; 0: not checked
    double max_reused;  // the same with columns reused in the substeps of a world step of 1/60 s
};
static const struct entry entries[] = {{"bunny, half submerged", 1, 1, 0.0, MAX_RATIO, MAX_RATIO},
                                       {"200 balls, half submerged", 200, 0, 0.0, 0.0, MAX_RATIO},
                                       {"bunny, deep under water", 1, 1, -1.0, 0.0, 0.0},
                                       {"bunny, in the air", 1, 1, 1.5, 0.0, 0.0}};
enum { ENTRIES = sizeof entries / sizeof entries[0] };

// ---- meshes ----------------------------------------------------------------------------------------

// A face of an octahedron, divided into n^2 triangles whose vertices are projected onto the sphere.
static void add_face(struct triangle_loop *b, int n, double radius, const int sign[3], int *vertices,
                     int *triangles)
{
    const int outward = sign[0] * sign[1] * sign[2] > 0;

    for (int i = 0; i <= n; ++i)
        for (int j = 0; i + j <= n; ++j) {
            const double p[3] = {sign[0] * i, sign[1] * j, sign[2] * (n - i - j)};
            const double scale = radius / sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
            const int here = *vertices, up = here + 1,
                      next = here + n - i + 1; // each row has one vertex less
            const int two[2][3] = {{here, next, up}, {up, next, next + 1}};
            for (int k = 0; k < 3; ++k) b->vertices[3 * here + k] = scale * p[k];
            for (int t = 0; t < 2 && i + j + t < n; ++t, ++*triangles)
                for (int k = 0; k < 3; ++k) b->triangles[3 * *triangles + k] = two[t][outward ? k : 2 - k];
            ++*vertices;
        }
}

// A ball of eight such faces. They share no vertices; tarn welds them.
static int make_ball(int n, double radius, struct triangle_loop *out)
{
    int vertices = 0, triangles = 0;

    if (triangle_loop_init(out, 4 * (n + 1) * (n + 2), 8 * n * n)) return -1;
    for (int k = 0; k < 8; ++k) {
        const int sign[3] = {k & 1 ? -1 : 1, k & 2 ? -1 : 1, k & 4 ? -1 : 1};
        add_face(out, n, radius, sign, &vertices, &triangles);
    }
    return 0;
}

static int copy_mesh(const tarn_render_mesh *m, struct triangle_loop *out)
{
    if (triangle_loop_init(out, m->vertex_count, m->triangle_count)) return -1;
    for (int i = 0; i < 3 * m->vertex_count; ++i) out->vertices[i] = (double)m->vertices[i];
    memcpy(out->triangles, m->triangles, 3 * (size_t)m->triangle_count * sizeof *m->triangles);
    return 0;
}

// The Stanford bunny, 1 m long. 1: it is not installed.
static int load_bunny(struct triangle_loop *out)
{
    static const char text[] = "{\"version\": 2, \"fluid\": {\"model\": \"none\", \"size\": [8, 8]},"
                               " \"bodies\": [{\"shape\": \"mesh\", \"file\": \"bunny.obj\", \"scale\": 0.5, "
                               "\"position\": [0, 1, 0]}]}";
    tarn_scene *scene = NULL;
    tarn_world *world = NULL;
    tarn_frame frame = {0};

    tarn_result r = tarn_scene_parse(MODELS_DIR "/bench.json", text, sizeof text - 1, &scene, NULL);
    if (r == TARN_OK) r = tarn_scene_create_world(scene, NULL, &world, NULL);
    if (r == TARN_OK) r = tarn_world_get_frame(world, 1.0, &frame);
    const int code = r != TARN_OK ? 1 : copy_mesh(frame.bodies[0].mesh, out);
    tarn_frame_free(&frame);
    tarn_world_destroy(world);
    tarn_scene_destroy(scene);
    return code;
}

static int make_solid(const struct entry *e, int quick, struct triangle_loop *out)
{
    int code = e->is_large && !quick ? load_bunny(out) : 1;
    if (code == 1 && e->is_large && !quick)
        print_status("bench coupling: no bunny in " MODELS_DIR ", using a ball");
    if (code == 1) code = make_ball(e->is_large && !quick ? 93 : 8, e->is_large ? 0.5 : SMALL_RADIUS, out);
    return code ? print_error(TARN_NO_MEMORY, "bench coupling: no memory for a mesh") : 0;
}

// ---- worlds ----------------------------------------------------------------------------------------

// External bodies stay in place. Their positions and rotations are not aligned with the columns.
static tarn_result add_bodies(tarn_world *world, const struct entry *e, int count,
                              const struct triangle_loop *solid, tarn_error *err)
{
    const int per_row = (int)ceil(sqrt(count));
    tarn_shape_def mesh = tarn_default_shape_def(TARN_SHAPE_MESH);
    tarn_shape *shape;

    mesh.mesh.mesh =
        (tarn_mesh){solid->vertex_count, solid->triangle_count, solid->vertices, solid->triangles};
    tarn_result r = tarn_shape_create(&mesh, NULL, &shape, err);
    for (int i = 0; i < count && r == TARN_OK; ++i) {
        tarn_body_def def = tarn_default_body_def();
        tarn_body_id id;
        def.type = TARN_BODY_KINEMATIC;
        def.shape = shape;
        def.position = (tarn_vec3){0.013 + TANK * ((i % per_row + 0.5) / per_row - 0.5), DEPTH + e->height,
                                   0.007 + TANK * ((i / per_row + 0.5) / per_row - 0.5)};
        def.rotation = (tarn_quat){0.9, 0.1, 0.4, 0.2};
        def.velocity = (tarn_vec3){0.001, 0.001, 0.002};
        def.angular_velocity = (tarn_vec3){0.001, 0.002, 0.001};
        r = tarn_body_create(world, &def, &id, err);
    }
    tarn_shape_release(shape);
    return r;
}

static tarn_result make_world(int n, double dt, const tarn_host *host, tarn_world **out, tarn_error *err)
{
    tarn_fluid_def fluid = tarn_default_fluid_def(TARN_FLUID_WAVE);
    tarn_world_def def = tarn_default_world_def();

    fluid.wave.size = (tarn_vec2){TANK, TANK};
    fluid.wave.cells[0] = fluid.wave.cells[1] = n;
    fluid.wave.depth = DEPTH;
    def.fluid = &fluid;
    def.dt = dt;
    def.host = *host;
    return tarn_world_create(&def, out, err);
}

static void *count_alloc(void *ctx, size_t size, size_t align)
{
    void *p = NULL;
    if (posix_memalign(&p, align, size) != 0) return NULL;
    *(double *)ctx += (double)size;
    return p;
}

static void count_free(void *ctx, void *memory, size_t size)
{
    *(double *)ctx -= (double)size;
    free(memory);
}

// [bytes] Memory of an additional body in a world that has some.
static tarn_result measure_memory(int n, const struct entry *e, int count, const struct triangle_loop *solid,
                                  double *bytes, tarn_error *err)
{
    double used = 0.0, before = 0.0;
    const tarn_host host = {.allocator = {count_alloc, count_free, &used}};
    tarn_world *world = NULL;

    tarn_result r = make_world(n, SHORT_STEP, &host, &world, err);
    if (r == TARN_OK) r = add_bodies(world, e, count, solid, err);
    before = used;
    if (r == TARN_OK) r = add_bodies(world, e, count, solid, err);
    *bytes = (used - before) / count;
    tarn_world_destroy(world);
    return r;
}

// ---- measuring -------------------------------------------------------------------------------------

struct result {
    int triangles;                    // of all bodies
    double rebuilt, reused, baseline; // [s] per substep: columns rebuilt, columns reused; the baseline
    double bytes;                     // of a body
};

// A mesh for every body, because bodies have meshes of their own that may exceed the caches.
struct mesh_list {
    struct triangle_loop *list;
    int count;
};

static void mesh_list_free(struct mesh_list *c)
{
    for (int i = 0; c->list && i < c->count; ++i) triangle_loop_free(&c->list[i]);
    free(c->list);
}

static int mesh_list_create(struct mesh_list *c, const struct triangle_loop *solid, int count)
{
    const size_t v = 3 * (size_t)solid->vertex_count, t = 3 * (size_t)solid->triangle_count;

    *c = (struct mesh_list){calloc((size_t)count, sizeof *c->list), count};
    for (int i = 0; i < count; ++i) {
        struct triangle_loop *b = c->list ? &c->list[i] : NULL;
        if (!b || triangle_loop_init(b, solid->vertex_count, solid->triangle_count)) return -1;
        memcpy(b->vertices, solid->vertices, v * sizeof *b->vertices);
        memcpy(b->triangles, solid->triangles, t * sizeof *b->triangles);
    }
    return 0;
}

static long long run_triangle_loop(void *self, long long count)
{
    const struct mesh_list *c = self;
    for (long long i = 0; i < count; ++i)
        for (int k = 0; k < c->count; ++k) triangle_loop_step(&c->list[k]);
    return count;
}

static int measure(const struct bench_run *run, int n, const struct entry *e, int count,
                   const struct triangle_loop *solid, struct result *out)
{
    static const char *const names[CANDIDATES] = {"water", "coupling", "water", "coupling", "triangle loop"};
    const tarn_host host = {.workers = 1};
    struct mesh_list mesh_list;
    tarn_world *worlds[TRIANGLE_LOOP] = {NULL};
    struct candidate list[CANDIDATES];
    tarn_error err = {0};

    tarn_result r = measure_memory(n, e, count, solid, &out->bytes, &err);
    for (int i = 0; i < TRIANGLE_LOOP && r == TARN_OK; ++i) {
        r = make_world(n, i < WATER_LONG ? SHORT_STEP : 1.0 / 60.0, &host, &worlds[i], &err);
        if (r == TARN_OK && (i == BODIES_SHORT || i == BODIES_LONG))
            r = add_bodies(worlds[i], e, count, solid, &err);
    }
    int code = r == TARN_OK ? 0 : print_error((int)r, "bench coupling: %s", err.message);
    if (mesh_list_create(&mesh_list, solid, count) && code == 0)
        code = print_error(TARN_NO_MEMORY, "bench coupling: no memory for %d meshes", count);
    for (int i = 0; i < CANDIDATES; ++i)
        list[i] = (struct candidate){
            .name = names[i], .run_steps = run_world_steps, .self = i < TRIANGLE_LOOP ? worlds[i] : NULL};
    list[TRIANGLE_LOOP].run_steps = run_triangle_loop, list[TRIANGLE_LOOP].self = &mesh_list;
    if (code == 0) code = bench_measure(run, list, CANDIDATES);
    mesh_list_free(&mesh_list);
    for (int i = 0; i < TRIANGLE_LOOP; ++i) tarn_world_destroy(worlds[i]);
    out->triangles = count * solid->triangle_count;
    out->rebuilt =
        fmax(0.0, list[BODIES_SHORT].best - list[WATER_SHORT].best); // timing noise if bodies cost nothing
    out->reused = fmax(0.0, list[BODIES_LONG].best - list[WATER_LONG].best);
    out->baseline = list[TRIANGLE_LOOP].best;
    return code;
}

// ---- output ----------------------------------------------------------------------------------------

static void write_json(struct json_writer *json, const struct entry *e, const struct result *r)
{
    json_open(json, NULL, '{');
    json_text(json, "scene", e->name);
    json_integer(json, "triangles", r->triangles);
    json_number(json, "ns_per_triangle", 1e9 * r->rebuilt / r->triangles);
    json_number(json, "ns_per_triangle_reused", 1e9 * r->reused / r->triangles);
    json_number(json, "ns_baseline", 1e9 * r->baseline / r->triangles);
    json_number(json, "ratio", r->rebuilt / r->baseline);
    json_number(json, "ratio_reused", r->reused / r->baseline);
    json_number(json, "bytes_per_body", r->bytes);
    json_close(json);
}

static void print_row(const struct entry *e, const struct result *r)
{
    const double ns = 1e9 / r->triangles;
    printf("%-22s %10d %8.2f %8.2f %8.2f %8.2f x %8.2f x %9.0f kB\n", e->name, r->triangles, ns * r->rebuilt,
           ns * r->reused, ns * r->baseline, r->rebuilt / r->baseline, r->reused / r->baseline,
           r->bytes / 1024.0);
    fflush(stdout);
}

static void add_check(struct bench_run *run, const struct entry *e, const char *how, double ratio,
                      double most)
{
    if (most > 0.0)
        bench_add_check(run, ratio <= most, ratio, most,
                        "%s, columns %s: %.2f times the baseline (at most %.0f)", e->name, how, ratio, most);
}

static int run_entry(struct bench_run *run, int n, const struct entry *e)
{
    const int count = run->quick && e->count > 4 ? 4 : e->count;
    struct triangle_loop solid = {0};
    struct result result = {0};

    print_status("bench coupling: %s", e->name);
    int code = make_solid(e, run->quick, &solid);
    if (code == 0) code = measure(run, n, e, count, &solid, &result);
    triangle_loop_free(&solid);
    if (code != 0) return code;
    if (run->json)
        write_json(run->json, e, &result);
    else
        print_row(e, &result);
    add_check(run, e, "rebuilt", result.rebuilt / result.baseline, e->max_rebuilt);
    add_check(run, e, "reused", result.reused / result.baseline, e->max_reused);
    return 0;
}

static int run_coupling(struct bench_run *run)
{
    const int n = run->quick ? 64 : 512;
    int code = 0;

    if (run->json)
        json_open(run->json, "scenes", '[');
    else
        printf("Bodies in %d^2 columns of water, one thread: ns per triangle and substep, best of %d.\n"
               "Rebuilt: columns are built in every substep. Reused: once in a world step of 1/60 s.\n"
               "Baseline: transforms vertices, computes area, normal and centroid of every triangle.\n"
               "                        triangles  rebuilt   reused baseline / baseline  reused / "
               "    memory per body\n",
               n, run->repeats);
    for (int i = 0; i < ENTRIES && code == 0; ++i) code = run_entry(run, n, &entries[i]);
    if (run->json) json_close(run->json);
    return code;
}

const struct bench bench_coupling = {"coupling", "cost of the coupling per triangle of a body's hull",
                                     run_coupling};
