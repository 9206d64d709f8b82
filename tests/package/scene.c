// libtarn-scene from outside: a scene in memory becomes a world.
#include <tarn/scene.h>

#include <string.h>

int main(void)
{
    const char *text = "{\"version\": 2, \"fluid\": {\"model\": \"wave\"}}";
    tarn_scene *scene = NULL;
    tarn_world *world = NULL;
    tarn_diagnostics diagnostics = {0};
    tarn_result r = tarn_scene_parse("text", text, strlen(text), &scene, &diagnostics);
    if (r == TARN_OK) r = tarn_scene_create_world(scene, NULL, &world, &diagnostics);
    if (r == TARN_OK) r = tarn_world_advance(world, 0.1);
    tarn_world_destroy(world);
    tarn_scene_destroy(scene);
    tarn_diagnostics_free(&diagnostics);
    return r;
}
