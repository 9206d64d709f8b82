// PNG -> heights. libpng reads; what it may spend is bounded first.
#include "scene/scene_internal.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

// Deflate makes at most 258 bytes of 2 bits, so a picture cannot be larger than this many times its file.
#define DEFLATE_MOST 1032

struct reader {
    const char *data;
    size_t size, at;
    png_structp png;
    png_infop info;
    png_bytep row;
    struct heights *out;
    struct fault *fault;
    jmp_buf failed;
};

static void on_error(png_structp png, png_const_charp words)
{
    struct reader *r = png_get_error_ptr(png);

    if (r->fault->result == TARN_OK) fault_say(r->fault, TARN_BAD_INPUT, "the PNG is damaged: %.100s", words);
    longjmp(r->failed, 1);
}

static void on_warning(png_structp png, png_const_charp words)
{
    (void)png;
    (void)words;
}

static void on_read(png_structp png, png_bytep to, size_t size)
{
    struct reader *r = png_get_io_ptr(png);

    if (size > r->size - r->at) png_error(png, "the file ends early");
    memcpy(to, r->data + r->at, size);
    r->at += size;
}

static void refuse(struct reader *r, tarn_result result, const char *words)
{
    fault_say(r->fault, result, "%s", words);
    longjmp(r->failed, 1);
}

// Everything becomes 16 bits of grey or of red, green and blue.
static void begin(struct reader *r)
{
    png_structp png = r->png;

    png_set_read_fn(png, r, on_read);
    png_set_user_limits(png, MAP_SIDE, MAP_SIDE);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1); // only what makes the pixels is read
    png_read_info(png, r->info);
    const uint64_t width = png_get_image_width(png, r->info), height = png_get_image_height(png, r->info);
    if (width * height > MAP_VALUES) refuse(r, TARN_BAD_INPUT, "the PNG has more pixels than 67108864");
    if (height * (png_get_rowbytes(png, r->info) + 1) > DEFLATE_MOST * (uint64_t)r->size)
        refuse(r, TARN_BAD_INPUT, "the PNG is damaged: the file is too short for so many pixels");
    png_set_expand_16(png);
    png_set_strip_alpha(png);
    png_read_update_info(png, r->info);

    r->out->nx = (int)width;
    r->out->nz = (int)height;
    r->out->values = malloc((size_t)(width * height) * sizeof(double));
    r->row = malloc(png_get_rowbytes(png, r->info));
    if (!r->out->values || !r->row) refuse(r, TARN_NO_MEMORY, "there is no memory for the PNG");
}

static unsigned sample(const png_byte *at) { return (unsigned)at[0] << 8 | at[1]; }

// Luminance by the weights of ITU-R BT.709, in whole numbers so that grey stays what it is.
static double brightness(const png_byte *at, int channels)
{
    if (channels == 1) return sample(at) / 65535.0;
    return (2126 * sample(at) + 7152 * sample(at + 2) + 722 * sample(at + 4)) / (10000.0 * 65535.0);
}

// The pixels as they come: row by row, or the seven passes of an interlaced picture.
static void read_pixels(struct reader *r)
{
    const unsigned nx = (unsigned)r->out->nx, nz = (unsigned)r->out->nz;
    const int interlaced = png_get_interlace_type(r->png, r->info) != PNG_INTERLACE_NONE;
    const int channels = png_get_channels(r->png, r->info);

    for (unsigned pass = 0; pass < (interlaced ? 7u : 1u); ++pass) {
        const unsigned columns = interlaced ? PNG_PASS_COLS(nx, pass) : nx;
        const unsigned rows = interlaced ? PNG_PASS_ROWS(nz, pass) : nz;
        for (unsigned y = 0; columns > 0 && y < rows; ++y) {
            const unsigned down = interlaced ? PNG_ROW_FROM_PASS_ROW(y, pass) : y;
            double *to = r->out->values + (size_t)(nz - 1 - down) * nx; // the top is the north
            png_read_row(r->png, r->row, NULL);
            for (unsigned x = 0; x < columns; ++x)
                to[interlaced ? PNG_COL_FROM_PASS_COL(x, pass) : x] =
                    brightness(r->row + 2 * (size_t)channels * x, channels);
        }
    }
    png_read_end(r->png, NULL);
}

// In a function of its own: what changes before a longjmp must not live where setjmp was called.
static void decode(struct reader *r)
{
    if (setjmp(r->failed) != 0) return;
    png_set_error_fn(r->png, r, on_error, on_warning);
    begin(r);
    read_pixels(r);
}

tarn_result bed_png_read(const char *data, size_t size, struct heights *out, struct fault *fault)
{
    struct reader r = {.data = data, .size = size, .out = out, .fault = fault};

    *out = (struct heights){0};
    *fault = (struct fault){0};
    if (size < 8 || png_sig_cmp((png_const_bytep)data, 0, 8) != 0)
        return fault_say(fault, TARN_BAD_INPUT, "this is not a PNG file");
    r.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    r.info = r.png ? png_create_info_struct(r.png) : NULL;
    if (r.info)
        decode(&r);
    else
        fault_say(fault, TARN_NO_MEMORY, "there is no memory for the PNG");
    png_destroy_read_struct(&r.png, &r.info, NULL);
    free(r.row);
    if (fault->result != TARN_OK) {
        free(out->values);
        *out = (struct heights){0};
    }
    return fault->result;
}
