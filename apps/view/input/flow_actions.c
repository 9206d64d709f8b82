// Actions for the planar model (flow): views, switches of parameters, random dye. Called by keys.c and
// panel.c; the changes are sent as commands.
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

// A parameter that can be switched to 0 and back.
struct parameter_switch {
    const char *path, *name;
    int saved_index;      // in viewer.saved_values
    double default_value; // used if the scene starts with 0
};

static void toggle_parameter(struct viewer *v, const struct parameter_switch *s)
{
    const struct sim_param *p = viewer_find_param(v, s->path);
    if (!p) return;
    double *saved = &v->saved_values[s->saved_index];
    const double value = p->value.number[0];
    const bool is_on = value != 0.0;
    if (is_on) *saved = value;
    const double on_value = *saved != 0.0 ? *saved : s->default_value;
    viewer_set_param(v, s->path, tarn_value_number(is_on ? 0.0 : on_value));
    viewer_message(v, "%s %s", s->name, is_on ? "off" : "on");
}

void flow_toggle_confinement(struct viewer *v, int argument)
{
    (void)argument;
    toggle_parameter(
        v, &(struct parameter_switch){"fluid.confinement.strength", "vorticity confinement", 0, 1.0});
}

void flow_toggle_buoyancy(struct viewer *v, int argument)
{
    (void)argument;
    toggle_parameter(
        v, &(struct parameter_switch){"fluid.temperature.expansion", "thermal buoyancy", 1, 0.0034});
}

void flow_toggle_coupling(struct viewer *v, int argument)
{
    const struct sim_param *p = viewer_find_param(v, "coupling.method");
    (void)argument;
    if (!p) return;
    const bool strong = strcmp(p->value.text, "weak") != 0; // strong is the default of the model
    viewer_set_param(v, "coupling.method", tarn_value_text(strong ? "weak" : "strong"));
    viewer_message(v, "coupling: %s", strong ? "weak" : "strong");
}

void flow_toggle_collisions(struct viewer *v, int argument)
{
    const struct sim_param *p = viewer_find_param(v, "run.collisions");
    (void)argument;
    if (!p) return;
    const bool is_on = p->value.number[0] != 0.0;
    viewer_set_param(v, "run.collisions", tarn_value_flag(!is_on));
    viewer_message(v, "collisions between bodies %s", is_on ? "off" : "on");
}

// Uniform in [0, 1): the upper 53 bits of a 64-bit linear congruential generator.
static double random_unit(struct viewer *v)
{
    v->rng = v->rng * 6364136223846793005u + 1442695040888963407u;
    return (double)(v->rng >> 11) * 0x1p-53;
}

// Add dye at 24 random places and heat at every third of them.
void flow_add_random_dye(struct viewer *v, int argument)
{
    enum { SPOTS = 24 };
    const double *size = v->status.world.size;
    (void)argument;
    if (!v->status.has_world) return;
    for (int k = 0; k < SPOTS; ++k) {
        tarn_command c = {.kind = TARN_COMMAND_ADD_DYE, .amount = 0.5 + 0.5 * random_unit(v)};
        c.radius = (0.01 + 0.02 * random_unit(v)) * fmin(size[0], size[1]);
        c.position.x = random_unit(v) * size[0], c.position.y = random_unit(v) * size[1];
        sim_queue_command(v->sim, &c);
        c.kind = TARN_COMMAND_ADD_HEAT, c.amount *= 0.3 * flow_heat_rate(v);
        if (k % 3 == 0) sim_queue_command(v->sim, &c);
    }
}

// The rate at which a second of heating gives a buoyant acceleration beta g dT of one domain height per s^2.
double flow_heat_rate(const struct viewer *v)
{
    const struct sim_param *beta = viewer_find_param(v, "fluid.temperature.expansion"),
                           *gravity = viewer_find_param(v, "fluid.gravity");
    const double acceleration_per_kelvin =
        (beta ? fabs(beta->value.number[0]) : 0.0) * (gravity ? gravity->value.number[0] : 9.81);
    return acceleration_per_kelvin > 1e-6 ? fmin(v->status.world.size[1] / acceleration_per_kelvin, 3000.0)
                                          : 30.0;
}
