// The output of a run over time: CSV and VTK files.
#ifndef CLI_TIME_SERIES_H
#define CLI_TIME_SERIES_H

#include "apps/common/app.h"
#include "apps/common/atomic_file.h"
#include "sampling.h"

// Position in the output files: saved in checkpoints, where a resumed run continues.
struct output_position {
    long long next;                                      // the first sample that is not written
    long long frames;                                    // .vti files
    long long ledger, bodies, gauges, obstacles, series; // [bytes]
};

// ---- CSV (csv.c) -----------------------------------------------------------------------------------

struct csv {
    int planar; // the model flow: obstacles too
    struct atomic_file ledger, bodies, gauges, obstacles;
};
int csv_create(struct csv *csv, const struct output_dir *output, const tarn_scene_info *info);
int csv_resume(struct csv *csv, const struct output_dir *output, const struct output_position *from);
int csv_sync(struct csv *csv, struct output_position *mark);
int csv_ledger(struct csv *csv, double time, const tarn_ledger *ledger);
int csv_bodies(struct csv *csv, double time, const tarn_frame *frame, const tarn_world *world);
int csv_gauges(struct csv *csv, double time, int count, const tarn_surface *gauges);
int csv_flow_gauges(struct csv *csv, double time, const tarn_scene_info *info, const tarn_world *world);
int csv_obstacles(struct csv *csv, double time, const tarn_frame *frame);
int csv_finish(struct csv *csv);
void csv_discard(struct csv *csv);

// ---- VTK (vtk.c) -----------------------------------------------------------------------------------

struct vtk {
    const struct output_dir *output;
    struct atomic_file series;
    int frames;
};
int vtk_create(struct vtk *vtk, const struct output_dir *output);
int vtk_resume(struct vtk *vtk, const struct output_dir *output, const struct output_position *from);
int vtk_sync(struct vtk *vtk, struct output_position *mark);
int vtk_write(struct vtk *vtk, double time, const tarn_frame *frame);
int vtk_finish(struct vtk *vtk);
void vtk_discard(struct vtk *vtk);

// ---- both (time_series.c) --------------------------------------------------------------------------

// Values before a step, kept for interpolation.
struct sample {
    tarn_ledger ledger;
    tarn_surface *gauges;
};

struct time_series {
    int csv_on, vtk_on;
    int failed; // a file could not be written: incomplete files are not renamed
    struct sampler sampler;
    tarn_scene_info info;
    struct output_dir output;
    struct csv csv;
    struct vtk vtk;
    struct sample before, now, interpolated;
    tarn_frame frame;
};

struct time_series_def {
    const char *dir;
    int csv, vtk, force;
    int checkpoints;                    // the run writes checkpoints
    double every, time;                 // [s]
    const struct output_position *from; // continue there; NULL: from the start
};

// Without CSV and VTK the calls do nothing. They return 0, or an exit code after an error message. The world
// is at the start, or at the position of the checkpoint.
int series_lock_dir(struct time_series *series, const struct time_series_def *def,
                    const tarn_scene_info *info,
                    const tarn_world *world); // create, check and lock the folder
int series_open(struct time_series *series, const struct time_series_def *def,
                tarn_world *world); // then open the files
void series_before_step(struct time_series *series, const tarn_world *world, long long step);
int series_after_step(struct time_series *series, const tarn_world *world, long long step);
int series_sync(struct time_series *series,
                struct output_position *mark); // sync all files to the disk
int series_commit(struct time_series *series);
void series_close(struct time_series *series); // removes what is unfinished, frees; also after a failed open

#endif
