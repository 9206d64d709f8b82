// Files that a scene names. A scene may come from a stranger, so what it names must lie beneath a folder that
// the user chose: the path is opened part by part and no symbolic link is followed, which leaves no gap
// between the check and the opening.
#define _POSIX_C_SOURCE 200809L
#include "scene_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Looked in last: models that other packages install. This is where Debian's glmark2-data has the Stanford bunny.
#define INSTALLED "/usr/share/glmark2/models"

tarn_result fault_say(struct fault *fault, tarn_result result, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(fault->words, sizeof fault->words, format, args);
    va_end(args);
    return fault->result = result;
}

const char *file_name_fault(const char *name)
{
    if (!name[0]) return "the name of a file is expected, this is empty";
    if (strlen(name) >= TARN_FILE_BYTES) return "the name of a file is expected, this is too long";
    if (name[0] == '/') return "a file is named from the scene's folder on; this begins with '/'";
    for (const char *part = name; *part;) {
        const size_t length = strcspn(part, "/");
        if (length == 2 && part[0] == '.' && part[1] == '.')
            return "a file lies beneath the scene's folder; '..' leads out of it";
        part += length;
        part += *part == '/';
    }
    return name[strlen(name) - 1] == '/' ? "the name of a file is expected, this is a folder" : NULL;
}

static tarn_result say_errno(struct fault *fault, const char *name, int error)
{
    char words[128];

    if (strerror_r(error, words, sizeof words) != 0) strcpy(words, "it cannot be read");
    return fault_say(fault, TARN_IO, "%.60s: %s", name, words);
}

// What may be opened: a folder on the way, a regular file at the end. Asked before the opening as well, since
// opening a device may already move it.
static tarn_result acceptable(const struct stat *s, const char *name, int last, size_t most,
                              struct fault *fault)
{
    if (S_ISLNK(s->st_mode))
        return fault_say(fault, TARN_BAD_INPUT, "%.60s: symbolic links are not followed", name);
    if (last && !S_ISREG(s->st_mode))
        return fault_say(fault, TARN_BAD_INPUT, "%.60s is not a regular file but a %s", name,
                         S_ISDIR(s->st_mode) ? "folder" : "pipe or a device");
    if (last && (unsigned long long)s->st_size > most)
        return fault_say(fault, TARN_BAD_INPUT, "%.60s has %lld bytes; at most %zu are read", name,
                         (long long)s->st_size, most);
    return TARN_OK;
}

// One part of the name. @return a file descriptor; -1 if there is none or, with a fault, it must not be used
static int open_part(int folder, const char *part, int last, const char *name, size_t most,
                     struct fault *fault)
{
    const int common = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    struct stat s;

    if (fstatat(folder, part, &s, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno != ENOENT && errno != ENOTDIR) say_errno(fault, name, errno);
        return -1;
    }
    if (acceptable(&s, name, last, most, fault) != TARN_OK || (!last && !S_ISDIR(s.st_mode))) return -1;
    const int file = openat(folder, part, last ? common : common | O_DIRECTORY);
    if (file < 0) {
        say_errno(fault, name, errno);
    } else if (fstat(file, &s) != 0 || acceptable(&s, name, last, most, fault) != TARN_OK) {
        if (fault->result == TARN_OK) say_errno(fault, name, errno);
        close(file);
        return -1;
    }
    return file;
}

// @return as open_part
static int open_beneath(const char *folder, const char *name, size_t most, struct fault *fault)
{
    char part[TARN_FILE_BYTES]; // file_name_fault() saw to it that it is enough
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    for (const char *rest = name; file >= 0 && *rest;) {
        const size_t length = strcspn(rest, "/");
        const int last = rest[length] == '\0', above = file;
        memcpy(part, rest, length);
        part[length] = '\0';
        rest += length + !last;
        if (length == 0) continue; // "a//b"
        file = open_part(above, part, last, name, most, fault);
        close(above);
    }
    return file;
}

// The index-th folder to look in. @return 0 past the last; an unknown one comes out empty
static int folder_at(const struct source *source, int index, char *out, size_t size)
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
    snprintf(out, size, "%s", INSTALLED);
    return index == 1;
}

// The size is known and bounded; a file that grows meanwhile is cut there.
static tarn_result read_all(int file, const char *name, char **data, size_t *size, struct fault *fault)
{
    struct stat s;

    if (fstat(file, &s) != 0) return say_errno(fault, name, errno);
    const size_t room = (size_t)s.st_size;
    char *bytes = malloc(room + 1);
    if (!bytes) return fault_say(fault, TARN_NO_MEMORY, "there is no memory for %.60s", name);
    for (*size = 0; *size < room;) {
        const ssize_t n = read(file, bytes + *size, room - *size);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            free(bytes);
            return say_errno(fault, name, errno);
        }
        if (n == 0) break;
        *size += (size_t)n;
    }
    bytes[*size] = '\0';
    *data = bytes;
    return TARN_OK;
}

tarn_result resolve_read_in(const char *folder, const char *name, size_t most, char **data, size_t *size,
                            struct fault *fault)
{
    const char *wrong = file_name_fault(name);

    *fault = (struct fault){0};
    if (wrong) return fault_say(fault, TARN_BAD_INPUT, "%s", wrong);
    const int file = open_beneath(folder, name, most, fault);
    if (fault->result != TARN_OK) return fault->result;
    if (file < 0) return fault_say(fault, TARN_IO, "there is no file '%.60s' in %.100s", name, folder);
    const tarn_result r = read_all(file, name, data, size, fault);
    close(file);
    return r;
}

tarn_result resolve_folder(const struct source *source, const char *name, size_t most,
                           char folder[FOLDER_BYTES], struct fault *fault)
{
    char places[120] = "";
    const char *wrong = file_name_fault(name);
    int file = -1;

    *fault = (struct fault){0};
    if (wrong) return fault_say(fault, TARN_BAD_INPUT, "%s", wrong);
    for (int i = 0; folder_at(source, i, folder, FOLDER_BYTES); ++i) {
        if (!folder[0]) continue;
        file = open_beneath(folder, name, most, fault);
        list_add(places, sizeof places, folder);
        if (fault->result != TARN_OK) return fault->result;
        if (file >= 0) {
            close(file);
            return TARN_OK;
        }
    }
    return fault_say(fault, TARN_IO, "there is no file '%.60s' in: %s", name, places);
}

tarn_result resolve_read(const struct source *source, const char *name, size_t most, char **data,
                         size_t *size, struct fault *fault)
{
    char folder[FOLDER_BYTES];

    if (resolve_folder(source, name, most, folder, fault) != TARN_OK) return fault->result;
    return resolve_read_in(folder, name, most, data, size, fault); // what may be opened is checked once more
}
