// Body materials; the numbers are those of tarn_material. Patterns use body coordinates, so they move with
// the body.
uniform vec3 base_colour;
uniform int material; // 0 paint, 1 wood, 2 glass, 3 metal, 4 rubber
uniform vec3 grain_axis;   // longest axis of the body
uniform float grain_scale;  // [1/m] 1 / half the length along that axis
in vec3 body_position;          // [m] in body coordinates

// The colour that a reflected ray meets: sky, or water or ground below the horizon.
vec3 environment(vec3 d)
{
#if TERRAIN
    vec3 below = vec3(0.20, 0.17, 0.12);
#else
    vec3 below = vec3(0.07, 0.18, 0.23);
#endif
    return mix(below, sky(vec3(d.x, abs(d.y), d.z)), smoothstep(-0.12, 0.08, d.y));
}

// Growth rings about an axis beside the body, and fibres along it.
vec3 wood_grain(vec3 c)
{
    vec3 q = body_position * grain_scale, side = abs(grain_axis.y) > 0.5 ? vec3(1.0, 0.0, 0.0) : vec3(0.0, 1.0, 0.0);
    float l = dot(q, grain_axis), a = dot(q, side), b = dot(q, cross(grain_axis, side));
    vec2 wander = vec2(noise(vec2(l * 1.7, b * 2.0)), noise(vec2(l * 1.3 + 9.0, a * 2.0)));
    float r = length(vec2(a + 0.9, b + 0.6) + 0.10 * wander);
    float ring = fract(r * 9.0), dark = smoothstep(0.0, 0.75, ring) * (1.0 - smoothstep(0.85, 1.0, ring));
    float fibre = LOW_QUALITY != 0 ? 0.0 : noise(vec2(l * 9.0, (a + 1.7 * b) * 70.0));
    return c * (1.08 - 0.30 * dark + 0.22 * fibre) * mix(vec3(1.0), vec3(1.0, 0.91, 0.80), dark);
}

// Light reflected by a body. `sunny`: received sunlight times the cosine of its angle; `gloss`: factor for
// specular reflection, which is small under water.
vec3 shade_material(vec3 n, vec3 ray, float sunny, float gloss)
{
    float cos_view = max(-dot(n, ray), 0.0), m = 1.0 - cos_view, fresnel3 = m * m * m;
    float bright = max(dot(n, normalize(sun_direction - ray)), 0.0), arrives = step(1e-3, sunny);
    vec3 sky_light = mix(vec3(0.24, 0.26, 0.28), vec3(0.50, 0.57, 0.66), 0.5 + 0.5 * n.y);
    // The last term is a light at the camera, because the sun is behind the pool.
    vec3 irradiance = sky_light + 0.95 * sun * sunny + 0.30 * cos_view, mirrored = reflect(ray, n);
    if (material == 1) { // wood, waxed
        vec3 shine = 0.05 * sun * pow(bright, 24.0) * arrives + 0.05 * fresnel3 * environment(mirrored);
        return wood_grain(base_colour) * irradiance + gloss * shine;
    }
    if (material == 3) { // metal: reflection in its own colour, white at grazing angles
        vec3 mirrored = environment(mirrored) * mix(base_colour, vec3(1.0), fresnel3 * m) * 1.05;
        vec3 shine = 0.9 * sun * base_colour * pow(bright, 90.0) * arrives;
        return mix(base_colour * irradiance, mirrored, 0.78 * gloss) + gloss * shine;
    }
    if (material == 4) { // rubber, matt
        vec3 shine = 0.05 * sun * pow(bright, 7.0) * arrives + 0.10 * fresnel3;
        return base_colour * (irradiance + 0.10 * sun * sunny) * 0.92 + gloss * shine;
    }
    vec3 shine = 0.28 * sun * pow(bright, 70.0) * arrives + (0.03 + 0.45 * fresnel3 * m) * environment(mirrored);
    return base_colour * irradiance + gloss * shine;
}
