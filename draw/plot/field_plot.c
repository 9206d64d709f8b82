// The pass that plots a field of the frame in colours, seen from above (a planar frame from the front): x to
// the right, z (or y) up, equal scales. Axes, a colour bar, velocity lines and the outlines of the bodies are
// added.
#include "axis_ticks.h"
#include "colormap.h"
#include "draw/gl.h"
#include "field_list.h"
#include "text.h"
#include "velocity_lines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char shader_field_vert[], shader_field_frag[], shader_flat_colour_vert[],
    shader_flat_colour_frag[];

// ---- layout ----

#define NOTHING 1e38f // replaces values that are not finite; drawn grey

static const float paper[3] = {0.976f, 0.978f, 0.980f}, ink[3] = {0.15f, 0.17f, 0.20f};
static const float line_colour[3] = {0.36f, 0.39f, 0.43f};

// A rectangle of pixels; x, y is the upper left corner
struct area {
    int x, y, w, h;
};

// Range and ticks of an axis
struct axis {
    double lo, hi, step, ticks[MAX_TICKS];
    int count, widest; // [pixels] width of the widest number
};

struct sheet {
    int scale;                // of text and lines
    bool plain;               // too small for axes: only the field is drawn
    struct area picture, bar; // the field and the colour bar
    struct area wheel;        // legend of directions; empty: none
    const char *upright;      // name of the vertical axis
    struct axis x, z, value;
};

struct field_pass {
    struct gl_program_pair image_programs;
    GLuint outline_program, values, colours, open, array, corners, numbers;
    struct text *text;
    float (*cells)[2]; // values to be coloured
    float *amounts;    // values for the automatic range
    int capacity;
    struct triangle_list velocity_lines;
    struct area shown; // the field in the last image
};

static void axis_fill(struct axis *a, double lo, double hi, int wanted, int scale)
{
    a->lo = lo;
    a->hi = hi;
    a->widest = 0;
    a->count = axis_ticks(lo, hi, wanted, a->ticks, &a->step);
    for (int k = 0; k < a->count; ++k) {
        char number[32];
        format_tick(a->ticks[k], a->step, number);
        a->widest = text_width(number, scale) > a->widest ? text_width(number, scale) : a->widest;
    }
}

static int at_least(int n, int least) { return n > least ? n : least; }
static int at_most(int n, int most) { return n < most ? n : most; }

// Find the largest rectangle with the proportions of the frame that axes and colour bar leave free, and
// centre it.
static void place(struct sheet *t, const struct draw_frame_state *s, const struct field *field, double lo,
                  double hi)
{
    const tarn_frame *f = s->frame;
    const double wide = f->nx * f->cell_size, tall = f->nz * f->cell_size, x0 = f->x0 - 0.5 * f->cell_size,
                 z0 = f->z0 - 0.5 * f->cell_size;
    const int u = at_least(at_most(s->height, s->width) / 350, 1), margin = 12 * u;
    int left, right, top, bottom, room_w, room_h, total;

    *t = (struct sheet){.scale = u, .upright = f->planar ? "y [m]" : "z [m]"};
    t->plain = s->width < 200 || s->height < 150;
    axis_fill(&t->x, x0, x0 + wide, 6, u);
    axis_fill(&t->z, z0, z0 + tall, 6, u);
    axis_fill(&t->value, lo, hi, 5, u);
    if (t->value.count < 4) axis_fill(&t->value, lo, hi, 8, u);
    left = t->plain ? 0 : text_width(t->upright, u) + 8 * u + t->z.widest + 7 * u;
    // Reserve the width of typical numbers, so that the field does not move when the range changes.
    right = t->plain ? 0 : (16 + 12 + 7) * u + at_least(t->value.widest, text_width("-0.0000", u));
    top = t->plain ? 0 : margin + (TEXT_CAP_HEIGHT + 8) * u;
    bottom = t->plain ? 0 : margin + (7 + TEXT_LINE + 4 + TEXT_CAP_HEIGHT) * u;
    room_w = at_least(s->width - left - right - (t->plain ? 0 : 2 * margin), 1);
    room_h = at_least(s->height - top - bottom, 1);

    const double pixel = fmin(room_w / wide, room_h / tall);
    t->picture.w = at_least((int)lrint(wide * pixel), 1);
    t->picture.h = at_least((int)lrint(tall * pixel), 1);
    total = left + t->picture.w + right;
    t->picture.x = (s->width - total) / 2 + left;
    t->picture.y = top + (room_h - t->picture.h) / 2;
    // The bar is at least 120 units tall, so that its numbers fit.
    t->bar.w = 12 * u;
    t->bar.h = at_most(room_h, at_least(t->picture.h, 120 * u));
    t->bar.x = t->picture.x + t->picture.w + 16 * u;
    t->bar.y = t->picture.y + (t->picture.h - t->bar.h) / 2;
    if (field->colouring == COLOUR_BY_DIRECTION &&
        t->bar.h > 100 * u) { // a legend of directions below a shorter bar
        t->bar.h -= 50 * u;
        t->wheel = (struct area){t->bar.x + 4 * u, t->bar.y + t->bar.h + 20 * u, 26 * u, 26 * u};
    }
    // Fewer ticks along short sides
    axis_fill(&t->x, t->x.lo, t->x.hi, at_most(8, t->picture.w / (t->x.widest + 24 * u)), u);
    axis_fill(&t->z, t->z.lo, t->z.hi, at_most(6, t->picture.h / (28 * u)), u);
}

// ---- drawing ----

// Fill a rectangle of pixels with a colour.
static void fill(const struct draw_frame_state *s, struct area a, const float rgb[3])
{
    glEnable(GL_SCISSOR_TEST);
    glScissor(a.x, s->height - a.y - a.h, at_least(a.w, 0), at_least(a.h, 0));
    glClearColor(rgb[0], rgb[1], rgb[2], 1.0f);
    glClear(GL_COLOR_BUFFER_BIT);
    glDisable(GL_SCISSOR_TEST);
}

// Draw a frame around a rectangle.
static void fill_frame(const struct draw_frame_state *s, struct area a, int w)
{
    fill(s, (struct area){a.x - w, a.y - w, a.w + 2 * w, w}, line_colour);
    fill(s, (struct area){a.x - w, a.y + a.h, a.w + 2 * w, w}, line_colour);
    fill(s, (struct area){a.x - w, a.y, w, a.h}, line_colour);
    fill(s, (struct area){a.x + a.w, a.y, w, a.h}, line_colour);
}

static void upload(struct field_pass *p, const struct field *field, const struct draw_frame_state *s)
{
    unsigned char rgb[256][3], rgba[256][4];

    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, p->values);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RG32F, s->frame->nx, s->frame->nz, 0, GL_RG, GL_FLOAT, p->cells);
    if (s->frame->open) {
        glBindTexture(GL_TEXTURE_2D, p->open);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_R32F, s->frame->nx, s->frame->nz, 0, GL_RED, GL_FLOAT,
                     s->frame->open);
    }
    if (!s->view->colormap[0] || !colormap_table(s->view->colormap, rgb))
        colormap_table(field->colormap, rgb);
    for (int i = 0; i < 256; ++i) {
        memcpy(rgba[i], rgb[i], 3);
        rgba[i][3] = 255;
    }
    glActiveTexture(GL_TEXTURE1);
    glBindTexture(GL_TEXTURE_2D, p->colours);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 256, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
}

// The elements that field_frag.glsl draws; it repeats the numbers.
enum part { PART_FIELD, PART_BAR, PART_WHEEL };

static void draw_image(struct field_pass *p, const struct draw_frame_state *s, const struct field *field,
                       struct area a, const struct axis *range, enum part part)
{
    const bool bar = part != PART_FIELD;
    const tarn_frame *f = s->frame;
    const GLuint program = p->image_programs.program[s->terrain && !bar ? TERRAIN_ON : TERRAIN_OFF];
    const int low = s->height - a.y - a.h,
              samples = (f->nx + a.w - 1) / a.w; // more than one if cells are smaller than pixels

    glUseProgram(program);
    if (s->terrain && !bar) {
        lighting_bind(program, s);
        gl_set_texture(program, "bed_texture", 2, s->bed_texture);
    }
    gl_set4f(program, "area", (const float[]){(float)a.x, (float)low, (float)a.w, (float)a.h});
    gl_set2f(program, "cells", (float)f->nx, (float)f->nz);
    gl_set2f(program, "range", (float)range->lo, (float)(1.0 / (range->hi - range->lo)));
    gl_set1i(program, "samples", at_most(at_least(samples, 1), 8));
    gl_set1i(program, "element", part);
    gl_set1i(program, "colouring", field->colouring);
    gl_set1i(program, "has_solids", f->open != NULL);
    gl_set1f(program, "line_width", (float)at_least(at_most(s->height, s->width) / 350, 1));
    gl_set_texture(program, "open_texture", 3, p->open);
    gl_set_texture(program, "values", 0, p->values);
    gl_set_texture(program, "colormap", 1, p->colours);
    glEnable(GL_SCISSOR_TEST);
    glScissor(a.x, low, a.w, a.h);
    glBindVertexArray(p->array);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glBindVertexArray(0);
    glDisable(GL_SCISSOR_TEST);
}

// Draw one body as a flat shape: eight shifted dark copies make the outline, then the shape itself.
static void draw_body(struct field_pass *p, const struct draw_frame_state *s, const struct sheet *t,
                      const tarn_frame_body *b)
{
    const GLuint program = p->outline_program;
    const struct area *a = &t->picture;
    const tarn_quat q = b->state.rotation;
    const double kx = 2.0 * a->w / (t->x.hi - t->x.lo) / s->width,
                 kz = 2.0 * a->h / (t->z.hi - t->z.lo) / s->height;
    const double cx = 2.0 * a->x / s->width - 1.0, cz = 1.0 - 2.0 * (a->y + a->h) / s->height;
    const float across[4] = {
        (float)(kx * (1.0 - 2.0 * (q.y * q.y + q.z * q.z))), (float)(kx * 2.0 * (q.x * q.y - q.w * q.z)),
        (float)(kx * 2.0 * (q.x * q.z + q.w * q.y)), (float)(cx + kx * (b->state.position.x - t->x.lo))};
    // The third row of the rotation matrix; the second for a planar frame.
    const double row[2][3] = {
        {2.0 * (q.x * q.z - q.w * q.y), 2.0 * (q.y * q.z + q.w * q.x), 1.0 - 2.0 * (q.x * q.x + q.y * q.y)},
        {2.0 * (q.x * q.y + q.w * q.z), 1.0 - 2.0 * (q.x * q.x + q.z * q.z), 2.0 * (q.y * q.z - q.w * q.x)}};
    const int flat = s->frame->planar ? 1 : 0;
    const double high = flat ? b->state.position.y : b->state.position.z;
    const float up[4] = {(float)(kz * row[flat][0]), (float)(kz * row[flat][1]), (float)(kz * row[flat][2]),
                         (float)(cz + kz * (high - t->z.lo))};
    const GLsizei count = 3 * b->mesh->triangle_count;
    const float edge = 1.25f * (float)t->scale;

    glBindBuffer(GL_ARRAY_BUFFER, p->corners);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)sizeof(float[3]) * b->mesh->vertex_count, b->mesh->vertices,
                 GL_STREAM_DRAW);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)sizeof(int) * count, b->mesh->triangles,
                 GL_STREAM_DRAW);
    gl_set4f(program, "clip_x", across);
    gl_set4f(program, "clip_y", up);
    gl_set2f(program, "offset", 2.0f * edge / (float)s->width, 2.0f * edge / (float)s->height);
    gl_set3f(program, "colour", 0.17f, 0.18f, 0.20f);
    glDrawElementsInstanced(GL_TRIANGLES, count, GL_UNSIGNED_INT, NULL, 8);
    gl_set2f(program, "offset", 0.0f, 0.0f);
    // Grey, since a body's colour could be mistaken for a value of the field; planar frames use the body's
    // colour.
    const float grey[3] = {0.60f, 0.61f, 0.62f},
                own[3] = {(float)b->colour.x, (float)b->colour.y, (float)b->colour.z};
    const float *fill = s->frame->planar ? own : grey;
    gl_set3f(program, "colour", fill[0], fill[1], fill[2]);
    glDrawElements(GL_TRIANGLES, count, GL_UNSIGNED_INT, NULL);
}

// Draw bodies in order of height, without a depth buffer.
static void draw_bodies(struct field_pass *p, const struct draw_frame_state *s, const struct sheet *t)
{
    const tarn_frame *f = s->frame;
    const struct area *a = &t->picture;
    double done = -INFINITY;

    glUseProgram(p->outline_program);
    glBindVertexArray(p->array);
    glBindBuffer(GL_ARRAY_BUFFER, p->corners);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, p->numbers);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, NULL);
    glEnable(GL_SCISSOR_TEST);
    glScissor(a->x, s->height - a->y - a->h, a->w, a->h);
    while (done < INFINITY) {
        double next = INFINITY;
        for (int k = 0; k < f->body_count; ++k) {
            const tarn_frame_body *b = &f->bodies[k];
            if (b->state.position.y == done && b->mesh) draw_body(p, s, t, b);
            if (b->state.position.y > done) next = fmin(next, b->state.position.y);
        }
        done = next;
    }
    glDisable(GL_SCISSOR_TEST);
    glDisableVertexAttribArray(0);
    glBindVertexArray(0);
}

static void draw_across(struct field_pass *p, const struct draw_frame_state *s, const struct sheet *t)
{
    const struct area *a = &t->picture;
    const int u = t->scale, low = a->y + a->h + u;
    const char *name = "x [m]";
    char number[32];
    int taken = -s->width; // numbers occupy the axis up to here

    for (int k = 0; k < t->x.count; ++k) {
        const int x = a->x + (int)lrint((t->x.ticks[k] - t->x.lo) / (t->x.hi - t->x.lo) * a->w);
        format_tick(t->x.ticks[k], t->x.step, number);
        fill(s, (struct area){x - u / 2, low, u, 3 * u}, line_colour);
        if (x - text_width(number, u) / 2 < taken + 4 * u) continue;
        text_draw(p->text, s, x - text_width(number, u) / 2, low + 6 * u, u, ink, number);
        taken = x + text_width(number, u) / 2;
    }
    text_draw(p->text, s, a->x + (a->w - text_width(name, u)) / 2, low + (6 + TEXT_LINE + 4) * u, u, ink,
              name);
}

// Ticks and numbers of a vertical axis: left of the field or right of the colour bar
static void draw_up(struct field_pass *p, const struct draw_frame_state *s, const struct sheet *t,
                    struct area a, const struct axis *axis, bool right)
{
    const int u = t->scale, edge = right ? a.x + a.w + u : a.x - u;
    char number[32];
    int taken = 2 * s->height; // numbers occupy the axis down to here

    for (int k = 0; k < axis->count; ++k) {
        const int y = a.y + a.h - (int)lrint((axis->ticks[k] - axis->lo) / (axis->hi - axis->lo) * a.h);
        const int x = right ? edge + 6 * u + axis->widest : edge - 6 * u;
        format_tick(axis->ticks[k], axis->step, number);
        fill(s, (struct area){right ? edge : edge - 3 * u, y - u / 2, 3 * u, u}, line_colour);
        if (y + TEXT_LINE * u > taken) continue;
        text_draw(p->text, s, x - text_width(number, u), y - TEXT_CAP_HEIGHT * u / 2, u, ink, number);
        taken = y;
    }
}

static void draw_labels(struct field_pass *p, const struct draw_frame_state *s, const struct sheet *t,
                        const struct field *field)
{
    const int u = t->scale, above = (TEXT_CAP_HEIGHT + 8) * u;
    const int z_x = t->picture.x - 15 * u - t->z.widest - text_width(t->upright, u);
    char title[192], unit[32];

    snprintf(title, sizeof title, "%.100s%s%s  t = %.2f s", s->view->title, s->view->title[0] ? ": " : "",
             field->name, s->frame->time);
    if (text_width(title, u) > t->bar.x - 14 * u) // no space for the whole title
        snprintf(title, sizeof title, "%s  t = %.2f s", field->name, s->frame->time);
    snprintf(unit, sizeof unit, "[%s]", field->unit);
    // Above a narrow field the title starts further left, so that it ends before the unit.
    text_draw(p->text, s, at_most(t->picture.x, t->bar.x - 14 * u - text_width(title, u)),
              t->picture.y - above, u, ink, title);
    text_draw(p->text, s, t->bar.x, t->bar.y - above, u, ink, unit);
    text_draw(p->text, s, z_x, t->picture.y + (t->picture.h - TEXT_CAP_HEIGHT * u) / 2, u, ink, t->upright);
}

static bool collect(struct field_pass *p, const struct field *field, const tarn_frame *f, int cells)
{
    if (cells > p->capacity) {
        free(p->cells);
        free(p->amounts);
        p->cells = malloc((size_t)cells * sizeof *p->cells);
        p->amounts = malloc((size_t)cells * sizeof *p->amounts);
        p->capacity = p->cells && p->amounts ? cells : 0;
        if (!p->capacity) return false;
    }
    if (field->available(f))
        field->sample(f, cells, p->cells);
    else
        memset(p->cells, 0, (size_t)cells * sizeof *p->cells);
    return true;
}

// Give dry cells values that continue those of the water, so that interpolated colours reach the shoreline.
static void fill_dry(const struct field *field, const struct draw_frame_state *s, float (*cells)[2])
{
    const struct terrain *t = s->terrain;

    for (int c = 0; t && c < t->nx * t->nz; ++c)
        if (!terrain_is_wet(t, c))
            cells[c][0] =
                field->range == RANGE_ABOUT_REST_LEVEL ? (float)(t->lowest_bed + t->surface[c]) : 0.0f;
}

// The values for the automatic range; dry and solid cells are NAN.
static void find_amounts(struct field_pass *p, const struct field *field, const struct draw_frame_state *s,
                         int cells)
{
    const float *open = s->frame->open;
    for (int c = 0; c < cells; ++c) {
        const float x = p->cells[c][0], z = p->cells[c][1];
        const bool none = (s->terrain && !terrain_is_wet(s->terrain, c)) || (open && !(open[c] > 0.0f));
        p->amounts[c] = none ? NAN : field->colouring == COLOUR_BY_DIRECTION ? sqrtf(x * x + z * z) : x;
    }
}

// Draw arrows or streamlines in dark lines with a pale outline, visible on all colour maps.
static void draw_velocity_lines(struct field_pass *p, const struct draw_frame_state *s, const struct sheet *t,
                                bool arrows)
{
    const GLuint program = p->outline_program;
    const struct area *a = &t->picture;
    const double pixel = (t->x.hi - t->x.lo) / a->w; // [m]
    const double kx = 2.0 / pixel / s->width, kz = 2.0 / pixel / s->height;
    const double cx = 2.0 * a->x / s->width - 1.0, cz = 1.0 - 2.0 * (a->y + a->h) / s->height;
    const float across[4] = {(float)kx, 0, 0, (float)(cx - kx * t->x.lo)},
                up[4] = {0, (float)kz, 0, (float)(cz - kz * t->z.lo)};
    const double wide = 1.2 * t->scale * pixel, gap = (arrows ? 20.0 : 13.0) * t->scale * pixel;
    const int cells = s->frame->nx * s->frame->nz;
    double sum = 0.0;

    if (!s->frame->velocity_x || !s->frame->velocity_z) return;
    for (int c = 0; c < cells; ++c) {
        const double speed = hypot((double)s->frame->velocity_x[c], (double)s->frame->velocity_z[c]);
        if (isfinite(speed)) sum += speed * speed;
    }
    const double reference_speed = 2.0 * sqrt(sum / cells); // twice the root mean square speed
    if (!(reference_speed > 0.0) ||
        !(arrows ? build_arrows(&p->velocity_lines, s->frame, gap, wide, reference_speed)
                 : build_streamlines(&p->velocity_lines, s->frame, gap, wide, reference_speed)))
        return;
    glUseProgram(program);
    glBindVertexArray(p->array);
    glBindBuffer(GL_ARRAY_BUFFER, p->corners);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)sizeof(float[2]) * p->velocity_lines.count,
                 p->velocity_lines.vertices, GL_STREAM_DRAW);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
    glEnable(GL_SCISSOR_TEST);
    glScissor(a->x, s->height - a->y - a->h, a->w, a->h);
    gl_set4f(program, "clip_x", across);
    gl_set4f(program, "clip_y", up);
    const float seam = 0.7f * (float)t->scale;
    gl_set2f(program, "offset", 2.0f * seam / (float)s->width, 2.0f * seam / (float)s->height);
    gl_set3f(program, "colour", 0.93f, 0.94f, 0.95f);
    glDrawArraysInstanced(GL_TRIANGLES, 0, p->velocity_lines.count, 8);
    gl_set2f(program, "offset", 0.0f, 0.0f);
    gl_set3f(program, "colour", 0.10f, 0.11f, 0.13f);
    glDrawArrays(GL_TRIANGLES, 0, p->velocity_lines.count);
    glDisable(GL_SCISSOR_TEST);
    glDisableVertexAttribArray(0);
    glBindVertexArray(0);
}

static void draw_wheel(struct field_pass *p, const struct draw_frame_state *s, const struct sheet *t,
                       const struct field *field)
{
    static const char *const names[4] = {"N", "E", "S", "W"};
    const struct area *a = &t->wheel;
    const int u = t->scale, x = a->x + a->w / 2, y = a->y + a->h / 2;
    if (a->w == 0) return;
    draw_image(p, s, field, *a, &t->value, PART_WHEEL);
    for (int k = 0; k < 4; ++k) {
        const int w = text_width(names[k], u),
                  dx = k == 1   ? 1
                       : k == 3 ? -1
                                : 0,
                  dy = k == 2   ? 1
                       : k == 0 ? -1
                                : 0;
        text_draw(p->text, s, x - w / 2 + dx * (a->w / 2 + 5 * u),
                  y - TEXT_CAP_HEIGHT * u / 2 + dy * (a->h / 2 + 6 * u), u, ink, names[k]);
    }
}

static void field_draw(void *self, const struct draw_frame_state *s)
{
    struct field_pass *p = self;
    const struct field *field = field_find(s->view->name);
    const int cells = s->frame->nx * s->frame->nz;
    struct sheet t;
    double lo, hi;

    glDisable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);
    glDisable(GL_BLEND);
    fill(s, (struct area){0, 0, s->width, s->height}, paper);
    if (!field || cells <= 0 || !collect(p, field, s->frame, cells)) return;
    find_amounts(p, field, s, cells);
    field_range(field, s->frame, s->view, p->amounts, cells, &lo, &hi);
    fill_dry(field, s, p->cells);
    for (int c = 0; c < cells; ++c)
        if (!isfinite(p->cells[c][0]) || !isfinite(p->cells[c][1])) p->cells[c][0] = p->cells[c][1] = NOTHING;
    place(&t, s, field, lo, hi);
    p->shown = t.picture;
    upload(p, field, s);
    draw_image(p, s, field, t.picture, &t.value, PART_FIELD);
    if (s->view->streamlines) draw_velocity_lines(p, s, &t, false);
    if (s->view->arrows) draw_velocity_lines(p, s, &t, true);
    draw_bodies(p, s, &t);
    if (t.plain) return;
    draw_image(p, s, field, t.bar, &t.value, PART_BAR);
    draw_wheel(p, s, &t, field);
    fill_frame(s, t.picture, t.scale);
    fill_frame(s, t.bar, t.scale);
    draw_across(p, s, &t);
    draw_up(p, s, &t, t.picture, &t.z, false);
    draw_up(p, s, &t, t.bar, &t.value, true);
    draw_labels(p, s, &t, field);
    glDisable(GL_BLEND);
}

void field_plot_rect(const void *self, int at[2], int size[2])
{
    const struct field_pass *p = self;
    at[0] = p->shown.x, at[1] = p->shown.y, size[0] = p->shown.w, size[1] = p->shown.h;
}

// ---- create, destroy ----

static void field_destroy(void *self)
{
    struct field_pass *p = self;

    if (!p) return;
    text_destroy(p->text);
    gl_program_pair_free(&p->image_programs);
    glDeleteProgram(p->outline_program);
    glDeleteTextures(3, (const GLuint[]){p->values, p->colours, p->open});
    glDeleteBuffers(2, (const GLuint[]){p->corners, p->numbers});
    glDeleteVertexArrays(1, &p->array);
    triangle_list_free(&p->velocity_lines);
    free(p->cells);
    free(p->amounts);
    free(p);
}

static GLuint texture_create(GLint filter)
{
    GLuint texture;

    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return texture;
}

static void *field_create(const struct draw_setup *setup, char *why)
{
    struct field_pass *p = calloc(1, sizeof *p);

    if (!p) {
        snprintf(why, 256, "no memory for the field views");
        return NULL;
    }
    if (gl_program_pair_init(&p->image_programs, setup, shader_field_vert, shader_field_frag, why))
        p->outline_program =
            gl_program(setup, TERRAIN_OFF, shader_flat_colour_vert, shader_flat_colour_frag, why);
    if (p->outline_program) p->text = text_create(setup, why);
    if (!p->text) {
        field_destroy(p);
        return NULL;
    }
    p->values = texture_create(GL_NEAREST);
    p->colours = texture_create(GL_LINEAR);
    p->open = texture_create(GL_NEAREST);
    glGenBuffers(1, &p->corners);
    glGenBuffers(1, &p->numbers);
    glGenVertexArrays(1, &p->array);
    return p;
}

// Draws the whole image; s->view->name is the name of the field.
const struct pass pass_field_plot = {"field", field_create, field_destroy, field_draw};
