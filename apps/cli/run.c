// tarn run: simulate a scene and write down what happens.
#include "cli.h"
#include "progress.h"
#include "record.h"
#include "summary.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct run {
    // asked for
    const char *dir;
    double time, every; // [s], negative: the scene's, the default
    int csv, vtk, hash_every, threads, as_json, quiet, force;
    struct option_list sets;
    // at work
    char path[OUTPUT_PATH], name[256], folder[OUTPUT_PATH];
    tarn_scene *scene;
    tarn_scene_facts facts;
    tarn_world *world;
    struct record record;
    struct progress progress;
    struct json json;
    long long total, done;  // steps
    double start, stepping; // [s] clock at the start; time inside the world's steps
    tarn_ledger at_start;
};

static const struct usage usage = {
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
    "replaced, others only with -f.\n",
    "  tarn run pond\n"
    "  tarn run pond --time 5 --csv --every 0.1 -o out/pond\n"
    "  tarn run pond --set fluid.depth=2 --set bodies[0].density=300 --json\n",
    1,
    1,
};

static int read_options(struct run *run, int argc, char **argv)
{
    const struct option options[] = {
        {OPTION_TEXT, "output", 'o', "DIR", &run->dir, 0, 0,
         "where files go (out/SCENE); alone it means --csv"},
        {OPTION_NUMBER, "time", 0, "S", &run->time, 0, 1e9, "simulate S seconds (the scene's run.time)"},
        {OPTION_NUMBER, "every", 0, "S", &run->every, 1e-6, 1e9,
         "seconds between outputs (1/30); between steps the states are blended"},
        {OPTION_FLAG, "csv", 0, NULL, &run->csv, 0, 0,
         "write ledger.csv, bodies.csv, gauges.csv (flow: obstacles.csv too)"},
        {OPTION_FLAG, "vtk", 0, NULL, &run->vtk, 0, 0, "write frame_00000.vti ... and series.pvd"},
        {OPTION_INTEGER, "hash-every", 0, "N", &run->hash_every, 1, 2147483647,
         "print step and state hash every N steps"},
        {OPTION_INTEGER, "threads", 0, "N", &run->threads, 1, MOST_THREADS,
         "as many threads (one per processor, at most 8); the same results"},
        {OPTION_LIST, "set", 0, "KEY=VALUE", &run->sets, 0, 0,
         "change a value of the scene; may be repeated"},
        {OPTION_FLAG, "json", 0, NULL, &run->as_json, 0, 0, "the summary as one JSON object"},
        {OPTION_FLAG, "quiet", 'q', NULL, &run->quiet, 0, 0, "no progress, no remarks"},
        {OPTION_FLAG, "force", 'f', NULL, &run->force, 0, 0, "replace files of others"},
        {OPTION_END, NULL, 0, NULL, NULL, 0, 0, NULL},
    };
    int words;

    const int code = options_read(&usage, options, argc, argv, &words);
    if (code >= 0) return code;
    const int every_given = run->every > 0.0;
    if (run->dir && !run->csv && !run->vtk) run->csv = 1;
    if (every_given && !run->csv && !run->vtk && !run->quiet)
        remark("--every does nothing without --csv or --vtk");
    if (!every_given) run->every = 1.0 / 30.0;
    return -1;
}

static void describe_run(const struct run *run)
{
    const tarn_scene_facts *f = &run->facts;
    if (!run->quiet)
        remark("%s: %s model, %d %s, %g s in %lld steps", run->name, f->model, f->body_count,
               f->body_count == 1 ? "body" : "bodies", run->time, run->total);
}

static int prepare(struct run *run, const char *word)
{
    int code = scene_open(word, &run->sets, &run->scene, run->path, sizeof run->path);
    if (code != 0) return code;
    scene_short_name(run->path, run->name, sizeof run->name);
    run->facts = tarn_scene_facts_of(run->scene);
    if (run->time < 0.0) run->time = run->facts.time;
    run->total = (long long)ceil(run->time / run->facts.dt - 1e-6); // 10 s of 1/60 s are 600, not 601
    describe_run(run);                                              // first words before long work

    const tarn_host host = program_host(run->threads, run->quiet);
    run->threads = host.workers;
    code = scene_build(run->scene, &host, &run->world);
    if (code != 0) return code;
    snprintf(run->folder, sizeof run->folder, run->dir ? "%s" : "out/%s", run->dir ? run->dir : run->name);
    const struct record_def def = {.dir = run->folder,
                                   .csv = run->csv,
                                   .vtk = run->vtk,
                                   .force = run->force,
                                   .every = run->every,
                                   .time = run->time};
    return record_open(&run->record, &def, &run->facts, run->world);
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

static int one_step(struct run *run)
{
    record_before_step(&run->record, run->world, run->done + 1);
    const double before = clock_seconds();
    const tarn_result r = tarn_world_step(run->world, run->facts.dt);
    run->stepping += clock_seconds() - before;
    if (r != TARN_OK) {
        const char *trouble = tarn_world_trouble(run->world);
        return complain((int)r, "%s: step %lld: %s", run->name, run->done + 1,
                        trouble && *trouble ? trouble : result_text(r));
    }
    ++run->done;
    int code = record_after_step(&run->record, run->world, run->done);
    if (code == 0 && run->hash_every && run->done % run->hash_every == 0) code = print_hash(run);
    return code;
}

static int all_steps(struct run *run)
{
    int code = 0;

    if (run->as_json && run->hash_every) json_open(&run->json, "hashes", '[');
    while (run->done < run->total && code == 0 && !signal_caught()) {
        code = one_step(run);
        if (code == 0)
            progress_update(&run->progress, run->world, (double)run->done * run->facts.dt, run->done);
    }
    bar_wipe();
    if (run->as_json && run->hash_every) json_close(&run->json);
    if (code == 0 && run->done < run->total) {
        code = 128 + signal_caught();
        if (!run->quiet) remark("stopped by a signal after step %lld; closing files", run->done);
    }
    return code;
}

static void print_summary(struct run *run, int code)
{
    const int files = (run->csv || run->vtk) && !run->record.failed;
    const struct summary summary = {
        .scene = run->name,
        .file = run->path,
        .result = code == 0               ? "ok"
                  : code == TARN_DIVERGED ? "diverged"
                  : code > 128            ? "interrupted"
                                          : "failed",
        .folder = files ? run->folder : NULL,
        .steps = run->done,
        .dt = run->facts.dt,
        .wall = clock_seconds() - run->start,
        .stepping = run->stepping,
        .threads = run->threads,
        .exit_code = code,
        .start = run->at_start,
    };

    if (run->as_json)
        summary_json(&summary, run->world, &run->json);
    else
        summary_text(&summary, run->world);
}

// The run proper, from a world that is ready to the summary.
static int simulate(struct run *run)
{
    run->progress = progress_begin(run->name, run->time, run->quiet);
    run->json = json_begin(stdout);
    run->start = clock_seconds();
    run->at_start = tarn_world_ledger(run->world);
    if (run->as_json) json_open(&run->json, NULL, '{');

    int code = all_steps(run);
    const int closing =
        record_finish(&run->record); // also after a divergence: the way there is worth keeping
    if (closing != 0) code = closing;
    print_summary(run, code);
    if (run->as_json) json_close(&run->json);
    return code;
}

int command_run(int argc, char **argv)
{
    struct run run = {.time = -1.0, .every = -1.0, .record.output.lock = -1};

    int code = read_options(&run, argc, argv);
    if (code >= 0) return code;
    signals_catch();
    code = prepare(&run, argv[1]);
    if (code == 0) code = simulate(&run);
    record_close(&run.record);
    tarn_world_destroy(run.world);
    tarn_scene_destroy(run.scene);
    return code;
}
