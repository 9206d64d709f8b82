// tarn replay: repeat a recorded session of the viewer and compare state hashes.
#include "apps/cli/commands.h"
#include "apps/common/app.h"
#include "apps/common/recording.h"

#include <inttypes.h>

struct replay {
    int threads, quiet, as_json;
    struct recording journal;
    tarn_scene *scene;
    tarn_world *world;
    double dt;
    long long commands, hashes;
    uint64_t steps, matching; // taken; the last one whose hash was the same
};

static int open_scene(struct replay *r)
{
    tarn_diagnostics diagnostics = {0};
    const tarn_result result =
        tarn_scene_parse(r->journal.path, r->journal.scene, r->journal.scene_size, &r->scene, &diagnostics);
    if (result != TARN_OK) {
        print_diagnostics(stderr, &diagnostics);
        print_error(0, "the scene in the recording: %s", result_message(result));
    }
    tarn_diagnostics_free(&diagnostics);
    if (result != TARN_OK) return (int)result;
    const tarn_host host = app_host(r->threads, 1);
    tarn_scene_info info = {0};
    tarn_scene_get_info(r->scene, &info);
    r->dt = info.dt;
    return create_world(r->scene, &host, &r->world);
}

static int step_to(struct replay *r, uint64_t step)
{
    enum { MOST = 1000000000 };
    if (step < r->steps || step > MOST)
        return print_error(TARN_BAD_INPUT, "line %d: step %" PRIu64 " after step %" PRIu64,
                           r->journal.line - 1, step, r->steps);
    while (r->steps < step) {
        if (pending_signal()) return 128 + pending_signal();
        const tarn_result result = tarn_world_advance(r->world, r->dt);
        if (result != TARN_OK)
            return print_error((int)result, "step %" PRIu64 ": %s", r->steps + 1,
                               tarn_world_get_failure(r->world));
        ++r->steps;
    }
    return 0;
}

static int apply(struct replay *r, const tarn_command *c)
{
    tarn_error err;
    const tarn_result result = tarn_world_apply_command(r->world, c, &err);
    if (result != TARN_OK)
        return print_error(TARN_FAILED, "step %" PRIu64 ": command %s failed on replay: %s", r->steps,
                           tarn_command_name(c->kind), err.message);
    ++r->commands;
    return 0;
}

static int compare(struct replay *r, uint64_t then)
{
    const uint64_t now = tarn_world_hash(r->world);
    ++r->hashes;
    if (now != then)
        return print_error(TARN_FAILED,
                           "state differs at step %" PRIu64 " (recorded %016" PRIx64 ", now %016" PRIx64
                           "); last equal step: %" PRIu64,
                           r->steps, then, now, r->matching);
    r->matching = r->steps;
    return 0;
}

static int play(struct replay *r)
{
    tarn_command c;
    enum recording_entry kind = RECORDING_COMMAND;
    uint64_t hash = 0;
    int code = 0;
    while (code == 0 && kind != RECORDING_END) {
        code = recording_next(&r->journal, &kind, &c, &hash);
        if (code == 0) code = step_to(r, c.step);
        if (code == 0 && kind == RECORDING_COMMAND) code = apply(r, &c);
        if (code == 0 && kind == RECORDING_HASH) code = compare(r, hash);
    }
    return code;
}

static int replay_main(int argc, char **argv)
{
    struct replay r = {0};
    const struct option options[] = {
        THREADS_OPTION(&r.threads),
        OPTIONS_END,
    };
    const struct command_spec spec = {
        "tarn replay FILE [options]",
        "Repeats a session of the viewer that `tarn view --record FILE` or Ctrl+R recorded and compares\n"
        "the state with the recorded hashes. If they differ, the first step that differs and the last\n"
        "equal one are printed, and the exit code is 1.\n",
        "  tarn view pond --record pond.recording\n  tarn replay pond.recording\n",
        1,
        1,
        options,
    };
    struct args args;

    const enum parse_result parsed = parse_options(&spec, argc, argv, &args);
    if (parsed != PARSED) return parse_exit_code(parsed);
    install_signal_handlers(0);
    int code = recording_open(&r.journal, args.positional[0]);
    if (code == 0) code = open_scene(&r);
    if (code == 0) code = play(&r);
    if (code == 0)
        printf("%s: %" PRIu64 " steps, %lld commands, %lld hashes: all equal\n", args.positional[0], r.steps,
               r.commands, r.hashes);
    tarn_world_destroy(r.world);
    tarn_scene_destroy(r.scene);
    recording_close(&r.journal);
    return code;
}

const struct command command_replay = {"replay", "repeat a recorded session and compare hashes", replay_main};
