#include "couple.h"

#include "base/error.h"

#include <string.h>

#define ADDED_SIDE 0.5 // added mass of a body in the water it displaces
#define ADDED_TURN 0.1 // added inertia, times (rho V/m) I
#define RISE_TIME  1.0 // [s] in which the tank's level follows the part of a body that lifts no column
#define NEAR       0.5 // [radii] from the surface, where a body in the air begins to look for columns

void couple_free(struct couple *c)
{
    for (int i = 0; i < c->room; ++i) press_free(&c->presses[i], c->memory);
    memory_free(c->memory, c->presses, (size_t)c->room, sizeof *c->presses);
    memory_free(c->memory, c->felt, c->felt_count, sizeof *c->felt);
    memory_free(c->memory, c->left, (size_t)c->left_room, sizeof *c->left);
}

static double ground(const struct fluid *f) { return f->g.s * f->g.s * f->g.nx * f->g.nz; }

// ---- lifting the surface --------------------------------------------------------------------------

// The cells that a stretch of a patch covers on the grid: one interval, or two across a periodic side.
static int intervals(int start, int count, int n, bool wrap, int out[2][2])
{
    if (!wrap) {
        out[0][0] = imax(start, 0), out[0][1] = imin(start + count, n);
        return out[0][0] < out[0][1];
    }
    if (count >= n) return out[0][0] = 0, out[0][1] = n, 1;
    const int first = ((start % n) + n) % n;
    out[0][0] = first, out[0][1] = imin(first + count, n);
    out[1][0] = 0, out[1][1] = first + count - n;
    return out[1][1] > 0 ? 2 : 1;
}

static bool overlap(const struct rect *a, const struct rect *b)
{
    return a->i0 < b->i1 && b->i0 < a->i1 && a->j0 < b->j1 && b->j0 < a->j1;
}

// Add a rectangle, joined with all that it meets: the list stays disjoint.
static void add_rect(struct fluid *f, struct rect r)
{
    for (int k = 0; k < f->pressed_count;) {
        const struct rect o = f->pressed[k];
        if (!overlap(&o, &r)) {
            ++k;
            continue;
        }
        r = (struct rect){imin(r.i0, o.i0), imax(r.i1, o.i1), imin(r.j0, o.j0), imax(r.j1, o.j1)};
        f->pressed[k] = f->pressed[--f->pressed_count];
        k = 0; // grown: it may meet an earlier one now
    }
    f->pressed[f->pressed_count++] = r;
}

static void clear_lift(struct fluid *f)
{
    for (int k = 0; k < f->pressed_count; ++k) {
        const struct rect *r = &f->pressed[k];
        for (int j = r->j0; j < r->j1; ++j) {
            const size_t c = grid_at(&f->g, r->i0, j), bytes = (size_t)(r->i1 - r->i0) * sizeof(float);
            memset(f->lift + c, 0, bytes);
            memset(f->cover + c, 0, bytes);
        }
    }
    f->pressed_count = 0;
    f->lifted = 0.0;
}

static void add_lift(const struct press *p, struct fluid *f, double strength)
{
    const bool inside = p->i0 >= 0 && p->i0 + p->ni <= f->g.nx; // no side to fold or wrap at
    double sum = 0.0;
    for (int j = 0; j < p->nj; ++j) {
        const int row = press_row(f, p->j0 + j);
        for (int i = 0; row >= 0 && i < p->ni; ++i) {
            const struct column *c = &p->columns[j * p->ni + i];
            if (c->filled == 0.0f) continue;
            const int column = inside ? p->i0 + i : press_column(f, p->i0 + i);
            if (column < 0) continue;
            const size_t at = grid_at(&f->g, column, row);
            const float lift = (float)strength * c->filled;
            f->lift[at] += lift;
            f->cover[at] = fminf(1.0f, f->cover[at] + c->cover);
            sum += lift;
        }
    }
    f->lifted += sum;
}

// Push the water of a rectangle by what the lift has changed since it was felt last, for a time.
static void push_change(struct couple *c, struct fluid *f, const struct rect *r, double time)
{
    enum { STRETCH = 64 };
    float push[STRETCH];
    for (int j = r->j0; j < r->j1; ++j)
        for (int i0 = r->i0; i0 < r->i1; i0 += STRETCH) {
            const int i1 = imin(i0 + STRETCH, r->i1);
            const size_t at = grid_at(&f->g, i0, j);
            bool any = false;
            for (int i = 0; i < i1 - i0; ++i) {
                const float change = f->lift[at + (size_t)i] - c->felt[at + (size_t)i];
                push[i] = (float)time * change;
                any = any || push[i] != 0.0f;
                c->felt[at + (size_t)i] = f->lift[at + (size_t)i];
            }
            if (any) f->kind->add(f, j, i0, i1, NULL, push);
        }
}

// Speeds that live at the same moment as the heights (`shallow`) take half of a step's pressure at its start and half at
// its end. A lift is known at the start alone: what it is at the end comes with the next one. Without this it would act
// half a step late, and water and body would swing ever higher: a ring at rest by exp(0.7 t).
static void push_late(struct couple *c, struct fluid *f, int left, double time)
{
    if (f->kind->late > 0.0) return;
    for (int k = 0; k < f->pressed_count; ++k) push_change(c, f, &f->pressed[k], time);
    for (int k = 0; k < left; ++k) push_change(c, f, &c->left[k], time); // where the lift is gone
}

// What all wet bodies fill, onto the water. `late`: half of the inner step that felt the lift before [s]; 0 where the
// lift is another because bodies or water were put there.
static void write_lift(struct couple *c, struct fluid *f, const struct bodies *b, double late)
{
    const int left = f->pressed_count;
    if (left) memcpy(c->left, f->pressed, (size_t)left * sizeof *c->left);
    clear_lift(f);
    for (int k = 0; k < b->count; ++k) {
        const struct press *p = &c->presses[k];
        if (!bodies_alive(b, k) || !p->wet) continue;
        int x[2][2], z[2][2];
        const int nx = intervals(p->i0, p->ni, f->g.nx, f->wrap_x, x);
        const int nz = intervals(p->j0, p->nj, f->g.nz, f->wrap_z, z);
        for (int m = 0; m < nx; ++m)
            for (int n = 0; n < nz; ++n) add_rect(f, (struct rect){x[m][0], x[m][1], z[n][0], z[n][1]});
        add_lift(p, f, c->strength);
    }
    push_late(c, f, left, late);
}

// ---- finding the columns --------------------------------------------------------------------------

// True if a body is nowhere near the water: too high, or beside the grid. Then it has no columns.
static bool out_of_reach(const struct press *p, const struct fluid *f, const struct bodies *b, int i)
{
    if (f->kind->empty) return true;
    const struct grid *g = &f->g;
    const vec3 at = b->hot[i].position;
    const double r = b->slots[i].cold->figure->radius,
                 far = 1e8 * g->s; // columns and rows are counted in int
    if (!body_sound(b, i) || fabs(at.x) > far || fabs(at.z) > far) return true;
    if (!f->wrap_x && (at.x + r < g->x0 || at.x - r > g->x0 + g->nx * g->s)) return true;
    if (!f->wrap_z && (at.z + r < g->z0 || at.z - r > g->z0 + g->nz * g->s)) return true;
    return at.y - r - f->level - p->surface.a > NEAR * r;
}

static bool allow_late(struct couple *c, const struct fluid *f)
{
    if (c->felt || f->kind->late > 0.0) return true;
    c->felt = memory_alloc(c->memory, f->g.count, sizeof *c->felt);
    c->felt_count = c->felt ? f->g.count : 0;
    return c->felt != NULL;
}

// Room for everything that body i will ever need. False without memory.
static bool reserve(struct couple *c, struct fluid *f, const struct bodies *b, int i)
{
    if (!memory_grow(c->memory, (void **)&c->presses, &c->room, b->count, sizeof *c->presses)) return false;
    return f->kind->empty ||
           (memory_grow(f->memory, (void **)&f->pressed, &f->pressed_capacity, 4 * b->count,
                        sizeof *f->pressed) &&
            memory_grow(c->memory, (void **)&c->left, &c->left_room, 4 * b->count, sizeof *c->left) &&
            allow_late(c, f) && fluid_allow_press(f) &&
            press_reserve(&c->presses[i], c->memory, f, &b->slots[i].cold->figure->form.hull,
                          b->slots[i].cold->figure->radius));
}

static void build(struct couple *c, struct fluid *f, const struct bodies *b, int i)
{
    struct press *p = &c->presses[i];
    p->ni = p->nj = 0, p->wet = false;
    if (out_of_reach(p, f, b, i)) return;
    press_build(p, f, &b->slots[i].cold->figure->form.hull, &b->hot[i]);
    press_look(p, f);
    press_fill(p, f);
}

void couple_rebuild(struct couple *c, struct fluid *f, const struct bodies *b, int i)
{
    for (int k = 0; k < b->count; ++k)
        if (bodies_alive(b, k) && (i < 0 || i == k)) build(c, f, b, k);
    if (b->alive_count) write_lift(c, f, b, 0.5 * c->step);
}

static void cut(const struct press *p, const struct fluid *f, const struct bodies *b, int i, vec3 drift,
                struct wetted *out)
{
    const struct body_cold *cold = b->slots[i].cold;
    wetted_cut(&cold->figure->form.hull, &b->hot[i], &cold->def, body_velocity(b, i), body_spin(b, i),
               &p->surface, drift, f, p->depth, out);
}

// Add strength * filled (times sign) to the water of the columns. Gives back the depth of all together.
static double exchange(const struct press *p, struct fluid *f, double strength, double sign)
{
    double sum = 0.0;
    for (int j = 0; j < p->nj; ++j) {
        const int row = press_row(f, p->j0 + j);
        for (int i = 0; row >= 0 && i < p->ni; ++i) {
            const int column = press_column(f, p->i0 + i);
            const float depth = (float)sign * ((float)strength * p->columns[j * p->ni + i].filled);
            if (column >= 0 && depth != 0.0f) sum += f->kind->add(f, row, column, column + 1, &depth, NULL);
        }
    }
    return sum;
}

static void report(struct press *p, const struct fluid *f, const struct bodies *b, int i,
                   const struct wetted *w)
{
    p->load = (tarn_load){0};
    p->load.buoyancy = v3(0, w->pressure.y, 0);
    p->load.force = p->load.buoyancy;
    p->load.torque = w->pressure_torque;
    p->load.submerged_volume = w->volume;
    p->load.submerged_fraction = w->volume / b->slots[i].cold->figure->form.volume;
    p->load.waterline = f->level + p->surface.a;
}

tarn_result couple_place(struct couple *c, struct fluid *f, const struct bodies *b, int i, tarn_error *err)
{
    const double wide = f->g.nx * f->g.s, deep = f->g.nz * f->g.s;
    if (!f->endless && b->slots[i].cold->figure->radius > sqrt(wide * wide + deep * deep))
        return fail(err, TARN_BAD_INPUT, "shape",
                    "a body %.3g m across does not fit into a tank of %.3g x %.3g m",
                    2.0 * b->slots[i].cold->figure->radius, wide, deep);
    if (!reserve(c, f, b, i)) return fail(err, TARN_NO_MEMORY, "", "no memory for the columns of a body");
    struct press *p = &c->presses[i];
    const vec3 at = b->hot[i].position;
    p->surface = (struct plane){fluid_sample(f, at.x, at.z).height, 0, 0};
    build(c, f, b, i);
    if (p->ni) {
        press_read(p, f, 0.0);
        press_fit(p, f, 0.0);
        f->placed -= exchange(p, f, c->strength, -1.0);
    }
    struct wetted w = {0};
    if (p->ni && !p->stranded) cut(p, f, b, i, v3(0, 0, 0), &w);
    report(p, f, b, i, &w);
    p->added = ADDED_SIDE * f->density * w.volume;
    c->submerged += w.volume;
    c->submerged_start += w.volume;
    write_lift(c, f, b, 0.0);
    return TARN_OK;
}

void couple_take(struct couple *c, struct fluid *f, const struct bodies *b, int i)
{
    struct press *p = &c->presses[i];
    if (p->wet) f->placed -= exchange(p, f, c->strength, 1.0);
    c->submerged -= p->load.submerged_volume;
    c->submerged_start -= p->load.submerged_volume;
    press_free(p, c->memory);
    write_lift(c, f, b, 0.0);
}

// ---- pushing the bodies ---------------------------------------------------------------------------

// Solve a symmetric positive 6 x 6 system by Cholesky's method; x holds the right-hand side at first.
static void solve6(double a[6][6], double x[6])
{
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j <= i; ++j) {
            double sum = a[i][j];
            for (int k = 0; k < j; ++k) sum -= a[i][k] * a[j][k];
            a[i][j] = i == j ? sqrt(sum) : sum / a[j][j];
        }
    for (int i = 0; i < 6; ++i) {
        for (int k = 0; k < i; ++k) x[i] -= a[i][k] * x[k];
        x[i] /= a[i][i];
    }
    for (int i = 5; i >= 0; --i) {
        for (int k = i + 1; k < 6; ++k) x[i] -= a[k][i] * x[k];
        x[i] /= a[i][i];
    }
}

struct shove {
    vec3 force, torque; // all that acts, gravity included
    double slam;        // [kg/s] growth of the added mass on entry
    double added;       // [kg]
    struct wetted wet;
};

// The water's velocity at a body. Long waves lift the deep less, the bed not at all; and no water is faster than the
// waves, beyond which linear waves mean nothing.
static vec3 water_at_body(const struct press *p, const struct fluid *f, const struct bodies *b, int i)
{
    vec3 v = press_current(p, f, b->slots[i].cold->figure->radius);
    double slope[2];
    const vec3 at = b->hot[i].position;
    const double ground = fluid_ground(f, at.x, at.z, slope), depth = p->surface.a - ground;
    v.y *= depth > f->dry ? clamp((at.y - f->level - ground) / depth, 0.0, 1.0) : 0.0;
    const double fast = v3_length(v), most = fmax(f->speed, f->fastest);
    return fast > most ? v3_scale(v, most / fast) : v;
}

// Pressure from the cut at the plane for heave, roll and pitch, from the columns sideways and for yaw. The
// water around a body accelerates with the surface's slope and takes the added mass along: hence 1.5.
static void add_water(struct press *p, const struct fluid *f, const struct bodies *b, int i, double strength,
                      double dt, struct shove *k)
{
    const vec3 drift = water_at_body(p, f, b, i);
    vec3 side;
    double yaw;
    cut(p, f, b, i, drift, &k->wet);
    press_sideways(p, f, strength, k->wet.volume, &side, &yaw);
    report(p, f, b, i, &k->wet);

    k->added = ADDED_SIDE * f->density * k->wet.volume;
    k->slam = fmax(0.0, k->added - p->added) / dt;
    p->added = k->added;
    p->load.buoyancy = v3((1.0 + ADDED_SIDE) * side.x, k->wet.pressure.y, (1.0 + ADDED_SIDE) * side.z);
    p->load.drag = k->wet.drag;
    p->load.lift = k->wet.lift;
    const vec3 slam = v3_scale(v3_sub(body_velocity(b, i), drift), -k->slam);
    k->force = v3_add(k->force, v3_add(v3_add(p->load.buoyancy, slam), v3_add(k->wet.drag, k->wet.lift)));
    const vec3 pressure = v3(k->wet.pressure_torque.x, yaw, k->wet.pressure_torque.z);
    k->torque = v3_add(k->torque, v3_add(pressure, v3_add(k->wet.drag_torque, k->wet.lift_torque)));
}

// (M + M_a + dt C + dt^2/4 K) (dv, dw) = dt (F, T): damping and stiffness are taken at the end and the middle of
// the step, so a body of any lightness stays calm at any step.
static void kick_body(const struct press *p, const struct fluid *f, struct bodies *b, int i, double strength,
                      double dt, struct shove *k)
{
    const double m = b->slots[i].cold->def.mass;
    const mat3 inertia = body_inertia(b, i);
    const double turn = 1.0 + ADDED_TURN * f->density * k->wet.volume / m;
    double a[6][6], stiff[3][3] = {{0}};
    static const int at[3] = {1, 3, 5}; // heave, roll, pitch
    if (p->wet) press_stiffness(p, f, strength, stiff);
    for (int r = 0; r < 6; ++r)
        for (int s = 0; s < 6; ++s) {
            a[r][s] = dt * k->wet.damping[r][s];
            if (r >= 3 && s >= 3) a[r][s] += turn * inertia.m[r - 3][s - 3];
        }
    for (int r = 0; r < 3; ++r) {
        a[r][r] += m + k->added + dt * k->slam;
        for (int s = 0; s < 3; ++s) a[at[r]][at[s]] += 0.25 * dt * dt * stiff[r][s];
    }
    double x[6] = {dt * k->force.x,  dt * k->force.y,  dt * k->force.z,
                   dt * k->torque.x, dt * k->torque.y, dt * k->torque.z};
    solve6(a, x);
    const bool dry = k->wet.volume == 0.0;
    body_kick(b, i, v3_scale(v3(x[0], x[1], x[2]), m), mat3_mul(&inertia, v3(x[3], x[4], x[5])), dry);
}

// One body for dt: fit, forces, kick.
static void push_body(struct couple *c, struct fluid *f, struct bodies *b, int i, double dt)
{
    struct press *p = &c->presses[i];
    const struct body_cold *cold = b->slots[i].cold;
    struct shove k = {0};
    const double m = cold->def.mass;
    const vec3 given = v3_add(cold->force, v3(m * f->pull[0], -m * f->gravity, m * f->pull[1]));
    k.force = given, k.torque = cold->torque;
    const bool fresh = !p->ni; // what it fills now is not on the water yet
    if (fresh) {
        const vec3 at = b->hot[i].position;
        p->surface = (struct plane){fluid_sample(f, at.x, at.z).height, 0, 0};
        build(c, f, b, i);
    }
    if (p->ni) {
        press_read(p, f, fresh ? 0.0 : c->strength);
        press_fit(p, f, c->strength);
    }
    if (p->ni && !p->stranded) {
        add_water(p, f, b, i, c->strength, dt, &k);
    } else {
        p->added = 0.0;
        report(p, f, b, i, &k.wet);
    }
    c->submerged += k.wet.volume;
    if (!cold->def.external) kick_body(p, f, b, i, c->strength, dt, &k);
    // What it got from the water: for a body of the caller's the forces, for ours what they made of it.
    p->load.force = cold->def.external ? v3_sub(k.force, given)
                                       : v3_scale(v3_madd(b->kicks[i].momentum, -dt, given), 1.0 / dt);
    p->load.torque = cold->def.external ? v3_sub(k.torque, cold->torque)
                                        : v3_scale(v3_madd(b->kicks[i].angular, -dt, cold->torque), 1.0 / dt);
    c->sink = v3_madd(c->sink, -dt, p->load.force);
}

// Without water: gravity and what the caller gives.
static void push_dry(const struct fluid *f, struct bodies *b, double dt)
{
    for (int i = 0; i < b->count; ++i) {
        const struct body_cold *cold = b->slots[i].cold;
        if (!cold || cold->def.external) continue;
        const vec3 force = v3_add(cold->force, v3(0.0, -cold->def.mass * f->gravity, 0.0));
        body_kick(b, i, v3_scale(force, dt), v3_scale(cold->torque, dt), true);
    }
}

void couple_push(struct couple *c, struct fluid *f, struct bodies *b, double dt)
{
    if (f->kind->empty) {
        push_dry(f, b, dt);
        return;
    }
    c->submerged = 0.0;
    for (int i = 0; i < b->count; ++i)
        if (bodies_alive(b, i)) push_body(c, f, b, i, dt);
    write_lift(c, f, b, 0.5 * c->step);
    c->step = dt;
}

void couple_follow(struct couple *c, struct fluid *f, const struct bodies *b, double dt)
{
    bool rebuilt = false;
    for (int i = 0; i < b->count; ++i) {
        struct press *p = &c->presses[i];
        if (!bodies_alive(b, i) || !p->ni) continue;
        const vec3 at = b->hot[i].position, spin = body_spin(b, i);
        const double x = at.x - p->x, z = at.z - p->z;
        p->surface.a += p->surface.b * (x - p->aside_x) + p->surface.c * (z - p->aside_z);
        p->aside_x = x, p->aside_z = z;
        p->moved = (struct plane){at.y - p->y, p->moved.b + dt * spin.z, p->moved.c - dt * spin.x};
        if (fmax(fabs(x), fabs(z)) < 0.25 * f->g.s) continue;
        build(c, f, b, i);
        rebuilt = true;
    }
    if (f->closed) {
        const double full = (1.0 - c->strength) * (c->submerged - c->submerged_start) / ground(f);
        f->rise += dt / RISE_TIME * (full - f->rise);
    }
    if (rebuilt) write_lift(c, f, b, 0.5 * c->step);
}

// ---- saving ---------------------------------------------------------------------------------------

#define LOAD_DOUBLES (sizeof(tarn_load) / sizeof(double))

void couple_save(struct saver *s, const struct couple *c, const struct bodies *b)
{
    save_f64(s, c->submerged);
    save_f64(s, c->submerged_start);
    save_f64s(s, &c->sink.x, 3);
    save_f64(s, c->step);
    for (int i = 0; i < b->count; ++i) {
        if (!bodies_alive(b, i)) continue;
        const struct press *p = &c->presses[i];
        save_f64s(s, &p->surface.a, 3);
        save_f64(s, p->added);
        save_f64s(s, &p->load.buoyancy.x, LOAD_DOUBLES);
    }
}

tarn_result couple_load(struct loader *l, struct couple *c, struct fluid *f, const struct bodies *b,
                        tarn_error *err)
{
    c->submerged = load_f64(l);
    c->submerged_start = load_f64(l);
    load_f64s(l, &c->sink.x, 3);
    const double step = load_f64(l);
    bool good = fabs(c->submerged) < 1e15 && fabs(c->submerged_start) < 1e15 && v3_finite(c->sink) &&
                0.0 <= step && step <= TARN_MAX_DT;
    for (int i = 0; i < b->count; ++i) {
        if (!bodies_alive(b, i)) continue;
        if (!reserve(c, f, b, i)) return fail(err, TARN_NO_MEMORY, "", "no memory for the columns of bodies");
        struct press *p = &c->presses[i];
        load_f64s(l, &p->surface.a, 3);
        p->added = load_f64(l);
        load_f64s(l, &p->load.buoyancy.x, LOAD_DOUBLES);
        good = good && fabs(p->surface.a) < 1e6 && fabs(p->surface.b) < 1e6 && fabs(p->surface.c) < 1e6 &&
               0.0 <= p->added && p->added < 1e18;
    }
    if (!good || !load_done(l))
        return fail(err, TARN_BAD_INPUT, "", "the section 'couple' does not fit its bodies");
    couple_rebuild(c, f, b, -1); // with a step of 0: the water has felt all of it
    c->step = step;
    return TARN_OK;
}
