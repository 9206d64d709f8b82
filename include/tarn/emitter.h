/// @file emitter.h
/// Sources of water, waves, dye and heat.
#ifndef TARN_EMITTER_H
#define TARN_EMITTER_H

#include "param.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Add an emitter ("hump", "fill", "drops", "rain", "wavemaker"; for "flow" "source"). They act in the order they were added.
TARN_API tarn_result tarn_emitter_create(tarn_world *world, const tarn_spec *spec, tarn_error *err);

#ifdef __cplusplus
}
#endif
#endif
