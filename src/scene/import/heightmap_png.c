// Reads a PNG as height map with libpng. Memory and time are bounded before pixels are decoded.
#include "heightmap.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

// Deflate expands 2 bits to at most 258 bytes, so pixels take at most this many times the size of the file.
#define DEFLATE_MAX_RATIO 1032

struct png_reader {
    const char *data;
    size_t size, offset;
    png_structp png;
    png_infop info;
    png_bytep row;
    struct heightmap *out;
    struct load_error *error;
    jmp_buf on_failure;
};

static void on_png_error(png_structp png, png_const_charp message)
{
    struct png_reader *r = png_get_error_ptr(png);

    if (r->error->result == TARN_OK)
        load_fail(r->error, TARN_BAD_INPUT, "the PNG is damaged: %.100s", message);
    longjmp(r->on_failure, 1);
}

static void on_png_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static void on_png_read(png_structp png, png_bytep out, size_t size)
{
    struct png_reader *r = png_get_io_ptr(png);

    if (size > r->size - r->offset) png_error(png, "the file ends early");
    memcpy(out, r->data + r->offset, size);
    r->offset += size;
}

static void reject(struct png_reader *r, tarn_result result, const char *message)
{
    load_fail(r->error, result, "%s", message);
    longjmp(r->on_failure, 1);
}

// Read the header and convert all formats to 16-bit grey or RGB.
static void read_header(struct png_reader *r)
{
    png_structp png = r->png;

    png_set_read_fn(png, r, on_png_read);
    png_set_user_limits(png, HEIGHTMAP_MAX_SIDE, HEIGHTMAP_MAX_SIDE);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1); // skip ancillary chunks
    png_read_info(png, r->info);
    const uint64_t width = png_get_image_width(png, r->info), height = png_get_image_height(png, r->info);
    if (width * height > HEIGHTMAP_MAX_VALUES)
        reject(r, TARN_BAD_INPUT, "the PNG has more pixels than 67108864");
    if (height * (png_get_rowbytes(png, r->info) + 1) > DEFLATE_MAX_RATIO * (uint64_t)r->size)
        reject(r, TARN_BAD_INPUT, "the PNG is damaged: the file is too short for so many pixels");
    png_set_expand_16(png);
    png_set_strip_alpha(png);
    png_read_update_info(png, r->info);

    r->out->nx = (int)width;
    r->out->nz = (int)height;
    r->out->values = malloc((size_t)(width * height) * sizeof(double));
    r->row = malloc(png_get_rowbytes(png, r->info));
    if (!r->out->values || !r->row) reject(r, TARN_NO_MEMORY, "no memory for the PNG");
}

static unsigned sample_16bit(const png_byte *bytes) { return (unsigned)bytes[0] << 8 | bytes[1]; }

// Luminance with the weights of ITU-R BT.709, in integers so that grey values are kept exactly.
static double luminance(const png_byte *pixel, int channels)
{
    if (channels == 1) return sample_16bit(pixel) / 65535.0;
    return (2126 * sample_16bit(pixel) + 7152 * sample_16bit(pixel + 2) + 722 * sample_16bit(pixel + 4)) /
           (10000.0 * 65535.0);
}

// Read the pixels row by row, or in the seven passes of an interlaced image.
static void read_pixels(struct png_reader *r)
{
    const unsigned nx = (unsigned)r->out->nx, nz = (unsigned)r->out->nz;
    const int interlaced = png_get_interlace_type(r->png, r->info) != PNG_INTERLACE_NONE;
    const int channels = png_get_channels(r->png, r->info);

    for (unsigned interlace_pass = 0; interlace_pass < (interlaced ? 7u : 1u); ++interlace_pass) {
        const unsigned columns = interlaced ? PNG_PASS_COLS(nx, interlace_pass) : nx;
        const unsigned rows = interlaced ? PNG_PASS_ROWS(nz, interlace_pass) : nz;
        for (unsigned y = 0; columns > 0 && y < rows; ++y) {
            const unsigned row = interlaced ? PNG_ROW_FROM_PASS_ROW(y, interlace_pass) : y;
            double *out = r->out->values + (size_t)(nz - 1 - row) * nx; // the top row is the northernmost
            png_read_row(r->png, r->row, NULL);
            for (unsigned x = 0; x < columns; ++x)
                out[interlaced ? PNG_COL_FROM_PASS_COL(x, interlace_pass) : x] =
                    luminance(r->row + 2 * (size_t)channels * x, channels);
        }
    }
    png_read_end(r->png, NULL);
}

// A separate function, because locals that change between setjmp and longjmp are indeterminate afterwards.
static void decode(struct png_reader *r)
{
    if (setjmp(r->on_failure) != 0) return;
    png_set_error_fn(r->png, r, on_png_error, on_png_warning);
    read_header(r);
    read_pixels(r);
}

tarn_result heightmap_read_png(const char *data, size_t size, struct heightmap *out, struct load_error *error)
{
    struct png_reader r = {.data = data, .size = size, .out = out, .error = error};

    *out = (struct heightmap){0};
    *error = (struct load_error){0};
    if (size < 8 || png_sig_cmp((png_const_bytep)data, 0, 8) != 0)
        return load_fail(error, TARN_BAD_INPUT, "this is not a PNG file");
    r.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    r.info = r.png ? png_create_info_struct(r.png) : NULL;
    if (r.info)
        decode(&r);
    else
        load_fail(error, TARN_NO_MEMORY, "no memory for the PNG");
    png_destroy_read_struct(&r.png, &r.info, NULL);
    free(r.row);
    if (error->result != TARN_OK) {
        free(out->values);
        *out = (struct heightmap){0};
    }
    return error->result;
}
