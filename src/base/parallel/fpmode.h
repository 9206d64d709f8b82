// Floating-point control modes: rounding to nearest, denormals enabled. Results depend on them, and a host
// may have set others (games often set flush-to-zero), so a step sets these modes and restores the host's
// afterwards.
#ifndef BASE_FPMODE_H
#define BASE_FPMODE_H

#include <stdint.h>

struct fpmode {
    uint64_t saved;
};

// Sets the library's modes and returns those that were set before, for fpmode_leave.
struct fpmode fpmode_enter(void);
void fpmode_leave(struct fpmode saved_mode);

#endif
