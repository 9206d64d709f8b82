// Height maps: values are read exactly; damaged and malicious files are rejected with a message.
#define _XOPEN_SOURCE 700
#include "rng.h"

#include "scene/import/heightmap.h"
#include "scene/json/string_buffer.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ftw.h>
#include <png.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- PNG --------------------------------------------------------------------------------------------

enum { NX = 13, NZ = 9 }; // every pass of an interlaced picture has pixels, and rows end within a byte

static void png_write_to(png_structp png, png_bytep data, size_t size)
{
    buffer_append(png_get_io_ptr(png), (const char *)data, size);
}

// A PNG whose rows are given as the format stores them; NULL: none follow the header.
static struct string_buffer png_bytes(int width, int height, int bits, int colour, int interlaced,
                                      const unsigned char *rows, size_t stride)
{
    struct string_buffer out = {0};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);

    png_set_write_fn(png, &out, png_write_to, NULL);
    png_set_user_limits(png, 1 << 20, 1 << 20);
    png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, bits, colour,
                 interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    if (colour == PNG_COLOR_TYPE_PALETTE) {
        png_color shades[16];
        for (int i = 0; i < 16; ++i)
            shades[i] = (png_color){(png_byte)(17 * i), (png_byte)(17 * i), (png_byte)(17 * i)};
        png_set_PLTE(png, info, shades, 16);
    }
    png_set_gAMA(png, info, 0.45455); // gamma must not change heights
    png_write_info(png, info);
    const int passes = png_set_interlace_handling(png);
    for (int pass = 0; rows && pass < passes; ++pass)
        for (int y = 0; y < height; ++y) png_write_row(png, rows + (size_t)y * stride);
    if (rows) png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    return out;
}

// One of sixteen shades for every position, none like its neighbours.
static unsigned shade(int x, int y) { return (unsigned)(x * 7 + y * 5) % 16; }

// The test image in any format: `channels` samples of `bits` bits each, the last one alpha if `alpha`.
static struct string_buffer shades(int bits, int colour, int interlaced)
{
    const int channels = colour == PNG_COLOR_TYPE_RGB          ? 3
                         : colour == PNG_COLOR_TYPE_RGB_ALPHA  ? 4
                         : colour == PNG_COLOR_TYPE_GRAY_ALPHA ? 2
                                                               : 1;
    unsigned char rows[NZ][NX * 8] = {{0}};
    for (int y = 0; y < NZ; ++y)
        for (int x = 0; x < NX; ++x)
            for (int c = 0; c < channels; ++c) {
                const int is_alpha = (channels == 2 || channels == 4) && c == channels - 1;
                const unsigned s = is_alpha ? 3 : shade(x, y), at = (unsigned)(x * channels + c);
                if (bits == 4)
                    rows[y][at / 2] |= (unsigned char)(at % 2 ? s : s << 4);
                else if (bits == 8)
                    rows[y][at] = (unsigned char)(colour == PNG_COLOR_TYPE_PALETTE ? s : 17 * s);
                else
                    rows[y][2 * at] = rows[y][2 * at + 1] = (unsigned char)(17 * s);
            }
    return png_bytes(NX, NZ, bits, colour, interlaced, rows[0], sizeof rows[0]);
}

static void assert_refused(tarn_result r, const struct heightmap *h, const struct load_error *f,
                           const char *words)
{
    if (r != TARN_BAD_INPUT || f->result != r || h->values || !strstr(f->message, words))
        fail_msg("expected '%s', got %d '%s'", words, (int)r, f->message);
}

// 4, 8 and 16 bits, grey with and without alpha, palette and colours, plain or interlaced: the same
// heights, shade/15 to the bit, and the top of the image is the last row.
static void every_kind_of_png_gives_the_same_heights(void **state)
{
    (void)state;
    static const int kinds[][2] = {
        {4, PNG_COLOR_TYPE_GRAY},       {8, PNG_COLOR_TYPE_GRAY},    {16, PNG_COLOR_TYPE_GRAY},
        {8, PNG_COLOR_TYPE_GRAY_ALPHA}, {4, PNG_COLOR_TYPE_PALETTE}, {8, PNG_COLOR_TYPE_PALETTE},
        {8, PNG_COLOR_TYPE_RGB},        {16, PNG_COLOR_TYPE_RGB},    {8, PNG_COLOR_TYPE_RGB_ALPHA}};
    for (int k = 0; k < 18; ++k) {
        const int bits = kinds[k / 2][0], colour = kinds[k / 2][1];
        struct string_buffer png = shades(bits, colour, k % 2);
        struct heightmap h;
        struct load_error f;
        if (heightmap_read_png(png.data, png.size, &h, &f) != TARN_OK) fail_msg("kind %d: %s", k, f.message);
        assert_int_equal(h.nx, NX);
        assert_int_equal(h.nz, NZ);
        for (int j = 0; j < NZ; ++j)
            for (int i = 0; i < NX; ++i)
                if (h.values[j * NX + i] != shade(i, NZ - 1 - j) / 15.0)
                    fail_msg("kind %d: (%d, %d) is %.17g", k, i, j, h.values[j * NX + i]);
        free(h.values);
        free(png.data);
    }
}

static void sixteen_bits_and_colours_are_exact(void **state)
{
    (void)state;
    const unsigned char deep[] = {0x12, 0x34, 0xff, 0xfe}, green[] = {0, 255, 0, 0, 0, 255};
    struct string_buffer a = png_bytes(2, 1, 16, PNG_COLOR_TYPE_GRAY, 0, deep, 4);
    struct string_buffer b = png_bytes(2, 1, 8, PNG_COLOR_TYPE_RGB, 0, green, 6);
    struct heightmap h;
    struct load_error f;
    assert_int_equal(heightmap_read_png(a.data, a.size, &h, &f), TARN_OK);
    assert_true(h.values[0] == 0x1234 / 65535.0 && h.values[1] == 0xfffe / 65535.0);
    free(h.values);
    assert_int_equal(heightmap_read_png(b.data, b.size, &h, &f), TARN_OK);
    assert_true(h.values[0] == 0.7152 && h.values[1] == 0.0722);
    free(h.values);
    free(a.data);
    free(b.data);
}

// Checksums and lengths protect every byte against truncation, and nearly every byte against changes.
static void damaged_png_is_rejected(void **state)
{
    (void)state;
    struct string_buffer png = shades(8, PNG_COLOR_TYPE_GRAY, 1);
    struct heightmap h;
    struct load_error f;
    for (size_t size = 0; size < png.size; ++size) {
        char *cut = malloc(size ? size : 1); // exactly as long, for sanitizers
        memcpy(cut, png.data, size);
        assert_refused(heightmap_read_png(cut, size, &h, &f), &h, &f, "PNG");
        free(cut);
    }
    for (size_t i = 0; i < 8 * png.size; ++i) {
        png.data[i / 8] = (char)(png.data[i / 8] ^ (1 << i % 8));
        const tarn_result r = heightmap_read_png(png.data, png.size, &h, &f);
        assert_true(r == TARN_OK ? h.values && f.result == TARN_OK : !h.values && f.message[0]);
        free(h.values);
        png.data[i / 8] = (char)(png.data[i / 8] ^ (1 << i % 8));
    }
    free(png.data);
}

// Sizes in the header are not trusted before data exist.
static void png_with_huge_header_is_rejected(void **state)
{
    (void)state;
    static const struct {
        int width, height;
        const char *words;
    } claims[] = {
        {16384, 4096, "too short for so many pixels"},
        {16384, 16384, "more pixels than 67108864"},
        {16385, 1, "PNG is damaged"},
        {1, 16385, "PNG is damaged"},
    };
    struct heightmap h;
    struct load_error f;
    for (size_t i = 0; i < sizeof claims / sizeof claims[0]; ++i) {
        struct string_buffer png =
            png_bytes(claims[i].width, claims[i].height, 16, PNG_COLOR_TYPE_GRAY, 0, NULL, 0);
        buffer_append(&png, "\0\0\0\0IDAT\x35\xaf\x06\x1e",
                      12); // an empty one, so that the header is complete
        assert_refused(heightmap_read_png(png.data, png.size, &h, &f), &h, &f, claims[i].words);
        free(png.data);
    }
    assert_refused(heightmap_read_png("ncols 4 nrows 4", 15, &h, &f), &h, &f, "not a PNG");
    assert_refused(heightmap_read_png("", 0, &h, &f), &h, &f, "not a PNG");
}

// ---- ESRI ASCII grids -------------------------------------------------------------------------------

#define HEAD "ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 2.5\n"
#define GAPS HEAD "NODATA_value -9999\n1 -9999 3\n-9999.0 5 6\n"

// Row by row from the north; keys in any case and order, values on any lines.
static void grids_are_read_in_any_layout(void **state)
{
    (void)state;
    static const char *const layouts[] = {
        HEAD "1 -2 3e0\n4 5.5 +6\n",
        HEAD "1 -2 3\n4 5.5 6",
        "NCOLS 3\r\nNROWS 2\r\nXLLCENTER -1e6\r\nYLLCENTER 5\r\nCELLSIZE 2.5\r\n1 -2 3\r\n4 5.5 6\r\n",
        "cellsize 2.5 nrows 2 ncols 3\nyllcenter 1\nxllcorner .5\nnodata_VALUE 7\n1\n-20e-1\n\n3 4\t5.5 6.\n",
    };
    static const double wanted[] = {4, 5.5, 6, 1, -2, 3};
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; ++i) {
        struct heightmap h;
        struct load_error f;
        if (heightmap_read_esri(layouts[i], strlen(layouts[i]), &h, &f) != TARN_OK)
            fail_msg("%zu: %s", i, f.message);
        assert_int_equal(h.nx, 3);
        assert_int_equal(h.nz, 2);
        assert_true(h.extent_x == 7.5 && h.extent_z == 5.0 && h.missing_count == 0);
        for (int c = 0; c < 6; ++c) assert_true(h.values[c] == wanted[c]);
        free(h.values);
    }
}

static void grid_errors_name_the_line(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "'ncols' is missing"},
        {"1 2 3", "'ncols' is missing"},
        {"ncols 3\ncellsize 1\n1 2 3", "'nrows' is missing"},
        {"ncols 3\nnrows 1\nyllcorner 0\ncellsize 1\n1 2 3", "'xllcorner' is missing"},
        {"ncols 3\nnrows 1\nxllcorner 0\ncellsize 1\n1 2 3", "'yllcorner' is missing"},
        {"ncols 3\nnrows 1\nxllcorner 0\nyllcorner 0\n1 2 3", "'cellsize' is missing"},
        {"ncols 3\nncols 3\n", "line 2: 'ncols' is given twice"},
        {"ncols 3\ncolour 3\n", "line 2: unknown key 'colour'"},
        {"ncols x\n", "line 1: 'x' is not a number"},
        {"ncols", "line 1: the file ends early"},
        {"ncols 0\nnrows 1\n1", "ncols is 0"},
        {"ncols 2.5\nnrows 1\n1", "ncols is 2.5"},
        {"ncols -3\nnrows 1\n1", "ncols is -3"},
        {"ncols 16385\nnrows 1\n1", "ncols is 16385"},
        {"ncols 3\nnrows 1e400\n1", "line 2: '1e400' is not a number"},
        {"ncols 16384\nnrows 16384\nxllcorner 0\nyllcorner 0\ncellsize 1\n1", "more than 67108864"},
        {"ncols 16384\nnrows 4096\nxllcorner 0\nyllcorner 0\ncellsize 1\n1", "too short for 16384 x 4096"},
        {"ncols 1\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 0\n1", "cellsize is 0"},
        {HEAD "1 2 3\n4 5.555\n", "line 8: the file ends after 5 of 6 values"},
        {HEAD "1 2 3\n4 5 6\n7\n", "line 8: more values than 3 x 2"},
        {HEAD "1 2 3\n4 5 nan\n", "line 7: 'nan' is not a number"},
        {HEAD "1 2 3\n4 -inf 6\n", "line 7: '-inf' is not a number"},
        {HEAD "1 2 3\n4 1e999 6\n", "line 7: '1e999' is not a number"},
        {HEAD "1 2 3\n4 5,5 6\n", "line 7: '5,5' is not a number; a decimal number has a point"},
        {HEAD "1 2 3\n4 1e 6\n", "line 7: '1e' is not a number"},
        {HEAD "1 2 3\n4 0x5 6\n", "line 7: '0x5' is not a number"},
        {HEAD "1 2 3\n4 - . 1.2.3\n", "line 7: '-' is not a number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        struct heightmap h;
        struct load_error f;
        assert_refused(heightmap_read_esri(cases[i][0], strlen(cases[i][0]), &h, &f), &h, &f, cases[i][1]);
    }
}

// Every truncation of a grid is rejected, except for its last digits.
static void truncated_grids_are_rejected(void **state)
{
    (void)state;
    struct heightmap h;
    struct load_error f;
    for (size_t size = 0; size < strlen(GAPS) - 1; ++size) {
        char *cut = malloc(size ? size : 1);
        memcpy(cut, GAPS, size);
        assert_refused(heightmap_read_esri(cut, size, &h, &f), &h, &f, "");
        assert_true(f.message[0]);
        free(cut);
    }
}

static void missing_values_are_filled_or_rejected(void **state)
{
    (void)state;
    static const char *const ways[] = {"highest", "lowest"};
    struct heightmap h;
    struct load_error f;
    for (int i = 0; i < 2; ++i) {
        const double stand_in = i ? 1 : 6, wanted[] = {stand_in, 5, 6, 1, stand_in, 3};
        assert_int_equal(heightmap_read_esri(GAPS, strlen(GAPS), &h, &f), TARN_OK);
        assert_int_equal(h.missing_count, 2);
        assert_int_equal(heightmap_fill_missing(&h, ways[i], &f), TARN_OK);
        for (int c = 0; c < 6; ++c) assert_true(h.values[c] == wanted[c]);
        free(h.values);
    }
    assert_int_equal(heightmap_read_esri(GAPS, strlen(GAPS), &h, &f), TARN_OK);
    assert_int_equal(heightmap_fill_missing(&h, "error", &f), TARN_BAD_INPUT);
    assert_string_equal(f.message, "2 values are missing, the first in row 1, column 2");
    free(h.values);
    const char *none = HEAD "nodata_value 0\n0 0 0 0 0 0";
    assert_int_equal(heightmap_read_esri(none, strlen(none), &h, &f), TARN_OK);
    assert_int_equal(heightmap_fill_missing(&h, "lowest", &f), TARN_BAD_INPUT);
    assert_string_equal(f.message, "every value is missing");
    free(h.values);
}

// Up to 15 digits are read to the bit (one rounding of exact numbers); all 17 to 2 units in the last place
// (the 17 digits do not fit into a double, which costs the second).
static void numbers_are_read_as_strtod_does(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 20000; ++i) {
        const double x = ((double)(splitmix64(&seed) >> 11) * 0x1p-53 - 0.5) * (i % 2 ? 2e4 : 2e-3);
        char text[256];
        struct heightmap h;
        struct load_error f;
        snprintf(text, sizeof text, "ncols 2 nrows 1 xllcorner 0 yllcorner 0 cellsize 1\n%.15g %.17g", x, x);
        assert_int_equal(heightmap_read_esri(text, strlen(text), &h, &f), TARN_OK);
        char digits[32];
        snprintf(digits, sizeof digits, "%.15g", x);
        assert_true(h.values[0] == strtod(digits, NULL));
        assert_true(fabs(h.values[1] - x) <= 2.0 * fabs(x) * 0x1p-52);
        free(h.values);
    }
}

// ---- files beside a scene ---------------------------------------------------------------------------

static char folder[64]; // of this test, with a slash at its end

// Valid until the next call.
static const char *in_folder(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s%s", folder, name);
    return path;
}

static void put_file(const char *name, const char *data, size_t size)
{
    FILE *file = fopen(in_folder(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/tarn_bed_XXXXXX");
    if (!mkdtemp(folder)) return -1;
    strcat(folder, "/");
    unsetenv("TARN_PATH");
    return mkdir(in_folder("scenes"), 0700) | mkdir(in_folder("scenes/maps"), 0700) |
           mkdir(in_folder("data"), 0700);
}

static int remove_one(const char *path, const struct stat *s, int flag, struct FTW *walk)
{
    (void)s;
    (void)flag;
    (void)walk;
    return remove(path);
}

static int remove_folder(void **state)
{
    (void)state;
    unsetenv("TARN_PATH");
    return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

// Only regular files beneath the folder of the scene are read, without symbolic links on the path.
static void files_outside_are_not_opened(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"/etc/passwd", "remove the leading '/'"},
        {"../outside.txt", "'..' is not allowed"},
        {"maps/../../outside.txt", "'..' is not allowed"},
        {"maps/..", "'..' is not allowed"},
        {"", "found an empty string"},
        {"maps/", "found a folder"},
        {"maps", "not a regular file but a folder"},
        {"link.txt", "symbolic links are not followed"},
        {"inner.txt", "symbolic links are not followed"},
        {"away/outside.txt", "symbolic links are not followed"},
        {"pipe", "a pipe or a device"},
        {"none.txt", "no file 'none.txt' in: "},
        {"fine.txt/more", "no file 'fine.txt/more' in: "},
        {"none/none.txt", "no file 'none/none.txt' in: "},
        {"large.txt", "file too large: 101 bytes, limit 100"},
    };
    put_file("outside.txt", "secret", 6);
    put_file("scenes/fine.txt", "12345", 5);
    put_file("scenes/large.txt", "", 0);
    assert_int_equal(truncate(in_folder("scenes/large.txt"), 101), 0);
    assert_int_equal(symlink("../outside.txt", in_folder("scenes/link.txt")), 0);
    assert_int_equal(symlink("fine.txt", in_folder("scenes/inner.txt")), 0);
    assert_int_equal(symlink("..", in_folder("scenes/away")), 0);
    assert_int_equal(mkfifo(in_folder("scenes/pipe"), 0600), 0);
    const struct source_text source = {.name = (char *)in_folder("scenes/a.json"), .is_file = 1};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char *data = NULL;
        size_t size;
        struct load_error f;
        const tarn_result r = asset_read(&source, cases[i][0], 100, &data, &size, &f);
        if (r == TARN_OK || f.result != r || data || !strstr(f.message, cases[i][1]))
            fail_msg("%s: %d %s", cases[i][0], (int)r, f.message);
    }
}

static void assert_found(const struct source_text *source, const char *name, const char *wanted)
{
    char *data = NULL;
    size_t size;
    struct load_error f;
    if (asset_read(source, name, 100, &data, &size, &f) != TARN_OK) fail_msg("%s: %s", name, f.message);
    assert_string_equal(data, wanted);
    assert_int_equal(size, strlen(wanted));
    free(data);
}

static void the_scenes_folder_comes_before_the_path(void **state)
{
    (void)state;
    char path[256], name[128];
    snprintf(name, sizeof name, "%sscenes/a.json", folder);
    const struct source_text file = {.name = name, .is_file = 1};
    const struct source_text named = {.name = file.name}, nowhere = {.name = "text"};
    char *data;
    size_t size;
    struct load_error f;

    put_file("scenes/both", "scene", 5);
    put_file("scenes/maps/deep", "deep", 4);
    put_file("data/both", "data", 4);
    put_file("data/only", "only", 4);
    assert_found(&file, "both", "scene");
    assert_found(&file, "maps//deep", "deep");
    assert_found(&file, "./maps/deep", "deep");
    assert_found(&named, "both", "scene"); // a name with a slash defines the folder of a scene from memory
    assert_int_equal(asset_read(&file, "only", 100, &data, &size, &f), TARN_IO);
    assert_int_equal(asset_read(&nowhere, "both", 100, &data, &size, &f), TARN_IO);
    assert_non_null(strstr(f.message, "in: /usr/share/glmark2/models")); // where to look for a missing bunny
    snprintf(path, sizeof path, "%snone::%sdata", folder, folder);
    setenv("TARN_PATH", path, 1);
    assert_found(&file, "both", "scene");
    assert_found(&file, "only", "only");
    assert_found(&nowhere, "both", "data");
    assert_int_equal(asset_read(&file, "neither", 100, &data, &size, &f), TARN_IO);
    assert_non_null(strstr(f.message, "scenes/, "));
    assert_non_null(strstr(f.message, "data"));
}

// ---- scenes with a map ------------------------------------------------------------------------------

struct remarks {
    int count;
    tarn_log_level level[4];
    char text[4][256];
};

static void keep_remark(void *ctx, tarn_log_level level, const char *text)
{
    struct remarks *r = ctx;
    if (r->count == 4) return;
    r->level[r->count] = level;
    snprintf(r->text[r->count++], sizeof r->text[0], "%s", text);
}

// Build the world of a scene in the folder; its heights are left in `bed`, 8 x 4 of them.
static tarn_result build(const char *bed_json, float bed[32], struct remarks *remarks,
                         tarn_diagnostics *diagnostics)
{
    char text[1024];
    tarn_scene *scene = NULL;
    tarn_world *world = NULL;
    tarn_frame frame = {0};
    const tarn_host host = {.log = {keep_remark, remarks}};

    snprintf(text, sizeof text,
             "{\"version\": 2, \"fluid\": {\"model\": \"shallow\", \"size\": [8, 4], \"cells\": [8, 4]},\n"
             "\"bed\": %s}",
             bed_json);
    put_file("scenes/a.json", text, strlen(text));
    *remarks = (struct remarks){0};
    tarn_result r = tarn_scene_read(in_folder("scenes/a.json"), &scene, diagnostics);
    if (r == TARN_OK) r = tarn_scene_create_world(scene, &host, &world, diagnostics);
    assert_true((r == TARN_OK) == (world != NULL));
    if (world) {
        assert_int_equal(tarn_world_get_frame(world, 1.0, &frame), TARN_OK);
        assert_non_null(frame.bed);
        memcpy(bed, frame.bed, 32 * sizeof *bed);
    }
    tarn_frame_free(&frame);
    tarn_world_destroy(world);
    tarn_scene_destroy(scene);
    return r;
}

// One grey value per column: the bed of the world is the image, north up, times its height.
static void images_become_the_bed(void **state)
{
    (void)state;
    unsigned char pixels[32];
    float bed[32];
    struct remarks remarks;
    for (int i = 0; i < 32; ++i) pixels[i] = (unsigned char)(8 * i);
    struct string_buffer png = png_bytes(8, 4, 8, PNG_COLOR_TYPE_GRAY, 0, pixels, 8);
    put_file("scenes/pond.png", png.data, png.size);
    free(png.data);
    assert_int_equal(
        build("{\"kind\": \"heightmap\", \"file\": \"pond.png\", \"height\": 0.5}", bed, &remarks, NULL),
        TARN_OK);
    for (int j = 0; j < 4; ++j)
        for (int i = 0; i < 8; ++i) // 1e-6: the surface's level is added and taken away in float
            assert_true(fabs(bed[8 * j + i] - 0.5 * pixels[8 * (3 - j) + i] / 255.0) < 1e-6);
    for (int i = 0; i < remarks.count; ++i) assert_null(strstr(remarks.text[i], "pond.png"));
}

static void changes_of_a_map_are_reported(void **state)
{
    (void)state;
    const unsigned char white[4] = {255, 255, 255, 255};
    float bed[32];
    struct remarks remarks;
    struct string_buffer png = png_bytes(2, 2, 8, PNG_COLOR_TYPE_GRAY, 0, white, 2);
    put_file("scenes/pond.png", png.data, png.size);
    free(png.data);
    put_file("scenes/dem.asc", GAPS, strlen(GAPS));
    const char *parts =
        "[{\"kind\": \"flat\", \"offset\": 1}, {\"kind\": \"heightmap\", \"file\": \"pond.png\"}]";
    assert_int_equal(build(parts, bed, &remarks, NULL), TARN_OK);
    assert_true(remarks.count >= 1 && remarks.level[0] == TARN_LOG_INFO);
    assert_string_equal(remarks.text[0], "pond.png: 2 x 2 heights resampled to 8 x 4 columns");
    for (int c = 0; c < 32; ++c) assert_true(fabs(bed[c] - 2.0) < 1e-6); // parts add up; float as above

    assert_int_equal(build("{\"kind\": \"esri\", \"file\": \"dem.asc\"}", bed, &remarks, NULL), TARN_OK);
    assert_true(remarks.count >= 2 && remarks.level[1] == TARN_LOG_WARNING);
    assert_string_equal(remarks.text[1], "dem.asc: 7.5 x 5 m are stretched to the shape of 8 x 4 m");
    assert_true(fabs(bed[24] - 1.0) < 1e-6 && fabs(bed[7] - 6.0) < 1e-6); // north-west, south-east
}

static void map_errors_have_places(void **state)
{
    (void)state;
    static const struct {
        const char *bed;
        tarn_result result;
        const char *where, *path, *words;
    } cases[] = {
        {"{\"kind\": \"heightmap\"}", TARN_BAD_INPUT, "2:8", "bed", "\"file\" is missing"},
        {"{\"kind\": \"heightmap\", \"file\": \"no.png\"}", TARN_IO, "2:38", "bed.file",
         "no file 'no.png' in: "},
        {"[{\"kind\": \"flat\"}, {\"kind\": \"esri\", \"file\": \"bad.asc\"}]", TARN_BAD_INPUT, "2:52",
         "bed[1].file", "bad.asc: line 1: 'x' is not a number"},
        {"{\"kind\": \"heightmap\", \"file\": \"bad.asc\"}", TARN_BAD_INPUT, "2:38", "bed.file",
         "bad.asc: this is not a PNG file"},
        {"{\"kind\": \"esri\", \"missing\": \"error\", \"file\": \"gaps.asc\"}", TARN_BAD_INPUT, "2:53",
         "bed.file", "gaps.asc: 2 values are missing, the first in row 1, column 2"},
        {"[{\"kind\": \"esri\", \"file\": \"high.asc\"}]", TARN_BAD_INPUT, "2:34", "bed[0].file",
         "of the map is outside"},
        {"[{\"kind\": \"esri\", \"file\": \"gaps.asc\"}, {\"kind\": \"heightmap\", \"file\": \"gaps.asc\"}]",
         TARN_BAD_INPUT, "2:8", "bed", "at most one height map"},
        {"{\"kind\": \"esri\", \"file\": \"../a\"}", TARN_BAD_INPUT, "2:33", "bed.file",
         "'..' is not allowed"},
    };
    put_file("scenes/bad.asc", "ncols x", 7);
    put_file("scenes/gaps.asc", GAPS, strlen(GAPS));
    put_file("scenes/high.asc", HEAD "1 2 3 4 5 1e6", strlen(HEAD "1 2 3 4 5 1e6"));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        float bed[32];
        struct remarks remarks;
        tarn_diagnostics diagnostics = {0};
        const tarn_result r = build(cases[i].bed, bed, &remarks, &diagnostics);
        const tarn_diagnostic *n = diagnostics.list;
        if (r != cases[i].result || diagnostics.count != 1)
            fail_msg("%s: %d, %d diagnostics", cases[i].bed, (int)r, diagnostics.count);
        const char *place = strstr(n->where, "a.json:");
        if (!place || strcmp(place + 7, cases[i].where) != 0 || strcmp(n->path, cases[i].path) != 0 ||
            !strstr(n->message, cases[i].words))
            fail_msg("%s: %s: %s: %s", cases[i].bed, n->where, n->path, n->message);
        tarn_diagnostics_free(&diagnostics);
    }
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_png_gives_the_same_heights),
        cmocka_unit_test(sixteen_bits_and_colours_are_exact),
        cmocka_unit_test(damaged_png_is_rejected),
        cmocka_unit_test(png_with_huge_header_is_rejected),
        cmocka_unit_test(grids_are_read_in_any_layout),
        cmocka_unit_test(grid_errors_name_the_line),
        cmocka_unit_test(truncated_grids_are_rejected),
        cmocka_unit_test(missing_values_are_filled_or_rejected),
        cmocka_unit_test(numbers_are_read_as_strtod_does),
        WITH_FOLDER(files_outside_are_not_opened),
        WITH_FOLDER(the_scenes_folder_comes_before_the_path),
        WITH_FOLDER(images_become_the_bed),
        WITH_FOLDER(changes_of_a_map_are_reported),
        WITH_FOLDER(map_errors_have_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
