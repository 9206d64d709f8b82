// tarn: the headless program. A table of commands; each lives in the file of its name.
#include "apps/common/app.h"
#include "commands.h"

#include <errno.h>
#include <string.h>

struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
};

static const struct command commands[] = {
    {"run", command_run, "simulate a scene: numbers, CSV and VTK files"},
    {"resume", command_resume, "go on with a run from its checkpoint"},
#ifdef TARN_DRAW
    {"render", command_render, "simulate a scene: pictures or a video"},
#endif
    {"view", command_view, "a window: watch a scene, grab, throw, poke, change"},
    {"replay", command_replay, "do again what was done by hand, and compare"},
    {"check", command_check, "find every mistake of scene files, run nothing"},
    {"scenes", command_scenes, "list the gallery"},
    {"schema", command_schema, "print the JSON Schema of scene files"},
    {"info", command_info, "tell what a mesh file holds, and whether it is a solid"},
    {"bench", command_bench, "measure speed"},
    {"validate", command_validate, "compare with published cases"},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void print_help(void)
{
    printf("tarn %s: real water with real bodies in it\n\n"
           "usage: tarn COMMAND [arguments]\n\n",
           tarn_version());
    for (int i = 0; i < COMMANDS; ++i) printf("  %-10s %s\n", commands[i].name, commands[i].help);
    printf("\n"
           "  tarn COMMAND --help    tells more about one of them\n"
           "  tarn --version         prints the version\n\n"
           "examples:\n"
           "  tarn scenes\n"
           "  tarn run pond --time 5 --csv -o out/pond\n"
#ifdef TARN_DRAW
           "  tarn render pond -o pond.mp4\n"
#endif
           "  tarn check my_scene.json\n\n"
           "Results go to stdout, everything else to stderr. Exit codes: 0 ok, 1 other, 2 usage,\n"
           "3 bad input, 4 files, 5 memory, 6 numerical failure, 128 + n stopped by signal n.\n");
}

static const struct command *find_command(const char *name)
{
    for (int i = 0; i < COMMANDS; ++i)
        if (strcmp(commands[i].name, name) == 0) return &commands[i];
    return NULL;
}

static int unknown_command(const char *name)
{
    const char *names[COMMANDS + 2] = {0};

    for (int i = 0; i < COMMANDS; ++i) names[i] = commands[i].name;
    names[COMMANDS] = "help";
    const char *meant = nearest_name(name, names);
    if (meant) return complain(TARN_BAD_ARGUMENT, "unknown command '%s'; did you mean %s?", name, meant);
    return complain(TARN_BAD_ARGUMENT, "unknown command '%s'; `tarn --help` lists them", name);
}

static int help_about(const char *name)
{
    char help[] = "--help";
    char *args[] = {help, help, NULL};
    const struct command *command = find_command(name);

    return command ? command->run(2, args) : unknown_command(name);
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        complain(0, "a command is missing; `tarn --help` lists them");
        return TARN_BAD_ARGUMENT;
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        printf("tarn %s\n", tarn_version());
        return 0;
    }
    if (strcmp(name, "help") == 0 && argc > 2) return help_about(argv[2]);
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        print_help();
        return 0;
    }
    if (name[0] == '-')
        return complain(TARN_BAD_ARGUMENT, "unknown option %s; the command comes first: tarn COMMAND ...",
                        name);
    const struct command *command = find_command(name);
    return command ? command->run(argc - 1, argv + 1) : unknown_command(name);
}

int main(int argc, char **argv)
{
    streams_guard();
    signals_ignore();
    int code = dispatch(argc, argv);

    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        // a reader that has seen enough (`| head`) is no mistake and gets no words
        const int closed = stdout_closed();
        if (!closed) complain(0, "standard output: %s", errno ? strerror(errno) : "it could not be written");
        if (code == 0) code = closed ? EXIT_CLOSED_PIPE : TARN_IO;
    }
    return code;
}
