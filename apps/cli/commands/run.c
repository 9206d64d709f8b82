// tarn run: simulate a scene and write its files. tarn resume: continue a run from its checkpoint.
#include "apps/cli/commands.h"
#include "apps/cli/output/checkpoint.h"
#include "apps/common/app.h"
#include "run_loop.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

struct run {
    // options
    const char *dir;
    int threads, as_json, quiet, force;
    struct option_list overrides;
    struct run_state state; // saved in checkpoints; a negative time: not given
    // state of the run
    char folder[OUTPUT_PATH];
    tarn_scene *scene; // NULL if resumed
    tarn_scene_info info;
    tarn_world *world;
    struct time_series series;
    struct run_loop loop;
    struct json_writer json;
    long long saved_step; // of the last checkpoint; -1: none
};

static const char run_description[] =
    "Simulates a scene and prints a summary. SCENE is a file, or a name from `tarn scenes`.\n\n"
    "Files (SI units, y is up; the first line of a CSV file names its columns):\n"
    "  ledger.csv     per time: volume, source, outflow, displaced, in_hulls, error and\n"
    "                 submerged_volume [m^3]; energy [J]; momentum [kg m/s]\n"
    "  bodies.csv     per time and body: position [m], rotation (quaternion), velocity [m/s], angular\n"
    "                 velocity [rad/s], submerged volume [m^3], forces [N] and torque [N m] of water\n"
    "  gauges.csv     per time, for each gauge: NAME_height and NAME_depth [m], NAME_u and NAME_w\n"
    "                 [m/s] along x and z\n"
    "  frame_*.vti    for ParaView: height, velocity, bed, depth; series.pvd lists the times\n"
    "For the model flow, per metre of depth:\n"
    "  ledger.csv     per time: energy [J/m]; momentum [kg/s]; dye [m^2]; temperature above rest,\n"
    "                 integrated over the area [K m^2]\n"
    "  obstacles.csv  per time and obstacle: position [m], angle [rad], velocity [m/s], angular\n"
    "                 velocity [rad/s], force and viscous force [N/m], torque [N]\n"
    "  gauges.csv     per time, for each gauge: NAME_u and NAME_v [m/s], NAME_pressure [Pa], NAME_dye,\n"
    "                 NAME_temperature [K]\n"
    "  frame_*.vti    dye, temperature, velocity, pressure, vorticity, fluid_fraction\n"
    "A file gets its name when it is complete. Ctrl-C ends the run after the current step and\n"
    "completes the files; a second Ctrl-C quits at once. Files that tarn created in DIR are\n"
    "replaced, others only with -f.\n\n"
    "With --checkpoint the state is saved in DIR/checkpoint.tarn at the start, every S simulated\n"
    "seconds, at the end and on Ctrl-C; the previous one is kept as checkpoint.old.tarn. `tarn\n"
    "resume DIR` continues from there after Ctrl-C, a crash or a power cut; the files are then the\n"
    "same as without the interruption.\n";

static const char run_examples[] =
    "  tarn run pond\n"
    "  tarn run pond --duration 5 --csv --output-interval 0.1 -o out/pond\n"
    "  tarn run pond --csv --checkpoint 1 -o out/pond && tarn resume out/pond --duration 60\n"
    "  tarn run pond --set fluid.depth=2 --set bodies[0].density=300 --json\n";

static const char resume_description[] =
    "Continues a run from a checkpoint of `tarn run --checkpoint`, in the same folder. FILE is the\n"
    "checkpoint or that folder. Output files are truncated to the time of the checkpoint and\n"
    "continued: they become, byte for byte, those of an uninterrupted run. If the newest checkpoint\n"
    "is damaged, a message says so and the previous one is used.\n";

static const char resume_examples[] = "  tarn resume out/pond\n"
                                      "  tarn resume out/pond/checkpoint.tarn --duration 60\n";

static enum parse_result parse_run_options(struct run *run, int argc, char **argv, struct args *args)
{
    struct run_state *state = &run->state;
    const struct option options[] = {
        {OPTION_TEXT, "output", 'o', "DIR", &run->dir, 0, 0,
         "output folder (out/SCENE); without --vtk and --checkpoint it implies --csv"},
        {OPTION_NUMBER, "duration", 0, "S", &state->time, 0, 1e9,
         "simulated time in seconds (the scene's run.duration)"},
        {OPTION_NUMBER, "output-interval", 0, "S", &state->output_interval, 1e-6, 1e9,
         "seconds between outputs (1/30); states between steps are interpolated"},
        {OPTION_FLAG, "csv", 0, NULL, &state->csv, 0, 0,
         "write ledger.csv, bodies.csv, gauges.csv (flow: also obstacles.csv)"},
        {OPTION_FLAG, "vtk", 0, NULL, &state->vtk, 0, 0, "write frame_00000.vti ... and series.pvd"},
        {OPTION_NUMBER, "checkpoint", 0, "S", &state->checkpoint_interval, 1e-6, 1e9,
         "save the state every S simulated seconds, for `tarn resume`"},
        {OPTION_INTEGER, "hash-interval", 0, "N", &state->hash_every, 1, 2147483647,
         "print step and state hash every N steps"},
        THREADS_OPTION(&run->threads),
        SET_OPTION(&run->overrides),
        JSON_OPTION(&run->as_json, "print the summary as a JSON object"),
        QUIET_OPTION(&run->quiet),
        FORCE_OPTION(&run->force, ", and a run that could be resumed"),
        OPTIONS_END,
    };
    const struct command_spec spec = {
        "tarn run SCENE [options]", run_description, run_examples, 1, 1, options,
    };

    const enum parse_result parsed = parse_options(&spec, argc, argv, args);
    if (parsed != PARSED) return parsed;
    const int interval_given = state->output_interval > 0.0;
    if (run->dir && !state->csv && !state->vtk && state->checkpoint_interval < 0.0) state->csv = 1;
    if (interval_given && !state->csv && !state->vtk && !run->quiet)
        print_status("--output-interval has no effect without --csv or --vtk");
    if (!interval_given) state->output_interval = 1.0 / 30.0;
    return PARSED;
}

static void init_loop(struct run *run)
{
    const double dt = run->info.dt, duration = run->state.time;
    run->loop = (struct run_loop){
        .name = run->state.name,
        .dt = dt,
        .duration = duration,
        .quiet = run->quiet,
        .total = run_loop_count(duration, dt),
    };
}

static void describe_run(const struct run *run)
{
    const tarn_scene_info *f = &run->info;
    if (!run->quiet)
        print_status("%s: %s model, %d %s, %g s in %lld steps", run->state.name, f->model, f->body_count,
                     f->body_count == 1 ? "body" : "bodies", run->state.time, run->loop.total);
}

// Open the output files, new or at their positions in the checkpoint.
static int open_series(struct run *run, const struct output_position *from, int newest)
{
    const struct run_state *state = &run->state;
    const struct time_series_def def = {.dir = run->folder,
                                        .csv = state->csv,
                                        .vtk = state->vtk,
                                        .force = run->force,
                                        .checkpoints = state->checkpoint_interval > 0.0,
                                        .every = state->output_interval,
                                        .time = state->time,
                                        .from = from};

    int code = series_lock_dir(&run->series, &def, &run->info, run->world);
    // This checkpoint replaces a newer, damaged one, which belongs to output that is about to be truncated.
    if (code == 0 && from && !newest) code = checkpoint_write(&run->series.output, run->world, state, 0);
    return code == 0 ? series_open(&run->series, &def, run->world) : code;
}

static int open_run(struct run *run, const char *scene)
{
    struct run_state *state = &run->state;

    int code = load_scene(scene, &run->overrides, &run->scene, state->scene, sizeof state->scene);
    if (code != 0) return code;
    scene_name_of(state->scene, state->name, sizeof state->name);
    tarn_scene_get_info(run->scene, &run->info);
    if (state->time < 0.0) state->time = run->info.duration;
    init_loop(run);
    describe_run(run); // before creating the world, which may take long

    const tarn_host host = app_host(run->threads, run->quiet);
    run->threads = host.workers;
    code = create_world(run->scene, &host, &run->world);
    if (code != 0) return code;
    run->loop.world = run->world;
    state->start = tarn_world_get_ledger(run->world);
    state->gauge_count = run->info.gauge_count;
    state->gauges = calloc((size_t)state->gauge_count + 1, sizeof *state->gauges);
    if (!state->gauges) return print_error(TARN_NO_MEMORY, "%s", result_message(TARN_NO_MEMORY));
    for (int i = 0; i < state->gauge_count; ++i) state->gauges[i] = run->info.gauges[i];
    snprintf(run->folder, sizeof run->folder, run->dir ? "%s" : "out/%s", run->dir ? run->dir : state->name);
    run->saved_step = -1;
    return open_series(run, NULL, 1);
}

static enum parse_result parse_resume_options(struct run *run, int argc, char **argv, struct args *args)
{
    struct run_state *state = &run->state;
    const struct option options[] = {
        {OPTION_NUMBER, "duration", 0, "S", &state->time, 0, 1e9,
         "simulated time in seconds, from the start of the run (unchanged)"},
        {OPTION_NUMBER, "checkpoint", 0, "S", &state->checkpoint_interval, 1e-6, 1e9,
         "save the state every S simulated seconds (unchanged)"},
        THREADS_OPTION(&run->threads),
        JSON_OPTION(&run->as_json, "print the summary as a JSON object"),
        QUIET_OPTION(&run->quiet),
        OPTIONS_END,
    };
    const struct command_spec spec = {
        "tarn resume FILE [options]", resume_description, resume_examples, 1, 1, options,
    };

    return parse_options(&spec, argc, argv, args);
}

// The options that were given replace what the checkpoint has.
static int open_resumed_run(struct run *run, const char *path)
{
    struct run_state *state = &run->state;
    const double time = state->time, checkpoint = state->checkpoint_interval;
    struct checkpoint_location found;

    const tarn_host host = app_host(run->threads, run->quiet);
    run->threads = host.workers;
    const int code = checkpoint_read(path, &host, &found, state, &run->world);
    if (code != 0) return code;
    if (time >= 0.0) state->time = time;
    if (checkpoint > 0.0) state->checkpoint_interval = checkpoint;
    const tarn_world_status status = tarn_world_get_status(run->world);
    run->info =
        (tarn_scene_info){.dt = status.dt, .gauge_count = state->gauge_count, .gauges = state->gauges};
    init_loop(run);
    run->loop.world = run->world;
    run->loop.done = run->loop.first = run->saved_step = (long long)status.steps;
    run->loop.substeps = status.substeps;
    snprintf(run->folder, sizeof run->folder, "%s", found.dir);
    if (!run->quiet)
        print_status("%s: continuing after step %lld, until %g s (%lld steps)", state->name, run->loop.done,
                     state->time, run->loop.total);
    return open_series(run, &state->mark, found.newest);
}

static int save_checkpoint(struct run *run)
{
    int code = series_sync(&run->series, &run->state.mark);
    if (code == 0) code = checkpoint_write(&run->series.output, run->world, &run->state, 1);
    if (code == 0) run->saved_step = run->loop.done;
    run->series.failed |= code != 0; // the output files stay incomplete, for tarn resume
    return code;
}

// Whether a checkpoint is written after this step; independent of interruptions of the run.
static int checkpoint_due(const struct run *run, long long step)
{
    const double every = run->state.checkpoint_interval / run->info.dt; // [steps]
    return every > 0.0 && floor((double)step / every + 1e-6) > floor((double)(step - 1) / every + 1e-6);
}

// Returns 0, or the exit code that ends the run.
static int print_hash(struct run *run)
{
    const uint64_t hash = tarn_world_hash(run->world);

    status_line_clear();
    if (run->as_json) {
        char text[20];
        snprintf(text, sizeof text, "%016" PRIx64, hash);
        json_open(&run->json, NULL, '{');
        json_integer(&run->json, "step", run->loop.done);
        json_text(&run->json, "hash", text);
        json_close(&run->json);
    } else {
        printf("%lld %016" PRIx64 "\n", run->loop.done, hash);
    }
    if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
    return stdout_pipe_closed() ? EXIT_CLOSED_PIPE : TARN_IO; // main() reports it
}

static int before_step(void *self)
{
    struct run *run = self;
    series_before_step(&run->series, run->world, run->loop.done + 1);
    return 0;
}

static int after_step(void *self)
{
    struct run *run = self;
    const long long step = run->loop.done;
    int code = series_after_step(&run->series, run->world, step);
    if (code == 0 && run->state.hash_every && step % run->state.hash_every == 0) code = print_hash(run);
    if (code == 0 && checkpoint_due(run, step)) code = save_checkpoint(run);
    return code;
}

// All steps, with checkpoints at the start and the end.
static int take_steps(struct run *run)
{
    const int checkpoints = run->state.checkpoint_interval > 0.0;
    int code = checkpoints && run->saved_step < 0 ? save_checkpoint(run) : 0;

    if (run->as_json && run->state.hash_every) json_open(&run->json, "hashes", '[');
    if (code == 0) code = run_loop_steps(&run->loop);
    if (run->as_json && run->state.hash_every) json_close(&run->json);
    if (code > 128 && !run->quiet)
        print_status("stopped by a signal after step %lld%s%s", run->loop.done,
                     checkpoints ? "; to continue: tarn resume " : "", checkpoints ? run->folder : "");
    const int has_state = code == 0 || code > 128 || code == TARN_DIVERGED; // worth a checkpoint
    if (checkpoints && has_state && run->saved_step != run->loop.done) {
        const int saving = save_checkpoint(run);
        if (saving != 0) code = saving;
    }
    return code;
}

static void print_summary(struct run *run, int code)
{
    const struct run_state *state = &run->state;
    const int files = (state->csv || state->vtk || state->checkpoint_interval > 0.0) && !run->series.failed;
    struct summary summary = run_loop_summary(&run->loop, code);

    summary.file = state->scene;
    summary.folder = files ? run->folder : NULL;
    summary.threads = run->threads;
    summary.start = state->start;
    if (run->as_json)
        summary_json(&summary, run->world, &run->json);
    else
        summary_text(&summary, run->world);
}

// From a world that is ready to the summary.
static int simulate(struct run *run)
{
    run->loop.before_step = before_step;
    run->loop.after_step = after_step;
    run->loop.self = run;
    run_loop_start(&run->loop);
    run->json = json_begin(stdout);
    if (run->as_json) json_open(&run->json, NULL, '{');

    int code = take_steps(run);
    const int closing = series_commit(&run->series); // also after a divergence
    if (closing != 0) code = closing;
    if (run->state.checkpoint_interval > 0.0 && (code == 0 || code == TARN_DIVERGED))
        output_dir_finish(&run->series.output);
    print_summary(run, code);
    if (run->as_json) json_close(&run->json);
    return code;
}

static int finish(struct run *run, int code)
{
    if (code == 0) code = simulate(run);
    series_close(&run->series);
    tarn_world_destroy(run->world);
    tarn_scene_destroy(run->scene);
    free(run->state.gauges);
    return code;
}

static struct run new_run(void)
{
    return (struct run){.state = {.time = -1.0, .output_interval = -1.0, .checkpoint_interval = -1.0},
                        .series.output.lock = -1};
}

static int run_main(int argc, char **argv)
{
    struct run run = new_run();
    struct args args;

    const enum parse_result parsed = parse_run_options(&run, argc, argv, &args);
    if (parsed != PARSED) return parse_exit_code(parsed);
    install_signal_handlers(run.quiet);
    return finish(&run, open_run(&run, args.positional[0]));
}

static int resume_main(int argc, char **argv)
{
    struct run run = new_run();
    struct args args;

    const enum parse_result parsed = parse_resume_options(&run, argc, argv, &args);
    if (parsed != PARSED) return parse_exit_code(parsed);
    install_signal_handlers(run.quiet);
    return finish(&run, open_resumed_run(&run, args.positional[0]));
}

const struct command command_run = {"run", "simulate a scene; write CSV and VTK files", run_main};

const struct command command_resume = {"resume", "continue a run from its checkpoint", resume_main};
