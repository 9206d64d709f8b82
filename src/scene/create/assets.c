// Finds and reads the files that a scene names (meshes, height maps, bitmaps), in the folders where a scene
// may have files.
#include "scene/system.h"

#include "open_beneath.h"
#include "scene/parse/suggest.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

// This folder is searched last. Debian's package glmark2-data installs the Stanford bunny here.
#define INSTALLED_MODELS_DIR "/usr/share/glmark2/models"

tarn_result load_fail(struct load_error *error, tarn_result result, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    return error->result = result;
}

const char *asset_name_error(const char *name)
{
    if (!name[0]) return "expected a file name, found an empty string";
    if (strlen(name) >= TARN_FILE_BYTES) return "file name too long";
#ifdef _WIN32
    if (strpbrk(name, "\\:")) return "folders in file names are separated by '/'; drives are not allowed";
#endif
    if (name[0] == '/') return "file names are relative to the scene's folder; remove the leading '/'";
    for (const char *component = name; *component;) {
        const size_t length = strcspn(component, "/");
        if (length == 2 && component[0] == '.' && component[1] == '.')
            return "files must be inside the scene's folder; '..' is not allowed";
        component += length;
        component += *component == '/';
    }
    return name[strlen(name) - 1] == '/' ? "expected a file name, found a folder" : NULL;
}

// Write the index-th folder of the search path; it is empty if it is not known. @return 0 past the last
// folder
static int folder_at(const struct source_text *source, int index, char *out, size_t size)
{
    const char *slash = last_separator(source->name), *list = getenv("TARN_PATH");

    out[0] = '\0';
    if (index == 0) {
        const size_t length = slash ? (size_t)(slash - source->name) + 1 : 0;
        if (slash && length < size)
            snprintf(out, size, "%.*s", (int)length, source->name);
        else if (!slash && source->is_file)
            snprintf(out, size, ".");
        return 1;
    }
    while (list && *list) {
        const size_t length = strcspn(list, PATH_LIST_SEPARATOR);
        if (--index == 0) {
            if (length < size) snprintf(out, size, "%.*s", (int)length, list);
            return 1;
        }
        list += length;
        list += *list != '\0';
    }
    snprintf(out, size, "%s", INSTALLED_MODELS_DIR);
    return index == 1;
}

// The size is known and bounded; bytes that are appended to the file meanwhile are not read.
static tarn_result read_all(int file, const char *name, char **data, size_t *size, struct load_error *error)
{
    struct stat s;

    if (fstat(file, &s) != 0) return load_fail_errno(error, name, errno);
    const size_t capacity = (size_t)s.st_size;
    char *bytes = malloc(capacity + 1);
    if (!bytes) return load_fail(error, TARN_NO_MEMORY, "no memory for %.60s", name);
    for (*size = 0; *size < capacity;) {
        const ssize_t n = read(file, bytes + *size, capacity - *size);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            free(bytes);
            return load_fail_errno(error, name, errno);
        }
        if (n == 0) break;
        *size += (size_t)n;
    }
    bytes[*size] = '\0';
    *data = bytes;
    return TARN_OK;
}

tarn_result asset_read_in(const char *folder, const char *name, size_t max_size, char **data, size_t *size,
                          struct load_error *error)
{
    const char *name_error = asset_name_error(name);

    *error = (struct load_error){0};
    if (name_error) return load_fail(error, TARN_BAD_INPUT, "%s", name_error);
    const int file = open_beneath(folder, name, max_size, error);
    if (error->result != TARN_OK) return error->result;
    if (file < 0) return load_fail(error, TARN_IO, "no file '%.60s' in %.100s", name, folder);
    const tarn_result r = read_all(file, name, data, size, error);
    close(file);
    return r;
}

tarn_result asset_find_folder(const struct source_text *source, const char *name, size_t max_size,
                              char folder[ASSET_FOLDER_BYTES], struct load_error *error)
{
    char searched[120] = "";
    const char *name_error = asset_name_error(name);
    int file = -1;

    *error = (struct load_error){0};
    if (name_error) return load_fail(error, TARN_BAD_INPUT, "%s", name_error);
    for (int i = 0; folder_at(source, i, folder, ASSET_FOLDER_BYTES); ++i) {
        if (!folder[0]) continue;
        file = open_beneath(folder, name, max_size, error);
        list_append(searched, sizeof searched, folder);
        if (error->result != TARN_OK) return error->result;
        if (file >= 0) {
            close(file);
            return TARN_OK;
        }
    }
    return load_fail(error, TARN_IO, "no file '%.60s' in: %s", name, searched);
}

tarn_result asset_read(const struct source_text *source, const char *name, size_t max_size, char **data,
                       size_t *size, struct load_error *error)
{
    char folder[ASSET_FOLDER_BYTES];

    if (asset_find_folder(source, name, max_size, folder, error) != TARN_OK) return error->result;
    return asset_read_in(folder, name, max_size, data, size, error); // checks the file type again
}
