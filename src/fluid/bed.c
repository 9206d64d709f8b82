// The bed: the height of the ground as a sum of terms, the table of kinds of terms, and the checks of a bed
// definition. The depth models (shallow, implicit) sample bed_height() at every cell centre when they are
// created; src/world checks the definition with bed_check().
#include "bed.h"

#include "base/error.h"
#include "base/kind_list.h"
#include "base/math/math.h"

#include <string.h>

// Every kind of bed in the order of its table; X(name) stands for `bed_name`. A new kind is a `const struct
// bed_kind bed_NAME`, here or in a file of its own, and one line in this list. A kind that reads a file also
// needs its reader in the table of src/scene/create/build_bed.c.
#define KIND_PREFIX bed
#define BED_KINDS(X) \
    X(flat)          \
    X(bump)          \
    X(bowl)          \
    X(beach)         \
    X(island)        \
    X(heightmap)     \
    X(esri)

BED_KINDS(DECLARE_KIND)

// ---- kinds ----

static const char *const profile_names[] = {"none", "x", "z", NULL};
#define PARAM_OFFSET(type_) \
    PARAM_NUMBER(type_, offset, "offset", 0, -1e5, 1e5, "m", "height added everywhere")
#define PARAM_POSITION(type_) \
    PARAM_VEC2(type_, position, "position", 0, 0, -1e6, 1e6, "m", "x and z of the centre")
#define PARAM_PROFILE(type_)                                          \
    PARAM_CHOICE(type_, axis, "axis", TARN_BED_RADIAL, profile_names, \
                 "none: radial profile; x, z: the height varies along that axis only")

// [m^2] Squared distance from the centre, or from the centre line of a ridge or valley.
static double distance_squared(const struct bed_point *at, tarn_vec2 centre, tarn_bed_profile profile)
{
    const double dx = profile == TARN_BED_ALONG_Z ? 0.0 : at->x - centre.x,
                 dz = profile == TARN_BED_ALONG_X ? 0.0 : at->z - centre.y;
    return dx * dx + dz * dz;
}

static const tarn_param flat_params[] = {PARAM_OFFSET(tarn_flat_bed)};

static double flat_height(const void *def, const struct bed_point *at)
{
    (void)at;
    return ((const tarn_flat_bed *)def)->offset;
}

static const tarn_param bump_params[] = {
    PARAM_OFFSET(tarn_bump_bed),
    PARAM_POSITION(tarn_bump_bed),
    PARAM_NUMBER(tarn_bump_bed, radius, "radius", 1, 1e-3, 1e6, "m",
                 "radius of the bump; its height is 0 beyond"),
    PARAM_NUMBER(tarn_bump_bed, height, "height", 0.2, -1e4, 1e4, "m",
                 "height at the centre; negative: a hollow"),
    PARAM_PROFILE(tarn_bump_bed),
};

static double bump_height(const void *def, const struct bed_point *at)
{
    const tarn_bump_bed *d = def;
    return d->offset +
           d->height * fmax(0.0, 1.0 - distance_squared(at, d->position, d->axis) / (d->radius * d->radius));
}

static const tarn_param bowl_params[] = {
    PARAM_OFFSET(tarn_bowl_bed),
    PARAM_POSITION(tarn_bowl_bed),
    PARAM_NUMBER(tarn_bowl_bed, radius, "radius", 1, 1e-3, 1e6, "m",
                 "radius at which the ground has risen by `height`"),
    PARAM_NUMBER(tarn_bowl_bed, height, "height", 0.5, -1e4, 1e4, "m",
                 "rise of the ground from the centre to `radius`"),
    PARAM_PROFILE(tarn_bowl_bed),
};

static double bowl_height(const void *def, const struct bed_point *at)
{
    const tarn_bowl_bed *d = def;
    return d->offset + d->height * distance_squared(at, d->position, d->axis) / (d->radius * d->radius);
}

static const tarn_param island_params[] = {
    PARAM_OFFSET(tarn_island_bed),
    PARAM_POSITION(tarn_island_bed),
    PARAM_NUMBER(tarn_island_bed, radius, "radius", 1, 1e-3, 1e6, "m",
                 "radius at which the height has fallen to 1/e"),
    PARAM_NUMBER(tarn_island_bed, height, "height", 1, -1e4, 1e4, "m",
                 "height at the centre; negative: a pit"),
    PARAM_PROFILE(tarn_island_bed),
};

static double island_height(const void *def, const struct bed_point *at)
{
    const tarn_island_bed *d = def;
    const double r2 = distance_squared(at, d->position, d->axis) / (d->radius * d->radius);
    return d->offset + (r2 < 100.0 ? d->height * m_exp(-r2) : 0.0);
}

static const tarn_param beach_params[] = {
    PARAM_OFFSET(tarn_beach_bed),
    PARAM_ANGLE(tarn_beach_bed, angle, "angle", 0, -360, 360,
                "direction of the slope: 0 is up along +x, 90 along +z"),
    PARAM_NUMBER(tarn_beach_bed, start, "start", 0, -1e6, 1e6, "m",
                 "start of the slope: distance from the centre of the domain in that direction"),
    PARAM_NUMBER(tarn_beach_bed, slope, "slope", 0.1, -100, 100, "", "rise per metre"),
    PARAM_NUMBER(tarn_beach_bed, height, "height", 1e4, 0, 1e4, "m",
                 "rise above which the ground is horizontal again"),
};

static double beach_height(const void *def, const struct bed_point *at)
{
    const tarn_beach_bed *d = def;
    const double distance = m_cos(d->angle) * at->x + m_sin(d->angle) * at->z - d->start;
    return d->offset + clamp(d->slope * fmax(0.0, distance), -d->height, d->height);
}

// Bilinear value of the height map, whose pixels cover the domain. Points beyond the outermost pixel centres
// get the value of the edge.
static double sample_map(const tarn_bed_map *m, const struct bed_point *at)
{
    const double px = clamp((at->x / at->width + 0.5) * m->nx - 0.5, 0.0, m->nx - 1.0);
    const double pz = clamp((at->z / at->depth + 0.5) * m->nz - 0.5, 0.0, m->nz - 1.0);
    const int i = imin((int)px, imax(0, m->nx - 2)), j = imin((int)pz, imax(0, m->nz - 2));
    const double a = px - i, b = pz - j;
    const size_t east = m->nx > 1 ? 1 : 0, north = m->nz > 1 ? (size_t)m->nx : 0;
    const double *v = m->values + (size_t)j * (size_t)m->nx + (size_t)i;
    return (1.0 - b) * ((1.0 - a) * v[0] + a * v[east]) + b * ((1.0 - a) * v[north] + a * v[north + east]);
}

// What only scene files have follows the definition.
struct heightmap_params {
    tarn_heightmap_bed bed;
    char file[TARN_FILE_BYTES];
};
static const tarn_param heightmap_params[] = {
    PARAM_FILE(struct heightmap_params, file, "file",
               "PNG image, grey, 8 or 16 bits; its top edge is north (highest z)"),
    PARAM_NUMBER(tarn_heightmap_bed, height, "height", 1, -1e5, 1e5, "m", "height of white above black"),
    PARAM_OFFSET(tarn_heightmap_bed),
};

static double heightmap_height(const void *def, const struct bed_point *at)
{
    const tarn_heightmap_bed *d = def;
    return d->offset + d->height * sample_map(&d->map, at);
}

static const tarn_bed_map *heightmap_map(const void *def) { return &((const tarn_heightmap_bed *)def)->map; }

struct esri_params {
    tarn_esri_bed bed;
    int missing;
    char file[TARN_FILE_BYTES];
};
static const char *const missing_names[] = {"highest", "lowest", "error", NULL};
static const tarn_param esri_params[] = {
    PARAM_FILE(struct esri_params, file, "file", "ESRI ASCII grid, heights in metres"),
    PARAM_CHOICE(
        struct esri_params, missing, "missing", 0, missing_names,
        "replacement of missing values: highest or lowest height of the grid; error: the map is rejected"),
    PARAM_OFFSET(tarn_esri_bed),
};

static double esri_height(const void *def, const struct bed_point *at)
{
    const tarn_esri_bed *d = def;
    return d->offset + sample_map(&d->map, at);
}

static const tarn_bed_map *esri_map(const void *def) { return &((const tarn_esri_bed *)def)->map; }

#define KIND(name_, help_, params_) .kind = {.category = "bed", .name = name_, .help = help_, PARAMS(params_)}

const struct bed_kind bed_flat = {KIND("flat", "horizontal ground", flat_params), .height = flat_height};
const struct bed_kind bed_bump = {KIND("bump", "parabolic bump", bump_params), .height = bump_height};
const struct bed_kind bed_bowl = {KIND("bowl", "parabolic bowl without a rim", bowl_params),
                                  .height = bowl_height};
const struct bed_kind bed_beach = {KIND("beach", "horizontal ground, then a uniform slope", beach_params),
                                   .height = beach_height};
const struct bed_kind bed_island = {KIND("island", "Gaussian hill", island_params), .height = island_height};
const struct bed_kind bed_heightmap = {KIND("heightmap", "grey values of an image", heightmap_params),
                                       .height = heightmap_height, .map = heightmap_map,
                                       .def_size = sizeof(tarn_heightmap_bed)};
const struct bed_kind bed_esri = {KIND("esri", "grid of surveyed heights", esri_params),
                                  .height = esri_height, .map = esri_map, .def_size = sizeof(tarn_esri_bed)};

static const struct bed_kind *const kinds[] = {BED_KINDS(KIND_ADDRESS)};

const struct bed_kind *bed_kind_at(int index)
{
    return 0 <= index && index < (int)(sizeof kinds / sizeof kinds[0]) ? kinds[index] : NULL;
}

// ---- definitions ----

// Parameter lists are read from a buffer of this type, because the struct of a kind may be longer than the
// part of it that is in a tarn_bed_def.
struct params {
    double data[TARN_SPEC_BYTES / sizeof(double)];
};

static size_t def_bytes(const struct bed_kind *kind)
{
    return kind->def_size ? kind->def_size : sizeof((tarn_bed_def *)NULL)->space;
}

tarn_bed_def tarn_default_bed_def(tarn_bed_type type)
{
    tarn_bed_def def = {.type = type};
    const struct bed_kind *kind = bed_kind_at((int)type);
    struct params params = {0};
    if (!kind) return def;
    tarn_kind_init(&kind->kind, params.data);
    memcpy(def.space, params.data, def_bytes(kind));
    return def;
}

tarn_result tarn_bed_def_from_spec(const tarn_spec *spec, tarn_bed_def *out)
{
    int type = 0;
    if (!spec || !out) return TARN_BAD_ARGUMENT;
    while (bed_kind_at(type) && &bed_kind_at(type)->kind != spec->kind) ++type;
    if (!bed_kind_at(type)) return TARN_BAD_ARGUMENT;
    *out = (tarn_bed_def){.type = (tarn_bed_type)type};
    memcpy(out->space, spec->data, def_bytes(bed_kind_at(type)));
    return TARN_OK;
}

tarn_result tarn_bed_def_to_spec(const tarn_bed_def *def, tarn_spec *out)
{
    const struct bed_kind *kind = def ? bed_kind_at((int)def->type) : NULL;
    if (!kind || !out) return TARN_BAD_ARGUMENT;
    tarn_spec_init(out, "bed", kind->kind.name, NULL);
    memcpy(out->data, def->space, def_bytes(kind));
    return TARN_OK;
}

// ---- sum and checks ----

static tarn_result check_map(const tarn_bed_map *m, tarn_error *err)
{
    if (!m->values || m->nx < 1 || m->nz < 1)
        return fail(err, TARN_BAD_INPUT, "bed.file", "the height map is missing");
    for (size_t c = 0; c < (size_t)m->nx * (size_t)m->nz; ++c)
        if (!(fabs(m->values[c]) <= 1e5))
            return fail(err, TARN_BAD_INPUT, "bed.file",
                        "height %.6g in row %d, column %d of the map is outside -1e5 .. 1e5 m", m->values[c],
                        (int)(c / (size_t)m->nx), (int)(c % (size_t)m->nx));
    return TARN_OK;
}

static tarn_result check_term(const tarn_bed_def *def, tarn_error *err)
{
    const struct bed_kind *kind = bed_kind_at((int)def->type);
    struct params params = {0};
    if (!kind) return fail(err, TARN_BAD_INPUT, "bed", "%d is no type of a bed", (int)def->type);
    memcpy(params.data, def->space, def_bytes(kind));
    const tarn_result r = tarn_kind_check(&kind->kind, params.data, err);
    return r == TARN_OK && kind->map ? check_map(kind->map(def->space), err) : r;
}

static int count_maps(const tarn_world_def *def)
{
    int maps = 0;
    for (int i = 0; i < def->bed_count; ++i) {
        const struct bed_kind *kind = bed_kind_at((int)def->beds[i].type);
        maps += kind && kind->map;
    }
    return maps;
}

tarn_result bed_check(const tarn_world_def *def, tarn_error *err)
{
    if (def->bed_count < 0 || def->bed_count > TARN_MAX_BEDS)
        return fail(err, TARN_BAD_ARGUMENT, "bed", "%d terms are outside 0 .. %d", def->bed_count,
                    TARN_MAX_BEDS);
    if (def->bed_count > 0 && !def->beds) return fail(err, TARN_BAD_ARGUMENT, "bed", "null pointer");
    if (count_maps(def) > 1) return fail(err, TARN_BAD_INPUT, "bed", "a bed has at most one height map");
    tarn_result r = TARN_OK;
    for (int i = 0; i < def->bed_count && r == TARN_OK; ++i) r = check_term(&def->beds[i], err);
    return r;
}

double bed_height(const tarn_world_def *def, const struct bed_point *at)
{
    double sum = 0.0;
    for (int i = 0; i < def->bed_count; ++i)
        sum += bed_kind_at((int)def->beds[i].type)->height(def->beds[i].space, at);
    return sum;
}
