// The panel at the right of the window. Its widgets for parameters are generated from the parameter lists of
// the library (tarn/param.h). Called by the frame loop in main.c.
#include "../viewer.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <math.h>
#include <string.h>

static void draw_run_section(struct viewer *v)
{
    const struct sim_status *status = &v->status;
    char text[160];
    const float third = (ui_width() - 16.0f) / 3.0f;
    if (ui_button(status->paused ? "Resume" : "Pause", third)) sim_pause(v->sim, !status->paused);
    ui_same_line(8);
    if (ui_button("Step", third)) {
        sim_pause(v->sim, true);
        sim_single_step(v->sim);
    }
    ui_same_line(8);
    if (ui_button("Reset", third)) keys_press(v, GLFW_KEY_BACKSPACE, 0);
    double speed = status->speed;
    if (ui_slider("speed", &speed, 1.0 / 16.0, 16.0, "x", UI_LOG)) sim_set_speed(v->sim, speed);
    ui_help("ratio of simulated to real time");
    snprintf(text, sizeof text, "step %llu, %d x %d cells, %.2f x real time",
             (unsigned long long)status->world.steps, status->world.cells[0], status->world.cells[1],
             status->rate);
    ui_text_dim(text);
    if (status->stopped) ui_text_warning(status->error);
}

static void draw_shape_buttons(struct viewer *v)
{
    const float w = (ui_width() - 24.0f) / 4.0f;
    int shown = 0;
    for (int k = 0; spawn_shape_name(k); ++k) {
        if (!spawn_shape_is_available(k, v->planar)) continue;
        if (shown++ % 4) ui_same_line(8);
        if (ui_selectable(spawn_shape_name(k), v->placing && v->spawn_shape == k, w)) {
            v->placing = !(v->placing && v->spawn_shape == k);
            v->spawn_shape = k;
        }
        ui_help("select, then click where to place the body");
    }
}

static void draw_add_body_section(struct viewer *v)
{
    draw_shape_buttons(v);
    ui_slider("size", &v->spawn_size, 0.02 * v->camera.extent, 0.25 * v->camera.extent, "m", UI_LOG);
    ui_slider("density", &v->spawn_density, 10, 8000, "kg/m^3", UI_LOG);
    ui_help("water has 1000 kg/m^3; lighter bodies float");
}

static void draw_flow_buttons(struct viewer *v)
{
    const float third = (ui_width() - 16.0f) / 3.0f;
    if (ui_button("Random dye", third)) flow_add_random_dye(v, 0);
    ui_help("add dye and heat at random places");
    ui_same_line(8);
    if (ui_button("Velocity", third)) flow_toggle_view(v, 1);
    ui_help("show the velocity; again: the dye");
    ui_same_line(8);
    if (ui_button("Temperature", third)) flow_toggle_view(v, 0);
    ui_help("show the temperature; again: the dye");
}

static void draw_brush_section(struct viewer *v)
{
    const char *labels[BRUSH_COUNT + 1] = {0};
    int brush = (int)v->brush;
    ui_slider("radius", &v->brush_radius, 0.01 * v->camera.extent, 0.2 * v->camera.extent, "m", UI_LOG);
    ui_help(v->planar ? "radius for stirring, painting and heating"
                      : "radius for poking (click), stirring (drag) and changing the bed");
    if (v->planar) {
        draw_flow_buttons(v);
        return;
    }
    for (int k = 0; k < BRUSH_COUNT; ++k) labels[k] = strchr(brush_label((enum brush)k), ':') + 2;
    if (can_sculpt_bed(v) && ui_choice("left button", &brush, labels)) v->brush = (enum brush)brush;
    bool rain = emitter_is_on(v, "rain"), waves = emitter_is_on(v, "wavemaker");
    if (ui_checkbox("rain", &rain)) emitter_toggle(v, "rain");
    ui_same_line(24);
    if (ui_checkbox("wave maker", &waves)) emitter_toggle(v, "wavemaker");
}

static void draw_view_section(struct viewer *v)
{
    const char *names[64] = {0};
    int count = 0, index = 0, mode = v->camera.mode;
    const char *modes[CAMERA_MODES + 1] = {0};
    for (int k = 0; draw_view_name(k) && count < 63; ++k) {
        if (!view_is_available(v, draw_view_name(k))) continue;
        if (strcmp(draw_view_name(k), v->view.name) == 0) index = count;
        names[count++] = draw_view_name(k);
    }
    if (ui_choice("view", &index, names)) set_view(v, names[index]);
    for (int k = 0; k < CAMERA_MODES; ++k) modes[k] = camera_mode_name((enum camera_mode)k);
    if (!v->planar && ui_choice("camera", &mode, modes)) camera_set_mode(&v->camera, (enum camera_mode)mode);
    if (is_field_view(v)) {
        ui_checkbox("arrows", &v->view.arrows);
        ui_help("velocity arrows");
        ui_same_line(24);
        ui_checkbox("streamlines", &v->view.streamlines);
    }
    ui_checkbox("force arrows", &v->show_arrows);
    if (v->planar) return;
    ui_same_line(24);
    ui_checkbox("waterlines", &v->show_waterlines);
}

// ---- parameters -----------------------------------------------------------------------------------

// A slider for ranges up to 1000, an input field for larger ones.
static bool edit_number(const char *label, const tarn_param *p, double *x)
{
    const double min = p->min, max = p->max;
    const unsigned flags =
        (min >= 0.0 && max > 50.0 ? UI_LOG : 0) | (p->flags & TARN_PARAM_LIVE ? 0 : UI_ON_RELEASE);
    return max - min <= 1000.0 && isfinite(*x) ? ui_slider(label, x, min, max, p->unit, flags)
                                               : ui_number(label, x, 1, p->unit);
}

static int component_count(tarn_param_type type)
{
    return type == TARN_PARAM_VEC2 || type == TARN_PARAM_INT2   ? 2
           : type == TARN_PARAM_VEC3 || type == TARN_PARAM_INT3 ? 3
           : type == TARN_PARAM_QUAT                            ? 4
                                                                : 1;
}

static bool edit_value(const char *label, const tarn_param *p, tarn_value *x)
{
    bool on = x->number[0] != 0.0;
    int index = 0;
    switch (p->type) {
    case TARN_PARAM_FLAG:
        if (!ui_checkbox(label, &on)) return false;
        *x = tarn_value_flag(on);
        return true;
    case TARN_PARAM_CHOICE:
        while (p->choices[index] && strcmp(p->choices[index], x->text) != 0) ++index;
        if (!ui_choice(label, &index, p->choices)) return false;
        *x = tarn_value_text(p->choices[index]);
        return true;
    case TARN_PARAM_TEXT:
    case TARN_PARAM_BITS:
    case TARN_PARAM_FILE: return ui_text_input(label, x->text, TARN_NAME_BYTES);
    case TARN_PARAM_NUMBER: return edit_number(label, p, &x->number[0]);
    default: return ui_number(label, x->number, component_count(p->type), p->unit);
    }
}

// Emitter parameters are shown as "rain rate"; the path "emitters[1].rate" remains the identifier.
static void param_label(const struct sim_param *p, char *text, size_t size)
{
    const tarn_kind *kind;
    for (int k = 0; (kind = tarn_kind_at("emitter", k)) != NULL; ++k)
        if (p->param >= kind->params && p->param < kind->params + kind->param_count) {
            snprintf(text, size, "%s %s##%s", kind->name, p->param->name, p->path);
            return;
        }
    snprintf(text, size, "%s", p->path);
}

// Live parameters are set at once; the others change the scene and restart it.
static void draw_params_section(struct viewer *v, bool live)
{
    char error[SIM_MESSAGE_BYTES], help[400], label[200];
    for (int k = 0; k < v->param_count; ++k) {
        struct sim_param *p = &v->params[k];
        tarn_value x = p->value;
        if (!(p->param->flags & TARN_PARAM_LIVE) == live) continue;
        if (p->param->type == TARN_PARAM_NUMBER && isnan(x.number[0])) continue; // optional and not set
        param_label(p, label, sizeof label);
        const bool changed = edit_value(label, p->param, &x);
        snprintf(help, sizeof help, "%s%s%s%s\n%s", p->param->help, p->param->unit[0] ? " [" : "",
                 p->param->unit, p->param->unit[0] ? "]" : "",
                 live ? "takes effect at once" : "a change restarts the scene");
        ui_help(help);
        if (!changed) continue;
        x.type = p->param->type == TARN_PARAM_CHOICE || p->param->type == TARN_PARAM_TEXT ||
                         p->param->type == TARN_PARAM_BITS
                     ? x.type
                     : p->param->type;
        if (live) {
            viewer_set_param(v, p->path, x);
        } else if (!sim_set_scene_param(v->sim, p->path, x, error)) {
            viewer_message(v, "%s", error);
        }
    }
}

// ---- numbers --------------------------------------------------------------------------------------

static void draw_graphs_section(struct viewer *v)
{
    static const struct {
        const char *label, *unit;
    } graphs[SIM_HISTORIES] = {{"step time", "ms"},
                               {"volume drift", "m^3"},
                               {"energy", "J"},
                               {"momentum", "kg m/s"},
                               {"Courant number", ""}};
    float values[SIM_SAMPLES];
    char current[48];
    snprintf(current, sizeof current, "%.1f ms", v->frame_ms);
    ui_graph("frame time", v->frame_times, v->frame_count,
             v->frame_count < VIEWER_FRAME_TIMES ? 0 : v->frame_next, current);
    for (int k = 0; k < SIM_HISTORIES; ++k) {
        int count;
        const int first = sim_get_history(v->sim, k, values, &count);
        const float last = count ? values[(first + count - 1) % SIM_SAMPLES] : 0.0f;
        snprintf(current, sizeof current, "%.4g %s", (double)last, graphs[k].unit);
        ui_graph(graphs[k].label, values, count, first, current);
    }
}

// Three significant digits; no exponent below a million.
static void draw_number_cell(double x)
{
    char text[32];
    snprintf(text, sizeof text, fabs(x) >= 999.5 && fabs(x) < 1e6 ? "%.0f" : "%.3g", x);
    ui_cell(text);
}

static double length(tarn_vec3 f) { return sqrt(f.x * f.x + f.y * f.y + f.z * f.z); }

static void draw_bodies_section(struct viewer *v)
{
    static const char *const headings[] = {"body", "mass\nkg", "wet\nm\u00b3", "wet\n%", "force\nN"};
    const int rows = v->body_count < 9 ? v->body_count : 9;
    if (v->body_count == 0) {
        ui_text_dim("none");
        return;
    }
    if (!ui_table("bodies", headings, 5, v->ui_scale * (42.0f + 20.0f * (float)rows))) return;
    for (int k = 0; k < v->body_count; ++k) {
        const struct sim_body *b = &v->bodies[k];
        const tarn_frame_body *f = NULL;
        for (int i = 0; i < v->frame_body_count && !f; ++i)
            if ((uint32_t)v->frame_bodies[i].id.value == (uint32_t)b->id.value) f = &v->frame_bodies[i];
        ui_cell(b->name);
        draw_number_cell(b->mass);
        draw_number_cell(f ? f->load.submerged_volume : 0.0);
        draw_number_cell(f ? 100.0 * f->load.submerged_fraction : 0.0);
        draw_number_cell(f ? length(f->load.force) : 0.0);
    }
    ui_table_end();
}

static void draw_files_section(struct viewer *v)
{
    const float half = (ui_width() - 8.0f) / 2.0f;
    if (ui_button("Screenshot", half)) v->screenshot_requested = true;
    ui_same_line(8);
    if (ui_button(v->recording_video ? "Stop video" : "Record video", half)) capture_toggle_video(v);
    if (ui_button("Save scene", half)) keys_press(v, GLFW_KEY_S, GLFW_MOD_CONTROL);
    ui_same_line(8);
    if (ui_button("Save recording", half)) keys_press(v, GLFW_KEY_R, GLFW_MOD_CONTROL);
    ui_help("all commands since the start, for `tarn replay`");
    if (ui_button("Save checkpoint", half)) keys_press(v, GLFW_KEY_F5, 0);
    ui_same_line(8);
    if (ui_button("Load checkpoint", half)) keys_press(v, GLFW_KEY_F9, 0);
}

int panel_width(const struct viewer *v)
{
    const int max_width = v->window_size[0] / 2, width = (int)(340.0f * v->ui_scale);
    return max_width < width ? max_width : width;
}

static bool has_no_fluid(const struct viewer *v) { return viewer_model_flags(v) & TARN_MODEL_NO_FLUID; }

// The panel is docked: the viewport ends at its left edge.
void panel_draw(struct viewer *v)
{
    const float width = (float)panel_width(v);
    char text[160];
    if (!v->show_panel) return;
    if (ui_begin_window("panel", UI_PAGE, (float)v->window_size[0] - width, 0, width,
                        (float)v->window_size[1], NULL)) {
        snprintf(text, sizeof text, "%s", v->status.scene.name[0] ? v->status.scene.name : v->name);
        ui_heading(text);
        draw_run_section(v);
        ui_spacing();
        if (!has_no_fluid(v) && ui_section("Brush", true)) draw_brush_section(v);
        if (ui_section("Add body", !v->planar)) draw_add_body_section(v);
        if (ui_section("View", v->planar)) draw_view_section(v);
        if (ui_section("Live parameters", true)) draw_params_section(v, true);
        if (ui_section("Scene parameters (restarts)", false)) draw_params_section(v, false);
        if (ui_section("Bodies", false)) draw_bodies_section(v);
        if (ui_section("Graphs", false)) draw_graphs_section(v);
        if (ui_section("Files", false)) draw_files_section(v);
        ui_spacing();
        ui_text_dim("F1: keys   F2: hide this panel");
    }
    ui_end_window();
}
