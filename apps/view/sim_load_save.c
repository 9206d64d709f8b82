// Creation of worlds from scenes and checkpoints, and saving of checkpoints, scenes and recordings, for the
// simulation of the viewer (sim.h).
#define _XOPEN_SOURCE 700 // realpath, open_memstream
#include "apps/common/app.h"
#include "apps/common/recording.h"
#include "sim_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void sim_close_recording(struct sim *s)
{
    if (s->recording) fclose(s->recording);
    free(s->recording_text);
    s->recording = NULL, s->recording_text = NULL, s->recording_size = 0;
}

// ---- worlds ---------------------------------------------------------------------------------------

static void write_first_diagnostic(const tarn_diagnostics *diagnostics, tarn_result r, char *error)
{
    const tarn_diagnostic *n = diagnostics->count ? &diagnostics->list[0] : NULL;
    if (n)
        snprintf(error, SIM_MESSAGE_BYTES, "%.200s%s%.100s: %.200s", n->where, n->path[0] ? ": " : "",
                 n->path, n->message);
    else
        snprintf(error, SIM_MESSAGE_BYTES, "%s", result_message(r));
}

static void begin_recording(struct sim *s)
{
    sim_close_recording(s);
    char *text = tarn_scene_write(s->scene);
    s->recording = text ? open_memstream(&s->recording_text, &s->recording_size) : NULL;
    if (s->recording) recording_write_header(s->recording, s->path, text);
    tarn_text_free(text);
}

// Replace the old world. A recording begins only with a world that was created from its scene. Needs
// world_lock.
static void replace_world(struct sim *s, tarn_world *world, bool from_scene)
{
    tarn_world_destroy(s->world);
    s->world = world;
    tarn_scene_info info = {0};
    tarn_scene_get_info(s->scene, &info);
    s->dt = info.dt;
    if (from_scene)
        begin_recording(s);
    else
        sim_close_recording(s);
    pthread_mutex_lock(&s->shared_lock);
    tarn_frame_free(&s->current_frame);
    s->status.has_world = true, s->status.stopped = false, s->status.error[0] = '\0', s->status.step_ms = 0.0;
    s->status.scene = info;
    s->status.start = tarn_world_get_ledger(world);
    ++s->status.world_id;
    s->queue_count = s->single_steps = s->sample_count = s->sample_next = 0;
    s->next_step_time = monotonic_seconds();
    pthread_mutex_unlock(&s->shared_lock);
    sim_publish_all(s);
    if (from_scene) {
        memcpy(s->initial.list, s->params.list, (size_t)s->params.count * sizeof *s->params.list);
        s->initial.count = s->params.count;
    }
    pthread_mutex_lock(&s->shared_lock);
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->shared_lock);
}

bool sim_open_scene(struct sim *s, const char *path, const char *const *overrides, int override_count,
                    char *error)
{
    tarn_diagnostics diagnostics = {0};
    tarn_scene *scene = NULL;
    tarn_world *world = NULL;
    tarn_result r = tarn_scene_read_with_overrides(path, overrides, override_count, &scene, &diagnostics);
    if (r == TARN_OK) r = tarn_scene_create_world(scene, &s->host, &world, &diagnostics);
    if (r != TARN_OK) {
        write_first_diagnostic(&diagnostics, r, error);
        tarn_scene_destroy(scene);
    } else {
        lock_world(s);
        tarn_scene *old = s->scene;
        s->scene = scene;
        char *absolute = realpath(path, NULL); // a replay may run in another folder
        snprintf(s->path, sizeof s->path, "%s", absolute ? absolute : path);
        free(absolute);
        replace_world(s, world, true);
        tarn_scene_destroy(old);
        unlock_world(s);
    }
    tarn_diagnostics_free(&diagnostics);
    return r == TARN_OK;
}

bool sim_reset(struct sim *s, char *error)
{
    tarn_diagnostics diagnostics = {0};
    tarn_world *world = NULL;
    if (!s->scene) return true;
    lock_world(s);
    const tarn_result r = tarn_scene_create_world(s->scene, &s->host, &world, &diagnostics);
    if (r == TARN_OK)
        replace_world(s, world, true);
    else
        write_first_diagnostic(&diagnostics, r, error);
    unlock_world(s);
    tarn_diagnostics_free(&diagnostics);
    return r == TARN_OK;
}

bool sim_set_scene_param(struct sim *s, const char *path, tarn_value value, char *error)
{
    tarn_diagnostics diagnostics = {0};
    if (!s->scene) return false;
    lock_world(s);
    const tarn_result r = tarn_scene_set(s->scene, path, value, &diagnostics);
    if (r != TARN_OK) write_first_diagnostic(&diagnostics, r, error);
    unlock_world(s);
    tarn_diagnostics_free(&diagnostics);
    return r == TARN_OK && sim_reset(s, error);
}

// ---- files ----------------------------------------------------------------------------------------

static tarn_result file_write(void *file, const void *data, size_t size)
{
    return fwrite(data, 1, size, file) == size ? TARN_OK : TARN_IO;
}

static tarn_result file_read(void *file, void *data, size_t size)
{
    return fread(data, 1, size, file) == size ? TARN_OK : TARN_IO;
}

// A file may be overwritten if it does not exist or starts with the signature of this file type.
static bool may_overwrite(const char *path, const char *signature)
{
    char start[32] = "";
    FILE *file = fopen(path, "rb");
    if (!file) return errno == ENOENT;
    const size_t n = fread(start, 1, sizeof start - 1, file);
    fclose(file);
    return n > 0 && strncmp(start, signature, strlen(signature)) == 0;
}

// Write a temporary file and rename it, so that the file is complete or unchanged.
static bool save_file(struct sim *s, const char *path, const char *signature,
                      tarn_result (*write)(struct sim *s, FILE *file), char *error)
{
    char temporary[4200];
    if (!may_overwrite(path, signature)) {
        snprintf(error, SIM_MESSAGE_BYTES, "%.300s exists and was not created by tarn", path);
        return false;
    }
    snprintf(temporary, sizeof temporary, "%s.part", path);
    errno = 0;
    FILE *file = fopen(temporary, "wb");
    bool ok = file != NULL;
    if (ok) {
        lock_world(s);
        ok = write(s, file) == TARN_OK;
        unlock_world(s);
        ok = fclose(file) == 0 && ok;
        ok = ok && rename(temporary, path) == 0;
        if (!ok) remove(temporary);
    }
    if (!ok)
        snprintf(error, SIM_MESSAGE_BYTES, "%.300s: %s", path,
                 errno ? strerror(errno) : "could not be written");
    return ok;
}

static tarn_result write_world(struct sim *s, FILE *file)
{
    return s->world ? tarn_world_save(s->world, file_write, file) : TARN_FAILED;
}

// Copy live parameters that were changed into the scene. Emitters that the user added are not part of the
// scene.
static void apply_live_params(struct sim *s, tarn_scene *scene)
{
    pthread_mutex_lock(&s->shared_lock);
    for (int k = 0; k < s->initial.count && k < s->params.count; ++k) {
        const struct sim_param *current = &s->params.list[k], *initial = &s->initial.list[k];
        if (strcmp(current->path, initial->path) == 0 &&
            (memcmp(current->value.number, initial->value.number, sizeof current->value.number) ||
             strcmp(current->value.text, initial->value.text) != 0))
            tarn_scene_set(scene, current->path, current->value, NULL);
    }
    pthread_mutex_unlock(&s->shared_lock);
}

static tarn_result write_scene(struct sim *s, FILE *file)
{
    tarn_scene *copy = NULL;
    char *text = s->scene ? tarn_scene_write(s->scene) : NULL;
    tarn_result r = text ? tarn_scene_parse(s->path, text, strlen(text), &copy, NULL) : TARN_FAILED;
    tarn_text_free(text);
    text = NULL;
    if (r == TARN_OK) {
        apply_live_params(s, copy);
        text = tarn_scene_write(copy);
        r = text ? file_write(file, text, strlen(text)) : TARN_NO_MEMORY;
    }
    tarn_text_free(text);
    tarn_scene_destroy(copy);
    return r;
}

static tarn_result write_recording(struct sim *s, FILE *file)
{
    if (!s->recording || fflush(s->recording) != 0) return TARN_FAILED;
    const uint64_t steps = tarn_world_get_status(s->world).steps;
    const tarn_result r = file_write(file, s->recording_text, s->recording_size);
    recording_write_hash(file, steps, tarn_world_hash(s->world));
    recording_write_end(file, steps);
    return r;
}

// The folder of `tarn run` has a file .tarn; `tarn resume` needs the checkpoint that the run wrote there.
static bool is_in_run_folder(const char *path)
{
    char manifest[4200];
    const char *slash = strrchr(path, '/');
    snprintf(manifest, sizeof manifest, "%.*s/.tarn", slash ? (int)(slash - path) : 1, slash ? path : ".");
    FILE *file = fopen(manifest, "rb");
    if (file) fclose(file);
    return file != NULL;
}

bool sim_save_checkpoint(struct sim *s, const char *path, char *error)
{
    if (is_in_run_folder(path)) {
        snprintf(error, SIM_MESSAGE_BYTES, "the folder belongs to a run: %.300s; choose another with -o",
                 path);
        return false;
    }
    return save_file(s, path, "tarn checkpoint", write_world, error);
}

bool sim_save_scene(struct sim *s, const char *path, char *error)
{
    return save_file(s, path, "(none)", write_scene, error); // scenes have no signature: never overwrite
}

bool sim_save_recording(struct sim *s, const char *path, char *error)
{
    if (s->recording) return save_file(s, path, "tarn recording", write_recording, error);
    snprintf(error, SIM_MESSAGE_BYTES,
             "there is no recording after loading a checkpoint; reset to start one");
    return false;
}

bool sim_load_checkpoint(struct sim *s, const char *path, char *error)
{
    tarn_error err = {0};
    tarn_world *world = NULL;
    FILE *file = s->scene ? fopen(path, "rb") : NULL;
    if (!file) {
        snprintf(error, SIM_MESSAGE_BYTES, "%.300s: %s", path,
                 s->scene ? strerror(errno) : "open its scene first");
        return false;
    }
    const tarn_result r = tarn_world_load(file_read, file, &s->host, &world, &err);
    fclose(file);
    if (r != TARN_OK) {
        snprintf(error, SIM_MESSAGE_BYTES, "%.200s: %s", path,
                 err.message[0] ? err.message : result_message(r));
        return false;
    }
    lock_world(s);
    replace_world(s, world, false);
    unlock_world(s);
    return true;
}
