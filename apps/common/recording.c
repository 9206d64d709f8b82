// Writes and reads recordings; recording.h has the format.
#define _POSIX_C_SOURCE 200809L // strtok_r
#include "recording.h"

#include "app.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char signature[] = "tarn recording 2\n";
enum { MAX_BYTES = 1 << 30 };

// Names of the number fields of a command.
static const struct {
    const char *name;
    size_t offset;
    int count;
} fields[] = {
    {"at", offsetof(tarn_command, position), 3},
    {"way", offsetof(tarn_command, velocity), 3},
    {"angular_velocity", offsetof(tarn_command, angular_velocity), 3},
    {"colour", offsetof(tarn_command, colour), 3},
    {"radius", offsetof(tarn_command, radius), 1},
    {"strength", offsetof(tarn_command, amount), 1},
    {"density", offsetof(tarn_command, density), 1},
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

// ---- writing ---------------------------------------------------------------------------------------

void recording_write_header(FILE *out, const char *path, const char *scene)
{
    fprintf(out, "%sscene %zu %s\n%s\n", signature, strlen(scene), path, scene);
}

void recording_write_hash(FILE *out, uint64_t step, uint64_t hash)
{
    fprintf(out, "%" PRIu64 " hash %016" PRIx64 "\n", step, hash);
}

void recording_write_end(FILE *out, uint64_t step) { fprintf(out, "%" PRIu64 " end\n", step); }

static void put_numbers(FILE *out, const char *name, const double *x, int count)
{
    fprintf(out, " %s=", name);
    for (int k = 0; k < count; ++k) fprintf(out, "%s%.17g", k ? "," : "", x[k]);
}

// Spaces, control characters and '%' are escaped as %20 and so on.
static void put_text(FILE *out, const char *name, const char *text)
{
    fprintf(out, " %s=", name);
    for (const unsigned char *p = (const unsigned char *)text; *p; ++p)
        fprintf(out, *p <= ' ' || *p == '%' || *p == 127 ? "%%%02X" : "%c", *p);
}

// How many numbers a value of a type has; 0: it is a text.
static int numbers_of(tarn_param_type type)
{
    switch (type) {
    case TARN_PARAM_NUMBER:
    case TARN_PARAM_INTEGER:
    case TARN_PARAM_FLAG: return 1;
    case TARN_PARAM_VEC2:
    case TARN_PARAM_INT2: return 2;
    case TARN_PARAM_VEC3:
    case TARN_PARAM_INT3: return 3;
    case TARN_PARAM_QUAT: return 4;
    default: return 0;
    }
}

static void put_value(FILE *out, const char *name, const tarn_value *v, int columns)
{
    if (v->type == TARN_PARAM_TABLE)
        put_numbers(out, name, v->rows, v->row_count * columns);
    else if (numbers_of(v->type) > 0)
        put_numbers(out, name, v->number, numbers_of(v->type));
    else
        put_text(out, name, v->text);
}

static void put_mesh(FILE *out, const tarn_mesh *m)
{
    fprintf(out, " mesh=%d:%d", m->vertex_count, m->triangle_count);
    put_numbers(out, "vertices", m->vertices, 3 * m->vertex_count);
    fprintf(out, " triangles=");
    for (int k = 0; k < 3 * m->triangle_count; ++k) fprintf(out, "%s%d", k ? "," : "", m->triangles[k]);
}

static void put_spec(FILE *out, const tarn_spec *spec)
{
    fprintf(out, " kind=%s:%s", spec->kind->category, spec->kind->name);
    for (int k = 0; k < spec->kind->param_count; ++k) {
        const tarn_param *p = &spec->kind->params[k];
        tarn_value v;
        char name[128];
        snprintf(name, sizeof name, "p.%s", p->name);
        // Numbers that are not given (NaN) are not written.
        if (tarn_spec_get(spec, p->name, &v) != TARN_OK ||
            (v.type == TARN_PARAM_NUMBER && v.number[0] != v.number[0]))
            continue;
        put_value(out, name, &v, p->columns);
    }
}

static void put_shape(FILE *out, const tarn_shape *shape)
{
    tarn_shape_def def;
    tarn_spec spec;
    if (tarn_shape_get_def(shape, &def) != TARN_OK || tarn_shape_def_to_spec(&def, &spec) != TARN_OK) return;
    put_spec(out, &spec);
    if (def.type == TARN_SHAPE_MESH) put_mesh(out, &def.mesh.mesh);
}

void recording_write_command(FILE *out, const tarn_command *c)
{
    fprintf(out, "%" PRIu64 " %s", c->step, tarn_command_name(c->kind));
    if (c->body.value) fprintf(out, " body=%u:%u", (uint32_t)c->body.value, (uint32_t)(c->body.value >> 32));
    for (int k = 0; k < FIELDS; ++k) {
        const double *x = (const double *)((const char *)c + fields[k].offset);
        static const double zeros[3]; // compared by bits, so that -0 is written
        const int used = memcmp(x, zeros, (size_t)fields[k].count * sizeof *x) != 0;
        if (used) put_numbers(out, fields[k].name, x, fields[k].count);
    }
    if (c->path[0]) put_text(out, "path", c->path);
    if (c->value.type) {
        fprintf(out, " type=%d", (int)c->value.type);
        put_value(out, "value", &c->value, 0);
    }
    tarn_spec emitter;
    if (c->kind == TARN_COMMAND_ADD_EMITTER && tarn_emitter_def_to_spec(&c->emitter, &emitter) == TARN_OK)
        put_spec(out, &emitter);
    if (c->shape) put_shape(out, c->shape);
    fputc('\n', out);
}

// ---- reading ---------------------------------------------------------------------------------------

static int fail_at_line(const struct recording *j, const char *what)
{
    return print_error(TARN_BAD_INPUT, "invalid recording, line %d: %s", j->line, what);
}

static int read_all(struct recording *j, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) return print_error(TARN_IO, "%s: %s", path, strerror(errno));
    size_t capacity = 1 << 16;
    j->text = malloc(capacity + 1);
    while (j->text && !feof(file) && !ferror(file) && j->size < MAX_BYTES) {
        if (j->size == capacity) {
            char *more = realloc(j->text, 2 * capacity + 1);
            if (!more) break;
            j->text = more, capacity *= 2;
        }
        j->size += fread(j->text + j->size, 1, capacity - j->size, file);
    }
    const int complete = j->text && feof(file) && !ferror(file), failed = ferror(file);
    fclose(file);
    if (!complete) return print_error(failed ? TARN_IO : TARN_NO_MEMORY, "%s: it cannot be read", path);
    j->text[j->size] = '\0';
    return 0;
}

int recording_open(struct recording *j, const char *path)
{
    unsigned long bytes = 0;
    int used = 0;

    *j = (struct recording){.line = 2};
    const int code = read_all(j, path);
    if (code != 0) return code;
    if (strncmp(j->text, signature, sizeof signature - 1) != 0)
        return print_error(TARN_BAD_INPUT, "%s is not a recording of tarn, or of another version", path);
    j->at = sizeof signature - 1;
    if (sscanf(j->text + j->at, "scene %9lu %1023[^\n]%n", &bytes, j->path, &used) != 2 ||
        j->text[j->at + (size_t)used] != '\n' || bytes > j->size - j->at - (size_t)used - 1)
        return fail_at_line(j, "the scene");
    j->scene = j->text + j->at + used + 1, j->scene_size = bytes;
    j->at = (size_t)(j->scene - j->text) + bytes;
    for (size_t k = 0; k < bytes; ++k) j->line += j->scene[k] == '\n';
    if (j->at >= j->size || j->text[j->at] != '\n') return fail_at_line(j, "the end of the scene");
    j->at += 1, j->line += 1;
    return 0;
}

void recording_close(struct recording *j)
{
    free(j->text);
    free(j->rows);
    free(j->vertices);
    free(j->triangles);
    tarn_shape_release(j->shape);
    *j = (struct recording){0};
}

// Reads up to max_count numbers separated by commas; returns how many, or -1.
static int get_numbers(const char *text, double *x, int max_count)
{
    int count = 0;
    if (!*text) return 0;
    for (char *end;; text = end + 1) {
        if (count == max_count) return -1;
        x[count++] = strtod(text, &end);
        if (end == text) return -1;
        if (!*end) return count;
        if (*end != ',') return -1;
    }
}

static int get_text(const char *from, char *to, size_t size)
{
    size_t n = 0;
    for (; *from; ++from) {
        unsigned code = 0;
        if (n + 1 >= size || (*from == '%' && (sscanf(from + 1, "%2x", &code) != 1 || code == 0))) return -1;
        to[n++] = (char)(*from == '%' ? (int)code : *from);
        from += *from == '%' ? 2 : 0;
    }
    to[n] = '\0';
    return 0;
}

static int get_value(struct recording *j, tarn_param_type type, int columns, int rows, const char *text,
                     tarn_value *v)
{
    v->type = type;
    if (type == TARN_PARAM_TABLE) {
        double *table = realloc(j->rows, ((size_t)columns * (size_t)rows + 1) * sizeof *table);
        if (!table) return -1;
        j->rows = table;
        const int count = get_numbers(text, table, columns * rows);
        *v = tarn_value_table(table, columns ? count / columns : 0);
        return count < 0 || count % columns ? -1 : 0;
    }
    const int count = numbers_of(type);
    return count > 0 ? (get_numbers(text, v->number, 4) == count ? 0 : -1)
                     : get_text(text, v->text, sizeof v->text);
}

static int get_kind(const char *text, tarn_spec *spec)
{
    char category[64], kind[64];
    return sscanf(text, "%63[^:]:%63s", category, kind) == 2 &&
                   tarn_spec_init(spec, category, kind, NULL) == TARN_OK
               ? 0
               : -1;
}

static int get_param(struct recording *j, const char *name, const char *text, tarn_spec *spec)
{
    tarn_value v = {0};
    const tarn_param *p = spec->kind ? tarn_param_find(spec->kind, name) : NULL;
    if (!p || get_value(j, p->type, p->columns, p->rows, text, &v) != 0) return -1;
    return tarn_spec_set(spec, name, v, NULL) == TARN_OK ? 0 : -1;
}

// Memory for a mesh that is not larger than the file.
static int get_mesh(struct recording *j, const char *text, tarn_mesh *m)
{
    free(j->vertices);
    free(j->triangles);
    j->vertices = NULL, j->triangles = NULL;
    if (sscanf(text, "%9d:%9d", &m->vertex_count, &m->triangle_count) != 2 || m->vertex_count < 1 ||
        m->triangle_count < 1 || (size_t)m->vertex_count > j->size || (size_t)m->triangle_count > j->size)
        return -1;
    j->vertices = calloc((size_t)m->vertex_count, 3 * sizeof *j->vertices);
    j->triangles = calloc((size_t)m->triangle_count, 3 * sizeof *j->triangles);
    m->vertices = j->vertices, m->triangles = j->triangles;
    return j->vertices && j->triangles ? 0 : -1;
}

static int get_triangles(struct recording *j, const char *text, const tarn_mesh *m)
{
    char *end = NULL;
    for (int k = 0; k < 3 * m->triangle_count; ++k, text = end + 1) {
        j->triangles[k] = (int)strtol(text, &end, 10);
        if (end == text || *end != (k + 1 < 3 * m->triangle_count ? ',' : '\0')) return -1;
    }
    return end ? 0 : -1;
}

// Reads one "name=value" of a command.
static int read_field(struct recording *j, char *word, tarn_command *c)
{
    char *text = strchr(word, '=');
    if (!text) return -1;
    *text++ = '\0';
    for (int k = 0; k < FIELDS; ++k)
        if (strcmp(word, fields[k].name) == 0)
            return get_numbers(text, (double *)((char *)c + fields[k].offset), fields[k].count) ==
                           fields[k].count
                       ? 0
                       : -1;
    if (strcmp(word, "body") == 0) {
        uint32_t slot, generation;
        if (sscanf(text, "%u:%u", &slot, &generation) != 2) return -1;
        c->body.value = (uint64_t)generation << 32 | slot;
        return 0;
    }
    if (strcmp(word, "path") == 0) return get_text(text, c->path, sizeof c->path);
    if (strcmp(word, "type") == 0) {
        c->value.type = (tarn_param_type)atoi(text);
        return c->value.type == TARN_PARAM_TABLE ? -1 : 0;
    }
    if (strcmp(word, "value") == 0) return get_value(j, c->value.type, 0, 0, text, &c->value);
    if (strcmp(word, "mesh") == 0) return get_mesh(j, text, &j->mesh);
    if (strcmp(word, "vertices") == 0)
        return get_numbers(text, j->vertices, 3 * j->mesh.vertex_count) == 3 * j->mesh.vertex_count ? 0 : -1;
    if (strcmp(word, "triangles") == 0) return get_triangles(j, text, &j->mesh);
    if (strcmp(word, "kind") == 0) return get_kind(text, &j->spec);
    return strncmp(word, "p.", 2) == 0 ? get_param(j, word + 2, text, &j->spec) : -1;
}

static tarn_command_kind find_kind(const char *name)
{
    for (int k = 1; tarn_command_name((tarn_command_kind)k); ++k)
        if (strcmp(tarn_command_name((tarn_command_kind)k), name) == 0) return (tarn_command_kind)k;
    return (tarn_command_kind)0;
}

// Creates the shape or emitter whose parameters the command has.
static int make_object(struct recording *j, tarn_command *c)
{
    tarn_shape_def def;
    tarn_error err = {0};
    if (!j->spec.kind || tarn_emitter_def_from_spec(&j->spec, &c->emitter) == TARN_OK) return 0;
    if (tarn_shape_def_from_spec(&j->spec, &def) != TARN_OK) return 0;
    if (def.type == TARN_SHAPE_MESH) def.mesh.mesh = j->mesh;
    if (tarn_shape_create(&def, NULL, &j->shape, &err) != TARN_OK) return fail_at_line(j, err.message);
    c->shape = j->shape;
    return 0;
}

int recording_next(struct recording *j, enum recording_entry *kind, tarn_command *c, uint64_t *hash)
{
    *c = (tarn_command){0};
    tarn_shape_release(j->shape);
    j->shape = NULL;
    j->mesh = (tarn_mesh){0};
    j->spec = (tarn_spec){0};
    char *line = j->text + j->at, *end = strchr(line, '\n'), name[32], *rest;
    if (!end) return fail_at_line(j, "the end is missing");
    *end = '\0';
    j->at += (size_t)(end - line) + 1;
    j->line += 1;
    c->step = strtoull(line, &rest, 10);
    int used = 0;
    if (rest == line || sscanf(rest, " %31s%n", name, &used) != 1)
        return fail_at_line(j, "a line without a command");
    rest += used;
    if (strcmp(name, "end") == 0) {
        *kind = RECORDING_END;
        return 0;
    }
    if (strcmp(name, "hash") == 0) {
        *kind = RECORDING_HASH;
        return sscanf(rest, " %16" SCNx64, hash) == 1 ? 0 : fail_at_line(j, "a hash");
    }
    *kind = RECORDING_COMMAND;
    c->kind = find_kind(name);
    if (!c->kind) return fail_at_line(j, "an unknown command");
    for (char *save = NULL, *word = strtok_r(rest, " ", &save); word; word = strtok_r(NULL, " ", &save))
        if (read_field(j, word, c) != 0) return fail_at_line(j, word);
    return make_object(j, c);
}
