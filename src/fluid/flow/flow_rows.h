// Kernels of the planar model. flow.c has the equations, flow_step.c the order of a substep.
//
//                v[c+n]
//             +----------+          p, dye, temperature   cell centre
//       u[c]  |   c      | u[c+1]   u                     west face
//             +----------+          v                     south face
//                v[c]               n                     one row up
//
// Loops run over columns 0 .. nx and rows j0 .. j1-1 up to nz, so that the faces on the east and north side
// of the domain are included. Nodes without mass are prescribed and keep their values. Kernels read up to
// three ghosts on every side.
#ifndef FLUID_FLOW_ROWS_H
#define FLUID_FLOW_ROWS_H

#include "base/grid.h"
#include "base/parallel/kernels.h"

// Flux with velocity s between nodes b and c, a and d being their outer neighbours: upwind with Koren's
// limiter [koren1993], third order where the solution is smooth and bounded by b and c.
static inline float koren_slope(float upwind, float local)
{
    const float p = upwind < 0.0f ? -upwind : upwind, q = local < 0.0f ? -local : local;
    const float bound = 2.0f * (p < q ? p : q), third_order = (1.0f / 3.0f) * (p + 2.0f * q);
    const float smallest = bound < third_order ? bound : third_order,
                slope = local > 0.0f ? smallest : -smallest;
    return upwind * local > 0.0f ? 0.5f * slope : 0.0f;
}
static inline float koren_flux(float s, float a, float b, float c, float d)
{
    const float from_west = b + koren_slope(b - a, c - b), from_east = c - koren_slope(d - c, c - b);
    return s * (s > 0.0f ? from_west : from_east);
}

// 60 times the flux with velocity s between c and d: sixth-order central minus the term that makes it the
// fifth-order upwind flux, which damps waves of a few cells only.
static inline float upwind5_flux(float s, float a, float b, float c, float d, float e, float f)
{
    const float central = (37.0f * (c + d) - 8.0f * (b + e)) + (a + f);
    const float damping = (10.0f * (c - d) - 5.0f * (b - e)) + (a - f);
    return s * central + abs_f(s) * damping;
}

// A Runge-Kutta stage of a quantity q:
//
//     out = (1 - weight) old + weight (q + dt_dx advection(q) + change + diffusion_number laplacian(q))
struct flow_stage {
    float dt_dx;            // [s/m]
    float weight;           // 1 for a full step
    float diffusion_number; // nu dt/dx^2; 0: none
};

// Open fractions (apertures) of the west and south faces and the velocities there.
struct flow_faces {
    const float *aperture_x, *aperture_z, *u, *v;
};

// One component of the velocity in a stage. Nodes without mass keep `old`.
struct momentum_stage {
    const float *mass, *old;
    const float *u, *v;  // at the start of the stage: the component, the other one
    const float *change; // [m/s] by forces, and by diffusion if that is implicit
    float *out;
};

// A scalar in a stage.
struct scalar_stage {
    struct flow_faces faces;
    const float *mass, *old, *q, *change;
};

struct force_terms {
    float dt_dx;                         // [s/m]
    float accel_x, accel_z;              // [m/s] body force times dt
    float buoyancy;                      // [m/s/K] half the buoyancy of 1 K times dt
    const float *pressure, *temperature; // temperature NULL: no buoyancy
};

struct confinement_terms {
    float scale;
    const float *aperture_x, *aperture_z, *force_x, *force_z;
};

// Potential x whose gradient is subtracted from the velocity.
struct potential_step {
    const float *aperture_x, *aperture_z;
    const double *x;
    double pressure_scale; // the pressure changes by pressure_scale x
};

// Arguments of mark_near for a row of nodes.
struct near_wall_row {
    const unsigned char *distance_a,
        *distance_b;        // wall distances of the two cells of a node, valid from index -1 to n
    bool include_west;      // use also the cells to the west
    float margin;           // [cells] at least 0.5
    unsigned char min_mark; // smaller marks are cleared
    float period[2];        // [cells] periods along x and z, infinite where sides are not periodic
    float face_gap[2];      // [cells] from the node to the next faces along x and z
};

struct flow_kernels {
    // One stage for both velocity components.
    void (*momentum)(const struct grid *g, const struct flow_stage *s,
                     const struct momentum_stage component[2], int j0, int j1);
    // One stage of a scalar, with fluxes through the open fractions of faces.
    void (*scalar)(const struct grid *g, const struct flow_stage *s, const struct scalar_stage *scalar,
                   float *out, int j0, int j1);
    // du = -dt_dx dp/dx + accel_x, dv = -dt_dx dp/dz + accel_z + buoyancy (T[c] + T[c-n])
    void (*forces)(const struct grid *g, const struct force_terms *terms, float *du, float *dv, int j0,
                   int j1);
    // w = (dv/dx - du/dz) dx at cell centres
    void (*vorticity)(const struct grid *g, const float *u, const float *v, float *w, int j0, int j1);
    // (fx, fz) = w (n_z, -n_x) with n = grad|w|/|grad|w||; it fades where |grad|w|| dx < min_gradient |w|
    void (*confinement_force)(const struct grid *g, float min_gradient, const float *w, float *fx, float *fz,
                              int j0, int j1);
    // du += scale aperture (force_x[c] + force_x[c-1]), dv in the same way
    void (*add_confinement)(const struct grid *g, const struct confinement_terms *terms, float *du, float *dv,
                            int j0, int j1);
    // change += diffusion_number (coef_x (q_west - q) + ...)
    void (*add_diffusion)(const struct grid *g, float diffusion_number, const float *coef_x,
                          const float *coef_z, const float *q, float *change, int j0, int j1);
    // Row j: b = -(net outflow of a cell) - wall_flux (which may be NULL). Returns the sum of squares; *max
    // is the largest absolute value.
    double (*divergence)(const struct grid *g, const struct flow_faces *faces, const float *wall_flux,
                         double *b, double *max, int j);
    // out = a + b where the node has mass, else a
    void (*add_where_free)(const struct grid *g, const float *mass, const float *a, const float *b,
                           float *out, int j0, int j1);
    // out = mass (a - b - c)
    void (*mass_times_difference)(const struct grid *g, const float *mass, const float *a, const float *b,
                                  const float *c, float *out, int j0, int j1);
    // out = (a + b)/2
    void (*mean)(const struct grid *g, const float *a, const float *b, float *out, int j0, int j1);
    // u -= grad(x) on open faces, p += pressure_scale x
    void (*subtract_gradient)(const struct grid *g, const struct potential_step *step, float *u, float *v,
                              float *p, int j0, int j1);
    // For n bytes: the minimum of each byte and of those `step` before and after it; and distance =
    // min(distance, that minimum + 1).
    void (*min3)(const unsigned char *from, ptrdiff_t step, int n, unsigned char *out);
    void (*dilate_distance)(const unsigned char *from, ptrdiff_t step, int n, unsigned char *distance);
    // Marks for nodes 0 .. n of a row with mass: 1 if the displacement (x, z) ends within `margin` of a cell
    // with a closed face, 2 if it may cross a closed face, else 0; marks below min_mark are cleared.
    // mass_away receives the mass of nodes with mark 0.
    void (*mark_near)(const struct near_wall_row *r, const float *x, const float *z, const float *mass, int n,
                      unsigned char *out, float *mass_away);
    // Largest |u| + |v| of a cell of row j; infinite or NaN if a value is not finite.
    float (*max_speed)(const struct grid *g, const float *u, const float *v, int j);
};
KERNELS_DECLARE(struct flow_kernels, flow_kernels);

#define MIN_APERTURE 1e-6f // smaller apertures are closed

enum { FACE_WEST = 1, FACE_EAST = 2, FACE_SOUTH = 4, FACE_NORTH = 8, FACES_ALL = 15 };

enum { FLOW_LINKS = 4 }; // of a node: west, east, south, north

// Marks of the south-west corner of a cell while cut cells are built: the corner lies in a solid; a solid
// crosses the west or south face and covers neither end of it. Codes of cells: a thin solid passes through
// it; the solid covers two opposite corners and splits the fluid.
enum { CORNER_SOLID = 1, FACE_PIERCED_X = 2, FACE_PIERCED_Z = 4 };
enum { CELL_PIERCED = 1, CELL_SPLIT_FALLING, CELL_SPLIT_RISING };

// Apertures of the faces of a run of cells, and open fractions of the lines through their centres (below 0
// where solids overlap).
struct cell_lines {
    const float *west, *south, *north, *centre_x, *centre_z; // the east face of a cell is the next one's west
};

// Kernels of the cut-cell geometry, for a run of n cells or nodes.
struct cutcell_kernels {
    void (*fill)(float *out, size_t n, float value);
    // Close apertures below min_aperture; masses of nodes: 0 in a solid, else at least min_mass.
    void (*set_node_masses)(float min_aperture, float min_mass, const uint16_t *solid_id, float *aperture,
                            float *mass, size_t n);
    // Volume fractions from the apertures of the faces and the open fractions of the lines through cell
    // centres; masses and the mask of cells with an open face. Returns the number of cells without one.
    size_t (*set_cell_fractions)(const struct cell_lines *lines, float *fraction, float *mass,
                                 unsigned char *is_fluid, size_t n);
    // Codes of split cells from the corner marks of one row and the next.
    void (*find_split_cells)(const unsigned char *corners, const unsigned char *north, unsigned char *codes,
                             size_t n);
    // Marks: 1 for closed west faces, 2 for closed south faces; 0 well inside a solid.
    void (*mark_closed_faces)(const uint16_t *solid_u, const uint16_t *solid_v, const float *ax,
                              const float *az, const float *closed_x, const float *closed_z,
                              unsigned char *marks, size_t n);
    // 1 for cells with an open face whose apertures sum up to less than `below`.
    void (*mark_narrow_cells)(float below, const float *ax, const float *az, const float *north,
                              unsigned char *marks, size_t n);
    // 1 for prescribed nodes: in a solid, or on a closed face.
    void (*mark_prescribed_nodes)(const uint16_t *solid_id, const float *aperture, unsigned char *marks,
                                  size_t n);
    // For nodes on open faces, a bit for each link to the west, east, south and north that leads to a node in
    // a solid; or bit FLOW_LINKS for a node in a solid itself.
    void (*mark_wall_links)(const uint16_t *solid_id, const float *aperture, const float *coef_x,
                            const float *coef_z, size_t stride, unsigned char *marks, size_t n);
    // Open faces of cells, and distance 0 for cells with a closed face, else 255. True if there is a closed
    // face.
    bool (*find_open_faces)(const float *ax, const float *az, const float *north, unsigned char *open_faces,
                            unsigned char *distance, size_t n);
};
KERNELS_DECLARE(struct cutcell_kernels, cutcell_kernels);

enum { FLOW_LANES = 8, FLOW_LINE_ARRAYS = 6 };

// Parallel lines of nodes for an implicit solve.
struct tridiagonal_lines {
    const float *mass, *coef; // coef: of the link to the preceding node
    float *d;
    size_t start, node_stride,
        line_stride; // index of the first node; strides to the next node and to the next line
    int nodes, lines;
    bool cyclic;
    float diffusion_number;
    const float *low_boundary_coef,
        *high_boundary_coef; // factors of the coefficients through the ends, for each line
};

// A backtrace from the nodes of a field.
struct flow_trace {
    const float *u, *v;
    float node_x, node_z;             // position of the node in its cell: 0 or 1/2
    float min_x, max_x, min_z, max_z; // [cells] bounds of the backtrace
    float period_x, period_z;         // [cells] periods; 0: not periodic
};

// Departure and arrival points, as displacements from each node [cells].
struct flow_trajectories {
    float *departure_x, *departure_z, *arrival_x, *arrival_z;
};

struct advection_kernels {
    // Points reached in a step dt_dx [s/m] back along the flow, for nodes with mass; dt_dx < 0: forward.
    void (*backtrace)(const struct grid *g, const struct flow_trace *t, float dt_dx, const float *mass,
                      float *x, float *z, int j0, int j1);
    // Bilinear interpolation at the points; q where the node has no mass.
    void (*interpolate)(const struct grid *g, const float *mass, const float *x, const float *z,
                        const float *q, float *out, int j0, int j1);
    // Bicubic interpolation, clamped to the four nearest values.
    void (*interpolate_cubic)(const struct grid *g, const float *mass, const float *x, const float *z,
                              const float *q, float *out, int j0, int j1);
    // MacCormack: `forward` is q advected; it is advected back, half of the error is subtracted, and the
    // result is clamped. `forward` where the node has no mass.
    void (*maccormack)(const struct grid *g, const float *mass, const struct flow_trajectories *paths,
                       const float *q, const float *forward, float *out, int j0, int j1);
    // Solves (mass - diffusion_number L) x = d on FLOW_LANES lines from `first` on, in place. scratch:
    // FLOW_LINE_ARRAYS * nodes * FLOW_LANES floats.
    void (*solve_lines)(const struct tridiagonal_lines *l, int first, float *scratch);
};
KERNELS_DECLARE(struct advection_kernels, advection_kernels);

#endif
