// A world that is simulated in a thread of its own. The window never waits for a step: it draws an
// interpolation of the last two states, and user input enters as commands that are applied between steps. The
// results therefore depend on the scene and the commands alone, not on the display.
//
// All functions are called by the window's thread.
#ifndef VIEW_SIM_H
#define VIEW_SIM_H

#include <stdbool.h>
#include <tarn/command.h>
#include <tarn/scene.h>

struct sim;

enum { SIM_MESSAGE_BYTES = 512, SIM_SAMPLES = 240, SIM_HISTORIES = 5 };

// Recordings get a state hash every `hash_every` steps. NULL without memory or threads.
struct sim *sim_create(const tarn_host *host, int hash_every);
void sim_destroy(struct sim *s);

// On failure these functions keep the old world and write a message of at most SIM_MESSAGE_BYTES to `error`.
bool sim_open_scene(struct sim *s, const char *path, const char *const *overrides, int override_count,
                    char *error);
bool sim_reset(struct sim *s, char *error); // create the world again from the same scene
bool sim_load_checkpoint(struct sim *s, const char *path, char *error); // of the open scene
bool sim_save_checkpoint(struct sim *s, const char *path, char *error);
bool sim_save_scene(struct sim *s, const char *path, char *error); // JSON
bool sim_save_recording(struct sim *s, const char *path, char *error);

// Change a parameter that is fixed after creation: change the scene and create the world again.
bool sim_set_scene_param(struct sim *s, const char *path, tarn_value value, char *error);

void sim_queue_command(struct sim *s, const tarn_command *command);
void sim_pause(struct sim *s, bool on);
void sim_single_step(struct sim *s); // while paused
void sim_set_speed(struct sim *s, double factor);

// State of the simulation, copied under a lock.
struct sim_status {
    tarn_scene_info scene; // valid until the next scene is opened
    tarn_world_status world;
    tarn_ledger ledger, start; // now, and of the world as it was created or loaded
    bool has_world, paused;
    double speed;                  // requested ratio of simulated to real time
    double step_ms;                // [ms] duration of the last step
    double rate;                   // achieved ratio of simulated to real time
    int failed_commands;           // how many commands failed so far
    char error[SIM_MESSAGE_BYTES]; // message of the last failure
    bool stopped;                  // a step failed; the world takes no further step
    int world_id;                  // increases with every new world
    long long frame_id;            // increases with every published frame
};
void sim_get_status(struct sim *s, struct sim_status *out);

// The last samples: step time [ms], volume drift [m^3], energy [J], momentum [kg m/s], Courant number.
// `values` is a ring buffer. @return the index of the oldest sample
int sim_get_history(struct sim *s, int which, float values[SIM_SAMPLES], int *count);

struct sim_body {
    tarn_body_id id;
    char name[TARN_NAME_BYTES];
    double mass, volume, radius; // [kg], [m^3], [m]
};
int sim_get_bodies(struct sim *s, struct sim_body *out, int max_count); // @return how many

// A parameter of the world with its path and its present value.
struct sim_param {
    char path[96];
    const tarn_param *param;
    tarn_value value;
};
int sim_get_params(struct sim *s, struct sim_param *out, int max_count); // @return how many

// These wait for the end of the current step.
uint64_t sim_hash(struct sim *s, uint64_t *step);
tarn_surface sim_query_water(struct sim *s, double x, double z);
tarn_flow_sample sim_query_flow(struct sim *s, double x, double y); // planar model; zero for others
tarn_ledger sim_query_ledger(struct sim *s);

// The interpolated frame for now. It is valid until sim_release_frame(), which must follow in any case; no
// body mesh is freed in between. NULL: there is no frame.
const tarn_frame *sim_acquire_frame(struct sim *s);
void sim_release_frame(struct sim *s);

#endif
