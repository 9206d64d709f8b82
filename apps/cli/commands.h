// The commands of the program tarn. A command is a file in commands/ (bench/ for `bench`) that defines
// `const struct command command_NAME`, and one line here.
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

struct command {
    const char *name;
    const char *help;                  // one line
    int (*run)(int argc, char **argv); // argv[0] is the name; returns an exit code, main() checks stdout
};

#ifdef TARN_DRAW // commands that need the renderer
#define DRAW_COMMANDS(X) X(render)
#else
#define DRAW_COMMANDS(X)
#endif

#ifdef _WIN32 // timings by POSIX threads and a program at the other end of a pipe
#define BENCH_COMMANDS(X)
#else
#define BENCH_COMMANDS(X) X(bench)
#endif

// Every command in the order of `tarn --help`; X(name) stands for `command_name`.
#define COMMANDS(X)   \
    X(run)            \
    X(resume)         \
    DRAW_COMMANDS(X)  \
    X(view)           \
    X(replay)         \
    X(check)          \
    X(scenes)         \
    X(schema)         \
    X(mesh_info)      \
    BENCH_COMMANDS(X) \
    X(validate)

#define DECLARE_COMMAND(name) extern const struct command command_##name;
COMMANDS(DECLARE_COMMAND)

#endif
