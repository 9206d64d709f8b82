// What sim.c (the thread and its desk) and sim_world.c (worlds and files) share.
//
// Locks, in the order in which they may be taken together:
//   door, work   the world. Who waits for it holds the door, so that neither side starves.
//   meshes       held while a frame is drawn, and while a body goes away.
//   desk         queue, frames and news: held for copies only.
#ifndef VIEW_SIM_INTERNAL_H
#define VIEW_SIM_INTERNAL_H

#include "sim.h"

#include <pthread.h>
#include <stdio.h>

enum { QUEUE = 256 };

struct params {
    struct sim_param *list;
    int count;
};

struct sim {
    pthread_t thread;
    pthread_mutex_t door, work, meshes, desk;
    pthread_cond_t wake;
    bool started, quit;
    tarn_host host;
    uint64_t hash_every;

    // of `work`
    tarn_scene *scene;
    tarn_world *world;
    char path[4096]; // of the scene
    double dt;
    FILE *journal; // what was done since the world began; NULL: it cannot be told (a checkpoint was loaded)
    char *journal_text;
    size_t journal_size;
    tarn_frame spare;
    struct params fresh;
    struct params initial; // as the scene has them

    // of `desk`
    tarn_command queue[QUEUE];
    int queued;
    int singles;
    double next;            // [s] clock: when the next step is due
    tarn_frame last, now;   // the last two states
    double last_at, now_at; // [s] clock: when they came
    struct sim_news news;
    float samples[SIM_GRAPHS][SIM_SAMPLES];
    int sample_count, sample_next;
    double ledger_at;
    double rate_at; // [s] clock, when `rate` was found
    uint64_t rate_steps;
    struct sim_body *bodies;
    int body_count;
    struct params params;

    tarn_frame shown; // of the window's thread
};

void sim_enter(struct sim *s); // take `work`
void sim_leave(struct sim *s);
void sim_publish_all(struct sim *s); // another world is on the desk; needs `work`
void sim_close_journal(struct sim *s);

#endif
