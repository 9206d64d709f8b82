// Output files that are named NAME.part until they are complete.
//
// stdio formats and buffers. A write function of this file then calls write(): it continues after EINTR and
// after short writes, so that the position in the file is known after an error.
#define _GNU_SOURCE // fopencookie
#include "posix.h"

#include "app.h"
#include "atomic_file.h"

#include <stdint.h>

int print_file_error(const char *path)
{
    return print_error(TARN_IO, "%s: %s", path, errno ? strerror(errno) : "it could not be written");
}

int output_dir_path(char *path, size_t size, const struct output_dir *output, const char *name,
                    const char *end)
{
    const int n = snprintf(path, size, "%s/%s%s", output->dir, name, end);
    if (n > 0 && (size_t)n < size) return 0;
    return print_error(TARN_IO, "%s: the path is too long", output->dir);
}

// Returns 0, or -1 with errno.
static int sync_to_disk(int fd)
{
    int failed;

    do failed = fsync(fd);
    while (failed && errno == EINTR);
    return failed;
}

int output_dir_sync(const struct output_dir *output)
{
#ifdef _WIN32 // there is nothing like it
    (void)output;
    return 0;
#else
    const int fd = open(output->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return print_file_error(output->dir);
    const int failed =
        sync_to_disk(fd) != 0 && errno != EINVAL; // EINVAL: the file system does not sync folders
    const int code = failed ? print_file_error(output->dir) : 0;
    close(fd);
    return code;
#endif
}

#ifdef _WIN32 // no streams with functions of one's own; there is no EINTR either

static FILE *stream_over(int fd)
{
    const int copy = dup(fd); // shares the place in the file
    return copy < 0 ? NULL : fdopen(copy, "wb");
}

#else

static ssize_t put(void *cookie, const char *data, size_t size)
{
    const int fd = (int)(intptr_t)cookie;
    size_t done = 0;

    while (done < size) {
        const ssize_t n = write(fd, data + done, size - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) break;
        done += (size_t)n;
    }
    return (ssize_t)done; // stdio treats fewer bytes as an error
}

static FILE *stream_over(int fd)
{
    const cookie_io_functions_t functions = {.write = put};
    return fopencookie((void *)(intptr_t)fd, "w", functions);
}

#endif

// A stream over the descriptor, which the stream does not close; a failure closes it.
static int open_stream(struct atomic_file *file, int fd, int durable)
{
    file->fd = fd;
    file->use_fsync = durable;
    file->stream = stream_over(fd);
    if (file->stream) {
        errno = 0;
        return 0;
    }
    const int code = print_file_error(file->part);
    close(fd);
    return code;
}

static int name_file(struct atomic_file *file, const struct output_dir *output, const char *name)
{
    file->stream = NULL;
    file->fd = -1;
    const int code = output_dir_path(file->path, sizeof file->path, output, name, "");
    return code == 0 ? output_dir_path(file->part, sizeof file->part, output, name, ".part") : code;
}

int atomic_file_create(struct atomic_file *file, const struct output_dir *output, const char *name)
{
    int code = name_file(file, output, name);
    if (code != 0) return code;
    unlink(file->part); // left by a run that was killed; the folder is locked, so no other run writes to it
    const int fd = open(file->part, O_WRONLY | O_BINARY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) return print_file_error(file->part);
    code = open_stream(file, fd, output->use_fsync);
    if (code != 0) unlink(file->part);
    return code;
}

int atomic_file_reopen(struct atomic_file *file, const struct output_dir *output, const char *name,
                       long long size)
{
    struct stat info;

    int code = name_file(file, output, name);
    if (code != 0) return code;
    // A run that was killed left NAME.part, a run that ended renamed it.
    if (lstat(file->part, &info) != 0 && errno == ENOENT && rename(file->path, file->part) != 0)
        return print_file_error(file->path);
    const int fd = open(file->part, O_WRONLY | O_BINARY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return print_file_error(file->part);
    if (fstat(fd, &info) != 0) {
        code = print_file_error(file->part);
    } else if (!S_ISREG(info.st_mode) || info.st_size < size) {
        code = print_error(
            TARN_IO,
            "%s has %lld bytes, but %lld according to the checkpoint: it is not the file of that run",
            file->part, (long long)info.st_size, size);
    } else if (ftruncate(fd, (off_t)size) != 0 || lseek(fd, 0, SEEK_END) < 0) {
        code = print_file_error(file->part);
    }
    if (code == 0) return open_stream(file, fd, output->use_fsync);
    close(fd);
    return code;
}

int atomic_file_flush(struct atomic_file *file)
{
    errno = 0;
    if (fflush(file->stream) == 0 && !ferror(file->stream)) return 0;
    const int code = print_file_error(file->path);
    atomic_file_discard(file);
    return code;
}

int atomic_file_sync(struct atomic_file *file, long long *size)
{
    int code = atomic_file_flush(file);
    if (code != 0) return code;
    *size = (long long)lseek(file->fd, 0, SEEK_CUR);
    if (*size >= 0 && sync_to_disk(file->fd) == 0) return 0;
    code = print_file_error(file->path);
    atomic_file_discard(file);
    return code;
}

int atomic_file_commit(struct atomic_file *file)
{
    int code = atomic_file_flush(file);
    if (code != 0) return code;
    errno = 0;
    int failed = file->use_fsync && sync_to_disk(file->fd) != 0;
    failed = fclose(file->stream) != 0 || failed;
    file->stream = NULL;
    failed = (close(file->fd) != 0 && errno != EINTR) || failed; // after EINTR the descriptor is closed too
    if (!failed && rename(file->part, file->path) == 0) return 0;
    code = print_file_error(file->path);
    if (!file->use_fsync) unlink(file->part);
    return code;
}

void atomic_file_discard(struct atomic_file *file)
{
    if (!file->stream) return;
    fclose(file->stream);
    close(file->fd);
    if (!file->use_fsync) unlink(file->part);
    file->stream = NULL;
}
