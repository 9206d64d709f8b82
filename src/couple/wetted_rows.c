// Drag and lift on wet facets, u the speed of the hull through the water:
//
//     drag -1/2 rho C_D A_eff |u| u,   lift -1/2 rho C_L A_eff |u| (u x (n x u)/|n x u|),
//     A_eff = A max(0, omega n.u/|u| + 1 - omega)
//
// after [chentanez2010], without its cut at n.u = 0, which makes side faces flicker. Since u = v + w x r,
// all of the drag follows from sums of k, k r and k r r^T; so does what it does to the six motions.
//
// Four facets at a time, in double: the forces on a body with a mirror have to cancel. Lanes are added in
// one order.
#include "wetted_rows.h"

#include <string.h>

#define STILL 1e-9 // [m/s]

typedef double four __attribute__((vector_size(32)));
typedef long long ifour __attribute__((vector_size(32)));

struct vec3w {
    four x, y, z;
};

static inline four only(ifour where, four a) { return (four)(where & (ifour)a); }
static inline struct vec3w cross(struct vec3w a, struct vec3w b)
{
    return (struct vec3w){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline four dot(struct vec3w a, struct vec3w b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline four root(four a) { return (four){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])}; }
static inline double sum(four a) { return (a[0] + a[1]) + (a[2] + a[3]); }

#define GATHER(member) ((four){f[0].member, f[1].member, f[2].member, f[3].member})

struct sums {
    four k, kr[3], krr[6], lift[3], lift_at[3];
};

static inline void rub_four(const struct stream *s, const struct facet *f, struct sums *to)
{
    const struct vec3w n = {GATHER(normal.x), GATHER(normal.y), GATHER(normal.z)};
    const struct vec3w r = {GATHER(centre.x), GATHER(centre.y), GATHER(centre.z)};
    const struct vec3w u = {s->velocity.x + s->spin.y * r.z - s->spin.z * r.y,
                            s->velocity.y + s->spin.z * r.x - s->spin.x * r.z,
                            s->velocity.z + s->spin.x * r.y - s->spin.y * r.x};
    const four fast = root(dot(u, u));
    const ifour moves = fast > STILL;
    const four facing = s->facing * dot(n, u) / fast + (1.0 - s->facing);
    const four swept = only(moves & (facing > 0.0), GATHER(area) * facing * fast); // A_eff |u|
    const four k = s->drag * swept;
    const four kx = k * r.x, ky = k * r.y, kz = k * r.z;
    to->k += k;
    to->kr[0] += kx, to->kr[1] += ky, to->kr[2] += kz;
    to->krr[0] += kx * r.x, to->krr[1] += kx * r.y, to->krr[2] += kx * r.z;
    to->krr[3] += ky * r.y, to->krr[4] += ky * r.z, to->krr[5] += kz * r.z;
    if (!(s->lift > 0.0)) return;

    const struct vec3w side = cross(n, u), way = cross(u, side);
    const four length = root(dot(side, side));
    const four part = only(length > STILL * fast, -s->lift * swept / length);
    const struct vec3w force = {part * way.x, part * way.y, part * way.z}, at = cross(r, force);
    to->lift[0] += force.x, to->lift[1] += force.y, to->lift[2] += force.z;
    to->lift_at[0] += at.x, to->lift_at[1] += at.y, to->lift_at[2] += at.z;
}

static void rub(const struct stream *s, const struct facet *list, int count, struct rubbed *sums)
{
    struct sums t = {0};
    int k = 0;
    for (; k + 4 <= count; k += 4) rub_four(s, list + k, &t);
    if (k < count) {
        struct facet rest[4] = {0};
        memcpy(rest, list + k, (size_t)(count - k) * sizeof *rest);
        rub_four(s, rest, &t);
    }
    sums->k += sum(t.k);
    for (int n = 0; n < 6; ++n) sums->krr[n] += sum(t.krr[n]);
    for (int n = 0; n < 3; ++n) {
        sums->kr[n] += sum(t.kr[n]);
        sums->lift[n] += sum(t.lift[n]);
        sums->lift_at[n] += sum(t.lift_at[n]);
    }
}

const struct wetted_kernels KERNELS(wetted_kernels) = {rub};
