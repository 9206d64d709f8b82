// What a run writes down: when to look, and the CSV and VTK files of what is seen.
#ifndef CLI_RECORD_H
#define CLI_RECORD_H

#include "cli.h"
#include "output.h"
#include "pace.h"

// ---- CSV (csv.c) ----------------------------------------------------------------------------------

struct csv {
    int flat; // the model flow: obstacles too
    struct whole_file ledger, bodies, gauges, obstacles;
};
int csv_begin(struct csv *csv, const struct output *output, const tarn_scene_facts *facts);
int csv_ledger(struct csv *csv, double time, const tarn_ledger *ledger);
int csv_bodies(struct csv *csv, double time, const tarn_frame *frame, const tarn_world *world);
int csv_gauges(struct csv *csv, double time, int count, const tarn_surface *gauges);
int csv_flow_gauges(struct csv *csv, double time, const tarn_scene_facts *facts, const tarn_world *world);
int csv_obstacles(struct csv *csv, double time, const tarn_frame *frame);
int csv_finish(struct csv *csv);
void csv_abandon(struct csv *csv);

// ---- VTK (vtk.c) ----------------------------------------------------------------------------------

struct vtk {
    const struct output *output;
    struct whole_file series;
    int frames;
};
int vtk_begin(struct vtk *vtk, const struct output *output);
int vtk_write(struct vtk *vtk, double time, const tarn_frame *frame);
int vtk_finish(struct vtk *vtk);
void vtk_abandon(struct vtk *vtk);

// ---- when (record.c) ------------------------------------------------------------------------------

// What the world only tells about now; kept from before a step to blend.
struct moment {
    tarn_ledger ledger;
    tarn_surface *gauges;
};

struct record {
    int csv_on, vtk_on;
    int failed; // a file could not be written: none of those in work gets its name
    struct pace pace;
    tarn_scene_facts facts;
    struct output output;
    struct csv csv;
    struct vtk vtk;
    struct moment before, now, mixed;
    double *gauge_x, *gauge_z;
    tarn_frame frame;
};

struct record_def {
    const char *dir;
    int csv, vtk, force;
    double every, time; // [s]
};

// Nothing to write is fine: the other calls then do nothing. They return 0, or an exit code after telling
// why. Step 0 is the start.
int record_open(struct record *record, const struct record_def *def, const tarn_scene_facts *facts,
                tarn_world *world);
void record_before_step(struct record *record, const tarn_world *world, long long step);
int record_after_step(struct record *record, const tarn_world *world, long long step);
int record_finish(struct record *record);
void record_close(struct record *record); // removes what is unfinished, frees; also after a failed open

#endif
