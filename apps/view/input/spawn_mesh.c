// A mesh file that is dropped on the window becomes a body.
#include "../viewer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Commands lend their meshes, and nobody tells when one has been applied: they are kept to the end.
static const tarn_triangles *keep(struct viewer *v, const tarn_triangles *mesh)
{
    tarn_triangles **list = realloc(v->meshes, ((size_t)v->mesh_count + 1) * sizeof(tarn_triangles *));
    tarn_triangles *own = malloc(sizeof *own);
    if (list) v->meshes = list;
    if (!list || !own) {
        free(own);
        return NULL;
    }
    *own = *mesh;
    return v->meshes[v->mesh_count++] = own;
}

void spawn_free_meshes(struct viewer *v)
{
    for (int k = 0; k < v->mesh_count; ++k) {
        tarn_triangles_free(v->meshes[k]);
        free(v->meshes[k]);
    }
    free(v->meshes);
}

static double longest(const tarn_triangles *t)
{
    double most = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        double lo = INFINITY, hi = -INFINITY;
        for (int k = 0; k < t->vertex_count; ++k) {
            lo = fmin(lo, t->vertices[3 * k + axis]);
            hi = fmax(hi, t->vertices[3 * k + axis]);
        }
        most = fmax(most, hi - lo);
    }
    return most;
}

// As large as the palette says, above the middle of what the camera looks at.
bool spawn_mesh(struct viewer *v, const char *path)
{
    tarn_notes notes = {0};
    tarn_triangles mesh;
    const tarn_result r = tarn_triangles_read(path, &mesh, &notes);
    if (r != TARN_OK) viewer_message(v, "%s", notes.count ? notes.list[0].text : result_text(r));
    tarn_notes_free(&notes);
    if (r != TARN_OK) return false;
    const double size = longest(&mesh);
    const tarn_triangles *kept = keep(v, &mesh);
    tarn_command c = {.kind = TARN_SPAWN, .density = v->spawn_density, .colour = {0.80, 0.72, 0.60}};
    if (!kept || !(size > 0.0) || !v->status.has_world) {
        if (!kept) tarn_triangles_free(&mesh);
        viewer_message(v, v->status.has_world ? "the mesh has no size" : "open a scene first");
        return false;
    }
    const char *slash = strrchr(path, '/');
    snprintf(c.path, sizeof c.path, "%.60s", slash ? slash + 1 : path);
    tarn_spec_init(&c.spec, "shape", "mesh", NULL);
    tarn_spec_set(&c.spec, "scale", tarn_number(v->spawn_size / size), NULL);
    c.mesh = *kept;
    c.at = (tarn_vec3){v->camera.target.x, fmax(v->camera.target.y, 0.0) + 1.5 * v->spawn_size,
                       v->camera.target.z};
    sim_queue_command(v->sim, &c);
    viewer_message(v, "%s", c.path);
    return true;
}
