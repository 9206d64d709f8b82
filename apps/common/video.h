// Where pictures go: one PNG file, a numbered series of them, or a video made by the program ffmpeg.
//
// What is written gets its name when it is complete. Every file carries a mark, so that a later run may replace
// what the program made and nothing else.
#ifndef CLI_FILM_H
#define CLI_FILM_H

#include "ffmpeg.h"
#include "output_dir.h"

#include <stdbool.h>

enum film_kind { FILM_PICTURE, FILM_SERIES, FILM_MP4, FILM_WEBM, FILM_GIF };

struct film {
    // planned
    enum film_kind kind;
    const char *path;     // as given
    struct output folder; // only its name counts
    char name[256];       // of the file; of a series: what stands before the number
    char tail[256];       // of a series: what stands after it
    int digits;           // of the number, filled with zeros
    // asked for
    int width, height, fps;
    bool force;
    // at work
    long long frames; // written
    int lock;         // descriptor of the unfinished video
    char part[OUTPUT_PATH];
    struct encoder encoder;
};

// All return 0, or an exit code after telling why.
int film_plan(struct film *film, const char *path); // what the name means; touches no file
int film_check(const struct film *film);            // once size and fps are known: do they fit?
int film_open(struct film *film, long long frames); // frames: how many are to come
int film_add(struct film *film, const unsigned char *rgb);
int film_finish(struct film *film); // a video gets its name
void film_close(struct film *film); // removes what is unfinished

#endif
