// Parts of a shell: faces that agree with their neighbours, and the outside out.
#include "solid.h"

#define NEST_EFFORT 1e8  // looks at faces that telling inside from outside may cost: some seconds
#define BOX_EFFORT  0.05 // a look at a box, in such looks

static void flip(struct shell *s, int t)
{
    const int corner = s->triangles[t][1], mate = s->mate[3 * t];

    // The edges a b, b c, c a become a c, c b, b a: the first and the last change places. What mates say of
    // them is no longer true then, but that they are open is all that is asked later.
    s->triangles[t][1] = s->triangles[t][2];
    s->triangles[t][2] = corner;
    s->mate[3 * t] = s->mate[3 * t + 2];
    s->mate[3 * t + 2] = mate;
    s->turned[t] = !s->turned[t];
}

// All faces that can be reached from queue[0], with the number of this part. flips[t]: it has to be turned to agree
// with the first. @return how many; *twisted: there is no way to make all of them agree
static int reach(struct shell *s, int *queue, char *flips, int part, bool *twisted)
{
    int count = 1;

    s->part[queue[0]] = part;
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k) {
            const int e = 3 * queue[i] + k, f = s->mate[e];
            if (f < 0) continue;
            // Two faces agree if they run along their edge in opposite directions.
            const bool same = s->triangles[e / 3][k] == s->triangles[f / 3][f % 3];
            const char want = (char)(flips[e / 3] != same);
            if (s->part[f / 3] < 0) {
                s->part[f / 3] = part;
                flips[f / 3] = want;
                queue[count++] = f / 3;
            } else if (flips[f / 3] != want) {
                *twisted = true;
            }
        }
    return count;
}

bool shell_agree(struct shell *s, int *twisted)
{
    const size_t n = (size_t)s->triangle_count;

    s->own_count = s->triangle_count;
    s->part = shell_take(s, n, sizeof *s->part);
    s->turned = shell_take(s, n, 1);
    const int mark = shell_mark(s);
    int *queue = shell_take(s, n, sizeof *queue);
    char *flips = shell_take(s, n, 1);
    if (!s->part || !s->turned || !queue || !flips) return false;
    for (size_t t = 0; t < n; ++t) s->part[t] = -1;
    for (int t = 0; t < s->triangle_count; ++t) {
        if (s->part[t] >= 0) continue;
        bool bad = false;
        int wrong = 0;
        queue[0] = t;
        const int count = reach(s, queue, flips, s->part_count++, &bad);
        *twisted += bad;
        for (int i = 0; i < count; ++i) wrong += flips[queue[i]];
        for (int i = 0; i < count; ++i) // most faces are right
            if (flips[queue[i]] == (2 * wrong <= count)) flips[queue[i]] = 2;
    }
    for (int t = 0; t < s->triangle_count; ++t)
        if (flips[t] == 2) flip(s, t);
    shell_release(s, mark);
    return true;
}

// ---- inside and outside -----------------------------------------------------------------------------

struct island {
    int first, end; // its faces in the list
    double volume;  // signed, as it stands
    vec3 low, high, inside;
    int root; // the outermost piece around it, or itself
};

static void measure(const struct shell *s, const int *faces, struct island *p)
{
    const vec3 o = s->vertices[s->triangles[faces[p->first]][0]];

    p->low = p->high = o;
    for (int i = p->first; i < p->end; ++i) {
        const int *t = s->triangles[faces[i]];
        const vec3 a = v3_sub(s->vertices[t[0]], o), b = v3_sub(s->vertices[t[1]], o);
        const vec3 c = v3_sub(s->vertices[t[2]], o);
        p->volume += v3_dot(a, v3_cross(b, c)) / 6.0;
        for (int k = 0; k < 3; ++k) {
            const vec3 v = s->vertices[t[k]];
            p->low = v3(fmin(p->low.x, v.x), fmin(p->low.y, v.y), fmin(p->low.z, v.z));
            p->high = v3(fmax(p->high.x, v.x), fmax(p->high.y, v.y), fmax(p->high.z, v.z));
        }
    }
    const int *t = s->triangles[faces[p->first]]; // a point of it that is no corner
    p->inside = v3_scale(v3_add(s->vertices[t[0]], v3_add(s->vertices[t[1]], s->vertices[t[2]])), 1.0 / 3.0);
}

static int sign_of(const struct island *p) { return p->volume < 0.0 ? -1 : 1; }

static bool box_in_box(const struct island *a, const struct island *b)
{
    return a->low.x >= b->low.x && a->low.y >= b->low.y && a->low.z >= b->low.z && a->high.x <= b->high.x &&
           a->high.y <= b->high.y && a->high.z <= b->high.z;
}

// Is the point inside the piece? The solid angle that its faces fill, [vanoosterom1983], is 4 pi or 0.
static bool encloses(const struct shell *s, const int *faces, const struct island *p, vec3 at)
{
    double angle = 0.0;

    for (int i = p->first; i < p->end; ++i) {
        const int *t = s->triangles[faces[i]];
        const vec3 a = v3_sub(s->vertices[t[0]], at), b = v3_sub(s->vertices[t[1]], at);
        const vec3 c = v3_sub(s->vertices[t[2]], at);
        const double la = v3_length(a), lb = v3_length(b), lc = v3_length(c);
        angle += 2.0 * m_atan2(v3_dot(a, v3_cross(b, c)),
                               la * lb * lc + v3_dot(a, b) * lc + v3_dot(b, c) * la + v3_dot(c, a) * lb);
    }
    return fabs(angle) > 2.0 * PI;
}

// The largest of the pieces with this sign (0: any) around piece i becomes its root. False: that took too long.
static bool find_root(const struct shell *s, const int *faces, struct island *pieces, int i, int sign,
                      double *effort)
{
    struct island *p = &pieces[i];

    for (int k = 0; k < s->part_count; ++k) {
        const struct island *q = &pieces[k];
        if ((*effort += BOX_EFFORT) > NEST_EFFORT) return false;
        if (k == i || (sign && (q->root != k || sign_of(q) != sign))) continue;
        if (fabs(q->volume) <= fabs(pieces[p->root].volume) || !box_in_box(p, q)) continue;
        *effort += q->end - q->first;
        if (encloses(s, faces, q, p->inside)) p->root = k;
    }
    return true;
}

// Roots as far as they matter: whether a root looks inwards or outwards. Those of the rarer sign are all looked
// for; another piece then has a root of its own sign, if not itself, unless one of the rarer roots is around it.
static bool find_roots(const struct shell *s, const int *faces, struct island *pieces, int rare)
{
    double effort = 0.0;
    int roots = 0;

    for (int i = 0; i < s->part_count; ++i) {
        if (sign_of(&pieces[i]) != rare) continue;
        if (!find_root(s, faces, pieces, i, 0, &effort)) return false;
        roots += pieces[i].root == i;
    }
    for (int i = 0; roots > 0 && i < s->part_count; ++i)
        if (sign_of(&pieces[i]) != rare && !find_root(s, faces, pieces, i, rare, &effort)) return false;
    return true;
}

// The faces of each part, one part after the other.
static bool list_pieces(struct shell *s, int **faces, struct island **pieces)
{
    *faces = shell_take(s, (size_t)s->triangle_count, sizeof **faces);
    *pieces = shell_take(s, (size_t)s->part_count, sizeof **pieces);
    if (!*faces || !*pieces) return false;
    for (int t = 0; t < s->triangle_count; ++t) (*pieces)[s->part[t]].end++;
    for (int i = 0, at = 0; i < s->part_count; ++i) {
        struct island *p = &(*pieces)[i];
        const int count = p->end;
        p->first = p->end = at;
        p->root = i;
        at += count;
    }
    for (int t = 0; t < s->triangle_count; ++t) (*faces)[(*pieces)[s->part[t]].end++] = t;
    for (int i = 0; i < s->part_count; ++i) measure(s, *faces, &(*pieces)[i]);
    return true;
}

// The outermost part of each nest has to look outwards, and what is inside it turns along: so a hollow stays one,
// also in a file that is inside out as a whole. Only where parts differ must nests be found.
bool shell_outward(struct shell *s, bool *lost)
{
    int *faces, inward = 0;
    struct island *pieces;

    if (!list_pieces(s, &faces, &pieces)) return false;
    for (int i = 0; i < s->part_count; ++i) inward += sign_of(&pieces[i]) < 0;
    const int outward = s->part_count - inward;
    if (inward > 0 && outward > 0 && !find_roots(s, faces, pieces, inward <= outward ? -1 : 1)) {
        *lost = true;
        return true;
    }
    for (int i = 0; inward > 0 && i < s->part_count; ++i) {
        const bool turn = sign_of(&pieces[pieces[i].root]) < 0;
        s->facts->cavities += (sign_of(&pieces[i]) < 0) != turn;
        for (int k = pieces[i].first; turn && k < pieces[i].end; ++k) {
            int *t = s->triangles[faces[k]];
            const int corner = t[1];
            t[1] = t[2];
            t[2] = corner;
            if (faces[k] < s->own_count) s->turned[faces[k]] = !s->turned[faces[k]];
        }
    }
    return true;
}
