// The program ffmpeg at the other end of a pipe. It is started without a shell, in a process group of its
// own, so that Ctrl-C reaches only this program, which then lets ffmpeg complete the file.
#ifndef CLI_ENCODER_H
#define CLI_ENCODER_H

#include <stddef.h>
#include <sys/types.h>

struct encoder {
    pid_t pid;             // 0: none
    int in, err;           // descriptors: to its stdin, from its stderr; -1: closed
    char stderr_text[512]; // the first of what it said
    size_t used;
};

// argv[0] is looked for in PATH. 0, or an errno.
int encoder_start(struct encoder *encoder, const char *const *argv);

// Returns 0, or -1 if ffmpeg accepts no more data.
int encoder_write(struct encoder *encoder, const void *data, size_t size);

// Close its input and wait for it. 0, or -1 on failure; `stderr_text` may say why, in one line.
int encoder_finish(struct encoder *encoder);

// Stop the encoder; its output is incomplete. Does nothing if it does not run.
void encoder_kill(struct encoder *encoder);

#endif
