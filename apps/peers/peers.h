// The programs that tarn is compared with: each takes its own name and arguments as main does, writes its
// numbers to stdout and gives 0, 1 for a failure, -1 for arguments that it does not know.
#ifndef PEERS_H
#define PEERS_H

int peer_ode(int argc, char **argv);
int peer_hypre(int argc, char **argv);
int peer_fftw(int argc, char **argv);

#endif
