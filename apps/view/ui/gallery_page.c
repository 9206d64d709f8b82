// The gallery page: all scenes as cards with thumbnails. Called by main.c.
#include "../viewer.h"
#include "thumbnails.h"

#include <stdlib.h>
#include <string.h>

unsigned viewer_model_flags(const struct viewer *v)
{
    const tarn_kind *kind = v->status.has_world ? tarn_kind_find("fluid", v->status.scene.model) : NULL;
    return kind ? kind->flags : 0;
}

void viewer_list_scenes(struct viewer *v)
{
    struct scene_list gallery;
    if (list_scenes(&gallery) != 0) return;
    v->cards = calloc((size_t)gallery.count + 1, sizeof *v->cards);
    for (int k = 0; v->cards && k < gallery.count; ++k) {
        struct scene_card *c = &v->cards[v->card_count++];
        tarn_scene *scene = NULL;
        snprintf(c->path, sizeof c->path, "%s", gallery.paths[k]);
        scene_name_of(c->path, c->name, sizeof c->name);
        c->valid = tarn_scene_read(c->path, &scene, NULL) == TARN_OK;
        if (c->valid) {
            tarn_scene_info f = {0};
            tarn_scene_get_info(scene, &f);
            snprintf(c->title, sizeof c->title, "%s", f.name[0] ? f.name : c->name);
            snprintf(c->description, sizeof c->description, "%s", f.description);
            snprintf(c->model, sizeof c->model, "%s", f.model);
        } else {
            snprintf(c->title, sizeof c->title, "%s", c->name);
            snprintf(c->description, sizeof c->description,
                     "This scene has errors; `tarn check` lists them.");
        }
        tarn_scene_destroy(scene);
    }
    free_scene_list(&gallery);
}

// At most one new thumbnail per frame.
static void update_thumbnails(struct viewer *v)
{
    int index;
    unsigned texture;
    v->drawn_frame_id = -1; // the renderer is used for thumbnails: the image of the world is lost
    if (!v->thumbnails) v->thumbnails = thumbnails_create(v->cards, v->card_count);
    if (!thumbnails_next(v->thumbnails, v->draw, &index, &texture)) return;
    thumbnails_free_texture(v->cards[index].texture);
    v->cards[index].texture = texture;
}

void gallery_page_draw(struct viewer *v)
{
    const float spacing = 12.0f;
    update_thumbnails(v);
    if (ui_begin_window("start", UI_PAGE, 0, 0, (float)v->window_size[0], (float)v->window_size[1], NULL)) {
        ui_spacing();
        ui_heading("tarn");
        ui_text_dim(
            "Water and rigid bodies. Choose a scene, or drop a scene file on the window. F1 lists the "
            "keys.");
        ui_spacing();
        ui_child("cards", 0);
        const int columns = ui_width() > 1100.0f * v->ui_scale  ? 4
                            : ui_width() > 760.0f * v->ui_scale ? 3
                                                                : 2;
        const float w = (ui_width() - spacing * (float)(columns - 1) - 4.0f) / (float)columns;
        for (int k = 0; k < v->card_count; ++k) {
            const struct scene_card *c = &v->cards[k];
            char corner[48];
            snprintf(corner, sizeof corner, k < 9 ? "%s   %d" : "%s", c->model, k + 1);
            if (ui_card(c->name, c->title, c->description, corner, c->texture, w))
                viewer_open_scene(v, c->path);
            if (k % columns < columns - 1 && k + 1 < v->card_count) ui_same_line(spacing);
        }
        if (v->card_count == 0) ui_text("No scenes found; set TARN_PATH to their folder.");
        ui_child_end();
    }
    ui_end_window();
}
