// Opens files that a scene names. A scene may come from an untrusted source, so a file must lie beneath a
// folder that the user chose, and no symbolic link may lead to it.
#include "scene/system.h"

#include "open_beneath.h"

#include <stdio.h>

#ifdef _WIN32
#include <windows.h>
#endif

tarn_result load_fail_errno(struct load_error *error, const char *name, int code)
{
    char message[128];

    if (strerror_r(code, message, sizeof message) != 0) strcpy(message, "it cannot be read");
    return load_fail(error, TARN_IO, "%.60s: %s", name, message);
}

static tarn_result reject_link(const char *name, struct load_error *error)
{
    return load_fail(error, TARN_BAD_INPUT, "%.60s: symbolic links are not followed", name);
}

// Folders are allowed before the last component, a regular file as the last one. The type is checked before
// the file is opened too, because opening a device can have side effects.
static tarn_result check_file_type(const struct stat *s, const char *name, int is_last, size_t max_size,
                                   struct load_error *error)
{
#ifndef _WIN32
    if (S_ISLNK(s->st_mode)) return reject_link(name, error);
#endif
    if (is_last && !S_ISREG(s->st_mode))
        return load_fail(error, TARN_BAD_INPUT, "%.60s is not a regular file but a %s", name,
                         S_ISDIR(s->st_mode) ? "folder" : "pipe or a device");
    if (is_last && (unsigned long long)s->st_size > max_size)
        return load_fail(error, TARN_BAD_INPUT, "%.60s: file too large: %lld bytes, limit %zu", name,
                         (long long)s->st_size, max_size);
    return TARN_OK;
}

#ifdef _WIN32

// Windows opens whole paths only: every folder is checked by its path. Somebody who may replace folders while
// a scene is read could lead the last call elsewhere.
int open_beneath(const char *folder, const char *name, size_t max_size, struct load_error *error)
{
    char path[ASSET_FOLDER_BYTES + TARN_FILE_BYTES];
    struct stat s;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (char *end = path + strlen(folder) + 1; end;) { // beneath the folder itself, which may be a link
        end += strspn(end, "/");
        end = strchr(end, '/');
        if (end) *end = '\0';
        const DWORD attributes = GetFileAttributesA(path);
        if (attributes == INVALID_FILE_ATTRIBUTES) return -1; // there is no such file
        if (attributes & FILE_ATTRIBUTE_REPARSE_POINT) {
            reject_link(name, error);
            return -1;
        }
        if (end) *end++ = '/';
    }
    if (stat(path, &s) != 0 || check_file_type(&s, name, 1, max_size, error) != TARN_OK) {
        if (error->result == TARN_OK) load_fail_errno(error, name, errno);
        return -1;
    }
    const int file = open(path, O_RDONLY | O_BINARY | O_CLOEXEC);
    if (file < 0) load_fail_errno(error, name, errno);
    return file;
}

#else

// The path is opened component by component relative to the folder before it, so there is no race between
// checks and opening.

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

int open_beneath(const char *folder, const char *name, size_t max_size, struct load_error *error)
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

#endif
