// What every mesh that a reader gives must be.
#ifndef TESTS_FUZZ_MESH_H
#define TESTS_FUZZ_MESH_H

#include "scene/import/mesh.h"

#include <math.h>
#include <stdlib.h>

// The mesh is freed.
static inline void check_mesh(tarn_result r, struct mesh *m, const struct load_error *f)
{
    tarn_mesh_facts facts;
    tarn_error err;

    if (r != f->result || (r == TARN_OK) != (m->triangles != NULL) ||
        (r != TARN_OK) != (f->message[0] != '\0'))
        abort();
    for (int i = 0; i < 3 * m->vertex_count; ++i)
        if (!isfinite(m->vertices[i])) abort();
    for (int i = 0; i < 3 * m->triangle_count; ++i)
        if (m->triangles[i] < 0 || m->triangles[i] >= m->vertex_count) abort();
    // refused only for coordinates beyond all measure
    const tarn_result look =
        tarn_mesh_look(m->vertex_count, m->vertices, m->triangle_count, m->triangles, NULL, &facts, &err);
    if (look != TARN_OK && look != TARN_BAD_INPUT) abort();
    if (look == TARN_OK && facts.closed != (facts.trouble[0] == '\0')) abort();
    if (look == TARN_OK && facts.closed) {
        if (facts.open_edges || facts.crowded_edges) abort();
        if (!(facts.volume > 0.0 && facts.inertia.x > 0.0 && isfinite(facts.inertia.z))) abort();
    }
    mesh_free(m);
}

#endif
