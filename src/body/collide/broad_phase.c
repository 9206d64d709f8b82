// Broad phase: sweep and prune [cohen1995] over fattened AABBs, along the axis of largest variance of their
// centres. Pairs are reused until a body leaves its fat AABB, so a pile at rest is not sorted again. A pair
// whose fat AABBs overlap but whose AABBs do not yields no contact, so the list of pairs is not part of a
// checkpoint.
#include "body/solve/dynamics.h"

#include <string.h>

#define AABB_FATTENING 0.05 // of the AABB's longest side, added on all sides

vec3 image_offset(int image, const double period[2])
{
    return v3((image / 3 - 1) * period[0], 0.0, (image % 3 - 1) * period[1]);
}

static struct aabb aabb_translate(const struct aabb *box, vec3 offset)
{
    return (struct aabb){v3_add(box->lo, offset), v3_add(box->hi, offset)};
}

static bool aabb_contains(const struct aabb *outer, const struct aabb *inner)
{
    return outer->lo.x <= inner->lo.x && inner->hi.x <= outer->hi.x && outer->lo.y <= inner->lo.y &&
           inner->hi.y <= outer->hi.y && outer->lo.z <= inner->lo.z && inner->hi.z <= outer->hi.z;
}

static struct aabb aabb_fatten(const struct aabb *box)
{
    const vec3 size = v3_sub(box->hi, box->lo);
    const double margin = AABB_FATTENING * fmax(size.x, fmax(size.y, size.z));
    return (struct aabb){v3_sub(box->lo, v3(margin, margin, margin)),
                         v3_add(box->hi, v3(margin, margin, margin))};
}

// ---- sorting ---------------------------------------------------------------------------------------

// Unsigned integer with the order of the float: flips all bits of negative numbers, the sign bit of others.
static unsigned float_sort_key(float x)
{
    unsigned u;
    memcpy(&u, &x, sizeof u);
    return u & 0x80000000u ? ~u : u | 0x80000000u;
}

// Stable radix sort: order[0 .. n) are the indices by ascending key. Three passes of 11 bits.
static void radix_sort_indices(const unsigned *keys, int n, int *order, int *scratch)
{
    for (int i = 0; i < n; ++i) order[i] = i;
    for (int pass = 0; pass < 3; ++pass) {
        int count[2049] = {0};
        for (int i = 0; i < n; ++i) count[(keys[order[i]] >> (11 * pass) & 2047u) + 1] += 1;
        for (int k = 0; k < 2048; ++k) count[k + 1] += count[k];
        for (int i = 0; i < n; ++i) scratch[count[keys[order[i]] >> (11 * pass) & 2047u]++] = order[i];
        memcpy(order, scratch, (size_t)n * sizeof *order);
    }
}

static bool is_pair_after(const struct body_pair *x, const struct body_pair *y)
{
    return x->a == y->a && (x->b > y->b || (x->b == y->b && x->image > y->image));
}

// Sorts the pairs by a (counting sort), then by b and image (insertion sort: a body has few pairs), and
// removes duplicates.
static bool sort_pairs(struct bodies *b, int slots)
{
    struct broad_phase *p = &b->dynamics->broad_phase;
    const int n = p->pair_count;
    if (!broad_phase_reserve(b, slots, n)) return false;
    struct body_pair *sorted = p->pairs + n;
    int *start = p->pair_start;
    memset(start, 0, ((size_t)slots + 2) * sizeof *start);
    for (int i = 0; i < n; ++i) start[p->pairs[i].a + 2] += 1;
    for (int slot = 0; slot < slots; ++slot) start[slot + 2] += start[slot + 1];
    for (int i = 0; i < n; ++i) sorted[start[p->pairs[i].a + 1]++] = p->pairs[i];
    for (int i = 1; i < n; ++i) {
        const struct body_pair pair = sorted[i];
        int k = i;
        for (; k > 0 && is_pair_after(&sorted[k - 1], &pair); --k) sorted[k] = sorted[k - 1];
        sorted[k] = pair;
    }
    int kept_count = 0;
    for (int i = 0; i < n; ++i) {
        const struct body_pair pair = sorted[i];
        const struct body_pair *last = kept_count ? &p->pairs[kept_count - 1] : NULL;
        if (last && last->a == pair.a && last->b == pair.b && last->image == pair.image) continue;
        p->pairs[kept_count++] = pair;
    }
    p->pair_count = kept_count;
    return true;
}

// ---- sweep and prune -------------------------------------------------------------------------------

static bool add_proxies(struct bodies *b, int slot, const double period[2], int *count)
{
    struct broad_phase *p = &b->dynamics->broad_phase;
    const struct aabb *box = &p->fat_aabb[slot];
    if (!memory_grow(b->memory, (void **)&p->proxies, &p->proxy_capacity, *count + 9, sizeof *p->proxies))
        return false;
    for (int dx = -1; dx <= 1; ++dx)
        for (int dz = -1; dz <= 1; ++dz) {
            const struct aabb image_box = aabb_translate(box, v3(dx * period[0], 0.0, dz * period[1]));
            // An image is listed only if it reaches into the domain.
            if (dx &&
                !(period[0] > 0.0 && image_box.lo.x < 0.5 * period[0] && image_box.hi.x > -0.5 * period[0]))
                continue;
            if (dz &&
                !(period[1] > 0.0 && image_box.lo.z < 0.5 * period[1] && image_box.hi.z > -0.5 * period[1]))
                continue;
            p->proxies[(*count)++] = (struct proxy){slot, dx, dz, image_box};
        }
    return true;
}

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
    if (!bodies_may_meet(b, lo->slot, hi->slot)) return true;
    if (!memory_grow(b->memory, (void **)&p->pairs, &p->pair_capacity, p->pair_count + 1, sizeof *p->pairs))
        return false;
    p->pairs[p->pair_count++] = (struct body_pair){lo->slot, hi->slot, 3 * (dx + 1) + dz + 1};
    return true;
}

// Bit k is set if proxy j + k overlaps proxy i on the two axes other than the sweep axis, for j + k < end.
static unsigned overlap_mask(const float *const ends[6], int i, int j, int end)
{
    const i32x8 both = (f32x8_load(ends[2] + j) <= ends[3][i]) & (f32x8_load(ends[3] + j) >= ends[2][i]) &
                       (f32x8_load(ends[4] + j) <= ends[5][i]) & (f32x8_load(ends[5] + j) >= ends[4][i]);
    if (!i32x8_any(both)) return 0;
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
    const size_t stride = (size_t)n + BATCH_LANES;
    if (!broad_phase_reserve(b, n, 0)) return false;
    const int axis = max_variance_axis(p->proxies, n);
    for (int i = 0; i < n; ++i) p->keys[i] = float_sort_key((float)v3_get(p->proxies[i].box.lo, axis));
    radix_sort_indices(p->keys, n, p->order, p->sort_scratch);
    const float *ends[6];
    for (int k = 0; k < 6; ++k) {
        float *out = p->endpoints + (size_t)k * stride;
        ends[k] = out;
        for (int i = 0; i < n; ++i) {
            const struct aabb *box = &p->proxies[p->order[i]].box;
            out[i] = (float)v3_get(k & 1 ? box->hi : box->lo, (axis + k / 2) % 3);
        }
        for (int i = n; i < n + BATCH_LANES; ++i) out[i] = INFINITY;
    }
    for (int i = 0; i < n; ++i) {
        int end = i + 1;
        while (end < n && ends[0][end] <= ends[1][i]) ++end;
        for (int j = i + 1; j < end; j += BATCH_LANES)
            for (unsigned mask = overlap_mask(ends, i, j, end), k = 0; mask; mask >>= 1, ++k)
                if (mask & 1u && !add_pair(b, &p->proxies[p->order[i]], &p->proxies[p->order[j + (int)k]]))
                    return false;
    }
    return true;
}

bool broad_phase_update(struct bodies *b, const struct aabb *aabb, const double period[2])
{
    struct broad_phase *p = &b->dynamics->broad_phase;
    bool is_stale = p->is_stale;
    int count = 0;
    for (int i = 0; i < b->slot_count && !is_stale; ++i)
        is_stale = body_exists(b, i) && !aabb_contains(&p->fat_aabb[i], &aabb[i]);
    if (!is_stale) return true;
    for (int i = 0; i < b->slot_count; ++i) {
        if (!body_exists(b, i)) continue;
        p->fat_aabb[i] = aabb_fatten(&aabb[i]);
        if (!add_proxies(b, i, period, &count)) return false;
    }
    p->pair_count = 0;
    p->is_stale = !(sweep_and_prune(b, count) && sort_pairs(b, b->slot_count));
    return !p->is_stale;
}
