// tarn schema: the JSON Schema of scene files.
#include "apps/cli/commands.h"
#include "apps/common/app.h"

static int schema_main(int argc, char **argv)
{
    static const struct option options[] = {OPTIONS_END};
    const struct command_spec spec = {
        "tarn schema",
        "Prints the JSON Schema of scene files, generated from the parameter lists of this program.\n"
        "Editors use it for completion and checking.\n",
        "  tarn schema > tarn.schema.json\n",
        0,
        0,
        options,
    };
    struct args args;

    const enum parse_result parsed = parse_options(&spec, argc, argv, &args);
    if (parsed != PARSED) return parse_exit_code(parsed);
    char *text = tarn_scene_schema();
    if (!text) return print_error(TARN_NO_MEMORY, "%s", result_message(TARN_NO_MEMORY));
    fputs(text, stdout);
    fputc('\n', stdout);
    tarn_text_free(text);
    return 0;
}

const struct command command_schema = {"schema", "print the JSON Schema of scene files", schema_main};
