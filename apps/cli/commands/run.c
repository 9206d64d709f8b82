// tarn run: simulate a scene and write down what happens. tarn resume: go on with a run from its checkpoint.
#include "apps/cli/commands.h"
#include "apps/cli/output/checkpoint.h"
#include "apps/cli/output/progress.h"
#include "apps/cli/output/summary.h"
#include "apps/common/app.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

struct run {
    // asked for
    const char *dir;
    int threads, as_json, quiet, force;
    struct option_list sets;
    struct run_state state; // what a checkpoint keeps; times negative: the scene's, the default, none
    // at work
    char folder[OUTPUT_PATH];
    tarn_scene *scene; // NULL if resumed
    tarn_scene_facts facts;
    tarn_world *world;
    struct record record;
    struct progress progress;
    struct json json;
    long long total, done;    // steps
    long long first, saved;   // steps at the start of this process and of the last checkpoint
    unsigned long long inner; // inner steps at the start
    double start, stepping;   // [s] clock at the start; time inside the world's steps
};

static const struct usage run_usage = {
    "tarn run SCENE [options]",
    "Simulates a scene and prints a summary. SCENE is a file, or a name from `tarn scenes`.\n\n"
    "Files (SI units, y is up):\n"
    "  ledger.csv   m^3: volume, emitted, out, placed, held, drift, submerged; J: energy; kg m/s: momentum\n"
    "  bodies.csv   a line per time and body: m, rotation as quaternion, m/s, rad/s; N and N m of the water\n"
    "  gauges.csv   per gauge NAME_height and NAME_depth [m], NAME_u and NAME_w [m/s] along x and z\n"
    "  frame_*.vti  height, bed, depth, speed_x, speed_z, for ParaView; series.pvd has the times\n"
    "The model flow has instead, per metre of depth:\n"
    "  ledger.csv   J/m: energy; kg/s: momentum; m^2: dye; K m^2: heat above rest\n"
    "  obstacles.csv a line per time and obstacle: m, rad, m/s, rad/s; N/m: force, friction; N: torque\n"
    "  gauges.csv   per gauge NAME_u and NAME_v [m/s], NAME_pressure [Pa], NAME_dye, NAME_heat [K]\n"
    "  frame_*.vti  dye, heat, speed_x, speed_y, pressure, vorticity, open\n"
    "The first line of a CSV file names its columns. Files get their names when they are complete; Ctrl-C\n"
    "completes them with what there is, a second one quits at once. Files that the program made in DIR are\n"
    "replaced, others only with -f.\n\n"
    "With --checkpoint the state is saved in DIR/checkpoint.tarn at the start, every S simulated seconds, "
    "at\n"
    "the end and on Ctrl-C; the one before it stays as checkpoint.old.tarn. `tarn resume DIR` goes on from "
    "there,\n"
    "after Ctrl-C, a crash or a power cut, and the files become what they would have been.\n",
    "  tarn run pond\n"
    "  tarn run pond --time 5 --csv --every 0.1 -o out/pond\n"
    "  tarn run pond --csv --checkpoint 1 -o out/pond && tarn resume out/pond --time 60\n"
    "  tarn run pond --set fluid.depth=2 --set bodies[0].density=300 --json\n",
    1,
    1,
};

static const struct usage resume_usage = {
    "tarn resume FILE [options]",
    "Goes on with a run from a checkpoint that `tarn run --checkpoint` wrote, in the folder where it is.\n"
    "FILE is the checkpoint or that folder. Outputs are cut back to the moment of the checkpoint and\n"
    "continued: they become, byte for byte, those of a run that was never stopped. If the newest checkpoint\n"
    "is damaged, that is told and the one before it is taken.\n",
    "  tarn resume out/pond\n"
    "  tarn resume out/pond/checkpoint.tarn --time 60\n",
    1,
    1,
};

static int read_run_options(struct run *run, int argc, char **argv)
{
    struct run_state *state = &run->state;
    const struct option options[] = {
        {OPTION_TEXT, "output", 'o', "DIR", &run->dir, 0, 0,
         "where files go (out/SCENE); alone it means --csv"},
        {OPTION_NUMBER, "time", 0, "S", &state->time, 0, 1e9, "simulate S seconds (the scene's run.time)"},
        {OPTION_NUMBER, "every", 0, "S", &state->every, 1e-6, 1e9,
         "seconds between outputs (1/30); between steps the states are blended"},
        {OPTION_FLAG, "csv", 0, NULL, &state->csv, 0, 0,
         "write ledger.csv, bodies.csv, gauges.csv (flow: obstacles.csv too)"},
        {OPTION_FLAG, "vtk", 0, NULL, &state->vtk, 0, 0, "write frame_00000.vti ... and series.pvd"},
        {OPTION_NUMBER, "checkpoint", 0, "S", &state->checkpoint, 1e-6, 1e9,
         "save the state every S simulated seconds, for `tarn resume`"},
        {OPTION_INTEGER, "hash-every", 0, "N", &state->hash_every, 1, 2147483647,
         "print step and state hash every N steps"},
        {OPTION_INTEGER, "threads", 0, "N", &run->threads, 1, MOST_THREADS,
         "as many threads (one per processor, at most 8); the same results"},
        {OPTION_LIST, "set", 0, "KEY=VALUE", &run->sets, 0, 0,
         "change a value of the scene; may be repeated"},
        {OPTION_FLAG, "json", 0, NULL, &run->as_json, 0, 0, "the summary as one JSON object"},
        {OPTION_FLAG, "quiet", 'q', NULL, &run->quiet, 0, 0, "no progress, no remarks"},
        {OPTION_FLAG, "force", 'f', NULL, &run->force, 0, 0,
         "replace files of others, and a run that could be resumed"},
        {OPTION_END, NULL, 0, NULL, NULL, 0, 0, NULL},
    };
    int words;

    const int code = options_read(&run_usage, options, argc, argv, &words);
    if (code >= 0) return code;
    const int every_given = state->every > 0.0;
    if (run->dir && !state->csv && !state->vtk && state->checkpoint < 0.0) state->csv = 1;
    if (every_given && !state->csv && !state->vtk && !run->quiet)
        remark("--every does nothing without --csv or --vtk");
    if (!every_given) state->every = 1.0 / 30.0;
    return -1;
}

static void count_steps(struct run *run)
{
    run->total = (long long)ceil(run->state.time / run->facts.dt - 1e-6); // 10 s of 1/60 s are 600, not 601
}

static void describe_run(const struct run *run)
{
    const tarn_scene_facts *f = &run->facts;
    if (!run->quiet)
        remark("%s: %s model, %d %s, %g s in %lld steps", run->state.name, f->model, f->body_count,
               f->body_count == 1 ? "body" : "bodies", run->state.time, run->total);
}

// The outputs, from the start or from where the checkpoint has them.
static int open_record(struct run *run, const struct record_mark *from, int newest)
{
    const struct run_state *state = &run->state;
    const struct record_def def = {.dir = run->folder,
                                   .csv = state->csv,
                                   .vtk = state->vtk,
                                   .force = run->force,
                                   .checkpoints = state->checkpoint > 0.0,
                                   .every = state->every,
                                   .time = state->time,
                                   .from = from};

    int code = record_claim(&run->record, &def, &run->facts, run->world);
    // A later checkpoint than this would know of outputs that are about to be cut off: this one takes its place.
    if (code == 0 && from && !newest) code = checkpoint_write(&run->record.output, run->world, state, 0);
    return code == 0 ? record_open(&run->record, &def, run->world) : code;
}

static int prepare_run(struct run *run, const char *word)
{
    struct run_state *state = &run->state;

    int code = scene_open(word, &run->sets, &run->scene, state->scene, sizeof state->scene);
    if (code != 0) return code;
    scene_short_name(state->scene, state->name, sizeof state->name);
    run->facts = tarn_scene_facts_of(run->scene);
    if (state->time < 0.0) state->time = run->facts.time;
    count_steps(run);
    describe_run(run); // first words before long work

    const tarn_host host = program_host(run->threads, run->quiet);
    run->threads = host.workers;
    code = scene_build(run->scene, &host, &run->world);
    if (code != 0) return code;
    state->start = tarn_world_ledger(run->world);
    state->gauge_count = run->facts.gauge_count;
    state->gauges = calloc((size_t)state->gauge_count + 1, sizeof *state->gauges);
    if (!state->gauges) return complain(TARN_NO_MEMORY, "%s", result_text(TARN_NO_MEMORY));
    for (int i = 0; i < state->gauge_count; ++i) state->gauges[i] = run->facts.gauges[i];
    snprintf(run->folder, sizeof run->folder, run->dir ? "%s" : "out/%s", run->dir ? run->dir : state->name);
    run->saved = -1;
    return open_record(run, NULL, 1);
}

static int read_resume_options(struct run *run, double *time, double *checkpoint, int argc, char **argv)
{
    const struct option options[] = {
        {OPTION_NUMBER, "time", 0, "S", time, 0, 1e9, "simulate S seconds in all (as the run was asked to)"},
        {OPTION_NUMBER, "checkpoint", 0, "S", checkpoint, 1e-6, 1e9,
         "save the state every S simulated seconds (likewise)"},
        {OPTION_INTEGER, "threads", 0, "N", &run->threads, 1, MOST_THREADS,
         "as many threads (one per processor, at most 8); the same results"},
        {OPTION_FLAG, "json", 0, NULL, &run->as_json, 0, 0, "the summary as one JSON object"},
        {OPTION_FLAG, "quiet", 'q', NULL, &run->quiet, 0, 0, "no progress, no remarks"},
        {OPTION_END, NULL, 0, NULL, NULL, 0, 0, NULL},
    };
    int words;

    return options_read(&resume_usage, options, argc, argv, &words);
}

static int prepare_resume(struct run *run, const char *word, double time, double checkpoint)
{
    struct run_state *state = &run->state;
    struct found found;
    tarn_value dt = {0};

    const tarn_host host = program_host(run->threads, run->quiet);
    run->threads = host.workers;
    const int code = checkpoint_read(word, &host, &found, state, &run->world);
    if (code != 0) return code;
    if (time >= 0.0) state->time = time;
    if (checkpoint > 0.0) state->checkpoint = checkpoint;
    const tarn_status status = tarn_world_status(run->world);
    tarn_world_get(run->world, "run.dt", &dt);
    run->facts =
        (tarn_scene_facts){.dt = dt.number[0], .gauge_count = state->gauge_count, .gauges = state->gauges};
    run->done = run->first = run->saved = (long long)status.steps;
    run->inner = status.inner;
    count_steps(run);
    snprintf(run->folder, sizeof run->folder, "%s", found.dir);
    if (!run->quiet)
        remark("%s: going on after step %lld, to %g s in %lld steps", state->name, run->done, state->time,
               run->total);
    return open_record(run, &state->mark, found.newest);
}

static int save_checkpoint(struct run *run)
{
    int code = record_mark(&run->record, &run->state.mark);
    if (code == 0) code = checkpoint_write(&run->record.output, run->world, &run->state, 1);
    if (code == 0) run->saved = run->done;
    run->record.failed |= code != 0; // the outputs stay as they are, to be gone on with
    return code;
}

// Whether a checkpoint is due after so many steps; the same in a run that was resumed.
static int checkpoint_due(const struct run *run, long long step)
{
    const double every = run->state.checkpoint / run->facts.dt; // [steps]
    return every > 0.0 && floor((double)step / every + 1e-6) > floor((double)(step - 1) / every + 1e-6);
}

// Returns 0, or the exit code that ends the run.
static int print_hash(struct run *run)
{
    const uint64_t hash = tarn_world_hash(run->world);

    bar_wipe();
    if (run->as_json) {
        char text[20];
        snprintf(text, sizeof text, "%016" PRIx64, hash);
        json_open(&run->json, NULL, '{');
        json_integer(&run->json, "step", run->done);
        json_text(&run->json, "hash", text);
        json_close(&run->json);
    } else {
        printf("%lld %016" PRIx64 "\n", run->done, hash);
    }
    if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
    return stdout_closed() ? EXIT_CLOSED_PIPE : TARN_IO; // main() finds the words
}

static int tell_trouble(const struct run *run, tarn_result r)
{
    const char *trouble = tarn_world_trouble(run->world);
    if (trouble && *trouble) return complain((int)r, "%s: %s", run->state.name, trouble);
    return complain((int)r, "%s: step %lld: %s", run->state.name, run->done + 1, result_text(r));
}

static int one_step(struct run *run)
{
    record_before_step(&run->record, run->world, run->done + 1);
    const double before = clock_seconds();
    const tarn_result r = tarn_world_step(run->world, run->facts.dt);
    run->stepping += clock_seconds() - before;
    if (r != TARN_OK) return tell_trouble(run, r);
    ++run->done;
    int code = record_after_step(&run->record, run->world, run->done);
    if (code == 0 && run->state.hash_every && run->done % run->state.hash_every == 0) code = print_hash(run);
    if (code == 0 && checkpoint_due(run, run->done)) code = save_checkpoint(run);
    return code;
}

static int all_steps(struct run *run)
{
    const int checkpoints = run->state.checkpoint > 0.0;
    int code = checkpoints && run->saved < 0 ? save_checkpoint(run) : 0;

    if (run->as_json && run->state.hash_every) json_open(&run->json, "hashes", '[');
    while (run->done < run->total && code == 0 && !signal_caught()) {
        code = one_step(run);
        if (code == 0)
            progress_update(&run->progress, run->world, (double)run->done * run->facts.dt,
                            run->done - run->first);
    }
    bar_wipe();
    if (run->as_json && run->state.hash_every) json_close(&run->json);
    if (code == 0 && run->done < run->total) {
        code = 128 + signal_caught();
        if (!run->quiet)
            remark("stopped by a signal after step %lld%s%s", run->done,
                   checkpoints ? "; to go on: tarn resume " : "", checkpoints ? run->folder : "");
    }
    const int sound = code == 0 || code > 128 || code == TARN_DIVERGED;
    if (checkpoints && sound && run->saved != run->done) {
        const int saving = save_checkpoint(run);
        if (saving != 0) code = saving;
    }
    return code;
}

static void print_summary(struct run *run, int code)
{
    const struct run_state *state = &run->state;
    const int files = (state->csv || state->vtk || state->checkpoint > 0.0) && !run->record.failed;
    const struct summary summary = {
        .scene = state->name,
        .file = state->scene,
        .result = code == 0               ? "ok"
                  : code == TARN_DIVERGED ? "diverged"
                  : code > 128            ? "interrupted"
                                          : "failed",
        .folder = files ? run->folder : NULL,
        .steps = run->done,
        .first = run->first,
        .inner = run->inner,
        .dt = run->facts.dt,
        .wall = clock_seconds() - run->start,
        .stepping = run->stepping,
        .threads = run->threads,
        .exit_code = code,
        .start = state->start,
    };

    if (run->as_json)
        summary_json(&summary, run->world, &run->json);
    else
        summary_text(&summary, run->world);
}

// The run proper, from a world that is ready to the summary.
static int simulate(struct run *run)
{
    run->progress = progress_begin(run->state.name, run->state.time, run->quiet);
    run->json = json_begin(stdout);
    run->start = clock_seconds();
    if (run->as_json) json_open(&run->json, NULL, '{');

    int code = all_steps(run);
    const int closing =
        record_finish(&run->record); // also after a divergence: the way there is worth keeping
    if (closing != 0) code = closing;
    if (run->state.checkpoint > 0.0 && (code == 0 || code == TARN_DIVERGED))
        output_finish(&run->record.output);
    print_summary(run, code);
    if (run->as_json) json_close(&run->json);
    return code;
}

static int end(struct run *run, int code)
{
    if (code == 0) code = simulate(run);
    record_close(&run->record);
    tarn_world_destroy(run->world);
    tarn_scene_destroy(run->scene);
    free(run->state.gauges);
    return code;
}

int command_run(int argc, char **argv)
{
    struct run run = {.state = {.time = -1.0, .every = -1.0, .checkpoint = -1.0}, .record.output.lock = -1};

    const int code = read_run_options(&run, argc, argv);
    if (code >= 0) return code;
    signals_catch(run.quiet);
    return end(&run, prepare_run(&run, argv[1]));
}

int command_resume(int argc, char **argv)
{
    struct run run = {.record.output.lock = -1};
    double time = -1.0, checkpoint = -1.0;

    const int code = read_resume_options(&run, &time, &checkpoint, argc, argv);
    if (code >= 0) return code;
    signals_catch(run.quiet);
    return end(&run, prepare_resume(&run, argv[1], time, checkpoint));
}
