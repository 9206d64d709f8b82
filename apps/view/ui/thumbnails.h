// Small pictures for the start page.
#ifndef VIEW_THUMBNAILS_H
#define VIEW_THUMBNAILS_H

#include "draw/draw.h"

struct scene_card;
struct thumbs;

// The cards stay the caller's and where they are; only their paths are read. NULL without memory.
struct thumbs *thumbs_create(const struct scene_card *cards, int count);
void thumbs_destroy(struct thumbs *t);

// Draw one if it is ready: the number of its card and a texture, which is the caller's from now on. Each comes twice: as the
// scene begins, and some time later.
bool thumbs_next(struct thumbs *t, struct draw *draw, int *which, unsigned *texture);
void thumbs_forget(unsigned texture); // it is not shown any more

#endif
