// Reads the container of a glTF 2.0 file (.gltf or .glb), its JSON and its buffers.
#include "gltf.h"
#include "scene/json/json_path.h"
#include "scene/json/json_text.h"
#include "tokenizer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INDEX_MAX 2147483647.0

int gltf_get_index(struct gltf *g, const json_t *object, const char *key, const char *list, size_t index,
                   size_t fallback, size_t *out)
{
    const json_t *value = json_object_get(object, key);

    *out = fallback;
    if (!value && fallback != GLTF_REQUIRED) return 1;
    const double number = json_is_number(value) ? json_number_value(value) : -1.0;
    if (!(0.0 <= number && number <= INDEX_MAX && number == floor(number)))
        return REJECT(g->error, "%s[%zu]: '%s' is %s", list, index, key,
                      value ? "not a whole number" : "missing");
    *out = (size_t)number;
    return 1;
}

// ---- container --------------------------------------------------------------------------------------

static int parse_json(struct gltf *g, const char *text, size_t size)
{
    char message[150];
    size_t offset;
    int line, column;
    json_error_t error = {0};

    if (!json_syntax_check(text, size, &offset, message, sizeof message)) {
        offset_to_line(text, size, offset, &line, &column);
        return REJECT(g->error, "line %d, column %d: %s", line, column, message);
    }
    g->root = json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
    if (json_is_object(g->root)) return 1;
    if (g->root) return REJECT(g->error, "line 1: a glTF file is an object");
    if (json_error_code(&error) == json_error_out_of_memory) {
        load_fail(g->error, TARN_NO_MEMORY, "no memory for the file");
        return 0;
    }
    return REJECT(g->error, "line %d: %.100s", error.line, error.text);
}

// A .glb file: magic "glTF", version and length (4 bytes each), then a JSON chunk and an optional binary
// chunk.
static int open_glb(struct gltf *g, const char *data, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)data;
    const char *json = NULL;
    size_t json_size = 0, cursor = 12;

    if (size < 12) return REJECT(g->error, "byte %zu: the file ends early", size);
    const uint64_t version = read_uint(bytes + 4, 4, 0), length = read_uint(bytes + 8, 4, 0);
    if (version != 2) return REJECT(g->error, "byte 4: version %llu is not 2", (unsigned long long)version);
    if (length != size)
        return REJECT(g->error, "byte 8: the file has %zu bytes, not %llu", size, (unsigned long long)length);
    while (cursor < size) {
        if (size - cursor < 8) return REJECT(g->error, "byte %zu: the file ends early", cursor);
        const uint64_t chunk = read_uint(bytes + cursor, 4, 0), type = read_uint(bytes + cursor + 4, 4, 0);
        if (chunk > size - cursor - 8)
            return REJECT(g->error, "byte %zu: a chunk of %llu bytes is longer than the file", cursor,
                          (unsigned long long)chunk);
        cursor += 8;
        if (type == 0x4e4f534a && !json) { // "JSON"
            json = data + cursor;
            json_size = (size_t)chunk;
        } else if (type == 0x004e4942 && json && !g->bin_chunk) { // "BIN"
            g->bin_chunk = bytes + cursor;
            g->bin_chunk_size = (size_t)chunk;
        } else if (!json) {
            return REJECT(g->error, "byte %zu: the first chunk is not JSON", cursor - 4);
        }
        cursor += (size_t)chunk;
    }
    if (!json) return REJECT(g->error, "byte 12: the file has no JSON");
    return parse_json(g, json, json_size);
}

int gltf_open(struct gltf *g, const char *data, size_t size)
{
    const int binary = size >= 4 && memcmp(data, "glTF", 4) == 0;

    if (binary ? !open_glb(g, data, size) : !parse_json(g, data, size)) return 0;
    g->buffer_count = json_array_size(json_object_get(g->root, "buffers"));
    g->buffers = calloc(g->buffer_count + 1, sizeof *g->buffers);
    if (g->buffers) return 1;
    load_fail(g->error, TARN_NO_MEMORY, "no memory for the buffers");
    return 0;
}

void gltf_close(struct gltf *g)
{
    for (size_t i = 0; g->buffers && i < g->buffer_count; ++i) free(g->buffers[i].owned);
    free(g->buffers);
    json_decref(g->root);
}

// ---- buffers ----------------------------------------------------------------------------------------

static int base64_value(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (is_digit(c)) return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static int read_data_uri(struct gltf *g, size_t index, const char *uri, struct gltf_buffer *b)
{
    const char *comma = strchr(uri, ',');

    if (!comma || comma - uri < 7 || memcmp(comma - 7, ";base64", 7) != 0)
        return REJECT(g->error, "buffers[%zu]: expected a data: URI in base64", index);
    const char *text = comma + 1;
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == '=') length--;
    b->owned = malloc(length / 4 * 3 + 3);
    if (!b->owned) {
        load_fail(g->error, TARN_NO_MEMORY, "no memory for buffers[%zu]", index);
        return 0;
    }
    unsigned bits = 0;
    for (size_t i = 0; i < length; ++i) {
        const int value = base64_value(text[i]);
        if (value < 0) return REJECT(g->error, "buffers[%zu]: character %zu is not base64", index, i);
        bits = bits << 6 | (unsigned)value;
        if (i % 4 != 0) b->owned[b->size++] = (char)(unsigned char)(bits >> (6 - 2 * (i % 4)));
    }
    return 1;
}

static int hex_value(char c)
{
    if (is_digit(c)) return c - '0';
    c |= 32;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Read a buffer from a file beside this one; its URI may have percent escapes ("my%20boat.bin").
static int read_buffer_file(struct gltf *g, size_t index, const char *uri, struct gltf_buffer *b)
{
    char name[2 * TARN_FILE_BYTES] = "";
    struct load_error error;

    if (strchr(uri, ':')) return REJECT(g->error, "buffers[%zu]: only files beside this one are read", index);
    if (!g->dir) return REJECT(g->error, "buffers[%zu]: there are no files beside this one", index);
    size_t length = (size_t)snprintf(name, TARN_FILE_BYTES, "%s", g->dir->prefix);
    const char *problem =
        // checked on its own, because a prefix would hide a leading '/'
        uri[0] ? asset_name_error(uri) : "the name of a file is empty";
    for (const char *c = uri; !problem && *c; ++c) {
        const int high = *c == '%' && c[1] ? hex_value(c[1]) : -1, low = high >= 0 ? hex_value(c[2]) : -1;
        const int escaped = high >= 0 && low >= 0;
        name[length++] = escaped ? (char)(unsigned char)(16 * high + low) : *c;
        if (escaped) c += 2;
        if (name[length - 1] == '\0' || length + 1 >= sizeof name)
            problem = "the name of a file is too long or broken";
    }
    if (problem) return REJECT(g->error, "buffers[%zu]: %s", index, problem);
    name[length] = '\0';
    if (asset_read_in(g->dir->folder, name, MESH_MAX_BYTES - g->buffer_bytes, &b->owned, &b->size, &error) !=
        TARN_OK) {
        load_fail(g->error, error.result, "buffers[%zu]: %.150s", index, error.message);
        return 0;
    }
    return 1;
}

const struct gltf_buffer *gltf_buffer(struct gltf *g, size_t index)
{
    const json_t *json = json_array_get(json_object_get(g->root, "buffers"), index);
    struct gltf_buffer *b = &g->buffers[index < g->buffer_count ? index : 0];
    size_t declared;

    if (!json_is_object(json))
        return load_fail(g->error, TARN_BAD_INPUT, "buffers[%zu] is not there", index), NULL;
    if (b->bytes) return b;
    if (!gltf_get_index(g, json, "byteLength", "buffers", index, GLTF_REQUIRED, &declared)) return NULL;
    const char *uri = json_string_value(json_object_get(json, "uri"));
    if (!uri && index == 0 && g->bin_chunk) {
        b->bytes = g->bin_chunk;
        b->size = g->bin_chunk_size;
    } else if (!uri) {
        return load_fail(g->error, TARN_BAD_INPUT, "buffers[%zu] has no bytes", index), NULL;
    } else {
        const int data = strncmp(uri, "data:", 5) == 0;
        if (data ? !read_data_uri(g, index, uri, b) : !read_buffer_file(g, index, uri, b)) return NULL;
        b->bytes = (const unsigned char *)b->owned;
        g->buffer_bytes += b->size;
    }
    if (declared > b->size)
        return load_fail(g->error, TARN_BAD_INPUT, "buffers[%zu]: %zu bytes are promised, %zu are there",
                         index, declared, b->size),
               NULL;
    b->size = declared;
    if (g->buffer_bytes > MESH_MAX_BYTES)
        return load_fail(g->error, TARN_BAD_INPUT, "the buffers have more than %u bytes", MESH_MAX_BYTES),
               NULL;
    return b;
}
