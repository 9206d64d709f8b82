// tarn-peers NAME ...: timings of other engines and solvers. It is a separate program, so that none of them
// is linked into tarn, and contains those that were found when it was built.
#include "peers.h"

#include <stdio.h>
#include <string.h>

static const struct peer {
    const char *name, *arguments;
    int (*run)(int argc, char **argv);
} peers[] = {
#ifdef PEERS_ODE
    {"ode", "wall COUNT ROWS | pile COUNT 0", peer_ode},
#endif
#ifdef PEERS_HYPRE
    {"hypre", "empty|disc N TOLERANCE TRIES SWEEPS", peer_hypre},
#endif
#ifdef PEERS_FFTW
    {"fftw", "N TRIES", peer_fftw},
#endif
};
enum { PEERS = sizeof peers / sizeof peers[0] };

int main(int argc, char **argv)
{
    for (int i = 0; i < PEERS && argc > 1; ++i) {
        if (strcmp(peers[i].name, argv[1]) != 0) continue;
        const int code = peers[i].run(argc - 1, argv + 1);
        if (code >= 0) return code == 0 && fflush(stdout) == 0 ? 0 : 1;
    }
    fprintf(stderr, "usage:\n");
    for (int i = 0; i < PEERS; ++i)
        fprintf(stderr, "    tarn-peers %s %s\n", peers[i].name, peers[i].arguments);
    return 2;
}
