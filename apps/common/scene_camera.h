// The view and the camera path of a scene, for `tarn render`, the viewer and the thumbnails of its gallery.
#ifndef APP_SCENE_CAMERA_H
#define APP_SCENE_CAMERA_H

#include "draw/draw.h"

#include <tarn/scene.h>

// The view that a scene asks for, at its beginning; with a `name` that is not its own, another one, for which
// its camera and colours are not meant. Names are not checked.
void scene_default_view(const tarn_scene_info *info, const char *name, struct draw_view *view);

// True if the camera of this view moves by itself; eval_camera_path() then sets where it is at a time [s].
bool has_camera_path(const tarn_scene_info *info, const struct draw_view *view);
void eval_camera_path(const tarn_scene_info *info, double time, struct draw_view *view);

#endif
