#include "png_write.h"

#include <png.h>
#include <setjmp.h>

// The comment precedes the pixels, so that it is found without decompression.
static void put_comment(png_structp png, png_infop info, const char *comment)
{
    char key[] = "Comment", text[128];
    png_text chunk = {.compression = PNG_TEXT_COMPRESSION_NONE, .key = key, .text = text};

    snprintf(text, sizeof text, "%s", comment);
    png_set_text(png, info, &chunk, 1);
}

// libpng would print errors to stderr; the caller reports them.
static void on_error(png_structp png, png_const_charp message)
{
    (void)message;
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

int png_write_rgb(FILE *out, int width, int height, const unsigned char *rgb, const char *comment)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;

    if (!info || setjmp(png_jmpbuf(png)) != 0) { // libpng reports errors by longjmp
        png_destroy_write_struct(&png, &info);
        return -1;
    }
    png_init_io(png, out);
    // A tenth of the time of the default at about the same size, for water: 15 ms for 1280 x 720.
    png_set_compression_level(png, 1);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
    png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    put_comment(png, info, comment);
    png_write_info(png, info);
    for (int j = 0; j < height; ++j) png_write_row(png, rgb + (size_t)j * (size_t)width * 3);
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    return 0;
}
