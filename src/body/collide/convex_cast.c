// Casts of convex parts by conservative advancement [vandenbergen2004]: the distance of two convex parts is a
// convex function of the path of one of them, so Newton's method from the start approaches the first contact
// from one side and converges quadratically.
//
//     t' = t + gap/(n . translation),   n: unit, from the moving part to the other
//
// The gap is that of the two supporting planes with the normal n: never larger than the distance, however
// inaccurate n is, so the path to the first contact is never cut short.
#include "body/collide/convex_cast.h"

#define MAX_ITERATIONS 100
#define GAP_TOLERANCE  1e-10 // of the sum of the radii: close enough for the last step

struct convex_part convex_point(struct profile_point *origin)
{
    *origin = (struct profile_point){0.0, 0.0};
    return (struct convex_part){
        .axes = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, .profile_count = 1, .profile = origin};
}

static struct convex_instance point_instance(const struct convex_part *part, vec3 position)
{
    return (struct convex_instance){part, position, part->axes};
}

static bool starts_inside(vec3 point, struct convex_hit *out)
{
    *out = (struct convex_hit){.point = point};
    return true;
}

// [m] Distance of the supporting planes of the rounded parts, whose normal points from a to b.
static double plane_gap(const struct convex_instance *a, const struct convex_instance *b, vec3 normal)
{
    const vec3 on_a = convex_support(a, normal), on_b = convex_support(b, v3_scale(normal, -1.0));
    return v3_dot(v3_sub(on_b, on_a), normal) - a->part->rounding - b->part->rounding;
}

// The distance of two cores for a cast. Near contact the search for the closest points of round cores may end
// in a simplex so flat that rounding decides whether the origin is inside. The search is then repeated until
// the first separating plane, and the gap is that of this plane.
static bool cores_are_apart(const struct convex_instance *a, const struct convex_instance *b, double rounding,
                            struct closest_points *out)
{
    struct simplex simplex;
    return gjk_distance(a, b, INFINITY, &simplex, out) || gjk_distance(a, b, rounding, &simplex, out);
}

bool convex_cast(const struct convex_instance *moving, vec3 translation, const struct convex_instance *still,
                 double max_fraction, struct convex_hit *out)
{
    const double rounding = moving->part->rounding + still->part->rounding,
                 tolerance = GAP_TOLERANCE * (moving->part->bounding_radius + still->part->bounding_radius);
    struct convex_instance at = *moving;
    struct closest_points closest;
    double t = 0.0;
    for (int k = 0; k < MAX_ITERATIONS; ++k) {
        at.position = v3_madd(moving->position, t, translation);
        const bool apart = cores_are_apart(&at, still, rounding, &closest);
        if (k == 0 && (!apart || closest.gap <= rounding))
            return starts_inside(apart ? closest.on_a : at.position, out);
        if (!apart) return true; // the last step came as near as rounding allows
        const double gap = plane_gap(&at, still, closest.normal),
                     approach = v3_dot(closest.normal, translation);
        if (gap > 0.0 && !(approach > 0.0)) return false;
        const double step = gap > 0.0 ? gap / approach : 0.0;
        if (t + step > max_fraction) return false;
        const vec3 on_moving = v3_madd(closest.on_a, moving->part->rounding, closest.normal);
        *out = (struct convex_hit){t += step, v3_madd(on_moving, step, translation),
                                   v3_scale(closest.normal, -1.0)};
        if (gap <= tolerance) return true;
    }
    return false; // within rounding it passes without touching
}

// ---- points -----------------------------------------------------------------------------------------

// |o + t d| = radius
static bool cast_at_ball(vec3 o, vec3 d, double radius, double max_fraction, double *fraction)
{
    const double a = v3_dot(d, d), b = v3_dot(o, d), c = v3_dot(o, o) - radius * radius;
    const double root = b * b - a * c;
    if (b >= 0.0 || root < 0.0) return false;
    *fraction = c / (-b + sqrt(root));
    return *fraction <= max_fraction;
}

bool convex_balls_meet(const struct convex_instance *moving, vec3 translation,
                       const struct convex_instance *still, double max_fraction)
{
    const vec3 o = v3_sub(moving->position, still->position);
    const double radius = (moving->part->bounding_radius + still->part->bounding_radius) * (1.0 + 1e-9);
    double fraction;
    return v3_dot(o, o) <= radius * radius || cast_at_ball(o, translation, radius, max_fraction, &fraction);
}

static bool cast_at_sphere(vec3 origin, vec3 translation, const struct convex_instance *still,
                           double max_fraction, struct convex_hit *out)
{
    const struct profile_point core = still->part->profile[0];
    const vec3 centre = v3_add(still->position, mat3_mul(&still->axes, v3(0.0, core.height, 0.0)));
    const vec3 o = v3_sub(origin, centre);
    const double radius = still->part->rounding;
    if (v3_dot(o, o) <= radius * radius) return starts_inside(origin, out);
    if (!cast_at_ball(o, translation, radius, max_fraction, &out->fraction)) return false;
    out->point = v3_madd(origin, out->fraction, translation);
    out->normal = v3_scale(v3_madd(o, out->fraction, translation), 1.0 / radius);
    return true;
}

// Clips the path at the planes of all faces.
static bool cast_at_polyhedron(vec3 origin, vec3 translation, const struct convex_instance *still,
                               double max_fraction, struct convex_hit *out)
{
    const struct convex_part *p = still->part;
    const vec3 o = mat3_mul_t(&still->axes, v3_sub(origin, still->position)),
               d = mat3_mul_t(&still->axes, translation);
    double enter = 0.0, leave = max_fraction;
    int face = -1;
    for (int i = 0; i < p->face_count; ++i) {
        const double height = v3_dot(p->faces[i].normal, o) - p->faces[i].offset,
                     rate = v3_dot(p->faces[i].normal, d);
        if (height > 0.0 && !(rate < 0.0)) return false;
        if (rate == 0.0) continue;
        const double t = -height / rate;
        if (rate < 0.0 && height > 0.0 && t >= enter) enter = t, face = i;
        if (rate > 0.0) leave = fmin(leave, t);
    }
    if (face < 0) return starts_inside(origin, out);
    if (enter > leave) return false;
    *out = (struct convex_hit){enter, v3_madd(origin, enter, translation),
                               mat3_mul(&still->axes, p->faces[face].normal)};
    return true;
}

// Unit normal of a body of revolution without rounding at a point of its surface: that of the part of the
// profile, or of the flat end, above which the point is highest. GJK finds the direction of a distance that
// is nearly 0 with an error of 1e-3.
static vec3 revolution_normal(const struct convex_instance *still, vec3 point)
{
    const struct profile_point *profile = still->part->profile;
    const int count = still->part->profile_count;
    const vec3 p = mat3_mul_t(&still->axes, v3_sub(point, still->position));
    const double r = sqrt(p.x * p.x + p.z * p.z), low = profile[0].height - p.y,
                 high = p.y - profile[count - 1].height;
    double radial = 0.0, axial = high > low ? 1.0 : -1.0, max_height = fmax(low, high);
    for (int i = 0; i + 1 < count; ++i) {
        const double dr = profile[i + 1].radius - profile[i].radius,
                     dy = profile[i + 1].height - profile[i].height, length = sqrt(dr * dr + dy * dy);
        if (!(length > 0.0)) continue;
        const double height = ((r - profile[i].radius) * dy - (p.y - profile[i].height) * dr) / length;
        if (height <= max_height) continue;
        max_height = height, radial = dy / length, axial = -dr / length;
    }
    const double k = r > 0.0 ? radial / r : 0.0;
    return mat3_mul(&still->axes, v3(k * p.x, axial, k * p.z));
}

bool convex_cast_point(vec3 origin, vec3 translation, const struct convex_instance *still,
                       double max_fraction, struct convex_hit *out)
{
    const struct convex_part *p = still->part;
    const vec3 o = v3_sub(origin, still->position);
    double fraction;
    if (v3_dot(o, o) > p->bounding_radius * p->bounding_radius &&
        !cast_at_ball(o, translation, p->bounding_radius, max_fraction, &fraction))
        return false;
    if (p->profile_count == 1 && p->profile[0].radius == 0.0)
        return cast_at_sphere(origin, translation, still, max_fraction, out);
    if (p->face_count > 0 && p->rounding == 0.0)
        return cast_at_polyhedron(origin, translation, still, max_fraction, out);
    struct profile_point core;
    const struct convex_part point = convex_point(&core);
    const struct convex_instance moving = point_instance(&point, origin);
    if (!convex_cast(&moving, translation, still, max_fraction, out)) return false;
    if (out->fraction > 0.0 && p->profile_count > 1 && p->rounding == 0.0)
        out->normal = revolution_normal(still, out->point);
    return true;
}

// ---- at rest ----------------------------------------------------------------------------------------

bool convex_overlap(const struct convex_instance *a, const struct convex_instance *b)
{
    const double rounding = a->part->rounding + b->part->rounding;
    struct closest_points closest;
    struct simplex simplex;
    return !gjk_distance(a, b, rounding, &simplex, &closest) || closest.gap <= rounding;
}

double convex_distance(vec3 point, const struct convex_instance *p, double max_distance, vec3 *nearest)
{
    struct profile_point core;
    const struct convex_part part = convex_point(&core);
    const struct convex_instance at = point_instance(&part, point);
    struct closest_points closest;
    struct simplex simplex;
    *nearest = point;
    if (!gjk_distance(&at, p, max_distance + p->part->rounding, &simplex, &closest)) return 0.0;
    const double gap = closest.gap - p->part->rounding;
    if (gap <= 0.0) return 0.0;
    *nearest = v3_madd(closest.on_b, -p->part->rounding, closest.normal);
    return gap;
}
