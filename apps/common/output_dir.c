// The output folder of a run, its list of files and its lock; see output_dir.h.
#include "posix.h"

#include "app.h"
#include "output_dir.h"

static const char manifest_head[] = "tarn output 1\n", unfinished[] = "unfinished";

static const struct {
    unsigned bit;
    const char *name;
} fixed_files[] = {
    {OUTPUT_LEDGER, "ledger.csv"},        {OUTPUT_BODIES, "bodies.csv"},
    {OUTPUT_GAUGES, "gauges.csv"},        {OUTPUT_SERIES, "series.pvd"},
    {OUTPUT_CHECKPOINT, CHECKPOINT_NAME}, {OUTPUT_CHECKPOINT_OLD, CHECKPOINT_OLD_NAME},
    {OUTPUT_OBSTACLES, "obstacles.csv"},
};
enum { FIXED_FILES = sizeof fixed_files / sizeof fixed_files[0], MANIFEST_BYTES = 512 };

void frame_file_name(char *name, size_t size, int frame) { snprintf(name, size, "frame_%05d.vti", frame); }

int make_dirs(const char *dir)
{
    char path[OUTPUT_PATH];
    struct stat info;

    snprintf(path, sizeof path, "%s", dir);
    for (char *p = path + 1; *p; ++p) {
        if (*p != '/' || p[-1] == ':') continue; // "C:/": a drive
        *p = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST) return print_file_error(path);
        *p = '/';
    }
    if (mkdir(path, 0777) == 0) return 0;
    if (errno != EEXIST) return print_file_error(path);
    if (stat(path, &info) != 0) return print_file_error(path);
    errno = ENOTDIR;
    return S_ISDIR(info.st_mode) ? 0 : print_file_error(path);
}

// Read DIR/.tarn into own_files, frames and resumable. A file that tarn did not create is an error unless
// `force`.
static int read_manifest(struct output_dir *output, int force)
{
    char text[MANIFEST_BYTES + 1];
    const ssize_t n = pread(output->lock, text, MANIFEST_BYTES, 0);

    if (n < 0) return print_file_error(output->dir);
    text[n] = '\0';
    if (n == 0) return 0;
    if (strncmp(text, manifest_head, sizeof manifest_head - 1) != 0) {
        if (force) return 0;
        return print_error(TARN_IO, "%s/.tarn was not created by tarn; use -f to replace it", output->dir);
    }
    for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = '\0';
        for (int i = 0; i < FIXED_FILES; ++i)
            if (strcmp(line, fixed_files[i].name) == 0) output->own_files |= fixed_files[i].bit;
        if (strcmp(line, unfinished) == 0) output->resumable = 1;
        if (sscanf(line, "frames %9d", &output->frames) == 1 && output->frames < 0) output->frames = 0;
    }
    return 0;
}

static int write_manifest(const struct output_dir *output)
{
    char text[MANIFEST_BYTES];
    int n = snprintf(text, sizeof text, "%s", manifest_head);

    for (int i = 0; i < FIXED_FILES; ++i)
        if (output->own_files & fixed_files[i].bit)
            n += snprintf(text + n, sizeof text - (size_t)n, "%s\n", fixed_files[i].name);
    if (output->resumable) n += snprintf(text + n, sizeof text - (size_t)n, "%s\n", unfinished);
    n += snprintf(text + n, sizeof text - (size_t)n, "frames %d\n", output->frames);
    errno = 0;
    if (pwrite(output->lock, text, (size_t)n, 0) != n || ftruncate(output->lock, n) != 0)
        return print_file_error(output->dir);
    return 0;
}

static int report_foreign_file(const char *path)
{
    return print_error(TARN_IO, "%s exists and was not created by tarn; use -f to replace it", path);
}

// An error if a file of this name exists that tarn did not create.
static int check_name(const struct output_dir *output, const char *name, int ours, int force)
{
    char path[OUTPUT_PATH];
    struct stat info;

    if (output_dir_path(path, sizeof path, output, name, "") != 0) return TARN_IO;
    if (lstat(path, &info) != 0) return errno == ENOENT ? 0 : print_file_error(path);
    if (S_ISDIR(info.st_mode))
        return print_error(TARN_IO, "%s is a folder; a file of that name is to be written", path);
    if (ours || force) return 0;
    return report_foreign_file(path);
}

// The number in the name of a frame file, -1 if the name is another.
static int frame_number(const char *name)
{
    char again[32];
    int frame = -1;

    if (sscanf(name, "frame_%9d.vti", &frame) != 1 || frame < 0) return -1;
    frame_file_name(again, sizeof again, frame);
    return strcmp(name, again) == 0 ? frame : -1;
}

// Visit the frames from .. to - 1 that exist in the folder. Reading the folder is faster than testing all
// names.
static int for_each_frame(const struct output_dir *output, int from, int to, int (*visit)(const char *path))
{
    char path[OUTPUT_PATH];
    int code = 0;
    DIR *dir = opendir(output->dir);

    if (!dir) return print_file_error(output->dir);
    for (struct dirent *e = readdir(dir); e && code == 0; e = readdir(dir)) {
        const int frame = frame_number(e->d_name);
        if (frame < from || frame >= to) continue;
        code = output_dir_path(path, sizeof path, output, e->d_name, "");
        if (code == 0) code = visit(path);
    }
    closedir(dir);
    return code;
}

static int remove_frame(const char *path)
{
    unlink(path); // a failure is harmless: the file is only superfluous
    return 0;
}

static int check_names(const struct output_dir *output, const struct output_dir_def *def)
{
    int code = 0;

    for (int i = 0; i < FIXED_FILES && code == 0; ++i)
        if (def->files & fixed_files[i].bit)
            code = check_name(output, fixed_files[i].name, (output->own_files & fixed_files[i].bit) != 0,
                              def->force || def->resume);
    const int unlisted =
        def->resume && !output->own_files; // the list was lost, but has_checkpoint is a checkpoint
    if (code == 0 && !def->force && !unlisted)
        code = for_each_frame(output, output->frames, def->frames, report_foreign_file);
    return code;
}

static const char *const checkpoint_names[] = {CHECKPOINT_NAME, CHECKPOINT_OLD_NAME};

// An error if the folder has an interrupted run that can be resumed.
static int check_unfinished(const struct output_dir *output, const struct output_dir_def *def)
{
    char path[OUTPUT_PATH];
    int has_checkpoint = 0;

    if (!output->resumable || def->force || def->resume) return 0;
    for (int i = 0; i < 2; ++i)
        has_checkpoint |= output_dir_path(path, sizeof path, output, checkpoint_names[i], "") == 0 &&
                          access(path, F_OK) == 0;
    if (!has_checkpoint) return 0;
    return print_error(
        TARN_IO,
        "%s has the checkpoint of an interrupted run: `tarn resume %s` continues it, -f starts "
        "again",
        output->dir, output->dir);
}

// The checkpoints of an earlier run do not match the new files.
static void remove_checkpoints(const struct output_dir *output)
{
    char path[OUTPUT_PATH];

    for (int i = 0; i < 2; ++i)
        if (output_dir_path(path, sizeof path, output, checkpoint_names[i], "") == 0) unlink(path);
}

static int lock_folder(struct output_dir *output)
{
    char path[OUTPUT_PATH];

    if (output_dir_path(path, sizeof path, output, ".tarn", "") != 0) return TARN_IO;
    output->lock = open(path, O_RDWR | O_BINARY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (output->lock < 0) return print_file_error(path);
    if (lock_file(output->lock) == 0) return 0;
    if (errno != EACCES && errno != EAGAIN)
        return 0; // the file system does not support locks: continue without
    output_dir_close(output);
    return print_error(TARN_IO, "%s: another run is writing to this folder", output->dir);
}

// After an error the folder is left as it was.
static void remove_empty_manifest(const struct output_dir *output)
{
    char path[OUTPUT_PATH];
    struct stat info;

    if (output->lock < 0 || fstat(output->lock, &info) != 0 || info.st_size > 0) return;
    if (output_dir_path(path, sizeof path, output, ".tarn", "") == 0) unlink(path);
}

int output_dir_open(struct output_dir *output, const struct output_dir_def *def)
{
    *output = (struct output_dir){.lock = -1};
    const int n = snprintf(output->dir, sizeof output->dir, "%s", def->dir);
    if (n <= 0 || (size_t)n >= sizeof output->dir) return print_error(TARN_IO, "the output path is too long");
    use_slashes(output->dir);

    int code = def->resume ? 0 : make_dirs(output->dir);
    if (code == 0) code = lock_folder(output);
    if (code == 0) code = read_manifest(output, def->force || def->resume);
    if (code == 0) code = check_unfinished(output, def);
    if (code == 0) code = check_names(output, def);
    if (code == 0) {
        const unsigned checkpoints = OUTPUT_CHECKPOINT | OUTPUT_CHECKPOINT_OLD;
        if (!def->resume && (output->own_files & checkpoints)) remove_checkpoints(output);
        output->own_files |= def->files;
        output->use_fsync = output->resumable = (def->files & checkpoints) != 0;
        output->old_frames = output->frames;
        if (def->frames > output->frames) output->frames = def->frames;
        code = write_manifest(output);
    }
    if (code != 0) {
        remove_empty_manifest(output);
        output_dir_close(output);
    }
    return code;
}

void output_dir_finish(struct output_dir *output)
{
    output->resumable = 0;
    write_manifest(output);
}

void remove_stale_frames(struct output_dir *output, int frames)
{
    for_each_frame(output, frames, output->old_frames, remove_frame);
    output->frames = frames;
    write_manifest(output);
}

void output_dir_close(struct output_dir *output)
{
    if (output->lock >= 0) close(output->lock);
    output->lock = -1;
}
