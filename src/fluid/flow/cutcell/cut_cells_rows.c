// Kernels of the cut-cell geometry over runs of cells. cut_cells.c calls them; fluid/flow/flow_rows.h
// describes them.
#include "fluid/flow/flow_rows.h"

#include "base/math/math.h"

static void fill(float *restrict out, size_t n, float value)
{
    for (size_t i = 0; i < n; ++i) out[i] = value;
}

static inline float snap_aperture(float aperture, float min_aperture)
{
    return aperture < min_aperture ? 0.0f : aperture > 1.0f - MIN_APERTURE ? 1.0f : aperture;
}

static void set_node_masses(float min_aperture, float min_mass, const uint16_t *restrict solid_id,
                            float *restrict aperture, float *restrict mass, size_t n)
{
    for (size_t i = 0; i < n; ++i) aperture[i] = snap_aperture(aperture[i], min_aperture);
    for (size_t i = 0; i < n; ++i) {
        const float m = max_f(aperture[i], min_mass);
        mass[i] = aperture[i] == 0.0f ? 0.0f : m;
    }
    for (size_t i = 0; i < n; ++i) mass[i] = solid_id[i] ? 0.0f : mass[i];
}

// Area of the open part of a cell by Simpson's rule along x and along z, averaged.
static size_t set_cell_fractions(const struct cell_lines *lines, float *restrict fraction,
                                 float *restrict mass, unsigned char *restrict is_fluid, size_t n)
{
    const float *ax = lines->west, *az = lines->south, *north = lines->north;
    const float *centre_x = lines->centre_x, *centre_z = lines->centre_z;
    int32_t closed_count = 0;
    for (size_t i = 0; i < n; ++i) {
        const float west = ax[i], east = ax[i + 1], south = az[i], top = north[i];
        const float x = (west + east) + 4.0f * max_f(centre_x[i], 0.0f),
                    z = (south + top) + 4.0f * max_f(centre_z[i], 0.0f);
        const float open_area = snap_aperture((1.0f / 12.0f) * (x + z), MIN_APERTURE);
        const bool has_open_face = west + east + south + top > 0.0f;
        fraction[i] = has_open_face ? open_area : 0.0f;
        mass[i] = has_open_face ? 1.0f : 0.0f;
        closed_count += !has_open_face;
    }
    for (size_t i = 0; i < n; ++i) is_fluid[i] = mass[i] > 0.0f;
    return (size_t)closed_count;
}

// A single pierced face is a corner of a solid that reaches into the cell.
static void find_split_cells(const unsigned char *restrict m, const unsigned char *restrict north,
                             unsigned char *restrict codes, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        const unsigned char sw = m[i], se = m[i + 1], nw = north[i], ne = north[i + 1];
        const unsigned char west = (sw & FACE_PIERCED_X) != 0, east = (se & FACE_PIERCED_X) != 0,
                            south = (sw & FACE_PIERCED_Z) != 0, top = (nw & FACE_PIERCED_Z) != 0;
        const unsigned char falling = se & nw & ~sw & ~ne & CORNER_SOLID,
                            rising = sw & ne & ~se & ~nw & CORNER_SOLID;
        const unsigned char split = falling ? CELL_SPLIT_FALLING : rising ? CELL_SPLIT_RISING : 0;
        codes[i] = west + east + south + top > 1 ? CELL_PIERCED : split;
    }
}

static void mark_closed_faces(const uint16_t *restrict solid_u, const uint16_t *restrict solid_v,
                              const float *restrict ax, const float *restrict az,
                              const float *restrict closed_x, const float *restrict closed_z,
                              unsigned char *restrict marks, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        const int inside =
            (solid_u[i] != 0) & (solid_v[i] != 0) & (closed_x[i] > 0.5f) & (closed_z[i] > 0.5f);
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

static void mark_prescribed_nodes(const uint16_t *restrict solid_id, const float *restrict aperture,
                                  unsigned char *restrict marks, size_t n)
{
    for (size_t i = 0; i < n; ++i) marks[i] = (solid_id[i] != 0) | (aperture[i] == 0.0f);
}

// Takes pointers, since an unsigned index relative to the run cannot be negative.
static inline int leads_to_solid(const uint16_t *solid_id, const float *coef)
{
    return (*solid_id != 0) & (*coef > 0.0f);
}

static void mark_wall_links(const uint16_t *solid_id, const float *restrict aperture, const float *coef_x,
                            const float *coef_z, size_t stride, unsigned char *restrict marks, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        const uint16_t *solid = solid_id + i;
        const int links = leads_to_solid(solid - 1, coef_x + i) |
                          leads_to_solid(solid + 1, coef_x + i + 1) << 1 |
                          leads_to_solid(solid - stride, coef_z + i) << 2 |
                          leads_to_solid(solid + stride, coef_z + i + stride) << 3;
        const int bits = *solid ? 1 << FLOW_LINKS : links;
        marks[i] = (unsigned char)(aperture[i] > 0.0f ? bits : 0);
    }
}

static bool find_open_faces(const float *restrict ax, const float *restrict az, const float *restrict north,
                            unsigned char *restrict open_faces, unsigned char *restrict distance, size_t n)
{
    unsigned char min_distance = 255;
    for (size_t i = 0; i < n; ++i) {
        const int x = (ax[i] > 0.0f ? FACE_WEST : 0) | (ax[i + 1] > 0.0f ? FACE_EAST : 0);
        const int z = (az[i] > 0.0f ? FACE_SOUTH : 0) | (north[i] > 0.0f ? FACE_NORTH : 0);
        open_faces[i] = (unsigned char)(x | z);
    }
    for (size_t i = 0; i < n; ++i) distance[i] = open_faces[i] == FACES_ALL ? 255 : 0;
    for (size_t i = 0; i < n; ++i) min_distance = distance[i] < min_distance ? distance[i] : min_distance;
    return min_distance == 0;
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
