// What a run writes down: when to look, and the CSV and VTK files of what is seen.
#ifndef CLI_RECORD_H
#define CLI_RECORD_H

#include "apps/common/app.h"
#include "apps/common/atomic_file.h"
#include "sampling.h"

// How far the outputs have come: a checkpoint keeps it, a run that goes on begins there.
struct record_mark {
    long long next;                                      // the first sample that is not written
    long long frames;                                    // .vti files
    long long ledger, bodies, gauges, obstacles, series; // [bytes]
};

// ---- CSV (csv.c) ----------------------------------------------------------------------------------

struct csv {
    int flat; // the model flow: obstacles too
    struct whole_file ledger, bodies, gauges, obstacles;
};
int csv_begin(struct csv *csv, const struct output *output, const tarn_scene_facts *facts);
int csv_resume(struct csv *csv, const struct output *output, const struct record_mark *from);
int csv_mark(struct csv *csv, struct record_mark *mark);
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
int vtk_resume(struct vtk *vtk, const struct output *output, const struct record_mark *from);
int vtk_mark(struct vtk *vtk, struct record_mark *mark);
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
    int checkpoints;                // there will be some in the folder
    double every, time;             // [s]
    const struct record_mark *from; // go on there; NULL: from the start
};

// Nothing to write is fine: the other calls then do nothing. They return 0, or an exit code after telling
// why. The world is at the start, or where the mark was made.
int record_claim(struct record *record, const struct record_def *def, const tarn_scene_facts *facts,
                 const tarn_world *world); // make, check and lock the folder
int record_open(struct record *record, const struct record_def *def, tarn_world *world); // then the files
void record_before_step(struct record *record, const tarn_world *world, long long step);
int record_after_step(struct record *record, const tarn_world *world, long long step);
int record_mark(struct record *record, struct record_mark *mark); // all that was written is on the disk
int record_finish(struct record *record);
void record_close(struct record *record); // removes what is unfinished, frees; also after a failed open

#endif
