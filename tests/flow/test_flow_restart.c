// Worlds of the planar model that are saved between two changes continue with the same bits as worlds that
// were not saved: cut cells and boundaries are rebuilt from the saved state at the same steps.
#include "body_def.h"
#include "flow_world.h"
#include "memory_stream.h"

#include <tarn/command.h>

static struct world_setup tank_def(int cells, const char *advection)
{
    struct world_setup def = world_setup(TARN_FLUID_FLOW);
    def.fluid.flow.size = (tarn_vec2){cells / 16.0, cells / 16.0};
    def.fluid.flow.cells[0] = cells, def.fluid.flow.cells[1] = cells;
    def.fluid.flow.advection = flow_advection_of(advection);
    return def;
}

static tarn_body_id disc(tarn_world *w, double x, double y)
{
    tarn_body_def def = body_def("circle");
    tarn_body_id id;
    CHECK_OK(set_shape(&def, "radius", tarn_value_number(0.15), NULL));
    def.density = 2000.0;
    def.position = (tarn_vec3){x, y, 0.0};
    CHECK_OK(tarn_body_create(w, &def, &id, NULL));
    return id;
}

// Its path reverses after three steps.
static void bar(tarn_world *w)
{
    static const tarn_waypoint points[] = {
        {0.0, {0.3, 0.25}, 0.35}, {0.05, {0.315, 0.25}, 0.4}, {1.0, {0.3, 0.5}, 0}};
    tarn_obstacle_def o = tarn_default_obstacle_def(TARN_OBSTACLE_BOX);
    o.box.size = (tarn_vec2){0.3, 0.2};
    o.motion.path = (tarn_path){points, COUNT(points), false};
    put(w, &o);
}

static void stir(tarn_world *w, double x, double y)
{
    const tarn_command c = {
        .kind = TARN_COMMAND_STIR, .position = {x, y, 0.0}, .velocity = {2.0, 1.0, 0.0}, .radius = 0.1};
    CHECK_OK(tarn_world_apply_command(w, &c, NULL));
}

static void step(tarn_world *w)
{
    if (tarn_world_advance(w, 1.0 / 60.0) != TARN_OK) fail_msg("%s", tarn_world_get_failure(w));
}

// Destroys the world that was saved.
static tarn_world *reloaded(tarn_world *w)
{
    static struct memory_stream b;
    tarn_world *again = NULL;
    b.size = b.at = 0;
    CHECK_OK(tarn_world_save(w, stream_write, &b));
    CHECK_OK(tarn_world_load(stream_read, &b, NULL, &again, NULL));
    tarn_world_destroy(w);
    return again;
}

// ---- edits between two steps ----------------------------------------------------------------------------

// A body came and went: where it was the fluid must not wait for one.
static void last_body_goes(tarn_world *w)
{
    const tarn_body_id id = disc(w, 0.3, 0.3);
    stir(w, 0.4, 0.4);
    bar(w);
    CHECK_OK(tarn_body_destroy(w, id));
}

// The same, with others before and after it in their order.
static void some_bodies_go(tarn_world *w)
{
    const tarn_body_id first = disc(w, 0.25, 0.25);
    disc(w, 0.7, 0.25);
    const tarn_body_id last = disc(w, 0.25, 0.7);
    step(w);
    CHECK_OK(tarn_body_destroy(w, last));
    CHECK_OK(tarn_body_destroy(w, first));
}

// A body that no step has seen yet is removed together with an older one.
static void one_comes_and_one_goes(tarn_world *w)
{
    const tarn_body_id first = disc(w, 0.25, 0.25);
    step(w);
    disc(w, 0.6, 0.6);
    CHECK_OK(tarn_body_destroy(w, first));
}

// Emitters fill cells that bodies leave free.
static void emitters_meet_bodies(tarn_world *w)
{
    tarn_emitter_def s = tarn_default_emitter_def(TARN_EMITTER_SOURCE);
    s.source.position = (tarn_vec2){0.5, 0.5};
    s.source.radius = 0.25;
    s.source.dye = 3.0;
    s.source.set_velocity = true;
    s.source.velocity = (tarn_vec2){1.0, 0.5};
    disc(w, 0.5, 0.5);
    CHECK_OK(tarn_emitter_create(w, &s, NULL, NULL));
    disc(w, 0.25, 0.7);
}

// A lid may be the fastest of all: the length of substeps follows from it.
static void sides_change(tarn_world *w)
{
    step(w);
    CHECK_OK(tarn_world_set_param(w, "fluid.boundary.north.wall_speed", tarn_value_number(9.0), NULL));
}

static void coupling_changes(tarn_world *w)
{
    disc(w, 0.4, 0.4);
    step(w);
    CHECK_OK(tarn_world_set_param(w, "coupling.method", tarn_value_text("weak"), NULL));
    CHECK_OK(tarn_world_set_param(w, "fluid.viscosity", tarn_value_number(1e-2), NULL));
}

// The application changes the velocity of a body beside a moving obstacle: the impulse depends on the
// obstacle's velocity.
static void velocities_are_set(tarn_world *w)
{
    tarn_body_state m;
    bar(w);
    const tarn_body_id id = disc(w, 0.65, 0.5);
    for (int n = 0; n < 3; ++n) step(w);
    CHECK_OK(tarn_body_get_state(w, id, &m));
    m.velocity.x = -1.0, m.position.y += 0.05;
    CHECK_OK(tarn_body_set_state(w, id, &m));
    stir(w, 0.5, 0.7);
}

static tarn_flow_sample swirl(void *ctx, double x, double y)
{
    (void)ctx;
    return (tarn_flow_sample){.u = 0.5 - y, .v = x - 0.5, .dye = x};
}

// As above, all of the fluid.
static void fluid_is_filled(tarn_world *w)
{
    bar(w);
    for (int n = 0; n < 3; ++n) step(w);
}

static const struct {
    void (*change)(tarn_world *w);
    int cells;
    const char *advection;
    int fill; // after saving
} cases[] = {
    {last_body_goes, 9, "maccormack", 0},        {last_body_goes, 20, "conservative", 0},
    {some_bodies_go, 20, "maccormack", 0},       {one_comes_and_one_goes, 20, "conservative", 0},
    {emitters_meet_bodies, 20, "maccormack", 0}, {sides_change, 16, "conservative", 0},
    {coupling_changes, 20, "maccormack", 0},     {velocities_are_set, 20, "conservative", 0},
    {fluid_is_filled, 16, "conservative", 1},
};

// The first world is not queried before it continues: a query must not be needed for equal results.
static void saved_worlds_continue_identically(void **state)
{
    (void)state;
    for (int k = 0; k < COUNT(cases); ++k) {
        const struct world_setup def = tank_def(cases[k].cells, cases[k].advection);
        tarn_world *w[2] = {make(&def), make(&def)};
        for (int n = 0; n < 2; ++n) {
            cases[k].change(w[n]);
            if (n) w[n] = reloaded(w[n]);
            if (cases[k].fill) CHECK_OK(tarn_flow_set_fields(w[n], swirl, NULL, NULL));
            for (int i = 0; i < 2; ++i) step(w[n]);
        }
        if (tarn_world_hash(w[0]) != tarn_world_hash(w[1])) fail_msg("case %d continues differently", k);
        tarn_world_destroy(w[0]);
        tarn_world_destroy(w[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(saved_worlds_continue_identically)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
