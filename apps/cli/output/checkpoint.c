// Writes and reads checkpoints of `tarn run`; see checkpoint.h.
#include "apps/common/posix.h"

#include "base/save.h"
#include "checkpoint.h"

#include <math.h>
#include <stdlib.h>

enum { VERSION = 1, MAX_FRAMES = 999999999 };
static const char section[] = "run";

// ---- writing ---------------------------------------------------------------------------------------

enum { MARKS = 7 };

static void save_state(struct saver *s, const void *what)
{
    const struct run_state *state = what;
    const struct output_position *m = &state->mark;
    const tarn_ledger *l = &state->start;
    const long long marks[] = {m->next, m->frames, m->ledger, m->bodies, m->gauges, m->obstacles, m->series};
    const tarn_vec3 momenta[] = {l->momentum_water, l->momentum_bodies, l->momentum_unresolved,
                                 l->momentum_walls};

    save_text(s, state->name);
    save_text(s, state->scene);
    save_f64(s, state->time);
    save_f64(s, state->output_interval);
    save_f64(s, state->checkpoint_interval);
    save_u32(s, (uint32_t)state->csv);
    save_u32(s, (uint32_t)state->vtk);
    save_u32(s, (uint32_t)state->hash_every);
    for (int i = 0; i < MARKS; ++i) save_u64(s, (uint64_t)marks[i]);
    save_f64(s, l->energy_water);
    save_f64(s, l->energy_bodies);
    for (int i = 0; i < 4; ++i) save_f64s(s, &momenta[i].x, 3);
    save_u32(s, (uint32_t)state->gauge_count);
    for (int i = 0; i < state->gauge_count; ++i) {
        save_text(s, state->gauges[i].name);
        save_f64s(s, &state->gauges[i].position.x, 2);
    }
}

static tarn_result put(void *ctx, const void *data, size_t size)
{
    return fwrite(data, 1, size, ctx) == size ? TARN_OK : TARN_IO;
}

// Rename the last checkpoint to checkpoint.old.tarn.
static int keep_previous(const struct output_dir *output, const struct atomic_file *file)
{
    char old[OUTPUT_PATH];

    const int code = output_dir_path(old, sizeof old, output, CHECKPOINT_OLD_NAME, "");
    if (code != 0 || rename(file->path, old) == 0 || errno == ENOENT) return code;
    return print_file_error(file->path);
}

int checkpoint_write(const struct output_dir *output, const tarn_world *world, const struct run_state *state,
                     int keep_last)
{
    struct atomic_file file;
    long long size;

    int code = atomic_file_create(&file, output, CHECKPOINT_NAME);
    if (code != 0) return code;
    file.use_fsync = 0; // an incomplete checkpoint is removed
    setvbuf(file.stream, NULL, _IOFBF, 1 << 16);
    tarn_result r = tarn_world_save(world, put, file.stream);
    if (r == TARN_OK) r = save_section(put, file.stream, section, VERSION, save_state, state, NULL);
    code = r == TARN_OK ? atomic_file_sync(&file, &size) : print_file_error(file.path);
    if (code == 0 && keep_last) code = keep_previous(output, &file);
    if (code == 0) code = atomic_file_commit(&file);
    atomic_file_discard(&file);
    return code == 0 ? output_dir_sync(output) : code;
}

// ---- reading ---------------------------------------------------------------------------------------

static tarn_result get(void *ctx, void *data, size_t size)
{
    const int fd = *(const int *)ctx;
    char *to = data;

    while (size > 0) {
        const ssize_t n = read(fd, to, size);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return TARN_IO;
        if (n == 0) return TARN_BAD_INPUT; // the file ends early
        to += n;
        size -= (size_t)n;
    }
    return TARN_OK;
}

// Names are printed on terminals, so they must not contain control characters.
static int is_printable(const char *text)
{
    for (const unsigned char *p = (const unsigned char *)text; *p; ++p)
        if (*p < 0x20 || *p == 0x7F || (*p == 0xC2 && p[1] >= 0x80 && p[1] <= 0x9F)) return 0;
    return 1;
}

static int is_within(double x, double min, double max) { return x >= min && x <= max; }

static int load_mark(struct loader *l, struct output_position *m)
{
    long long marks[MARKS];

    for (int i = 0; i < MARKS; ++i) {
        const uint64_t mark = load_u64(l);
        if (mark > INT64_MAX) return 0;
        marks[i] = (long long)mark;
    }
    *m = (struct output_position){marks[0], marks[1], marks[2], marks[3], marks[4], marks[5], marks[6]};
    return m->frames <= MAX_FRAMES;
}

static int load_start(struct loader *l, tarn_ledger *start)
{
    double x[14];

    load_f64s(l, x, 14);
    *start = (tarn_ledger){.energy_water = x[0],
                           .energy_bodies = x[1],
                           .momentum_water = {x[2], x[3], x[4]},
                           .momentum_bodies = {x[5], x[6], x[7]},
                           .momentum_unresolved = {x[8], x[9], x[10]},
                           .momentum_walls = {x[11], x[12], x[13]}};
    for (int i = 0; i < 14; ++i)
        if (!isfinite(x[i])) return 0;
    return 1;
}

static tarn_result load_gauges(struct loader *l, struct run_state *state)
{
    const uint32_t count = load_u32(l);

    if (l->failed || count > l->size / 20) return TARN_BAD_INPUT; // a gauge has at least 20 bytes
    state->gauges = calloc((size_t)count + 1, sizeof *state->gauges);
    if (!state->gauges) return TARN_NO_MEMORY;
    state->gauge_count = (int)count;
    for (uint32_t i = 0; i < count; ++i) {
        tarn_gauge *g = &state->gauges[i];
        load_text(l, g->name, sizeof g->name);
        load_f64s(l, &g->position.x, 2);
        if (!isfinite(g->position.x) || !isfinite(g->position.y)) return TARN_BAD_INPUT;
    }
    return load_is_complete(l) ? TARN_OK : TARN_BAD_INPUT;
}

static tarn_result load_state(struct loader *l, struct run_state *state)
{
    load_text(l, state->name, sizeof state->name);
    load_text(l, state->scene, sizeof state->scene);
    state->time = load_f64(l);
    state->output_interval = load_f64(l);
    state->checkpoint_interval = load_f64(l);
    const uint32_t csv = load_u32(l), vtk = load_u32(l), hash_every = load_u32(l);
    const int ok = load_mark(l, &state->mark) && load_start(l, &state->start) && is_printable(state->name) &&
                   is_printable(state->scene) && is_within(state->time, 0, 1e9) &&
                   is_within(state->output_interval, 1e-6, 1e9) &&
                   is_within(state->checkpoint_interval, 1e-6, 1e9) && csv <= 1 && vtk <= 1 &&
                   hash_every <= INT32_MAX;
    if (!ok) return TARN_BAD_INPUT;
    state->csv = (int)csv;
    state->vtk = (int)vtk;
    state->hash_every = (int)hash_every;
    return load_gauges(l, state);
}

// Reads the section of this program, which must be the last of the file.
static tarn_result read_state(int *fd, struct run_state *state, tarn_error *err)
{
    struct memory memory;
    struct loader l;
    char more;

    memory_init(&memory, NULL);
    tarn_result r = load_section(get, fd, &memory, section, VERSION, &l, NULL, err);
    if (r != TARN_OK) return r;
    r = load_state(&l, state);
    load_free(&l);
    if (r == TARN_OK && get(fd, &more, 1) != TARN_BAD_INPUT) r = TARN_BAD_INPUT;
    if (r != TARN_OK)
        snprintf(err->message, sizeof err->message, "section '%s': %s", section, result_message(r));
    return r;
}

static void clear_state(struct run_state *state, tarn_world **world)
{
    free(state->gauges);
    *state = (struct run_state){0};
    tarn_world_destroy(*world);
    *world = NULL;
}

static int read_one(const char *path, const tarn_host *host, struct run_state *state, tarn_world **world)
{
    tarn_error err = {0};
    struct stat info;

    int fd = open(path, O_RDONLY | O_BINARY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &info) != 0) {
        const int code = print_file_error(path);
        if (fd >= 0) close(fd);
        return code;
    }
    tarn_result r = TARN_BAD_INPUT;
    if (S_ISREG(info.st_mode))
        r = tarn_world_load(get, &fd, host, world, &err);
    else
        snprintf(err.message, sizeof err.message, "not a regular file");
    if (r == TARN_OK) r = read_state(&fd, state, &err);
    close(fd);
    if (r == TARN_OK) return 0;
    clear_state(state, world);
    return print_error((int)r, "%s: %s", path, err.message[0] ? err.message : result_message(r));
}

// The path of the checkpoint, its folder, and whether it is the newest one there.
static int locate(const char *argument, char *path, size_t size, struct checkpoint_location *found)
{
    struct stat info;
    const int folder = stat(argument, &info) == 0 && S_ISDIR(info.st_mode);

    const int n = snprintf(path, size, "%s%s", argument, folder ? "/" CHECKPOINT_NAME : "");
    if (n < 0 || (size_t)n >= size) return print_error(TARN_IO, "the path is too long");
    use_slashes(path);
    const char *slash = strrchr(path, '/');
    found->newest = strcmp(slash ? slash + 1 : path, CHECKPOINT_NAME) == 0;
    if (slash)
        snprintf(found->dir, sizeof found->dir, "%.*s", slash > path ? (int)(slash - path) : 1, path);
    else
        snprintf(found->dir, sizeof found->dir, ".");
    return 0;
}

int checkpoint_read(const char *argument, const tarn_host *host, struct checkpoint_location *found,
                    struct run_state *state, tarn_world **world)
{
    char path[OUTPUT_PATH], old[OUTPUT_PATH + sizeof CHECKPOINT_OLD_NAME];

    *state = (struct run_state){0};
    *world = NULL;
    int code = locate(argument, path, sizeof path, found);
    if (code != 0) return code;
    code = read_one(path, host, state, world);
    if ((code != TARN_IO && code != TARN_BAD_INPUT) || !found->newest) return code;
    snprintf(old, sizeof old, "%s/" CHECKPOINT_OLD_NAME, found->dir);
    if (access(old, F_OK) != 0) return code;
    found->newest = 0;
    const int second = read_one(old, host, state, world);
    if (second == 0) print_status("using the previous checkpoint, %s", old);
    return second == 0 ? 0 : code;
}
