// Obstacles of a flat fluid as bodies touch them: convex pieces, found once, and poses, set as the obstacles move.
#include "body/prism.h"
#include "fluid/obstacle.h"
#include "swim.h"

#include <string.h>

enum { CORNERS_MOST = 64 }; // of a polygon, see obstacle_polygon.c

struct outline {
    int count;
    double at[CORNERS_MOST][2];
};

static double twice_area(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// Counter-clockwise, whichever way the obstacle's corners run.
static struct outline outline_of(const struct obstacle *o)
{
    struct outline out = {.count = imin(o->point_count, CORNERS_MOST)};
    double area = 0.0;
    for (int i = 1; i + 1 < out.count; ++i) area += twice_area(o->points[0], o->points[i], o->points[i + 1]);
    for (int i = 0; i < out.count; ++i) {
        const double *p = o->points[area > 0.0 ? i : out.count - 1 - i];
        out.at[i][0] = p[0], out.at[i][1] = p[1];
    }
    return out;
}

// Two corners that lie on one line with a third are convex too.
static bool is_convex(const struct outline *l)
{
    for (int i = 0; i < l->count; ++i)
        if (!(twice_area(l->at[i], l->at[(i + 1) % l->count], l->at[(i + 2) % l->count]) > 0.0)) return false;
    double around = 0.0; // once, not twice as a star does
    for (int i = 0; i < l->count; ++i) {
        const double *a = l->at[i], *b = l->at[(i + 1) % l->count], *c = l->at[(i + 2) % l->count];
        around += m_atan2(twice_area(a, b, c), (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]));
    }
    return around < 3.0 * PI;
}

// One convex outline about its middle.
static bool add_piece(struct fixture *f, int n, const double (*points)[2], int count, const struct memory *m)
{
    double about[PRISM_CORNERS][2], x = 0.0, y = 0.0;
    struct piece *p = &f->form.pieces[n];
    for (int i = 0; i < count; ++i) x += points[i][0] / count, y += points[i][1] / count;
    for (int i = 0; i < count; ++i) about[i][0] = points[i][0] - x, about[i][1] = points[i][1] - y;
    p->at = v3(x, y, 0.0);
    return piece_prism((const double(*)[2])about, count, m, p);
}

static bool in_triangle(const double *p, const double *a, const double *b, const double *c)
{
    return twice_area(a, b, p) >= 0.0 && twice_area(b, c, p) >= 0.0 && twice_area(c, a, p) >= 0.0;
}

static bool is_ear(const struct outline *l, int i)
{
    const double *a = l->at[(i + l->count - 1) % l->count], *b = l->at[i], *c = l->at[(i + 1) % l->count];
    if (!(twice_area(a, b, c) > 0.0)) return false;
    for (int k = 0; k < l->count; ++k) {
        const double *p = l->at[k];
        if (p != a && p != b && p != c && in_triangle(p, a, b, c)) return false;
    }
    return true;
}

// Ears are cut off one after the other; what is left without one has no area.
static bool make_triangles(struct fixture *f, struct outline l, const struct memory *m)
{
    double ears[CORNERS_MOST][3][2];
    int n = 0;
    for (int i = 0; l.count >= 3 && i < l.count;) {
        if (!is_ear(&l, i)) {
            ++i;
            continue;
        }
        const int corner[3] = {(i + l.count - 1) % l.count, i, (i + 1) % l.count};
        for (int k = 0; k < 3; ++k) memcpy(ears[n][k], l.at[corner[k]], sizeof l.at[0]);
        memmove(l.at + i, l.at + i + 1, (size_t)(l.count - 1 - i) * sizeof *l.at);
        --l.count, ++n, i = 0;
    }
    bool good = n == 0 || form_pieces(&f->form, m, n);
    for (int k = 0; k < n && good; ++k) good = add_piece(f, k, (const double(*)[2])ears[k], 3, m);
    return good;
}

// ---- maps -------------------------------------------------------------------------------------------------

struct map {
    const unsigned char *solid;
    unsigned char *left; // cells that no rectangle has yet
    int nx, ny;
};

static bool row_left(const struct map *p, int i, int wide, int j)
{
    for (int k = i; k < i + wide; ++k)
        if (!p->left[j * p->nx + k]) return false;
    return true;
}

// The next rectangle of solid cells, as wide and then as high as it can be: seams are few, on which bodies would catch.
static bool next_rectangle(const struct map *p, int *from, int out[4])
{
    while (*from < p->nx * p->ny && !p->left[*from]) ++*from;
    if (*from == p->nx * p->ny) return false;
    const int i = *from % p->nx, j = *from / p->nx;
    int wide = 1, high = 1;
    while (i + wide < p->nx && p->left[*from + wide]) ++wide;
    while (j + high < p->ny && row_left(p, i, wide, j + high)) ++high;
    for (int k = j; k < j + high; ++k) memset(p->left + k * p->nx + i, 0, (size_t)wide);
    out[0] = i, out[1] = j, out[2] = i + wide, out[3] = j + high;
    return true;
}

static bool make_map(struct fixture *f, const struct obstacle *o, const struct memory *m)
{
    const int nx = o->def.map.nx, ny = o->def.map.ny;
    const size_t cells = (size_t)nx * (size_t)ny;
    struct map p = {o->map, memory_alloc(m, cells, 1), nx, ny};
    tarn_value size;
    int count = 0, from = 0, r[4];
    if (!p.left) return false;
    tarn_spec_get(&o->def.shape, "size", &size);
    const double x = size.number[0] / nx, y = size.number[1] / ny;
    memcpy(p.left, p.solid, cells);
    while (next_rectangle(&p, &from, r)) ++count;
    bool good = count == 0 || form_pieces(&f->form, m, count);
    memcpy(p.left, p.solid, cells);
    from = 0;
    for (int n = 0; n < count && good && next_rectangle(&p, &from, r); ++n) {
        const double corners[4][2] = {
            {r[0] * x, r[1] * y}, {r[2] * x, r[1] * y}, {r[2] * x, r[3] * y}, {r[0] * x, r[3] * y}};
        good = add_piece(f, n, corners, 4, m);
    }
    memory_free(m, p.left, cells, 1);
    return good;
}

// ---- all of them -------------------------------------------------------------------------------------------

static bool make(struct fixture *f, const struct obstacle *o, const struct memory *m)
{
    tarn_value radius;
    if (o->map) return make_map(f, o, m);
    if (tarn_spec_get(&o->def.shape, "radius", &radius) == TARN_OK)
        return prism_round(radius.number[0], m, &f->form);
    const struct outline l = outline_of(o);
    if (l.count > PRISM_CORNERS || !is_convex(&l)) return make_triangles(f, l, m);
    return form_pieces(&f->form, m, 1) && add_piece(f, 0, l.at, l.count, m);
}

// Bodies are never more than one domain away from where they are looked for across periodic sides; obstacles may be.
void swim_put_fixtures(struct swim *s, const struct fluid *f, double ago)
{
    const double wide = f->g.nx * f->g.s;
    for (int i = 0; i < s->fixture_count; ++i) {
        const struct pose *p = &f->obstacles[i].now;
        const double x = p->x - ago * p->u, y = p->y - ago * p->v;
        s->fixtures[i].position = v3(f->wrap_x ? x - wide * floor(x / wide) : x, y, 0.0);
        s->fixtures[i].rotation = quat_about(v3(0.0, 0.0, p->angle - ago * p->spin));
        s->fixtures[i].velocity = v3(p->u, p->v, 0.0);
        s->fixtures[i].spin = v3(0.0, 0.0, p->spin);
    }
}

bool swim_find_fixtures(struct swim *s, const struct fluid *f)
{
    if (!memory_grow(s->memory, (void **)&s->fixtures, &s->fixture_room, f->obstacle_count,
                     sizeof *s->fixtures))
        return false;
    while (s->fixture_count < f->obstacle_count) {
        struct fixture *x = &s->fixtures[s->fixture_count];
        *x = (struct fixture){0};
        if (!make(x, &f->obstacles[s->fixture_count], s->memory)) {
            form_free(&x->form, s->memory);
            return false;
        }
        for (int k = 0; k < x->form.piece_count; ++k)
            x->radius = fmax(x->radius, v3_length(x->form.pieces[k].at) + x->form.pieces[k].radius);
        ++s->fixture_count;
    }
    swim_put_fixtures(s, f, 0.0);
    return true;
}

void swim_free_fixtures(struct swim *s)
{
    for (int i = 0; i < s->fixture_count; ++i) form_free(&s->fixtures[i].form, s->memory);
    memory_free(s->memory, s->fixtures, (size_t)s->fixture_room, sizeof *s->fixtures);
}
