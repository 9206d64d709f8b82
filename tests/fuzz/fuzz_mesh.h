// Checks that every mesh from a file must pass, for the fuzz targets of mesh formats.
#ifndef TESTS_FUZZ_MESH_H
#define TESTS_FUZZ_MESH_H

#include "scene/import/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Aborts if the result, the mesh and the error contradict each other; frees the mesh.
static inline void check_mesh(tarn_result r, struct mesh *m, const struct load_error *f)
{
    tarn_mesh_report report;
    tarn_error err;

    if (r != f->result || (r == TARN_OK) != (m->triangles != NULL) ||
        (r != TARN_OK) != (f->message[0] != '\0'))
        abort();
    for (int i = 0; i < 3 * m->vertex_count; ++i)
        if (!isfinite(m->vertices[i])) abort();
    for (int i = 0; i < 3 * m->triangle_count; ++i)
        if (m->triangles[i] < 0 || m->triangles[i] >= m->vertex_count) abort();
    // Only coordinates beyond the limits are rejected.
    const tarn_result look =
        tarn_mesh_inspect(m->vertex_count, m->vertices, m->triangle_count, m->triangles, NULL, &report, &err);
    if (look != TARN_OK && look != TARN_BAD_INPUT) abort();
    if (look == TARN_OK && report.closed != (report.problem[0] == '\0')) abort();
    if (look == TARN_OK && report.closed) {
        if (report.open_edges || report.non_manifold_edges) abort();
        if (!(report.volume > 0.0 && report.inertia.x > 0.0 && isfinite(report.inertia.z))) abort();
    }
    mesh_free(m);
}

static inline const struct mesh_format *find_mesh_format(const char *name)
{
    int i = 0;
    while (mesh_format_at(i) && strcmp(mesh_format_at(i)->name, name) != 0) ++i;
    return mesh_format_at(i);
}

static inline void fuzz_mesh_format(const struct mesh_format *format, const uint8_t *data, size_t size)
{
    struct mesh m;
    struct load_error f;
    check_mesh(format->read((const char *)data, size, NULL, &m, &f), &m, &f);
}

#endif
