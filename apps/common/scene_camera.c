#include "scene_camera.h"

#include <stdio.h>
#include <string.h>

static bool is_own(const tarn_scene_info *info, const char *name)
{
    return strcmp(name, info->view[0] ? info->view : draw_view_name(0)) == 0;
}

void scene_default_view(const tarn_scene_info *info, const char *name, struct draw_view *view)
{
    if (!name) name = info->view[0] ? info->view : draw_view_name(0);
    *view = (struct draw_view){0};
    snprintf(view->name, sizeof view->name, "%.*s", (int)sizeof view->name - 1, name);
    snprintf(view->title, sizeof view->title, "%.*s", (int)sizeof view->title - 1, info->name);
    if (!is_own(info, name)) return;
    view->camera = info->view_from, view->target = info->view_to;
    view->range_min = info->view_range[0], view->range_max = info->view_range[1];
    snprintf(view->colormap, sizeof view->colormap, "%.*s", (int)sizeof view->colormap - 1, info->view_map);
    view->arrows = info->view_arrows, view->streamlines = info->view_streamlines;
    if (has_camera_path(info, view)) eval_camera_path(info, 0.0, view);
}

bool has_camera_path(const tarn_scene_info *info, const struct draw_view *view)
{
    return info->view_key_count > 0 && is_own(info, view->name);
}

// Derivative of number `n` at key k: the slope of the parabola through the key and its neighbours; 0 at both
// ends, so that the camera accelerates smoothly.
static double rate(const tarn_scene_info *info, int k, int n)
{
    if (k == 0 || k == info->view_key_count - 1) return 0.0;
    const double *a = info->view_keys[k - 1], *b = info->view_keys[k], *c = info->view_keys[k + 1];
    const double before = b[0] - a[0], after = c[0] - b[0];
    return ((b[n] - a[n]) / before * after + (c[n] - b[n]) / after * before) / (before + after);
}

// Cubic Hermite interpolation between keys.
void eval_camera_path(const tarn_scene_info *info, double time, struct draw_view *view)
{
    const int last = info->view_key_count - 1;
    double at[7];
    int k = 0;
    while (k < last - 1 && info->view_keys[k + 1][0] <= time) ++k;
    const double *a = info->view_keys[k], *b = info->view_keys[last > 0 ? k + 1 : k];
    const double span = b[0] - a[0], part = span > 0.0 ? (time - a[0]) / span : 0.0;
    const double t = part < 0.0 ? 0.0 : part > 1.0 ? 1.0 : part, s = 1.0 - t;
    for (int n = 1; n < 7; ++n) {
        at[n] = s * s * (1.0 + 2.0 * t) * a[n] + t * t * (3.0 - 2.0 * t) * b[n];
        if (last > 0) at[n] += span * s * t * (s * rate(info, k, n) - t * rate(info, k + 1, n));
    }
    view->camera = (tarn_vec3){at[1], at[2], at[3]};
    view->target = (tarn_vec3){at[4], at[5], at[6]};
}
