// Reads a file at a path that the user gave: a scene or a mesh.
#include "scene/system.h"

#include "scene/create/assets.h"
#include "scene/json/string_buffer.h"

#include <stdlib.h>

static const char *type_name(mode_t mode)
{
    if (S_ISDIR(mode)) return "this is a folder";
    if (S_ISFIFO(mode)) return "this is a pipe";
    if (S_ISSOCK(mode)) return "this is a socket";
    return "this is a device";
}

static tarn_result fail_errno(struct parser *p, const char *path, int code)
{
    char message[128];

    if (strerror_r(code, message, sizeof message) != 0) strcpy(message, "it cannot be read");
    diag_at_label(p, path, "%s", message);
    return TARN_IO;
}

// What the file should be, for messages, and its maximum size in bytes.
struct file_limits {
    const char *noun;
    size_t max_size;
};

// Only regular files have a reliable size, and reading them does not block.
static tarn_result check_file_type(struct parser *p, const char *path, const struct file_limits *limits,
                                   const struct stat *info)
{
    if (!S_ISREG(info->st_mode)) {
        diag_at_label(p, path, "%s; expected a %s file", type_name(info->st_mode), limits->noun);
        return TARN_BAD_INPUT;
    }
    if (info->st_size > (off_t)limits->max_size) {
        diag_at_label(p, path, "file too large: %lld bytes, limit for a %s %zu", (long long)info->st_size,
                      limits->noun, limits->max_size);
        return TARN_BAD_INPUT;
    }
    return TARN_OK;
}

// The file may have grown since its size was checked, so the limit is checked again while reading.
static tarn_result read_all(struct parser *p, const char *path, const struct file_limits *limits, int fd,
                            struct source_text *out)
{
    char chunk[16384];
    struct string_buffer buffer = {0};
    tarn_result r = TARN_OK;

    buffer_append(&buffer, "", 0);
    while (r == TARN_OK) {
        const ssize_t n = read(fd, chunk, sizeof chunk);
        if (n == 0) break;
        if (n < 0 && errno == EINTR) continue;
        if (n < 0)
            r = fail_errno(p, path, errno);
        else
            buffer_append(&buffer, chunk, (size_t)n);
        if (r == TARN_OK && buffer.failed) r = TARN_NO_MEMORY;
        if (r == TARN_OK && buffer.size > limits->max_size) {
            diag_at_label(p, path, "file too large (limit %zu bytes)", limits->max_size);
            r = TARN_BAD_INPUT;
        }
    }
    if (buffer.failed) r = TARN_NO_MEMORY;
    if (r != TARN_OK) {
        free(buffer.data);
        return r;
    }
    out->text = buffer.data;
    out->size = buffer.size;
    return TARN_OK;
}

tarn_result read_user_file(const char *path, const char *noun, size_t max_size, struct source_text *out,
                           tarn_diagnostics *diagnostics)
{
    const struct file_limits limits = {noun, max_size};
    struct source_text source = {.name = (char *)path};
    struct parser p;
    struct stat info;
    tarn_result r;

    parser_init(&p, &source, diagnostics);
    if (stat(path, &info) != 0) return fail_errno(&p, path, errno);
    if ((r = check_file_type(&p, path, &limits, &info)) != TARN_OK) return r;
    const int fd = open(path, O_RDONLY | O_BINARY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) return fail_errno(&p, path, errno);

    if (fstat(fd, &info) != 0)
        r = fail_errno(&p, path, errno);
    else
        r = check_file_type(&p, path, &limits, &info); // the path may name another file by now
    if (r == TARN_OK && !(out->name = copy_string(path, strlen(path)))) r = TARN_NO_MEMORY;
    out->is_file = 1;
    if (r == TARN_OK) r = read_all(&p, path, &limits, fd, out);
    close(fd);
    return r;
}
