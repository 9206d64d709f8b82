// Image output: one PNG file, a numbered sequence of them, or a video encoded by the program ffmpeg.
//
// A file gets its name when it is complete. Every file has a mark in its metadata, so that a later run
// replaces only files that tarn created.
#ifndef APP_VIDEO_H
#define APP_VIDEO_H

#include "apps/common/output_dir.h"
#include "ffmpeg.h"

#include <stdbool.h>

enum video_format { VIDEO_IMAGE, VIDEO_IMAGE_SEQUENCE, VIDEO_MP4, VIDEO_WEBM, VIDEO_GIF };

struct video {
    // what to write
    enum video_format kind;
    const char *path;         // as given
    struct output_dir folder; // only its name is used
    char name[256];           // of the file; of a sequence: the part before the number
    char tail[256];           // of a sequence: the part after the number
    int digits;               // of the number, filled with zeros
    // requested format
    int width, height, fps;
    bool force;
    // state while writing
    long long frames; // written
    int lock;         // descriptor of the unfinished video
    char part[OUTPUT_PATH];
    struct encoder encoder;
};

// All return 0, or an exit code after an error message.
int video_parse_path(struct video *video, const char *path); // interprets the name; touches no file
int video_check(const struct video *video);                  // are size and frame rate possible?
int video_open(struct video *video, long long frames);       // frames: number to be written
int video_write(struct video *video, const unsigned char *rgb);
int video_commit(struct video *video); // renames a video to its name
void video_close(struct video *video); // removes incomplete files

#endif
