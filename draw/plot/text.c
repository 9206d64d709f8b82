#include "text.h"

#include "draw/gl.h"
#include "font.h"

#include <stdio.h>
#include <stdlib.h>

extern const char shader_text_vert[], shader_text_frag[];

#define CELL_W         8 // of a cell of the texture: the glyph with an empty border, for linear filtering
#define CELL_H         12
#define GLYPHS_PER_ROW 16
#define MAX_CHARACTERS 128 // of one string

#define TEXTURE_HEIGHT ((FONT_COUNT + GLYPHS_PER_ROW - 1) / GLYPHS_PER_ROW * CELL_H)
#define TEXTURE_WIDTH  (GLYPHS_PER_ROW * CELL_W)

struct text {
    GLuint program, texture, array, buffer;
};

int text_width(const char *string, int scale)
{
    int total = 0, first, columns;

    while (*string) {
        font_ink_columns(font_next_glyph(&string), &first, &columns);
        total += columns + 1;
    }
    return total ? (total - 1) * scale : 0;
}

static GLuint font_texture(void)
{
    static unsigned char cells[TEXTURE_HEIGHT][TEXTURE_WIDTH]; // filled with the same bytes every time
    GLuint texture;

    for (int k = 0; k < FONT_COUNT; ++k)
        for (int r = 0; r < FONT_ROWS; ++r)
            for (int c = 0; c < FONT_COLUMNS; ++c)
                cells[k / GLYPHS_PER_ROW * CELL_H + 1 + r][k % GLYPHS_PER_ROW * CELL_W + 1 + c] =
                    font_rows(k)[r] & (0x10u >> c) ? 255 : 0;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, TEXTURE_WIDTH, TEXTURE_HEIGHT, 0, GL_RED, GL_UNSIGNED_BYTE, cells);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return texture;
}

struct text *text_create(const struct draw_setup *setup, char *why)
{
    struct text *t = calloc(1, sizeof *t);

    if (!t) {
        snprintf(why, 256, "no memory for the font");
        return NULL;
    }
    t->program = gl_program(setup, TERRAIN_OFF, shader_text_vert, shader_text_frag, why);
    if (!t->program) {
        free(t);
        return NULL;
    }
    t->texture = font_texture();
    glGenVertexArrays(1, &t->array);
    glGenBuffers(1, &t->buffer);
    glBindVertexArray(t->array);
    glBindBuffer(GL_ARRAY_BUFFER, t->buffer);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, NULL);
    glBindVertexArray(0);
    return t;
}

void text_destroy(struct text *t)
{
    if (!t) return;
    glDeleteProgram(t->program);
    glDeleteTextures(1, &t->texture);
    glDeleteBuffers(1, &t->buffer);
    glDeleteVertexArrays(1, &t->array);
    free(t);
}

// Two triangles with positions in the image [pixels] and in the font texture [0 .. 1]. The empty border of a
// glyph is included, because filtering spreads into it.
static void put_glyph(float (*v)[4], int k, int x, int y, int scale, int first, int columns)
{
    static const unsigned char corner[6][2] = {{0, 0}, {1, 0}, {0, 1}, {0, 1}, {1, 0}, {1, 1}};

    for (int n = 0; n < 6; ++n) {
        const int i = corner[n][0] * (columns + 2), j = corner[n][1] * (FONT_ROWS + 2);
        v[n][0] = (float)(x + (i - 1) * scale);
        v[n][1] = (float)(y + (j - 1) * scale);
        v[n][2] = (float)(k % GLYPHS_PER_ROW * CELL_W + first + i) / TEXTURE_WIDTH;
        v[n][3] = (float)(k / GLYPHS_PER_ROW * CELL_H + j) / TEXTURE_HEIGHT;
    }
}

void text_draw(struct text *t, const struct draw_frame_state *s, int x, int y, int scale, const float rgb[3],
               const char *string)
{
    float vertices[6 * MAX_CHARACTERS][4];
    int count = 0;

    while (*string && count < MAX_CHARACTERS) {
        int first, columns;
        const int k = font_next_glyph(&string);
        font_ink_columns(k, &first, &columns);
        put_glyph(vertices + 6 * count++, k, x, y, scale, first, columns);
        x += (columns + 1) * scale;
    }
    glUseProgram(t->program);
    gl_set3f(t->program, "colour", rgb[0], rgb[1], rgb[2]);
    gl_set2f(t->program, "image_size", (float)s->width, (float)s->height);
    gl_set1f(t->program, "edge_width", 0.5f / (float)scale);
    gl_set_texture(t->program, "font", 0, t->texture);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glBindVertexArray(t->array);
    glBindBuffer(GL_ARRAY_BUFFER, t->buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)sizeof(float[6][4]) * count, vertices, GL_STREAM_DRAW);
    glDrawArrays(GL_TRIANGLES, 0, 6 * count);
    glBindVertexArray(0);
}
