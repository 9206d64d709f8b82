// The steps of parsing a scene: parse_scene > parse_section > parse_body (or parse_joint, ...) > parse_object
// > parse_value > tarn_kind_set.
#ifndef SCENE_PARSE_H
#define SCENE_PARSE_H

#include "scene/scene_internal.h"

// ---- parse.c ----------------------------------------------------------------------------------------

// Parse the parts of a body into keys->parts; only a compound has them.
void parse_parts(struct parser *p, const struct key_set *keys, json_t *json);

// ---- parse_object.c ---------------------------------------------------------------------------------

// Find the kind and the keys of an object of a section, and fill in the spec with the kind's defaults; `spec`
// may be NULL if the section has no kinds. @return 0 with a diagnostic if `json` is no object
int object_keys(struct parser *p, const struct section *section, json_t *json, tarn_spec *spec,
                struct key_set *out);
// Parse all keys of an object into the structs that the key set is bound to.
void parse_object(struct parser *p, const struct key_set *keys, json_t *object);
// Parse the value of a key.
void parse_value(struct parser *p, const struct key_set *keys, const struct key_entry *entry, json_t *json);
// Free the rows of tables that the parsed structs borrowed.
void parser_free_tables(struct parser *p);
void diag_unknown_key(struct parser *p, const struct key_set *keys, const char *key, int is_root);

// ---- parse_values.c ---------------------------------------------------------------------------------

// Parse the value of a parameter, except rotations given as axis and angle. Rows of a table are stored in
// `rows`, which has space for the maximum number of rows. @return 0 with a diagnostic
int parse_param_value(struct parser *p, const tarn_param *param, const json_t *json, double *rows,
                      tarn_value *out);
// Parse a string of less than `size` bytes. @return 0 with a diagnostic
int parse_string(struct parser *p, const json_t *json, char *out, size_t size);
// Parse rows of text of equal length, top row first; all characters but spaces and dots are solid.
void parse_text_rows(struct parser *p, const json_t *json, struct row_bitmap *out);

const char *json_type_name(const json_t *json); // "an object"
void diag_wrong_type(struct parser *p, const char *expected, const json_t *json);

#endif
