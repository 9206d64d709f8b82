// What a shape is made of: room for pieces, moving, and an end to it.
#include "shape.h"

bool piece_points(struct piece *p, const struct memory *m, int points, int sides, int corners)
{
    p->point_count = points, p->side_count = sides, p->corner_count = corners;
    p->points = memory_alloc(m, (size_t)points, sizeof *p->points);
    p->sides = memory_alloc(m, (size_t)sides, sizeof *p->sides);
    p->corners = memory_alloc(m, (size_t)corners, sizeof *p->corners);
    if (p->points && p->sides && p->corners) return true;
    piece_free(p, m);
    return false;
}

bool piece_circles(struct piece *p, const struct memory *m, int circles)
{
    p->circle_count = circles;
    p->circles = memory_alloc(m, (size_t)circles, sizeof *p->circles);
    if (p->circles) return true;
    piece_free(p, m);
    return false;
}

void piece_free(struct piece *p, const struct memory *m)
{
    memory_free(m, p->points, (size_t)p->point_count, sizeof *p->points);
    memory_free(m, p->sides, (size_t)p->side_count, sizeof *p->sides);
    memory_free(m, p->corners, (size_t)p->corner_count, sizeof *p->corners);
    memory_free(m, p->circles, (size_t)p->circle_count, sizeof *p->circles);
    *p = (struct piece){0};
}

bool form_pieces(struct form *f, const struct memory *m, int count)
{
    f->pieces = memory_alloc(m, (size_t)count, sizeof *f->pieces);
    f->piece_count = f->pieces ? count : 0;
    for (int i = 0; i < f->piece_count; ++i) f->pieces[i].axes = (mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    return f->pieces != NULL;
}

static void move_hull(struct hull *h, vec3 by)
{
    for (int i = 0; i < h->vertex_count; ++i) h->vertices[i] = v3_add(h->vertices[i], by);
    hull_finish(h);
}

void form_move(struct form *f, vec3 by)
{
    move_hull(&f->hull, by);
    move_hull(&f->hold, by);
    move_hull(&f->skin, by);
    for (int i = 0; i < f->rim_count; ++i) f->rim[i] = v3_add(f->rim[i], by);
    for (int i = 0; i < f->piece_count; ++i) f->pieces[i].at = v3_add(f->pieces[i].at, by);
}

void form_free(struct form *f, const struct memory *m)
{
    for (int i = 0; i < f->piece_count; ++i) piece_free(&f->pieces[i], m);
    memory_free(m, f->pieces, (size_t)f->piece_count, sizeof *f->pieces);
    hull_free(&f->hull, m);
    hull_free(&f->hold, m);
    hull_free(&f->skin, m);
    memory_free(m, f->rim, (size_t)f->rim_count, sizeof *f->rim);
    *f = (struct form){0};
}
