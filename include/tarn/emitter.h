/// @file emitter.h
/// Sources of water, waves, dye and heat.
///
/// An emitter acts at the start of every step, until it is destroyed. tarn_emitter_set_def() changes its rate
/// while the world runs: rain that begins and stops, a tap, a wavemaker.
#ifndef TARN_EMITTER_H
#define TARN_EMITTER_H

#include "fluid.h"
#include "id.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The kinds, in the order of tarn_kind_at("emitter", ...).
typedef enum tarn_emitter_type {
    TARN_EMITTER_HUMP = 0,
    TARN_EMITTER_FILL = 1,
    TARN_EMITTER_DROPS = 2,
    TARN_EMITTER_RAIN = 3,
    TARN_EMITTER_WAVEMAKER = 4,
    TARN_EMITTER_SOURCE = 5, ///< model "flow"; the others are for height fields
    TARN_EMITTER_INFLOW = 6,
    TARN_EMITTER_WIND = 7 ///< models "shallow" and "implicit"
} tarn_emitter_type;

/// A Gaussian hump of water, once.
typedef struct tarn_hump {
    tarn_vec2 position; ///< [m] 0 0, -1e6 .. 1e6 each: x and z of the centre
    double radius;      ///< [m] 0.5, 0.001 .. 1e5: distance from the centre at which the height is 1/e
    double height;      ///< [m] 0.1, -1000 .. 1000: at the centre; negative: a hollow
    double start;       ///< [s] 0, 0 .. 1e9: time at which it appears
} tarn_hump;

/// Water up to a level in a rectangle, once.
typedef struct tarn_fill {
    tarn_vec2 position; ///< [m] 0 0, -1e6 .. 1e6 each: x and z of the centre
    tarn_vec2 size;     ///< [m] 1 1, 0 .. 2e6 each: lengths along x and z
    double level;       ///< [m] 1, -1e5 .. 1e5: y of the filled surface; higher water is not removed
    double start;       ///< [s] 0, 0 .. 1e9: time at which the water appears
} tarn_fill;

/// Single drops at regular intervals.
typedef struct tarn_drops {
    tarn_vec2 position; ///< [m] 0 0, -1e6 .. 1e6 each: x and z of the point of impact
    double scatter;     ///< [m] 0, 0 .. 1e6, live: largest random offset from there, along x and along z
    double radius;      ///< [m] 0.03, 0.0001 .. 10, live: of a drop
    double speed;       ///< [m/s] 5, 0 .. 100, live: of impact
    double interval;    ///< [s] 1, 0.001 .. 1e6, live: between two drops
    double start;       ///< [s] 0, 0 .. 1e9: time of the first drop
} tarn_drops;

/// Drops at random places.
typedef struct tarn_rain {
    double rate;   ///< [m/s] 2e-5, 0 .. 0.01, live: depth of water per second
    double radius; ///< [m] 0.005, 0.0005 .. 1, live: of a drop
    double speed;  ///< [m/s] 8, 0 .. 100, live: of impact
    double start;  ///< [s] 0, 0 .. 1e9: start time
    double end;    ///< [s] 1e9, 0 .. 1e9: end time
} tarn_rain;

/// A wave generator along a wall.
typedef struct tarn_wavemaker {
    tarn_side side; ///< TARN_WEST: the wall at which it stands
    double height;  ///< [m] 0.1, 0 .. 100, live: of the waves, trough to crest
    double period;  ///< [s] 2, 0.01 .. 1e4: of the waves
    double start;   ///< [s] 0, 0 .. 1e9: start time
    double end;     ///< [s] 1e9, 0 .. 1e9: end time
} tarn_wavemaker;

/// The region of a source.
typedef enum tarn_source_shape { TARN_SOURCE_DISC = 0, TARN_SOURCE_BOX = 1 } tarn_source_shape;

/// Variation of the velocity of a source in time.
typedef enum tarn_source_pattern {
    TARN_PATTERN_STEADY = 0,
    TARN_PATTERN_ZIGZAG_VERTICAL = 1,
    TARN_PATTERN_ZIGZAG_HORIZONTAL = 2,
    TARN_PATTERN_VORTEX = 3,
    TARN_PATTERN_NOISE = 4,
    TARN_PATTERN_FOURIER = 5,
    TARN_PATTERN_MOTOR = 6
} tarn_source_pattern;

/// Dye, heat and velocity in a region of a planar fluid. Negative rates remove dye and heat.
typedef struct tarn_source {
    tarn_source_shape shape;     ///< TARN_SOURCE_DISC: of the region
    tarn_vec2 position;          ///< [m] 0 0, -1e6 .. 1e6 each: x and y of the centre
    double radius;               ///< [m] 0.05, 1e-6 .. 1e6: of a disc
    tarn_vec2 size;              ///< [m] 0.1 0.1, 1e-6 .. 1e6 each: lengths of a box along x and y
    double dye;                  ///< [1/s] 0, -1e6 .. 1e6, live: dye concentration added per second
    double heat;                 ///< [K/s] 0, -1e6 .. 1e6, live: temperature added per second
    bool set_velocity;           ///< false; true: the fluid in the region moves with `velocity`
    tarn_vec2 velocity;          ///< [m/s] 0 0, -1e4 .. 1e4 each: of the fluid in the region
    tarn_source_pattern pattern; ///< TARN_PATTERN_STEADY: variation of the velocity; a frame is 1/30 s
    /// 6, 0 .. 1e4, live: zigzag: degrees per frame; vortex: five times the degrees per frame; noise: largest
    /// change of the angle per frame in degrees; fourier: number of terms; motor: rate factor. These are
    /// factors of the formulas in docs/flow-model.md, in degrees here as in a scene file.
    double pattern_parameter;
    double fourier_rate; ///< [degrees] 6, 0 .. 1e4, live: fourier: degrees per frame
    double start;        ///< [s] 0, 0 .. 1e9: start time
    double end;          ///< [s] 1e9, 0 .. 1e9: end time
} tarn_source;

/// Water that flows into a region of a height field, or out of it through a drain. The volume after any time
/// is `rate` times time, up to the rounding of the depth of one cell, unless a drain runs dry.
typedef struct tarn_inflow {
    tarn_source_shape shape; ///< TARN_SOURCE_DISC: of the region
    tarn_vec2 position;      ///< [m] 0 0, -1e6 .. 1e6 each: x and z of the centre, in the domain
    double radius;           ///< [m] 0.5, 1e-6 .. 1e6: of a disc
    tarn_vec2 size;          ///< [m] 1 1, 1e-6 .. 1e6 each: lengths of a box along x and z
    /// [m^3/s] 0.1, -1e6 .. 1e6, live: volume per second; negative: a drain, which takes at most what is
    /// there
    double rate;
    /// false; true: the water comes with `velocity` (shallow, implicit); false: with that of the water there
    bool set_velocity;
    tarn_vec2 velocity; ///< [m/s] 0 0, -1e3 .. 1e3 each, live: of the inflow along x and z
    double start;       ///< [s] 0, 0 .. 1e9: start time
    double end;         ///< [s] 1e9, 0 .. 1e9: end time
} tarn_inflow;

/// Wind over the whole surface: the stress air_density C_d |velocity| (velocity - velocity of the water),
/// less where bodies cover the water.
typedef struct tarn_wind {
    tarn_vec2
        velocity; ///< [m/s] 10 0, -200 .. 200 each, live: of the wind along x and z, at a height of 10 m
    double drag_coefficient; ///< [-] NAN, 0 .. 1, live: C_d; NAN: (0.8 + 0.065 speed/(m/s)) 1e-3 (Wu 1982)
    double air_density;      ///< [kg/m^3] 1.225, 0 .. 1e5, live: density of the air
    double start;            ///< [s] 0, 0 .. 1e9: start time
    double end;              ///< [s] 1e9, 0 .. 1e9: end time
} tarn_wind;

/// What to make; `type` says which member counts. Begin with tarn_default_emitter_def():
///
///     tarn_emitter_def def = tarn_default_emitter_def(TARN_EMITTER_RAIN);
///     def.rain.rate = 1e-4;
typedef struct tarn_emitter_def {
    tarn_emitter_type type;
    union {
        tarn_hump hump;
        tarn_fill fill;
        tarn_drops drops;
        tarn_rain rain;
        tarn_wavemaker wavemaker;
        tarn_source source;
        tarn_inflow inflow;
        tarn_wind wind;
        double space[20]; ///< keeps the size for later kinds
    };
    uint64_t reserved[4]; ///< zero: memory for later members
} tarn_emitter_def;

/// The defaults of a kind, those of scene files.
TARN_API tarn_emitter_def tarn_default_emitter_def(tarn_emitter_type type);

/// Add an emitter. One that starts now and acts once, such as a hump, acts during the call.
/// @param out  its id; may be NULL
/// @return TARN_OK; TARN_BAD_ARGUMENT (a null pointer, no such type); TARN_BAD_INPUT (a value out of range,
///         a type that the model does not have, no wall for a wavemaker); TARN_NO_MEMORY. *out is zero then
TARN_API tarn_result tarn_emitter_create(tarn_world *world, const tarn_emitter_def *def, tarn_emitter_id *out,
                                         tarn_error *err);

/// Remove an emitter; what it emitted stays. @return TARN_OK or TARN_BAD_ARGUMENT (stale id)
TARN_API tarn_result tarn_emitter_destroy(tarn_world *world, tarn_emitter_id emitter);

/// True if there is such an emitter.
TARN_API bool tarn_emitter_is_valid(const tarn_world *world, tarn_emitter_id emitter);

/// Ids of the emitters in the order in which they act: that of their creation, but a new emitter takes the
/// place of the first one that was destroyed. Paths such as "emitters[0].rate" count in this order. At most
/// `capacity` ids are written. @return how many there are
TARN_API int tarn_world_get_emitters(const tarn_world *world, tarn_emitter_id *out, int capacity);

/// The definition of an emitter as it is now. @return TARN_OK or TARN_BAD_ARGUMENT (stale id)
TARN_API tarn_result tarn_emitter_get_def(const tarn_world *world, tarn_emitter_id emitter,
                                          tarn_emitter_def *out);

/// Give an emitter the live parameters of a definition of the same type, from the next step on: the same as
/// tarn_world_set_param() for each.
/// @return TARN_OK; TARN_BAD_ARGUMENT (stale id); TARN_BAD_INPUT (a value out of range, or a parameter that
///         is fixed after creation and differs; err->key names it). The emitter is unchanged then
TARN_API tarn_result tarn_emitter_set_def(tarn_world *world, tarn_emitter_id emitter,
                                          const tarn_emitter_def *def, tarn_error *err);

#ifdef __cplusplus
}
#endif
#endif
