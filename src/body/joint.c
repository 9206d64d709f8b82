#include "joint.h"

#include "base/error.h"
#include "contact.h"

#include <string.h>

#define PUSH_BACK 0.25 // part of an error that is taken back in one short step

extern const struct joint_kind joint_ball, joint_hinge, joint_spring, joint_line;

static const struct joint_kind *const kinds[] = {
    &joint_ball,
    &joint_hinge,
    &joint_spring,
    &joint_line,
};

const struct joint_kind *joint_kind_at(int index)
{
    return 0 <= index && index < (int)(sizeof kinds / sizeof kinds[0]) ? kinds[index] : NULL;
}

const struct joint_kind *joint_kind_of(const tarn_kind *kind)
{
    for (int i = 0; joint_kind_at(i); ++i)
        if (&kinds[i]->kind == kind) return kinds[i];
    return NULL;
}

// ---- rows -----------------------------------------------------------------------------------------

static struct row row_along(const struct ends *e, vec3 way, double error)
{
    return (struct row){.lin = way,
                        .turn_a = v3_cross(e->arm_a, way),
                        .turn_b = v3_cross(e->arm_b, way),
                        .error = error,
                        .lo = -INFINITY,
                        .hi = INFINITY};
}

int rows_point(const struct ends *e, struct row *out)
{
    const vec3 d = v3_sub(e->b, e->a);
    out[0] = row_along(e, v3(1, 0, 0), d.x);
    out[1] = row_along(e, v3(0, 1, 0), d.y);
    out[2] = row_along(e, v3(0, 0, 1), d.z);
    return 3;
}

void row_line(const struct ends *e, double length, struct row *out)
{
    const vec3 d = v3_sub(e->b, e->a);
    const double far = v3_length(d);
    *out = row_along(e, far > 0.0 ? v3_scale(d, 1.0 / far) : v3(0, 1, 0), far - length);
}

// ---- the pool -------------------------------------------------------------------------------------

static int world_or_slot(const struct bodies *b, tarn_body id)
{
    return id.index == 0 && id.generation == 0 ? -1 : bodies_slot(b, id);
}

static vec3 to_body(const struct bodies *b, int i, vec3 p)
{
    return i < 0 ? p : quat_turn_back(b->hot[i].rotation, v3_sub(p, b->hot[i].position));
}

static tarn_result check(const struct bodies *b, const tarn_joint_def *def, tarn_error *err)
{
    if (!joint_kind_of(def->kind.kind)) return fail(err, TARN_BAD_INPUT, "kind", "there is no such joint");
    const bool world = def->b.index == 0 && def->b.generation == 0;
    if (bodies_slot(b, def->a) < 0) return fail(err, TARN_BAD_ARGUMENT, "a", "there is no such body");
    if (!world && bodies_slot(b, def->b) < 0)
        return fail(err, TARN_BAD_ARGUMENT, "b", "there is no such body");
    if (!world && def->a.index == def->b.index)
        return fail(err, TARN_BAD_INPUT, "b", "a body cannot be fastened to itself");
    if (!(v3_length(def->at) <= 1e7))
        return fail(err, TARN_BAD_INPUT, "at", "a point is not a number or too far");
    if (!(v3_length(def->to) <= 1e7))
        return fail(err, TARN_BAD_INPUT, "to", "a point is not a number or too far");
    return tarn_kind_check(def->kind.kind, def->kind.data, err);
}

// Both ends, seen the nearer way round where sides are periodic.
static struct ends ends_of(const struct bodies *b, const struct joint *j, double dt)
{
    struct ends e = {.turn_a = b->hot[j->a].rotation, .turn_b = {1, 0, 0, 0}, .b = j->on_b, .dt = dt};
    e.arm_a = quat_turn(e.turn_a, j->on_a);
    e.a = v3_add(b->hot[j->a].position, e.arm_a);
    if (j->b >= 0) {
        e.turn_b = b->hot[j->b].rotation;
        e.arm_b = quat_turn(e.turn_b, j->on_b);
        e.b = v3_add(b->hot[j->b].position, e.arm_b);
    }
    const double *wrap = b->engine->wrap;
    if (wrap[0] > 0.0) e.b.x -= wrap[0] * floor((e.b.x - e.a.x) / wrap[0] + 0.5);
    if (wrap[1] > 0.0) e.b.z -= wrap[1] * floor((e.b.z - e.a.z) / wrap[1] + 0.5);
    return e;
}

tarn_result joints_add(struct bodies *b, const tarn_joint_def *def, tarn_joint *out, tarn_error *err)
{
    struct joints *js = &b->engine->joints;
    const tarn_result r = check(b, def, err);
    if (r != TARN_OK) return r;
    int i = 0;
    while (i < js->count && js->slots[i].joint) ++i;
    struct joint *j = memory_alloc(b->memory, 1, sizeof *j);
    if (!j || !memory_grow(b->memory, (void **)&js->slots, &js->room, i + 1, sizeof *js->slots)) {
        memory_free(b->memory, j, 1, sizeof *j);
        return fail(err, TARN_NO_MEMORY, "", "no memory for another joint");
    }
    j->def = *def, j->kind = joint_kind_of(def->kind.kind);
    j->def.name[TARN_NAME_BYTES - 1] = 0;
    j->a = bodies_slot(b, def->a), j->b = world_or_slot(b, def->b);
    const vec3 to = j->kind->pinned ? def->at : def->to;
    j->on_a = to_body(b, j->a, def->at), j->on_b = to_body(b, j->b, to);
    const struct ends e = ends_of(b, j, 0.0);
    j->length = v3_length(v3_sub(e.b, e.a));
    j->start_a = b->hot[j->a].rotation;
    j->start_b = j->b >= 0 ? b->hot[j->b].rotation : (quat){1, 0, 0, 0};
    js->slots[i].joint = j;
    js->slots[i].generation += 1;
    js->count = imax(js->count, i + 1);
    body_wake(b, j->a);
    if (j->b >= 0) body_wake(b, j->b);
    *out = (tarn_joint){(uint32_t)i, js->slots[i].generation};
    return TARN_OK;
}

void joints_remove(struct bodies *b, int i)
{
    struct joint_slot *s = &b->engine->joints.slots[i];
    body_wake(b, s->joint->a);
    if (s->joint->b >= 0) body_wake(b, s->joint->b);
    memory_free(b->memory, s->joint, 1, sizeof *s->joint);
    s->joint = NULL;
    s->generation += 1;
}

void joints_remove_of(struct bodies *b, int body)
{
    const struct joints *js = &b->engine->joints;
    for (int i = 0; i < js->count; ++i)
        if (js->slots[i].joint && (js->slots[i].joint->a == body || js->slots[i].joint->b == body))
            joints_remove(b, i);
}

void joints_free(struct bodies *b)
{
    struct joints *js = &b->engine->joints;
    for (int i = 0; i < js->count; ++i)
        memory_free(b->memory, js->slots[i].joint, 1, sizeof *js->slots[i].joint);
    memory_free(b->memory, js->slots, (size_t)js->room, sizeof *js->slots);
}

int joints_slot(const struct bodies *b, tarn_joint id)
{
    const struct joints *js = b->engine ? &b->engine->joints : NULL;
    return js && id.index < (uint32_t)js->count && js->slots[id.index].joint &&
                   js->slots[id.index].generation == id.generation
               ? (int)id.index
               : -1;
}

void joints_bind(const struct bodies *b, int *parent)
{
    const struct joints *js = &b->engine->joints;
    for (int i = 0; i < js->count; ++i) {
        const struct joint *j = js->slots[i].joint;
        if (j && j->b >= 0 && body_movable(b, j->a) && body_movable(b, j->b)) island_join(parent, j->a, j->b);
    }
}

bool joints_bind_pair(const struct bodies *b, int x, int y)
{
    const struct joints *js = &b->engine->joints;
    for (int i = 0; i < js->count; ++i) {
        const struct joint *j = js->slots[i].joint;
        if (j && ((j->a == x && j->b == y) || (j->a == y && j->b == x))) return true;
    }
    return false;
}

// ---- solving --------------------------------------------------------------------------------------

static vec3 spin_by(const struct mover_mass *m, vec3 l)
{
    const float *k = m->m;
    return v3(k[1] * l.x + k[2] * l.y + k[3] * l.z, k[2] * l.x + k[4] * l.y + k[5] * l.z,
              k[3] * l.x + k[5] * l.y + k[6] * l.z);
}

static void give(struct mover *v, const struct mover_mass *m, double sign, vec3 lin, vec3 turn,
                 double impulse)
{
    const double k = sign * impulse, s = k * m->m[0];
    v->v[0] += (float)(s * lin.x), v->v[1] += (float)(s * lin.y), v->v[2] += (float)(s * lin.z);
    v->v[3] += (float)(k * turn.x), v->v[4] += (float)(k * turn.y), v->v[5] += (float)(k * turn.z);
}

static double speed_of(const struct row *r, const struct mover *a, const struct mover *b)
{
    const vec3 v = v3(b->v[0] - a->v[0], b->v[1] - a->v[1], b->v[2] - a->v[2]);
    return v3_dot(r->lin, v) + v3_dot(r->turn_b, v3(b->v[3], b->v[4], b->v[5])) -
           v3_dot(r->turn_a, v3(a->v[3], a->v[4], a->v[5]));
}

// What is left of its way stays free.
static bool loose(const struct row *r) { return r->slack && r->error < 0.0; }

// A spring of stiffness k and damping c taken at the end of the step is a soft row: it cannot be too stiff.
static void prepare(struct joint *j, int i, const struct mover_mass *ma, const struct mover_mass *mb,
                    double dt)
{
    const struct row *r = &j->rows[i];
    j->answer_a[i] = spin_by(ma, r->turn_a), j->answer_b[i] = spin_by(mb, r->turn_b);
    const double give_way = v3_dot(r->lin, r->lin) * (ma->m[0] + mb->m[0]) +
                            v3_dot(r->turn_a, j->answer_a[i]) + v3_dot(r->turn_b, j->answer_b[i]);
    const double firm = dt * (r->damp + dt * r->stiff);
    const bool spring = r->stiff > 0.0 || r->damp > 0.0;
    j->soft[i] = spring ? 1.0 / firm : 0.0;
    j->bias[i] = spring ? r->error * dt * r->stiff / firm : loose(r) ? r->error / dt : -r->speed;
    const double sum = give_way + j->soft[i];
    j->mass[i] = sum > 0.0 ? 1.0 / sum : 0.0;
}

// The rows that hold in both directions depend on each other, the more the longer the arms: a small ball on a long rod
// would need hundreds of passes one by one. K_ij = J_i M^-1 J_j^T = L L^T.
static void factorise(struct joint *j, const struct mover_mass *ma, const struct mover_mass *mb)
{
    j->rigid = 0;
    // Where neither end gives way, as between a body of the caller's and the world, there is nothing to solve.
    while (j->rigid < j->count && j->soft[j->rigid] == 0.0 && j->mass[j->rigid] > 0.0 &&
           isinf(j->rows[j->rigid].lo) && isinf(j->rows[j->rigid].hi))
        ++j->rigid;
    const double light = (double)ma->m[0] + mb->m[0];
    for (int i = 0; i < j->rigid; ++i)
        for (int k = 0; k <= i; ++k) {
            double sum = light * v3_dot(j->rows[i].lin, j->rows[k].lin) +
                         v3_dot(j->rows[i].turn_a, j->answer_a[k]) +
                         v3_dot(j->rows[i].turn_b, j->answer_b[k]);
            if (i == k) sum *= 1.0 + 1e-9;
            for (int m = 0; m < k; ++m) sum -= j->factor[i][m] * j->factor[k][m];
            j->factor[i][k] = i == k ? sqrt(fmax(sum, 1e-30)) : sum / j->factor[k][k];
        }
}

// Two movers, what they weigh, and what the rows give them: speeds or places.
struct couple {
    struct mover *a, *b;
    const struct mover_mass *mass_a, *mass_b;
    const double *bias;
    double *given;
};

static void give_row(struct joint *j, int i, const struct couple *c, double impulse)
{
    c->given[i] += impulse;
    give(c->a, c->mass_a, -1.0, j->rows[i].lin, j->answer_a[i], impulse);
    give(c->b, c->mass_b, 1.0, j->rows[i].lin, j->answer_b[i], impulse);
}

static double solve_rigid(struct joint *j, const struct couple *c)
{
    double x[JOINT_ROWS], worst = 0.0;
    for (int i = 0; i < j->rigid; ++i) {
        x[i] = -(speed_of(&j->rows[i], c->a, c->b) + c->bias[i]);
        worst = fmax(worst, fabs(x[i]));
        for (int m = 0; m < i; ++m) x[i] -= j->factor[i][m] * x[m];
        x[i] /= j->factor[i][i];
    }
    for (int i = j->rigid - 1; i >= 0; --i) {
        for (int m = i + 1; m < j->rigid; ++m) x[i] -= j->factor[m][i] * x[m];
        x[i] /= j->factor[i][i];
    }
    for (int i = 0; i < j->rigid; ++i) give_row(j, i, c, x[i]);
    return worst;
}

static void solve_row(struct joint *j, int i, const struct couple *c)
{
    const struct row *r = &j->rows[i];
    const double off = speed_of(r, c->a, c->b) + c->bias[i] + j->soft[i] * c->given[i];
    const double sum = clamp(c->given[i] - j->mass[i] * off, r->lo, r->hi);
    give_row(j, i, c, sum - c->given[i]);
}

static struct couple couple_of(const struct solver *s, const struct joint *j, struct mover *movers)
{
    const int a = mover_of(s, j->a), b = mover_of(s, j->b);
    return (struct couple){.a = &movers[a], .b = &movers[b], .mass_a = &s->mass[a], .mass_b = &s->mass[b]};
}

void joints_begin(struct bodies *b, double dt, double part)
{
    struct solver *s = &b->engine->solver;
    for (int n = 0; n < b->engine->joints.count; ++n) {
        struct joint *j = b->engine->joints.slots[n].joint;
        if (!j) continue;
        const struct ends e = ends_of(b, j, dt);
        struct couple c = couple_of(s, j, s->v);
        c.given = j->impulse;
        j->count = j->kind->rows(j, &e, j->rows);
        for (int i = 0; i < j->count; ++i) {
            const struct row *r = &j->rows[i];
            prepare(j, i, c.mass_a, c.mass_b, dt);
            const bool idle = loose(r) && speed_of(r, c.a, c.b) + j->bias[i] < 0.0;
            const double again = idle ? 0.0 : clamp(part * j->impulse[i], r->lo, r->hi);
            j->impulse[i] = 0.0;
            give_row(j, i, &c, again);
        }
        factorise(j, c.mass_a, c.mass_b);
    }
}

double joints_solve(struct bodies *b)
{
    struct solver *s = &b->engine->solver;
    double worst = 0.0;
    for (int n = 0; n < b->engine->joints.count; ++n) {
        struct joint *j = b->engine->joints.slots[n].joint;
        if (!j) continue;
        struct couple c = couple_of(s, j, s->v);
        c.bias = j->bias, c.given = j->impulse;
        worst = fmax(worst, solve_rigid(j, &c));
        for (int i = j->rigid; i < j->count; ++i) solve_row(j, i, &c);
    }
    return worst;
}

// A part of what is open is closed, seen from where the speeds lead, as what overlaps is moved apart: places change, speeds do
// not. Speeds that close joints would not all be lost again where the ground or others hold against them.
void joints_open(struct bodies *b, double dt)
{
    struct solver *s = &b->engine->solver;
    for (int n = 0; n < b->engine->joints.count; ++n) {
        struct joint *j = b->engine->joints.slots[n].joint;
        if (!j) continue;
        const struct couple v = couple_of(s, j, s->v), led = couple_of(s, j, s->led);
        for (int i = 0; i < j->count; ++i) {
            const struct row *r = &j->rows[i];
            const double open = r->error + dt * speed_of(r, v.a, v.b), most = PUSH_OUT * dt;
            j->way[i] = clamp(PUSH_BACK * open, -most, most) - speed_of(r, led.a, led.b);
            j->drawn[i] = 0.0;
        }
    }
}

double joints_close(struct bodies *b)
{
    struct solver *s = &b->engine->solver;
    double worst = 0.0;
    for (int n = 0; n < b->engine->joints.count; ++n) {
        struct joint *j = b->engine->joints.slots[n].joint;
        if (!j) continue;
        struct couple c = couple_of(s, j, s->moved);
        c.bias = j->way, c.given = j->drawn;
        worst = fmax(worst, solve_rigid(j, &c));
        for (int i = j->rigid; i < j->count; ++i)
            if (j->rows[i].slack) solve_row(j, i, &c);
    }
    return worst;
}
