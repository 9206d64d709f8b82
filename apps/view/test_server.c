// Line protocol for tests/test_view.py (`--test-server`): one query per line on stdin, one JSON object per
// line on stdout. Queries change nothing; tests act through real mouse and key events. The frame loop calls
// test_server_poll once per frame.
//
//   state               scene, step, hash, and what is shown
//   count               number of frames and steps so far; does not wait for the end of a step
//   body NAME           position, velocity and pixel of a body
//   water X Z           water surface at a point, and its pixel
//   flow X Y            fluid of the planar model at a point, and its pixel
//   ledger              volume of water and its drift
//   param PATH          value of a parameter
//   item LABEL          rectangle of a button or slider
#define _POSIX_C_SOURCE 200809L
#include "viewer.h"

#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

static const char *json_bool(bool value) { return value ? "true" : "false"; }

static void print_state(struct viewer *v)
{
    static const char *const mouse_modes[] = {
        [MOUSE_IDLE] = "idle", [MOUSE_GRAB] = "grab",     [MOUSE_STIR] = "stir",   [MOUSE_ORBIT] = "orbit",
        [MOUSE_PAN] = "pan",   [MOUSE_SCULPT] = "sculpt", [MOUSE_PAINT] = "paint", [MOUSE_HEAT] = "heat"};
    uint64_t step = 0;
    const uint64_t hash = sim_hash(v->sim, &step);
    const struct sim_status *status = &v->status;
    printf("{\"scene\": \"%s\", \"step\": %" PRIu64 ", \"hash\": \"%016" PRIx64
           "\", \"paused\": %s, \"speed\": %g, "
           "\"has_world\": %s, \"stopped\": %s, \"failed\": %d, \"gl_errors\": %lld, \"frames\": %lld, "
           "\"frame_ms\": %.2f, "
           "\"gallery\": %s, \"keys\": %s, \"panel\": %s, \"camera\": \"%s\", \"view\": \"%s\", \"mouse\": "
           "\"%s\", "
           "\"recording\": %s, \"bodies\": %d, \"emitters\": %d, \"size\": [%d, %d], \"from\": [%g, %g, %g], "
           "\"message\": \"%.40s\"}\n",
           v->name, step, hash, json_bool(status->paused), status->speed, json_bool(status->has_world),
           json_bool(status->stopped), status->failed_commands, v->gl_errors, v->frames, v->frame_ms,
           json_bool(v->show_gallery), json_bool(v->show_keys), json_bool(v->show_panel),
           camera_mode_name(v->camera.mode), v->view.name, mouse_modes[v->mouse_mode],
           json_bool(v->recording_video), status->world.body_count, status->world.emitter_count, v->width,
           v->height, v->camera.position.x, v->camera.position.y, v->camera.position.z, v->message);
}

static void print_body(const struct viewer *v, const tarn_frame *f, const char *name)
{
    for (int k = 0; f && k < v->body_count; ++k) {
        if (strcmp(v->bodies[k].name, name) != 0) continue;
        for (int i = 0; i < f->body_count; ++i) {
            const tarn_body_state *m = &f->bodies[i].state;
            double x = -1.0, y = -1.0;
            if ((uint32_t)f->bodies[i].id.value != (uint32_t)v->bodies[k].id.value) continue;
            viewer_project(v, m->position, &x, &y);
            printf("{\"position\": [%g, %g, %g], \"velocity\": [%g, %g, %g], \"angular_velocity\": [%g, %g, "
                   "%g], "
                   "\"pixel\": [%.1f, %.1f]}\n",
                   m->position.x, m->position.y, m->position.z, m->velocity.x, m->velocity.y, m->velocity.z,
                   m->angular_velocity.x, m->angular_velocity.y, m->angular_velocity.z, x, y);
            return;
        }
    }
    printf("{\"error\": \"unknown body\"}\n");
}

static void print_water(struct viewer *v, const char *text)
{
    double x, z, px = -1.0, py = -1.0;
    if (sscanf(text, "%lf %lf", &x, &z) != 2) {
        printf("{\"error\": \"expected two numbers\"}\n");
        return;
    }
    const tarn_surface s = sim_query_water(v->sim, x, z);
    viewer_project(v, (tarn_vec3){x, s.height, z}, &px, &py);
    printf("{\"height\": %.9g, \"depth\": %.9g, \"wet\": %d, \"velocity\": [%g, %g, %g], \"pixel\": [%.1f, "
           "%.1f]}\n",
           s.height, s.depth, s.wet, s.velocity.x, s.velocity.y, s.velocity.z, px, py);
}

static void print_flow(struct viewer *v, const char *text)
{
    double x, y, px = -1.0, py = -1.0;
    if (sscanf(text, "%lf %lf", &x, &y) != 2) {
        printf("{\"error\": \"expected two numbers\"}\n");
        return;
    }
    const tarn_flow_sample f = sim_query_flow(v->sim, x, y);
    viewer_project(v, (tarn_vec3){x, y, 0.0}, &px, &py);
    printf("{\"velocity\": [%g, %g], \"dye\": %g, \"heat\": %g, \"pixel\": [%.1f, %.1f]}\n", f.u, f.v, f.dye,
           f.temperature, px, py);
}

static void print_ledger(struct viewer *v)
{
    const tarn_ledger l = sim_query_ledger(v->sim);
    printf("{\"volume\": %.17g, \"drift\": %.17g}\n", l.volume, l.volume_error);
}

static void print_param(const struct viewer *v, const char *path)
{
    for (int k = 0; k < v->param_count; ++k)
        if (strcmp(v->params[k].path, path) == 0) {
            printf("{\"value\": %.9g, \"text\": \"%.40s\"}\n", v->params[k].value.number[0],
                   v->params[k].value.text);
            return;
        }
    printf("{\"error\": \"unknown parameter\"}\n");
}

static void print_item(const struct viewer *v, const char *label)
{
    double r[4];
    if (ui_find_item(v->ui, label, r))
        printf("{\"rect\": [%g, %g, %g, %g]}\n", r[0], r[1], r[2], r[3]);
    else
        printf("{\"error\": \"item is not shown\"}\n");
}

static void answer_query(struct viewer *v, const tarn_frame *f, const char *line)
{
    if (strcmp(line, "state") == 0)
        print_state(v);
    else if (strcmp(line, "count") == 0)
        printf("{\"frames\": %lld, \"step\": %" PRIu64 "}\n", v->frames, v->status.world.steps);
    else if (strncmp(line, "body ", 5) == 0)
        print_body(v, f, line + 5);
    else if (strncmp(line, "water ", 6) == 0)
        print_water(v, line + 6);
    else if (strncmp(line, "flow ", 5) == 0)
        print_flow(v, line + 5);
    else if (strcmp(line, "ledger") == 0)
        print_ledger(v);
    else if (strncmp(line, "param ", 6) == 0)
        print_param(v, line + 6);
    else if (strncmp(line, "item ", 5) == 0)
        print_item(v, line + 5);
    else
        printf("{\"error\": \"unknown query\"}\n");
    fflush(stdout);
}

void test_server_poll(struct viewer *v, const tarn_frame *f)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    if (!v->test_server) return;
    while (poll(&in, 1, 0) > 0) {
        char c;
        if (read(STDIN_FILENO, &c, 1) != 1) { // end of input ends the program
            v->test_server = 0;
            v->quit = true;
            return;
        }
        if (c == '\n') {
            v->query[v->query_length] = '\0';
            v->query_length = 0;
            answer_query(v, f, v->query);
            return; // one query per frame
        }
        if (v->query_length + 1 < sizeof v->query) v->query[v->query_length++] = c;
    }
}
