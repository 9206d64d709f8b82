// Contacts in groups of eight that share no body that moves. Each contact gets the lowest colour that neither of its
// bodies has yet; contacts of one colour touch disjoint bodies, so they may be solved side by side, and the order
// follows from the list of contacts alone. What finds no colour goes alone.
#include "contact.h"

#include <string.h>

#define SLOP  2e-3  // of the smaller radius: overlap that is left alone
#define PIVOT 1e-3f // likewise: reach of a single point, so that a ball does not spin on the spot for ever

bool octets_room(struct bodies *b, int slots, int contacts, int octets)
{
    struct solver *s = &b->engine->solver;
    const struct memory *m = b->memory;
    const int n = slots + 1 + b->engine->fixture_count;
    return memory_grow(m, (void **)&s->mover_of, &s->slot_room, slots, sizeof *s->mover_of) &&
           memory_grow(m, (void **)&s->slot_of, &s->mover_room, n, sizeof *s->slot_of) &&
           memory_grow(m, (void **)&s->v, &s->v_room, n, sizeof *s->v) &&
           memory_grow(m, (void **)&s->moved, &s->moved_room, n, sizeof *s->moved) &&
           memory_grow(m, (void **)&s->pull, &s->pull_room, n, sizeof *s->pull) &&
           memory_grow(m, (void **)&s->start, &s->start_room, n, sizeof *s->start) &&
           memory_grow(m, (void **)&s->led, &s->led_room, n, sizeof *s->led) &&
           memory_grow(m, (void **)&s->mass, &s->mass_room, n, sizeof *s->mass) &&
           memory_grow(m, (void **)&s->inertia, &s->inertia_room, n, sizeof *s->inertia) &&
           memory_grow(m, (void **)&s->used, &s->used_room, n, sizeof *s->used) &&
           memory_grow(m, (void **)&s->guesses, &s->guess_room, slots, sizeof *s->guesses) &&
           memory_grow(m, (void **)&s->place, &s->place_room, contacts, sizeof *s->place) &&
           memory_grow(m, (void **)&s->octets, &s->octet_room, octets, sizeof *s->octets);
}

// The bodies that move, and those that others move.
static void list_movers(struct bodies *b)
{
    struct solver *s = &b->engine->solver;
    s->count = 0;
    for (int i = 0; i < b->count; ++i) s->count += bodies_alive(b, i) && !b->engine->asleep[i];
    const int others = 1 + b->engine->fixture_count, n = s->count + others;
    int k = 0;
    for (int i = 0; i < b->count; ++i) {
        s->mover_of[i] = s->count;
        if (!bodies_alive(b, i) || b->engine->asleep[i]) continue;
        s->slot_of[k] = i;
        s->mover_of[i] = k++;
    }
    memset(s->moved, 0, (size_t)n * sizeof *s->moved);
    memset(s->used, 0, (size_t)n * sizeof *s->used);
    memset(&s->v[s->count], 0, (size_t)others * sizeof *s->v);
    memset(&s->pull[s->count], 0, (size_t)others * sizeof *s->pull);
    memset(&s->mass[s->count], 0, (size_t)others * sizeof *s->mass);
}

static int colour_of(const struct bodies *b, const struct contact *c)
{
    struct solver *s = &b->engine->solver;
    const int ma = mover_of(s, c->a), mb = mover_of(s, c->b);
    const bool free_a = ma < s->count && body_movable(b, c->a),
               free_b = c->b >= 0 && mb < s->count && body_movable(b, c->b);
    if (c->count == 0 || (!free_a && !free_b)) return -1;
    uint64_t taken = (free_a ? s->used[ma] : 0) | (free_b ? s->used[mb] : 0);
    int colour = 0;
    while (colour < COLOURS && taken & 1u) taken >>= 1, ++colour;
    if (colour == COLOURS) return COLOURS;
    if (free_a) s->used[ma] |= (uint64_t)1 << colour;
    if (free_b) s->used[mb] |= (uint64_t)1 << colour;
    return colour;
}

// Contacts of one colour may come in any order. Those that need the same work stand together, so that few octets have to
// do several kinds of it: sides that press with all points, sides that press with some, edges and corners, sides
// that do not press.
#define SORTS 4
#define ALONE (SORTS * COLOURS) // group of what finds no colour
static int sort_of(const struct contact *c)
{
    int pressing = 0;
    for (int k = 0; k < c->count; ++k) pressing += c->holds[k].push > 0.0f;
    if (c->count < 3) return 2;
    return pressing == c->count ? 0 : pressing ? 1 : 3;
}

static void set3(wide *out, int lane, vec3 v)
{
    out[0][lane] = (float)v.x, out[1][lane] = (float)v.y, out[2][lane] = (float)v.z;
}

static bool round_piece(const struct bodies *b, int slot, int piece)
{
    return b->slots[slot].cold->figure->form.pieces[piece].circle_count > 0;
}

// Both arms of a point lead to one place, half way: otherwise a push would turn the two as a whole. The world's end needs
// none. All points are put into the plane of their middle.
static void fill_points(struct bodies *b, const struct contact *c, vec3 n, vec3 apart, struct octet *o,
                        int lane)
{
    const mat3 *axes_a = &b->engine->axes[c->a], *axes_b = c->b >= 0 ? &b->engine->axes[c->b] : NULL;
    vec3 t1, t2, arms[SPOTS], middle = {0, 0, 0}, rub = {0, 0, 0};
    double square = 0.0, twisted = 0.0;
    v3_across(n, &t1, &t2);
    for (int k = 0; k < c->count; ++k) {
        const struct hold *h = &c->holds[k];
        const vec3 arm = mat3_mul(axes_a, h->on_a), other = axes_b ? mat3_mul(axes_b, h->on_b) : h->on_b;
        const vec3 gap = v3_sub(v3_add(apart, other), arm);
        arms[k] = v3_madd(arm, 0.5, gap);
        middle = v3_madd(middle, 1.0 / c->count, arms[k]);
        o->gap[k][lane] = (float)v3_dot(n, gap);
    }
    for (int k = 0; k < c->count; ++k) {
        const struct hold *h = &c->holds[k];
        const vec3 d = v3_sub(arms[k], middle), r = v3(h->rub[0], h->rub[1], h->rub[2]);
        const double x = v3_dot(d, t1), z = v3_dot(d, t2);
        o->held[k].x[lane] = (float)x, o->held[k].z[lane] = (float)z;
        o->held[k].mass[lane] = 1.0f;
        o->held[k].push[lane] = h->push;
        square += x * x + z * z;
        rub = v3_add(rub, r);
        twisted += x * v3_dot(r, t2) - z * v3_dot(r, t1);
    }
    set3(o->normal, lane, n), set3(o->across_1, lane, t1), set3(o->across_2, lane, t2);
    set3(o->mid_a, lane, middle);
    if (c->b >= 0) set3(o->mid_b, lane, v3_sub(middle, apart));
    if (fixture_of(b, c)) set3(o->mid_b, lane, v3_sub(v3_add(middle, b->hot[c->a].position), c->lay_at));
    o->reach[lane] = fmaxf((float)sqrt(square / c->count), PIVOT * o->size[lane]);
    o->rubbed.slid_1[lane] = (float)v3_dot(rub, t1), o->rubbed.slid_2[lane] = (float)v3_dot(rub, t2);
    o->rubbed.twisted[lane] = (float)twisted;
}

static void fill_lane(struct bodies *b, const struct contact *c, struct octet *o, int lane)
{
    struct solver *s = &b->engine->solver;
    const tarn_body_def *da = &b->slots[c->a].cold->def, *db = c->b >= 0 ? &b->slots[c->b].cold->def : da;
    const vec3 n = mat3_mul(&b->engine->axes[c->a], c->normal);
    vec3 apart = v3_scale(b->hot[c->a].position, -1.0); // from a to where b's arms begin
    if (c->b >= 0) apart = v3_add(apart, v3_add(b->hot[c->b].position, shift_of(c->shift, b->engine->wrap)));
    const struct fixture *fixture = fixture_of(b, c);
    o->a[lane] = mover_of(s, c->a), o->b[lane] = fixture ? s->count + c->piece_b : mover_of(s, c->b);
    o->count = imax(o->count, c->count);
    o->friction[lane] = (float)sqrt(da->friction * db->friction);
    const double ra = b->slots[c->a].cold->figure->radius,
                 rb = c->b >= 0 ? b->slots[c->b].cold->figure->radius : ra;
    const bool round_a = round_piece(b, c->a, c->piece_a),
               round_b = fixture ? fixture->form.pieces[0].circle_count > 0
                                 : c->b >= 0 && round_piece(b, c->b, c->piece_b);
    const bool still = c->b < 0 && !fixture;
    o->part[lane] = still || (round_a && !round_b) ? 0.0f : round_b && !round_a ? 1.0f : 0.5f;
    o->both[lane] = still ? 0.0f : 1.0f;
    o->slop[lane] = (float)(SLOP * fmin(ra, rb));
    o->size[lane] = (float)fmin(ra, rb);
    o->restitution[lane] = (float)fmax(da->restitution, db->restitution);
    fill_points(b, c, n, apart, o, lane);
}

// Which group each contact belongs to, and where each group begins. Gives back the number of octets.
static int make_groups(struct bodies *b, int first[ALONE + 1])
{
    struct solver *s = &b->engine->solver;
    const struct contacts *c = &b->engine->contacts;
    int sizes[ALONE + 1] = {0}, count = 0;
    for (int k = 0; k < c->count; ++k) {
        const int colour = colour_of(b, &c->now[k]);
        s->place[k] = colour < 0 ? -1 : colour == COLOURS ? ALONE : SORTS * colour + sort_of(&c->now[k]);
        if (s->place[k] >= 0) sizes[s->place[k]] += 1;
    }
    for (int k = 0; k <= ALONE; ++k) {
        if (k % SORTS == 0) count = (count + WIDE - 1) / WIDE * WIDE; // colours do not share octets
        first[k] = count;
        count += sizes[k];
    }
    return first[ALONE] / WIDE + sizes[ALONE];
}

bool octets_make(struct bodies *b)
{
    struct solver *s = &b->engine->solver;
    const struct contacts *c = &b->engine->contacts;
    int first[ALONE + 1];
    s->octet_count = 0;
    if (!octets_room(b, b->count, c->count, 0)) return false;
    list_movers(b);
    const int count = make_groups(b, first);
    if (!octets_room(b, b->count, c->count, count)) return false;
    s->octet_count = count;
    s->fresh = true;
    memset(s->octets, 0, (size_t)count * sizeof *s->octets);
    for (int k = 0; k < count; ++k)
        for (int lane = 0; lane < WIDE; ++lane) s->octets[k].a[lane] = s->octets[k].b[lane] = s->count;
    for (int k = 0; k < c->count; ++k) {
        const int group = s->place[k];
        if (group < 0) continue;
        s->place[k] = first[group];
        first[group] += group == ALONE ? WIDE : 1;
        fill_lane(b, &c->now[k], &s->octets[s->place[k] / WIDE], s->place[k] % WIDE);
    }
    return true;
}

void octets_keep(struct bodies *b)
{
    const struct solver *s = &b->engine->solver;
    struct contacts *c = &b->engine->contacts;
    for (int k = 0; s->octet_count && k < c->count; ++k) {
        if (s->place[k] < 0) continue;
        const struct octet *o = &s->octets[s->place[k] / WIDE];
        const int lane = s->place[k] % WIDE;
        struct contact *out = &c->now[k];
        const struct rubbing *r = &o->rubbed;
        const float even = 1.0f / (float)out->count, reach = o->reach[lane],
                    twist = r->twisted[lane] * even / (reach * reach);
        float strike = 0.0f;
        out->touching = false;
        for (int m = 0; m < out->count; ++m) { // the friction of the whole is shared out
            const struct held *h = &o->held[m];
            const struct blow *w = &o->blows[m];
            struct hold *hold = &out->holds[m];
            const float along = r->slid_1[lane] * even - twist * h->z[lane],
                        across = r->slid_2[lane] * even + twist * h->x[lane];
            hold->push = h->push[lane];
            for (int i = 0; i < 3; ++i)
                hold->rub[i] = o->across_1[i][lane] * along + o->across_2[i][lane] * across;
            out->touching |= hold->push > 0.0f || w->strike[lane] > 0.0f;
            if (!o->met) continue;
            strike += w->strike[lane];
            out->speed = fmaxf(out->speed, w->speed[lane]);
        }
        out->strike = fmaxf(out->strike, strike);
    }
}
