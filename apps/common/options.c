// Arguments -> variables, driven by a table that also writes --help.
#include "app.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static void print_option(const struct option *o)
{
    char left[64];
    char letter[8] = "    ";

    if (o->letter) snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(left, sizeof left, "%s--%s%s%s", letter, o->name, o->value ? " " : "", o->value ? o->value : "");
    printf("  %-24s %s\n", left, o->help);
}

static void print_help(const struct usage *usage, const struct option *table)
{
    static const struct option help = {OPTION_FLAG, "help", 'h', NULL, NULL, 0, 0, "this text"};

    printf("usage: %s\n\n%s\noptions:\n", usage->line, usage->about);
    for (const struct option *o = table; o->type != OPTION_END; ++o) print_option(o);
    print_option(&help);
    printf("\nexamples:\n%s", usage->examples);
}

static int bad_usage(const struct usage *usage)
{
    fprintf(stderr, "usage: %s   (--help tells more)\n", usage->line);
    return TARN_BAD_ARGUMENT;
}

static int unknown_option(const struct usage *usage, const struct option *table, const char *arg,
                          const char *name)
{
    const char *names[64] = {0};
    int n = 0;

    for (const struct option *o = table; o->type != OPTION_END && n < 62; ++o) names[n++] = o->name;
    names[n] = "help";
    const char *meant = name ? nearest_name(name, names) : NULL;
    if (meant)
        complain(0, "unknown option %s; did you mean --%s?", arg, meant);
    else
        complain(0, "unknown option %s", arg);
    return bad_usage(usage);
}

static int store_number(const struct option *o, const char *text)
{
    char *end = NULL;
    const double x = strtod(text, &end);

    if (end == text || *end != '\0')
        return complain(TARN_BAD_ARGUMENT, "--%s: '%s' is not a number", o->name, text);
    if (!(x >= o->min && x <= o->max))
        return complain(TARN_BAD_ARGUMENT, "--%s: %s is outside %g .. %g", o->name, text, o->min, o->max);
    *(double *)o->to = x;
    return 0;
}

static int store_integer(const struct option *o, const char *text)
{
    char *end = NULL;
    errno = 0;
    const long n = strtol(text, &end, 10);

    if (end == text || *end != '\0')
        return complain(TARN_BAD_ARGUMENT, "--%s: '%s' is not a whole number", o->name, text);
    if (errno == ERANGE || n < INT_MIN || n > INT_MAX || (double)n < o->min || (double)n > o->max)
        return complain(TARN_BAD_ARGUMENT, "--%s: %s is outside %.0f .. %.0f", o->name, text, o->min, o->max);
    *(int *)o->to = (int)n;
    return 0;
}

static int store(const struct option *o, const char *text)
{
    switch (o->type) {
    case OPTION_END: break;
    case OPTION_FLAG: *(int *)o->to = 1; break;
    case OPTION_INTEGER: return store_integer(o, text);
    case OPTION_NUMBER: return store_number(o, text);
    case OPTION_TEXT:
        if (*text == '\0') return complain(TARN_BAD_ARGUMENT, "--%s: the value is empty", o->name);
        *(const char **)o->to = text;
        break;
    case OPTION_LIST: {
        struct option_list *list = o->to;
        if (list->count == OPTION_LIST_MAX)
            return complain(TARN_BAD_ARGUMENT, "--%s: more than %d of them", o->name, OPTION_LIST_MAX);
        list->items[list->count++] = text;
        break;
    }
    }
    return 0;
}

// The option that an argument names, and the value that hangs on it ("--key=value", "-ovalue") or NULL.
static const struct option *find_option(const struct option *table, const char *arg, const char **value)
{
    *value = NULL;
    for (const struct option *o = table; o->type != OPTION_END; ++o) {
        if (arg[1] == '-') {
            const size_t n = strlen(o->name);
            if (strncmp(arg + 2, o->name, n) != 0 || (arg[2 + n] != '\0' && arg[2 + n] != '=')) continue;
            if (arg[2 + n] == '=') *value = arg + 2 + n + 1;
            return o;
        }
        if (o->letter && arg[1] == o->letter && (arg[2] == '\0' || o->type != OPTION_FLAG)) {
            if (arg[2] != '\0') *value = arg + 2;
            return o;
        }
    }
    return NULL;
}

// One option at argv[*at]; moves *at on to its value if that is the next argument.
static int read_option(const struct usage *usage, const struct option *table, int argc, char **argv, int *at)
{
    const char *arg = argv[*at], *value = NULL;
    const struct option *o = find_option(table, arg, &value);

    if (!o) return unknown_option(usage, table, arg, arg[1] == '-' ? arg + 2 : NULL);
    if (o->type == OPTION_FLAG && value) {
        complain(0, "--%s takes no value", o->name);
        return bad_usage(usage);
    }
    if (o->type != OPTION_FLAG && !value) {
        if (*at + 1 >= argc) {
            complain(0, "--%s needs a value: --%s %s", o->name, o->name, o->value);
            return bad_usage(usage);
        }
        value = argv[++*at];
    }
    return store(o, value);
}

static int check_words(const struct usage *usage, int words, char **argv)
{
    if (words < usage->min_words) {
        complain(0, "an argument is missing");
        return bad_usage(usage);
    }
    if (usage->max_words >= 0 && words > usage->max_words) {
        complain(0, "one argument too many: '%s'", argv[usage->max_words + 1]);
        return bad_usage(usage);
    }
    return -1;
}

int options_read(const struct usage *usage, const struct option *table, int argc, char **argv, int *words)
{
    int only_words = 0;

    *words = 0;
    for (int i = 1; i < argc; ++i) {
        char *arg = argv[i];
        if (only_words || arg[0] != '-' || arg[1] == '\0') {
            argv[++*words] = arg;
        } else if (strcmp(arg, "--") == 0) {
            only_words = 1;
        } else if (strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0) {
            print_help(usage, table);
            return 0;
        } else {
            const int code = read_option(usage, table, argc, argv, &i);
            if (code != 0) return code;
        }
    }
    return check_words(usage, *words, argv);
}
