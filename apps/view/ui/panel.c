// The panel at the right side: everything is made from lists, nothing knows a parameter by name.
#include "../viewer.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <math.h>
#include <string.h>

static void run_section(struct viewer *v)
{
    const struct sim_status *status = &v->status;
    char text[160];
    const float third = (ui_width() - 16.0f) / 3.0f;
    if (ui_button(status->paused ? "Go on" : "Pause", third)) sim_pause(v->sim, !status->paused);
    ui_same_line(8);
    if (ui_button("Step", third)) {
        sim_pause(v->sim, true);
        sim_single_step(v->sim);
    }
    ui_same_line(8);
    if (ui_button("Reset", third)) keys_press(v, GLFW_KEY_BACKSPACE, 0);
    double speed = status->speed;
    if (ui_slider("speed", &speed, 1.0 / 16.0, 16.0, "x", UI_LOG)) sim_set_speed(v->sim, speed);
    ui_help("1 is real time");
    snprintf(text, sizeof text, "step %llu, %d x %d cells, %.2f of real time",
             (unsigned long long)status->world.steps, status->world.cells[0], status->world.cells[1], status->rate);
    ui_text_dim(text);
    if (status->stopped) ui_text_warning(status->error);
}

// Shapes that this world can have, to be chosen and clicked somewhere.
static void shapes_row(struct viewer *v)
{
    const float w = (ui_width() - 24.0f) / 4.0f;
    int shown = 0;
    for (int k = 0; k < spawn_shape_count(); ++k) {
        if (!spawn_shape_is_available(k, v->planar)) continue;
        if (shown++ % 4) ui_same_line(8);
        if (ui_selectable(spawn_shape_name(k), v->placing && v->spawn_shape == k, w)) {
            v->placing = !(v->placing && v->spawn_shape == k);
            v->spawn_shape = k;
        }
        ui_help("choose, then click where it should go");
    }
}

static void make_section(struct viewer *v)
{
    shapes_row(v);
    ui_slider("size", &v->spawn_size, 0.02 * v->camera.extent, 0.25 * v->camera.extent, "m", UI_LOG);
    ui_slider("density", &v->spawn_density, 10, 8000, "kg/m^3", UI_LOG);
    ui_help("water has 1000: what is lighter floats");
}

static void flow_row(struct viewer *v)
{
    const float third = (ui_width() - 16.0f) / 3.0f;
    if (ui_button("Sprinkle", third)) flow_add_random_dye(v, 0);
    ui_help("dye and warmth here and there");
    ui_same_line(8);
    if (ui_button("Velocity", third)) flow_toggle_view(v, 1);
    ui_help("see the velocity, or the dye again");
    ui_same_line(8);
    if (ui_button("Heat", third)) flow_toggle_view(v, 0);
    ui_help("see the temperature, or the dye again");
}

static void touch_section(struct viewer *v)
{
    const char *tools[BRUSH_COUNT + 1] = {0};
    int tool = (int)v->brush;
    ui_slider("finger", &v->brush_radius, 0.01 * v->camera.extent, 0.2 * v->camera.extent, "m", UI_LOG);
    ui_help(v->planar ? "radius of what is stirred, painted and warmed"
                      : "radius of what a click pokes, a drag stirs, and the ground that is raised");
    if (v->planar) {
        flow_row(v);
        return;
    }
    for (int k = 0; k < BRUSH_COUNT; ++k) tools[k] = strchr(brush_label((enum brush)k), ':') + 2;
    if (can_sculpt_bed(v) && ui_choice("left button", &tool, tools)) v->brush = (enum brush)tool;
    bool rain = emitter_is_on(v, "rain"), waves = emitter_is_on(v, "wavemaker");
    if (ui_checkbox("rain", &rain)) emitter_toggle(v, "rain");
    ui_same_line(24);
    if (ui_checkbox("wave maker", &waves)) emitter_toggle(v, "wavemaker");
}

static void show_section(struct viewer *v)
{
    const char *names[64] = {0};
    int count = 0, at = 0, mode = v->camera.mode;
    const char *modes[CAMERA_MODES + 1] = {0};
    for (int k = 0; draw_view_name(k) && count < 63; ++k) {
        if (!view_is_available(v, draw_view_name(k))) continue;
        if (strcmp(draw_view_name(k), v->view.name) == 0) at = count;
        names[count++] = draw_view_name(k);
    }
    if (ui_choice("view", &at, names)) set_view(v, names[at]);
    for (int k = 0; k < CAMERA_MODES; ++k) modes[k] = camera_mode_name((enum camera_mode)k);
    if (!v->planar && ui_choice("camera", &mode, modes)) camera_set_mode(&v->camera, (enum camera_mode)mode);
    if (is_field_view(v)) {
        ui_checkbox("arrows", &v->view.arrows);
        ui_help("of the velocity");
        ui_same_line(24);
        ui_checkbox("streamlines", &v->view.streamlines);
    }
    ui_checkbox("force arrows", &v->show_arrows);
    if (v->planar) return;
    ui_same_line(24);
    ui_checkbox("waterlines", &v->show_waterlines);
}

// ---- parameters -----------------------------------------------------------------------------------

// A slider where the range is one that a hand can use; a box otherwise.
static bool edit_number(const char *label, const tarn_param *p, double *x)
{
    const double lo = p->min, hi = p->max;
    const unsigned how = (lo >= 0.0 && hi > 50.0 ? UI_LOG : 0) | (p->flags & TARN_LIVE ? 0 : UI_ON_RELEASE);
    return hi - lo <= 1000.0 && isfinite(*x) ? ui_slider(label, x, lo, hi, p->unit, how)
                                             : ui_number(label, x, 1, p->unit);
}

static int numbers(tarn_type type)
{
    return type == TARN_VEC2 || type == TARN_INT2   ? 2
           : type == TARN_VEC3 || type == TARN_INT3 ? 3
           : type == TARN_QUAT                      ? 4
                                                    : 1;
}

static bool edit_value(const char *label, const tarn_param *p, tarn_value *x)
{
    bool on = x->number[0] != 0.0;
    int at = 0;
    switch (p->type) {
    case TARN_FLAG:
        if (!ui_checkbox(label, &on)) return false;
        *x = tarn_flag(on);
        return true;
    case TARN_CHOICE:
        while (p->choices[at] && strcmp(p->choices[at], x->text) != 0) ++at;
        if (!ui_choice(label, &at, p->choices)) return false;
        *x = tarn_word(p->choices[at]);
        return true;
    case TARN_TEXT:
    case TARN_FILE: return ui_text_input(label, x->text, TARN_NAME_BYTES);
    case TARN_NUMBER: return edit_number(label, p, &x->number[0]);
    default: return ui_number(label, x->number, numbers(p->type), p->unit);
    }
}

// "rain rate" instead of "emitters[1].rate", which stays its name.
static void label_of(const struct sim_param *p, char *text, size_t size)
{
    const tarn_kind *kind;
    for (int k = 0; (kind = tarn_kind_at("emitter", k)) != NULL; ++k)
        if (p->param >= kind->params && p->param < kind->params + kind->param_count) {
            snprintf(text, size, "%s %s##%s", kind->name, p->param->name, p->path);
            return;
        }
    snprintf(text, size, "%s", p->path);
}

// What may change while running is set at once; the rest changes the scene and begins anew.
static void params_section(struct viewer *v, bool live)
{
    char error[SIM_MESSAGE_BYTES], help[400], label[200];
    for (int k = 0; k < v->param_count; ++k) {
        struct sim_param *p = &v->params[k];
        tarn_value x = p->value;
        if (!(p->param->flags & TARN_LIVE) == live) continue;
        if (p->param->type == TARN_NUMBER && isnan(x.number[0])) continue; // not given, and not wanted here
        label_of(p, label, sizeof label);
        const bool changed = edit_value(label, p->param, &x);
        snprintf(help, sizeof help, "%s%s%s%s\n%s", p->param->help, p->param->unit[0] ? " [" : "",
                 p->param->unit, p->param->unit[0] ? "]" : "",
                 live ? "changes at once" : "changing it begins the scene anew");
        ui_help(help);
        if (!changed) continue;
        x.type = p->param->type == TARN_CHOICE || p->param->type == TARN_TEXT ? x.type : p->param->type;
        if (live) {
            viewer_set_param(v, p->path, x);
        } else if (!sim_set_scene_param(v->sim, p->path, x, error)) {
            viewer_message(v, "%s", error);
        }
    }
}

// ---- numbers --------------------------------------------------------------------------------------

static void graphs_section(struct viewer *v)
{
    static const struct {
        const char *label, *unit;
    } graphs[SIM_HISTORIES] = {{"step time", "ms"},
                               {"volume drift", "m^3"},
                               {"energy", "J"},
                               {"momentum", "kg m/s"},
                               {"Courant number", ""}};
    float values[SIM_SAMPLES];
    char now[48];
    snprintf(now, sizeof now, "%.1f ms", v->frame_ms);
    ui_graph("frame time", v->frame_times, v->frame_count,
             v->frame_count < VIEWER_FRAME_TIMES ? 0 : v->frame_next, now);
    for (int k = 0; k < SIM_HISTORIES; ++k) {
        int count;
        const int first = sim_get_history(v->sim, k, values, &count);
        const float last = count ? values[(first + count - 1) % SIM_SAMPLES] : 0.0f;
        snprintf(now, sizeof now, "%.4g %s", (double)last, graphs[k].unit);
        ui_graph(graphs[k].label, values, count, first, now);
    }
}

// Three digits, without a power of ten where there is room for all of it.
static void cell(double x)
{
    char text[32];
    snprintf(text, sizeof text, fabs(x) >= 999.5 && fabs(x) < 1e6 ? "%.0f" : "%.3g", x);
    ui_cell(text);
}

static double force(tarn_vec3 f) { return sqrt(f.x * f.x + f.y * f.y + f.z * f.z); }

static void bodies_section(struct viewer *v)
{
    static const char *const heads[] = {"body", "mass\nkg", "wet\nm\u00b3", "wet\n%", "force\nN"};
    const int rows = v->body_count < 9 ? v->body_count : 9;
    if (v->body_count == 0) {
        ui_text_dim("There are none.");
        return;
    }
    if (!ui_table("bodies", heads, 5, v->ui_scale * (42.0f + 20.0f * (float)rows))) return;
    for (int k = 0; k < v->body_count; ++k) {
        const struct sim_body *b = &v->bodies[k];
        const tarn_frame_body *f = NULL;
        for (int i = 0; i < v->frame_body_count && !f; ++i)
            if (v->frame_bodies[i].id.index == b->id.index) f = &v->frame_bodies[i];
        ui_cell(b->name);
        cell(b->mass);
        cell(f ? f->load.submerged_volume : 0.0);
        cell(f ? 100.0 * f->load.submerged_fraction : 0.0);
        cell(f ? force(f->load.force) : 0.0);
    }
    ui_table_end();
}

static void files_section(struct viewer *v)
{
    const float half = (ui_width() - 8.0f) / 2.0f;
    if (ui_button("Screenshot", half)) v->screenshot_requested = true;
    ui_same_line(8);
    if (ui_button(v->recording_video ? "End video" : "Record video", half)) capture_toggle_video(v);
    if (ui_button("Save scene", half)) keys_press(v, GLFW_KEY_S, GLFW_MOD_CONTROL);
    ui_same_line(8);
    if (ui_button("Save recording", half)) keys_press(v, GLFW_KEY_R, GLFW_MOD_CONTROL);
    ui_help("what was done since the beginning, for `tarn replay`");
    if (ui_button("Save checkpoint", half)) keys_press(v, GLFW_KEY_F5, 0);
    ui_same_line(8);
    if (ui_button("Load checkpoint", half)) keys_press(v, GLFW_KEY_F9, 0);
}

int panel_width(const struct viewer *v)
{
    const int most = v->window_size[0] / 2, wish = (int)(340.0f * v->ui_scale);
    return most < wish ? most : wish;
}

static bool is_dry(const struct viewer *v) { return strcmp(v->status.scene.model, "none") == 0; }

// Docked, so that it hides nothing.
void panel_draw(struct viewer *v)
{
    const float wide = (float)panel_width(v);
    char text[160];
    if (!v->show_panel) return;
    if (ui_begin_window("panel", UI_PAGE, (float)v->window_size[0] - wide, 0, wide, (float)v->window_size[1],
                        NULL)) {
        snprintf(text, sizeof text, "%s", v->status.scene.name[0] ? v->status.scene.name : v->name);
        ui_heading(text);
        run_section(v);
        ui_spacing();
        if (!is_dry(v) && ui_section("Touch", true)) touch_section(v);
        if (ui_section("Put in", !v->planar)) make_section(v);
        if (ui_section("Show", v->planar)) show_section(v);
        if (ui_section("While running", true)) params_section(v, true);
        if (ui_section("From the beginning", false)) params_section(v, false);
        if (ui_section("Bodies", false)) bodies_section(v);
        if (ui_section("Graphs", false)) graphs_section(v);
        if (ui_section("Files", false)) files_section(v);
        ui_spacing();
        ui_text_dim("F1: keys   F2: without this panel");
    }
    ui_end_window();
}
