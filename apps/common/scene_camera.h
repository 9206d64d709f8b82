// How a scene wants to be seen: told in one place for pictures, videos, the window and the small pictures of its start
// page.
#ifndef CLI_LOOK_H
#define CLI_LOOK_H

#include "draw/draw.h"

#include <tarn/scene.h>

// The view that a scene asks for, at its beginning; with a `name` that is not its own, another one, for which its camera
// and colours are not meant. Names are not checked.
void look_choose(const tarn_scene_facts *facts, const char *name, struct draw_view *view);

// True if the camera of this view moves by itself; look_move() then sets where it is at a time [s].
bool look_moves(const tarn_scene_facts *facts, const struct draw_view *view);
void look_move(const tarn_scene_facts *facts, double time, struct draw_view *view);

#endif
