// What keys do in a flat world (the model flow), all of it by commands.
#include "../viewer.h"

#include <math.h>
#include <string.h>

void flow_toggle_view(struct viewer *v, int velocity)
{
    const char *name = velocity ? "velocity" : "temperature";
    set_view(v, strcmp(v->view.name, name) == 0 ? "dye" : name);
    v->view.arrows = velocity && strcmp(v->view.name, name) == 0;
    viewer_message(v, "view: %s", v->view.name);
}

// A number that is on or off; what it was comes back.
static void toggle(struct viewer *v, const char *path, const char *name, int which, double usual)
{
    const struct sim_param *p = viewer_find_param(v, path);
    if (!p) return;
    const double now = p->value.number[0];
    if (now != 0.0) v->saved_values[which] = now;
    viewer_set_param(v, path,
                     tarn_number(now != 0.0                      ? 0.0
                                 : v->saved_values[which] != 0.0 ? v->saved_values[which]
                                                                 : usual));
    viewer_message(v, "%s %s", name, now != 0.0 ? "off" : "on");
}

void flow_toggle_confinement(struct viewer *v, int which)
{
    (void)which;
    toggle(v, "fluid.confinement.strength", "vorticity confinement", 0, 1.0);
}

void flow_toggle_buoyancy(struct viewer *v, int which)
{
    (void)which;
    toggle(v, "fluid.heat.expansion", "heat: what is warm rises,", 1, 0.0034);
}

void flow_toggle_coupling(struct viewer *v, int which)
{
    const struct sim_param *p = viewer_find_param(v, "fluid.coupling");
    (void)which;
    if (!p) return;
    const bool strong = strcmp(p->value.text, "strong") == 0;
    viewer_set_param(v, "fluid.coupling", tarn_word(strong ? "weak" : "strong"));
    viewer_message(v, "coupling: %s", strong ? "weak" : "strong");
}

void flow_toggle_collisions(struct viewer *v, int which)
{
    const struct sim_param *p = viewer_find_param(v, "run.touch");
    (void)which;
    if (!p) return;
    const bool on = p->value.number[0] != 0.0;
    viewer_set_param(v, "run.touch", tarn_flag(!on));
    viewer_message(v, "collisions of bodies %s", on ? "off" : "on");
}

static double chance(struct viewer *v) // 0 .. 1
{
    v->rng = v->rng * 6364136223846793005u + 1442695040888963407u;
    return (double)(v->rng >> 11) * 0x1p-53;
}

// Drops of dye and warmth all over.
void flow_add_random_dye(struct viewer *v, int which)
{
    enum { DROPS = 24 };
    const double *size = v->status.world.size;
    (void)which;
    if (!v->status.has_world) return;
    for (int k = 0; k < DROPS; ++k) {
        tarn_command c = {.kind = TARN_DYE, .strength = 0.5 + 0.5 * chance(v)};
        c.radius = (0.01 + 0.02 * chance(v)) * fmin(size[0], size[1]);
        c.at.x = chance(v) * size[0], c.at.y = chance(v) * size[1];
        sim_queue_command(v->sim, &c);
        c.kind = TARN_WARM, c.strength *= 0.3 * flow_heat_rate(v);
        if (k % 3 == 0) sim_queue_command(v->sim, &c);
    }
}

// So that the fluid rises with an acceleration of its own size in m/s^2 after a second.
double flow_heat_rate(const struct viewer *v)
{
    const struct sim_param *beta = viewer_find_param(v, "fluid.heat.expansion"),
                           *g = viewer_find_param(v, "fluid.gravity");
    const double rise = (beta ? fabs(beta->value.number[0]) : 0.0) * (g ? g->value.number[0] : 9.81);
    return rise > 1e-6 ? fmin(v->status.world.size[1] / rise, 3000.0) : 30.0;
}
