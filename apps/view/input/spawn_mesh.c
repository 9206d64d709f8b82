// Bodies from mesh files that are dropped on the window or named on the command line. Called by main.c and
// viewport.c.
#include "../viewer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double longest_edge_of_bounds(const tarn_mesh *t)
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
    tarn_diagnostics diagnostics = {0};
    tarn_mesh mesh;
    const tarn_result r = tarn_mesh_file_read(path, &mesh, &diagnostics);
    if (r != TARN_OK)
        viewer_message(v, "%s", diagnostics.count ? diagnostics.list[0].message : result_message(r));
    tarn_diagnostics_free(&diagnostics);
    if (r != TARN_OK) return false;
    const double size = longest_edge_of_bounds(&mesh);
    tarn_shape *shape = NULL;
    tarn_error err = {0};
    if (size > 0.0 && v->status.has_world) {
        tarn_shape_def def = tarn_default_shape_def(TARN_SHAPE_MESH);
        def.mesh.mesh = mesh;
        def.mesh.scale = v->spawn_size / size;
        if (tarn_shape_create(&def, NULL, &shape, &err) != TARN_OK) viewer_message(v, "%s", err.message);
    } else {
        viewer_message(v, v->status.has_world ? "the mesh has size 0" : "open a scene first");
    }
    tarn_mesh_file_free(&mesh);
    if (!shape) return false;
    tarn_command c = {.kind = TARN_COMMAND_SPAWN, .density = v->spawn_density, .colour = {0.80, 0.72, 0.60}};
    const char *slash = strrchr(path, '/');
    snprintf(c.path, sizeof c.path, "%.60s", slash ? slash + 1 : path);
    c.shape = shape;
    c.position = (tarn_vec3){v->camera.target.x, fmax(v->camera.target.y, 0.0) + 1.5 * v->spawn_size,
                             v->camera.target.z};
    sim_queue_command(v->sim, &c);
    tarn_shape_release(shape);
    viewer_message(v, "%s", c.path);
    return true;
}
