// Clock, processors, signals, terminal and files on Windows; system.c has them for POSIX.
#include "posix.h"

#include "app.h"

#include <signal.h>
#include <windows.h>

double monotonic_seconds(void)
{
    LARGE_INTEGER ticks, per_second;
    QueryPerformanceCounter(&ticks);
    QueryPerformanceFrequency(&per_second);
    return (double)ticks.QuadPart / (double)per_second.QuadPart;
}

int processor_count(void)
{
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwNumberOfProcessors > 0 ? (int)info.dwNumberOfProcessors : 1;
}

int terminal_columns(void)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    return GetConsoleScreenBufferInfo(GetStdHandle(STD_ERROR_HANDLE), &info) ? info.dwSize.X : 80;
}

void executable_dir(char *dir, size_t size)
{
    const DWORD n = GetModuleFileNameA(NULL, dir, (DWORD)size);
    dir[n < size ? n : 0] = '\0';
    use_slashes(dir);
    char *slash = strrchr(dir, '/');
    if (slash) *slash = '\0';
}

// ---- signals ----------------------------------------------------------------------------------------

// The only state that a signal handler can write.
static volatile sig_atomic_t caught;

// Windows restores the default with the first signal, so a second one ends the program.
static void on_signal(int number) { caught = number; }

void install_signal_handlers(int quiet)
{
    (void)quiet;
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
}

int pending_signal(void) { return (int)caught; }

// A failed write is an error here, and closed descriptors are not given to other files.
void ignore_write_signals(void) {}
int stdout_pipe_closed(void) { return 0; }
void reserve_standard_fds(void) {}

// ---- files ------------------------------------------------------------------------------------------

ssize_t pread(int fd, void *data, size_t size, off_t offset)
{
    return lseek(fd, offset, SEEK_SET) < 0 ? -1 : read(fd, data, (unsigned)size);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset)
{
    return lseek(fd, offset, SEEK_SET) < 0 ? -1 : write(fd, data, (unsigned)size);
}

int rename_over(const char *from, const char *to)
{
    if (MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH)) return 0;
    const DWORD code = GetLastError();
    errno = code == ERROR_FILE_NOT_FOUND || code == ERROR_PATH_NOT_FOUND ? ENOENT : EACCES;
    return -1;
}

// A locked byte cannot be read by others, so it is one far behind the end.
int lock_file(int fd)
{
    const HANDLE file = (HANDLE)_get_osfhandle(fd);
    OVERLAPPED last = {.Offset = MAXDWORD, .OffsetHigh = MAXLONG};
    if (LockFileEx(file, LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &last)) return 0;
    errno = GetLastError() == ERROR_LOCK_VIOLATION ? EACCES : ENOTSUP;
    return -1;
}
