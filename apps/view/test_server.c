// Questions of tests, one a line on stdin; answers on stdout, one JSON object a line. They only look: whatever happens
// in the window comes from its mouse and keys.
//
//   state               the scene, the step, the hash, what is shown
//   count               pictures and steps so far; does not wait for the water
//   body NAME           where it is and where on the screen
//   water X Z           the surface there and where on the screen
//   flow X Y            the fluid of a flat world there, likewise
//   ledger              how much water there is, and how much of it nobody accounts for
//   param PATH          its value
//   item LABEL          the rectangle of a button or slider
#define _POSIX_C_SOURCE 200809L
#include "input/raycast.h"
#include "viewer.h"

#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

static void tell_state(struct viewer *v)
{
    static const char *const hands[] = {"free", "holds",  "stirs",  "turns",
                                        "pans", "shapes", "paints", "warms"};
    uint64_t step = 0;
    const uint64_t hash = sim_hash(v->sim, &step);
    const struct sim_status *n = &v->status;
    printf(
        "{\"scene\": \"%s\", \"step\": %" PRIu64 ", \"hash\": \"%016" PRIx64
        "\", \"paused\": %s, \"speed\": %g, "
        "\"there\": %s, \"stopped\": %s, \"failed\": %d, \"gl_errors\": %lld, \"frames\": %lld, "
        "\"frame_ms\": %.2f, "
        "\"start\": %s, \"keys\": %s, \"panel\": %s, \"camera\": \"%s\", \"view\": \"%s\", \"hand\": \"%s\", "
        "\"recording\": %s, \"bodies\": %d, \"emitters\": %d, \"size\": [%d, %d], \"from\": [%g, %g, %g], "
        "\"words\": \"%.40s\"}\n",
        v->name, step, hash, n->paused ? "true" : "false", n->speed, n->has_world ? "true" : "false",
        n->stopped ? "true" : "false", n->failed_commands, v->gl_errors, v->frames, v->frame_ms,
        v->show_gallery ? "true" : "false", v->show_keys ? "true" : "false", v->show_panel ? "true" : "false",
        camera_mode_name(v->camera.mode), v->view.name, hands[v->mouse_mode],
        v->recording_video ? "true" : "false", n->world.bodies, n->world.emitters, v->width, v->height,
        v->camera.position.x, v->camera.position.y, v->camera.position.z, v->message);
}

static void tell_body(const struct viewer *v, const tarn_frame *f, const char *name)
{
    for (int k = 0; f && k < v->body_count; ++k) {
        if (strcmp(v->bodies[k].name, name) != 0) continue;
        for (int i = 0; i < f->body_count; ++i) {
            const tarn_motion *m = &f->bodies[i].motion;
            double x = -1.0, y = -1.0;
            if (f->bodies[i].id.index != v->bodies[k].id.index) continue;
            viewer_project(v, m->position, &x, &y);
            printf("{\"position\": [%g, %g, %g], \"velocity\": [%g, %g, %g], \"spin\": [%g, %g, %g], "
                   "\"pixel\": [%.1f, %.1f]}\n",
                   m->position.x, m->position.y, m->position.z, m->velocity.x, m->velocity.y, m->velocity.z,
                   m->spin.x, m->spin.y, m->spin.z, x, y);
            return;
        }
    }
    printf("{\"error\": \"no such body\"}\n");
}

static void tell_water(struct viewer *v, const char *text)
{
    double x, z, px = -1.0, py = -1.0;
    if (sscanf(text, "%lf %lf", &x, &z) != 2) {
        printf("{\"error\": \"two numbers\"}\n");
        return;
    }
    const tarn_surface s = sim_query_water(v->sim, x, z);
    viewer_project(v, (tarn_vec3){x, s.height, z}, &px, &py);
    printf("{\"height\": %.9g, \"depth\": %.9g, \"wet\": %d, \"velocity\": [%g, %g, %g], \"pixel\": [%.1f, "
           "%.1f]}\n",
           s.height, s.depth, s.wet, s.velocity.x, s.velocity.y, s.velocity.z, px, py);
}

static void tell_flow(struct viewer *v, const char *text)
{
    double x, y, px = -1.0, py = -1.0;
    if (sscanf(text, "%lf %lf", &x, &y) != 2) {
        printf("{\"error\": \"two numbers\"}\n");
        return;
    }
    const tarn_flow f = sim_query_flow(v->sim, x, y);
    viewer_project(v, (tarn_vec3){x, y, 0.0}, &px, &py);
    printf("{\"velocity\": [%g, %g], \"dye\": %g, \"heat\": %g, \"pixel\": [%.1f, %.1f]}\n", f.u, f.v, f.dye,
           f.heat, px, py);
}

static void tell_ledger(struct viewer *v)
{
    const tarn_ledger l = sim_query_ledger(v->sim);
    printf("{\"volume\": %.17g, \"drift\": %.17g}\n", l.volume, l.volume_drift);
}

static void tell_param(const struct viewer *v, const char *path)
{
    for (int k = 0; k < v->param_count; ++k)
        if (strcmp(v->params[k].path, path) == 0) {
            printf("{\"value\": %.9g, \"text\": \"%.40s\"}\n", v->params[k].value.number[0],
                   v->params[k].value.text);
            return;
        }
    printf("{\"error\": \"no such parameter\"}\n");
}

static void tell_item(const struct viewer *v, const char *label)
{
    double r[4];
    if (ui_find_item(v->ui, label, r))
        printf("{\"rect\": [%g, %g, %g, %g]}\n", r[0], r[1], r[2], r[3]);
    else
        printf("{\"error\": \"not on the screen\"}\n");
}

static void answer(struct viewer *v, const tarn_frame *f, const char *line)
{
    if (strcmp(line, "state") == 0)
        tell_state(v);
    else if (strcmp(line, "count") == 0)
        printf("{\"frames\": %lld, \"step\": %" PRIu64 "}\n", v->frames, v->status.world.steps);
    else if (strncmp(line, "body ", 5) == 0)
        tell_body(v, f, line + 5);
    else if (strncmp(line, "water ", 6) == 0)
        tell_water(v, line + 6);
    else if (strncmp(line, "flow ", 5) == 0)
        tell_flow(v, line + 5);
    else if (strcmp(line, "ledger") == 0)
        tell_ledger(v);
    else if (strncmp(line, "param ", 6) == 0)
        tell_param(v, line + 6);
    else if (strncmp(line, "item ", 5) == 0)
        tell_item(v, line + 5);
    else
        printf("{\"error\": \"unknown question\"}\n");
    fflush(stdout);
}

void test_server_poll(struct viewer *v, const tarn_frame *f)
{
    static char line[512]; // of the one stdin
    static size_t used;
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    if (!v->test_server) return;
    while (poll(&in, 1, 0) > 0) {
        char c;
        if (read(STDIN_FILENO, &c, 1) != 1) { // nobody will ask any more
            v->test_server = 0;
            v->quit = true;
            return;
        }
        if (c == '\n') {
            line[used] = '\0';
            used = 0;
            answer(v, f, line);
            return; // one a frame, so that each sees what the last one led to
        }
        if (used + 1 < sizeof line) line[used++] = c;
    }
}
