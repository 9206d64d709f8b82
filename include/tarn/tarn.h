/// @file tarn.h
/// All of libtarn: a world of water and bodies. base.h has the rules.
#ifndef TARN_TARN_H
#define TARN_TARN_H

#include "base.h"
#include "bed.h"
#include "body.h"
#include "emitter.h"
#include "event.h"
#include "fluid.h"
#include "frame.h"
#include "id.h"
#include "joint.h"
#include "obstacle.h"
#include "param.h"
#include "profile.h"
#include "query.h"
#include "shape.h"
#include "state.h"
#include "vec.h"
#include "water.h"
#include "world.h"

#endif
