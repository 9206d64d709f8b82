// The simulation thread: applies queued commands, takes steps in real time, and publishes frames and status
// for the window under shared_lock. Interface in sim.h, locks in sim_internal.h.
#define _POSIX_C_SOURCE 200809L
#include "apps/common/app.h"
#include "apps/common/recording.h"
#include "interpolate.h"
#include "sim_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_BODIES = 4096, MAX_PARAMS = 256 };
static const double ledger_interval = 1.0 / 15.0; // [s] clock; the sums of a ledger read all cells

void lock_world(struct sim *s)
{
    pthread_mutex_lock(&s->turnstile);
    pthread_mutex_lock(&s->world_lock);
    pthread_mutex_unlock(&s->turnstile);
}

void unlock_world(struct sim *s) { pthread_mutex_unlock(&s->world_lock); }

// ---- publishing -----------------------------------------------------------------------------------

static double length(tarn_vec3 v) { return sqrt(v.x * v.x + v.y * v.y + v.z * v.z); }

static void add_sample(struct sim *s)
{
    const tarn_ledger *l = &s->status.ledger;
    const tarn_vec3 m = {l->momentum_water.x + l->momentum_bodies.x,
                         l->momentum_water.y + l->momentum_bodies.y,
                         l->momentum_water.z + l->momentum_bodies.z};
    const double values[SIM_HISTORIES] = {s->status.step_ms, l->volume_error,
                                          l->energy_water + l->energy_bodies, length(m),
                                          s->status.world.courant};
    for (int k = 0; k < SIM_HISTORIES; ++k) s->samples[k][s->sample_next] = (float)values[k];
    s->sample_next = (s->sample_next + 1) % SIM_SAMPLES;
    if (s->sample_count < SIM_SAMPLES) ++s->sample_count;
}

static void list_bodies(struct sim *s)
{
    s->body_count = 0;
    for (int k = 0; k < MAX_BODIES; ++k) {
        struct sim_body *b = &s->bodies[k];
        tarn_body_info info;
        b->id = tarn_body_at(s->world, k);
        if (tarn_body_get_info(s->world, b->id, &info) != TARN_OK) return;
        memcpy(b->name, info.name, sizeof b->name);
        if (!b->name[0]) snprintf(b->name, sizeof b->name, "body %d", k + 1);
        b->mass = info.mass, b->volume = info.volume, b->radius = info.radius;
        s->body_count = k + 1;
    }
}

static void add_params(struct sim *s, const tarn_kind *kind, const char *prefix)
{
    for (int k = 0; kind && k < kind->param_count && s->back_params.count < MAX_PARAMS; ++k) {
        struct sim_param *p = &s->back_params.list[s->back_params.count];
        const tarn_param_type type = kind->params[k].type;
        if (type == TARN_PARAM_TABLE || type == TARN_PARAM_FILE) continue;
        snprintf(p->path, sizeof p->path, "%s%s", prefix, kind->params[k].name);
        p->param = &kind->params[k];
        if (tarn_world_get_param(s->world, p->path, &p->value) == TARN_OK) ++s->back_params.count;
    }
}

static void list_params(struct sim *s)
{
    s->back_params.count = 0;
    tarn_scene_info info = {0};
    tarn_scene_get_info(s->scene, &info);
    add_params(s, tarn_kind_find("fluid", info.model), "fluid.");
    add_params(s, tarn_kind_at("world", 0), "");
    tarn_emitter_id emitters[MAX_PARAMS]; // more have no place in the list
    const int count = tarn_world_get_emitters(s->world, emitters, MAX_PARAMS);
    for (int e = 0; e < count && e < MAX_PARAMS; ++e) {
        char prefix[32];
        tarn_emitter_def def;
        if (tarn_emitter_get_def(s->world, emitters[e], &def) != TARN_OK) continue;
        snprintf(prefix, sizeof prefix, "emitters[%d].", e);
        add_params(s, tarn_kind_at("emitter", (int)def.type), prefix);
    }
}

enum publish_scope {
    PUBLISH_STEP,     // after a step
    PUBLISH_COMMANDS, // after commands without a step
    PUBLISH_ALL       // a new world, or bodies were added or removed: the previous frame is invalid
};

// Ratio of simulated to real time over the last half second. Needs shared_lock.
static void update_rate(struct sim *s, const tarn_world_status *status, double clock, bool restart)
{
    if (!restart && clock - s->rate_time <= 0.5) return;
    if (!restart) s->status.rate = (double)(status->steps - s->rate_steps) * s->dt / (clock - s->rate_time);
    s->rate_time = clock, s->rate_steps = status->steps;
}

// Make back_frame the current frame and the current one the previous. Needs shared_lock.
static void swap_frames(struct sim *s, double clock)
{
    const tarn_frame oldest = s->previous_frame;
    s->previous_frame = s->current_frame, s->current_frame = s->back_frame, s->back_frame = oldest;
    s->previous_time = s->current_time, s->current_time = clock;
}

// Publish the state of the world for the window. Needs world_lock.
static void publish(struct sim *s, enum publish_scope scope)
{
    const double clock = monotonic_seconds();
    const bool all = scope == PUBLISH_ALL,
               with_ledger = scope != PUBLISH_STEP || clock - s->ledger_time >= ledger_interval;
    const tarn_ledger ledger = with_ledger ? tarn_world_get_ledger(s->world) : (tarn_ledger){0};
    const tarn_world_status status = tarn_world_get_status(s->world);
    if (with_ledger) list_params(s);
    const bool has_frame =
        tarn_world_get_frame(s->world, 1.0, &s->back_frame) == TARN_OK; // false without memory

    pthread_mutex_lock(&s->shared_lock);
    swap_frames(s, clock);
    if (all) { // the previous frame must not be drawn: its meshes may have been freed
        tarn_frame_free(&s->previous_frame);
        if (!has_frame) tarn_frame_free(&s->current_frame);
        s->previous_time = clock - s->dt;
        list_bodies(s);
    }
    s->status.world = status;
    ++s->status.frame_id;
    update_rate(s, &status, clock, all);
    if (with_ledger) {
        s->status.ledger = ledger;
        s->ledger_time = clock;
        if (scope == PUBLISH_STEP) add_sample(s);
        const struct params published = s->back_params;
        s->back_params = s->params, s->params = published;
    }
    pthread_mutex_unlock(&s->shared_lock);
}

void sim_publish_all(struct sim *s) { publish(s, PUBLISH_ALL); }

static void report_failure(struct sim *s, const char *message)
{
    pthread_mutex_lock(&s->shared_lock);
    snprintf(s->status.error, sizeof s->status.error, "%s", message);
    ++s->status.failed_commands;
    pthread_mutex_unlock(&s->shared_lock);
}

// ---- the thread -----------------------------------------------------------------------------------

// Needs world_lock.
static void apply_command(struct sim *s, tarn_command *c)
{
    tarn_error err = {0};
    const bool removes = c->kind == TARN_COMMAND_REMOVE, adds = c->kind == TARN_COMMAND_SPAWN;
    c->step = tarn_world_get_status(s->world).steps;
    if (removes) pthread_mutex_lock(&s->mesh_lock);
    const tarn_result r = tarn_world_apply_command(s->world, c, &err);
    if (r == TARN_OK && (removes || adds)) publish(s, PUBLISH_ALL);
    if (removes) pthread_mutex_unlock(&s->mesh_lock);
    if (r == TARN_OK && s->recording) recording_write_command(s->recording, c);
    // A grabbed body may have been removed: a release or pull without a body is not an error.
    if (r != TARN_OK && c->kind != TARN_COMMAND_RELEASE && c->kind != TARN_COMMAND_MOVE_GRAB) {
        char message[SIM_MESSAGE_BYTES];
        snprintf(message, sizeof message, "%s: %s%s%s", tarn_command_name(c->kind), err.key,
                 err.key[0] ? ": " : "", err.message);
        report_failure(s, message);
    }
}

static bool apply_queued_commands(struct sim *s)
{
    enum { MAX_PER_STEP = 32 }; // the others wait for the next step
    bool any = false;
    for (int k = 0; k < MAX_PER_STEP; ++k) {
        tarn_command c;
        pthread_mutex_lock(&s->shared_lock);
        const bool has_command = s->queue_count > 0;
        if (has_command) {
            c = s->queue[0];
            memmove(s->queue, s->queue + 1, (size_t)--s->queue_count * sizeof c);
        }
        pthread_mutex_unlock(&s->shared_lock);
        if (!has_command) break;
        if (s->world) apply_command(s, &c), any = true;
        tarn_shape_release(c.shape);
    }
    return any;
}

static void take_step(struct sim *s)
{
    const double start = monotonic_seconds();
    const tarn_result r = tarn_world_advance(s->world, s->dt);
    const double ms = 1e3 * (monotonic_seconds() - start);
    const uint64_t steps = tarn_world_get_status(s->world).steps;
    if (s->recording && steps % s->hash_every == 0)
        recording_write_hash(s->recording, steps, tarn_world_hash(s->world));
    pthread_mutex_lock(&s->shared_lock);
    s->status.step_ms = ms;
    if (r != TARN_OK) {
        snprintf(s->status.error, sizeof s->status.error, "the simulation stopped: %s",
                 tarn_world_get_failure(s->world));
        s->status.stopped = true;
        ++s->status.failed_commands;
    }
    pthread_mutex_unlock(&s->shared_lock);
    publish(s, PUBLISH_STEP);
}

// Whether a step is due now. A simulation that is slower than real time falls behind by at most two steps;
// older time is dropped, so that it runs slowly but evenly.
static bool is_step_due(struct sim *s)
{
    const double clock = monotonic_seconds();
    pthread_mutex_lock(&s->shared_lock);
    const double interval = s->dt / s->status.speed;
    bool is_due = false;
    if (s->status.has_world && !s->status.stopped) {
        if (s->status.paused) {
            is_due = s->single_steps > 0;
            s->single_steps -= is_due;
            s->next_step_time = clock;
        } else {
            is_due = clock >= s->next_step_time;
            if (is_due) s->next_step_time = fmax(s->next_step_time + interval, clock - 2.0 * interval);
        }
    }
    pthread_mutex_unlock(&s->shared_lock);
    return is_due;
}

// Sleep until the next step is due or the window's thread signals `wake`, at most 0.2 s.
static void wait_for_work(struct sim *s)
{
    pthread_mutex_lock(&s->shared_lock);
    const double wait = s->status.paused || !s->status.has_world || s->status.stopped
                            ? 0.2
                            : s->next_step_time - monotonic_seconds();
    if (wait > 0.0 && !s->queue_count && !s->single_steps && !s->quit) {
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        const double nano = (double)t.tv_nsec + 1e9 * fmin(wait, 0.2);
        t.tv_sec += (time_t)(nano / 1e9);
        t.tv_nsec = (long)fmod(nano, 1e9);
        pthread_cond_timedwait(&s->wake, &s->shared_lock, &t);
    }
    pthread_mutex_unlock(&s->shared_lock);
}

static void *run_thread(void *arg)
{
    struct sim *s = arg;
    for (;;) {
        lock_world(s);
        pthread_mutex_lock(&s->shared_lock);
        const bool quit = s->quit;
        pthread_mutex_unlock(&s->shared_lock);
        if (quit) break;
        const bool any_command = apply_queued_commands(s);
        const bool step = is_step_due(s);
        if (step)
            take_step(s);
        else if (any_command && s->world)
            publish(s, PUBLISH_COMMANDS);
        unlock_world(s);
        if (!step) wait_for_work(s);
    }
    unlock_world(s);
    return NULL;
}

// ---- creation -------------------------------------------------------------------------------------

struct sim *sim_create(const tarn_host *host, int hash_every)
{
    pthread_condattr_t attributes;
    struct sim *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->host = *host;
    s->hash_every = (uint64_t)hash_every;
    s->status.speed = 1.0;
    s->bodies = calloc(MAX_BODIES, sizeof *s->bodies);
    s->params.list = calloc(MAX_PARAMS, sizeof *s->params.list);
    s->back_params.list = calloc(MAX_PARAMS, sizeof *s->back_params.list);
    s->initial.list = calloc(MAX_PARAMS, sizeof *s->initial.list);
    pthread_mutex_init(&s->turnstile, NULL);
    pthread_mutex_init(&s->world_lock, NULL);
    pthread_mutex_init(&s->mesh_lock, NULL);
    pthread_mutex_init(&s->shared_lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&s->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    s->started = s->bodies && s->params.list && s->back_params.list && s->initial.list &&
                 pthread_create(&s->thread, NULL, run_thread, s) == 0;
    if (s->started) return s;
    sim_destroy(s);
    return NULL;
}

void sim_destroy(struct sim *s)
{
    if (!s) return;
    pthread_mutex_lock(&s->shared_lock);
    s->quit = true;
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->shared_lock);
    if (s->started) pthread_join(s->thread, NULL);
    sim_close_recording(s);
    tarn_frame_free(&s->back_frame);
    tarn_frame_free(&s->previous_frame);
    tarn_frame_free(&s->current_frame);
    interpolate_free(&s->shown_frame);
    tarn_world_destroy(s->world);
    tarn_scene_destroy(s->scene);
    pthread_cond_destroy(&s->wake);
    pthread_mutex_destroy(&s->turnstile);
    pthread_mutex_destroy(&s->world_lock);
    pthread_mutex_destroy(&s->mesh_lock);
    pthread_mutex_destroy(&s->shared_lock);
    free(s->bodies);
    free(s->params.list);
    free(s->back_params.list);
    free(s->initial.list);
    for (int k = 0; k < s->queue_count; ++k) tarn_shape_release(s->queue[k].shape);
    free(s);
}

// ---- calls of the window's thread -----------------------------------------------------------------

void sim_queue_command(struct sim *s, const tarn_command *c)
{
    pthread_mutex_lock(&s->shared_lock);
    tarn_command *last = s->queue_count ? &s->queue[s->queue_count - 1] : NULL;
    // The mouse may move many times between two steps: only the last target of a grab matters.
    if (last && c->kind == TARN_COMMAND_MOVE_GRAB && last->kind == TARN_COMMAND_MOVE_GRAB)
        *last = *c;
    else if (s->queue_count < MAX_COMMANDS)
        s->queue[s->queue_count++] = *c, tarn_shape_retain(c->shape);
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->shared_lock);
}

void sim_pause(struct sim *s, bool on)
{
    pthread_mutex_lock(&s->shared_lock);
    s->status.paused = on;
    s->single_steps = 0;
    s->next_step_time = monotonic_seconds();
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->shared_lock);
}

void sim_single_step(struct sim *s)
{
    pthread_mutex_lock(&s->shared_lock);
    s->single_steps += s->status.paused;
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->shared_lock);
}

void sim_set_speed(struct sim *s, double factor)
{
    pthread_mutex_lock(&s->shared_lock);
    s->status.speed = fmin(fmax(factor, 1.0 / 64.0), 64.0);
    s->next_step_time = monotonic_seconds();
    pthread_mutex_unlock(&s->shared_lock);
}

void sim_get_status(struct sim *s, struct sim_status *out)
{
    pthread_mutex_lock(&s->shared_lock);
    *out = s->status;
    if (out->paused) out->rate = 0.0;
    pthread_mutex_unlock(&s->shared_lock);
}

int sim_get_history(struct sim *s, int which, float values[SIM_SAMPLES], int *count)
{
    pthread_mutex_lock(&s->shared_lock);
    memcpy(values, s->samples[which], sizeof s->samples[which]);
    *count = s->sample_count;
    const int first = s->sample_count < SIM_SAMPLES ? 0 : s->sample_next;
    pthread_mutex_unlock(&s->shared_lock);
    return first;
}

int sim_get_bodies(struct sim *s, struct sim_body *out, int max_count)
{
    pthread_mutex_lock(&s->shared_lock);
    const int count = s->body_count < max_count ? s->body_count : max_count;
    memcpy(out, s->bodies, (size_t)count * sizeof *out);
    pthread_mutex_unlock(&s->shared_lock);
    return count;
}

int sim_get_params(struct sim *s, struct sim_param *out, int max_count)
{
    pthread_mutex_lock(&s->shared_lock);
    const int count = s->params.count < max_count ? s->params.count : max_count;
    memcpy(out, s->params.list, (size_t)count * sizeof *out);
    pthread_mutex_unlock(&s->shared_lock);
    return count;
}

uint64_t sim_hash(struct sim *s, uint64_t *step)
{
    lock_world(s);
    const uint64_t hash = s->world ? tarn_world_hash(s->world) : 0;
    *step = tarn_world_get_status(s->world).steps;
    unlock_world(s);
    return hash;
}

tarn_surface sim_query_water(struct sim *s, double x, double z)
{
    lock_world(s);
    const tarn_surface water = tarn_world_get_surface(s->world, x, z);
    unlock_world(s);
    return water;
}

tarn_flow_sample sim_query_flow(struct sim *s, double x, double y)
{
    tarn_flow_sample flow = {0};
    lock_world(s);
    tarn_flow_get_sample(s->world, x, y, &flow);
    unlock_world(s);
    return flow;
}

tarn_ledger sim_query_ledger(struct sim *s)
{
    lock_world(s);
    const tarn_ledger ledger = tarn_world_get_ledger(s->world);
    unlock_world(s);
    return ledger;
}

// The shown state is one step late: it moves from the previous to the current frame within the duration of a
// step.
const tarn_frame *sim_acquire_frame(struct sim *s)
{
    pthread_mutex_lock(&s->mesh_lock);
    pthread_mutex_lock(&s->shared_lock);
    const double duration = fmax(s->current_time - s->previous_time, s->dt / s->status.speed);
    const double t =
        s->status.paused || s->status.stopped ? 1.0 : (monotonic_seconds() - s->current_time) / duration;
    const bool ok = s->current_frame.height && interpolate_frames(&s->previous_frame, &s->current_frame,
                                                                  fmin(fmax(t, 0.0), 1.0), &s->shown_frame);
    pthread_mutex_unlock(&s->shared_lock);
    return ok ? &s->shown_frame : NULL;
}

void sim_release_frame(struct sim *s) { pthread_mutex_unlock(&s->mesh_lock); }
