// Bodies from mesh files that are dropped on the window or named on the command line. Called by main.c and
// viewport.c.
#include "../viewer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A command borrows its mesh, and the viewer does not learn when it has been applied: meshes live until the
// program ends.
static const tarn_triangles *store_mesh(struct viewer *v, const tarn_triangles *mesh)
{
    tarn_triangles **list = realloc(v->meshes, ((size_t)v->mesh_count + 1) * sizeof(tarn_triangles *));
    tarn_triangles *copy = malloc(sizeof *copy);
    if (list) v->meshes = list;
    if (!list || !copy) {
        free(copy);
        return NULL;
    }
    *copy = *mesh;
    return v->meshes[v->mesh_count++] = copy;
}

void spawn_free_meshes(struct viewer *v)
{
    for (int k = 0; k < v->mesh_count; ++k) {
        tarn_triangles_free(v->meshes[k]);
        free(v->meshes[k]);
    }
    free(v->meshes);
}

static double longest_edge_of_bounds(const tarn_triangles *t)
{
    double longest = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        double min = INFINITY, max = -INFINITY;
        for (int k = 0; k < t->vertex_count; ++k) {
            min = fmin(min, t->vertices[3 * k + axis]);
            max = fmax(max, t->vertices[3 * k + axis]);
        }
        longest = fmax(longest, max - min);
    }
    return longest;
}

// The body gets the size of the panel's slider and starts above the camera's target.
bool spawn_mesh(struct viewer *v, const char *path)
{
    tarn_notes notes = {0};
    tarn_triangles mesh;
    const tarn_result r = tarn_triangles_read(path, &mesh, &notes);
    if (r != TARN_OK) viewer_message(v, "%s", notes.count ? notes.list[0].text : result_text(r));
    tarn_notes_free(&notes);
    if (r != TARN_OK) return false;
    const double size = longest_edge_of_bounds(&mesh);
    const tarn_triangles *stored = store_mesh(v, &mesh);
    tarn_command c = {.kind = TARN_SPAWN, .density = v->spawn_density, .colour = {0.80, 0.72, 0.60}};
    if (!stored || !(size > 0.0) || !v->status.has_world) {
        if (!stored) tarn_triangles_free(&mesh);
        viewer_message(v, v->status.has_world ? "the mesh has size 0" : "open a scene first");
        return false;
    }
    const char *slash = strrchr(path, '/');
    snprintf(c.path, sizeof c.path, "%.60s", slash ? slash + 1 : path);
    tarn_spec_init(&c.spec, "shape", "mesh", NULL);
    tarn_spec_set(&c.spec, "scale", tarn_number(v->spawn_size / size), NULL);
    c.mesh = *stored;
    c.at = (tarn_vec3){v->camera.target.x, fmax(v->camera.target.y, 0.0) + 1.5 * v->spawn_size,
                       v->camera.target.z};
    sim_queue_command(v->sim, &c);
    viewer_message(v, "%s", c.path);
    return true;
}
