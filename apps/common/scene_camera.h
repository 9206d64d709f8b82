// The view and the camera path of a scene, for `tarn render`, the viewer and the thumbnails of its gallery.
#ifndef APP_SCENE_CAMERA_H
#define APP_SCENE_CAMERA_H

#include "draw/draw.h"

#include <tarn/scene.h>

// The view of a scene at its start. If `name` is another view than the scene's, camera and colours of the
// scene are not used. Names are not checked.
void scene_default_view(const tarn_scene_info *info, const char *name, struct draw_view *view);

// True if the view has a camera path; eval_camera_path() sets the camera at a time [s].
bool has_camera_path(const tarn_scene_info *info, const struct draw_view *view);
void eval_camera_path(const tarn_scene_info *info, double time, struct draw_view *view);

#endif
