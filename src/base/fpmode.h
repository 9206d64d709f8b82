// Rounding to nearest, denormals kept: the modes that the numbers depend on. A host may have set others
// (games like flush-to-zero), so the step sets ours and puts theirs back.
#ifndef BASE_FPMODE_H
#define BASE_FPMODE_H

#include <stdint.h>

struct fpmode {
    uint64_t saved;
};

struct fpmode fpmode_enter(void);
void fpmode_leave(struct fpmode old);

#endif
