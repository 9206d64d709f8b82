// What the programs share: messages on the terminal, JSON output, clock, signals, scenes by name.
//
// Results go to stdout, messages to stderr. Exit codes are tarn_result; 128 + n after signal n. Numbers
// are written with a point everywhere: the program never calls setlocale().
#ifndef APP_H
#define APP_H

#include "options.h"

#include <stdio.h>
#include <tarn/scene.h>
#include <tarn/tarn.h>

enum { EXIT_CLOSED_PIPE = 128 + 13 }; // the reader of stdout has closed its pipe; no message

// ---- messages (terminal.c) --------------------------------------------------------------------------------

// Lets the compiler check arguments as those of printf(). On Windows the plain name would mean the format of
// Microsoft's library; the build selects functions that follow the C standard.
#ifdef __MINGW32__
#define APP_PRINTF(text, first) __attribute__((format(gnu_printf, text, first)))
#else
#define APP_PRINTF(text, first) __attribute__((format(printf, text, first)))
#endif

// Print "tarn: text" and a line end on stderr. Returns `code`, so that a command can return it.
int print_error(int code, const char *format, ...) APP_PRINTF(2, 3);

// The same for messages that are not errors.
void print_status(const char *format, ...) APP_PRINTF(1, 2);

// A line on the terminal that is overwritten again and again. Other messages clear it first.
void status_line_draw(const char *text,
                      int width); // width: visible characters; the text may contain colour codes
void status_line_clear(void);

// Print text of a file on a terminal: control characters become '?', tabs spaces.
void print_sanitized(FILE *out, const char *text);

// Print diagnostics as "location: path: message", the line of the file and a caret.
void print_diagnostics(FILE *out, const tarn_diagnostics *diagnostics);

// The name most similar to `word` among `names` (ends with NULL); NULL if none is similar enough.
const char *closest_name(const char *word, const char *const *names);

// 1 if this stream may have colours: a terminal, NO_COLOR unset or empty, TERM not dumb.
int use_colour(FILE *out);

// A message for a result that has none of its own.
const char *result_message(tarn_result result);

// ---- JSON (json_writer.c) ----------------------------------------------------------------------------

// Writes valid JSON whatever the values: text is made valid UTF-8, a number that is not finite is null.
// Keys are given inside objects and NULL inside arrays and for the outermost value.
enum { JSON_DEPTH = 16 };
struct json_writer {
    FILE *out;
    int depth;
    int count[JSON_DEPTH]; // members so far, per level
    char close[JSON_DEPTH];
};
struct json_writer json_begin(FILE *out);
void json_open(struct json_writer *json, const char *key, char bracket); // '{' or '['
void json_close(struct json_writer *json);                               // at depth 0 a line end follows
void json_text(struct json_writer *json, const char *key, const char *text);
void json_number(struct json_writer *json, const char *key,
                 double number); // fewest digits that read back equal
void json_write_int(struct json_writer *json, const char *key, long long number);
void json_write_bool(struct json_writer *json, const char *key, int on);
void json_vector(struct json_writer *json, const char *key, tarn_vec3 v); // [x, y, z]
// Call `one` for each argument, inside a JSON array on stdout or with NULL. Returns the largest exit code.
int for_each_argument(const struct args *args, int as_json,
                      int (*one)(const char *arg, struct json_writer *json));
void json_diagnostics(struct json_writer *json, const char *key, const tarn_diagnostics *diagnostics);

// Not a symbol of its own: jansson, in the same program, has a function of this name.
static inline void json_integer(struct json_writer *json, const char *key, long long number)
{
    json_write_int(json, key, number);
}

// ---- clock, signals, terminal (system.c, system_windows.c) -------------------------------------------

double monotonic_seconds(void); // of an arbitrary start
int processor_count(void);      // that this process may use, at least 1
int terminal_columns(void);     // of stderr; 80 if it is no terminal
// SIGINT, SIGTERM and SIGHUP only set a flag and, unless quiet, print a message; a second one quits.
void install_signal_handlers(int quiet);
int pending_signal(void);        // its number, or 0
void ignore_write_signals(void); // SIGPIPE, SIGXFSZ: a failed write is reported as an error
int stdout_pipe_closed(void);    // 1 if stdout is a pipe that its reader has closed
void reserve_standard_fds(
    void); // so that a result file never gets the number of a closed stdin, stdout or stderr
void executable_dir(char *dir, size_t size); // the folder of the running program, or "" if unknown

// ---- scenes by name or path (find_scene.c) -----------------------------------------------------------

// Find the path of a scene by its name ("pond"); an argument with a slash or ".json" is a path already.
// Returns 0 with `path` filled, or an exit code after an error message.
int find_scene(const char *word, char *path, size_t size);

// Paths of all scenes that can be found by name, sorted; free_scene_list() frees them. -1: out of memory.
struct scene_list {
    char **paths;
    int count, capacity;
};
int list_scenes(struct scene_list *gallery);
void free_scene_list(struct scene_list *gallery);

// "scenes/pond.json" -> "pond".
void scene_name_of(const char *path, char *name, size_t size);

// Find a scene, read it and apply overrides. Returns 0 or an exit code after printing errors. `path` may be
// NULL.
int load_scene(const char *word, const struct option_list *sets, tarn_scene **out, char *path, size_t size);

// The host of worlds: number of threads (0: one per processor, at most 8), three retries of failed steps and,
// unless quiet, messages of the library on stderr.
enum { MAX_THREADS = 64 };
tarn_host app_host(int threads, int quiet);

// Create the world of a scene. Returns 0 or an exit code after printing errors.
int create_world(const tarn_scene *scene, const tarn_host *host, tarn_world **out);

#endif
