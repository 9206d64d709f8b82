// tarn replay: do again what was done by hand, and compare.
#include "apps/cli/commands.h"
#include "apps/common/app.h"
#include "apps/common/recording.h"

#include <inttypes.h>

struct replay {
    int threads, quiet, as_json;
    struct journal journal;
    tarn_scene *scene;
    tarn_world *world;
    double dt;
    long long commands, hashes;
    uint64_t steps, good; // taken; the last one whose hash was the same
};

static int open_scene(struct replay *r)
{
    tarn_notes notes = {0};
    const tarn_result result =
        tarn_scene_parse(r->journal.path, r->journal.scene, r->journal.scene_size, &r->scene, &notes);
    if (result != TARN_OK) {
        print_notes(stderr, &notes);
        complain(0, "the scene in the recording: %s", result_text(result));
    }
    tarn_notes_free(&notes);
    if (result != TARN_OK) return (int)result;
    const tarn_host host = program_host(r->threads, 1);
    r->dt = tarn_scene_facts_of(r->scene).dt;
    return scene_build(r->scene, &host, &r->world);
}

static int step_to(struct replay *r, uint64_t step)
{
    enum { MOST = 1000000000 };
    if (step < r->steps || step > MOST)
        return complain(TARN_BAD_INPUT, "line %d: step %" PRIu64 " after step %" PRIu64, r->journal.line - 1,
                        step, r->steps);
    while (r->steps < step) {
        if (signal_caught()) return 128 + signal_caught();
        const tarn_result result = tarn_world_step(r->world, r->dt);
        if (result != TARN_OK)
            return complain((int)result, "step %" PRIu64 ": %s", r->steps + 1, tarn_world_trouble(r->world));
        ++r->steps;
    }
    return 0;
}

static int apply(struct replay *r, const tarn_command *c)
{
    tarn_error err;
    const tarn_result result = tarn_world_command(r->world, c, &err);
    if (result != TARN_OK)
        return complain(TARN_FAILED, "step %" PRIu64 ": %s could be done then and cannot be done now: %s",
                        r->steps, tarn_command_name(c->kind), err.text);
    ++r->commands;
    return 0;
}

static int compare(struct replay *r, uint64_t then)
{
    const uint64_t now = tarn_world_hash(r->world);
    ++r->hashes;
    if (now != then)
        return complain(TARN_FAILED,
                        "step %" PRIu64 " differs: %016" PRIx64 " was recorded, %016" PRIx64
                        " is it now; step %" PRIu64 " was still the same",
                        r->steps, then, now, r->good);
    r->good = r->steps;
    return 0;
}

static int play(struct replay *r)
{
    tarn_command c;
    enum journal_line kind = JOURNAL_COMMAND;
    uint64_t hash = 0;
    int code = 0;
    while (code == 0 && kind != JOURNAL_END) {
        code = journal_next(&r->journal, &kind, &c, &hash);
        if (code == 0) code = step_to(r, c.step);
        if (code == 0 && kind == JOURNAL_COMMAND) code = apply(r, &c);
        if (code == 0 && kind == JOURNAL_HASH) code = compare(r, hash);
    }
    return code;
}

int command_replay(int argc, char **argv)
{
    static const struct usage usage = {
        "tarn replay FILE [options]",
        "Does again what was done by hand in the viewer, as `tarn view --journal FILE` or its panel wrote it "
        "down,\n"
        "and compares the state with the recorded hashes. Exit code 1 if a step differs; its number is "
        "told.\n",
        "  tarn view pond --journal pond.tarn\n  tarn replay pond.tarn\n",
        1,
        1,
    };
    struct replay r = {0};
    const struct option options[] = {
        {OPTION_INTEGER, "threads", 0, "N", &r.threads, 1, MOST_THREADS,
         "as many threads (one per processor, at most 8); the same results"},
        {OPTION_END, NULL, 0, NULL, NULL, 0, 0, NULL},
    };
    int words;

    int code = options_read(&usage, options, argc, argv, &words);
    if (code >= 0) return code;
    signals_catch(0);
    code = journal_open(&r.journal, argv[1]);
    if (code == 0) code = open_scene(&r);
    if (code == 0) code = play(&r);
    if (code == 0)
        printf("%s: %" PRIu64 " steps, %lld commands, %lld hashes: all the same\n", argv[1], r.steps,
               r.commands, r.hashes);
    tarn_world_destroy(r.world);
    tarn_scene_destroy(r.scene);
    journal_close(&r.journal);
    return code;
}
