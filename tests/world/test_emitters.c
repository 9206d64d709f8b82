// Emitters: typed definitions agree with those made by name, changes at run time, ids.
#include "check.h"
#include "memory_stream.h"
#include "world_setup.h"

#include <tarn/command.h>
#include <tarn/tarn.h>

#include <string.h>

static tarn_world *water_of_depth(const char *model, double depth)
{
    struct world_setup def = world_setup_of(model);
    tarn_world *w = NULL;
    set_cells(&def.fluid, 32, 32);
    if (depth > 0.0) set_depth(&def.fluid, depth);
    CHECK_OK(setup_create(&def, &w, NULL));
    return w;
}

static tarn_world *water(const char *model) { return water_of_depth(model, 0.0); }

static void steps(tarn_world *w, int count)
{
    for (int n = 0; n < count; ++n) CHECK_OK(tarn_world_advance(w, 1.0 / 60.0));
}

static tarn_emitter_def rain(double rate)
{
    tarn_emitter_def def = tarn_default_emitter_def(TARN_EMITTER_RAIN);
    def.rain.rate = rate;
    return def;
}

static tarn_emitter_id add(tarn_world *w, const tarn_emitter_def *def)
{
    tarn_emitter_id id;
    tarn_error err = {0};
    if (tarn_emitter_create(w, def, &id, &err) != TARN_OK) fail_msg("%s: %s", err.key, err.message);
    return id;
}

// ---- definitions ----------------------------------------------------------------------------------

// The defaults of all kinds are those of the parameter lists, and no value is lost between the two forms.
static void typed_defaults_are_those_of_the_lists(void **state)
{
    (void)state;
    for (int k = 0; tarn_kind_at("emitter", k); ++k) {
        const tarn_kind *kind = tarn_kind_at("emitter", k);
        const tarn_emitter_def def = tarn_default_emitter_def((tarn_emitter_type)k);
        tarn_emitter_def from_spec;
        tarn_spec spec, again;
        CHECK_OK(tarn_spec_init(&spec, "emitter", kind->name, NULL));
        CHECK_OK(tarn_emitter_def_from_spec(&spec, &from_spec));
        assert_memory_equal(&def, &from_spec, sizeof def);
        CHECK_OK(tarn_emitter_def_to_spec(&def, &again));
        assert_memory_equal(&spec, &again, sizeof spec);
    }
    tarn_spec sphere;
    tarn_emitter_def def;
    CHECK_OK(tarn_spec_init(&sphere, "shape", "sphere", NULL));
    assert_int_equal(tarn_emitter_def_from_spec(&sphere, &def), TARN_BAD_ARGUMENT);
}

// Every kind in the order of tarn_emitter_type, all members with the values of value_of().
static const tarn_emitter_def typed[] = {
    {.type = TARN_EMITTER_HUMP, .hump = {{0.25, 0.5}, .radius = 0.75, .height = 0.75, .start = 0.75}},
    {.type = TARN_EMITTER_FILL, .fill = {{0.25, 0.5}, .size = {0.25, 0.5}, .level = 0.75, .start = 0.75}},
    {.type = TARN_EMITTER_DROPS,
     .drops = {{0.25, 0.5}, .scatter = 0.75, .radius = 0.75, .speed = 0.75, .interval = 0.75, .start = 0.75}},
    {.type = TARN_EMITTER_RAIN,
     .rain = {.rate = 0.005, .radius = 0.75, .speed = 0.75, .start = 0.75, .end = 0.75}},
    {.type = TARN_EMITTER_WAVEMAKER,
     .wavemaker = {.side = TARN_SOUTH, .height = 0.75, .period = 0.75, .start = 0.75, .end = 0.75}},
    {.type = TARN_EMITTER_SOURCE,
     .source = {.shape = TARN_SOURCE_BOX,
                .position = {0.25, 0.5},
                .radius = 0.75,
                .size = {0.25, 0.5},
                .dye = 0.75,
                .heat = 0.75,
                .set_velocity = true,
                .velocity = {0.25, 0.5},
                .pattern = TARN_PATTERN_FOURIER,
                .pattern_parameter = 0.75,
                .fourier_rate = 0.75,
                .start = 0.75,
                .end = 0.75}},
    {.type = TARN_EMITTER_INFLOW,
     .inflow = {.shape = TARN_SOURCE_BOX,
                .position = {0.25, 0.5},
                .radius = 0.75,
                .size = {0.25, 0.5},
                .rate = 0.75,
                .set_velocity = true,
                .velocity = {0.25, 0.5},
                .start = 0.75,
                .end = 0.75}},
    {.type = TARN_EMITTER_WIND,
     .wind = {.velocity = {0.25, 0.5},
              .drag_coefficient = 0.75,
              .air_density = 0.75,
              .start = 0.75,
              .end = 0.75}},
};

static tarn_value value_of(const tarn_param *p)
{
    static const char *const choices[][2] = {{"side", "south"}, {"shape", "box"}, {"pattern", "fourier"}};
    if (p->type == TARN_PARAM_VEC2) return tarn_value_vec2(0.25, 0.5);
    if (p->type == TARN_PARAM_FLAG) return tarn_value_flag(1);
    for (int k = 0; k < COUNT(choices); ++k)
        if (strcmp(choices[k][0], p->name) == 0) return tarn_value_text(choices[k][1]);
    return tarn_value_number(p->max < 0.75 ? 0.005 : 0.75); // the rate of rain is at most 0.01 m/s
}

// Every member of every kind is where the parameter list says: values by name and by member make equal
// structs. They are compared member by member because padding may differ.
static void members_are_the_parameters_of_their_names(void **state)
{
    (void)state;
    const tarn_kind *kind;
    for (int k = 0; (kind = tarn_kind_at("emitter", k)) != NULL; ++k) {
        tarn_spec spec, typed_spec;
        tarn_emitter_def def;
        assert_true(k < COUNT(typed));
        CHECK_OK(tarn_spec_init(&spec, "emitter", kind->name, NULL));
        for (int i = 0; i < kind->param_count; ++i)
            CHECK_OK(tarn_spec_set(&spec, kind->params[i].name, value_of(&kind->params[i]), NULL));
        CHECK_OK(tarn_emitter_def_from_spec(&spec, &def));
        assert_int_equal(def.type, typed[k].type);
        CHECK_OK(tarn_emitter_def_to_spec(&typed[k], &typed_spec));
        for (int i = 0; i < kind->param_count; ++i) {
            tarn_value a, b;
            CHECK_OK(tarn_spec_get(&spec, kind->params[i].name, &a));
            CHECK_OK(tarn_spec_get(&typed_spec, kind->params[i].name, &b));
            if (memcmp(&a, &b, sizeof a) != 0) fail_msg("%s: %s differs", kind->name, kind->params[i].name);
        }
    }
}

// ---- changes at run time --------------------------------------------------------------------------

// A rate changed by handle gives the same bits as the recorded command, and other bits than no change.
static void a_changed_rate_equals_its_command(void **state)
{
    (void)state;
    uint64_t hash[3];
    for (int how = 0; how < 3; ++how) {
        tarn_world *w = water("shallow");
        tarn_emitter_def def = rain(1e-4);
        const tarn_emitter_id id = add(w, &def);
        steps(w, 20);
        if (how == 0) {
            CHECK_OK(tarn_emitter_get_def(w, id, &def));
            def.rain.rate = 1e-3;
            CHECK_OK(tarn_emitter_set_def(w, id, &def, NULL));
        }
        const tarn_command set = {
            .kind = TARN_COMMAND_SET_PARAM, .path = "emitters[0].rate", .value = tarn_value_number(1e-3)};
        if (how == 1) CHECK_OK(tarn_world_apply_command(w, &set, NULL));
        steps(w, 20);
        CHECK_OK(tarn_emitter_get_def(w, id, &def));
        CHECK_NEAR(def.rain.rate, how < 2 ? 1e-3 : 1e-4, 0.0);
        hash[how] = tarn_world_hash(w);
        tarn_world_destroy(w);
    }
    assert_true(hash[0] == hash[1]);
    assert_true(hash[0] != hash[2]);
}

// Drops fall until their emitter is destroyed. Its id is stale then.
static void destroyed_emitters_stop(void **state)
{
    (void)state;
    tarn_world *w = water("shallow");
    tarn_emitter_def def = tarn_default_emitter_def(TARN_EMITTER_DROPS);
    def.drops.radius = 0.1, def.drops.interval = 0.1;
    const tarn_emitter_id id = add(w, &def);
    assert_true(tarn_emitter_is_valid(w, id));
    assert_int_equal(tarn_world_get_status(w).emitter_count, 1);
    steps(w, 60);
    const double area = tarn_world_get_status(w).size[0] * tarn_world_get_status(w).size[1];
    const double emitted = tarn_world_get_ledger(w).volume_emitted;
    const double drop = 4.0 / 3.0 * 3.14159 * 1e-3;
    CHECK_NEAR(emitted, 10.5 * drop, 0.6 * drop); // in 1 s ten drops, and perhaps the next one
    CHECK_OK(tarn_emitter_destroy(w, id));
    steps(w, 60);
    CHECK_NEAR(tarn_world_get_ledger(w).volume_emitted, emitted, 1e-12 * area); // a sum in another order
    assert_false(tarn_emitter_is_valid(w, id));
    assert_int_equal(tarn_world_get_status(w).emitter_count, 0);
    assert_int_equal(tarn_emitter_destroy(w, id), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_emitter_set_def(w, id, &def, NULL), TARN_BAD_ARGUMENT);
    tarn_emitter_def out;
    assert_int_equal(tarn_emitter_get_def(w, id, &out), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_emitter_destroy(w, (tarn_emitter_id){0}), TARN_BAD_ARGUMENT);
    tarn_world_destroy(w);
}

// A source of a flow is turned into a sink and then off.
static void sources_become_sinks(void **state)
{
    (void)state;
    tarn_world *w = water("flow");
    tarn_emitter_def def = tarn_default_emitter_def(TARN_EMITTER_SOURCE);
    def.source.position = (tarn_vec2){0.5, 0.5}, def.source.radius = 0.2, def.source.dye = 1.0;
    const tarn_emitter_id id = add(w, &def);
    double before = 0.0;
    static const double rates[] = {1.0, -0.5, 0.0};
    for (int k = 0; k < 3; ++k) {
        def.source.dye = rates[k];
        CHECK_OK(tarn_emitter_set_def(w, id, &def, NULL));
        steps(w, 6);
        const double emitted = tarn_world_get_ledger(w).dye_emitted - before;
        // The disc of 0.2 m by 16 points of each cell of 1/32 m, for 0.1 s.
        CHECK_NEAR(emitted, rates[k] * 0.1 * 3.14159 * 0.04, 0.02 * fabs(rates[k]) * 0.1 * 0.126 + 1e-12);
        before += emitted;
    }
    tarn_world_destroy(w);
}

// Only live parameters change. What is refused is named and changes nothing.
static void fixed_parameters_are_refused_by_name(void **state)
{
    (void)state;
    tarn_world *w = water("wave");
    const tarn_emitter_def def = tarn_default_emitter_def(TARN_EMITTER_WAVEMAKER);
    const tarn_emitter_id id = add(w, &def);
    const uint64_t hash = tarn_world_hash(w);
    tarn_emitter_def bad[5];
    static const char *const keys[] = {"period", "side", "end", "height", "type"};
    for (int k = 0; k < 5; ++k) bad[k] = def, bad[k].wavemaker.height = 0.3;
    bad[0].wavemaker.period = 3.0, bad[1].wavemaker.side = TARN_NORTH, bad[2].wavemaker.end = 5.0;
    bad[3].wavemaker.height = -1.0, bad[4].type = TARN_EMITTER_RAIN;
    for (int k = 0; k < 5; ++k) {
        tarn_error err = {0};
        assert_int_equal(tarn_emitter_set_def(w, id, &bad[k], &err), TARN_BAD_INPUT);
        assert_string_equal(err.key, keys[k]);
        assert_true(tarn_world_hash(w) == hash);
    }
    bad[0].wavemaker.period = def.wavemaker.period;
    CHECK_OK(tarn_emitter_set_def(w, id, &bad[0], NULL));
    assert_true(tarn_world_hash(w) != hash);
    tarn_error err = {0};
    const tarn_emitter_def none = {.type = (tarn_emitter_type)77};
    assert_int_equal(tarn_emitter_create(w, &none, NULL, &err), TARN_BAD_ARGUMENT);
    assert_string_equal(err.key, "type");
    tarn_world_destroy(w);
}

// ---- inflows and wind -----------------------------------------------------------------------------

static const char *const height_fields[] = {"wave", "shallow", "implicit"};

static tarn_emitter_def inflow(double rate, double x, double z, double radius)
{
    tarn_emitter_def def = tarn_default_emitter_def(TARN_EMITTER_INFLOW);
    def.inflow.rate = rate, def.inflow.position = (tarn_vec2){x, z}, def.inflow.radius = radius;
    return def;
}

// The volume is rate times time to the rounding of one cell, in discs and boxes, from a trickle far below one
// quantum per step to a flood, and in a region that is smaller than a cell.
static void inflows_deliver_rate_times_time(void **state)
{
    (void)state;
    static const double rates[] = {0.05, 1.7e-8, -0.002, -2.3e-7};
    for (int m = 0; m < 3; ++m)
        for (int k = 0; k < 12; ++k) {
            // Depths that stay below 1 m keep their quantum, 2^-22 m.
            tarn_world *w = water_of_depth(height_fields[m], 0.8);
            const double quantum = 0.125 * 0.125 / 4194304.0;
            tarn_emitter_def def = inflow(rates[k % 4], 0.3, -0.2, k < 4 ? 0.7 : 0.001);
            def.inflow.start = 0.21, def.inflow.end = 1.17;
            if (k >= 8) def.inflow.shape = TARN_SOURCE_BOX;
            const double error = tarn_world_get_ledger(w).volume_error;
            add(w, &def);
            for (int n = 0; n < 90; ++n) {
                steps(w, 1);
                const double time = fmin(tarn_world_get_status(w).time, 1.17) - 0.21;
                const double want = rates[k % 4] * fmax(time, 0.0);
                CHECK_NEAR(tarn_world_get_ledger(w).volume_emitted, want, quantum);
            }
            CHECK_NEAR(tarn_world_get_ledger(w).volume_error, error, m == 0 ? 1e-6 : 0.0);
            tarn_world_destroy(w);
        }
}

// A drain takes at most what is there: the ledger stays exact, and no depth is negative.
static void drains_run_dry(void **state)
{
    (void)state;
    for (int m = 0; m < 3; ++m) {
        tarn_world *w = water_of_depth(height_fields[m], 0.01);
        static double depth[32 * 32];
        tarn_emitter_def def = inflow(-0.5, 0, 0, 3.0); // the whole tank, three times in a second
        add(w, &def);
        const tarn_ledger old = tarn_world_get_ledger(w);
        steps(w, 60);
        const tarn_ledger now = tarn_world_get_ledger(w);
        CHECK_OK(tarn_world_read_field(w, TARN_FIELD_DEPTH, NULL, NULL, depth));
        for (int c = 0; c < 32 * 32; ++c) assert_true(depth[c] >= (m == 0 ? -1e-6 : 0.0));
        CHECK_NEAR(now.volume - old.volume, now.volume_emitted, 1e-9);
        assert_true(now.volume < 0.02 * old.volume);
        if (m > 0) assert_true(now.volume_error == old.volume_error);
        tarn_world_destroy(w);
    }
}

// Water that comes with a velocity U brings the momentum rho V U, and none otherwise.
static void inflows_bring_momentum(void **state)
{
    (void)state;
    for (int m = 1; m < 3; ++m)
        for (int moves = 0; moves < 2; ++moves) {
            tarn_world *w = water(height_fields[m]);
            tarn_emitter_def def = inflow(0.6, 0.1, 0.1, 0.4);
            def.inflow.velocity = (tarn_vec2){2.0, -1.0}, def.inflow.set_velocity = moves;
            add(w, &def);
            steps(w, 3); // the waves have not reached the walls
            const tarn_ledger now = tarn_world_get_ledger(w);
            const double mass = 1000.0 * 0.6 * 3.0 / 60.0;
            CHECK_NEAR(now.momentum_water.x, moves ? 2.0 * mass : 0.0,
                       0.01 * mass); // faces at the edge of the disc
            CHECK_NEAR(now.momentum_water.z, moves ? -1.0 * mass : 0.0, 0.01 * mass);
            tarn_world_destroy(w);
        }
}

// A rate is changed by handle, and the rounding that is carried is part of the state.
static void inflows_change_and_are_cloned(void **state)
{
    (void)state;
    for (int m = 0; m < 3; ++m) {
        tarn_world *w = water(height_fields[m]), *clone;
        tarn_emitter_def def = inflow(0.0123, 0.5, 0.5, 0.33);
        const tarn_emitter_id id = add(w, &def);
        steps(w, 30);
        def.inflow.rate = -1e-7;
        CHECK_OK(tarn_emitter_set_def(w, id, &def, NULL));
        steps(w, 7);
        CHECK_OK(tarn_world_clone(w, NULL, &clone, NULL));
        steps(w, 20), steps(clone, 20);
        assert_true(tarn_world_hash(w) == tarn_world_hash(clone));
        CHECK_NEAR(tarn_world_get_ledger(w).volume_emitted, 0.0123 * 0.5 - 1e-7 * 27 / 60.0, 4e-9);
        tarn_world_destroy(w), tarn_world_destroy(clone);
    }
}

static void impossible_inflows_and_winds_are_refused(void **state)
{
    (void)state;
    tarn_world *w = water("wave");
    tarn_emitter_def outside = inflow(1.0, 5.0, 0.0, 4.0), moving = inflow(1.0, 0.0, 0.0, 1.0);
    const tarn_emitter_def wind = tarn_default_emitter_def(TARN_EMITTER_WIND);
    tarn_error err = {0};
    moving.inflow.set_velocity = true;
    assert_int_equal(tarn_emitter_create(w, &outside, NULL, &err), TARN_BAD_INPUT);
    assert_string_equal(err.key, "position");
    assert_int_equal(tarn_emitter_create(w, &moving, NULL, &err), TARN_BAD_INPUT);
    assert_string_equal(err.key, "set_velocity");
    assert_int_equal(tarn_emitter_create(w, &wind, NULL, &err), TARN_BAD_INPUT);
    assert_int_equal(tarn_world_get_status(w).emitter_count, 0);
    tarn_world_destroy(w);
}

// In a closed basin the surface tilts until rho g h slope = tau. Without friction it oscillates about that
// slope; over one period of the longest wave, 2 L/c, the mean is the steady state. C_d of Wu (1982).
static void wind_tilts_the_surface_of_a_basin(void **state)
{
    (void)state;
    enum { NX = 64 };
    const double length = 32.0, depth = 0.5, speed = 15.0, period = 2.0 * length / sqrt(9.81 * depth);
    const double tau = 1.225 * (0.8 + 0.065 * speed) * 1e-3 * speed * speed;
    static double height[4 * NX];
    for (int m = 1; m < 3; ++m)
        for (int axis = 0; axis < 2; ++axis) {
            struct world_setup world = world_setup_of(height_fields[m]);
            tarn_world *w = NULL;
            set_size(&world.fluid, axis ? 2 : 32, axis ? 32 : 2);
            set_cells(&world.fluid, axis ? 4 : NX, axis ? NX : 4);
            set_depth(&world.fluid, depth);
            CHECK_OK(setup_create(&world, &w, NULL));
            tarn_emitter_def def = tarn_default_emitter_def(TARN_EMITTER_WIND);
            def.wind.velocity = axis ? (tarn_vec2){0, -speed} : (tarn_vec2){speed, 0};
            add(w, &def);
            const int count = (int)floor(60.0 * period + 0.5);
            double slope = 0.0, xx = 0.0;
            for (int i = 0; i < NX; ++i) xx += (i - 31.5) * (i - 31.5);
            for (int n = 0; n < count; ++n) {
                steps(w, 1);
                CHECK_OK(tarn_world_read_field(w, TARN_FIELD_HEIGHT, NULL, NULL, height));
                for (int i = 0; i < NX; ++i) // least squares
                    slope += (i - 31.5) * height[axis ? 4 * i : i] / (xx * 0.5 * count);
            }
            const double want = (axis ? -tau : tau) / (1000.0 * 9.81 * depth);
            CHECK_NEAR(slope, want, 0.02 * fabs(want));
            tarn_world_destroy(w);
        }
}

// Thin water moves with the wind at most; where a body covers the surface there is no stress.
static void thin_water_is_not_faster_than_the_wind(void **state)
{
    (void)state;
    static double u[33 * 32];
    for (int m = 1; m < 3; ++m) {
        struct world_setup world = world_setup_of(height_fields[m]);
        tarn_world *w = NULL;
        set_cells(&world.fluid, 32, 32);
        set_depth(&world.fluid, 1e-3);
        set_boundary(&world.fluid, TARN_WEST, "periodic");
        set_boundary(&world.fluid, TARN_EAST, "periodic");
        CHECK_OK(setup_create(&world, &w, NULL));
        tarn_emitter_def def = tarn_default_emitter_def(TARN_EMITTER_WIND);
        def.wind.drag_coefficient = 1.0; // far beyond nature: the water follows at once
        add(w, &def);
        steps(w, 120);
        CHECK_OK(tarn_world_read_field(w, TARN_FIELD_FACE_VELOCITY_X, NULL, NULL, u));
        for (int c = 0; c < 33 * 32; ++c) assert_true(9.0 < u[c] && u[c] <= 10.0);
        tarn_world_destroy(w);
    }
}

// ---- ids ------------------------------------------------------------------------------------------

// A place is used again by an emitter with another id and other random numbers; paths count those that are
// left.
static void places_are_used_again(void **state)
{
    (void)state;
    tarn_world *w = water("wave");
    const tarn_emitter_def first = rain(1e-4), second = rain(2e-4), third = rain(3e-4);
    const tarn_emitter_id a = add(w, &first), b = add(w, &second);
    tarn_emitter_id list[3];
    assert_int_equal(tarn_world_get_emitters(w, list, 3), 2);
    assert_true(list[0].value == a.value && list[1].value == b.value);
    CHECK_OK(tarn_emitter_destroy(w, a));
    tarn_value rate;
    CHECK_OK(tarn_world_get_param(w, "emitters[0].rate", &rate));
    CHECK_NEAR(rate.number[0], 2e-4, 0.0);
    assert_int_equal(tarn_world_get_param(w, "emitters[1].rate", &rate), TARN_BAD_ARGUMENT);
    const tarn_emitter_id c = add(w, &third);
    assert_true(c.value != a.value && !tarn_emitter_is_valid(w, a));
    assert_int_equal(tarn_world_get_emitters(w, list, 1), 2);
    assert_true(list[0].value == c.value);
    tarn_world_destroy(w);

    tarn_world *fresh = water("wave"), *used = water("wave");
    add(fresh, &third);
    CHECK_OK(tarn_emitter_destroy(used, add(used, &third)));
    add(used, &third);
    steps(fresh, 30), steps(used, 30);
    int differ = 0;
    for (int i = 0; i < 16; ++i)
        differ += tarn_world_get_surface(fresh, 0.1 * i - 0.8, 0).height !=
                  tarn_world_get_surface(used, 0.1 * i - 0.8, 0).height;
    assert_true(differ > 0);
    tarn_world_destroy(fresh);
    tarn_world_destroy(used);
}

// Snapshots, clones and checkpoints have the ids of the world, destroyed emitters included, and continue with
// the same bits.
static void ids_survive_saving(void **state)
{
    (void)state;
    tarn_world *w = water("shallow");
    const tarn_emitter_def def = rain(1e-3);
    const tarn_emitter_id a = add(w, &def), b = add(w, &def);
    steps(w, 5);
    CHECK_OK(tarn_emitter_destroy(w, a));
    static unsigned char image[1 << 20];
    const size_t size = tarn_world_snapshot(w, image, sizeof image);
    assert_true(0 < size && size <= sizeof image);
    const uint64_t hash = tarn_world_hash(w);
    static struct memory_stream file;
    tarn_world *loaded = NULL, *clone = NULL;
    CHECK_OK(tarn_world_save(w, stream_write, &file));
    CHECK_OK(tarn_world_load(stream_read, &file, NULL, &loaded, NULL));
    CHECK_OK(tarn_world_clone(w, NULL, &clone, NULL));

    CHECK_OK(tarn_emitter_destroy(w, b));
    const tarn_emitter_id c = add(w, &def);
    assert_true(tarn_emitter_is_valid(w, c));
    steps(w, 3);
    CHECK_OK(tarn_world_restore(w, image, size, NULL));
    tarn_world *all[] = {w, loaded, clone};
    uint64_t later[3];
    for (int k = 0; k < 3; ++k) {
        assert_true(tarn_world_hash(all[k]) == hash);
        assert_true(tarn_emitter_is_valid(all[k], b));
        assert_false(tarn_emitter_is_valid(all[k], a));
        // The next emitter takes the place of `a` with a third use of its id.
        assert_true(add(all[k], &def).value == c.value);
        steps(all[k], 20);
        later[k] = tarn_world_hash(all[k]);
        tarn_world_destroy(all[k]);
    }
    assert_true(later[0] == later[1] && later[0] == later[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(typed_defaults_are_those_of_the_lists),
        cmocka_unit_test(members_are_the_parameters_of_their_names),
        cmocka_unit_test(a_changed_rate_equals_its_command),
        cmocka_unit_test(destroyed_emitters_stop),
        cmocka_unit_test(sources_become_sinks),
        cmocka_unit_test(fixed_parameters_are_refused_by_name),
        cmocka_unit_test(inflows_deliver_rate_times_time),
        cmocka_unit_test(drains_run_dry),
        cmocka_unit_test(inflows_bring_momentum),
        cmocka_unit_test(inflows_change_and_are_cloned),
        cmocka_unit_test(impossible_inflows_and_winds_are_refused),
        cmocka_unit_test(wind_tilts_the_surface_of_a_basin),
        cmocka_unit_test(thin_water_is_not_faster_than_the_wind),
        cmocka_unit_test(places_are_used_again),
        cmocka_unit_test(ids_survive_saving),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
