// Water and fluid at many points. The columns are those of tarn_world_get_surface(); below the surface the
// pressure is hydrostatic and the vertical velocity linear, as shallow water has it:
//     p = rho g (h - y),     v_y = v_surface + (v_bed - v_surface) (h - y)/depth
#include "base/parallel/fpmode.h"
#include "query.h"

// [m/s] Vertical velocity at the bed, along which the water flows.
static double bed_rate(const struct fluid *f, double x, double z, tarn_vec3 surface_velocity)
{
    double slope[2];
    fluid_bed_at(f, x, z, slope);
    return slope[0] * surface_velocity.x + slope[1] * surface_velocity.z;
}

static tarn_vec3 velocity_at(const struct fluid *f, double x, double y, double z, const tarn_surface *s)
{
    tarn_vec3 v = s->velocity;
    if (!s->wet || !(y < s->height)) return v;
    const double below = fmin((s->height - y) / s->depth, 1.0);
    v.y += below * (bed_rate(f, x, z, v) - v.y);
    return v;
}

static void query_point(const tarn_world *w, const tarn_water_query *q, int i)
{
    const ptrdiff_t at = (ptrdiff_t)i * (q->stride ? q->stride : 1);
    const double x = q->x[at], z = q->z[at];
    const tarn_surface s = tarn_world_get_surface(w, x, z);
    const double y = q->y ? q->y[at] : s.height, head = s.wet ? fmax(s.height - y, 0.0) : 0.0;
    if (q->height) q->height[i] = s.height;
    if (q->depth) q->depth[i] = s.depth;
    if (q->pressure) q->pressure[i] = w->fluid.density * w->fluid.gravity * head;
    if (q->normal) q->normal[i] = s.normal;
    if (q->velocity) q->velocity[i] = velocity_at(&w->fluid, x, y, z, &s);
    if (q->wet) q->wet[i] = s.wet != 0;
}

tarn_result tarn_world_query_water(const tarn_world *w, const tarn_water_query *q)
{
    if (!w || !q || q->count < 0 || q->stride < 0 || (q->count > 0 && (!q->x || !q->z)) ||
        w->fluid.model->planar)
        return TARN_BAD_ARGUMENT;
    const struct fpmode host = fpmode_enter();
    for (int i = 0; i < q->count; ++i) query_point(w, q, i);
    fpmode_leave(host);
    return TARN_OK;
}

tarn_result tarn_world_query_flow(const tarn_world *w, int count, const double *x, const double *y,
                                  tarn_flow_sample *out)
{
    if (!w || count < 0 || (count > 0 && (!x || !y || !out)) || !w->fluid.model->planar)
        return TARN_BAD_ARGUMENT;
    const struct fpmode host = fpmode_enter();
    for (int i = 0; i < count; ++i) tarn_flow_get_sample(w, x[i], y[i], &out[i]);
    fpmode_leave(host);
    return TARN_OK;
}

tarn_result tarn_world_measure_submersion(const tarn_world *w, const tarn_shape *shape, int count,
                                          const tarn_pose *poses, tarn_submersion *out)
{
    if (!w || !shape || count < 0 || (count > 0 && (!poses || !out)) || w->fluid.model->planar)
        return TARN_BAD_ARGUMENT;
    for (int i = 0; i < count; ++i)
        if (!is_query_pose(&poses[i])) return TARN_BAD_ARGUMENT;
    const struct fpmode host = fpmode_enter();
    for (int i = 0; i < count; ++i)
        couple_measure_submersion(&w->fluid, &shape->data, poses[i].position,
                                  quat_normalize(poses[i].rotation), &out[i]);
    fpmode_leave(host);
    return TARN_OK;
}
