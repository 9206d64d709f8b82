// Command line options: a table of them drives the parser and --help.
#ifndef APP_OPTIONS_H
#define APP_OPTIONS_H

enum option_type {
    OPTION_END,     // closes a table, see OPTIONS_END
    OPTION_FLAG,    // target: int *, set to 1
    OPTION_INTEGER, // target: int *, within min .. max
    OPTION_NUMBER,  // target: double *, within min .. max
    OPTION_TEXT,    // target: const char **
    OPTION_LIST,    // target: struct option_list *; the option may be repeated
    OPTION_SIZE     // "640x360", target: int[2], both within min .. max
};

enum { OPTION_LIST_MAX = 256, ARGS_MAX = 1024 };

struct option_list {
    const char *items[OPTION_LIST_MAX];
    int count;
};

// One option: "--output DIR", "--output=DIR" or "-o DIR". `target` keeps its value if the option is not
// given.
struct option {
    enum option_type type;
    const char *name;       // without the dashes
    char short_name;        // 0: none
    const char *value_name; // placeholder of the value in --help; NULL for a flag
    void *target;
    double min, max;  // of a number or of both numbers of a size
    const char *help; // NULL: --help does not list the option
};

// What a command accepts, and its help.
struct command_spec {
    const char *synopsis;         // "tarn run SCENE [options]"
    const char *description;      // a paragraph with line breaks, ends with '\n'
    const char *examples;         // lines, end with '\n'
    int min_args, max_args;       // number of positional arguments; max_args -1: any
    const struct option *options; // ends with OPTIONS_END
};

// Positional arguments: those that are not options.
struct args {
    int count;
    const char *positional[ARGS_MAX];
};

enum parse_result {
    PARSED,
    HELP_SHOWN, // --help was given and is answered
    USAGE_ERROR // and a message says what is wrong
};

// Store the options of argv[1 .. argc-1] in their targets and list the positional arguments.
enum parse_result parse_options(const struct command_spec *spec, int argc, char **argv, struct args *args);

// The exit code of a command whose arguments were not PARSED.
int parse_exit_code(enum parse_result result);

// Rows of tables: options that several commands have are written once. The help of --json says what is
// printed, that of --force may be continued.
#define THREADS_OPTION(target)                                                              \
    {                                                                                       \
        OPTION_INTEGER, "threads", 0, "N", target, 1, MAX_THREADS,                          \
            "number of threads (one per processor, at most 8); does not affect the results" \
    }
#define SET_OPTION(target)                                                                                 \
    {                                                                                                      \
        OPTION_LIST, "set", 0, "KEY=VALUE", target, 0, 0, "override a value of the scene; may be repeated" \
    }
#define QUIET_OPTION(target)                                                               \
    {                                                                                      \
        OPTION_FLAG, "quiet", 'q', NULL, target, 0, 0, "print only errors and the summary" \
    }
#define JSON_OPTION(target, help)                        \
    {                                                    \
        OPTION_FLAG, "json", 0, NULL, target, 0, 0, help \
    }
#define FORCE_OPTION(target, more)                                                                     \
    {                                                                                                  \
        OPTION_FLAG, "force", 'f', NULL, target, 0, 0, "overwrite files that tarn did not create" more \
    }
#define OPTIONS_END                                 \
    {                                               \
        OPTION_END, NULL, 0, NULL, NULL, 0, 0, NULL \
    }

#endif
