// libFuzzer target: scene files. Any bytes give a scene, which can be written and read again, or a
// diagnostic. No world is built, so no grid is allocated.
#include <tarn/scene.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tarn_scene *scene = NULL, *again = NULL;
    tarn_diagnostics diagnostics = {0};

    const tarn_result r = tarn_scene_parse("fuzz.json", (const char *)data, size, &scene, &diagnostics);
    if ((r == TARN_OK) != (scene != NULL) || (r == TARN_OK) != (diagnostics.count == 0)) abort();
    if (r != TARN_OK && r != TARN_BAD_INPUT) abort();
    for (int i = 0; i < diagnostics.count; ++i)
        if (!diagnostics.list[i].message[0] ||
            diagnostics.list[i].caret > (int)sizeof diagnostics.list[i].excerpt)
            abort();
    if (scene) {
        char *text = tarn_scene_write(scene);
        if (!text || tarn_scene_parse("again.json", text, strlen(text), &again, &diagnostics) != TARN_OK)
            abort();
        char *same = tarn_scene_write(again);
        if (!same || strcmp(text, same) != 0) abort();
        tarn_text_free(text);
        tarn_text_free(same);
    }
    tarn_scene_destroy(scene);
    tarn_scene_destroy(again);
    tarn_diagnostics_free(&diagnostics);
    return 0;
}
