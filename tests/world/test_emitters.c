// Emitters: typed definitions agree with those made by name, changes at run time, ids.
#include "check.h"
#include "memory_stream.h"

#include <tarn/command.h>
#include <tarn/tarn.h>

#include <string.h>

static tarn_world *water(const char *model)
{
    tarn_world_def def = tarn_world_def_default(model);
    tarn_world *w = NULL;
    CHECK_OK(tarn_spec_set(&def.fluid, "cells", tarn_value_vec2(32, 32), NULL));
    CHECK_OK(tarn_world_create(&def, &w, NULL));
    return w;
}

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

static void set_by_name(tarn_spec *spec, const char *kind, const char *const *names, const tarn_value *values)
{
    CHECK_OK(tarn_spec_init(spec, "emitter", kind, NULL));
    for (int i = 0; names[i]; ++i) CHECK_OK(tarn_spec_set(spec, names[i], values[i], NULL));
}

// Every member of every kind is where the parameter list says: values by name and by member make equal
// structs.
static void members_are_the_parameters_of_their_names(void **state)
{
    (void)state;
    const tarn_value n = tarn_value_number(0.75), v = tarn_value_vec2(0.25, 0.5);
    const tarn_emitter_def typed[] = {
        {.type = TARN_EMITTER_HUMP, .hump = {{0.25, 0.5}, .radius = 0.75, .height = 0.75, .start = 0.75}},
        {.type = TARN_EMITTER_FILL, .fill = {{0.25, 0.5}, .size = {0.25, 0.5}, .level = 0.75, .start = 0.75}},
        {.type = TARN_EMITTER_DROPS,
         .drops =
             {{0.25, 0.5}, .scatter = 0.75, .radius = 0.75, .speed = 0.75, .interval = 0.75, .start = 0.75}},
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
    };
    static const char *const names[][14] = {
        {"position", "radius", "height", "start"},
        {"position", "size", "level", "start"},
        {"position", "scatter", "radius", "speed", "interval", "start"},
        {"rate", "radius", "speed", "start", "end"},
        {"side", "height", "period", "start", "end"},
        {"shape", "position", "radius", "size", "dye", "heat", "set_velocity", "velocity", "pattern",
         "pattern_parameter", "fourier_rate", "start", "end"},
    };
    const tarn_value values[][13] = {
        {v, n, n, n},
        {v, v, n, n},
        {v, n, n, n, n, n},
        {tarn_value_number(0.005), n, n, n, n},
        {tarn_value_text("south"), n, n, n, n},
        {tarn_value_text("box"), v, n, v, n, n, tarn_value_flag(1), v, tarn_value_text("fourier"), n, n, n,
         n},
    };
    for (int k = 0; k < 6; ++k) {
        tarn_spec spec;
        tarn_emitter_def def;
        set_by_name(&spec, tarn_kind_at("emitter", k)->name, names[k], values[k]);
        CHECK_OK(tarn_emitter_def_from_spec(&spec, &def));
        tarn_spec typed_spec;
        CHECK_OK(tarn_emitter_def_to_spec(&typed[k], &typed_spec));
        for (int i = 0; names[k][i]; ++i) { // member by member: padding may differ
            tarn_value a, b;
            CHECK_OK(tarn_spec_get(&spec, names[k][i], &a));
            CHECK_OK(tarn_spec_get(&typed_spec, names[k][i], &b));
            if (memcmp(&a, &b, sizeof a) != 0) fail_msg("kind %d: %s differs", k, names[k][i]);
        }
        assert_int_equal(def.type, typed[k].type);
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
        cmocka_unit_test(places_are_used_again),
        cmocka_unit_test(ids_survive_saving),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
