// A world that runs in a thread of its own. The window never waits for the water: it draws a blend of the last two
// states, and what a person does goes in as commands that are applied between steps. So the results depend on the
// scene and the commands alone, whatever the display does.
//
// All functions are for the window's thread.
#ifndef VIEW_SIM_H
#define VIEW_SIM_H

#include <stdbool.h>
#include <tarn/command.h>
#include <tarn/scene.h>

struct sim;

enum { SIM_WORDS = 512, SIM_SAMPLES = 240, SIM_GRAPHS = 5 };

// Recordings get a hash every so many steps. NULL without memory or threads.
struct sim *sim_create(const tarn_host *host, int hash_every);
void sim_destroy(struct sim *s);

// Open a scene (path NULL: begin the same one anew) or a checkpoint of it. On failure the old world stays, and `why`
// (SIM_WORDS bytes) has the words.
bool sim_open(struct sim *s, const char *path, const char *const *sets, int set_count, char *why);
bool sim_reset(struct sim *s, char *why);
bool sim_load(struct sim *s, const char *path, char *why);
bool sim_save(struct sim *s, const char *path, char *why);       // a checkpoint
bool sim_save_scene(struct sim *s, const char *path, char *why); // JSON
bool sim_save_journal(struct sim *s, const char *path, char *why);

// A parameter that only a new world can have: change the scene and begin anew.
bool sim_change(struct sim *s, const char *path, tarn_value value, char *why);

void sim_command(struct sim *s, const tarn_command *command);
void sim_pause(struct sim *s, bool on);
void sim_single_step(struct sim *s); // while paused
void sim_speed(struct sim *s, double factor);

// What there is to know, copied.
struct sim_news {
    tarn_scene_facts scene; // valid until the next scene is opened
    tarn_status status;
    tarn_ledger ledger, start;
    bool there, paused;
    double speed;            // wanted
    double step_ms;          // of the last step
    double rate;             // simulated per real second
    int failed;              // commands that could not be done, so far
    char trouble[SIM_WORDS]; // the last reason, or why the world stopped
    bool stopped;            // it takes no further step
    int world;               // counts the worlds
    long long states;        // counts what was put on the desk
};
void sim_news(struct sim *s, struct sim_news *out);

// The last samples: step time [ms], volume drift [m^3], energy [J], momentum [kg m/s], Courant number.
// Gives back where the oldest is.
int sim_graph(struct sim *s, int which, float values[SIM_SAMPLES], int *count);

// A body as a list shows it.
struct sim_body {
    tarn_body id;
    char name[TARN_NAME_BYTES];
    double mass, volume, radius;
};
int sim_bodies(struct sim *s, struct sim_body *out, int most);

// Parameters of the world by path, with their values as they are now. How many there are.
struct sim_param {
    char path[96];
    const tarn_param *param;
    tarn_value value;
};
int sim_params(struct sim *s, struct sim_param *out, int most);

// Wait for the end of a step; the number of the state.
uint64_t sim_hash(struct sim *s, uint64_t *step);
tarn_surface sim_water(struct sim *s, double x, double z);
tarn_flow sim_flow(struct sim *s, double x, double y); // of a flat world; zero elsewhere
tarn_ledger sim_ledger(struct sim *s);

// A picture of now, valid between sim_look() and sim_looked(): until then no mesh goes away. NULL: there is none.
const tarn_frame *sim_look(struct sim *s);
void sim_looked(struct sim *s);

#endif
