// The engines and solvers of tarn-peers. Arguments are as in main(), argv[0] is the name. Each writes its
// results to stdout and returns 0, 1 after a failure, or -1 for invalid arguments.
#ifndef PEERS_H
#define PEERS_H

int peer_ode(int argc, char **argv);
int peer_hypre(int argc, char **argv);
int peer_fftw(int argc, char **argv);

#endif
