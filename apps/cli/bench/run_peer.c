// Runs tarn-peers, the program with other engines: beside tarn in a build tree, in libexec of an
// installation.
#define _GNU_SOURCE // pipe2
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { PATH_BYTES = 4096, MAX_ARGS = 7 };

static int find_peers(char *path, size_t size)
{
    static const char *const paths[] = {"tarn-peers", "../libexec/tarn/tarn-peers"};
    char folder[PATH_BYTES];

    executable_dir(folder, sizeof folder);
    for (int i = 0; i < 2; ++i) {
        const int n = snprintf(path, size, "%s/%s", folder, paths[i]);
        if (n > 0 && (size_t)n < size && access(path, X_OK) == 0) return 0;
    }
    return print_error(
        TARN_FAILED,
        "bench: there is no tarn-peers; it is built where ODE, hypre or FFTW are (scripts/setup bench)");
}

// Its stdout is a pipe to this process, its stderr that of this process. Ctrl-C ends both processes.
static int spawn_peers(const char *path, const char *const *args, int out, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    char *argv[MAX_ARGS + 2] = {(char *)path}; // posix_spawn does not change them

    for (int n = 0; n < MAX_ARGS && args[n]; ++n) argv[n + 1] = (char *)args[n];
    int r = posix_spawn_file_actions_init(&files);
    if (r != 0) return r;
    r = posix_spawn_file_actions_adddup2(&files, out,
                                         STDOUT_FILENO); // a descriptor made by dup2 is not close-on-exec
    if (r == 0) r = posix_spawn(pid, path, &files, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    return r;
}

// Reads to the end of the output; what exceeds `size` is dropped.
static void read_all(int from, char *out, size_t size)
{
    char text[1024];
    size_t used = 0;
    ssize_t n;

    while ((n = read(from, text, sizeof text)) != 0) {
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) break;
        const size_t take = (size_t)n < size - 1 - used ? (size_t)n : size - 1 - used;
        memcpy(out + used, text, take);
        used += take;
    }
    out[used] = '\0';
}

int run_peer(const char *const *args, char *out, size_t size)
{
    char path[PATH_BYTES];
    int ends[2], status = 0;
    pid_t pid = 0, ended;

    const int code = find_peers(path, sizeof path);
    if (code != 0) return code;
    if (pipe2(ends, O_CLOEXEC) != 0) return print_error(TARN_IO, "bench: no pipe: %s", strerror(errno));
    const int r = spawn_peers(path, args, ends[1], &pid);
    close(ends[1]);
    if (r == 0) read_all(ends[0], out, size);
    close(ends[0]);
    if (r != 0) return print_error(TARN_IO, "bench: %s: %s", path, strerror(r));
    do ended = waitpid(pid, &status, 0);
    while (ended < 0 && errno == EINTR);
    if (ended == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
    return print_error(TARN_FAILED,
                       "bench: %s %s failed; it may have been built without it (scripts/setup bench)", path,
                       args[0]);
}
