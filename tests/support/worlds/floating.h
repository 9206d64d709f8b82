// Basins of `wave` and `shallow`, seven floating shapes, and their equilibrium poses.
#ifndef TESTS_FLOATING_H
#define TESTS_FLOATING_H

#include "body_def.h"
#include "body_queries.h"
#include "wave_world.h"

#include "base/math/math.h"

#include <stdio.h>

static const char *const models[2] = {"wave", "shallow"};

// A quick run alternates between the models; a long one runs all cases in both.
static inline bool in_quick_subset(int model, int k) { return long_mode() || model == k % 2; }

// A basin of square cells, still water at `depth`.
struct basin {
    int model; // of models
    int nx, nz;
    double cell;      // [m]
    double depth;     // [m] 0: 1
    const char *side; // all four; NULL: "open", so that waves leave
    bool one_way;     // the water has loads on bodies, but not bodies on the water
    double dt;        // [s] 0: default
};

static inline tarn_world *basin_create(const struct basin *b)
{
    struct world_setup d = world_setup_of(models[b->model]);
    tarn_world *w = NULL;
    tarn_error err = {0};
    if (b->dt > 0.0) d.world.dt = b->dt;
    if (b->one_way) d.world.coupling_strength = 0.0;
    set_size(&d.fluid, b->nx * b->cell, b->nz * b->cell);
    set_cells(&d.fluid, b->nx, b->nz);
    set_depth(&d.fluid, b->depth > 0.0 ? b->depth : 1.0);
    for (int i = 0; i < 4; ++i) set_boundary(&d.fluid, (tarn_side)i, b->side ? b->side : "open");
    const tarn_result r = setup_create(&d, &w, &err);
    if (r != TARN_OK) print_message("%s: %s\n", err.key, err.message);
    CHECK_OK(r);
    return w;
}

// ---- seven shapes ---------------------------------------------------------------------------------

enum { SPHERE, BOX, CYLINDER, CONE, TORUS, WIGLEY, BUNNY, SHAPES };
static const char *const shape_names[SHAPES] = {"sphere", "box",    "cylinder", "cone",
                                                "torus",  "wigley", "bunny"};
#define BODY 0.5 // [m] the longest side of each

// The Stanford bunny as glmark2 has it: installed, not copied. Lines "v x y z" and "f a b c", nothing else.
static inline bool bunny_read(tarn_mesh *out)
{
    enum { CAPACITY = 70000 };
    FILE *file = fopen("/usr/share/glmark2/models/bunny.obj", "r");
    if (!file) return false;
    double *v = malloc(3 * CAPACITY * sizeof *v);
    int *t = malloc(3 * CAPACITY * sizeof *t), vertices = 0, triangles = 0;
    char line[200];
    while (v && t && fgets(line, sizeof line, file)) {
        double *p = v + 3 * vertices;
        int *f = t + 3 * triangles;
        if (vertices < CAPACITY && sscanf(line, "v %lf %lf %lf", &p[0], &p[1], &p[2]) == 3) ++vertices;
        if (triangles < CAPACITY && sscanf(line, "f %d %d %d", &f[0], &f[1], &f[2]) == 3) {
            for (int k = 0; k < 3; ++k) f[k] -= 1;
            ++triangles;
        }
    }
    fclose(file);
    *out = (tarn_mesh){vertices, triangles, v, t};
    return true;
}

static inline void bunny_free(tarn_mesh *t)
{
    free((void *)t->vertices);
    free((void *)t->triangles);
}

static inline void set_shape_number(tarn_body_def *d, const char *name, double value)
{
    CHECK_OK(set_shape(d, name, tarn_value_number(value), NULL));
}

// Shapes that are low and wide float upright at half the density of water; the cylinder lies on its side.
static inline tarn_body_def floating_def(int k, const tarn_mesh *bunny)
{
    tarn_body_def d = k == BUNNY ? tarn_default_body_def() : body_def(shape_names[k]);
    d.drag_coefficient = TEST_DRAG, d.form_drag_fraction = 0.9;
    if (k == SPHERE) set_shape_number(&d, "radius", 0.25);
    if (k == BOX) CHECK_OK(set_shape(&d, "size", tarn_value_vec3(0.5, 0.2, 0.4), NULL));
    if (k == CYLINDER) {
        set_shape_number(&d, "radius", 0.1), set_shape_number(&d, "height", 0.5);
        d.rotation = quat_from_rotation_vector(v3(0, 0, 0.5 * PI));
    }
    if (k == CONE) set_shape_number(&d, "radius", 0.25), set_shape_number(&d, "height", 0.2);
    if (k == TORUS) set_shape_number(&d, "radius", 0.18), set_shape_number(&d, "tube_radius", 0.07);
    if (k == WIGLEY) {
        set_shape_number(&d, "length", 0.5), set_shape_number(&d, "breadth", 0.2);
        set_shape_number(&d, "draft", 0.08), set_shape_number(&d, "freeboard", 0.05);
    }
    if (k == BUNNY) {
        tarn_shape_def mesh = tarn_default_shape_def(TARN_SHAPE_MESH);
        mesh.mesh.mesh = *bunny, mesh.mesh.scale = 0.25;
        d.shape = shape_of(mesh);
    }
    return d;
}

// ---- poses at rest --------------------------------------------------------------------------------

// A kinematic body in still water without load on it: its load at any pose.
struct buoyancy_probe {
    tarn_world *world;
    tarn_body_id body;
    double volume; // [m^3]
};

static inline struct buoyancy_probe probe_create(const tarn_body_def *d)
{
    struct buoyancy_probe s;
    tarn_body_def held = *d;
    tarn_body_info info;
    held.type = TARN_BODY_KINEMATIC, held.position = (tarn_vec3){0, 1, 0};
    s.world = basin_create(&(struct basin){.nx = 8, .nz = 8, .cell = 0.25, .one_way = true});
    s.body = put(s.world, &held);
    CHECK_OK(tarn_body_get_info(s.world, s.body, &info));
    s.volume = info.volume;
    return s;
}

static inline void probe_destroy(struct buoyancy_probe *s) { tarn_world_destroy(s->world); }

static inline tarn_load probe_load(struct buoyancy_probe *s, double y, quat rotation)
{
    const tarn_body_state m = {{0, y, 0}, rotation, {0, 0, 0}, {0, 0, 0}};
    CHECK_OK(tarn_body_set_state(s->world, s->body, &m));
    CHECK_OK(tarn_world_advance(s->world, 1.0 / 60.0));
    return load_of(s->world, s->body);
}

// The equilibrium height of a body of this density, by bisection.
static inline double probe_height(struct buoyancy_probe *s, double density, quat rotation)
{
    const double weight = density * s->volume * 9.81;
    double low = 1.0 - BODY, high = 1.0 + BODY;
    for (int n = 0; n < 26; ++n) {
        const double y = 0.5 * (low + high);
        if (probe_load(s, y, rotation).buoyancy.y > weight)
            low = y;
        else
            high = y;
    }
    return 0.5 * (low + high);
}

// The pose near `rotation` in which force and torque are zero, by Newton's method on height and two tilts,
// with a lever of half a body to make forces of torques. False where it is not stable or not found.
static inline bool probe_rest(struct buoyancy_probe *s, double density, double *y, quat *rotation)
{
    const double weight = density * s->volume * 9.81, lever = 0.5 * BODY, small = 1e-4;
    bool stable = false;
    for (int n = 0; n < 30; ++n) {
        vec3 r[4]; // residual force and torques, here and after a small change of height and of each tilt
        for (int k = 0; k < 4; ++k) {
            const vec3 tilt = v3(k == 2 ? small : 0, 0, k == 3 ? small : 0);
            const tarn_load l = probe_load(s, *y + (k == 1 ? lever * small : 0),
                                           quat_mul(quat_from_rotation_vector(tilt), *rotation));
            r[k] = v3((l.buoyancy.y - weight) / weight, l.torque.x / (lever * weight),
                      l.torque.z / (lever * weight));
            if (k > 0) r[k] = v3_scale(v3_sub(r[k], r[0]), 1.0 / small);
        }
        const vec3 f = r[0], a = r[1], b = r[2], c = r[3];
        stable = b.y < 1e-6 && c.z < 1e-6 && b.y * c.z - b.z * c.y > -1e-6;
        if (v3_length(f) < 1e-9) return stable;
        // A ball has no preferred tilt: a small stiffness keeps the matrix regular.
        const vec3 bb = v3(b.x, b.y - 1e-5, b.z), cc = v3(c.x, c.y, c.z - 1e-5);
        const double det = v3_dot(a, v3_cross(bb, cc));
        const vec3 d =
            v3_scale(v3(v3_dot(f, v3_cross(bb, cc)), v3_dot(a, v3_cross(f, cc)), v3_dot(a, v3_cross(bb, f))),
                     -1.0 / det);
        const double most = fmax(fabs(d.x), fmax(fabs(d.y), fabs(d.z))), part = most > 0.1 ? 0.1 / most : 1.0;
        *y += part * lever * d.x;
        *rotation =
            quat_normalize(quat_mul(quat_from_rotation_vector(v3(part * d.y, 0, part * d.z)), *rotation));
    }
    return false;
}

#endif
