// A box with edges along its own axes, solid or open at the top.
#include "base/error.h"
#include "shape.h"

struct box_def {
    vec3 size;
    double wall;
};

static const tarn_param params[] = {
    PARAM_VEC3(struct box_def, size, "size", 0.5, 0.5, 0.5, 1e-3, 100, "m", "edge lengths"),
    PARAM_NUMBER(struct box_def, wall, "wall", 0, 0, 100, "m",
                 "thickness of walls and floor, open above; 0: solid"),
};

// Corner i: bit 0 is x, bit 1 is y, bit 2 is z.
static vec3 corner(vec3 h, int i) { return v3(i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z); }

// Corners of each side, counter-clockwise from outside.
static const int around[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                 {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};

// Four triangles a side, meeting in its middle: the hull has all the symmetries of the box, so drag, which is
// taken triangle by triangle, has them too.
static bool build(vec3 h, const struct memory *m, struct hull *out)
{
    if (!hull_alloc(out, m, 14, 24)) return false;
    for (int i = 0; i < 8; ++i) out->vertices[i] = corner(h, i);
    for (int f = 0; f < 6; ++f) {
        const int *c = around[f];
        out->vertices[8 + f] = v3_scale(v3_add(out->vertices[c[0]], out->vertices[c[2]]), 0.5);
        for (int k = 0; k < 4; ++k) {
            int *t = out->triangles[4 * f + k];
            t[0] = c[k], t[1] = c[(k + 1) % 4], t[2] = 8 + f;
        }
    }
    hull_finish(out);
    return true;
}

static bool fill_piece(vec3 h, const struct memory *m, struct piece *p)
{
    static const vec3 normals[6] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
    if (!piece_points(p, m, 8, 6, 24)) return false;
    p->half = h;
    p->radius = v3_length(h);
    for (int i = 0; i < 8; ++i) p->points[i] = corner(h, i);
    for (int f = 0; f < 6; ++f) {
        const vec3 n = normals[f];
        p->sides[f] = (struct side){n, fabs(v3_dot(n, h)), 4 * f, 4};
        for (int k = 0; k < 4; ++k) p->corners[4 * f + k] = around[f][k];
    }
    return true;
}

// Without what touches.
static bool make_form(vec3 h, double density, const struct memory *m, struct form *out)
{
    const double volume = 8.0 * h.x * h.y * h.z, mass = density * volume, k = mass / 3.0;
    const double xx = h.x * h.x, yy = h.y * h.y, zz = h.z * h.z;
    *out = (struct form){.volume = volume, .mass = mass};
    out->inertia = (mat3){{{k * (yy + zz), 0, 0}, {0, k * (zz + xx), 0}, {0, 0, k * (xx + yy)}}};
    return build(h, m, &out->hull);
}

static tarn_result make(const struct shape_input *in, const struct memory *m, struct form *out,
                        tarn_error *err)
{
    const struct box_def *d = in->def;
    const vec3 size = d->size, h = v3_scale(size, 0.5);
    const double wall = d->wall;
    tarn_result r = wall > 0.0 ? wall_check(wall, fmin(size.x, size.z), size.y, err) : TARN_OK;
    if (r != TARN_OK) return r;
    if (!make_form(h, in->density, m, out) || !form_pieces(out, m, 1) || !fill_piece(h, m, &out->pieces[0]))
        r = fail(err, TARN_NO_MEMORY, "", "no memory for a box");
    if (r == TARN_OK && wall > 0.0) {
        struct form inner;
        if (make_form(v3(h.x - wall, h.y - 0.5 * wall, h.z - wall), in->density, m, &inner))
            r = form_hollow(out, &inner, m, err);
        else
            r = fail(err, TARN_NO_MEMORY, "", "no memory for a box");
        form_free(&inner, m);
    }
    if (r != TARN_OK) form_free(out, m);
    return r;
}

const struct shape_kind shape_box = {
    .kind = {.room = "shape", .name = "box", .help = "a box, solid or open above", PARAMS(params)},
    .drag = 0.75,
    .facing = 0.9,
    .make = make,
};
