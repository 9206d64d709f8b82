// The planar model (flow): incompressible flow with dye and temperature in the vertical (x, y) plane.
//
//     u_t + u . grad(u) = -grad(p)/rho + nu lap(u) + beta g (T - T0) up + force,     div(u) = 0
//     T_t + u . grad(T) = a lap(T),     and the same for dye
//
// Staggered (MAC) grid [harlow1965]: velocities on faces, everything else at cell centres. Rows run upwards:
// the axis that height fields call z is y here, and the origin is the lower left corner of the domain. This
// file has the parameters, memory, queries, sources and the checkpoint; flow_step.c has the substep.
#include "flow.h"

#include "base/error.h"
#include "base/parallel/sum.h"

#include <string.h>

static const char *const boundary_names[] = {"wall", "inflow", "outflow", "periodic", NULL};
static const char *const advection_names[] = {"maccormack", "semi-lagrangian", "conservative", NULL};
static const char *const profile_names[] = {"uniform", "parabolic", NULL};

#define BOUNDARY_PARAMS(i, name_)                                                                            \
    PARAM_CHOICE(tarn_flow_def, boundary[i].type, "boundary." name_, TARN_FLOW_WALL, boundary_names,         \
                 "boundary condition"),                                                                      \
        PARAM_FLAG(tarn_flow_def, boundary[i].slip, "boundary." name_ ".slip", 0, "wall: no shear"),         \
        PARAM_OPTIONAL_LIVE(tarn_flow_def, boundary[i].wall_speed, "boundary." name_ ".wall_speed", -1e4,    \
                            1e4, "m/s", "wall: velocity along the side"),                                    \
        PARAM_OPTIONAL_LIVE(tarn_flow_def, boundary[i].inflow_speed, "boundary." name_ ".inflow_speed",      \
                            -1e4, 1e4, "m/s", "inflow: normal velocity, positive into the domain"),          \
        PARAM_CHOICE(tarn_flow_def, boundary[i].profile, "boundary." name_ ".profile", TARN_FLOW_UNIFORM,    \
                     profile_names, "inflow: parabolic has `inflow_speed` at its centre and 0 at its ends"), \
        PARAM_OPTIONAL(tarn_flow_def, boundary[i].start, "boundary." name_ ".start", 0, 1e6, "m",            \
                       "inflow, outflow: start along the side; the rest is wall"),                           \
        PARAM_OPTIONAL(tarn_flow_def, boundary[i].end, "boundary." name_ ".end", 0, 1e6, "m",                \
                       "inflow, outflow: end along the side"),                                               \
        PARAM_OPTIONAL_LIVE(tarn_flow_def, boundary[i].dye, "boundary." name_ ".dye", 0, 1e6, "",            \
                            "inflow: dye concentration"),                                                    \
        PARAM_OPTIONAL_LIVE(tarn_flow_def, boundary[i].temperature, "boundary." name_ ".temperature", -1e6,  \
                            1e6, "K", "temperature of an inflow or a wall; wall without: insulated"),        \
        PARAM_POINTS(tarn_flow_def, boundary[i].hot_spots, boundary[i].hot_spot_count,                       \
                     "boundary." name_ ".hot_spots", 3, FLOW_MAX_SPOTS, -1e6, 1e6, "m",                      \
                     "wall: sections with their own temperature: start, end, temperature")

static const tarn_param params[] = {
    PARAM_VEC2(tarn_flow_def, size, "size", 1, 1, 1e-6, 1e6, "m", "lengths of the domain along x and y"),
    PARAM_INT2(tarn_flow_def, cells, "cells", 128, 128, 4, 32768,
               "number of cells along x and y; cells must be square"),
    PARAM_CHOICE(tarn_flow_def, advection, "advection", TARN_FLOW_MACCORMACK, advection_names,
                 "conservative: accurate and conserving; the others: fast, for visual use"),
    PARAM_LIVE(tarn_flow_def, viscosity, "viscosity", 1e-5, 0, 1e4, "m^2/s",
               "kinematic viscosity; air 1.5e-5"),
    PARAM_LIVE(tarn_flow_def, dye.diffusivity, "dye.diffusivity", 0, 0, 1e4, "m^2/s", "diffusivity of dye"),
    PARAM_LIVE(tarn_flow_def, dye.decay, "dye.decay", 0, 0, 1e4, "1/s", "decay rate of dye"),
    PARAM_LIVE(tarn_flow_def, temperature.diffusivity, "temperature.diffusivity", 0, 0, 1e4, "m^2/s",
               "thermal diffusivity"),
    PARAM_LIVE(tarn_flow_def, temperature.expansion, "temperature.expansion", 0.0034, -1e6, 1e6, "1/K",
               "thermal expansion beta; buoyancy is beta g (T - reference)"),
    PARAM_NUMBER(tarn_flow_def, temperature.reference, "temperature.reference", 0, -1e6, 1e6, "K",
                 "temperature without buoyancy; initial temperature"),
    PARAM_LIVE(tarn_flow_def, confinement.strength, "confinement.strength", 0, 0, 100, "",
               "strength of vorticity confinement; 0: off"),
    PARAM_LIVE(tarn_flow_def, confinement.length, "confinement.length", 0.01, 1e-6, 1e4, "m",
               "length scale of vorticity confinement"),
    PARAM_LIVE(tarn_flow_def, confinement.x_min, "confinement.x_min", 0, 0, 1e6, "m",
               "smallest x with confinement, for comparison side by side"),
    PARAM_LIVE(tarn_flow_def, acceleration.x, "acceleration.x", 0, -1e6, 1e6, "m/s^2",
               "body force per mass, along x"),
    PARAM_LIVE(tarn_flow_def, acceleration.y, "acceleration.y", 0, -1e6, 1e6, "m/s^2",
               "body force per mass, along y"),
    PARAM_LIVE(tarn_flow_def, divergence_tolerance, "divergence_tolerance", 1e-5, 1e-9, 1e-1, "",
               "tolerance of the projection: root mean square of the divergence times the cell size over the "
               "largest speed"),
    PARAM_NUMBER(tarn_flow_def, max_courant, "max_courant", 0.8, 0.05, 1, "",
                 "conservative: Courant number of a substep"),
    PARAM_INTEGER(tarn_flow_def, substeps, "substeps", 0, 0, 100000,
                  "minimum number of substeps of a world step; 0: as `max_courant` requires"),
    PARAM_FLAG(tarn_flow_def, freeze_velocity, "freeze_velocity", 0,
               "constant velocity; only dye and heat change"),
    BOUNDARY_PARAMS(0, "west"),
    BOUNDARY_PARAMS(1, "east"),
    BOUNDARY_PARAMS(2, "south"),
    BOUNDARY_PARAMS(3, "north"),
};

// ---- creation ----

static tarn_result check_boundary(const tarn_flow_def *d, int i, tarn_error *err)
{
    static const char *const keys[] = {"boundary.west", "boundary.east", "boundary.south", "boundary.north"};
    const tarn_flow_boundary *side = &d->boundary[i];
    const bool opening = side->type == TARN_FLOW_INFLOW || side->type == TARN_FLOW_OUTFLOW;
    if (side->type == TARN_FLOW_PERIODIC && d->boundary[i ^ 1].type != TARN_FLOW_PERIODIC)
        return fail(err, TARN_BAD_INPUT, keys[i], "a periodic side needs a periodic opposite side");
    if (side->type == TARN_FLOW_INFLOW && isnan(side->inflow_speed))
        return fail(err, TARN_BAD_INPUT, keys[i], "an inflow needs `inflow_speed`");
    if (side->type != TARN_FLOW_INFLOW && !isnan(side->inflow_speed))
        return fail(err, TARN_BAD_INPUT, keys[i], "only an inflow can have `inflow_speed`");
    if (side->type != TARN_FLOW_WALL && !isnan(side->wall_speed))
        return fail(err, TARN_BAD_INPUT, keys[i], "only a wall can have `wall_speed`");
    if (side->type != TARN_FLOW_INFLOW && !isnan(side->dye))
        return fail(err, TARN_BAD_INPUT, keys[i], "only an inflow can have `dye`");
    if (!opening && (!isnan(side->start) || !isnan(side->end)))
        return fail(err, TARN_BAD_INPUT, keys[i], "only inflow and outflow can have `start` and `end`");
    if (opening && !isnan(side->start) && !isnan(side->end) && !(side->start < side->end))
        return fail(err, TARN_BAD_INPUT, keys[i], "`end`, %.6g m, must be greater than `start`", side->end);
    if (side->type != TARN_FLOW_WALL && side->hot_spot_count > 0)
        return fail(err, TARN_BAD_INPUT, keys[i], "only a wall can have `hot_spots`");
    return TARN_OK;
}

static tarn_result flow_check(const struct fluid *f, tarn_error *err)
{
    const tarn_flow_def *d = flow_def_of(f);
    tarn_result r = fluid_check_square_cells(d->size, d->cells, err);
    bool has_inflow = false, has_outflow = false;
    for (int i = 0; i < 4 && r == TARN_OK; ++i) {
        r = check_boundary(d, i, err);
        has_inflow = has_inflow || d->boundary[i].type == TARN_FLOW_INFLOW;
        has_outflow = has_outflow || d->boundary[i].type == TARN_FLOW_OUTFLOW;
    }
    if (r == TARN_OK && has_inflow && !has_outflow)
        return fail(err, TARN_BAD_INPUT, "boundary", "an inflow needs an outflow");
    return r;
}

static bool alloc_boundary(struct fluid *f, struct flow *s)
{
    bool ok = true;
    for (int side = 0; side < 4; ++side) {
        struct flow_boundary *data = &s->boundary[side];
        const size_t n = (size_t)flow_side_length(f, side) + 1;
        float **const lists[] = {&data->normal_velocity, &data->tangential_velocity, &data->value[FLOW_DYE],
                                 &data->value[FLOW_TEMPERATURE]};
        for (int i = 0; i < 4; ++i) ok = (*lists[i] = memory_alloc(f->memory, n, sizeof(float))) && ok;
        for (int i = 0; i < FLOW_COMPONENTS; ++i)
            ok = (s->component[i].boundary_coef[side] = memory_alloc(f->memory, n, sizeof(float))) && ok;
        ok = (data->kind = memory_alloc(f->memory, n, 1)) && ok;
        ok = (data->slip = memory_alloc(f->memory, n, 1)) && ok;
    }
    return ok;
}

static bool alloc_arrays(struct fluid *f, struct flow *s)
{
    const struct grid *g = &f->grid;
    const size_t max_length = (size_t)imax(g->nx, g->nz) + 1;
    bool ok = alloc_boundary(f, s);
    for (int i = 0; i < FLOW_FIELDS; ++i) ok = (s->buffers[i] = grid_alloc_field(g, f->memory, i + 6)) && ok;
    unsigned char **const bytes[] = {&s->is_fluid, &s->wall_distance, &s->open_faces, &s->corner_marks,
                                     &s->was_fluid};
    uint16_t **const ids[] = {&s->covered_by_x, &s->covered_by_z, &s->solid_id_u, &s->solid_id_v};
    for (int i = 0; i < 5; ++i) ok = (*bytes[i] = memory_alloc(f->memory, g->size, 1)) && ok;
    for (int i = 0; i < 4; ++i) ok = (*ids[i] = memory_alloc(f->memory, g->size, sizeof(uint16_t))) && ok;
    ok = (s->cell_slot = memory_alloc(f->memory, g->size, sizeof *s->cell_slot)) && ok;
    s->spans = memory_alloc(f->memory, 2, sizeof *s->spans);
    s->row_wall_distance = memory_alloc(f->memory, (size_t)g->nz, 1);
    s->blocks_per_row = g->nx / FLOW_BLOCK + 1;
    s->solid_blocks = memory_alloc(f->memory, (size_t)s->blocks_per_row * (size_t)(g->nz + 1), 1);
    s->solver = linear_create(f->memory, f->parallel, linear_kind_at(0), g);
    s->divergence = linear_alloc_vector(g, f->memory);
    s->potential = linear_alloc_vector(g, f->memory);
    s->line_scratch_stride = max_length * FLOW_LANES * FLOW_LINE_ARRAYS;
    s->line_scratch = memory_alloc(f->memory, FLOW_LINE_GROUPS * s->line_scratch_stride, sizeof(float));
    s->row_divergence = memory_alloc(f->memory, (size_t)g->nz + 1, sizeof *s->row_divergence);
    s->row_max_speed = memory_alloc(f->memory, (size_t)g->nz + 1, sizeof(float));
    return ok && s->spans && s->row_wall_distance && s->solid_blocks && s->solver && s->divergence &&
           s->potential && s->line_scratch && s->row_divergence && s->row_max_speed;
}

// Name the arrays of s->buffers.
static void assign_fields(struct flow *s)
{
    float *zero;
    float **const fields[] = {&s->u,
                              &s->v,
                              &s->p,
                              &s->scalar[0],
                              &s->scalar[1],
                              &s->u_next,
                              &s->v_next,
                              &s->u_stage,
                              &s->v_stage,
                              &s->u_change,
                              &s->v_change,
                              &s->scalar_next,
                              &s->scalar_stage,
                              &s->scalar_change,
                              &s->aperture_x,
                              &s->aperture_z,
                              &s->volume_fraction,
                              &s->mass_u,
                              &s->mass_v,
                              &s->mass_scalar,
                              &s->coef_ux,
                              &s->coef_uz,
                              &s->coef_vx,
                              &s->coef_vz,
                              &zero,
                              &s->wall_flux,
                              &s->trajectories.departure_x,
                              &s->trajectories.departure_z,
                              &s->trajectories.arrival_x,
                              &s->trajectories.arrival_z};
    for (int i = 0; i < (int)(sizeof fields / sizeof fields[0]); ++i) *fields[i] = s->buffers[i];
    s->zero_field = zero;
    const float *const component_fields[FLOW_COMPONENTS][3] = {
        {s->mass_u, s->coef_ux, s->coef_uz},
        {s->mass_v, s->coef_vx, s->coef_vz},
        {s->mass_scalar, s->aperture_x, s->aperture_z},
        {s->mass_scalar, s->aperture_x, s->aperture_z}};
    for (int i = 0; i < FLOW_COMPONENTS; ++i)
        s->component[i].mass = component_fields[i][0], s->component[i].coef_x = component_fields[i][1],
        s->component[i].coef_z = component_fields[i][2];
}

static tarn_result flow_create(struct fluid *f, const tarn_world_def *def, tarn_error *err)
{
    const tarn_flow_def *d = flow_def_of(f);
    (void)def; // the planar model has no bed
    const tarn_result r = flow_check(f, err);
    if (r != TARN_OK) return r;
    if (!grid_init(&f->grid, d->cells[0], d->cells[1], d->size.x / d->cells[0]) || f->grid.size > INT32_MAX)
        return fail(err, TARN_BAD_INPUT, "cells", "too many cells: %d x %d", d->cells[0], d->cells[1]);
    f->grid.x0 = f->grid.z0 = 0.0; // the origin is the lower left corner
    f->periodic_x = d->boundary[0].type == TARN_FLOW_PERIODIC;
    f->periodic_z = d->boundary[2].type == TARN_FLOW_PERIODIC;
    for (int i = 0; i < 4; ++i) f->is_wall[i] = d->boundary[i].type == TARN_FLOW_WALL;
    struct flow *s = f->impl = memory_alloc(f->memory, 1, sizeof *s);
    if (!s) return fail(err, TARN_NO_MEMORY, "", "no memory for the flow");
    s->kernels = KERNELS_SELECT(flow_kernels);
    s->advection_kernels = KERNELS_SELECT(advection_kernels);
    s->cutcell_kernels = KERNELS_SELECT(cutcell_kernels);
    if (!alloc_arrays(f, s))
        return fail(err, TARN_NO_MEMORY, "cells", "no memory for %d x %d cells", d->cells[0], d->cells[1]);
    assign_fields(s);
    flow_init_cut_cells(f);
    return flow_build_cut_cells(f) ? TARN_OK : fail(err, TARN_NO_MEMORY, "", "no memory for the flow");
}

static void flow_destroy(struct fluid *f)
{
    struct flow *s = f->impl;
    if (!s) return;
    for (int side = 0; side < 4; ++side) {
        struct flow_boundary *data = &s->boundary[side];
        const size_t n = (size_t)flow_side_length(f, side) + 1;
        float *const lists[] = {data->normal_velocity, data->tangential_velocity, data->value[FLOW_DYE],
                                data->value[FLOW_TEMPERATURE]};
        for (int i = 0; i < 4; ++i) memory_free(f->memory, lists[i], n, sizeof(float));
        for (int i = 0; i < FLOW_COMPONENTS; ++i)
            memory_free(f->memory, s->component[i].boundary_coef[side], n, sizeof(float));
        memory_free(f->memory, data->kind, n, 1);
        memory_free(f->memory, data->slip, n, 1);
    }
    for (int i = 0; i < FLOW_FIELDS; ++i) grid_free_field(&f->grid, f->memory, s->buffers[i], i + 6);
    unsigned char *const bytes[] = {s->is_fluid, s->wall_distance, s->open_faces, s->corner_marks,
                                    s->was_fluid};
    uint16_t *const ids[] = {s->covered_by_x, s->covered_by_z, s->solid_id_u, s->solid_id_v};
    for (int i = 0; i < 5; ++i) memory_free(f->memory, bytes[i], f->grid.size, 1);
    for (int i = 0; i < 4; ++i) memory_free(f->memory, ids[i], f->grid.size, sizeof(uint16_t));
    memory_free(f->memory, s->cell_slot, f->grid.size, sizeof *s->cell_slot);
    flow_bodies_free(f);
    memory_free(f->memory, s->prescribed_runs, (size_t)s->prescribed_run_capacity,
                sizeof *s->prescribed_runs);
    memory_free(f->memory, s->solid_faces, (size_t)s->solid_face_capacity, sizeof *s->solid_faces);
    for (int i = 0; s->spans && i < 2; ++i) spans_free(&s->spans[i], f->memory);
    memory_free(f->memory, s->spans, 2, sizeof *s->spans);
    memory_free(f->memory, s->row_wall_distance, (size_t)f->grid.nz, 1);
    memory_free(f->memory, s->solid_blocks, (size_t)s->blocks_per_row * (size_t)(f->grid.nz + 1), 1);
    linear_destroy(s->solver);
    linear_free_vector(&f->grid, f->memory, s->divergence);
    linear_free_vector(&f->grid, f->memory, s->potential);
    memory_free(f->memory, s->line_scratch, FLOW_LINE_GROUPS * s->line_scratch_stride, sizeof(float));
    memory_free(f->memory, s->row_divergence, (size_t)f->grid.nz + 1, sizeof *s->row_divergence);
    memory_free(f->memory, s->row_max_speed, (size_t)f->grid.nz + 1, sizeof(float));
    memory_free(f->memory, s, 1, sizeof *s);
    f->impl = NULL;
}

// ---- queries and edits ----

// dv/dx - du/dy [1/s] at a cell centre.
static float cell_vorticity(const struct flow *s, size_t c, size_t n, float inverse_dx)
{
    const float dv_dx = 0.25f * ((s->v[c + 1] + s->v[c + 1 + n]) - (s->v[c - 1] + s->v[c - 1 + n]));
    const float du_dy = 0.25f * ((s->u[c + n] + s->u[c + 1 + n]) - (s->u[c - n] + s->u[c + 1 - n]));
    return inverse_dx * (dv_dx - du_dy);
}

static struct fluid_cell flow_read_cell(const struct fluid *f, int i, int j)
{
    const struct flow *s = f->impl;
    ASSERT(!f->derived_stale); // ghost cells
    const size_t c = grid_at(&f->grid, i, j), n = f->grid.stride;
    const float rest_temperature = (float)flow_def_of(f)->temperature.reference;
    struct fluid_cell out = {.u = 0.5f * (s->u[c] + s->u[c + 1]),
                             .v = 0.5f * (s->v[c] + s->v[c + n]),
                             .temperature = rest_temperature,
                             .volume_fraction = s->volume_fraction[c]};
    if (!s->is_fluid[c]) return out;
    out.dye = s->scalar[FLOW_DYE][c];
    out.temperature = rest_temperature + s->scalar[FLOW_TEMPERATURE][c];
    out.pressure = (float)f->density * s->p[c];
    out.vorticity = cell_vorticity(s, c, n, (float)(1.0 / f->grid.dx));
    return out;
}

static struct stored_field flow_stored_field(const struct fluid *f, tarn_field field)
{
    const struct flow *s = f->impl;
    struct stored_field out = {NULL, 1.0, 0.0};
    switch (field) {
    case TARN_FIELD_FACE_VELOCITY_X: out.values = s->u; break;
    case TARN_FIELD_FACE_VELOCITY_Z: out.values = s->v; break;
    case TARN_FIELD_DYE: out.values = s->scalar[FLOW_DYE]; break;
    case TARN_FIELD_TEMPERATURE:
        out.values = s->scalar[FLOW_TEMPERATURE], out.offset = flow_def_of(f)->temperature.reference;
        break;
    case TARN_FIELD_PRESSURE: out.values = s->p, out.scale = f->density; break;
    case TARN_FIELD_OPEN: out.values = s->volume_fraction; break;
    default: break;
    }
    if (out.values) out.values += grid_at(&f->grid, 0, 0);
    return out;
}

static void flow_compute_totals(const struct fluid *f, struct fluid_totals *out)
{
    const struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    double kinetic = 0.0, px = 0.0, py = 0.0;
    for (int j = 0; j < g->nz; ++j)
        for (int i = 0; i < g->nx; ++i) {
            const size_t c = grid_at(g, i, j);
            const double u0 = s->u[c], u1 = s->u[c + 1], v0 = s->v[c], v1 = s->v[c + g->stride];
            const double open = s->volume_fraction[c];
            kinetic += 0.5 * open * (u0 * u0 + u1 * u1 + v0 * v0 + v1 * v1);
            px += 0.5 * open * (u0 + u1), py += 0.5 * open * (v0 + v1);
        }
    const double mass = f->density * g->dx * g->dx, area = g->dx * g->dx;
    double sum[FLOW_SCALARS] = {0.0};
    for (int q = 0; q < FLOW_SCALARS; ++q)
        for (int j = 0; j < g->nz; ++j)
            for (int i = 0; i < g->nx; ++i)
                if (s->is_fluid[grid_at(g, i, j)]) sum[q] += (double)s->scalar[q][grid_at(g, i, j)];
    out->depth_sum = 0.0;
    out->energy = 0.5 * mass * kinetic;
    out->momentum = v3(mass * px, mass * py, 0.0);
    out->dye = area * sum[FLOW_DYE], out->heat = area * sum[FLOW_TEMPERATURE];
    out->dye_added = area * s->scalar_in[FLOW_DYE], out->heat_added = area * s->scalar_in[FLOW_TEMPERATURE];
    out->dye_outflow = area * s->scalar_out[FLOW_DYE],
    out->heat_outflow = area * s->scalar_out[FLOW_TEMPERATURE];
}

// Largest net outflow of a cell over the largest speed.
static double flow_max_divergence(const struct fluid *f)
{
    const struct flow *s = f->impl;
    const size_t n = f->grid.stride;
    double max_outflow = 0.0, max_speed_squared = 0.0;
    for (int j = 0; j < f->grid.nz; ++j)
        for (int i = 0; i < f->grid.nx; ++i) {
            const size_t c = grid_at(&f->grid, i, j);
            if (!s->is_fluid[c]) continue;
            const double outflow = (double)(s->aperture_x[c + 1] * s->u[c + 1] - s->aperture_x[c] * s->u[c]) +
                                   (double)(s->aperture_z[c + n] * s->v[c + n] - s->aperture_z[c] * s->v[c]) +
                                   (s->has_moving_solids ? (double)s->wall_flux[c] : 0.0);
            const double u = s->u[c], v = s->v[c];
            max_outflow = fmax(max_outflow, fabs(outflow));
            max_speed_squared = fmax(max_speed_squared, u * u + v * v);
        }
    if (f->body_count > 0) return s->max_divergence; // bodies have moved since the projection
    return max_speed_squared > 0.0 ? max_outflow / sqrt(max_speed_squared) : 0.0;
}

// Sets velocities at their nodes and scalars at cell centres, then projects the velocity.
static void flow_set_fields(struct fluid *f, tarn_flow_fn field, void *ctx)
{
    struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    const double rest_temperature = flow_def_of(f)->temperature.reference;
    for (int j = 0; j <= g->nz; ++j)
        for (int i = 0; i <= g->nx; ++i) {
            const size_t c = grid_at(g, i, j);
            const double x = i * g->dx, y = j * g->dx, half = 0.5 * g->dx;
            if (s->mass_u[c] > 0.0f) s->u[c] = (float)field(ctx, x, y + half).u;
            if (s->mass_v[c] > 0.0f) s->v[c] = (float)field(ctx, x + half, y).v;
            if (!s->is_fluid[c]) continue;
            const tarn_flow_sample cell = field(ctx, x + half, y + half);
            const float value[FLOW_SCALARS] = {[FLOW_DYE] = (float)cell.dye,
                                               [FLOW_TEMPERATURE] =
                                                   (float)(cell.temperature - rest_temperature)};
            for (int q = 0; q < FLOW_SCALARS; ++q) {
                s->scalar_in[q] += (double)value[q] - (double)s->scalar[q][c];
                s->scalar[q][c] = value[q];
                s->scalar_used[q] = s->scalar_used[q] || value[q] != 0.0f;
            }
            s->p[c] = 0.0f;
        }
    obstacles_reset_motion(f);
    flow_impose_solid_velocity(f, s->u, s->v);
    flow_update_wall_flux(f);
    flow_update_derived(f);
    if (!flow_def_of(f)->freeze_velocity) flow_project(f, 0.0);
}

// The velocity of a cell acts on its four faces, which it shares with its neighbours.
static void flow_add_source(struct fluid *f, int i, int j, const struct fluid_source *in)
{
    struct flow *s = f->impl;
    const size_t c = grid_at(&f->grid, i, j), n = f->grid.stride;
    const double value[FLOW_SCALARS] = {[FLOW_DYE] = in->dye, [FLOW_TEMPERATURE] = in->temperature};
    if (!s->is_fluid[c]) return;
    for (int q = 0; q < FLOW_SCALARS; ++q) {
        if (value[q] == 0.0) continue;
        const float before = s->scalar[q][c];
        s->scalar[q][c] += (float)value[q];
        s->scalar_in[q] += (double)s->scalar[q][c] - (double)before;
        s->scalar_used[q] = true;
    }
    if (!(in->velocity_blend > 0.0)) return;
    for (int k = 0; k < 2; ++k) {
        const size_t a = k ? c + 1 : c, b = k ? c + n : c;
        if (s->mass_u[a] > 0.0f) s->u[a] += (float)(in->velocity_blend * (in->u - (double)s->u[a]));
        if (s->mass_v[b] > 0.0f) s->v[b] += (float)(in->velocity_blend * (in->v - (double)s->v[b]));
    }
    f->derived_stale = true;
}

static void flow_set_face_velocity(struct fluid *f, int axis, int i, int j, float velocity)
{
    struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    float *u = axis ? s->v : s->u;
    const float *mass = axis ? s->mass_v : s->mass_u;
    const size_t c = grid_at(g, i, j);
    if (!(mass[c] > 0.0f)) return;
    u[c] = velocity;
    // Across periodic boundaries the first and the last face are the same.
    if (axis == 0 && f->periodic_x && i % g->nx == 0)
        u[grid_at(g, 0, j)] = u[grid_at(g, g->nx, j)] = velocity;
    if (axis == 1 && f->periodic_z && j % g->nz == 0)
        u[grid_at(g, i, 0)] = u[grid_at(g, i, g->nz)] = velocity;
    f->derived_stale = true;
}

// ---- checkpoint ----

static void save_rows(struct saver *s, const struct grid *g, const float *q, int nx, int nz)
{
    for (int j = 0; j < nz; ++j) save_f32s(s, q + grid_at(g, 0, j), (size_t)nx);
}

static void flow_save(struct saver *s, const struct fluid *f)
{
    const struct flow *flow = f->impl;
    const struct grid *g = &f->grid;
    save_f64s(s, flow->scalar_out, FLOW_SCALARS);
    save_f64s(s, flow->scalar_in, FLOW_SCALARS);
    save_rows(s, g, flow->u, g->nx + 1, g->nz);
    save_rows(s, g, flow->v, g->nx, g->nz + 1);
    save_rows(s, g, flow->p, g->nx, g->nz);
    for (int q = 0; q < FLOW_SCALARS; ++q) save_rows(s, g, flow->scalar[q], g->nx, g->nz);
}

static bool load_rows(struct loader *l, const struct grid *g, float *q, int nx, int nz, bool *any_nonzero)
{
    bool ok = true;
    for (int j = 0; j < nz; ++j) {
        float *row = q + grid_at(g, 0, j);
        load_f32s(l, row, (size_t)nx);
        for (int i = 0; i < nx; ++i) {
            ok = ok && fabsf(row[i]) < 1e30f;
            *any_nonzero = *any_nonzero || row[i] != 0.0f;
        }
    }
    return ok;
}

static bool flow_load(struct loader *l, struct fluid *f)
{
    struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    bool any_nonzero = false, ok = true;
    load_f64s(l, s->scalar_out, FLOW_SCALARS);
    load_f64s(l, s->scalar_in, FLOW_SCALARS);
    for (int q = 0; q < FLOW_SCALARS; ++q)
        ok = ok && fabs(s->scalar_out[q]) < 1e30 && fabs(s->scalar_in[q]) < 1e30;
    ok = load_rows(l, g, s->u, g->nx + 1, g->nz, &any_nonzero) &&
         load_rows(l, g, s->v, g->nx, g->nz + 1, &any_nonzero) &&
         load_rows(l, g, s->p, g->nx, g->nz, &any_nonzero) && ok;
    for (int q = 0; q < FLOW_SCALARS; ++q)
        ok = load_rows(l, g, s->scalar[q], g->nx, g->nz, &s->scalar_used[q]) && ok;
    f->derived_stale = true;
    return ok;
}

static const struct planar_model flow_planar = {
    .read_cell = flow_read_cell,
    .max_divergence = flow_max_divergence,
    .obstacle_load = flow_obstacle_load,
    .rebuild_cut_cells = flow_build_cut_cells,
    .update_cut_cells = flow_update_cut_cells,
    .apply_impulses = flow_apply_impulses,
    .set_fields = flow_set_fields,
    .add_source = flow_add_source,
};

const struct fluid_model fluid_flow = {
    .kind = {.category = "fluid",
             .name = "flow",
             .help = "an incompressible fluid seen from the front, with dye and heat",
             .flags = TARN_MODEL_PLANAR,
             PARAMS(params)},
    .planar = &flow_planar,
    .adaptive_substep = true,
    .check = flow_check,
    .create = flow_create,
    .destroy = flow_destroy,
    .substep_dt = flow_substep_dt,
    .advance = flow_advance,
    .update_derived = flow_update_derived,
    .is_valid = flow_is_valid,
    .compute_totals = flow_compute_totals,
    .stored_field = flow_stored_field,
    .set_face_velocity = flow_set_face_velocity,
    .save = flow_save,
    .load = flow_load,
};
