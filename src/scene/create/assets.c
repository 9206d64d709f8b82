// Opens the files that a scene names (meshes, height maps, bitmaps). A scene may come from an untrusted
// source, so a file must lie beneath a folder that the user chose: the path is opened component by component
// relative to the folder before it, and symbolic links are rejected. There is no race between the check and
// the opening.
#define _POSIX_C_SOURCE 200809L
#include "assets.h"
#include "scene/parse/suggest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static tarn_result load_fail_errno(struct load_error *error, const char *name, int code)
{
    char message[128];

    if (strerror_r(code, message, sizeof message) != 0) strcpy(message, "it cannot be read");
    return load_fail(error, TARN_IO, "%.60s: %s", name, message);
}

// Folders are allowed before the last component, a regular file as the last one. The type is checked before
// the file is opened too, because opening a device can have side effects.
static tarn_result check_file_type(const struct stat *s, const char *name, int is_last, size_t max_size,
                                   struct load_error *error)
{
    if (S_ISLNK(s->st_mode))
        return load_fail(error, TARN_BAD_INPUT, "%.60s: symbolic links are not followed", name);
    if (is_last && !S_ISREG(s->st_mode))
        return load_fail(error, TARN_BAD_INPUT, "%.60s is not a regular file but a %s", name,
                         S_ISDIR(s->st_mode) ? "folder" : "pipe or a device");
    if (is_last && (unsigned long long)s->st_size > max_size)
        return load_fail(error, TARN_BAD_INPUT, "%.60s: file too large: %lld bytes, limit %zu", name,
                         (long long)s->st_size, max_size);
    return TARN_OK;
}

// Open one component of the path. @return a file descriptor; -1 if it does not exist or, with an error, if
// it is rejected
static int open_component(int folder, const char *component, int is_last, const char *name, size_t max_size,
                          struct load_error *error)
{
    const int common = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    struct stat s;

    if (fstatat(folder, component, &s, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno != ENOENT && errno != ENOTDIR) load_fail_errno(error, name, errno);
        return -1;
    }
    if (check_file_type(&s, name, is_last, max_size, error) != TARN_OK || (!is_last && !S_ISDIR(s.st_mode)))
        return -1;
    const int file = openat(folder, component, is_last ? common : common | O_DIRECTORY);
    if (file < 0) {
        load_fail_errno(error, name, errno);
    } else if (fstat(file, &s) != 0 || check_file_type(&s, name, is_last, max_size, error) != TARN_OK) {
        if (error->result == TARN_OK) load_fail_errno(error, name, errno);
        close(file);
        return -1;
    }
    return file;
}

// @return as open_component()
static int open_beneath(const char *folder, const char *name, size_t max_size, struct load_error *error)
{
    char component[TARN_FILE_BYTES]; // asset_name_error() has checked that the name fits
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    for (const char *rest = name; file >= 0 && *rest;) {
        const size_t length = strcspn(rest, "/");
        const int is_last = rest[length] == '\0', parent = file;
        memcpy(component, rest, length);
        component[length] = '\0';
        rest += length + !is_last;
        if (length == 0) continue; // an empty component, as in "a//b"
        file = open_component(parent, component, is_last, name, max_size, error);
        close(parent);
    }
    return file;
}

// Write the index-th folder of the search path; it is empty if it is not known. @return 0 past the last
// folder
static int folder_at(const struct source_text *source, int index, char *out, size_t size)
{
    const char *slash = strrchr(source->name, '/'), *list = getenv("TARN_PATH");

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
        const size_t length = strcspn(list, ":");
        if (--index == 0) {
            if (length < size) snprintf(out, size, "%.*s", (int)length, list);
            return 1;
        }
        list += length;
        list += *list == ':';
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
