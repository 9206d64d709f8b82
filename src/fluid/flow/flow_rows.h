// The loops of the flow model. See flow.c for the equations and the order.
//
//              v[c+n]
//           +----------+          p, dye, heat   middle of the cell
//     u[c]  |   c      | u[c+1]   u              west face
//           +----------+          v              south face
//              v[c]               n              one row up
//
// Loops run over columns 0 .. nx and rows j0 .. j1-1 up to nz, so that the faces of the last column and row come out as
// well. What has no mass is held: it keeps what it was. They read three ghosts on every side.
#ifndef FLUID_FLOW_ROWS_H
#define FLUID_FLOW_ROWS_H

#include "base/grid.h"
#include "base/kernels.h"

// What passes with speed s between b and c, a and d being the nodes beyond. Koren's limiter (1993): of third order where
// it is smooth, between the two neighbours everywhere.
static inline float koren_slope(float before, float across)
{
    const float p = before < 0.0f ? -before : before, q = across < 0.0f ? -across : across;
    const float twice = 2.0f * (p < q ? p : q), third = (1.0f / 3.0f) * (p + 2.0f * q);
    const float least = twice < third ? twice : third, way = across > 0.0f ? least : -least;
    return before * across > 0.0f ? 0.5f * way : 0.0f;
}
static inline float koren_flux(float s, float a, float b, float c, float d)
{
    const float forth = b + koren_slope(b - a, c - b), back = c - koren_slope(d - c, c - b);
    return s * (s > 0.0f ? forth : back);
}

// One stage of a Runge-Kutta step: out = (1 - part) old + part (b + k advection(b) + change + spread L b).
struct flow_stage {
    float dt_dx;            // [s/m] dt/dx
    float weight;           // 1 for a plain step
    float diffusion_number; // nu dt/dx^2; 0: none
};

// What is near a row of nodes.
struct near_wall_row {
    const unsigned char *distance_a,
        *distance_b; // how far their cells are from it, with a value before the first and one after the last
    bool include_west;      // and the cells before those
    float margin;           // [cells], at least half of one
    unsigned char min_mark; // mark that counts
    float period[2];        // [cells] to where x and z begin anew, infinite where sides are not periodic
    float face_gap[2];      // [cells] to the next faces along x and z
};

struct flow_kernels {
    void (*momentum)(const struct grid *g, const struct flow_stage *s, const float *mass_u,
                     const float *mass_v, const float *old_u, const float *old_v, const float *u,
                     const float *v, const float *du, const float *dv, float *out_u, float *out_v, int j0,
                     int j1);
    // The same for what the flow (u, v) carries through the open parts of faces; change may be NULL.
    void (*scalar)(const struct grid *g, const struct flow_stage *s, const float *mass, const float *ax,
                   const float *az, const float *u, const float *v, const float *old, const float *q,
                   const float *change, float *out, int j0, int j1);
    // du = -k grad p + ax, dv = likewise + rise (q[c] + q[c-n]); q may be NULL.
    void (*forces)(const struct grid *g, float k, float ax, float az, float rise, const float *p,
                   const float *q, float *du, float *dv, int j0, int j1);
    // w = dv/dx - du/dz of cells times dx
    void (*vorticity)(const struct grid *g, const float *u, const float *v, float *w, int j0, int j1);
    // (fx, fz) = w (n_z, -n_x), n being the way in which |w| grows; it fades where that is less than `least` of |w| a cell
    void (*confinement_force)(const struct grid *g, float min3, const float *w, float *fx, float *fz, int j0,
                              int j1);
    // du += k (fx[c] + fx[c-1]) where the face is open, likewise dv
    void (*add_confinement)(const struct grid *g, float k, const float *ax, const float *az, const float *fx,
                            const float *fz, float *du, float *dv, int j0, int j1);
    // d += k (west (q_w - q) + ...)
    void (*add_diffusion)(const struct grid *g, float k, const float *west, const float *south,
                          const float *q, float *d, int j0, int j1);
    // Row j: b = -(what leaves the cell) - pump (which may be NULL); its squares, summed, and its largest size.
    double (*divergence)(const struct grid *g, const float *ax, const float *az, const float *u,
                         const float *v, const float *pump, double *b, double *most, int j);
    // out = a + b where there is mass, else a
    void (*add_where_free)(const struct grid *g, const float *mass, const float *a, const float *b,
                           float *out, int j0, int j1);
    // out = mass (a - b - c)
    void (*mass_times_difference)(const struct grid *g, const float *mass, const float *a, const float *b,
                                  const float *c, float *out, int j0, int j1);
    // out = (a + b)/2
    void (*mean)(const struct grid *g, const float *a, const float *b, float *out, int j0, int j1);
    // u -= grad x where a face is open, p += k x
    void (*subtract_gradient)(const struct grid *g, double k, const float *ax, const float *az,
                              const double *x, float *u, float *v, float *p, int j0, int j1);
    // n bytes: the least of each and of those `step` before and after it; far := the least of that plus 1, if it is less.
    void (*min3)(const unsigned char *from, ptrdiff_t step, int n, unsigned char *out);
    void (*dilate_distance)(const unsigned char *from, ptrdiff_t step, int n, unsigned char *far);
    // Nodes 0 .. n of a row that have a mass and a way (x, z) which leads to within `margin` of a closed door: 1, or 2
    // if it may meet it; the others 0, and so are marks that do not count. And the mass of the others.
    void (*mark_near)(const struct near_wall_row *r, const float *x, const float *z, const float *mass, int n,
                      unsigned char *out, float *others);
    // Largest |u| + |v| of a cell of row j; infinite or NaN if a value is.
    float (*max_speed)(const struct grid *g, const float *u, const float *v, int j);
};
KERNELS_DECLARE(struct flow_kernels, flow_kernels);

#define MIN_APERTURE 1e-6f // open parts that are smaller are closed

enum { FACE_WEST = 1, FACE_EAST = 2, FACE_SOUTH = 4, FACE_NORTH = 8, FACES_ALL = 15 };

enum { FLOW_LINKS = 4 }; // of a node

// Marks of the south-west corners of cells while the room is built: an obstacle is there; it goes through the west or south face, both
// ends of which are outside. And of cells: it goes through; it leaves two corners across to the fluid.
enum { CORNER_SOLID = 1, FACE_PIERCED_X = 2, FACE_PIERCED_Z = 4 };
enum { CELL_PIERCED = 1, CELL_SPLIT_FALLING, CELL_SPLIT_RISING };

// Of a run of n cells or nodes.
struct cutcell_kernels {
    void (*fill)(float *out, size_t n, float value);
    // Open parts of faces, those below `least` closed; masses of their nodes, 0 where one is owned, else at least `thin`.
    void (*set_node_masses)(float least, float thin, const uint16_t *owner, float *open, float *mass,
                            size_t n);
    // What is open of cells, from their faces and the open parts of the lines through their middles; whether there is any
    // way in, and that as a mass. How many have none.
    size_t (*set_cell_fractions)(const float *ax, const float *az, const float *north, const float *mid_x,
                                 const float *mid_z, float *open, float *mass,
                                 unsigned char *set_cell_fractions, size_t n);
    // Which cells leak, from marks of corners, one row and the next.
    void (*find_split_cells)(const unsigned char *corners, const unsigned char *north,
                             unsigned char *find_split_cells, size_t n);
    // Marks: 1 for west faces, 2 for south faces that are closed, but where all is well inside.
    void (*mark_closed_faces)(const uint16_t *owner_u, const uint16_t *owner_v, const float *ax,
                              const float *az, const float *part_x, const float *part_z, unsigned char *marks,
                              size_t n);
    // 1 for cells whose faces are open by less than `below` together, but not closed.
    void (*mark_narrow_cells)(float below, const float *ax, const float *az, const float *north,
                              unsigned char *marks, size_t n);
    // 1 for nodes that are held: owned, or closed.
    void (*mark_prescribed_nodes)(const uint16_t *owner, const float *open, unsigned char *marks, size_t n);
    // Nodes that are not closed: which of their links to the west, east, south and north, a bit each, lead to one that is
    // owned; or the bit after those for a node that is owned itself.
    void (*mark_wall_links)(const uint16_t *owner, const float *open, const float *along, const float *up,
                            size_t stride, unsigned char *marks, size_t n);
    // Doors of cells, and 0 for those that have a closed one, else 255; whether there are any.
    bool (*find_open_faces)(const float *ax, const float *az, const float *north,
                            unsigned char *find_open_faces, unsigned char *far, size_t n);
};
KERNELS_DECLARE(struct cutcell_kernels, cutcell_kernels);

enum { FLOW_LANES = 8, FLOW_LINE_ARRAYS = 6 };

// Equal lines of nodes, next to each other.
struct tridiagonal_lines {
    const float *mass, *coef; // west: the link to the node before
    float *d;
    size_t start, node_stride, line_stride; // index of the first node, to the next one, to the next line
    int nodes, lines;
    bool cyclic;
    float k;
    const float *low_boundary_coef,
        *high_boundary_coef; // what the links beyond the ends count, for each line
};

// How to follow the flow from the nodes of a field.
struct flow_trace {
    const float *u, *v;
    float node_x, node_z;             // the nodes in their cells: 0 or 1/2
    float min_x, max_x, min_z, max_z; // how far the flow may be followed, in cells
    float period_x, period_z;         // [cells] across periodic sides; 0: they are not
};

// Where the flow comes from and where it goes, in cells from every node.
struct flow_trajectories {
    float *departure_x, *departure_z, *arrival_x, *arrival_z;
};

struct advection_kernels {
    // Places a step of k [s/m] back along the flow, of nodes with mass; k = dt/dx, below 0: where it goes.
    void (*backtrace)(const struct grid *g, const struct flow_trace *t, float k, const float *mass, float *x,
                      float *z, int j0, int j1);
    // Values at places; where there is no mass, q.
    void (*interpolate)(const struct grid *g, const float *mass, const float *x, const float *z,
                        const float *q, float *out, int j0, int j1);
    // The same by cubics, kept within the nearest values.
    void (*interpolate_cubic)(const struct grid *g, const float *mass, const float *x, const float *z,
                              const float *q, float *out, int j0, int j1);
    // MacCormack: q carried is `there`; back again, half the error taken off, clamped. Where there is no mass, there.
    void (*maccormack)(const struct grid *g, const float *mass, const struct flow_trajectories *w,
                       const float *q, const float *there, float *out, int j0, int j1);
    // (mass - k L) x = d on FLOW_LANES lines from `first` on, in place. scratch: FLOW_LINE_ROWS * nodes * FLOW_LANES.
    void (*solve_lines)(const struct tridiagonal_lines *l, int first, float *scratch);
};
KERNELS_DECLARE(struct advection_kernels, advection_kernels);

#endif
