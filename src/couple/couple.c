#include "couple.h"

#include "base/error.h"

#include <string.h>

#define RISE_TIME 1.0  // [s] in which the tank's level follows the part of a body that lifts no column
#define ASIDE     0.05 // [cells] that a body may go sideways before its columns are found anew (or CARRIED)
#define NEAR      0.5  // [radii] from the surface, where a body in the air begins to look for columns

const char *const couple_names[] = {"columns", "triangles", "pressure", "penalty",
                                    NULL}; // of the table below

const struct couple_kind *couple_kind_at(int index)
{
    static const struct couple_kind *const kinds[] = {&couple_columns, &couple_triangles, &couple_pressure,
                                                      &couple_penalty};
    return 0 <= index && index < (int)(sizeof kinds / sizeof kinds[0]) ? kinds[index] : NULL;
}

void couple_free(struct couple *c)
{
    for (int i = 0; i < c->room; ++i) press_free(&c->presses[i], c->memory);
    memory_free(c->memory, c->presses, (size_t)c->room, sizeof *c->presses);
    memory_free(c->memory, c->felt, c->felt_count, sizeof *c->felt);
    memory_free(c->memory, c->left, (size_t)c->left_room, sizeof *c->left);
    memory_free(c->memory, c->pressers, (size_t)c->presser_room, sizeof *c->pressers);
}

// Nothing that has columns: no water, or none with a surface.
static bool no_columns(const struct fluid *f) { return f->kind->empty || f->kind->flat; }

static double ground(const struct fluid *f) { return f->g.s * f->g.s * f->g.nx * f->g.nz; }

// ---- finding the columns --------------------------------------------------------------------------

// True if a body is nowhere near the water: too high, or beside the grid. Then it has no columns.
static bool out_of_reach(const struct press *p, const struct fluid *f, const struct bodies *b, int i)
{
    if (no_columns(f)) return true;
    const struct grid *g = &f->g;
    const vec3 at = b->hot[i].position;
    const double r = b->slots[i].cold->figure->radius,
                 far = 1e8 * g->s; // columns and rows are counted in int
    if (!body_sound(b, i) || fabs(at.x) > far || fabs(at.z) > far) return true;
    if (!f->wrap_x && (at.x + r < g->x0 || at.x - r > g->x0 + g->nx * g->s)) return true;
    if (!f->wrap_z && (at.z + r < g->z0 || at.z - r > g->z0 + g->nz * g->s)) return true;
    return at.y - r - f->level - p->surface.a > NEAR * r;
}

// Room for everything that body i will ever need. False without memory.
static bool reserve(struct couple *c, struct fluid *f, const struct bodies *b, int i)
{
    if (!memory_grow(c->memory, (void **)&c->presses, &c->room, b->count, sizeof *c->presses)) return false;
    if (no_columns(f)) return true;
    struct press *p = &c->presses[i];
    p->deep = c->kind->solved || c->kind->drawn;
    return lift_reserve(c, f, b->count) &&
           press_reserve(p, c->memory, f, &b->slots[i].cold->figure->form.hull,
                         b->slots[i].cold->figure->radius) &&
           (!p->deep || pressure_reserve(p, c->memory));
}

static void build(struct couple *c, struct fluid *f, const struct bodies *b, int i)
{
    struct press *p = &c->presses[i];
    p->ni = p->nj = 0, p->wet = false;
    p->presser.count = 0;
    if (out_of_reach(p, f, b, i)) return;
    press_build(p, f, &b->slots[i].cold->figure->form.hull, &b->hot[i]);
    press_look(p, f);
    if (c->kind->solved) {
        pressure_list(p, f);
        pressure_fill(p, f);
    } else {
        press_fill(p, f);
    }
}

void couple_rebuild(struct couple *c, struct fluid *f, const struct bodies *b, int i)
{
    for (int k = 0; k < b->count; ++k)
        if (bodies_alive(b, k) && (i < 0 || i == k)) build(c, f, b, k);
    if (!b->alive_count) return;
    lift_write(c, f, b, 0.5 * c->step);
    if (c->kind->lifts && !c->kind->solved)
        couple_answer(c, f, b, 0.0); // what the water has felt late by that
}

// Add strength * filled (times sign) to the water of the columns. Gives back the depth of all together.
static double exchange(const struct press *p, struct fluid *f, double strength, double sign)
{
    double sum = 0.0;
    for (int j = 0; j < p->nj; ++j) {
        const int row = press_row(f, p->j0 + j);
        for (int i = 0; row >= 0 && i < p->ni; ++i) {
            const int column = press_column(f, p->i0 + i);
            const float depth = (float)sign * ((float)strength * p->columns.filled[j * p->ni + i]);
            if (column >= 0 && depth != 0.0f) sum += f->kind->add(f, row, column, column + 1, &depth, NULL);
        }
    }
    return sum;
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
        if (c->kind->solved) {
            press_level(p, f);
            pressure_place(p, f);
            pressure_fill(p, f);
        } else {
            press_fit(p, f, 0.0);
        }
        f->placed -= exchange(p, f, c->strength, -1.0);
    }
    struct wetted w = {0};
    if (p->ni && !p->stranded) press_cut(p, f, b, i, v3(0, 0, 0), &w);
    press_report(p, f, b, i, &w);
    p->added.side = added_by(f, w.volume);
    p->added.up = (p->deep ? pressure_sunk(p) : 1.0) * p->added.side;
    c->submerged += w.volume;
    c->submerged_start += w.volume;
    c->changed = true;
    lift_write(c, f, b, 0.0);
    return TARN_OK;
}

void couple_take(struct couple *c, struct fluid *f, const struct bodies *b, int i)
{
    struct press *p = &c->presses[i];
    if (p->wet) f->placed -= exchange(p, f, c->strength, 1.0);
    f->placed += p->inside; // it leaves with the hull
    c->submerged -= p->load.submerged_volume;
    c->submerged_start -= p->load.submerged_volume;
    press_free(p, c->memory);
    c->changed = true;
    lift_write(c, f, b, 0.0);
}

// ---- steps ----------------------------------------------------------------------------------------

// The plane of the surface at a body, and what it fills of the columns below.
static void find_surface(struct couple *c, struct fluid *f, const struct bodies *b, int i)
{
    struct press *p = &c->presses[i];
    const bool fresh = !p->ni; // what it fills now is not on the water yet
    if (fresh) {
        const vec3 at = b->hot[i].position;
        p->surface = (struct plane){fluid_sample(f, at.x, at.z).height, 0, 0};
        build(c, f, b, i);
    }
    if (!p->ni) return;
    if (c->kind->solved) {
        press_read(p, f, 0.0);
        press_level(p, f);
        return;
    }
    if (c->kind->drawn) {
        press_read(p, f, 0.0);
        penalty_level(p, f);
        press_fill(p, f);
        return;
    }
    press_read(p, f, fresh ? 0.0 : c->strength);
    press_fit(p, f, c->strength);
}

// Without water: gravity and what the caller gives.
static void push_dry(const struct fluid *f, struct bodies *b, double dt)
{
    for (int i = 0; i < b->count; ++i) {
        const struct body_cold *cold = b->slots[i].cold;
        if (!cold || cold->def.external) continue;
        const vec3 force = v3_add(cold->force, v3(0.0, -cold->def.mass * f->gravity, 0.0));
        b->kicks[i] = (struct kick){v3_scale(force, dt), v3_scale(cold->torque, dt), .steady = true};
    }
}

// Each of the bodies that were put in found its columns in the water of then. Find them all in the water of now, as a world
// does that is loaded: it has to go on in the same way.
void couple_settle(struct couple *c, struct fluid *f, const struct bodies *b)
{
    if (!c->changed || !b->alive_count || no_columns(f)) return;
    for (int i = 0; i < b->count; ++i)
        if (bodies_alive(b, i)) build(c, f, b, i);
    lift_write(c, f, b, 0.0);
    c->changed = false;
}

void couple_push(struct couple *c, struct fluid *f, struct bodies *b, double dt)
{
    if (f->kind->empty) {
        push_dry(f, b, dt);
        return;
    }
    c->submerged = 0.0;
    f->presser_count = 0, f->pressers = c->pressers;
    for (int i = 0; i < b->count; ++i) {
        if (!bodies_alive(b, i)) continue;
        struct press *p = &c->presses[i];
        find_surface(c, f, b, i);
        c->submerged +=
            c->kind->solved ? press_push_first(p, f, b, i, dt) : press_push(p, f, b, i, c->strength, dt);
        if (!p->ni || p->stranded) continue;
        splash(p, f, b, i, c->splash, dt);
        if (c->kind->drawn) penalty_tell(p, f, c->weight);
        if (p->deep) c->pressers[f->presser_count++] = &p->presser;
    }
    lift_write(c, f, b, 0.5 * c->step);
    sweep(c, f, b, dt);
    c->step = dt;
}

void couple_yield(struct couple *c, struct fluid *f, struct bodies *b, double dt)
{
    if (f->kind->empty || !(c->kind->solved || c->kind->drawn)) return;
    const int count = f->presser_count;
    f->presser_count = 0; // they were lent for the step
    for (int i = 0; i < b->count; ++i) {
        if (!bodies_alive(b, i)) continue;
        if (c->kind->solved) press_push_last(&c->presses[i], f, b, i, dt);
        for (int k = 0; k < count && c->kind->drawn; ++k)
            if (c->pressers[k] == &c->presses[i].presser) penalty_take(&c->presses[i], f);
    }
    if (c->kind->solved) lift_write(c, f, b, 0.0);
}

void couple_answer(struct couple *c, struct fluid *f, const struct bodies *b, double dt)
{
    if (f->kind->empty) return;
    // What the water has felt late is shared out by the volumes under water: together they are exact. Where nobody is
    // under water any more, nobody answers.
    if (!(c->submerged > 0.0)) c->sink = v3_sub(c->sink, c->late);
    const vec3 late = c->submerged > 0.0 ? v3_scale(c->late, 1.0 / c->submerged) : v3(0, 0, 0);
    for (int i = 0; i < b->count; ++i) {
        if (!bodies_alive(b, i)) continue;
        struct press *p = &c->presses[i];
        const vec3 felt = v3_scale(late, p->load.submerged_volume),
                   owed = v3_add(p->owed, v3_sub(b->passed[i], felt));
        vec3 taken = {0, 0, 0};
        if (p->ni && !p->stranded) taken = c->kind->answer(c, f, b, i, owed, dt);
        c->sink = v3_add(c->sink, v3_sub(owed, taken));
        p->owed = v3(0, 0, 0);
    }
    c->late = v3(0, 0, 0);
}

void couple_follow(struct couple *c, struct fluid *f, const struct bodies *b, double dt)
{
    bool rebuilt = false;
    for (int i = 0; i < b->count; ++i) {
        if (!bodies_alive(b, i)) continue; // slots may be there without a press
        struct press *p = &c->presses[i];
        if (!p->ni) continue;
        const vec3 at = b->hot[i].position, spin = body_spin(b, i);
        const double x = at.x - p->x, z = at.z - p->z;
        p->surface.a += p->surface.b * (x - p->aside_x) + p->surface.c * (z - p->aside_z);
        p->aside_x = x, p->aside_z = z;
        p->moved = (struct plane){at.y - p->y, p->moved.b + dt * spin.z, p->moved.c - dt * spin.x};
        if (fmax(fabs(x), fabs(z)) < (fluid_carries(f) ? CARRIED : ASIDE) * f->g.s) continue;
        if (!press_arrive(p, f, &b->hot[i])) build(c, f, b, i);
        rebuilt = true;
    }
    if (f->closed && c->kind->lifts) {
        const double full = (1.0 - c->strength) * (c->submerged - c->submerged_start) / ground(f);
        f->rise += dt / RISE_TIME * (full - f->rise);
    }
    if (rebuilt) lift_write(c, f, b, 0.5 * c->step);
}

// ---- saving ---------------------------------------------------------------------------------------

double couple_inside(const struct couple *c, const struct bodies *b)
{
    double sum = 0.0;
    for (int i = 0; i < b->count; ++i)
        if (bodies_alive(b, i)) sum += c->presses[i].inside;
    return sum;
}

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
        save_f64s(s, &p->added.side, 2);
        save_f64(s, p->inside);
        if (c->kind->solved) {
            save_u32(s, p->expects);
            save_f64s(s, p->expected, 3);
            save_f64s(s, p->held, 3);
        }
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
        load_f64s(l, &p->added.side, 2);
        p->inside = load_f64(l);
        if (c->kind->solved) {
            p->expects = load_u32(l) != 0;
            load_f64s(l, p->expected, 3);
            load_f64s(l, p->held, 3);
            // A push would spin something tiny at any rate, were it not external. All use is a difference within limits.
            for (int k = 0; k < 3; ++k) good = good && isfinite(p->expected[k]) && isfinite(p->held[k]);
        }
        load_f64s(l, &p->load.buoyancy.x, LOAD_DOUBLES);
        good = good && fabs(p->surface.a) < 1e6 && fabs(p->surface.b) < 1e6 && fabs(p->surface.c) < 1e6 &&
               0.0 <= p->added.up && p->added.up <= p->added.side && p->added.side < 1e18 &&
               0.0 <= p->inside &&
               // columns give whole quanta: a small hold may be a little more than full
               p->inside <= 1.1 * b->slots[i].cold->figure->form.held / (f->g.s * f->g.s);
    }
    if (!good || !load_done(l))
        return fail(err, TARN_BAD_INPUT, "", "the section 'couple' does not fit its bodies");
    couple_rebuild(c, f, b, -1); // with a step of 0: the water has felt all of it
    c->step = step;
    return TARN_OK;
}
