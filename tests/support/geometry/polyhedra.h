// Polyhedra as lists of triangles.
#ifndef TESTS_POLYHEDRA_H
#define TESTS_POLYHEDRA_H

#include "base/math/math.h"

#include <stdlib.h>

struct list {
    int vertex_count, triangle_count, vertex_room, triangle_room;
    double *vertices;
    int *triangles;
};

static inline int point(struct list *l, double x, double y, double z)
{
    if (l->vertex_count == l->vertex_room) {
        l->vertex_room = 2 * l->vertex_room + 64;
        l->vertices = realloc(l->vertices, 3 * sizeof(double) * (size_t)l->vertex_room);
    }
    double *p = l->vertices + 3 * (size_t)l->vertex_count;
    p[0] = x, p[1] = y, p[2] = z;
    return l->vertex_count++;
}

static inline void face(struct list *l, int a, int b, int c)
{
    if (l->triangle_count == l->triangle_room) {
        l->triangle_room = 2 * l->triangle_room + 64;
        l->triangles = realloc(l->triangles, 3 * sizeof(int) * (size_t)l->triangle_room);
    }
    int *t = l->triangles + 3 * (size_t)l->triangle_count++;
    t[0] = a, t[1] = b, t[2] = c;
}

static inline void drop(struct list *l)
{
    free(l->vertices);
    free(l->triangles);
    *l = (struct list){0};
}

// A box with a vertex at `at`; faces point outwards.
static inline void add_box(struct list *l, vec3 at, vec3 size)
{
    static const int sides[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    const int base = l->vertex_count;
    for (int i = 0; i < 8; ++i)
        point(l, at.x + (i & 1 ? size.x : 0), at.y + (i & 2 ? size.y : 0), at.z + (i & 4 ? size.z : 0));
    for (int f = 0; f < 6; ++f) {
        face(l, base + sides[f][0], base + sides[f][1], base + sides[f][2]);
        face(l, base + sides[f][0], base + sides[f][2], base + sides[f][3]);
    }
}

static inline struct list cube(void)
{
    struct list l = {0};
    add_box(&l, v3(0, 0, 0), v3(1, 1, 1));
    return l;
}

static inline void turn_faces(struct list *l, int first, int step)
{
    for (int t = first; t < l->triangle_count; t += step) {
        int *c = l->triangles + 3 * t;
        const int x = c[1];
        c[1] = c[2], c[2] = x;
    }
}

static inline struct list torus(double R, double r, int n, int m)
{
    struct list l = {0};
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) {
            const double a = 2 * PI * i / n, b = 2 * PI * j / m, d = R + r * cos(b);
            point(&l, d * cos(a), d * sin(a), r * sin(b));
        }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) {
            const int i1 = (i + 1) % n, j1 = (j + 1) % m;
            face(&l, i * m + j, i1 * m + j, i1 * m + j1);
            face(&l, i * m + j, i1 * m + j1, i * m + j1);
        }
    return l;
}

// A sphere of n sectors and m belts, scaled per axis.
static inline struct list globe(vec3 radii, int n, int m)
{
    struct list l = {0};
    for (int j = 1; j < m; ++j)
        for (int i = 0; i < n; ++i) {
            const double a = 2 * PI * i / n, b = PI * j / m;
            point(&l, radii.x * sin(b) * cos(a), radii.y * sin(b) * sin(a), radii.z * cos(b));
        }
    const int top = point(&l, 0, 0, radii.z), bottom = point(&l, 0, 0, -radii.z), last = (m - 2) * n;
    for (int i = 0; i < n; ++i) {
        const int k = (i + 1) % n;
        face(&l, top, i, k);
        face(&l, bottom, last + k, last + i);
        for (int j = 0; j + 1 < m - 1; ++j) {
            face(&l, j * n + i, (j + 1) * n + i, (j + 1) * n + k);
            face(&l, j * n + i, (j + 1) * n + k, j * n + k);
        }
    }
    return l;
}

static inline struct list tetrahedron(double a)
{
    struct list l = {0};
    const double h = a / sqrt(8.0);
    const int s[4][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    for (int i = 0; i < 4; ++i) point(&l, h * s[i][0], h * s[i][1], h * s[i][2]);
    face(&l, 0, 1, 2), face(&l, 0, 3, 1), face(&l, 0, 2, 3), face(&l, 1, 3, 2);
    return l;
}

static inline struct list icosahedron(double a)
{
    static const int f[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                 {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                 {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                 {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    const double u = a / 2, w = u * (1 + sqrt(5.0)) / 2;
    const double p[12][3] = {{-u, w, 0},  {u, w, 0},  {-u, -w, 0}, {u, -w, 0}, {0, -u, w},  {0, u, w},
                             {0, -u, -w}, {0, u, -w}, {w, 0, -u},  {w, 0, u},  {-w, 0, -u}, {-w, 0, u}};
    struct list l = {0};
    for (int i = 0; i < 12; ++i) point(&l, p[i][0], p[i][1], p[i][2]);
    for (int i = 0; i < 20; ++i) face(&l, f[i][0], f[i][1], f[i][2]);
    return l;
}

#endif
