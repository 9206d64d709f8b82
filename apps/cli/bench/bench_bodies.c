// tarn bench bodies: many blocks in contact; with --compare also in ODE.
//
// A brick wall, timed in its first second, because later the walls of some engines have fallen; and a pile of
// cubes that were dropped into a tray, timed when most of them are at rest. All engines simulate the same
// blocks (peers/block_scenes.c) with the same time step on one thread and without sleeping. An engine that
// permits large overlaps is fast, so the heights of the blocks are compared as well.
#include "apps/peers/block_scenes.h"
#include "bench.h"

#include <stdlib.h>

#define MIN_SPEEDUP 4.0 // smallest speed-up over ODE
#define MIN_HEIGHT_RATIO \
    0.99 // smallest mean height over that of ODE's pile; not 1, because the fall is chaotic

struct entry {
    const char *kind;
    int count, rows;
};
static const struct entry entries[] = {
    {"wall", 1000, 20}, {"pile", 1000, 0}, {"wall", 5000, 50}, {"pile", 5000, 0}};
static const struct entry quick_entries[] = {{"wall", 50, 5}, {"pile", 50, 0}};

// [ms] Time of a step.
static double step_ms(const struct blocks_result *r) { return r->collide + r->solve; }

static int is_wall(const struct entry *e) { return e->rows > 0; }

// ---- tarn ------------------------------------------------------------------------------------------

static tarn_result make_world(const struct blocks *b, tarn_world **out, tarn_error *err)
{
    tarn_fluid_def floor = tarn_default_fluid_def(TARN_FLUID_DRY);
    tarn_world_def def = tarn_default_world_def();

    floor.dry.size = (tarn_vec2){b->tray[0], b->tray[1]};
    def.fluid = &floor;
    def.dt = BLOCKS_DT;
    def.gravity = BLOCKS_GRAVITY;
    def.host.workers = 1;
    def.enable_sleep = false; // nor in ODE
    return tarn_world_create(&def, out, err);
}

static tarn_result add_block(tarn_world *world, const struct block *b, tarn_body_id *out, tarn_error *err)
{
    tarn_body_def def = tarn_default_body_def();

    def.density = BLOCKS_DENSITY;
    def.friction = BLOCKS_FRICTION;
    def.restitution = 0.0;
    def.position = (tarn_vec3){b->position[0], b->position[1], b->position[2]};
    def.rotation = (tarn_quat){b->rotation[0], b->rotation[1], b->rotation[2], b->rotation[3]};
    const tarn_shape_def box = {.type = TARN_SHAPE_BOX, .box = {{b->size[0], b->size[1], b->size[2]}, 0.0}};
    return tarn_body_create_with_shape(world, &def, &box, out, err);
}

static void read_heights(const tarn_world *world, const tarn_body_id *bodies, int count, double *y)
{
    for (int i = 0; i < count; ++i) {
        tarn_body_state m = {0};
        tarn_body_get_state(world, bodies[i], &m);
        y[i] = m.position.y;
    }
}

static tarn_result take_steps(tarn_world *world, const struct blocks *b, const tarn_body_id *bodies,
                              double *y, struct blocks_result *result)
{
    struct blocks_clock clock = {0};

    for (int step = 1; step <= b->steps; ++step) {
        const double start = blocks_seconds();
        const tarn_result r = tarn_world_advance(world, BLOCKS_DT);
        if (r != TARN_OK) return r;
        blocks_time(&clock, b, 0.0, blocks_seconds() - start, result);
        if (step != b->to && step != b->steps) continue;
        read_heights(world, bodies, b->count, y);
        if (step == b->to) blocks_window_heights(b, y, result);
    }
    blocks_heights(b, y, result);
    result->max_overlap = result->contacts = -1.0; // not available
    return TARN_OK;
}

static int run_tarn(const struct blocks *b, struct blocks_result *result)
{
    tarn_body_id *bodies = calloc((size_t)b->count, sizeof *bodies);
    double *y = calloc((size_t)b->count, sizeof *y);
    tarn_world *world = NULL;
    tarn_error err = {0};

    tarn_result r = bodies && y ? make_world(b, &world, &err) : TARN_NO_MEMORY;
    for (int i = 0; i < b->count && r == TARN_OK; ++i) r = add_block(world, &b->list[i], &bodies[i], &err);
    if (r == TARN_OK) r = take_steps(world, b, bodies, y, result);
    if (r != TARN_OK) {
        const char *why = err.message[0] ? err.message : tarn_world_get_failure(world);
        print_error((int)r, "bench bodies: %s", why[0] ? why : result_message(r));
    }
    tarn_world_destroy(world);
    free(y);
    free(bodies);
    return (int)r;
}

// ---- ODE -------------------------------------------------------------------------------------------

static int run_ode(const struct entry *e, struct blocks_result *result)
{
    char count[16], rows[16], text[1024];
    const char *const args[] = {"ode", e->kind, count, rows, NULL};

    snprintf(count, sizeof count, "%d", e->count);
    snprintf(rows, sizeof rows, "%d", e->rows);
    const int code = run_peer(args, text, sizeof text);
    if (code != 0) return code;
    if (blocks_read(text, result) == 0 && step_ms(result) > 0.0) return 0;
    return print_error(TARN_FAILED, "bench bodies: tarn-peers has another version");
}

// ---- output ----------------------------------------------------------------------------------------

static void write_result_json(struct json_writer *json, const char *name, const struct blocks_result *r)
{
    json_open(json, NULL, '{');
    json_text(json, "name", name);
    json_number(json, "ms", step_ms(r));
    if (r->collide > 0.0) json_number(json, "ms_collide", r->collide);
    json_number(json, "ms_average", r->average);
    json_number(json, "highest", r->highest);
    json_number(json, "mean_height", r->mean);
    json_number(json, "max_drop_1s", r->window_max_drop);
    json_number(json, "max_drop", r->max_drop);
    json_number(json, "mean_drop", r->mean_drop);
    if (r->max_overlap >= 0.0) json_number(json, "max_overlap", r->max_overlap);
    if (r->contacts >= 0.0) json_number(json, "contacts", r->contacts);
    json_close(json);
}

static void write_json(struct json_writer *json, const struct entry *e, const struct blocks_result *own,
                       const struct blocks_result *other)
{
    json_open(json, NULL, '{');
    json_text(json, "scene", e->kind);
    json_integer(json, "blocks", e->count);
    json_open(json, "candidates", '[');
    write_result_json(json, "tarn", own);
    if (other) write_result_json(json, "ODE", other);
    json_close(json);
    if (other) json_number(json, "ratio", step_ms(other) / step_ms(own));
    json_close(json);
}

static void print_head(const struct bench_run *run)
{
    printf("Blocks in contact, one thread: ms of processor time per step of %.4f s, best of several windows "
           "of %d steps.\n"
           "Drop: largest distance of a centre from its initial height, after a second and at the end.\n"
           "%s"
           "                        ms   (collide)   ratio   drop 1 s    drop end   mean height    highest\n",
           BLOCKS_DT, BLOCKS_WINDOW, run->compare ? "Ratio: time of ODE over time of tarn.\n" : "");
}

static void print_result(const struct entry *e, const char *name, const struct blocks_result *r, double ratio)
{
    printf("%s %5d  %-6s %9.3f", e->kind, e->count, name, step_ms(r));
    if (r->collide > 0.0)
        printf("  %9.3f ", r->collide);
    else
        printf("  %9s ", "");
    if (ratio > 0.0)
        printf(" %6.2f", ratio);
    else
        printf(" %6s", "");
    if (is_wall(e))
        printf(" %8.4f m  %8.4f m", r->window_max_drop, r->max_drop);
    else
        printf(" %8s    %8s  ", "", "");
    printf("    %8.4f m %8.3f m\n", r->mean, r->highest);
    fflush(stdout);
}

static void add_checks(struct bench_run *run, const struct entry *e, const struct blocks_result *own,
                       const struct blocks_result *other)
{
    const double ratio = step_ms(other) / step_ms(own), least = MIN_HEIGHT_RATIO * other->mean;

    bench_add_check(run, ratio >= MIN_SPEEDUP, ratio, MIN_SPEEDUP,
                    "%s of %d: %.2f times as fast as ODE (at least %.0f)", e->kind, e->count, ratio,
                    MIN_SPEEDUP);
    if (is_wall(e)) {
        bench_add_check(run, own->window_max_drop <= other->window_max_drop, own->window_max_drop,
                        other->window_max_drop, "%s of %d: drop of %.4f m in a second (ODE %.4f)", e->kind,
                        e->count, own->window_max_drop, other->window_max_drop);
        bench_add_check(run, own->max_drop <= other->max_drop, own->max_drop, other->max_drop,
                        "%s of %d: drop of %.4f m at the end (ODE %.4f)", e->kind, e->count, own->max_drop,
                        other->max_drop);
    } else {
        bench_add_check(run, own->mean >= least, own->mean, least,
                        "%s of %d: mean height %.4f m (ODE %.4f, 1 %% less allowed)", e->kind, e->count,
                        own->mean, other->mean);
    }
}

static int run_entry(struct bench_run *run, const struct entry *e)
{
    struct blocks b;
    struct blocks_result own = {0}, other = {0};

    print_status("bench bodies: a %s of %d blocks", e->kind, e->count);
    if (blocks_make(&b, e->kind, e->count, e->rows))
        return print_error(TARN_NO_MEMORY, "bench bodies: no memory for %d blocks", e->count);
    int code = run->compare ? run_ode(e, &other) : 0; // first, because tarn-peers may be missing
    if (code == 0) code = run_tarn(&b, &own);
    blocks_free(&b);
    if (code != 0) return code;
    if (run->json) {
        write_json(run->json, e, &own, run->compare ? &other : NULL);
    } else {
        print_result(e, "tarn", &own, 0.0);
        if (run->compare) print_result(e, "ODE", &other, step_ms(&other) / step_ms(&own));
    }
    if (run->compare) add_checks(run, e, &own, &other);
    return 0;
}

static int run_bodies(struct bench_run *run)
{
    const struct entry *list = run->quick ? quick_entries : entries;
    const int count =
        run->quick ? (int)(sizeof quick_entries / sizeof *list) : (int)(sizeof entries / sizeof *list);
    int code = 0;

    if (run->json)
        json_open(run->json, "scenes", '[');
    else
        print_head(run);
    for (int i = 0; i < count && code == 0; ++i) code = run_entry(run, &list[i]);
    if (run->json) json_close(run->json);
    return code;
}

const struct bench bench_bodies = {"bodies", "walls and piles of blocks; with --compare also in ODE",
                                   run_bodies};
