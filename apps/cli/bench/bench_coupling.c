// tarn bench coupling: what the water costs a body, beside a bare loop over its triangles.
//
// The coupling is what a world with bodies takes longer than the same world without: columns under the
// hull, the plane of the surface, the cut, pressure, drag and lift, and the lift on the water. It is
// measured twice: in world steps as short as an inner step, so that columns are found anew every time, and
// in those of 1/60 s, where they are found once and followed. The yardstick is the least that a program
// with meshes does: turn all vertices, and find area, normal and centre of every triangle.
#define _DEFAULT_SOURCE // posix_memalign
#include "baseline_loops.h"
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TANK   8.0    // [m]
#define DEPTH  2.0    // [m]
#define SHORT  0.0005 // [s] a step that no model on these grids cuts
#define SMALL  0.05   // [m] radius of a ball of 512 triangles
#define MOST   4.0    // times the bare loop
#define FOLDER "/usr/share/glmark2/models"

enum { CALM_SHORT, WET_SHORT, CALM_LONG, WET_LONG, BARE, CONTENDERS };

struct entry {
    const char *name;
    int count;       // bodies
    int fine;        // 1: the bunny, or a ball of as many triangles; 0: a ball of 512
    double height;   // [m] of the centre over the surface
    double anew;     // most times the bare loop, with columns found anew in every inner step; 0: not judged
    double followed; // the same as worlds run: found once in a step of 1/60 s
};
static const struct entry entries[] = {{"bunny, half under", 1, 1, 0.0, MOST, MOST},
                                       {"200 balls, half under", 200, 0, 0.0, 0.0, MOST},
                                       {"bunny, deep under", 1, 1, -1.0, 0.0, 0.0},
                                       {"bunny, in the air", 1, 1, 1.5, 0.0, 0.0}};
enum { ENTRIES = sizeof entries / sizeof entries[0] };

// ---- solids ---------------------------------------------------------------------------------------

// A ball: the eight sides of an octahedron, each cut into n^2 triangles and blown up.
static void add_side(struct triangle_loop *b, int n, double radius, const int sign[3], int *vertices,
                     int *triangles)
{
    const int outward = sign[0] * sign[1] * sign[2] > 0;

    for (int i = 0; i <= n; ++i)
        for (int j = 0; i + j <= n; ++j) {
            const double p[3] = {sign[0] * i, sign[1] * j, sign[2] * (n - i - j)};
            const double per = radius / sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
            const int here = *vertices, up = here + 1, next = here + n - i + 1; // rows get shorter
            const int two[2][3] = {{here, next, up}, {up, next, next + 1}};
            for (int k = 0; k < 3; ++k) b->vertices[3 * here + k] = per * p[k];
            for (int t = 0; t < 2 && i + j + t < n; ++t, ++*triangles)
                for (int k = 0; k < 3; ++k) b->triangles[3 * *triangles + k] = two[t][outward ? k : 2 - k];
            ++*vertices;
        }
}

// Sides share no vertices; tarn welds them.
static int make_ball(int n, double radius, struct triangle_loop *out)
{
    int vertices = 0, triangles = 0;

    if (triangle_loop_init(out, 4 * (n + 1) * (n + 2), 8 * n * n)) return -1;
    for (int k = 0; k < 8; ++k) {
        const int sign[3] = {k & 1 ? -1 : 1, k & 2 ? -1 : 1, k & 4 ? -1 : 1};
        add_side(out, n, radius, sign, &vertices, &triangles);
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

    tarn_result r = tarn_scene_parse(FOLDER "/bench.json", text, sizeof text - 1, &scene, NULL);
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
    int code = e->fine && !quick ? load_bunny(out) : 1;
    if (code == 1 && e->fine && !quick)
        print_status("bench coupling: no bunny in " FOLDER ", a ball instead");
    if (code == 1) code = make_ball(e->fine && !quick ? 93 : 8, e->fine ? 0.5 : SMALL, out);
    return code ? print_error(TARN_NO_MEMORY, "bench coupling: no memory for a mesh") : 0;
}

// ---- worlds ---------------------------------------------------------------------------------------

// Nothing is in line with the columns, and nothing moves away: bodies of the caller's stay where they are.
static tarn_result add_bodies(tarn_world *world, const struct entry *e, int count,
                              const struct triangle_loop *solid, tarn_error *err)
{
    const int across = (int)ceil(sqrt(count));
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
        def.position = (tarn_vec3){0.013 + TANK * ((i % across + 0.5) / across - 0.5), DEPTH + e->height,
                                   0.007 + TANK * ((i / across + 0.5) / across - 0.5)};
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
    tarn_world_def def = tarn_world_def_default("wave");

    def.dt = dt;
    def.host = *host;
    tarn_result r = tarn_spec_set(&def.fluid, "size", tarn_value_vec2(TANK, TANK), err);
    if (r == TARN_OK) r = tarn_spec_set(&def.fluid, "cells", tarn_value_vec2(n, n), err);
    if (r == TARN_OK) r = tarn_spec_set(&def.fluid, "depth", tarn_value_number(DEPTH), err);
    return r == TARN_OK ? tarn_world_create(&def, out, err) : r;
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

// [bytes] that one more body needs when there are some already.
static tarn_result weigh(int n, const struct entry *e, int count, const struct triangle_loop *solid,
                         double *bytes, tarn_error *err)
{
    double used = 0.0, before = 0.0;
    const tarn_host host = {.allocator = {count_alloc, count_free, &used}};
    tarn_world *world = NULL;

    tarn_result r = make_world(n, SHORT, &host, &world, err);
    if (r == TARN_OK) r = add_bodies(world, e, count, solid, err);
    before = used;
    if (r == TARN_OK) r = add_bodies(world, e, count, solid, err);
    *bytes = (used - before) / count;
    tarn_world_destroy(world);
    return r;
}

// ---- measuring ------------------------------------------------------------------------------------

struct result {
    int triangles;           // of all bodies
    double anew, kept, bare; // [s] per inner step: columns found anew, columns followed; the loop
    double bytes;            // of a body
};

// A mesh for every body, as the bodies have: what does not fit into the caches is part of the cost.
struct crowd {
    struct triangle_loop *list;
    int count;
};

static void free_crowd(struct crowd *c)
{
    for (int i = 0; c->list && i < c->count; ++i) triangle_loop_free(&c->list[i]);
    free(c->list);
}

static int make_crowd(struct crowd *c, const struct triangle_loop *solid, int count)
{
    const size_t v = 3 * (size_t)solid->vertex_count, t = 3 * (size_t)solid->triangle_count;

    *c = (struct crowd){calloc((size_t)count, sizeof *c->list), count};
    for (int i = 0; i < count; ++i) {
        struct triangle_loop *b = c->list ? &c->list[i] : NULL;
        if (!b || triangle_loop_init(b, solid->vertex_count, solid->triangle_count)) return -1;
        memcpy(b->vertices, solid->vertices, v * sizeof *b->vertices);
        memcpy(b->triangles, solid->triangles, t * sizeof *b->triangles);
    }
    return 0;
}

static long long go_bare(void *self, long long count)
{
    const struct crowd *c = self;
    for (long long i = 0; i < count; ++i)
        for (int k = 0; k < c->count; ++k) triangle_loop_step(&c->list[k]);
    return count;
}

static int measure(const struct bench_run *run, int n, const struct entry *e, int count,
                   const struct triangle_loop *solid, struct result *out)
{
    static const char *const names[CONTENDERS] = {"water", "coupling", "water", "coupling", "bare loop"};
    const tarn_host host = {.workers = 1};
    struct crowd crowd;
    tarn_world *worlds[BARE] = {NULL};
    struct candidate list[CONTENDERS];
    tarn_error err = {0};

    tarn_result r = weigh(n, e, count, solid, &out->bytes, &err);
    for (int i = 0; i < BARE && r == TARN_OK; ++i) {
        r = make_world(n, i < CALM_LONG ? SHORT : 1.0 / 60.0, &host, &worlds[i], &err);
        if (r == TARN_OK && (i == WET_SHORT || i == WET_LONG))
            r = add_bodies(worlds[i], e, count, solid, &err);
    }
    int code = r == TARN_OK ? 0 : print_error((int)r, "bench coupling: %s", err.message);
    if (make_crowd(&crowd, solid, count) && code == 0)
        code = print_error(TARN_NO_MEMORY, "bench coupling: no memory for %d meshes", count);
    for (int i = 0; i < CONTENDERS; ++i)
        list[i] = (struct candidate){
            .name = names[i], .run_steps = run_world_steps, .self = i < BARE ? worlds[i] : NULL};
    list[BARE].run_steps = go_bare, list[BARE].self = &crowd;
    if (code == 0) code = bench_measure(run, list, CONTENDERS);
    free_crowd(&crowd);
    for (int i = 0; i < BARE; ++i) tarn_world_destroy(worlds[i]);
    out->triangles = count * solid->triangle_count;
    out->anew = fmax(0.0, list[WET_SHORT].best -
                              list[CALM_SHORT].best); // a difference of noise where nothing is done
    out->kept = fmax(0.0, list[WET_LONG].best - list[CALM_LONG].best);
    out->bare = list[BARE].best;
    return code;
}

// ---- what it says ---------------------------------------------------------------------------------

static void put(struct json_writer *json, const struct entry *e, const struct result *r)
{
    json_open(json, NULL, '{');
    json_text(json, "scene", e->name);
    json_integer(json, "triangles", r->triangles);
    json_number(json, "ns_per_triangle", 1e9 * r->anew / r->triangles);
    json_number(json, "ns_per_triangle_followed", 1e9 * r->kept / r->triangles);
    json_number(json, "ns_bare", 1e9 * r->bare / r->triangles);
    json_number(json, "ratio", r->anew / r->bare);
    json_number(json, "ratio_followed", r->kept / r->bare);
    json_number(json, "bytes_per_body", r->bytes);
    json_close(json);
}

static void print(const struct entry *e, const struct result *r)
{
    const double ns = 1e9 / r->triangles;
    printf("%-22s %10d %8.2f %8.2f %8.2f %8.2f x %8.2f x %9.0f kB\n", e->name, r->triangles, ns * r->anew,
           ns * r->kept, ns * r->bare, r->anew / r->bare, r->kept / r->bare, r->bytes / 1024.0);
    fflush(stdout);
}

static void judge(struct bench_run *run, const struct entry *e, const char *how, double ratio, double most)
{
    if (most > 0.0)
        bench_add_check(run, ratio <= most, ratio, most,
                        "%s, columns %s: %.2f times the bare loop (at most %.0f)", e->name, how, ratio, most);
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
        put(run->json, e, &result);
    else
        print(e, &result);
    judge(run, e, "found anew", result.anew / result.bare, e->anew);
    judge(run, e, "followed", result.kept / result.bare, e->followed);
    return 0;
}

static int run_coupling(struct bench_run *run)
{
    const int n = run->quick ? 64 : 512;
    int code = 0;

    if (run->json)
        json_open(run->json, "scenes", '[');
    else
        printf("Bodies in %d^2 columns of water, one thread: ns per triangle and inner step, best of %d.\n"
               "Anew: columns are found in every inner step. Followed: once in a world step of 1/60 s.\n"
               "Bare: vertices turned, area, normal and centre of every triangle.\n"
               "                        triangles     anew followed     bare     / bare  followed       a "
               "body\n",
               n, run->repeats);
    for (int i = 0; i < ENTRIES && code == 0; ++i) code = run_entry(run, n, &entries[i]);
    if (run->json) json_close(run->json);
    return code;
}

const struct bench bench_coupling = {
    "coupling", "what the water costs a body of many triangles, and many bodies", run_coupling};
