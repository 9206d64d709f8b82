// Loops of flow_room.c over runs of cells.
#include "fluid/flow/flow_rows.h"

#include "base/math.h"

static void fill(float *restrict out, size_t n, float value)
{
    for (size_t i = 0; i < n; ++i) out[i] = value;
}

static inline float snap_aperture(float a, float least)
{
    return a < least ? 0.0f : a > 1.0f - MIN_APERTURE ? 1.0f : a;
}

static void set_node_masses(float least, float thin, const uint16_t *restrict owner, float *restrict open,
                            float *restrict mass, size_t n)
{
    for (size_t i = 0; i < n; ++i) open[i] = snap_aperture(open[i], least);
    for (size_t i = 0; i < n; ++i) {
        const float m = max_f(open[i], thin);
        mass[i] = open[i] == 0.0f ? 0.0f : m;
    }
    for (size_t i = 0; i < n; ++i) mass[i] = owner[i] ? 0.0f : mass[i];
}

// By Simpson's rule both ways.
static size_t set_cell_fractions(const float *restrict ax, const float *restrict az,
                                 const float *restrict north, const float *restrict mid_x,
                                 const float *restrict mid_z, float *restrict open, float *restrict mass,
                                 unsigned char *restrict cells, size_t n)
{
    int32_t closed = 0;
    for (size_t i = 0; i < n; ++i) {
        const float w = ax[i], e = ax[i + 1], b = az[i], t = north[i];
        const float x = (w + e) + 4.0f * max_f(mid_x[i], 0.0f), z = (b + t) + 4.0f * max_f(mid_z[i], 0.0f);
        const float area = snap_aperture((1.0f / 12.0f) * (x + z), MIN_APERTURE);
        const bool in = w + e + b + t > 0.0f;
        open[i] = in ? area : 0.0f;
        mass[i] = in ? 1.0f : 0.0f;
        closed += !in;
    }
    for (size_t i = 0; i < n; ++i) cells[i] = mass[i] > 0.0f;
    return (size_t)closed;
}

// A face that is pierced alone is a corner that looks in.
static void find_split_cells(const unsigned char *restrict m, const unsigned char *restrict north,
                             unsigned char *restrict leaks, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        const unsigned char sw = m[i], se = m[i + 1], nw = north[i], ne = north[i + 1];
        const unsigned char west = (sw & FACE_PIERCED_X) != 0, east = (se & FACE_PIERCED_X) != 0,
                            south = (sw & FACE_PIERCED_Z) != 0, top = (nw & FACE_PIERCED_Z) != 0;
        const unsigned char falling = se & nw & ~sw & ~ne & CORNER_SOLID,
                            rising = sw & ne & ~se & ~nw & CORNER_SOLID;
        const unsigned char across = falling ? CELL_SPLIT_FALLING : rising ? CELL_SPLIT_RISING : 0;
        leaks[i] = west + east + south + top > 1 ? CELL_PIERCED : across;
    }
}

static void mark_closed_faces(const uint16_t *restrict owner_u, const uint16_t *restrict owner_v,
                              const float *restrict ax, const float *restrict az,
                              const float *restrict part_x, const float *restrict part_z,
                              unsigned char *restrict marks, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        const int inside = (owner_u[i] != 0) & (owner_v[i] != 0) & (part_x[i] > 0.5f) & (part_z[i] > 0.5f);
        const int closed = (ax[i] < MIN_APERTURE) + 2 * (az[i] < MIN_APERTURE);
        marks[i] = (unsigned char)(inside ? 0 : closed);
    }
}

static void mark_narrow_cells(float below, const float *restrict ax, const float *restrict az,
                              const float *restrict north, unsigned char *restrict marks, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        const float sum = (ax[i] + ax[i + 1]) + (az[i] + north[i]);
        marks[i] = (0.0f < sum) & (sum < below);
    }
}

static void mark_prescribed_nodes(const uint16_t *restrict owner, const float *restrict open,
                                  unsigned char *restrict marks, size_t n)
{
    for (size_t i = 0; i < n; ++i) marks[i] = (owner[i] != 0) | (open[i] == 0.0f);
}

// By pointer: an unsigned index within the run could not go west or south of its first cell.
static inline int leads_to_solid(const uint16_t *owner, const float *link)
{
    return (*owner != 0) & (*link > 0.0f);
}

static void mark_wall_links(const uint16_t *owner, const float *restrict open, const float *along,
                            const float *up, size_t stride, unsigned char *restrict marks, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        const uint16_t *o = owner + i;
        const int links = leads_to_solid(o - 1, along + i) | leads_to_solid(o + 1, along + i + 1) << 1 |
                          leads_to_solid(o - stride, up + i) << 2 |
                          leads_to_solid(o + stride, up + i + stride) << 3;
        const int all = *o ? 1 << FLOW_LINKS : links;
        marks[i] = (unsigned char)(open[i] > 0.0f ? all : 0);
    }
}

static bool find_open_faces(const float *restrict ax, const float *restrict az, const float *restrict north,
                            unsigned char *restrict doors, unsigned char *restrict far, size_t n)
{
    unsigned char least = 255;
    for (size_t i = 0; i < n; ++i) {
        const int x = (ax[i] > 0.0f ? FACE_WEST : 0) | (ax[i + 1] > 0.0f ? FACE_EAST : 0);
        const int z = (az[i] > 0.0f ? FACE_SOUTH : 0) | (north[i] > 0.0f ? FACE_NORTH : 0);
        doors[i] = (unsigned char)(x | z);
    }
    for (size_t i = 0; i < n; ++i) far[i] = doors[i] == FACES_ALL ? 255 : 0;
    for (size_t i = 0; i < n; ++i) least = far[i] < least ? far[i] : least;
    return least == 0;
}

const struct cutcell_kernels KERNELS(cutcell_kernels) = {
    .fill = fill,
    .set_node_masses = set_node_masses,
    .set_cell_fractions = set_cell_fractions,
    .find_split_cells = find_split_cells,
    .mark_closed_faces = mark_closed_faces,
    .mark_narrow_cells = mark_narrow_cells,
    .mark_prescribed_nodes = mark_prescribed_nodes,
    .mark_wall_links = mark_wall_links,
    .find_open_faces = find_open_faces,
};
