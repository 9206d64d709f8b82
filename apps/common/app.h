// What the commands of the program share: options, words on the terminal, JSON out, clock, signals, scenes.
//
// Results go to stdout, talk goes to stderr. Exit codes are tarn_result; 128 + n after signal n. Numbers
// are written with a point everywhere: the program never calls setlocale().
#ifndef APP_H
#define APP_H

#include <stdio.h>
#include <tarn/scene.h>
#include <tarn/tarn.h>

enum { EXIT_CLOSED_PIPE = 128 + 13 }; // the reader of our output has gone; no words about it

// ---- options (options.c) --------------------------------------------------------------------------

enum option_type {
    OPTION_END,     // closes a table
    OPTION_FLAG,    // to: int *, set to 1
    OPTION_INTEGER, // to: int *, within min .. max
    OPTION_NUMBER,  // to: double *, within min .. max
    OPTION_TEXT,    // to: const char **
    OPTION_LIST     // to: struct option_list *, may come many times
};

enum { OPTION_LIST_MAX = 256 };
struct option_list {
    const char *items[OPTION_LIST_MAX];
    int count;
};

// One option: "--every S", "--every=S", or by letter "-e S". `to` keeps its value if the option is not given.
struct option {
    enum option_type type;
    const char *name;  // without the dashes
    char letter;       // 0: none
    const char *value; // what --help calls its value; NULL for a flag
    void *to;
    double min, max; // of a number
    const char *help;
};

// What a command says about itself.
struct usage {
    const char *line;     // "tarn run SCENE [options]"
    const char *about;    // a paragraph, lines broken by hand, ends with '\n'
    const char *examples; // lines, end with '\n'
    int min_words;        // words (arguments that are no options) that must be there
    int max_words;        // and may be; -1: any number
};

// Read a command's arguments. --help is answered here. Afterwards argv[1 .. *words] are the words.
// Returns -1 to go on, otherwise the exit code: 0 after --help, 2 after a mistake (which has been told).
int options_read(const struct usage *usage, const struct option *table, int argc, char **argv, int *words);

// ---- words (terminal.c) --------------------------------------------------------------------------------

#define CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))

// "tarn: text" and a line end on stderr; returns `code`, so that a command can end with it.
int complain(int code, const char *format, ...) CLI_PRINTF(2, 3);

// The same for what is no mistake.
void remark(const char *format, ...) CLI_PRINTF(1, 2);

// A line on the terminal that is drawn over again and again. Other words wipe it first.
void bar_draw(const char *text, int width); // width: characters on the screen; text may hold colours
void bar_wipe(void);

// Text from a file on its way to a terminal: control characters become '?', a tab a space.
void print_clean(FILE *out, const char *text);

// The notes of a scene: where: path: text, the line, a caret.
void print_notes(FILE *out, const tarn_notes *notes);

// The nearest of `names` (closed by NULL) if it is near enough to be meant, else NULL.
const char *nearest_name(const char *word, const char *const *names);

// 1 if colours are welcome on this stream: a terminal, NO_COLOR unset or empty, TERM not dumb.
int colour_wanted(FILE *out);

// "a value stopped being finite" and the like, for a result without a message of its own.
const char *result_text(tarn_result result);

// ---- JSON out (json_writer.c) ----------------------------------------------------------------------------

// Writes valid JSON whatever the values: text is made valid UTF-8, a number that is not finite is null.
// Keys are given inside objects and NULL inside arrays and for the outermost value.
enum { JSON_DEPTH = 16 };
struct json {
    FILE *out;
    int depth;
    int count[JSON_DEPTH]; // members so far, per level
    char close[JSON_DEPTH];
};
struct json json_begin(FILE *out);
void json_open(struct json *json, const char *key, char bracket); // '{' or '['
void json_close(struct json *json);                               // at depth 0 a line end follows
void json_text(struct json *json, const char *key, const char *text);
void json_number(struct json *json, const char *key, double number); // fewest digits that read back equal
void json_digits(struct json *json, const char *key, long long number);
void json_flag(struct json *json, const char *key, int on);
void json_vector(struct json *json, const char *key, tarn_vec3 v); // [x, y, z]
// Call `one` for each word, with an array on stdout around what they write, or with NULL. The worst of their codes.
int json_each(char **words, int count, int as_json, int (*one)(const char *word, struct json *json));
void json_notes(struct json *json, const char *key, const tarn_notes *notes);

// Not a symbol of its own: jansson, in the same program, has a function of this name.
static inline void json_integer(struct json *json, const char *key, long long number)
{
    json_digits(json, key, number);
}

// ---- clock and signals (system.c) -----------------------------------------------------------------

double clock_seconds(void); // monotonic
int processor_count(void);  // that this process may use, at least 1
// From now on SIGINT, SIGTERM and SIGHUP only set a flag, with a word at once unless quiet; a second one quits.
void signals_catch(int quiet);
int signal_caught(void);   // its number, or 0
void signals_ignore(void); // SIGPIPE and SIGXFSZ: a failed write is an error to report, not a death
int stdout_closed(void);   // 1 if the reader of our pipe has gone
void streams_guard(void);  // a closed stdin, stdout or stderr must not become the number of a result file

// ---- scenes by name or path (find_scene.c) -----------------------------------------------------------

// The folder of the running program, or "" where the system does not tell.
void program_folder(char *dir, size_t size);

// Turn "pond" into the path of a scene of the gallery; a word with a slash or ".json" is a path already.
// Returns 0 with `path` filled, or an exit code after telling why.
int gallery_find(const char *word, char *path, size_t size);

// Paths of all scenes of the gallery, by name; freed by gallery_free(). -1 without memory.
struct gallery {
    char **paths;
    int count, capacity;
};
int gallery_list(struct gallery *gallery);
void gallery_free(struct gallery *gallery);

// "scenes/pond.json" -> "pond".
void scene_short_name(const char *path, char *name, size_t size);

// Find, read and change a scene; mistakes are told on stderr. Returns 0 or an exit code. `path` may be NULL.
int scene_open(const char *word, const struct option_list *sets, tarn_scene **out, char *path, size_t size);

// What the program lends to its worlds: threads (0: one per processor, at most 8), three tries more for steps that go
// wrong and, unless quiet, remarks for what the library has to say.
enum { MOST_THREADS = 64 };
tarn_host program_host(int threads, int quiet);

// Build its world; mistakes are told on stderr. Returns 0 or an exit code.
int scene_build(const tarn_scene *scene, const tarn_host *host, tarn_world **out);

#endif
