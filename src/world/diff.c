// What differs between two states: hashes by parts, then the first cell or body.
#include "body/solve/dynamics.h"
#include "world.h"

#include <stdio.h>
#include <string.h>

tarn_hash_parts tarn_world_hash_parts(const tarn_world *w)
{
    tarn_hash_parts parts = {0};
    const struct {
        const char *section;
        uint64_t *part;
    } table[] = {{"world", &parts.world},       {"fluid", &parts.fluid},
                 {"emitters", &parts.emitters}, {"bodies", &parts.bodies},
                 {"coupling", &parts.coupling}, {"obstacles", &parts.obstacles},
                 {"flow_bodies", &parts.planar}};
    for (int i = 0; w && i < WORLD_SECTIONS; ++i)
        for (size_t k = 0; k < sizeof table / sizeof table[0]; ++k)
            if (strcmp(world_section_name(i), table[k].section) == 0)
                *table[k].part = world_hash_section(w, i);
    return parts;
}

static bool differ(tarn_difference *out, const char *part, int i, int j, double a, double b)
{
    if (a == b || (isnan(a) && isnan(b))) return false;
    snprintf(out->part, sizeof out->part, "%s", part);
    out->index[0] = i, out->index[1] = j, out->values[0] = a, out->values[1] = b;
    return true;
}

// ---- fields -----------------------------------------------------------------------------------------

static bool column_differs(const struct fluid *a, const struct fluid *b, int i, int j, tarn_difference *out)
{
    float height[2], u[2], v[2];
    const struct fluid *const fluids[2] = {a, b};
    for (int k = 0; k < 2; ++k) {
        const struct height_field_model *m = fluids[k]->model->height_field;
        m->read_surface(fluids[k], j, i, i + 1, &height[k]);
        m->read_velocity(fluids[k], j, i, i + 1, &u[k], &v[k]);
    }
    const size_t c = grid_at(&a->grid, i, j);
    return (a->bed &&
            differ(out, "bed", i, j, a->rest_level + (double)a->bed[c], b->rest_level + (double)b->bed[c])) ||
           differ(out, "height", i, j, a->rest_level + (double)height[0],
                  b->rest_level + (double)height[1]) ||
           differ(out, "velocity x", i, j, (double)u[0], (double)u[1]) ||
           differ(out, "velocity z", i, j, (double)v[0], (double)v[1]);
}

static bool planar_cell_differs(const struct fluid *a, const struct fluid *b, int i, int j,
                                tarn_difference *out)
{
    const struct fluid_cell x = a->model->planar->read_cell(a, i, j),
                            y = b->model->planar->read_cell(b, i, j);
    return differ(out, "open", i, j, (double)x.volume_fraction, (double)y.volume_fraction) ||
           differ(out, "velocity x", i, j, (double)x.u, (double)y.u) ||
           differ(out, "velocity y", i, j, (double)x.v, (double)y.v) ||
           differ(out, "pressure", i, j, (double)x.pressure, (double)y.pressure) ||
           differ(out, "dye", i, j, (double)x.dye, (double)y.dye) ||
           differ(out, "temperature", i, j, (double)x.temperature, (double)y.temperature);
}

static bool fields_differ(const struct fluid *a, const struct fluid *b, tarn_difference *out)
{
    for (int j = 0; j < a->grid.nz; ++j)
        for (int i = 0; i < a->grid.nx; ++i)
            if (a->model->planar ? planar_cell_differs(a, b, i, j, out) : column_differs(a, b, i, j, out))
                return true;
    return false;
}

// ---- bodies -----------------------------------------------------------------------------------------

static bool bodies_differ(const struct bodies *a, const struct bodies *b, tarn_difference *out)
{
    for (int i = 0; i < imax(a->slot_count, b->slot_count); ++i) {
        const bool in_a = i < a->slot_count && body_exists(a, i),
                   in_b = i < b->slot_count && body_exists(b, i);
        if (differ(out, "body", i, -1, in_a, in_b)) return true;
        if (!in_a) continue;
        const struct body_state *x = &a->state[i], *y = &b->state[i];
        const vec3 u = body_velocity(a, i), v = body_velocity(b, i);
        if (differ(out, "body generation", i, -1, a->slots[i].generation, b->slots[i].generation) ||
            differ(out, "body position x", i, -1, x->position.x, y->position.x) ||
            differ(out, "body position y", i, -1, x->position.y, y->position.y) ||
            differ(out, "body position z", i, -1, x->position.z, y->position.z) ||
            differ(out, "body rotation w", i, -1, x->rotation.w, y->rotation.w) ||
            differ(out, "body velocity x", i, -1, u.x, v.x) ||
            differ(out, "body velocity y", i, -1, u.y, v.y) ||
            differ(out, "body velocity z", i, -1, u.z, v.z))
            return true;
    }
    return false;
}

static bool joints_differ(const struct bodies *a, const struct bodies *b, tarn_difference *out)
{
    static const struct joints none = {0};
    const struct joints *x = a->dynamics ? &a->dynamics->joints : &none,
                        *y = b->dynamics ? &b->dynamics->joints : &none;
    for (int i = 0; i < imax(x->slot_count, y->slot_count); ++i) {
        const struct joint *p = i < x->slot_count ? x->slots[i].joint : NULL,
                           *q = i < y->slot_count ? y->slots[i].joint : NULL;
        if (differ(out, "joint", i, -1, p != NULL, q != NULL)) return true;
        if (!p) continue;
        const tarn_vec3 u = p->local_a, v = q->local_a;
        if (differ(out, "joint generation", i, -1, x->slots[i].generation, y->slots[i].generation) ||
            differ(out, "joint anchor x", i, -1, u.x, v.x) ||
            differ(out, "joint anchor y", i, -1, u.y, v.y) || differ(out, "joint anchor z", i, -1, u.z, v.z))
            return true;
        for (int k = 0; k < JOINT_ROWS; ++k)
            if (differ(out, "joint impulse", i, -1, p->impulse[k], q->impulse[k])) return true;
    }
    return false;
}

// ---- worlds -----------------------------------------------------------------------------------------

static bool parts_differ(const tarn_hash_parts *a, const tarn_hash_parts *b, tarn_difference *out)
{
    const struct {
        const char *name;
        uint64_t a, b;
    } parts[] = {{"world", a->world, b->world},          {"fluid", a->fluid, b->fluid},
                 {"emitters", a->emitters, b->emitters}, {"bodies", a->bodies, b->bodies},
                 {"coupling", a->coupling, b->coupling}, {"obstacles", a->obstacles, b->obstacles},
                 {"planar", a->planar, b->planar}};
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; ++k) {
        if (parts[k].a == parts[k].b) continue;
        snprintf(out->part, sizeof out->part, "%s", parts[k].name);
        return true;
    }
    return false;
}

tarn_result tarn_world_diff(const tarn_world *a, const tarn_world *b, tarn_difference *out)
{
    if (!a || !b || !out) return TARN_BAD_ARGUMENT;
    *out = (tarn_difference){.index = {-1, -1}};
    if (a->fluid.model != b->fluid.model || a->fluid.grid.nx != b->fluid.grid.nx ||
        a->fluid.grid.nz != b->fluid.grid.nz || (a->fluid.bed == NULL) != (b->fluid.bed == NULL))
        return TARN_BAD_INPUT;
    const tarn_hash_parts x = tarn_world_hash_parts(a), y = tarn_world_hash_parts(b);
    if (x.fluid != y.fluid && fields_differ(&a->fluid, &b->fluid, out)) return TARN_OK;
    if (x.bodies != y.bodies &&
        (bodies_differ(&a->bodies, &b->bodies, out) || joints_differ(&a->bodies, &b->bodies, out)))
        return TARN_OK;
    parts_differ(&x, &y, out);
    return TARN_OK;
}
