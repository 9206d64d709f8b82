// The loops that cut a hull into columns.
#ifndef COUPLE_PIECES_ROWS_H
#define COUPLE_PIECES_ROWS_H

#include "base/kernels.h"
#include "base/math.h"

// Far above the surface, far below it, or near it. A triangle is where all of its corners are, c0 & c1 & c2.
enum band_side { IN_BAND, ABOVE_BAND, BELOW_BAND };

// A vertex of a hull over the columns. Float is enough: all triangles at a vertex see the same rounded
// one, so the hull stays closed, and it moves by 1e-7 of its size.
struct column_vertex {
    float x, z; // in columns
    float y;    // [m] above level
    int band;   // enum where
};

#define CLIP_LANES 8

// Triangles that lie within two by two columns each.
struct triangle_lanes {
    float x[3][CLIP_LANES], z[3][CLIP_LANES]; // in columns, from the edge of the first one: 0 .. 2
    float y[3][CLIP_LANES];                   // [m] from any height
};

// Their parts over the columns (0, 0), (1, 0), (0, 1), (1, 1).
struct cell_shares {
    float area[4][CLIP_LANES];   // of a column, positive where the triangle looks down
    float height[4][CLIP_LANES]; // [m] integral over the area
};

// A part of the hull over one column, near the surface.
struct hull_piece {
    float area;   // -(upward area)/s^2: undersides count positive
    float height; // [m] mean, above level
    int next;     // 1 + the number of the next over the same column; 0: none
};

// What of the hull stands over one column.
struct column_hull {
    double submerged[2]; // of what is deep under water: sum of a, and of a y [m]
    float downward_area; // sum of a over all that looks down
    int first_piece;     // pieces near the surface: 1 + the number of the first; 0: none
};

// A patch of columns: `shadows` row by row, ni in a row; corners are counted from skip_i columns and
// skip_j rows before it.
struct clip_target {
    int ni, origin_i, origin_j;
    struct column_hull *column_hulls;
    struct hull_piece *pieces;
    int piece_count;
};

#define MIN_SHARE 1e-12f // [columns] smaller areas are rounding

struct hull_clip_kernels {
    // Corners (x, z, y, height above the plane of the surface) = map (v, 1), near it within `edge`; and their
    // bounds.
    void (*transform_vertices)(const vec3 *v, int count, const double map[4][4], float edge,
                               struct column_vertex *out, float low[4], float high[4]);
    void (*split_2x2)(const struct triangle_lanes *in, struct cell_shares *out);
    // The triangles of a list that are all dry, near or deep. Those that do not fit into two by two columns are
    // left: gives back how many, and which.
    int (*clip_triangles)(struct clip_target *p, const struct column_vertex *c, const int (*triangles)[3],
                          const int *list, int count, enum band_side where, int *left);
};
KERNELS_DECLARE(struct hull_clip_kernels, hull_clip_kernels);

#endif
