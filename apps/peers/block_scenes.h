// Scenes of many blocks as plain numbers, and the results of a run. `tarn bench bodies` and tarn-peers make
// exactly the same blocks of them.
#ifndef PEERS_BLOCK_SCENES_H
#define PEERS_BLOCK_SCENES_H

#include <stdio.h>

#define BLOCKS_DENSITY  500.0 // [kg/m^3]
#define BLOCKS_FRICTION 0.5
#define BLOCKS_GRAVITY  9.81         // [m/s^2]
#define BLOCKS_DT       (1.0 / 60.0) // [s]

enum { BLOCKS_WINDOW = 10 }; // steps that are timed together

struct block {
    double size[3];     // [m] edge lengths
    double position[3]; // [m] of the centre, y up
    double rotation[4]; // unit quaternion w x y z
};

struct blocks {
    int count;
    struct block *list;
    double tray[2]; // [m] inner size of a tray along x and z, centred at the origin, floor at y = 0
    int steps;      // of the run
    int from, to;   // steps in which the fastest window is searched
};

// "wall": a brick wall of this number of rows. "pile": cubes dropped into a tray; `rows` is ignored.
// Returns 0, or -1 without memory or for invalid numbers.
int blocks_make(struct blocks *b, const char *kind, int count, int rows);
void blocks_free(struct blocks *b);

// The results of a run.
struct blocks_result {
    double collide,
        solve;      // [ms] per step, of the fastest window; solve is everything if the two are not separate
    double average; // [ms] per step over the whole run
    double highest, mean; // [m] centres above the floor, at the end
    double mean_drop,
        max_drop;           // [m] distance of the centres from their initial heights: mean, largest
    double window_max_drop; // [m] `max_drop` after step `to`
    double max_overlap;     // [m] largest overlap of two blocks at the end; negative: not available
    double contacts;        // contact points at the end; negative: not available
};

// Writes a line for each number, and reads them back. -1: the text is no such result.
void blocks_write(FILE *out, const struct blocks_result *r);
int blocks_read(const char *text, struct blocks_result *r);

// [s] Processor time of this process: engines run one after the other, and the machine may be shared. Other
// programs still have an effect through caches and memory: while compilers ran, ODE's largest wall took up to
// 40 % longer.
double blocks_seconds(void);

// Sums of times; blocks_time() is called once per step.
struct blocks_clock {
    int step;
    double collide, solve; // [s] of the present window
    double all;            // [s] of the run
};
void blocks_time(struct blocks_clock *c, const struct blocks *b, double collide, double solve,
                 struct blocks_result *r);

// The heights of a result, from y [m] of every block: after step `to`, and after the last step.
void blocks_window_heights(const struct blocks *b, const double *y, struct blocks_result *r);
void blocks_heights(const struct blocks *b, const double *y, struct blocks_result *r);

#endif
