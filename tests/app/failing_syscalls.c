// fault.so, to be preloaded: one call on files beneath $FAULT_DIR fails.
//
// FAULT=CALL:N:HOW makes the N-th open, read, write, fsync, rename, close or truncate fail with the errno
// named HOW (ENOSPC, EIO, EINTR, EACCES); "SHORT" transfers one byte less than asked for. Says "[fault]" on
// stderr when it does.
#define _GNU_SOURCE // RTLD_NEXT
#undef _FORTIFY_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_FILES = 256 };
static char ours[MOST_FILES]; // descriptors of files beneath the folder
static int calls;             // of the kind that is to fail

static int beneath(const char *path)
{
    const char *dir = getenv("FAULT_DIR");
    return dir && strncmp(path, dir, strlen(dir)) == 0;
}

static int is_ours(int fd) { return fd >= 0 && fd < MOST_FILES && ours[fd]; }

static int errno_named(const char *name)
{
    static const struct {
        const char *name;
        int number;
    } table[] = {{"ENOSPC", ENOSPC}, {"EIO", EIO}, {"EINTR", EINTR}, {"EACCES", EACCES}};
    for (int i = 0; i < (int)(sizeof table / sizeof table[0]); ++i)
        if (strcmp(name, table[i].name) == 0) return table[i].number;
    return -1; // a short transfer
}

// 0: no failure; -1: transfer one byte less; otherwise the errno to fail with.
static int fault(const char *call)
{
    static const char word[] = "[fault]\n";
    const char *plan = getenv("FAULT");
    char which[16], how[16];
    int n;

    if (!plan || sscanf(plan, "%15[^:]:%d:%15s", which, &n, how) != 3 || strcmp(which, call) != 0) return 0;
    if (++calls != n) return 0;
    ssize_t (*say)(int, const void *, size_t) =
        (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    if (say(2, word, sizeof word - 1) < 0) return 0;
    return errno_named(how);
}

#define REAL(type, name, ...) ((type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name))

static int open_file(const char *path, int flags, mode_t mode)
{
    const int mine = beneath(path), code = mine ? fault("open") : 0;
    if (code > 0) {
        errno = code;
        return -1;
    }
    const int fd = REAL(int, "open", const char *, int, ...)(path, flags, mode);
    if (fd >= 0 && fd < MOST_FILES) ours[fd] = (char)mine;
    return fd;
}

int open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
    va_end(args);
    return open_file(path, flags, mode);
}

int __open_2(const char *path, int flags);
int __open_2(const char *path, int flags) { return open_file(path, flags, 0); }

// Called before a transfer: the number of bytes to request, or -1 with errno.
static ssize_t allowed(const char *call, int fd, size_t size)
{
    const int code = is_ours(fd) ? fault(call) : 0;
    if (code > 0) errno = code;
    if (code < 0 && size > 1) --size;
    return code > 0 ? -1 : (ssize_t)size;
}

ssize_t read(int fd, void *data, size_t size)
{
    const ssize_t n = allowed("read", fd, size);
    return n < 0 ? n : REAL(ssize_t, "read", int, void *, size_t)(fd, data, (size_t)n);
}

ssize_t __read_chk(int fd, void *data, size_t size, size_t capacity);
ssize_t __read_chk(int fd, void *data, size_t size, size_t capacity)
{
    return size > capacity ? -1 : read(fd, data, size);
}

ssize_t pread(int fd, void *data, size_t size, off_t at)
{
    const ssize_t n = allowed("read", fd, size);
    return n < 0 ? n : REAL(ssize_t, "pread", int, void *, size_t, off_t)(fd, data, (size_t)n, at);
}

ssize_t __pread_chk(int fd, void *data, size_t size, off_t at, size_t capacity);
ssize_t __pread_chk(int fd, void *data, size_t size, off_t at, size_t capacity)
{
    return size > capacity ? -1 : pread(fd, data, size, at);
}

ssize_t write(int fd, const void *data, size_t size)
{
    const ssize_t n = allowed("write", fd, size);
    return n < 0 ? n : REAL(ssize_t, "write", int, const void *, size_t)(fd, data, (size_t)n);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at)
{
    const ssize_t n = allowed("write", fd, size);
    return n < 0 ? n : REAL(ssize_t, "pwrite", int, const void *, size_t, off_t)(fd, data, (size_t)n, at);
}

static int refused(const char *call, int mine)
{
    const int code = mine ? fault(call) : 0;
    if (code > 0) errno = code;
    return code > 0;
}

int fsync(int fd) { return refused("fsync", is_ours(fd)) ? -1 : REAL(int, "fsync", int)(fd); }

int ftruncate(int fd, off_t size)
{
    return refused("truncate", is_ours(fd)) ? -1 : REAL(int, "ftruncate", int, off_t)(fd, size);
}

int rename(const char *from, const char *to)
{
    return refused("rename", beneath(to)) ? -1 : REAL(int, "rename", const char *, const char *)(from, to);
}

// A descriptor is closed even if closing it fails.
int close(int fd)
{
    const int mine = is_ours(fd), result = REAL(int, "close", int)(fd);
    if (mine) ours[fd] = 0;
    return refused("close", mine) ? -1 : result;
}
