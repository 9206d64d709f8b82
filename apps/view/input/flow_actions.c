// What keys do in a flat world (the model flow), all of it by commands.
#include "../viewer.h"

#include <math.h>
#include <string.h>

void flat_show(struct view *v, int velocity)
{
    const char *name = velocity ? "velocity" : "temperature";
    view_show(v, strcmp(v->look.name, name) == 0 ? "dye" : name);
    v->look.arrows = velocity && strcmp(v->look.name, name) == 0;
    view_say(v, "view: %s", v->look.name);
}

// A number that is on or off; what it was comes back.
static void toggle(struct view *v, const char *path, const char *name, int which, double usual)
{
    const struct sim_param *p = view_param(v, path);
    if (!p) return;
    const double now = p->value.number[0];
    if (now != 0.0) v->kept[which] = now;
    view_set(v, path, tarn_number(now != 0.0 ? 0.0 : v->kept[which] != 0.0 ? v->kept[which] : usual));
    view_say(v, "%s %s", name, now != 0.0 ? "off" : "on");
}

void flat_confinement(struct view *v, int which)
{
    (void)which;
    toggle(v, "fluid.confinement.strength", "vorticity confinement", 0, 1.0);
}

void flat_buoyancy(struct view *v, int which)
{
    (void)which;
    toggle(v, "fluid.heat.expansion", "heat: what is warm rises,", 1, 0.0034);
}

void flat_coupling(struct view *v, int which)
{
    const struct sim_param *p = view_param(v, "fluid.coupling");
    (void)which;
    if (!p) return;
    const bool strong = strcmp(p->value.text, "strong") == 0;
    view_set(v, "fluid.coupling", tarn_word(strong ? "weak" : "strong"));
    view_say(v, "coupling: %s", strong ? "weak" : "strong");
}

void flat_touch(struct view *v, int which)
{
    const struct sim_param *p = view_param(v, "run.touch");
    (void)which;
    if (!p) return;
    const bool on = p->value.number[0] != 0.0;
    view_set(v, "run.touch", tarn_flag(!on));
    view_say(v, "collisions of bodies %s", on ? "off" : "on");
}

static double chance(struct view *v) // 0 .. 1
{
    v->chance = v->chance * 6364136223846793005u + 1442695040888963407u;
    return (double)(v->chance >> 11) * 0x1p-53;
}

// Drops of dye and warmth all over.
void flat_sprinkle(struct view *v, int which)
{
    enum { DROPS = 24 };
    const double *size = v->news.status.size;
    (void)which;
    if (!v->news.there) return;
    for (int k = 0; k < DROPS; ++k) {
        tarn_command c = {.kind = TARN_DYE, .strength = 0.5 + 0.5 * chance(v)};
        c.radius = (0.01 + 0.02 * chance(v)) * fmin(size[0], size[1]);
        c.at.x = chance(v) * size[0], c.at.y = chance(v) * size[1];
        sim_command(v->sim, &c);
        c.kind = TARN_WARM, c.strength *= 0.3 * flat_warmth(v);
        if (k % 3 == 0) sim_command(v->sim, &c);
    }
}

// So that the fluid rises with an acceleration of its own size in m/s^2 after a second.
double flat_warmth(const struct view *v)
{
    const struct sim_param *beta = view_param(v, "fluid.heat.expansion"), *g = view_param(v, "fluid.gravity");
    const double rise = (beta ? fabs(beta->value.number[0]) : 0.0) * (g ? g->value.number[0] : 9.81);
    return rise > 1e-6 ? fmin(v->news.status.size[1] / rise, 3000.0) : 30.0;
}
