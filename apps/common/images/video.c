// Writes images, numbered image sequences and videos; see video.h.
#define _GNU_SOURCE // memmem
#include "apps/common/posix.h"

#include "apps/common/app.h"
#include "apps/common/atomic_file.h"
#include "png_write.h"
#include "video.h"

#include <stdlib.h>

static const char mark[] = "made by tarn"; // metadata of every file that tarn writes

static int io_error(const char *path)
{
    return print_error(TARN_IO, "%s: %s", path, errno ? strerror(errno) : "it could not be written");
}

// ---- names -----------------------------------------------------------------------------------------

static int ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

// Splits a name with one "%04d" or "%d" into the parts before and after it; a name without '%' is a single
// image. The name is never used as a format string.
static int parse_series_name(struct video *f)
{
    char *percent = strchr(f->name, '%');
    if (!percent) {
        f->kind = VIDEO_IMAGE;
        return 0;
    }
    char *p = percent + 1;
    if (*p == '0' && p[1] >= '1' && p[1] <= '9') {
        f->digits = p[1] - '0';
        p += 2;
    }
    if (*p != 'd' || strchr(p, '%'))
        return print_error(TARN_BAD_ARGUMENT,
                           "-o %s: a numbered sequence has one %%d or %%04d (1 to 9 digits) and no other %%",
                           f->path);
    snprintf(f->tail, sizeof f->tail, "%s", p + 1);
    *percent = '\0';
    f->kind = VIDEO_IMAGE_SEQUENCE;
    return 0;
}

int video_parse_path(struct video *f, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;

    *f = (struct video){.path = path, .lock = -1, .folder.lock = -1, .encoder = {.in = -1, .err = -1}};
    if (strlen(path) + 32 > sizeof f->folder.dir || strlen(name) + 32 > sizeof f->name)
        return print_error(TARN_BAD_ARGUMENT, "-o: the name is too long");
    snprintf(f->folder.dir, sizeof f->folder.dir, "%.*s", slash ? (int)(slash - path) + (slash == path) : 1,
             slash ? path : ".");
    snprintf(f->name, sizeof f->name, "%s", name);
    if (memchr(f->folder.dir, '%', strlen(f->folder.dir)) && ends_with(name, ".png"))
        return print_error(TARN_BAD_ARGUMENT, "-o %s: folders are not numbered; no %% there", path);
    if (ends_with(name, ".png")) return parse_series_name(f);
    if (ends_with(name, ".mp4"))
        f->kind = VIDEO_MP4;
    else if (ends_with(name, ".webm"))
        f->kind = VIDEO_WEBM;
    else if (ends_with(name, ".gif"))
        f->kind = VIDEO_GIF;
    else
        return print_error(
            TARN_BAD_ARGUMENT,
            "-o %s: the name must end with .mp4, .webm, .gif or .png (%%04d.png for a sequence)", path);
    return 0;
}

// The file name of frame k; a single image or a video has one name.
static void file_name(const struct video *f, long long k, char *name, size_t size)
{
    if (f->kind == VIDEO_IMAGE_SEQUENCE)
        snprintf(name, size, "%s%0*lld%s", f->name, f->digits, k, f->tail);
    else
        snprintf(name, size, "%s", f->name);
}

static int file_path(const struct video *f, long long k, char *path, size_t size)
{
    char name[600];

    file_name(f, k, name, sizeof name);
    const int n = snprintf(path, size, "%s/%s", f->folder.dir, name);
    if (n > 0 && (size_t)n < size) return 0;
    return print_error(TARN_IO, "%s: the path is too long", f->path);
}

// ---- files of other programs -----------------------------------------------------------------------

// Whether a file has the mark. It is near the beginning: in the header of a PNG or WebM, in an MP4 behind its
// tables of about 20 bytes per frame. In a GIF it is at the end.
static int has_mark(const char *path)
{
    enum { HEAD = 4 << 20, TAIL = 64 };
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    char *text = malloc(HEAD), tail[TAIL];
    int found = 0;

    if (fd >= 0 && text) {
        ssize_t n = read(fd, text, HEAD);
        found = n > 0 && memmem(text, (size_t)n, mark, sizeof mark - 1) != NULL;
        if (!found && lseek(fd, -TAIL, SEEK_END) >= 0) {
            n = read(fd, tail, TAIL);
            found = n > 0 && memmem(tail, (size_t)n, mark, sizeof mark - 1) != NULL;
        }
    }
    if (fd >= 0) close(fd);
    free(text);
    return found;
}

// Returns 0 if a file of this name may be written, otherwise an exit code after an error message.
static int check_path(const struct video *f, const char *path)
{
    struct stat info;

    if (lstat(path, &info) != 0) return errno == ENOENT ? 0 : io_error(path);
    if (S_ISDIR(info.st_mode))
        return print_error(TARN_IO, "%s is a folder; a file of that name is to be written", path);
    if (f->force || has_mark(path)) return 0;
    return print_error(TARN_IO, "%s exists and was not created by tarn; use -f to replace it", path);
}

// ffmpeg writes no metadata to GIF files, so the mark is added as a comment before the trailer byte.
static int mark_gif(const char *path)
{
    static const char end[] = "\x21\xFE\x0C"
                              "made by tarn"
                              "\0\x3B";
    char last = 0;
    FILE *file = fopen(path, "r+b");

    if (!file) return io_error(path);
    int ok = fseek(file, -1, SEEK_END) == 0 && fread(&last, 1, 1, file) == 1 && last == 0x3B;
    ok = ok && fseek(file, -1, SEEK_END) == 0 && fwrite(end, sizeof end - 1, 1, file) == 1;
    ok = fclose(file) == 0 && ok;
    return ok ? 0 : io_error(path);
}

// ---- video -----------------------------------------------------------------------------------------

// Options of ffmpeg's encoders, chosen so that encoding takes less time than drawing.
static const char *const mp4_options[] = {"-vf",
                                          "scale=out_color_matrix=bt709:out_range=tv",
                                          "-c:v",
                                          "libx264",
                                          "-preset",
                                          "veryfast",
                                          "-crf",
                                          "20",
                                          "-pix_fmt",
                                          "yuv420p",
                                          "-colorspace",
                                          "bt709",
                                          "-color_primaries",
                                          "bt709",
                                          "-color_trc",
                                          "bt709",
                                          "-movflags",
                                          "+faststart",
                                          "-f",
                                          "mp4",
                                          NULL};
static const char *const webm_options[] = {"-vf",         "scale=out_color_matrix=bt709:out_range=tv",
                                           "-c:v",        "libvpx-vp9",
                                           "-deadline",   "realtime",
                                           "-cpu-used",   "6",
                                           "-row-mt",     "1",
                                           "-b:v",        "0",
                                           "-crf",        "30",
                                           "-pix_fmt",    "yuv420p",
                                           "-colorspace", "bt709",
                                           "-f",          "webm",
                                           NULL};
// One palette per image: a common palette would need the whole video in memory.
static const char *const gif_options[] = {
    "-filter_complex",
    "split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=new=1:dither=bayer:bayer_scale=4", "-f",
    "gif", NULL};

static int start_encoder(struct video *f)
{
    char size[32], rate[16], comment[64], target[OUTPUT_PATH + 8];
    const char *args[64] = {"ffmpeg",   "-nostdin", "-hide_banner", "-v",        "error", "-xerror", "-f",
                            "rawvideo", "-pix_fmt", "rgb24",        "-s",        size,    "-r",      rate,
                            "-i",       "pipe:0",   "-an",          "-metadata", comment};
    int n = 0;

    snprintf(size, sizeof size, "%dx%d", f->width, f->height);
    snprintf(rate, sizeof rate, "%d", f->fps);
    snprintf(comment, sizeof comment, "comment=%s", mark);
    snprintf(target, sizeof target, "file:%s", f->part);
    while (args[n]) ++n;
    const char *const *more = f->kind == VIDEO_MP4    ? mp4_options
                              : f->kind == VIDEO_WEBM ? webm_options
                                                      : gif_options;
    for (; *more; ++more) args[n++] = *more;
    args[n++] = "-y";
    args[n] = target;
    const int error = encoder_start(&f->encoder, args);
    if (error == ENOENT)
        return print_error(TARN_FAILED,
                           "a video needs the program ffmpeg: `apt-get install ffmpeg`, or write "
                           "images: -o frames/%%04d.png");
    return error == 0 ? 0 : print_error(TARN_FAILED, "ffmpeg cannot be started: %s", strerror(error));
}

// Create the unfinished file and lock it, so that two runs never write the same video.
static int open_part(struct video *f)
{
    f->lock = open(f->part, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (f->lock < 0) return io_error(f->part);
    if (lock_file(f->lock) == 0 || (errno != EACCES && errno != EAGAIN)) return 0;
    close(f->lock);
    f->lock = -1;
    return print_error(TARN_IO, "%s: another run is writing this file", f->path);
}

static int is_video(const struct video *f) { return f->kind >= VIDEO_MP4; }

static int open_video(struct video *f, const char *path)
{
    snprintf(f->part, sizeof f->part, "%.*s.part", (int)(sizeof f->part - 6), path);
    const int code = open_part(f);
    return code == 0 ? start_encoder(f) : code;
}

// Report that ffmpeg ended early or with an error.
static int encoder_failed(struct video *f)
{
    const char *text = f->encoder.stderr_text;
    const int is_unsupported = strstr(text, "nknown encoder") || strstr(text, "o such filter");

    return print_error(is_unsupported ? TARN_FAILED : TARN_IO, "%s: ffmpeg: %s", f->path,
                       *text ? text : "it stopped without a message");
}

static int finish_video(struct video *f)
{
    char path[OUTPUT_PATH];

    if (encoder_finish(&f->encoder) != 0) return encoder_failed(f);
    int code = f->kind == VIDEO_GIF ? mark_gif(f->part) : 0;
    if (code == 0) code = file_path(f, 0, path, sizeof path);
    if (code != 0) return code;
    if (rename(f->part, path) != 0) return io_error(path);
    close(f->lock);
    f->lock = -1;
    return 0;
}

// ---- images and videos -----------------------------------------------------------------------------

int video_check(const struct video *f)
{
    if (is_video(f) && f->kind != VIDEO_GIF && (f->width % 2 || f->height % 2))
        return print_error(TARN_BAD_ARGUMENT, "--size %dx%d: a video needs an even width and height",
                           f->width, f->height);
    if (f->kind == VIDEO_GIF && f->fps > 50)
        return print_error(TARN_BAD_ARGUMENT, "--fps %d: a GIF has at most 50 images per second", f->fps);
    return 0;
}

int video_open(struct video *f, long long frames)
{
    char path[OUTPUT_PATH];

    int code = make_dirs(f->folder.dir);
    // a single image is written at the end, so check now that it can be written
    if (code == 0 && access(f->folder.dir, W_OK | X_OK) != 0) code = io_error(f->folder.dir);
    for (long long k = 0; k < (f->kind == VIDEO_IMAGE_SEQUENCE ? frames : 1) && code == 0; ++k) {
        code = file_path(f, k, path, sizeof path);
        if (code == 0) code = check_path(f, path);
    }
    return code == 0 && is_video(f) ? open_video(f, path) : code;
}

static int add_png(struct video *f, const unsigned char *rgb)
{
    struct atomic_file file;
    char name[600];

    file_name(f, f->frames, name, sizeof name);
    int code = atomic_file_create(&file, &f->folder, name);
    if (code != 0) return code;
    errno = 0;
    if (png_write_rgb(file.stream, f->width, f->height, rgb, mark) == 0) return atomic_file_commit(&file);
    code = ferror(file.stream) ? io_error(file.path)
                               : print_error(TARN_NO_MEMORY, "%s", result_message(TARN_NO_MEMORY));
    atomic_file_discard(&file);
    return code;
}

int video_write(struct video *f, const unsigned char *rgb)
{
    int code = 0;

    if (!is_video(f)) {
        code = add_png(f, rgb);
    } else if (encoder_write(&f->encoder, rgb, (size_t)f->width * (size_t)f->height * 3) != 0) {
        encoder_finish(&f->encoder);
        code = encoder_failed(f);
    }
    if (code == 0) ++f->frames;
    return code;
}

// Remove the images of an earlier, longer sequence, which would seem to continue this one.
static void trim_series(const struct video *f)
{
    char path[OUTPUT_PATH];

    for (long long k = f->frames; file_path(f, k, path, sizeof path) == 0; ++k)
        if (!has_mark(path) || unlink(path) != 0) return;
}

int video_commit(struct video *f)
{
    if (f->frames == 0) return 0; // nothing to name
    if (is_video(f)) return finish_video(f);
    if (f->kind == VIDEO_IMAGE_SEQUENCE) trim_series(f);
    return 0;
}

void video_close(struct video *f)
{
    encoder_kill(&f->encoder);
    if (f->lock < 0) return;
    unlink(f->part);
    close(f->lock);
    f->lock = -1;
}
