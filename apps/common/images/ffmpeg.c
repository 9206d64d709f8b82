// Runs ffmpeg as a child process: frames go to its stdin, its error messages are read from its stderr.
#define _GNU_SOURCE // pipe2
#include "ffmpeg.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void close_end(int *fd)
{
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

static int spawn(struct encoder *e, const char *const *argv, int in, int err)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    char *args[64];
    int n = 0;

    while (argv[n] && n < 63) ++n;
    memcpy(args, argv, (size_t)n * sizeof *args); // posix_spawn does not change them
    args[n] = NULL;
    int r = posix_spawn_file_actions_init(&files);
    if (r != 0) return r;
    r = posix_spawnattr_init(&attributes);
    if (r == 0) {
        // the pipes are close-on-exec, descriptors made by dup2 are not
        r = posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
        if (r == 0) r = posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        if (r == 0) r = posix_spawn_file_actions_adddup2(&files, err, STDERR_FILENO);
        if (r == 0) r = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        if (r == 0) r = posix_spawnattr_setpgroup(&attributes, 0);
        if (r == 0) r = posix_spawnp(&e->pid, args[0], &files, &attributes, args, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&files);
    if (r != 0) e->pid = 0;
    return r;
}

int encoder_start(struct encoder *e, const char *const *argv)
{
    int in[2] = {-1, -1}, err[2] = {-1, -1};

    *e = (struct encoder){.in = -1, .err = -1};
    int r = pipe2(in, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0 ? errno : 0;
    // Writes must not block, because ffmpeg may wait until its messages are read.
    if (r == 0 && (fcntl(in[1], F_SETFL, O_NONBLOCK) != 0 || fcntl(err[0], F_SETFL, O_NONBLOCK) != 0))
        r = errno;
    if (r == 0) r = spawn(e, argv, in[0], err[1]);
    close_end(&in[0]);
    close_end(&err[1]);
    e->in = in[1];
    e->err = err[0];
    if (r != 0) {
        close_end(&e->in);
        close_end(&e->err);
    }
    return r;
}

// Reads messages of ffmpeg; what exceeds the buffer is dropped.
static void read_messages(struct encoder *e)
{
    char text[4096];
    const ssize_t n = read(e->err, text, sizeof text);

    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) close_end(&e->err);
    if (n <= 0) return;
    const size_t space = sizeof e->stderr_text - 1 - e->used;
    const size_t take = (size_t)n < space ? (size_t)n : space;
    memcpy(e->stderr_text + e->used, text, take);
    e->used += take;
}

int encoder_write(struct encoder *e, const void *data, size_t size)
{
    const char *from = data;

    while (size > 0) {
        struct pollfd fds[2] = {{.fd = e->in, .events = POLLOUT}, {.fd = e->err, .events = POLLIN}};
        if (poll(fds, 2, -1) < 0) {
            if (errno == EINTR) continue;
            return -1;
        }
        if (fds[1].revents) read_messages(e);
        if (!fds[0].revents) continue;
        const ssize_t n = write(e->in, from, size);
        if (n < 0 && errno != EAGAIN && errno != EINTR) return -1;
        if (n <= 0) continue;
        from += n;
        size -= (size_t)n;
    }
    return 0;
}

// Keeps the first line of the messages, without a prefix such as "[mp4 @ 0x5581]".
static void keep_first_line(struct encoder *e)
{
    char *line = e->stderr_text;

    e->stderr_text[e->used] = '\0';
    line += strspn(line, "\r\n ");
    char *end = *line == '[' ? strstr(line, "] ") : NULL;
    if (end) line = end + 2;
    line[strcspn(line, "\r\n")] = '\0';
    memmove(e->stderr_text, line, strlen(line) + 1);
    for (char *p = e->stderr_text; *p; ++p)
        if ((unsigned char)*p < 0x20 || *p == 0x7F) *p = '?';
}

int encoder_finish(struct encoder *e)
{
    int status = 0;

    if (!e->pid) return -1;
    close_end(&e->in);
    while (e->err >= 0) {
        struct pollfd fd = {.fd = e->err, .events = POLLIN};
        if (poll(&fd, 1, -1) > 0) read_messages(e);
    }
    pid_t r;
    do r = waitpid(e->pid, &status, 0);
    while (r < 0 && errno == EINTR);
    e->pid = 0;
    keep_first_line(e);
    return r > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

void encoder_kill(struct encoder *e)
{
    if (!e->pid) return;
    kill(e->pid, SIGKILL);
    encoder_finish(e);
}
