// Files and folders by POSIX. What the C library of Windows lacks is in system_windows.c.
// Include it first: it selects the functions.
#ifndef APP_POSIX_H
#define APP_POSIX_H

#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Lock a file that is open for writing; no other process can do that until it is closed.
// 0, or -1 with errno, EACCES or EAGAIN if another process has it.
int lock_file(int fd);

#ifdef _WIN32
#include <direct.h>
#include <io.h>
#define FOLDER_SEPARATORS      "/\\"
#define O_CLOEXEC              O_NOINHERIT
#define O_NOFOLLOW             0
#define O_NONBLOCK             0 // there are no pipes or terminals among files
#define O_NOCTTY               0
#define fsync(fd)              _commit(fd)
#define lstat(path, info)      stat(path, info)
#define mkdir(path, mode)      _mkdir(path)
#define realpath(path, buffer) _fullpath(buffer, path, 0)
#define rename(from, to)       rename_over(from, to)
ssize_t pread(int fd, void *data, size_t size, off_t offset);
ssize_t pwrite(int fd, const void *data, size_t size, off_t offset);
int rename_over(const char *from, const char *to); // an existing file is replaced, as by POSIX
#else
#define O_BINARY          0
#define FOLDER_SEPARATORS "/"
#endif

// Windows: write a path with slashes, which its functions accept as well.
static inline void use_slashes(char *path)
{
#ifdef _WIN32
    for (; *path; ++path)
        if (*path == '\\') *path = '/';
#else
    (void)path;
#endif
}

#endif
