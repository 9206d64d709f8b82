// Whose bounds overlap: sorted along the axis on which bodies are spread out most, each is held against those that
// begin before it ends. Bounds are a little fat, so that a pile at rest is not sorted again; pairs whose fat bounds
// overlap and real ones do not touch nothing, so restarts need not know them.
#include "contact.h"

#include <string.h>

#define AABB_FATTENING 0.05 // of the largest side

vec3 image_offset(int shift, const double wrap[2])
{
    return v3((shift / 3 - 1) * wrap[0], 0.0, (shift % 3 - 1) * wrap[1]);
}

static struct aabb aabb_translate(const struct aabb *b, vec3 by)
{
    return (struct aabb){v3_add(b->lo, by), v3_add(b->hi, by)};
}

static bool aabb_contains(const struct aabb *outer, const struct aabb *inner)
{
    return outer->lo.x <= inner->lo.x && inner->hi.x <= outer->hi.x && outer->lo.y <= inner->lo.y &&
           inner->hi.y <= outer->hi.y && outer->lo.z <= inner->lo.z && inner->hi.z <= outer->hi.z;
}

static struct aabb aabb_fatten(const struct aabb *b)
{
    const vec3 d = v3_sub(b->hi, b->lo);
    const double by = AABB_FATTENING * fmax(d.x, fmax(d.y, d.z));
    return (struct aabb){v3_sub(b->lo, v3(by, by, by)), v3_add(b->hi, v3(by, by, by))};
}

// ---- sorting --------------------------------------------------------------------------------------

// Floats as numbers that sort alike.
static unsigned float_sort_key(float x)
{
    unsigned u;
    memcpy(&u, &x, sizeof u);
    return u & 0x80000000u ? ~u : u | 0x80000000u;
}

// order[0 .. n): by rising keys, equal ones as they were. Three passes of eleven bits.
static void radix_sort_indices(const unsigned *keys, int n, int *order, int *spare)
{
    for (int i = 0; i < n; ++i) order[i] = i;
    for (int pass = 0; pass < 3; ++pass) {
        int count[2049] = {0};
        for (int i = 0; i < n; ++i) count[(keys[order[i]] >> (11 * pass) & 2047u) + 1] += 1;
        for (int k = 0; k < 2048; ++k) count[k + 1] += count[k];
        for (int i = 0; i < n; ++i) spare[count[keys[order[i]] >> (11 * pass) & 2047u]++] = order[i];
        memcpy(order, spare, (size_t)n * sizeof *order);
    }
}

static bool is_pair_after(const struct body_pair *x, const struct body_pair *y)
{
    return x->a == y->a && (x->b > y->b || (x->b == y->b && x->image > y->image));
}

// By a, then by b and shift: one body has few pairs.
static bool sort_pairs(struct bodies *b, int slots)
{
    struct broad_phase *p = &b->dynamics->broad_phase;
    const int n = p->pair_count;
    if (!broad_phase_reserve(b, slots, n)) return false;
    struct body_pair *out = p->pairs + n;
    int *start = p->sort_scratch;
    memset(start, 0, ((size_t)slots + 2) * sizeof *start);
    for (int i = 0; i < n; ++i) start[p->pairs[i].a + 2] += 1;
    for (int k = 0; k < slots; ++k) start[k + 2] += start[k + 1];
    for (int i = 0; i < n; ++i) out[start[p->pairs[i].a + 1]++] = p->pairs[i];
    for (int i = 1; i < n; ++i) {
        const struct body_pair x = out[i];
        int at = i;
        for (; at > 0 && is_pair_after(&out[at - 1], &x); --at) out[at] = out[at - 1];
        out[at] = x;
    }
    int kept = 0;
    for (int i = 0; i < n; ++i) {
        const struct body_pair x = out[i];
        const struct body_pair *last = kept ? &p->pairs[kept - 1] : NULL;
        if (last && last->a == x.a && last->b == x.b && last->image == x.image) continue;
        p->pairs[kept++] = x;
    }
    p->pair_count = kept;
    return true;
}

// ---- sweeping -------------------------------------------------------------------------------------

static bool add_proxies(struct bodies *b, int slot, const double wrap[2], int *count)
{
    struct broad_phase *p = &b->dynamics->broad_phase;
    const struct aabb *box = &p->fat_aabb[slot];
    if (!memory_grow(b->memory, (void **)&p->proxies, &p->proxy_capacity, *count + 9, sizeof *p->proxies))
        return false;
    for (int dx = -1; dx <= 1; ++dx)
        for (int dz = -1; dz <= 1; ++dz) {
            const struct aabb m = aabb_translate(box, v3(dx * wrap[0], 0.0, dz * wrap[1]));
            // An image counts where it reaches into the tank.
            if (dx && !(wrap[0] > 0.0 && m.lo.x < 0.5 * wrap[0] && m.hi.x > -0.5 * wrap[0])) continue;
            if (dz && !(wrap[1] > 0.0 && m.lo.z < 0.5 * wrap[1] && m.hi.z > -0.5 * wrap[1])) continue;
            p->proxies[(*count)++] = (struct proxy){slot, dx, dz, m};
        }
    return true;
}

static double v3_get(vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

static int max_variance_axis(const struct proxy *p, int n)
{
    vec3 sum = {0, 0, 0}, square = {0, 0, 0};
    for (int i = 0; i < n; ++i) {
        const vec3 c = v3_add(p[i].box.lo, p[i].box.hi);
        sum = v3_add(sum, c);
        square = v3_add(square, v3(c.x * c.x, c.y * c.y, c.z * c.z));
    }
    const double x = square.x - sum.x * sum.x / n, y = square.y - sum.y * sum.y / n,
                 z = square.z - sum.z * sum.z / n;
    return x >= y && x >= z ? 0 : y >= z ? 1 : 2;
}

static bool add_pair(struct bodies *b, const struct proxy *x, const struct proxy *y)
{
    struct broad_phase *p = &b->dynamics->broad_phase;
    const struct proxy *lo = x->slot < y->slot ? x : y, *hi = x->slot < y->slot ? y : x;
    const int dx = hi->dx - lo->dx, dz = hi->dz - lo->dz;
    if (lo->slot == hi->slot || dx < -1 || dx > 1 || dz < -1 || dz > 1) return true;
    if (!body_is_dynamic(b, lo->slot) && !body_is_dynamic(b, hi->slot)) return true;
    if (!memory_grow(b->memory, (void **)&p->pairs, &p->pair_capacity, p->pair_count + 1, sizeof *p->pairs))
        return false;
    p->pairs[p->pair_count++] = (struct body_pair){lo->slot, hi->slot, 3 * (dx + 1) + dz + 1};
    return true;
}

typedef int i32x8 __attribute__((vector_size(4 * BATCH_LANES)));
typedef long long i64x4 __attribute__((vector_size(4 * BATCH_LANES)));

static f32x8 load_f32x8(const float *p)
{
    f32x8 out;
    memcpy(&out, p, sizeof out);
    return out;
}

// Eight at a time: which of proxies j .. j+7 overlap i on the other two axes? Only lanes before `end` count.
static unsigned overlap_mask(const float *const e[6], int i, int j, int end)
{
    const i32x8 both = (load_f32x8(e[2] + j) <= e[3][i]) & (load_f32x8(e[3] + j) >= e[2][i]) &
                       (load_f32x8(e[4] + j) <= e[5][i]) & (load_f32x8(e[5] + j) >= e[4][i]);
    const i64x4 any = (i64x4)both;
    if (!(any[0] | any[1] | any[2] | any[3])) return 0;
    unsigned mask = 0;
    for (int k = 0; k < BATCH_LANES; ++k) mask |= (unsigned)(both[k] & 1) << k;
    return end - j < BATCH_LANES ? mask & ((1u << (end - j)) - 1u) : mask;
}

bool broad_phase_reserve(struct bodies *b, int slots, int pairs)
{
    struct broad_phase *p = &b->dynamics->broad_phase;
    const struct memory *m = b->memory;
    return memory_grow(m, (void **)&p->fat_aabb, &p->fat_aabb_capacity, slots, sizeof *p->fat_aabb) &&
           memory_grow(m, (void **)&p->proxies, &p->proxy_capacity, slots + 9, sizeof *p->proxies) &&
           memory_grow(m, (void **)&p->keys, &p->key_capacity, slots, sizeof *p->keys) &&
           memory_grow(m, (void **)&p->order, &p->order_capacity, slots, sizeof *p->order) &&
           memory_grow(m, (void **)&p->sort_scratch, &p->sort_scratch_capacity, slots + 2,
                       sizeof *p->sort_scratch) &&
           memory_grow(m, (void **)&p->endpoints, &p->endpoint_capacity, 6 * (slots + BATCH_LANES),
                       sizeof *p->endpoints) &&
           memory_grow(m, (void **)&p->pairs, &p->pair_capacity, 2 * pairs, sizeof *p->pairs);
}

static bool sweep_and_prune(struct bodies *b, int n)
{
    struct broad_phase *p = &b->dynamics->broad_phase;
    const size_t row = (size_t)n + BATCH_LANES;
    if (!broad_phase_reserve(b, n, 0)) return false;
    const int axis = max_variance_axis(p->proxies, n);
    for (int i = 0; i < n; ++i) p->keys[i] = float_sort_key((float)v3_get(p->proxies[i].box.lo, axis));
    radix_sort_indices(p->keys, n, p->order, p->sort_scratch);
    const float *e[6];
    for (int k = 0; k < 6; ++k) {
        float *out = p->endpoints + (size_t)k * row;
        e[k] = out;
        for (int i = 0; i < n; ++i) {
            const struct aabb *box = &p->proxies[p->order[i]].box;
            out[i] = (float)v3_get(k & 1 ? box->hi : box->lo, (axis + k / 2) % 3);
        }
        for (int i = n; i < n + BATCH_LANES; ++i) out[i] = INFINITY;
    }
    for (int i = 0; i < n; ++i) {
        int end = i + 1;
        while (end < n && e[0][end] <= e[1][i]) ++end;
        for (int j = i + 1; j < end; j += BATCH_LANES)
            for (unsigned mask = overlap_mask(e, i, j, end), k = 0; mask; mask >>= 1, ++k)
                if (mask & 1u && !add_pair(b, &p->proxies[p->order[i]], &p->proxies[p->order[j + (int)k]]))
                    return false;
    }
    return true;
}

bool broad_phase_update(struct bodies *b, const struct aabb *bounds, const double wrap[2])
{
    struct broad_phase *p = &b->dynamics->broad_phase;
    bool again = p->is_stale;
    int count = 0;
    for (int i = 0; i < b->slot_count && !again; ++i)
        again = body_exists(b, i) && !aabb_contains(&p->fat_aabb[i], &bounds[i]);
    if (!again) return true;
    for (int i = 0; i < b->slot_count; ++i) {
        if (!body_exists(b, i)) continue;
        p->fat_aabb[i] = aabb_fatten(&bounds[i]);
        if (!add_proxies(b, i, wrap, &count)) return false;
    }
    p->pair_count = 0;
    p->is_stale = !(sweep_and_prune(b, count) && sort_pairs(b, b->slot_count));
    return !p->is_stale;
}
