// Coupling methods `columns` and `pressure`: the water receives the opposite of the horizontal impulse that
// it gave a body, so that both together conserve momentum.
//
// The load head already accelerates the water by -rho g h grad(load head) in its step. This differs from the
// force that the body exerts, rho g load_head grad(bed + h), by grad(h load_head), which integrates to zero
// over a body; on a sloping bed, the bed takes the difference. The rest of the impulse goes to the faces
// between the columns of the body in proportion to their cover.
#include "couple/coupling.h"

// The west (axis 0) or south (axis 1) face of a column of the patch.
struct covered_face {
    int i, j;          // cell of the grid
    double cover;      // 0 .. 1 covered fraction
    double depth;      // [m] of the water
    bool is_wet;       // on both sides
    double head_force; // [m^2] displaced depth times rise of the surface across the face, in the last substep
};

// What all faces of a body have in common.
struct face_reader {
    const struct body_coupling *p;
    const struct fluid *f;
    const float *cover, *displaced, *displaced_next; // of the columns
    struct depth_fields depths;
    bool solves_loads;
    bool is_inside; // all columns are in the grid
};

static struct face_reader read_faces_of(const struct body_coupling *p, const struct fluid *f)
{
    const bool solves_loads = f->model->height_field->solves_loads;
    // In `implicit` there may be hardly any water under a body: cover smoothed once more reaches the water
    // beside it.
    return (struct face_reader){
        .p = p,
        .f = f,
        .cover = solves_loads ? p->columns.fit_weight[0] : p->columns.cover,
        .displaced = p->columns.displaced_smooth,
        .displaced_next = fluid_advects_depth(f) ? p->columns.displaced_next : p->columns.displaced_smooth,
        .depths = f->model->height_field->momentum->depth_fields(f),
        .solves_loads = solves_loads,
        .is_inside = p->i0 >= 0 && p->j0 >= 0 && p->i0 + p->ni <= f->grid.nx && p->j0 + p->nj <= f->grid.nz,
    };
}

// The cells on both sides of a face. False: one is outside the grid.
static bool find_cells(const struct face_reader *r, int i, int j, int axis, struct covered_face *out,
                       size_t *at, size_t *neighbour)
{
    const struct grid *g = &r->f->grid;
    out->i = r->p->i0 + i, out->j = r->p->j0 + j;
    if (r->is_inside) {
        *at = grid_at(g, out->i, out->j), *neighbour = *at - (axis ? g->stride : 1);
        return true;
    }
    const int i0 = fluid_wrap_column(r->f, out->i - (axis == 0)),
              j0 = fluid_wrap_row(r->f, out->j - (axis == 1));
    out->i = fluid_wrap_column(r->f, out->i), out->j = fluid_wrap_row(r->f, out->j);
    if (i0 < 0 || j0 < 0 || out->i < 0 || out->j < 0) return false;
    *at = grid_at(g, out->i, out->j), *neighbour = grid_at(g, i0, j0);
    return true;
}

// False: the face is outside the grid, at a dry cell or not covered.
static inline bool covered_face_at(const struct face_reader *r, int i, int j, int axis,
                                   struct covered_face *out)
{
    const int c = j * r->p->ni + i, d = c - (axis ? r->p->ni : 1);
    size_t at, neighbour;
    if (r->cover[c] + r->cover[d] == 0.0f || !find_cells(r, i, j, axis, out, &at, &neighbour)) return false;
    const float *now = r->depths.now, *before = r->depths.before, *bed = r->f->bed;
    const float dry = (float)r->f->dry_depth, depth_c = now[at], depth_d = now[neighbour],
                mean_c = 0.5f * (depth_c + before[at]), mean_d = 0.5f * (depth_d + before[neighbour]);
    out->is_wet = r->solves_loads ? depth_c + depth_d > dry : depth_c > dry && depth_d > dry;
    if (!out->is_wet && !r->solves_loads) return false;
    out->cover = 0.5 * ((double)r->cover[c] + (double)r->cover[d]);
    out->depth = 0.5 * ((double)depth_c + (double)depth_d);
    const double rise = (double)(mean_c - mean_d) + (bed ? (double)(bed[at] - bed[neighbour]) : 0.0);
    const double mean = 0.25 * (((double)r->displaced[c] + (double)r->displaced_next[c]) +
                                ((double)r->displaced[d] + (double)r->displaced_next[d]));
    out->head_force = mean * rise;
    return true;
}

struct entrained_water entrained_water_of(const struct body_coupling *p, const struct fluid *f,
                                          double strength)
{
    struct entrained_water b = {0};
    const struct face_reader faces = read_faces_of(p, f);
    struct covered_face face;
    for (int axis = 0; axis < 2; ++axis) {
        double mass = 0.0, head_force = 0.0;
        for (int j = axis == 1; j < p->nj; ++j)
            for (int i = axis == 0; i < p->ni; ++i) {
                if (!covered_face_at(&faces, i, j, axis, &face)) continue;
                if (face.is_wet) mass += face.cover * face.depth;
                head_force += face.head_force;
            }
        b.mass[axis] = f->density * f->grid.dx * f->grid.dx * mass;
        b.head_force[axis] = f->density * f->gravity * f->grid.dx * strength * head_force;
    }
    return b;
}

// Add an impulse to the entrained water of a body with this speed. Returns the part that the water took.
static vec3 add_momentum_to_water(const struct body_coupling *p, struct fluid *f,
                                  const struct entrained_water *b, vec3 impulse, double speed)
{
    // [m/s] No face becomes faster than the waves or the body; at most ten times the waves, since substeps
    // would become too short.
    const double limit = fmin(fmax(f->rest_wave_speed, speed), 10.0 * f->rest_wave_speed),
                 owed[2] = {impulse.x, impulse.z};
    const double cell = f->density * f->grid.dx * f->grid.dx;
    double taken[2] = {0};
    const struct face_reader faces = read_faces_of(p, f);
    struct covered_face face;
    for (int axis = 0; axis < 2; ++axis) {
        if (owed[axis] == 0.0 || !(b->mass[axis] > 0.0)) continue;
        // Where there is little water, other faces may take what some cannot.
        for (int pass = 0; pass < (f->model->height_field->solves_loads ? 8 : 1); ++pass) {
            const double change = (owed[axis] - cell * taken[axis]) / b->mass[axis];
            if (pass && fabs(change * b->mass[axis]) < 1e-6 * fabs(owed[axis])) break;
            for (int j = axis == 1; j < p->nj; ++j)
                for (int i = axis == 0; i < p->ni; ++i)
                    if (covered_face_at(&faces, i, j, axis, &face) && face.is_wet)
                        taken[axis] +=
                            face.depth *
                            (double)f->model->height_field->momentum->add_face_velocity(
                                f, face.i, face.j, axis, (float)(face.cover * change), (float)limit);
        }
        taken[axis] *= cell;
    }
    return v3(taken[0], 0.0, taken[1]);
}

static vec3 return_momentum(const struct coupling *c, struct fluid *f, const struct bodies *b, int i,
                            vec3 owed, double dt)
{
    const struct body_coupling *p = &c->per_body[i];
    if (!f->model->height_field->momentum || c->strength == 0.0) return v3(0, 0, 0);
    const struct entrained_water water = entrained_water_of(p, f, c->strength);
    const vec3 felt = v3_scale(v3(water.head_force[0], 0.0, water.head_force[1]), dt);
    return v3_add(felt,
                  add_momentum_to_water(p, f, &water, v3_sub(owed, felt), v3_length(body_velocity(b, i))));
}

const struct coupling_kind coupling_columns = {.displaces = true, .return_momentum = return_momentum};
const struct coupling_kind coupling_pressure = {
    .displaces = true, .is_implicit = true, .return_momentum = return_momentum};
