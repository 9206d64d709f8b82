// The bed: the height of the ground as a sum of terms, the table of kinds of terms, and the checks of a bed
// definition. The depth models (shallow, implicit) sample bed_height() at every cell centre when they are
// created; src/world checks the definition with bed_check().
#include "bed.h"

#include "base/error.h"
#include "base/kind_list.h"
#include "base/math.h"

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

enum { ROUND, ALONG_X, ALONG_Z };
static const char *const profile_names[] = {"none", "x", "z", NULL};
#define PARAM_BASE(type_) PARAM_NUMBER(type_, base, "offset", 0, -1e5, 1e5, "m", "height added everywhere")
#define PARAM_PROFILE(type_)                                   \
    PARAM_CHOICE(type_, profile, "axis", ROUND, profile_names, \
                 "none: radial profile; x, z: the height varies along that axis only")

// [m^2] Squared distance from the centre, or from the centre line of a ridge or valley.
static double distance_squared(const struct bed_point *at, const double centre[2], int profile)
{
    const double dx = profile == ALONG_Z ? 0.0 : at->x - centre[0],
                 dz = profile == ALONG_X ? 0.0 : at->z - centre[1];
    return dx * dx + dz * dz;
}

struct flat_def {
    double base;
};
static const tarn_param flat_params[] = {PARAM_BASE(struct flat_def)};

static double flat_height(const void *def, const struct bed_point *at)
{
    (void)at;
    return ((const struct flat_def *)def)->base;
}

struct radial_def {
    double base, position[2], radius, height;
    int profile;
};
#define PARAM_CENTRE \
    PARAM_VEC2(struct radial_def, position, "position", 0, 0, -1e6, 1e6, "m", "x and z of the centre")

static const tarn_param bump_params[] = {
    PARAM_BASE(struct radial_def),
    PARAM_CENTRE,
    PARAM_NUMBER(struct radial_def, radius, "radius", 1, 1e-3, 1e6, "m",
                 "radius of the bump; its height is 0 beyond"),
    PARAM_NUMBER(struct radial_def, height, "height", 0.2, -1e4, 1e4, "m",
                 "height at the centre; negative: a hollow"),
    PARAM_PROFILE(struct radial_def),
};

static double bump_height(const void *def, const struct bed_point *at)
{
    const struct radial_def *d = def;
    return d->base + d->height * fmax(0.0, 1.0 - distance_squared(at, d->position, d->profile) /
                                                     (d->radius * d->radius));
}

static const tarn_param bowl_params[] = {
    PARAM_BASE(struct radial_def),
    PARAM_CENTRE,
    PARAM_NUMBER(struct radial_def, radius, "radius", 1, 1e-3, 1e6, "m",
                 "radius at which the ground has risen by `height`"),
    PARAM_NUMBER(struct radial_def, height, "height", 0.5, -1e4, 1e4, "m",
                 "rise of the ground from the centre to `radius`"),
    PARAM_PROFILE(struct radial_def),
};

static double bowl_height(const void *def, const struct bed_point *at)
{
    const struct radial_def *d = def;
    return d->base + d->height * distance_squared(at, d->position, d->profile) / (d->radius * d->radius);
}

static const tarn_param island_params[] = {
    PARAM_BASE(struct radial_def),
    PARAM_CENTRE,
    PARAM_NUMBER(struct radial_def, radius, "radius", 1, 1e-3, 1e6, "m",
                 "radius at which the height has fallen to 1/e"),
    PARAM_NUMBER(struct radial_def, height, "height", 1, -1e4, 1e4, "m",
                 "height at the centre; negative: a pit"),
    PARAM_PROFILE(struct radial_def),
};

static double island_height(const void *def, const struct bed_point *at)
{
    const struct radial_def *d = def;
    const double r2 = distance_squared(at, d->position, d->profile) / (d->radius * d->radius);
    return d->base + (r2 < 100.0 ? d->height * m_exp(-r2) : 0.0);
}

struct beach_def {
    double base, angle, start, slope, height;
};
static const tarn_param beach_params[] = {
    PARAM_BASE(struct beach_def),
    PARAM_NUMBER(struct beach_def, angle, "angle", 0, -360, 360, "degrees",
                 "direction of the slope: 0 is up along +x, 90 along +z"),
    PARAM_NUMBER(struct beach_def, start, "start", 0, -1e6, 1e6, "m",
                 "start of the slope: distance from the centre of the domain in that direction"),
    PARAM_NUMBER(struct beach_def, slope, "slope", 0.1, -100, 100, "", "rise per metre"),
    PARAM_NUMBER(struct beach_def, height, "height", 1e4, 0, 1e4, "m",
                 "rise above which the ground is horizontal again"),
};

static double beach_height(const void *def, const struct bed_point *at)
{
    const struct beach_def *d = def;
    const double angle = d->angle * (PI / 180.0),
                 distance = m_cos(angle) * at->x + m_sin(angle) * at->z - d->start;
    return d->base + clamp(d->slope * fmax(0.0, distance), -d->height, d->height);
}

// Bilinear value of the height map, whose pixels cover the domain. Points beyond the outermost pixel centres
// get the value of the edge.
static double sample_map(const struct bed_point *at)
{
    const tarn_bed_map *m = at->map;
    const double px = clamp((at->x / at->width + 0.5) * m->nx - 0.5, 0.0, m->nx - 1.0);
    const double pz = clamp((at->z / at->depth + 0.5) * m->nz - 0.5, 0.0, m->nz - 1.0);
    const int i = imin((int)px, imax(0, m->nx - 2)), j = imin((int)pz, imax(0, m->nz - 2));
    const double a = px - i, b = pz - j;
    const size_t east = m->nx > 1 ? 1 : 0, north = m->nz > 1 ? (size_t)m->nx : 0;
    const double *v = m->values + (size_t)j * (size_t)m->nx + (size_t)i;
    return (1.0 - b) * ((1.0 - a) * v[0] + a * v[east]) + b * ((1.0 - a) * v[north] + a * v[north + east]);
}

struct map_def {
    double base, height;
    int missing;
    char file[TARN_FILE_BYTES];
};
static const tarn_param heightmap_params[] = {
    PARAM_FILE(struct map_def, file, "file",
               "PNG image, grey, 8 or 16 bits; its top edge is north (highest z)"),
    PARAM_NUMBER(struct map_def, height, "height", 1, -1e5, 1e5, "m", "height of white above black"),
    PARAM_BASE(struct map_def),
};

static double heightmap_height(const void *def, const struct bed_point *at)
{
    const struct map_def *d = def;
    return d->base + d->height * sample_map(at);
}

static const char *const missing_names[] = {"highest", "lowest", "error", NULL};
static const tarn_param esri_params[] = {
    PARAM_FILE(struct map_def, file, "file", "ESRI ASCII grid, heights in metres"),
    PARAM_CHOICE(
        struct map_def, missing, "missing", 0, missing_names,
        "replacement of missing values: highest or lowest height of the grid; error: the map is rejected"),
    PARAM_BASE(struct map_def),
};

static double esri_height(const void *def, const struct bed_point *at)
{
    return ((const struct map_def *)def)->base + sample_map(at);
}

#define KIND(name_, help_, params_) .kind = {.category = "bed", .name = name_, .help = help_, PARAMS(params_)}

const struct bed_kind bed_flat = {KIND("flat", "horizontal ground", flat_params), .height = flat_height};
const struct bed_kind bed_bump = {KIND("bump", "parabolic bump", bump_params), .height = bump_height};
const struct bed_kind bed_bowl = {KIND("bowl", "parabolic bowl without a rim", bowl_params),
                                  .height = bowl_height};
const struct bed_kind bed_beach = {KIND("beach", "horizontal ground, then a uniform slope", beach_params),
                                   .height = beach_height};
const struct bed_kind bed_island = {KIND("island", "Gaussian hill", island_params), .height = island_height};
const struct bed_kind bed_heightmap = {KIND("heightmap", "grey values of an image", heightmap_params),
                                       .height = heightmap_height, .needs_map = true};
const struct bed_kind bed_esri = {KIND("esri", "grid of surveyed heights", esri_params),
                                  .height = esri_height, .needs_map = true};

static const struct bed_kind *const kinds[] = {BED_KINDS(KIND_ADDRESS)};

const struct bed_kind *bed_kind_at(int index)
{
    return 0 <= index && index < (int)(sizeof kinds / sizeof kinds[0]) ? kinds[index] : NULL;
}

// ---- sum and checks ----

static const struct bed_kind *kind_of(const tarn_kind *kind)
{
    for (int i = 0; bed_kind_at(i); ++i)
        if (&bed_kind_at(i)->kind == kind) return bed_kind_at(i);
    return NULL;
}

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

tarn_result bed_check(const tarn_world_def *def, tarn_error *err)
{
    int maps = 0;
    if (def->bed_count < 0 || def->bed_count > TARN_MAX_BEDS)
        return fail(err, TARN_BAD_ARGUMENT, "bed", "%d terms are outside 0 .. %d", def->bed_count,
                    TARN_MAX_BEDS);
    for (int i = 0; i < def->bed_count; ++i) {
        const struct bed_kind *kind = kind_of(def->bed[i].kind);
        if (!kind) return fail(err, TARN_BAD_INPUT, "bed", "unknown kind of bed");
        const tarn_result r = tarn_kind_check(&kind->kind, def->bed[i].data, err);
        if (r != TARN_OK) return r;
        maps += kind->needs_map;
    }
    if (maps > 1) return fail(err, TARN_BAD_INPUT, "bed", "a bed has at most one height map");
    return maps ? check_map(&def->map, err) : TARN_OK;
}

double bed_height(const tarn_world_def *def, const struct bed_point *at)
{
    double sum = 0.0;
    for (int i = 0; i < def->bed_count; ++i) sum += kind_of(def->bed[i].kind)->height(def->bed[i].data, at);
    return sum;
}
