#include "run_loop.h"

#include <math.h>

long long run_loop_count(double duration, double dt)
{
    return (long long)ceil(duration / dt - 1e-6); // 10 s of 1/60 s are 600 steps in spite of rounding
}

void run_loop_start(struct run_loop *loop)
{
    loop->progress = progress_begin(loop->name, loop->duration, loop->quiet);
    loop->start = monotonic_seconds();
}

// The error of a world names the step; other errors do not.
static int report_failed_step(const struct run_loop *loop, tarn_result result)
{
    const char *error = tarn_world_get_failure(loop->world);
    if (error && *error) return print_error((int)result, "%s: %s", loop->name, error);
    return print_error((int)result, "%s: step %lld: %s", loop->name, loop->done + 1, result_message(result));
}

static int take_step(struct run_loop *loop)
{
    int code = loop->before_step ? loop->before_step(loop->self) : 0;
    if (code != 0) return code;
    const double before = monotonic_seconds();
    const tarn_result result = tarn_world_advance(loop->world, loop->dt);
    loop->step_seconds += monotonic_seconds() - before;
    if (result != TARN_OK) return report_failed_step(loop, result);
    ++loop->done;
    code = loop->after_step ? loop->after_step(loop->self) : 0;
    if (code == 0)
        progress_update(&loop->progress, loop->world, (double)loop->done * loop->dt,
                        loop->done - loop->first);
    return code;
}

int run_loop_steps(struct run_loop *loop)
{
    int code = 0;

    while (loop->done < loop->total && code == 0 && !pending_signal()) code = take_step(loop);
    status_line_clear();
    return code == 0 && loop->done < loop->total ? 128 + pending_signal() : code;
}

struct summary run_loop_summary(const struct run_loop *loop, int exit_code)
{
    return (struct summary){
        .scene = loop->name,
        .result = exit_code == 0               ? "ok"
                  : exit_code == TARN_DIVERGED ? "diverged"
                  : exit_code > 128            ? "interrupted"
                                               : "failed",
        .steps = loop->done,
        .resumed_steps = loop->first,
        .substeps = loop->substeps,
        .dt = loop->dt,
        .wall_seconds = monotonic_seconds() - loop->start,
        .step_seconds = loop->step_seconds,
        .exit_code = exit_code,
    };
}
