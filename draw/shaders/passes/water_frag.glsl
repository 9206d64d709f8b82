// The surface of the water: Fresnel's mix of the sky above and the scene below, and the sun's glitter.
#include "../common/_light.glsl"
#include "../common/_foam.glsl"
#if LAND
#include "../common/_terrain.glsl"
#endif
uniform highp sampler2D below_depth;
uniform sampler2D below_colour;
uniform mat4 unproject; // screen to world
uniform mat4 camera;
uniform vec2 size;      // [pixels]
in vec3 at;
in float depth;
in float under;
flat in vec3 side;
out vec4 colour;

vec3 scene_at(vec2 uv)
{
    vec4 p = unproject * vec4(2.0 * vec3(uv, texture(below_depth, uv).x) - 1.0, 1.0);
    return p.xyz / p.w;
}

// What a ray from the surface meets: bodies as spheres, then the sky.
vec3 mirror(vec3 p, vec3 d)
{
    vec3 c = sky(d);
    float nearest = 1e9;
    for (int k = 0; k < ball_count; ++k) {
        vec3 to = p - balls[k].xyz;
        float b = dot(to, d), r = balls[k].w, h = b * b - dot(to, to) + r * r;
        if (h < 0.0 || dot(to, to) < r * r) continue;
        float t = -b - sqrt(h);
        if (t < 0.0 || t > nearest) continue;
        nearest = t;
        vec3 n = (to + t * d) / r;
        vec3 ball = tints[k].rgb * (0.45 + 0.1 * n.y + 0.9 * sun * max(dot(n, light), 0.0));
        c = mix(c, ball, smoothstep(0.0, 0.3 * r * r, h));
    }
    return c;
}

#if LAND
// Part of the light that is lost on the way to a far side, if a ray leaves the water without meeting ground.
float lost_aside(vec3 ray)
{
    float way = way_out(at, ray);
    vec3 p = at + way * ray;
    float over = land_at(p.xz).x - above(p); // [m] p above the ground
    return (1.0 - exp(-0.8 * way / DEPTH)) * step(0.0, over);
}
#endif

void main()
{
    bool cut = dot(side, side) > 0.5;
#if LAND
    float deep = cut ? depth : land_at(at.xz).x;
    // How much water there is to see: films fade away, and the shore is smooth.
    float there_is = smoothstep(0.0, 1.0, deep / max(0.02 * DEPTH, fwidth(deep)));
    // The block of water has an edge, which is seen as that of glass is.
    vec2 inward = min(at.xz - pool.xy, pool.zw - at.xz);
    float edge = min(inward.x, inward.y), border = 1.0 - smoothstep(0.5, 2.0, edge / max(fwidth(edge), 1e-6));
    if (deep <= 0.0) discard;
#else
    if (depth <= 2e-4 * level.w) discard; // rounding of a dry shore
#endif
    vec3 ray = normalize(at - eye);
    if (cut && dot(side, ray) > 0.0) discard; // a far side: the wall is there
    vec4 s = surface_at(at.xz);
    vec3 n = cut ? side : normalize(vec3(-s.y, 1.0, -s.z));
    if (dot(n, ray) > -0.02) n = normalize(n - ray * (dot(n, ray) + 0.02));
    float facing = clamp(-dot(n, ray), 0.0, 1.0);
    float m = 1.0 - facing, fresnel = 0.02 + 0.98 * m * m * m * m * m; // [schlick1994]
    vec3 back = reflect(ray, n);
    back.y = abs(back.y);
    vec3 up = mirror(at, normalize(back));
    float open = shadow(at);
    float shine = pow(max(dot(n, normalize(light - ray)), 0.0), 150.0), s3 = shine * shine * shine;
    float glitter = cut ? 0.0 : (1.8 * s3 * s3 * shine + 0.05 * shine) * open;
    if (cut) fresnel = 0.04;
    vec3 bent = refract(ray, n, 0.75);
    if (fast != 0) {
        // What is below carries its tint already. Without a bent view of it, slopes need shade to be seen.
        float shade = cut ? 0.0 : clamp(1.2 * dot(n.xz, normalize(light.xz)), -0.3, 0.3);
        float part = cut ? 0.1 : fresnel + abs(shade);
        vec3 c = mix(shade > 0.0 ? haze : vec3(0.0, 0.06, 0.12), up, fresnel / part);
        if (cut) c = vec3(0.02, 0.22, 0.30);
        if (cut) c += 4.0 * (1.0 - smoothstep(0.5, 2.0, under / max(fwidth(under), 1e-6)));
        colour = vec4(encode(c) * part + encode(sun * glitter), part);
#if LAND
        float lost = (1.0 - colour.a) * lost_aside(ray);
        colour += vec4(encode(water_colour) * lost, lost);
#endif
        if (!cut) colour = mix(colour, vec4(encode(foam_white * (0.45 + 0.55 * open)), 1.0), foam_at(at.xz));
#if LAND
        colour *= there_is;
#endif
        return;
    }
    vec2 uv = gl_FragCoord.xy / size;
    vec3 behind = scene_at(uv);
    if (!cut) {
        // Look where the bent ray would arrive; further away the same bend covers fewer pixels.
        float reach = min(way_out(at, bent), 1.5 * distance(behind, at));
#if LAND
        reach = min(reach, 2.0 * deep); // far across the shallows the picture of the ground would be torn
#endif
        vec3 flat_bent = refract(ray, vec3(0.0, 1.0, 0.0), 0.75);
        vec3 aim = at + reach * (bent - flat_bent) + (behind - at);
        vec4 q = camera * vec4(aim, 1.0);
        vec2 moved = q.xy / q.w * 0.5 + 0.5;
        vec3 there = scene_at(clamp(moved, vec2(0.002), vec2(0.998)));
        // Not what stands in front of the water, nor what is outside of the pool.
#if LAND
        bool under_water = land_at(there.xz).x > 0.0 && above(there) > -0.02 * DEPTH;
#else
        bool under_water = there.y < at.y + 0.02 * level.x;
#endif
        bool good = under_water && distance(eye, there) > distance(eye, at)
                    && in_pool(mix(there.xz, 0.5 * (pool.xy + pool.zw), 0.01));
        if (good) {
            uv = clamp(moved, vec2(0.002), vec2(0.998));
            behind = there;
        }
    }
    float path = min(distance(behind, at), way_out(at, ray));
    vec3 below = decode(texture(below_colour, uv).rgb);
#if LAND
    // At the edge of what stands in front of the water its colour is no better than that of any sand.
    if (distance(eye, behind) < 0.998 * distance(eye, at)) {
        below = vec3(0.55, 0.52, 0.42);
        path = min(deep / max(-ray.y, 0.05), way_out(at, ray));
    }
#endif
#if LAND
    if (!cut) path = max(path, 0.35 * deep); // at a far side as well there is water to see
#endif
    // In a shadow the water itself sends less light back; what it covers has shadows of its own.
    vec3 down = through_water(below, path) - 0.55 * (1.0 - open) * through_water(vec3(0.0), path);
    vec3 c = mix(down, up, fresnel) + sun * glitter;
    // A little light scattered inside crests makes the relief readable from every side.
#if LAND
    if (!cut) c *= clamp(1.0 + 0.9 * dot(n.xz, normalize(light.xz)), 0.7, 1.4);
#else
    if (!cut) c += vec3(0.0, 0.045, 0.05) * clamp(s.x / level.x * 4.0, -0.6, 1.5) * open;
#endif
    // Foam is dull: it shows the light that falls on it.
    if (!cut) c = mix(c, foam_white * (0.48 + 0.60 * open * (0.5 + 0.5 * dot(n, light))), foam_at(at.xz));
    if (cut) {
        // The cut is glass: a breath of blue, and a bright line where the surface meets it.
        c = mix(c, vec3(0.02, 0.22, 0.30), 0.22);
        c += vec3(0.30, 0.36, 0.38) * (1.0 - smoothstep(0.5, 2.0, under / max(fwidth(under), 1e-6)));
    }
#if LAND
    if (!cut) c += vec3(0.22, 0.27, 0.29) * border;
    c = mix(decode(texture(below_colour, gl_FragCoord.xy / size).rgb), c, there_is);
#endif
    colour = vec4(encode(c), 1.0);
}
