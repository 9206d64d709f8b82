// Scenes of many blocks, described once for all engines that are timed on them, and how a run is judged.
//
// Plain numbers without an engine: the program tarn and the peers build exactly the same blocks from them.
#ifndef BLOCKS_H
#define BLOCKS_H

#include <stdio.h>

#define BLOCKS_DENSITY  500.0 // [kg/m^3]
#define BLOCKS_FRICTION 0.5
#define BLOCKS_GRAVITY  9.81         // [m/s^2]
#define BLOCKS_DT       (1.0 / 60.0) // [s]

enum { BLOCKS_WINDOW = 10 }; // steps that are timed together

struct block {
    double size[3];     // [m] whole edges
    double position[3]; // [m] of the centre, y up
    double turn[4];     // unit quaternion w x y z
};

struct blocks {
    int count;
    struct block *list;
    double tray[2]; // [m] inside of a tray along x and z, its middle at the origin, its floor at y = 0
    int steps;      // how long it is run
    int from, to;   // steps among which the best window is sought
};

// "wall": a brick wall of so many rows. "pile": cubes dropped into a tray; `rows` is not looked at.
// 0, or -1 without memory or for numbers that make no scene.
int blocks_make(struct blocks *b, const char *kind, int count, int rows);
void blocks_free(struct blocks *b);

// How a run went.
struct blocks_result {
    double collide,
        solve;      // [ms] a step, of the best window; solve is all where an engine does not separate them
    double average; // [ms] a step over the whole run
    double highest, mean; // [m] centres above the floor, at the end
    double mean_drop,
        max_drop;           // [m] that centres are away from their height at the start: on average, at most
    double window_max_drop; // [m] `max_drop` after step `to`
    double max_overlap;     // [m] that two blocks overlap at the end; negative: not known
    double contacts;        // points, at the end; negative: not known
};

// A line for each number, and back. -1: the text is no such result.
void blocks_write(FILE *out, const struct blocks_result *r);
int blocks_read(const char *text, struct blocks_result *r);

// Processor time of this process [s]: engines run one after the other, and the machine may be shared. What
// others do to caches and memory still shows: beside compilers ODE's largest wall took up to 40 % longer.
double blocks_seconds(void);

// Times as they come in, one call a step.
struct blocks_clock {
    int step;
    double collide, solve; // [s] of this window
    double all;            // [s]
};
void blocks_time(struct blocks_clock *c, const struct blocks *b, double collide, double solve,
                 struct blocks_result *r);

// The heights of a result, from y [m] of every block after step `to` (early) and after the last.
void blocks_window_heights(const struct blocks *b, const double *y, struct blocks_result *r);
void blocks_heights(const struct blocks *b, const double *y, struct blocks_result *r);

#endif
