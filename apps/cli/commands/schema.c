// tarn schema: the JSON Schema of scene files.
#include "apps/cli/commands.h"
#include "apps/common/app.h"

int command_schema(int argc, char **argv)
{
    static const struct usage usage = {
        "tarn schema",
        "Prints the JSON Schema of scene files, made from the parameter lists of this program. Editors use "
        "it\n"
        "to complete and check scenes while they are written.\n",
        "  tarn schema > tarn.schema.json\n",
        0,
        0,
    };
    static const struct option options[] = {{OPTION_END, NULL, 0, NULL, NULL, 0, 0, NULL}};
    int words;

    const int code = options_read(&usage, options, argc, argv, &words);
    if (code >= 0) return code;
    char *text = tarn_scene_schema();
    if (!text) return complain(TARN_NO_MEMORY, "%s", result_text(TARN_NO_MEMORY));
    fputs(text, stdout);
    fputc('\n', stdout);
    tarn_text_free(text);
    return 0;
}
