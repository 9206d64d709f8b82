// Rain and waves that can be turned on and off: an emitter is added once, then its rate is set.
#include "../viewer.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *emitter, *param;
} kinds[] = {{"rain", "rate"}, {"wavemaker", "height"}};

static int kind_of(const char *emitter) { return strcmp(emitter, kinds[0].emitter) == 0 ? 0 : 1; }

// The parameter that turns it on and off, of the last emitter of this kind.
static const struct sim_param *find(const struct viewer *v, int kind)
{
    const tarn_kind *emitter = tarn_kind_find("emitter", kinds[kind].emitter);
    const tarn_param *param = emitter ? tarn_param_find(emitter, kinds[kind].param) : NULL;
    const struct sim_param *found = NULL;
    for (int k = 0; param && k < v->param_count; ++k)
        if (v->params[k].param == param) found = &v->params[k];
    return found;
}

bool emitter_is_on(const struct viewer *v, const char *emitter)
{
    const struct sim_param *p = find(v, kind_of(emitter));
    return p && p->value.number[0] > 0.0;
}

// Drops that the grid can show, 300 a second in all: a shower, whatever the size of the tank.
static double drop_radius(const struct viewer *v)
{
    const double cell = v->status.world.size[0] / v->status.world.cells[0];
    return fmax(0.005, 0.06 * cell);
}

static double strength_of(const struct viewer *v, int kind)
{
    const double r = drop_radius(v), area = v->status.world.size[0] * v->status.world.size[1];
    if (kind == 0) return fmin(300.0 * 4.19 * r * r * r / area, 1e-2);
    return 0.02 * v->camera.extent; // waves as high as a fiftieth of the tank is long
}

void emitter_toggle(struct viewer *v, const char *emitter)
{
    const int kind = kind_of(emitter);
    const struct sim_param *p = find(v, kind);
    const bool on = emitter_is_on(v, emitter);
    tarn_command c = {.kind = p ? TARN_SET : TARN_EMIT};
    if (!v->status.has_world) return;
    const double strength = strength_of(v, kind);
    if (p) {
        snprintf(c.path, sizeof c.path, "%s", p->path);
        c.value = tarn_number(on ? 0.0 : strength);
    } else {
        if (tarn_spec_init(&c.spec, "emitter", emitter, NULL) != TARN_OK) return;
        tarn_spec_set(&c.spec, kinds[kind].param, tarn_number(strength), NULL);
        if (kind == 0) tarn_spec_set(&c.spec, "radius", tarn_number(drop_radius(v)), NULL);
        if (kind == 1) tarn_spec_set(&c.spec, "time", tarn_number(v->status.world.time), NULL);
    }
    sim_queue_command(v->sim, &c);
    viewer_message(v, "%s %s", kind ? "wave maker" : "rain", on ? "off" : "on");
}
