// What POSIX and Windows call differently when files are read. Include it first: it selects the functions.
#ifndef SCENE_SYSTEM_H
#define SCENE_SYSTEM_H

#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef _WIN32
#define O_CLOEXEC                       O_NOINHERIT
#define O_NONBLOCK                      0 // there are no pipes or terminals among files
#define O_NOCTTY                        0
#define S_ISSOCK(mode)                  0
#define strerror_r(code, message, size) strerror_s(message, size, code)
#define PATH_LIST_SEPARATOR             ";"
#define FOLDER_SEPARATORS               "/\\"
#else
#define O_BINARY            0
#define PATH_LIST_SEPARATOR ":"
#define FOLDER_SEPARATORS   "/"
#endif

// The last separator of folders in a path; NULL if there is none.
static inline const char *last_separator(const char *path)
{
    const char *last = NULL;

    for (const char *p = strpbrk(path, FOLDER_SEPARATORS); p; p = strpbrk(p + 1, FOLDER_SEPARATORS)) last = p;
    return last;
}

#endif
