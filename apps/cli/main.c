// tarn, the command line program: finds the command in the list of commands.h and runs it.
#include "apps/common/app.h"
#include "commands.h"

#include <errno.h>
#include <string.h>

#define COMMAND_ADDRESS(name) &command_##name,
static const struct command *const commands[] = {COMMANDS(COMMAND_ADDRESS)};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static void print_help(void)
{
    printf("tarn %s: simulation of water and rigid bodies\n\n"
           "usage: tarn COMMAND [arguments]\n\n",
           tarn_version_string());
    for (int i = 0; i < COMMAND_COUNT; ++i) printf("  %-10s %s\n", commands[i]->name, commands[i]->help);
    printf("\n"
           "  tarn COMMAND --help    explains a command\n"
           "  tarn --version         prints the version\n\n"
           "examples:\n"
           "  tarn scenes\n"
           "  tarn run pond --duration 5 --csv -o out/pond\n"
#ifdef TARN_DRAW
           "  tarn render pond -o pond.mp4\n"
#endif
           "  tarn check my_scene.json\n\n"
           "Results are printed to stdout, messages to stderr. Exit codes: 0 success, 1 other failure,\n"
           "2 wrong command line, 3 invalid input, 4 file error, 5 out of memory, 6 numerical failure,\n"
           "128 + n stopped by signal n.\n");
}

static const struct command *find_command(const char *name)
{
    for (int i = 0; i < COMMAND_COUNT; ++i)
        if (strcmp(commands[i]->name, name) == 0) return commands[i];
    return NULL;
}

static int unknown_command(const char *name)
{
    const char *names[COMMAND_COUNT + 2] = {0};

    for (int i = 0; i < COMMAND_COUNT; ++i) names[i] = commands[i]->name;
    names[COMMAND_COUNT] = "help";
    const char *meant = closest_name(name, names);
    if (meant) return print_error(TARN_BAD_ARGUMENT, "unknown command '%s'; did you mean %s?", name, meant);
    return print_error(TARN_BAD_ARGUMENT, "unknown command '%s'; `tarn --help` lists them", name);
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
        print_error(0, "missing command; `tarn --help` lists them");
        return TARN_BAD_ARGUMENT;
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        printf("tarn %s\n", tarn_version_string());
        return 0;
    }
    if (strcmp(name, "help") == 0 && argc > 2) return help_about(argv[2]);
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        print_help();
        return 0;
    }
    if (name[0] == '-')
        return print_error(TARN_BAD_ARGUMENT, "unknown option %s; the command comes first: tarn COMMAND ...",
                           name);
    const struct command *command = find_command(name);
    return command ? command->run(argc - 1, argv + 1) : unknown_command(name);
}

int main(int argc, char **argv)
{
    reserve_standard_fds();
    ignore_write_signals();
    int code = dispatch(argc, argv);

    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        // a reader that has closed the pipe (`| head`) is not an error and causes no message
        const int closed = stdout_pipe_closed();
        if (!closed)
            print_error(0, "standard output: %s", errno ? strerror(errno) : "it could not be written");
        if (code == 0) code = closed ? EXIT_CLOSED_PIPE : TARN_IO;
    }
    return code;
}
