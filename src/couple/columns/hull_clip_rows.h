// Kernels that clip the triangles of a hull against columns.
#ifndef COUPLE_HULL_CLIP_ROWS_H
#define COUPLE_HULL_CLIP_ROWS_H

#include "base/math/math.h"
#include "base/parallel/kernels.h"

// Side of the band around the surface. A triangle is on a side if all of its vertices are: v0 & v1 & v2.
enum band_side { IN_BAND, ABOVE_BAND, BELOW_BAND };

// A vertex of a hull in the coordinates of the columns. All triangles at a vertex use the same rounded
// position, so the hull stays closed; float changes it by 1e-7 of its size.
struct column_vertex {
    float x, z; // in columns
    float y;    // [m] above level
    int band;   // enum band_side
};

#define CLIP_LANES 8

// Triangles that lie within two by two columns each.
struct triangle_lanes {
    float x[3][CLIP_LANES], z[3][CLIP_LANES]; // in columns, from the corner of the first one: 0 .. 2
    float y[3][CLIP_LANES];                   // [m] from an arbitrary height
};

// Their parts over the columns (0, 0), (1, 0), (0, 1), (1, 1).
struct cell_shares {
    float area[4][CLIP_LANES];   // fraction of a column, positive where the triangle looks down
    float height[4][CLIP_LANES]; // [m] integral over the area
};

// A part of the hull over one column, in the band.
struct hull_piece {
    float area;   // -(upward area)/s^2: faces that look down are positive
    float height; // [m] mean, above the rest level
    int next;     // 1 + index of the next piece over the same column; 0: none
};

// The hull over one column.
struct column_hull {
    double submerged[2]; // below the band: sum of a, and of a y [m]
    float downward_area; // sum of a over faces that look down
    int first_piece;     // in the band: 1 + index of the first piece; 0: none
};

// A patch of columns, ni in a row. Vertices are counted from origin_i columns and origin_j rows before it.
struct clip_target {
    int ni, origin_i, origin_j;
    struct column_hull *column_hulls;
    struct hull_piece *pieces;
    int piece_count;
};

#define MIN_SHARE 1e-12f // [columns] smaller areas are rounding errors

struct hull_clip_kernels {
    // Vertices (x, z, y, height above the plane of the surface) = map (v, 1), in the band up to the height
    // `edge`; and their bounds.
    void (*transform_vertices)(const vec3 *v, int count, const double map[4][4], float edge,
                               struct column_vertex *out, float low[4], float high[4]);
    void (*split_2x2)(const struct triangle_lanes *in, struct cell_shares *out);
    // Clip the triangles of a list, which are all on the same side of the band. Returns the number of those
    // that do not fit into 2 x 2 columns; `left`: which.
    int (*clip_triangles)(struct clip_target *p, const struct column_vertex *c, const int (*triangles)[3],
                          const int *list, int count, enum band_side side, int *left);
};
KERNELS_DECLARE(struct hull_clip_kernels, hull_clip_kernels);

#endif
