// Thumbnails of scenes for the gallery page.
#ifndef VIEW_THUMBNAILS_H
#define VIEW_THUMBNAILS_H

#include "draw/draw.h"

struct scene_card;
struct thumbnails;

// The cards must stay in place until thumbnails_destroy(); only their paths are read. NULL without memory.
struct thumbnails *thumbnails_create(const struct scene_card *cards, int count);
void thumbnails_destroy(struct thumbnails *t);

// Draw a thumbnail if a world is ready: the index of its card and a texture, which the caller frees with
// thumbnails_free_texture(). Each scene comes twice: at its start, and after some simulated time.
bool thumbnails_next(struct thumbnails *t, struct draw *draw, int *index, unsigned *texture);
void thumbnails_free_texture(unsigned texture); // 0 is allowed

#endif
