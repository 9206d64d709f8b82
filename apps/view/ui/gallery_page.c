// The start page: the gallery as cards.
#include "../viewer.h"
#include "thumbnails.h"

#include <stdlib.h>
#include <string.h>

void viewer_list_scenes(struct viewer *v)
{
    struct gallery gallery;
    if (gallery_list(&gallery) != 0) return;
    v->cards = calloc((size_t)gallery.count + 1, sizeof *v->cards);
    for (int k = 0; v->cards && k < gallery.count; ++k) {
        struct scene_card *c = &v->cards[v->card_count++];
        tarn_scene *scene = NULL;
        snprintf(c->path, sizeof c->path, "%s", gallery.paths[k]);
        scene_short_name(c->path, c->name, sizeof c->name);
        c->valid = tarn_scene_read(c->path, &scene, NULL) == TARN_OK;
        if (c->valid) {
            const tarn_scene_facts f = tarn_scene_facts_of(scene);
            snprintf(c->title, sizeof c->title, "%s", f.name[0] ? f.name : c->name);
            snprintf(c->description, sizeof c->description, "%s", f.about);
            snprintf(c->model, sizeof c->model, "%s", f.model);
        } else {
            snprintf(c->title, sizeof c->title, "%s", c->name);
            snprintf(c->description, sizeof c->description,
                     "This scene has mistakes: `tarn check` tells which.");
        }
        tarn_scene_destroy(scene);
    }
    gallery_free(&gallery);
}

// One picture a frame, while somebody looks.
static void add_picture(struct viewer *v)
{
    int which;
    unsigned texture;
    v->drawn_frame_id = -1; // the renderer shows something else meanwhile
    if (!v->thumbnails) v->thumbnails = thumbnails_create(v->cards, v->card_count);
    if (!thumbnails_next(v->thumbnails, v->draw, &which, &texture)) return;
    thumbnails_free_texture(v->cards[which].texture);
    v->cards[which].texture = texture;
}

void gallery_page_draw(struct viewer *v)
{
    const float gap = 12.0f;
    add_picture(v);
    if (ui_begin_window("start", UI_PAGE, 0, 0, (float)v->window_size[0], (float)v->window_size[1], NULL)) {
        ui_spacing();
        ui_heading("tarn");
        ui_text_dim(
            "Real water with real bodies in it. Choose a scene, or drop a scene file here. F1 shows the "
            "keys.");
        ui_spacing();
        ui_child("cards", 0);
        const int columns = ui_width() > 1100.0f * v->ui_scale  ? 4
                            : ui_width() > 760.0f * v->ui_scale ? 3
                                                                : 2;
        const float w = (ui_width() - gap * (float)(columns - 1) - 4.0f) / (float)columns;
        for (int k = 0; k < v->card_count; ++k) {
            const struct scene_card *c = &v->cards[k];
            char corner[48];
            snprintf(corner, sizeof corner, k < 9 ? "%s   %d" : "%s", c->model, k + 1);
            if (ui_card(c->name, c->title, c->description, corner, c->texture, w))
                viewer_open_scene(v, c->path);
            if (k % columns < columns - 1 && k + 1 < v->card_count) ui_same_line(gap);
        }
        if (v->card_count == 0) ui_text("There is no gallery here: TARN_PATH may name its folder.");
        ui_child_end();
    }
    ui_end_window();
}
