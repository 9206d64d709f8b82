// The program ffmpeg as a child process that encodes a video. It is started without a shell, in a process
// group of its own, so that Ctrl-C reaches only this program, which then lets ffmpeg complete the file.
#ifndef APP_FFMPEG_H
#define APP_FFMPEG_H

#include <stddef.h>
#include <sys/types.h>

struct encoder {
    pid_t pid;             // 0: none
    int in, err;           // descriptors: to its stdin, from its stderr; -1: closed
    char stderr_text[512]; // its first messages
    size_t used;
};

// Start the program argv[0], searched in PATH. Returns 0, or an errno.
int encoder_start(struct encoder *encoder, const char *const *argv);

// Returns 0, or -1 if ffmpeg accepts no more data.
int encoder_write(struct encoder *encoder, const void *data, size_t size);

// Close its input and wait for it. 0, or -1 on failure; `stderr_text` may say why, in one line.
int encoder_finish(struct encoder *encoder);

// Stop the encoder; its output is incomplete. Does nothing if it does not run.
void encoder_kill(struct encoder *encoder);

#endif
