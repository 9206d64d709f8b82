// Sample bed: a step in the ground along a line of constant x.
#include "fluid/bed.h"

struct terrace_def {
    double edge, height;
};

static const tarn_param params[] = {
    PARAM_NUMBER(struct terrace_def, edge, "edge", 0, -1e6, 1e6, "m", "x of the step"),
    PARAM_NUMBER(struct terrace_def, height, "height", 0.25, -1e5, 1e5, "m",
                 "height of the ground east of it"),
};

static double terrace_height(const void *def, const struct bed_point *at)
{
    const struct terrace_def *d = def;
    return at->x > d->edge ? d->height : 0.0;
}

const struct bed_kind bed_terrace = {
    .kind = {.category = "bed", .name = "terrace", .help = "step in the ground", PARAMS(params)},
    .height = terrace_height,
};
