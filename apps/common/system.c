// Clock, processors, signals, terminal, locks; system_windows.c has them for Windows.
#define _GNU_SOURCE // sched_getaffinity and CPU_COUNT where there are any
#include "posix.h"

#include "app.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <time.h>

double monotonic_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int processor_count(void)
{
#ifdef CPU_COUNT
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return CPU_COUNT(&set);
#endif
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int)n : 1;
}

int terminal_columns(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

void executable_dir(char *dir, size_t size)
{
    const ssize_t n = readlink("/proc/self/exe", dir, size - 1);
    dir[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(dir, '/');
    if (slash) *slash = '\0';
}

int lock_file(int fd)
{
    const struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_SETLK, &whole);
}

// The only state that a signal handler can write.
static volatile sig_atomic_t caught;

static void on_signal(int number)
{
    if (caught) _exit(128 + number); // second signal
    caught = number;
}

// A step may take long: confirm the signal at once.
static void on_signal_with_message(int number)
{
    static const char message[] =
        "\ntarn: stopping after this step and completing the files; a second signal quits at once\n";
    const int saved_errno = errno, first = !caught;

    on_signal(number);
    if (first && write(STDERR_FILENO, message, sizeof message - 1) < 0) errno = 0; // stderr is closed
    errno = saved_errno;
}

void install_signal_handlers(int quiet)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action, old;

    memset(&action, 0, sizeof action);
    action.sa_handler = quiet ? on_signal : on_signal_with_message;
    action.sa_flags = SA_RESTART;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        // nohup and shells' background jobs ignore some of them on purpose
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    }
}

int pending_signal(void) { return (int)caught; }

void ignore_write_signals(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

int stdout_pipe_closed(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&out, 1, 0) > 0 && (out.revents & POLLERR);
}

void reserve_standard_fds(void)
{
    // read-only for stdin and stdout: writing there still fails; messages to a closed stderr are discarded
    for (int fd = 0; fd <= 2; ++fd)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 2 ? O_WRONLY : O_RDONLY) != fd) _exit(TARN_IO);
}
