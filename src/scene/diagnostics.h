// The state of a parser and the diagnostics it adds.
#ifndef SCENE_DIAGNOSTICS_H
#define SCENE_DIAGNOSTICS_H

#include "scene/json/json_path.h"

#include <tarn/scene.h>

#define SCENE_MAX_DIAGNOSTICS 100 // each one scans the text for its position

struct override;

struct source_text {
    char *name; // the name of the file in messages
    char *text; // zero-terminated
    size_t size;
    int is_file; // `name` is the path from which it was read
};

// The current JSON path of a scene that is parsed or built, and the diagnostics so far.
struct parser {
    const struct source_text *source;
    const struct override *overrides;
    int override_count;
    tarn_diagnostics *diagnostics;         // may be NULL
    int first_diagnostic;                  // earlier ones are not from this parser
    size_t offsets[SCENE_MAX_DIAGNOSTICS]; // byte offsets by which they are sorted
    int too_many;                          // the limit is reached; no more are added
    tarn_result result;
    int planar; // 2D scene: z may be omitted from vectors
    struct json_path path;
    struct table_rows *tables; // rows that parsed structs borrow, until the scene is parsed
};

// Lets the compiler check arguments as those of printf(). On Windows the plain name would mean the format of
// Microsoft's library; the build selects functions that follow the C standard.
#ifdef __MINGW32__
#define PRINTF_LIKE(text, first) __attribute__((format(gnu_printf, text, first)))
#else
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#endif

void parser_init(struct parser *p, const struct source_text *source, tarn_diagnostics *diagnostics);
int parser_push(struct parser *p, const char *key, size_t index); // 0 with a diagnostic: too deep
void parser_pop(struct parser *p);
void parser_set_result(struct parser *p, tarn_result result);

enum diag_anchor { DIAG_VALUE, DIAG_KEY };
// Add a diagnostic at the current path.
void diag_at_path(struct parser *p, enum diag_anchor anchor, const char *format, ...) PRINTF_LIKE(3, 4);
// Add a diagnostic at a byte offset of the text.
void diag_at_offset(struct parser *p, size_t offset, const char *format, ...) PRINTF_LIKE(3, 4);
// Add a diagnostic that has no position in the text.
void diag_at_label(struct parser *p, const char *label, const char *format, ...) PRINTF_LIKE(3, 4);
// Add a diagnostic for an error that the world found in the object at the current path.
void diag_from_error(struct parser *p, tarn_result result, const tarn_error *err);

#endif
