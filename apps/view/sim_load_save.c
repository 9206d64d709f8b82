// Worlds and files of the simulation.
#define _XOPEN_SOURCE 700 // realpath, open_memstream
#include "../cli/cli.h"
#include "../cli/journal.h"
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

static void first_note(const tarn_notes *notes, tarn_result r, char *error)
{
    const tarn_note *n = notes->count ? &notes->list[0] : NULL;
    if (n)
        snprintf(error, SIM_MESSAGE_BYTES, "%.200s%s%.100s: %.200s", n->where, n->path[0] ? ": " : "",
                 n->path, n->text);
    else
        snprintf(error, SIM_MESSAGE_BYTES, "%s", result_text(r));
}

static void begin_recording(struct sim *s)
{
    sim_close_recording(s);
    char *text = tarn_scene_write(s->scene);
    s->recording = text ? open_memstream(&s->recording_text, &s->recording_size) : NULL;
    if (s->recording) journal_begin(s->recording, s->path, text);
    tarn_text_free(text);
}

// The new world takes the place of the old one. Needs `work`.
static void take_over(struct sim *s, tarn_world *world, bool from_start)
{
    tarn_world_destroy(s->world);
    s->world = world;
    s->dt = tarn_scene_facts_of(s->scene).dt;
    if (from_start)
        begin_recording(s);
    else
        sim_close_recording(s);
    pthread_mutex_lock(&s->shared_lock);
    tarn_frame_free(&s->current_frame);
    s->status.has_world = true, s->status.stopped = false, s->status.error[0] = '\0', s->status.step_ms = 0.0;
    s->status.scene = tarn_scene_facts_of(s->scene);
    s->status.start = tarn_world_ledger(world);
    ++s->status.world_id;
    s->queue_count = s->single_steps = s->sample_count = s->sample_next = 0;
    s->next_step_time = clock_seconds();
    pthread_mutex_unlock(&s->shared_lock);
    sim_publish_all(s);
    if (from_start) {
        memcpy(s->initial.list, s->params.list, (size_t)s->params.count * sizeof *s->params.list);
        s->initial.count = s->params.count;
    }
    pthread_mutex_lock(&s->shared_lock);
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->shared_lock);
}

bool sim_open_scene(struct sim *s, const char *path, const char *const *sets, int set_count, char *error)
{
    tarn_notes notes = {0};
    tarn_scene *scene = NULL;
    tarn_world *world = NULL;
    tarn_result r = tarn_scene_read_with(path, sets, set_count, &scene, &notes);
    if (r == TARN_OK) r = tarn_scene_world(scene, &s->host, &world, &notes);
    if (r != TARN_OK) {
        first_note(&notes, r, error);
        tarn_scene_destroy(scene);
    } else {
        lock_world(s);
        tarn_scene *old = s->scene;
        s->scene = scene;
        char *full = realpath(path, NULL); // a recording must find it from anywhere
        snprintf(s->path, sizeof s->path, "%s", full ? full : path);
        free(full);
        take_over(s, world, true);
        tarn_scene_destroy(old);
        unlock_world(s);
    }
    tarn_notes_free(&notes);
    return r == TARN_OK;
}

bool sim_reset(struct sim *s, char *error)
{
    tarn_notes notes = {0};
    tarn_world *world = NULL;
    if (!s->scene) return true;
    lock_world(s);
    const tarn_result r = tarn_scene_world(s->scene, &s->host, &world, &notes);
    if (r == TARN_OK)
        take_over(s, world, true);
    else
        first_note(&notes, r, error);
    unlock_world(s);
    tarn_notes_free(&notes);
    return r == TARN_OK;
}

bool sim_set_scene_param(struct sim *s, const char *path, tarn_value value, char *error)
{
    tarn_notes notes = {0};
    if (!s->scene) return false;
    lock_world(s);
    const tarn_result r = tarn_scene_set(s->scene, path, value, &notes);
    if (r != TARN_OK) first_note(&notes, r, error);
    unlock_world(s);
    tarn_notes_free(&notes);
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

// May there be a file of this name? Only one that begins as ours do is replaced.
static bool is_ours(const char *path, const char *mark)
{
    char head[32] = "";
    FILE *file = fopen(path, "rb");
    if (!file) return errno == ENOENT;
    const size_t n = fread(head, 1, sizeof head - 1, file);
    fclose(file);
    return n > 0 && strncmp(head, mark, strlen(mark)) == 0;
}

// What `write` writes becomes the file, whole or not at all.
static bool save_file(struct sim *s, const char *path, const char *mark,
                      tarn_result (*write)(struct sim *s, FILE *file), char *error)
{
    char part[4200];
    if (!is_ours(path, mark)) {
        snprintf(error, SIM_MESSAGE_BYTES, "%.300s exists and was not made by this program", path);
        return false;
    }
    snprintf(part, sizeof part, "%s.part", path);
    errno = 0;
    FILE *file = fopen(part, "wb");
    bool good = file != NULL;
    if (good) {
        lock_world(s);
        good = write(s, file) == TARN_OK;
        unlock_world(s);
        good = fclose(file) == 0 && good;
        good = good && rename(part, path) == 0;
        if (!good) remove(part);
    }
    if (!good)
        snprintf(error, SIM_MESSAGE_BYTES, "%.300s: %s", path,
                 errno ? strerror(errno) : "it could not be written");
    return good;
}

static tarn_result write_world(struct sim *s, FILE *file)
{
    return s->world ? tarn_world_save(s->world, file_write, file) : TARN_FAILED;
}

// What was changed while running becomes part of the scene; emitters that it has not got do not.
static void change_scene(struct sim *s, tarn_scene *scene)
{
    pthread_mutex_lock(&s->shared_lock);
    for (int k = 0; k < s->initial.count && k < s->params.count; ++k) {
        const struct sim_param *now = &s->params.list[k], *then = &s->initial.list[k];
        if (strcmp(now->path, then->path) == 0 &&
            (memcmp(now->value.number, then->value.number, sizeof now->value.number) ||
             strcmp(now->value.text, then->value.text) != 0))
            tarn_scene_set(scene, now->path, now->value, NULL);
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
        change_scene(s, copy);
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
    const uint64_t steps = tarn_world_status(s->world).steps;
    const tarn_result r = file_write(file, s->recording_text, s->recording_size);
    journal_hash(file, steps, tarn_world_hash(s->world));
    journal_end(file, steps);
    return r;
}

bool sim_save_checkpoint(struct sim *s, const char *path, char *error)
{
    return save_file(s, path, "tarn checkpoint", write_world, error);
}

bool sim_save_scene(struct sim *s, const char *path, char *error)
{
    return save_file(s, path, "(never)", write_scene, error); // a scene looks like anybody's
}

bool sim_save_recording(struct sim *s, const char *path, char *error)
{
    if (s->recording) return save_file(s, path, "tarn recording", write_recording, error);
    snprintf(error, SIM_MESSAGE_BYTES,
             "there is no recording: the world did not begin with its scene (reset, then do it again)");
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
        snprintf(error, SIM_MESSAGE_BYTES, "%.200s: %s", path, err.text[0] ? err.text : result_text(r));
        return false;
    }
    lock_world(s);
    take_over(s, world, false);
    unlock_world(s);
    return true;
}
