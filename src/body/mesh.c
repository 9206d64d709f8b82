// A closed mesh of triangles, any that solid.h can make a solid of. Mass, inertia and hull are those of the mesh itself;
// it touches as the convex hull of its vertices, of which it takes the 96 that matter most. With the height of a rim it is
// an open form.
#include "base/error.h"
#include "solid.h"

struct mesh_def {
    char file[TARN_FILE_BYTES];
    double scale, rim;
};

static const tarn_param params[] = {
    PARAM_FILE(struct mesh_def, file, "file", "OBJ, PLY, STL or glTF"),
    PARAM_NUMBER(struct mesh_def, scale, "scale", 1, 1e-6, 1e6, "", "size in metres for 1 in the mesh"),
    PARAM_MAYBE(struct mesh_def, rim, "rim", -1e9, 1e9, "m",
                "height y, in the scaled mesh, up to which a boat or a bowl keeps what is outside out"),
};

#define CORNERS 96   // of the convex hull, at most
#define LEAST   1e-3 // [m] longest side of the box: what is smaller is no body
#define MOST    1e3  // [m] what is larger has another unit

// The same in metres. The hull is the caller's, whatever comes.
static tarn_result make_solid(const tarn_triangles *mesh, double scale, const struct memory *m,
                              struct solid *out, tarn_error *err)
{
    const size_t count = 3 * (size_t)mesh->vertex_count;
    double *vertices = memory_alloc(m, count, sizeof *vertices);
    tarn_mesh_facts facts;
    if (!vertices) return fail(err, TARN_NO_MEMORY, "", "no memory for a mesh");
    for (size_t i = 0; i < count; ++i) vertices[i] = scale * mesh->vertices[i];
    const struct soup soup = {mesh->vertex_count, mesh->triangle_count, vertices, mesh->triangles};
    tarn_error why = {0};
    tarn_result r = solid_make(&soup, m, out, &facts, &why);
    memory_free(m, vertices, count, sizeof *vertices);
    if (r == TARN_BAD_INPUT) return fail(err, r, "mesh", "%s", why.text);
    if (r != TARN_OK) return fail(err, r, "", "%s", why.text);
    const vec3 size = v3_sub(facts.box_max, facts.box_min);
    const double longest = fmax(size.x, fmax(size.y, size.z));
    if (!(LEAST <= longest && longest <= MOST)) {
        solid_free(out, m);
        return fail(err, TARN_BAD_INPUT, "scale",
                    "the mesh is %g m long, outside %g .. %g; with another scale it fits", longest, LEAST,
                    MOST);
    }
    return TARN_OK;
}

// Mass and what touches, from the surface of the solid.
static tarn_result fill(struct form *f, double density, const struct memory *m, tarn_error *err)
{
    const struct hull *surface = form_skin(f);
    const struct moments w = hull_moments(surface);
    tarn_error why = {0};
    tarn_result r;
    if (form_is_open(f)) { // corners were moved to the rim
        form_move(f, v3_scale(w.centre, -1.0));
        f->volume = w.volume;
    }
    form_weigh(f, &w, density);
    if (form_pieces(f, m, 1))
        r = piece_hull(&f->pieces[0], m, surface->vertices, surface->vertex_count, CORNERS, &why);
    else
        r = fail(&why, TARN_NO_MEMORY, "", "no memory for a mesh");
    if (r != TARN_OK) return fail(err, r, r == TARN_BAD_INPUT ? "mesh" : "", "%s", why.text);
    return TARN_OK;
}

static tarn_result make(const struct shape_input *in, const struct memory *m, struct form *out,
                        tarn_error *err)
{
    const struct mesh_def *d = in->def;
    struct solid solid;
    *out = (struct form){0};
    if (!in->mesh || in->mesh->triangle_count <= 0 || in->mesh->vertex_count <= 0 || !in->mesh->vertices ||
        !in->mesh->triangles)
        return fail(err, TARN_BAD_INPUT, "mesh", "there are no triangles");
    tarn_result r = make_solid(in->mesh, d->scale, m, &solid, err);
    if (r != TARN_OK) return r;

    out->hull = solid.hull;
    out->volume = solid.volume;
    if (!isnan(d->rim)) r = form_cut(out, d->rim - solid.centre.y, m, err);
    if (r == TARN_OK) r = fill(out, in->density, m, err);
    if (r != TARN_OK) form_free(out, m);
    return r;
}

const struct shape_kind shape_mesh = {
    .kind = {.room = "shape",
             .name = "mesh",
             .help = "a closed mesh; it touches as its convex hull",
             PARAMS(params)},
    .drag = 0.82,
    .facing = 0.9,
    .make = make,
};
