// The parser of command line options, see options.h.
#include "options.h"

#include "app.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

// ---- help -----------------------------------------------------------------------------------------

static void print_option(const struct option *o)
{
    char left[64];
    char letter[8] = "    ";

    if (!o->help) return;
    if (o->short_name) snprintf(letter, sizeof letter, "-%c, ", o->short_name);
    snprintf(left, sizeof left, "%s--%s%s%s", letter, o->name, o->value_name ? " " : "",
             o->value_name ? o->value_name : "");
    printf("  %-24s %s\n", left, o->help);
}

static void print_help(const struct command_spec *spec)
{
    static const struct option help = {OPTION_FLAG, "help", 'h', NULL, NULL, 0, 0, "print this text"};

    printf("usage: %s\n\n%s\noptions:\n", spec->synopsis, spec->description);
    for (const struct option *o = spec->options; o->type != OPTION_END; ++o) print_option(o);
    print_option(&help);
    printf("\nexamples:\n%s", spec->examples);
}

static enum parse_result usage_error(const struct command_spec *spec)
{
    fprintf(stderr, "usage: %s   (see --help)\n", spec->synopsis);
    return USAGE_ERROR;
}

// `name` is the argument without dashes, or NULL for a short option.
static enum parse_result unknown_option(const struct command_spec *spec, const char *arg, const char *name)
{
    const char *names[64] = {0};
    int n = 0;

    for (const struct option *o = spec->options; o->type != OPTION_END && n < 62; ++o)
        if (o->help) names[n++] = o->name;
    names[n] = "help";
    const char *closest = name ? closest_name(name, names) : NULL;
    if (closest)
        print_error(0, "unknown option %s; did you mean --%s?", arg, closest);
    else
        print_error(0, "unknown option %s", arg);
    return usage_error(spec);
}

// ---- values ---------------------------------------------------------------------------------------

static enum parse_result parse_number(const struct option *o, const char *text)
{
    char *end = NULL;
    const double x = strtod(text, &end);

    if (end == text || *end != '\0')
        return print_error(USAGE_ERROR, "--%s: '%s' is not a number", o->name, text);
    if (!(x >= o->min && x <= o->max))
        return print_error(USAGE_ERROR, "--%s: %s is outside %g .. %g", o->name, text, o->min, o->max);
    *(double *)o->target = x;
    return PARSED;
}

static enum parse_result parse_integer(const struct option *o, const char *text)
{
    char *end = NULL;
    errno = 0;
    const long n = strtol(text, &end, 10);

    if (end == text || *end != '\0')
        return print_error(USAGE_ERROR, "--%s: '%s' is not a whole number", o->name, text);
    if (errno == ERANGE || n < INT_MIN || n > INT_MAX || (double)n < o->min || (double)n > o->max)
        return print_error(USAGE_ERROR, "--%s: %s is outside %.0f .. %.0f", o->name, text, o->min, o->max);
    *(int *)o->target = (int)n;
    return PARSED;
}

// "640x360", nothing else.
static enum parse_result parse_size(const struct option *o, const char *text)
{
    char *end = NULL;
    const long w = text[0] >= '1' && text[0] <= '9' ? strtol(text, &end, 10) : 0;
    const long h = end && *end == 'x' && end[1] >= '1' && end[1] <= '9' ? strtol(end + 1, &end, 10) : 0;
    int *size = o->target;

    if (h == 0 || *end)
        return print_error(USAGE_ERROR, "--%s %s: expected WIDTHxHEIGHT, for example 640x360", o->name, text);
    if ((double)w < o->min || (double)h < o->min || (double)w > o->max || (double)h > o->max)
        return print_error(USAGE_ERROR, "--%s %s: outside %.0f .. %.0f pixels", o->name, text, o->min,
                           o->max);
    size[0] = (int)w, size[1] = (int)h;
    return PARSED;
}

static enum parse_result append(const struct option *o, const char *text)
{
    struct option_list *list = o->target;

    if (list->count == OPTION_LIST_MAX)
        return print_error(USAGE_ERROR, "--%s is given more than %d times", o->name, OPTION_LIST_MAX);
    list->items[list->count++] = text;
    return PARSED;
}

static enum parse_result set_option(const struct option *o, const char *text)
{
    switch (o->type) {
    case OPTION_END: break;
    case OPTION_FLAG: *(int *)o->target = 1; break;
    case OPTION_INTEGER: return parse_integer(o, text);
    case OPTION_NUMBER: return parse_number(o, text);
    case OPTION_LIST: return append(o, text);
    case OPTION_SIZE: return parse_size(o, text);
    case OPTION_TEXT:
        if (*text == '\0') return print_error(USAGE_ERROR, "--%s: the value is empty", o->name);
        *(const char **)o->target = text;
        break;
    }
    return PARSED;
}

// ---- arguments ------------------------------------------------------------------------------------

// The option that an argument names, and the value in the same argument ("--key=value", "-ovalue") or NULL.
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
        if (o->short_name && arg[1] == o->short_name && (arg[2] == '\0' || o->type != OPTION_FLAG)) {
            if (arg[2] != '\0') *value = arg + 2;
            return o;
        }
    }
    return NULL;
}

// The option argv[*index]; advances *index if the next argument is its value.
static enum parse_result parse_option(const struct command_spec *spec, int argc, char **argv, int *index)
{
    const char *arg = argv[*index], *value = NULL;
    const struct option *o = find_option(spec->options, arg, &value);

    if (!o) return unknown_option(spec, arg, arg[1] == '-' ? arg + 2 : NULL);
    if (o->type == OPTION_FLAG && value) {
        print_error(0, "--%s takes no value", o->name);
        return usage_error(spec);
    }
    if (o->type != OPTION_FLAG && !value) {
        if (*index + 1 >= argc) {
            print_error(0, "--%s needs a value: --%s %s", o->name, o->name, o->value_name);
            return usage_error(spec);
        }
        value = argv[++*index];
    }
    return set_option(o, value);
}

static enum parse_result add_positional(const struct command_spec *spec, struct args *args, const char *arg)
{
    if (spec->max_args >= 0 && args->count == spec->max_args) {
        print_error(0, "unexpected argument '%s'", arg);
        return usage_error(spec);
    }
    if (args->count == ARGS_MAX) return print_error(USAGE_ERROR, "more than %d arguments", ARGS_MAX);
    args->positional[args->count++] = arg;
    return PARSED;
}

enum parse_result parse_options(const struct command_spec *spec, int argc, char **argv, struct args *args)
{
    enum parse_result result = PARSED;
    int only_positional = 0; // after "--"

    args->count = 0;
    for (int i = 1; i < argc && result == PARSED; ++i) {
        const char *arg = argv[i];
        if (only_positional || arg[0] != '-' || arg[1] == '\0') {
            result = add_positional(spec, args, arg);
        } else if (strcmp(arg, "--") == 0) {
            only_positional = 1;
        } else if (strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0) {
            print_help(spec);
            result = HELP_SHOWN;
        } else {
            result = parse_option(spec, argc, argv, &i);
        }
    }
    if (result == PARSED && args->count < spec->min_args) {
        print_error(0, "missing argument");
        return usage_error(spec);
    }
    return result;
}

int parse_exit_code(enum parse_result result) { return result == USAGE_ERROR ? TARN_BAD_ARGUMENT : 0; }
