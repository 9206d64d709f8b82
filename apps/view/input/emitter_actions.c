// Switches for rain and wave maker: the emitter is added on first use, afterwards its rate or height is set.
// Called by keys.c and panel.c.
#include "../viewer.h"

#include <math.h>
#include <string.h>

static const struct {
    tarn_emitter_type type;
    const char *param;
} switches[] = {{TARN_EMITTER_RAIN, "rate"}, {TARN_EMITTER_WAVEMAKER, "height"}};
enum { RAIN, WAVEMAKER };

static int switch_of(const char *emitter) { return strcmp(emitter, "rain") == 0 ? RAIN : WAVEMAKER; }

// The parameter that switches the last emitter of this kind on and off.
static const struct sim_param *find_switch_param(const struct viewer *v, int which)
{
    const tarn_kind *emitter = tarn_kind_at("emitter", (int)switches[which].type);
    const tarn_param *param = emitter ? tarn_param_find(emitter, switches[which].param) : NULL;
    const struct sim_param *found = NULL;
    for (int k = 0; param && k < v->param_count; ++k)
        if (v->params[k].param == param) found = &v->params[k];
    return found;
}

bool emitter_is_on(const struct viewer *v, const char *emitter)
{
    const struct sim_param *p = find_switch_param(v, switch_of(emitter));
    return p && p->value.number[0] > 0.0;
}

// [m] Drops have 0.06 of the cell size, so that the grid resolves their waves.
static double drop_radius(const struct viewer *v)
{
    const double cell = v->status.world.size[0] / v->status.world.cells[0];
    return fmax(0.005, 0.06 * cell);
}

// Rain rate [m/s]: 300 drops of volume 4/3 pi r^3 per second on the whole domain, at most 0.01 m/s.
// Wave height [m]: 2 % of the length of the domain.
static double on_value(const struct viewer *v, int which)
{
    const double r = drop_radius(v), area = v->status.world.size[0] * v->status.world.size[1];
    if (which == RAIN) return fmin(300.0 * 4.19 * r * r * r / area, 1e-2);
    return 0.02 * v->camera.extent;
}

void emitter_toggle(struct viewer *v, const char *emitter)
{
    const int which = switch_of(emitter);
    const struct sim_param *p = find_switch_param(v, which);
    const bool is_on = emitter_is_on(v, emitter);
    tarn_command c = {.kind = p ? TARN_COMMAND_SET_PARAM : TARN_COMMAND_ADD_EMITTER};
    if (!v->status.has_world) return;
    const double value = on_value(v, which);
    if (p) {
        snprintf(c.path, sizeof c.path, "%s", p->path);
        c.value = tarn_value_number(is_on ? 0.0 : value);
    } else {
        c.emitter = tarn_default_emitter_def(switches[which].type);
        if (which == RAIN)
            c.emitter.rain.rate = value, c.emitter.rain.radius = drop_radius(v);
        else
            c.emitter.wavemaker.height = value, c.emitter.wavemaker.start = v->status.world.time;
    }
    sim_queue_command(v->sim, &c);
    viewer_message(v, "%s %s", which == WAVEMAKER ? "wave maker" : "rain", is_on ? "off" : "on");
}
