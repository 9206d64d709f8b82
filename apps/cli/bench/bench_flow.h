// Functions that the files of `tarn bench flow` share.
#ifndef BENCH_FLOW_H
#define BENCH_FLOW_H

#include "bench.h"

// A closed box of n * n cells with diffusion of heat and dye; and a source of warm smoke in it.
tarn_result bench_flow_world(int n, tarn_flow_advection advection, int threads, tarn_world **out,
                             tarn_error *err);
tarn_result add_smoke_source(tarn_world *world, tarn_error *err);

// The same fluid with and without a hundred discs.
int bench_flow_discs(struct bench_run *run);

#endif
