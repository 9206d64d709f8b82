#define _POSIX_C_SOURCE 200809L
#include "scene_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *sort_of(mode_t mode)
{
    if (S_ISDIR(mode)) return "this is a folder";
    if (S_ISFIFO(mode)) return "this is a pipe";
    if (S_ISSOCK(mode)) return "this is a socket";
    return "this is a device";
}

static tarn_result refuse(struct pass *p, const char *path, int error)
{
    char words[128];

    if (strerror_r(error, words, sizeof words) != 0) strcpy(words, "it cannot be read");
    note_add_plain(p, path, "%s", words);
    return TARN_IO;
}

// What is read, and how much of it.
struct sort {
    const char *noun;
    size_t most;
};

// Only regular files have a size that can be believed, and reading them never waits for somebody.
static tarn_result acceptable(struct pass *p, const char *path, const struct sort *sort, const struct stat *s)
{
    if (!S_ISREG(s->st_mode)) {
        note_add_plain(p, path, "%s; a %s file is expected", sort_of(s->st_mode), sort->noun);
        return TARN_BAD_INPUT;
    }
    if (s->st_size > (off_t)sort->most) {
        note_add_plain(p, path, "the file has %lld bytes; a %s has at most %zu", (long long)s->st_size,
                       sort->noun, sort->most);
        return TARN_BAD_INPUT;
    }
    return TARN_OK;
}

// The file may have grown since its size was asked for: the limit is checked again.
static tarn_result read_all(struct pass *p, const char *path, const struct sort *sort, int file,
                            struct source *out)
{
    char block[16384];
    struct text text = {0};
    tarn_result r = TARN_OK;

    text_add(&text, "", 0);
    while (r == TARN_OK) {
        const ssize_t n = read(file, block, sizeof block);
        if (n == 0) break;
        if (n < 0 && errno == EINTR) continue;
        if (n < 0)
            r = refuse(p, path, errno);
        else
            text_add(&text, block, (size_t)n);
        if (r == TARN_OK && text.failed) r = TARN_NO_MEMORY;
        if (r == TARN_OK && text.size > sort->most) {
            note_add_plain(p, path, "the file is larger than %zu bytes", sort->most);
            r = TARN_BAD_INPUT;
        }
    }
    if (text.failed) r = TARN_NO_MEMORY;
    if (r != TARN_OK) {
        free(text.data);
        return r;
    }
    out->text = text.data;
    out->size = text.size;
    return TARN_OK;
}

tarn_result file_read(const char *path, const char *noun, size_t most, struct source *out, tarn_notes *notes)
{
    const struct sort sort = {noun, most};
    struct source nowhere = {.name = (char *)path};
    struct pass p;
    struct stat s;
    tarn_result r;

    pass_begin(&p, &nowhere, notes);
    if (stat(path, &s) != 0) return refuse(&p, path, errno);
    if ((r = acceptable(&p, path, &sort, &s)) != TARN_OK) return r;
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0) return refuse(&p, path, errno);

    if (fstat(file, &s) != 0)
        r = refuse(&p, path, errno);
    else
        r = acceptable(&p, path, &sort, &s); // it may have become another file
    if (r == TARN_OK && !(out->name = text_copy(path, strlen(path)))) r = TARN_NO_MEMORY;
    out->is_file = 1;
    if (r == TARN_OK) r = read_all(&p, path, &sort, file, out);
    close(file);
    return r;
}
