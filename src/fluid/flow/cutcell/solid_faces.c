// The list of velocity nodes that exchange momentum with solids. flow_build_cut_cells() calls it;
// obstacle_load.c sums up the momentum.
#include "fluid/flow/flow.h"

// Arrays of one velocity component.
struct face_arrays {
    const float *aperture, *mass;
    const uint16_t *solid_id, *covered_by;
    int component;
};

static struct face_arrays arrays_of(const struct fluid *f, int component)
{
    const struct flow *s = f->impl;
    if (component == FLOW_U)
        return (struct face_arrays){s->aperture_x, s->mass_u, s->solid_id_u, s->covered_by_x, component};
    return (struct face_arrays){s->aperture_z, s->mass_v, s->solid_id_v, s->covered_by_z, component};
}

// The solid that a node lies in, or that covers some of its face; 0: none.
static uint16_t solid_at_face(const struct face_arrays *a, size_t c)
{
    return a->solid_id[c] ? a->solid_id[c] : a->covered_by[c];
}

// A face that was closed because the solid splits a cell beside it belongs to the solid of that cell.
static uint16_t solid_of_cells(const struct fluid *f, size_t c, size_t cell_before)
{
    const struct face_arrays x = arrays_of(f, FLOW_U), z = arrays_of(f, FLOW_V);
    const size_t cells[2] = {c, cell_before}, n = f->grid.stride;
    for (int k = 0; k < 2; ++k) {
        const uint16_t ids[4] = {solid_at_face(&x, cells[k]), solid_at_face(&x, cells[k] + 1),
                                 solid_at_face(&z, cells[k]), solid_at_face(&z, cells[k] + n)};
        for (int i = 0; i < 4; ++i)
            if (ids[i]) return ids[i];
    }
    return 0;
}

// The cell to the west or south of a face.
static size_t cell_before(const struct fluid *f, int component, size_t c)
{
    return flow_neighbour_node(f, c, component ? 2 : 0);
}

static uint16_t owner_of(const struct fluid *f, const struct face_arrays *a, size_t c)
{
    const uint16_t id = solid_at_face(a, c);
    return id || a->aperture[c] == 1.0f ? id : solid_of_cells(f, c, cell_before(f, a->component, c));
}

// Number of the node along the axis of its component; 0 and the number of cells: on a side of the domain.
static bool is_on_boundary(const struct fluid *f, int component, int i, int j)
{
    const bool periodic = component ? f->periodic_z : f->periodic_x;
    const int index = component ? j : i, count = component ? f->grid.nz : f->grid.nx;
    return !periodic && (index == 0 || index == count);
}

// True if all neighbours of a node are in the domain.
static bool is_inside(const struct fluid *f, int i, int j)
{
    return i > 0 && j > 0 && i < f->grid.nx - 1 && j < f->grid.nz - 1;
}

// The solid at the neighbouring node, if that is not free. 0 on a side of the domain, which is no solid.
static uint16_t neighbour_solid(const struct fluid *f, const struct face_arrays *a, int component, int i,
                                int j, int link)
{
    static const int steps[FLOW_LINKS][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    const size_t c = flow_neighbour_node(f, grid_at(&f->grid, i, j), link);
    if (a->mass[c] > 0.0f && is_inside(f, i, j)) return 0;
    const int x = i + steps[link][0], z = j + steps[link][1];
    const bool outside = component ? !f->periodic_x && (x < 0 || x >= f->grid.nx)
                                   : !f->periodic_z && (z < 0 || z >= f->grid.nz);
    if (outside || is_on_boundary(f, component, x, z) || a->mass[c] > 0.0f) return 0;
    return owner_of(f, a, c);
}

// Most nodes near solids have no part in this: whole faces between free nodes, and nodes deep in a solid.
static bool is_uninvolved(const struct fluid *f, const struct face_arrays *a, int i, int j)
{
    const struct flow *s = f->impl;
    const size_t c = grid_at(&f->grid, i, j), n = f->grid.stride, across = a->component ? n : 1;
    const float *m = a->mass + c;
    if (!is_inside(f, i, j)) return false;
    if (m[0] == 0.0f) // the projection gives bodies what they get there
        return (!s->is_fluid[c] && !s->is_fluid[c - across]) || a->solid_id[c] > f->obstacle_count;
    return m[0] == 1.0f && m[-1] > 0.0f && m[1] > 0.0f && *(m - n) > 0.0f && m[n] > 0.0f;
}

// Add node (i, j) if it exchanges momentum with a solid. False without memory.
static bool add_solid_face(struct fluid *f, const struct face_arrays *a, int component, int i, int j)
{
    struct flow *s = f->impl;
    const size_t c = grid_at(&f->grid, i, j);
    const size_t before = cell_before(f, component, c);
    struct solid_face face = {.node = (uint32_t)c,
                              .cell_before = (uint32_t)before,
                              .owner = owner_of(f, a, c),
                              .component = (unsigned char)component,
                              .is_boundary = is_on_boundary(f, component, i, j),
                              .aperture = a->aperture[c],
                              .mass = a->mass[c]};
    bool found = face.owner != 0 && (s->is_fluid[c] || s->is_fluid[before]);
    face.is_free = face.mass > 0.0f && !face.is_boundary;
    face.needs_flux = face.owner && face.aperture < (f->body_count ? STAGE_MIN_APERTURE : 1.0f);
    for (int link = 0; link < FLOW_LINKS && face.is_free; ++link)
        found |= (face.neighbours[link] = neighbour_solid(f, a, component, i, j, link)) != 0;
    if (!found) return true;
    if (!memory_grow(f->memory, (void **)&s->solid_faces, &s->solid_face_capacity, s->solid_face_count + 1,
                     sizeof *s->solid_faces))
        return false;
    s->solid_faces[s->solid_face_count++] = face;
    return true;
}

bool flow_find_solid_faces(struct fluid *f)
{
    struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    s->solid_face_count = 0;
    if (f->obstacle_count == 0 && (f->body_count == 0 || flow_def_of(f)->advection != TARN_FLOW_CONSERVATIVE))
        return true;
    for (int component = FLOW_U; component <= FLOW_V; ++component) {
        const struct face_arrays a = arrays_of(f, component);
        const int columns = g->nx + (component == FLOW_U && !f->periodic_x),
                  rows = g->nz + (component == FLOW_V && !f->periodic_z);
        FOR_EACH_SOLID_RUN(s, g, 1, j, begin, end)
        for (int i = begin; i < imin(end, columns) && j < rows; ++i)
            if (!is_uninvolved(f, &a, i, j) && !add_solid_face(f, &a, component, i, j)) return false;
    }
    return true;
}
