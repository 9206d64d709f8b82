// A source of dye, heat and velocity in a disc or a box of the planar model, between two times.
//
// The velocity may vary in time by one of several patterns, those of a student's program for fluid
// animation. They are functions of the frame number i = 30 t, t in seconds, not restricted to integers;
// angles are in degrees.
#include "base/math/math.h"
#include "base/math/random.h"
#include "emitter.h"
#include "region.h"

static const char *const patterns[] = {
    "steady", "zigzag-vertical", "zigzag-horizontal", "vortex", "noise", "fourier", "motor", NULL};
#define FRAMES_PER_SECOND 30.0 // [1/s]
#define MAX_FOURIER_TERMS 64.0 // of the square wave

static const tarn_param params[] = {
    PARAM_CHOICE(tarn_source, shape, "shape", TARN_SOURCE_DISC, emitter_shape_names,
                 "shape of the source region"),
    PARAM_VEC2(tarn_source, position, "position", 0, 0, -1e6, 1e6, "m", "x and y of the centre"),
    PARAM_NUMBER(tarn_source, radius, "radius", 0.05, 1e-6, 1e6, "m", "radius of a disc"),
    PARAM_VEC2(tarn_source, size, "size", 0.1, 0.1, 1e-6, 1e6, "m", "lengths of a box along x and y"),
    PARAM_LIVE(tarn_source, dye, "dye", 0, -1e6, 1e6, "1/s", "dye concentration added per second"),
    PARAM_LIVE(tarn_source, heat, "heat", 0, -1e6, 1e6, "K/s", "temperature added per second"),
    PARAM_FLAG(tarn_source, set_velocity, "set_velocity", 0, "the fluid in the region moves with `velocity`"),
    PARAM_VEC2(tarn_source, velocity, "velocity", 0, 0, -1e4, 1e4, "m/s",
               "velocity of the fluid in the region"),
    PARAM_CHOICE(tarn_source, pattern, "pattern", TARN_PATTERN_STEADY, patterns,
                 "variation of the velocity in time; a frame is 1/30 s"),
    PARAM_LIVE(
        tarn_source, pattern_parameter, "pattern_parameter", 6, 0, 1e4, "",
        "zigzag: degrees per frame; vortex: five times the degrees per frame; noise: largest change of the "
        "angle per frame in degrees; fourier: number of terms; motor: rate factor"),
    PARAM_LIVE(tarn_source, fourier_rate, "fourier_rate", 6, 0, 1e4, "degrees", "fourier: degrees per frame"),
    PARAM_NUMBER(tarn_source, start, "start", 0, 0, 1e9, "s", "start time"),
    PARAM_NUMBER(tarn_source, end, "end", 1e9, 0, 1e9, "s", "end time"),
};

// ---- patterns -------------------------------------------------------------------------------------------

static double sin_degrees(double degrees) { return m_sin_turns(degrees / 360.0); }
static double cos_degrees(double degrees) { return m_sin_turns(degrees / 360.0 + 0.25); }

// Random walk of the angle: every whole frame adds -p, 0 or p at random, and the current frame is
// interpolated. The angle is within 0 .. 360 degrees.
static double random_walk_angle(struct emitter *e, const struct time_interval *now, double p, double frame)
{
    for (; (double)e->walk_frames < floor(frame); ++e->walk_frames) {
        const double direction = floor(3.0 * random_unit(now->seed, e->random_stream, e->walk_frames)) - 1.0;
        const double angle = e->walk_angle + p * direction;
        e->walk_angle = angle - 360.0 * floor(angle / 360.0);
    }
    const double next_direction = floor(3.0 * random_unit(now->seed, e->random_stream, e->walk_frames)) - 1.0;
    return e->walk_angle + (frame - floor(frame)) * p * next_direction;
}

// Truncated Fourier series of a square wave.
static double square_wave(double terms, double degrees)
{
    double sum = 0.0;
    for (double k = 1.0; k <= fmin(terms, MAX_FOURIER_TERMS); k += 1.0)
        sum += sin_degrees((2.0 * k - 1.0) * degrees) / (2.0 * k - 1.0);
    return 4.0 / PI * sum;
}

void source_velocity(struct emitter *e, const struct time_interval *now, double v[2])
{
    const tarn_source *d = &e->def.source;
    const double x = d->velocity.x, y = d->velocity.y, p = d->pattern_parameter,
                 i = FRAMES_PER_SECOND * now->time;
    double angle, cosine;
    v[0] = x, v[1] = y;
    switch (d->pattern) {
    case TARN_PATTERN_STEADY: break;
    case TARN_PATTERN_ZIGZAG_VERTICAL: v[0] = x * sin_degrees(p * i); break;
    case TARN_PATTERN_ZIGZAG_HORIZONTAL: v[1] = y * sin_degrees(p * i); break;
    case TARN_PATTERN_VORTEX: v[0] = x * sin_degrees(0.2 * p * i), v[1] = y * cos_degrees(0.2 * p * i); break;
    case TARN_PATTERN_NOISE:
        angle = random_walk_angle(e, now, p, i);
        v[0] = x * cos_degrees(angle) - y * sin_degrees(angle),
        v[1] = x * sin_degrees(angle) + y * cos_degrees(angle);
        break;
    case TARN_PATTERN_FOURIER: v[0] = x * square_wave(p, d->fourier_rate * i); break;
    case TARN_PATTERN_MOTOR: // the values of cos_degrees and sin_degrees are used as angles in radians
        cosine = cos_degrees(7.3 * p * i);
        v[0] = -x * sin_degrees(7.3 * p * i) * m_cos(cos_degrees(2.4 * i));
        v[1] = y * (cosine * cosine) * (cosine * cosine) * m_sin(sin_degrees(2.4 * i));
        break;
    }
}

// ---- emitting ---------------------------------------------------------------------------------------------

static void emit_source(struct emitter *e, const struct time_interval *now, struct fluid *f)
{
    const tarn_source *d = &e->def.source;
    const struct grid *g = &f->grid;
    if (now->dt <= 0.0 || now->time + now->dt <= d->start || now->time >= d->end) return;
    double velocity[2];
    source_velocity(e, now, velocity);
    const struct emitter_region region = {d->shape, d->position, d->radius, d->size};
    const struct cell_rect r = emitter_region_cells(&region, f, false);
    for (int j = r.j0; j < r.j1; ++j)
        for (int i = r.i0; i < r.i1; ++i) {
            const double coverage =
                emitter_region_coverage(&region, grid_cell_x(g, i), grid_cell_z(g, j), g->dx);
            const struct fluid_source s = {.dye = coverage * d->dye * now->dt,
                                           .temperature = coverage * d->heat * now->dt,
                                           .velocity_blend = d->set_velocity ? coverage : 0.0,
                                           .u = velocity[0],
                                           .v = velocity[1]};
            if (coverage > 0.0) f->model->planar->add_source(f, i, j, &s);
        }
}

const struct emitter_kind emitter_source = {
    .kind = {.category = "emitter",
             .name = "source",
             .help = "source of dye, heat and velocity in the planar model",
             PARAMS(params)},
    .planar = true,
    .emit = emit_source,
};
