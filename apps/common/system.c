// Clock, processors, signals.
#define _GNU_SOURCE // sched_getaffinity and CPU_COUNT where there are any
#include "app.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double clock_seconds(void)
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

// A handler has no other place to write to.
static volatile sig_atomic_t caught;

static void on_signal(int number)
{
    if (caught) _exit(128 + number); // asked twice
    caught = number;
}

// A step may take long, and whoever pressed Ctrl-C wants a word at once.
static void on_signal_with_words(int number)
{
    static const char words[] =
        "\ntarn: stopped by a signal: ending this step, closing files; once more quits\n";
    const int was = errno, first = !caught;

    on_signal(number);
    if (first && write(STDERR_FILENO, words, sizeof words - 1) < 0) errno = 0; // nobody is left to be told
    errno = was;
}

void signals_catch(int quiet)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action, old;

    memset(&action, 0, sizeof action);
    action.sa_handler = quiet ? on_signal : on_signal_with_words;
    action.sa_flags = SA_RESTART;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        // nohup and shells' background jobs ignore some of them on purpose
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    }
}

int signal_caught(void) { return (int)caught; }

void signals_ignore(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

int stdout_closed(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&out, 1, 0) > 0 && (out.revents & POLLERR);
}

void streams_guard(void)
{
    // read-only for stdin and stdout: writing there still fails; words to a closed stderr vanish
    for (int fd = 0; fd <= 2; ++fd)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 2 ? O_WRONLY : O_RDONLY) != fd) _exit(TARN_IO);
}
