// What sim_thread.c (thread, publishing, queries) and sim_load_save.c (worlds and files) share.
//
// Locks, in the order in which they may be taken together:
//   turnstile, world_lock   guard the world. A waiter takes the turnstile first: neither thread starves.
//   mesh_lock               is held while a frame is drawn, and while a body is removed.
//   shared_lock             guards the command queue, the published frames and the status; held only to copy.
#ifndef VIEW_SIM_INTERNAL_H
#define VIEW_SIM_INTERNAL_H

#include "sim.h"

#include <pthread.h>
#include <stdio.h>

enum { MAX_COMMANDS = 256 };

struct params {
    struct sim_param *list;
    int count;
};

struct sim {
    pthread_t thread;
    pthread_mutex_t turnstile, world_lock, mesh_lock, shared_lock;
    pthread_cond_t wake; // with shared_lock
    bool started, quit;
    tarn_host host;
    uint64_t hash_every;

    // guarded by world_lock
    tarn_scene *scene;
    tarn_world *world;
    char path[4096]; // of the scene
    double dt;       // [s]
    FILE *recording; // memory stream with all commands so far; NULL after loading a checkpoint
    char *recording_text;
    size_t recording_size;
    tarn_frame back_frame;     // the next frame to publish
    struct params back_params; // the next parameter list to publish
    struct params initial;     // parameters of the scene

    // guarded by shared_lock
    tarn_command queue[MAX_COMMANDS];
    int queue_count;
    int single_steps;                         // requested while paused
    double next_step_time;                    // [s] clock
    tarn_frame previous_frame, current_frame; // the last two states
    double previous_time, current_time;       // [s] clock: when they were published
    struct sim_status status;
    float samples[SIM_HISTORIES][SIM_SAMPLES]; // ring buffers
    int sample_count, sample_next;
    double ledger_time;  // [s] clock: when the ledger was summed
    double rate_time;    // [s] clock: when status.rate was computed
    uint64_t rate_steps; // steps at that time
    struct sim_body *bodies;
    int body_count;
    struct params params;

    tarn_frame shown_frame; // interpolated; used by the window's thread alone
};

void lock_world(struct sim *s);
void unlock_world(struct sim *s);
void sim_publish_all(struct sim *s); // publish a new world; needs world_lock
void sim_close_recording(struct sim *s);

#endif
