// The overlay of the viewport: force arrows, waterlines, the grab spring, the brush circle, messages and the
// list of keys. Called by the frame loop in main.c.
#include "../input/raycast.h"
#include "../viewer.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#define RGBA(r, g, b, a) ((unsigned)(a) << 24 | (unsigned)(b) << 16 | (unsigned)(g) << 8 | (unsigned)(r))

static bool project(const struct viewer *v, tarn_vec3 p, double xy[2])
{
    return viewer_project(v, p, &xy[0], &xy[1]);
}

// [pixels] y of the text lines at the top and at the bottom, counted from the edge inwards.
static double top_line(const struct viewer *v, int line)
{
    return (14.0 + 32.0 * line) * (double)v->ui_scale;
}
static double bottom_line(const struct viewer *v, int line)
{
    return v->height - (34.0 + 32.0 * line) * (double)v->ui_scale;
}

// A force equal to the weight has an arrow of 1.2 body radii. Arrows end at three times that, because impacts
// have very large forces for a short time.
static void draw_force(const struct viewer *v, const struct sim_body *b, tarn_vec3 start, tarn_vec3 f,
                       unsigned colour)
{
    const double weights = sqrt(f.x * f.x + f.y * f.y + f.z * f.z) / (b->mass * 9.81);
    const double scale = 1.2 * b->radius / (b->mass * 9.81) * fmin(1.0, 3.0 / fmax(weights, 1e-9));
    double p[2], q[2];
    if (project(v, start, p) &&
        project(v, (tarn_vec3){start.x + scale * f.x, start.y + scale * f.y, start.z + scale * f.z}, q))
        ui_arrow(p[0], p[1], q[0], q[1], colour);
}

static const struct sim_body *find_body(const struct viewer *v, tarn_body_id id)
{
    for (int k = 0; k < v->body_count; ++k)
        if (v->bodies[k].id.value == id.value) return &v->bodies[k];
    return NULL;
}

static void draw_arrows(const struct viewer *v, const tarn_frame *f)
{
    for (int k = 0; k < f->body_count; ++k) {
        const tarn_frame_body *body = &f->bodies[k];
        const struct sim_body *b = find_body(v, body->id);
        if (!b || !(b->mass > 0.0)) continue;
        const tarn_vec3 position = body->state.position;
        draw_force(v, b, position, (tarn_vec3){0, -9.81 * b->mass, 0}, RGBA(230, 230, 230, 200));
        draw_force(v, b, position, body->load.buoyancy, RGBA(90, 200, 255, 230));
        draw_force(v, b, position, body->load.drag, RGBA(255, 150, 70, 230));
    }
    static const char legend[] = "white: weight   blue: buoyancy   orange: drag";
    ui_label_at(f->planar ? v->width - ui_text_width(legend) - 16.0 : 16.0, bottom_line(v, 0),
                RGBA(230, 230, 230, 255), legend);
}

static tarn_vec3 body_to_world(const tarn_body_state *m, const float *p)
{
    const tarn_quat q = m->rotation;
    const double x = (double)p[0], y = (double)p[1], z = (double)p[2];
    const double tx = 2.0 * (q.y * z - q.z * y), ty = 2.0 * (q.z * x - q.x * z),
                 tz = 2.0 * (q.x * y - q.y * x);
    return (tarn_vec3){m->position.x + x + q.w * tx + q.y * tz - q.z * ty,
                       m->position.y + y + q.w * ty + q.z * tx - q.x * tz,
                       m->position.z + z + q.w * tz + q.x * ty - q.y * tx};
}

// Draw the line in which a triangle intersects the water surface, linear between its corners.
static void draw_triangle_waterline(const struct viewer *v, const tarn_frame *f, const tarn_frame_body *body,
                                    int t)
{
    tarn_vec3 p[3], ends[2];
    double above[3], a[2], b[2];
    int count = 0;
    for (int k = 0; k < 3; ++k) {
        p[k] = body_to_world(&body->state, body->mesh->vertices + 3 * body->mesh->triangles[3 * t + k]);
        above[k] = p[k].y - surface_height_at(f, p[k].x, p[k].z);
    }
    for (int k = 0; k < 3 && count < 2; ++k) {
        const int n = (k + 1) % 3;
        if (!((above[k] > 0.0) != (above[n] > 0.0))) continue;
        const double s = above[k] / (above[k] - above[n]);
        ends[count++] = (tarn_vec3){p[k].x + s * (p[n].x - p[k].x), p[k].y + s * (p[n].y - p[k].y),
                                    p[k].z + s * (p[n].z - p[k].z)};
    }
    if (count == 2 && project(v, ends[0], a) && project(v, ends[1], b))
        ui_line_at(a[0], a[1], b[0], b[1], RGBA(255, 240, 120, 230), 2.0);
}

static void draw_waterlines(const struct viewer *v, const tarn_frame *f)
{
    enum { MAX_TRIANGLES = 20000 }; // per body; the waterlines of larger meshes would slow down the window
    for (int k = 0; k < f->body_count; ++k) {
        const tarn_frame_body *body = &f->bodies[k];
        if (!body->mesh || body->mesh->triangle_count > MAX_TRIANGLES ||
            !(body->load.submerged_fraction > 0.0))
            continue;
        for (int t = 0; t < body->mesh->triangle_count; ++t) draw_triangle_waterline(v, f, body, t);
    }
}

static void draw_grab_spring(const struct viewer *v, const tarn_frame *f)
{
    double p[2], q[2];
    if (v->mouse_mode != MOUSE_GRAB || !project(v, v->grab_point, p)) return;
    for (int k = 0; k < f->body_count; ++k)
        if ((uint32_t)f->bodies[k].id.value == (uint32_t)v->selected.value &&
            project(v, f->bodies[k].state.position, q))
            ui_line_at(p[0], p[1], q[0], q[1], RGBA(255, 255, 255, 120), 1.5);
    ui_dot(p[0], p[1], 5.0, RGBA(255, 255, 255, 220));
}

// The circle of the brush, in the planar model and while the brush changes the bed.
static void draw_brush_circle(const struct viewer *v, const tarn_frame *f)
{
    enum { SEGMENTS = 48 };
    tarn_vec3 centre;
    double start[2], end[2];
    bool has_start = false;
    if (!(f->planar || v->brush != BRUSH_POKE) || v->placing || v->mouse_mode == MOUSE_GRAB ||
        !mouse_point_on_fluid(v, f, &centre))
        return;
    for (int k = 0; k <= SEGMENTS; ++k, start[0] = end[0], start[1] = end[1]) {
        const double angle = 6.283185307179586 * k / SEGMENTS;
        const double x = centre.x + v->brush_radius * cos(angle), offset = v->brush_radius * sin(angle);
        const double height = f->planar ? centre.y + offset : surface_height_at(f, x, centre.z + offset);
        const bool has_end =
            isfinite(height) && project(v, (tarn_vec3){x, height, f->planar ? 0.0 : centre.z + offset}, end);
        if (has_end && has_start) { // a dark and a light line, visible on any background
            ui_line_at(start[0], start[1], end[0], end[1], RGBA(0, 0, 0, 70), 4.0);
            ui_line_at(start[0], start[1], end[0], end[1], RGBA(255, 255, 255, 170), 1.5);
        }
        has_start = has_end;
    }
}

void overlay_draw(struct viewer *v, const tarn_frame *f)
{
    const bool is_plan = is_field_view(v) && !f->planar; // a plot seen from above cannot show vertical forces
    if (v->show_arrows && !is_plan) draw_arrows(v, f);
    if (v->show_waterlines && !is_field_view(v)) draw_waterlines(v, f);
    draw_brush_circle(v, f);
    draw_grab_spring(v, f);
}

void viewer_message(struct viewer *v, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(v->message, sizeof v->message, format, args);
    va_end(args);
    v->message_until = v->clock + 4.0;
}

static void draw_status_line(struct viewer *v)
{
    char text[256];
    const double y = is_field_view(v) ? bottom_line(v, 0) : top_line(v, 0); // a plot has its title at the top
    const struct sim_status *status = &v->status;
    snprintf(text, sizeof text, "%s   %.2f s%s%s   %s", v->name, status->world.time,
             status->paused ? "   paused" : "", v->recording_video ? "   recording" : "",
             strcmp(v->view.name, draw_view_name(0)) == 0 ? camera_mode_name(v->camera.mode) : v->view.name);
    ui_label_at(16, y, RGBA(230, 235, 238, 255), text);
    if (status->speed != 1.0) {
        const double x = 16 + ui_text_width(text) + 24;
        snprintf(text, sizeof text, "speed %g", status->speed);
        ui_label_at(x, y, RGBA(160, 215, 235, 255), text);
    }
}

static void append_key(char *text, size_t size, const char *separator, const struct key *key)
{
    char name[32];
    strncat(text, separator, size - strlen(text) - 1);
    strncat(text, key_text(key, name, sizeof name), size - strlen(text) - 1);
}

// The keys of one line of the list: those with the same name ("P, Space") and following keys without a help
// text ("W, A, S, D", "1 .. 9"). Keys of other modes give an empty text. @return the first key of the next
// line
static int format_key_line(int k, int modes, char *text, size_t size)
{
    int next = k + 1;
    text[0] = '\0';
    if (!(key_at(k)->modes & modes)) return next;
    key_text(key_at(k), text, size);
    for (; key_at(next) && strcmp(key_at(next)->name, key_at(k)->name) == 0; ++next)
        if (key_at(next)->modes & modes) append_key(text, size, ", ", key_at(next));
    const bool numbers = text[0] == '1';
    for (; key_at(next) && !key_at(next)->help[0]; ++next) {
        const bool last = !key_at(next + 1) || key_at(next + 1)->help[0];
        if (!numbers || last) append_key(text, size, numbers ? " .. " : ", ", key_at(next));
    }
    return next;
}

static const char *mouse_help(const struct viewer *v)
{
    if (v->planar && !v->show_gallery)
        return "Left button: grab and pull a body, or stir. Right: paint dye. Middle: heat, with Shift cool. "
               "Wheel: brush radius.";
    return "Left button: grab and throw a body, poke and stir the water, elsewhere turn the camera. "
           "Right: turn the camera. Middle, or Shift and right: move the camera. Wheel: zoom.";
}

static void draw_keys(struct viewer *v)
{
    static const char *const headings[] = {"key", "action", "key ", "action "};
    const float available = (float)(v->show_gallery ? v->window_size[0] : v->width);
    const float w = fminf(900.0f * v->ui_scale, available - 20.0f);
    const int modes = key_visible_modes(v), columns = w > 700.0f * v->ui_scale ? 4 : 2;
    int lines = 0;
    char text[64];
    for (int k = 0; key_at(k); lines += text[0] != '\0') k = format_key_line(k, modes, text, sizeof text);
    const float full_height = (130.0f + 19.0f * (float)((2 * lines + columns - 1) / columns)) * v->ui_scale;
    const float y = 48.0f * v->ui_scale, h = fminf(full_height, (float)v->height - y - 12.0f);
    if (ui_begin_window("Keys", UI_PANEL, 0.5f * (available - w), y, w, h, &v->show_keys)) {
        ui_text_dim(mouse_help(v));
        ui_spacing();
        if (ui_table("keys", headings, columns, 0)) {
            for (int k = 0, next; key_at(k); k = next) {
                next = format_key_line(k, modes, text, sizeof text);
                if (text[0]) ui_cell(text), ui_cell_wrapped(key_at(k)->help);
            }
            ui_table_end();
        }
    }
    ui_end_window();
}

void overlay_message(struct viewer *v)
{
    const bool is_plot = !v->show_gallery && is_field_view(v);
    const double next_line = is_plot ? bottom_line(v, 1) : top_line(v, 1); // next to the status line
    if (!v->show_gallery) draw_status_line(v);
    if (!v->show_gallery && v->placing)
        ui_label_at(16, next_line, RGBA(255, 215, 130, 255), "click where to place the body; Esc cancels");
    else if (!v->show_gallery && v->brush != BRUSH_POKE)
        ui_label_at(16, next_line, RGBA(255, 215, 130, 255), brush_label(v->brush));
    if (v->message[0] && v->clock < v->message_until)
        ui_label_at(16, bottom_line(v, is_plot ? 2 : v->show_arrows), RGBA(255, 235, 190, 255), v->message);
    if (v->show_keys) draw_keys(v);
}
