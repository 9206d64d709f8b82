// Vertex welding: vertices closer than a tolerance are merged. Space is divided into cells of four
// tolerances; each vertex searches its own cell for an earlier vertex, and the neighbouring cells within the
// tolerance of a cell boundary. Occupied cells are found by binary search in a sorted list, not by hashing:
// no input can make it slow.
#include "repair.h"

#include <string.h>

#define CELL_TOLERANCES 4.0 // cell size in tolerances; a cell holds at most some hundred distinct vertices
#define KEY_BITS        18  // per axis; there are 1 / (WELD_TOLERANCE * CELL_TOLERANCES) = 250000 cells
#define INDEX_BITS      16  // leading bits of a key that index the sorted list directly

struct weld_grid {
    uint64_t *keys; // of occupied cells, sorted, without duplicates
    int count;
    int *start; // [leading bits] first key with these bits
    int *head;  // [cell] the vertex added last; -1: none
    int *next;  // [vertex] the vertex added before it to the same cell
    double tolerance, cell_size;
    vec3 box_min;
};

void *arena_alloc(struct repair_mesh *s, size_t count, size_t size)
{
    if (s->block_count == ARENA_BLOCKS) return NULL;
    void *p = memory_alloc(s->memory, count, size);
    if (!p) return NULL;
    s->blocks[s->block_count].p = p;
    s->blocks[s->block_count].count = count;
    s->blocks[s->block_count++].size = size;
    return p;
}

void arena_release(struct repair_mesh *s, int mark)
{
    while (s->block_count > mark) {
        s->block_count--;
        memory_free(s->memory, s->blocks[s->block_count].p, s->blocks[s->block_count].count,
                    s->blocks[s->block_count].size);
    }
}

void counting_sort(const int *keys, int n, int range, int *order, int *spare, int *count)
{
    memset(count, 0, ((size_t)range + 1) * sizeof *count);
    for (int i = 0; i < n; ++i) count[keys[order[i]] + 1]++;
    for (int k = 0; k < range; ++k) count[k + 1] += count[k];
    for (int i = 0; i < n; ++i) spare[count[keys[order[i]]]++] = order[i];
    memcpy(order, spare, (size_t)n * sizeof *order);
}

// ---- cells ------------------------------------------------------------------------------------------

static double cell_of(const struct weld_grid *c, double from_low)
{
    const double k = floor(from_low / c->cell_size);
    return k < 0.0 ? 0.0 : k > (1 << KEY_BITS) - 1 ? (1 << KEY_BITS) - 1 : k;
}

static uint64_t key_of(double x, double y, double z)
{
    return (uint64_t)x << 2 * KEY_BITS | (uint64_t)y << KEY_BITS | (uint64_t)z;
}

static uint64_t key_at(const struct weld_grid *c, vec3 p)
{
    return key_of(cell_of(c, p.x - c->box_min.x), cell_of(c, p.y - c->box_min.y),
                  cell_of(c, p.z - c->box_min.z));
}

// Least-significant-digit radix sort: five digits of 11 bits cover 3 * KEY_BITS bits.
static void radix_sort_keys(uint64_t *keys, uint64_t *spare, int n)
{
    for (int shift = 0; shift < 55; shift += 11) {
        int count[2049] = {0};
        for (int i = 0; i < n; ++i) count[(keys[i] >> shift & 2047) + 1]++;
        for (int k = 0; k < 2048; ++k) count[k + 1] += count[k];
        for (int i = 0; i < n; ++i) spare[count[keys[i] >> shift & 2047]++] = keys[i];
        memcpy(keys, spare, (size_t)n * sizeof *keys);
    }
}

static bool weld_grid_build(struct repair_mesh *s, struct weld_grid *c)
{
    const size_t n = (size_t)s->vertex_count, tops = (size_t)1 << INDEX_BITS;

    c->keys = arena_alloc(s, n, sizeof *c->keys);
    c->start = arena_alloc(s, tops + 1, sizeof *c->start);
    c->head = arena_alloc(s, n, sizeof *c->head);
    c->next = arena_alloc(s, n, sizeof *c->next);
    const int mark = arena_mark(s);
    uint64_t *spare = arena_alloc(s, n, sizeof *spare);
    if (!c->keys || !c->start || !c->head || !c->next || !spare) return false;
    for (size_t i = 0; i < n; ++i) c->keys[i] = key_at(c, s->vertices[i]);
    radix_sort_keys(c->keys, spare, s->vertex_count);
    arena_release(s, mark);
    for (size_t i = 0; i < n; ++i)
        if (i == 0 || c->keys[i] != c->keys[i - 1]) c->keys[c->count++] = c->keys[i];
    for (int i = 0; i < c->count; ++i) {
        c->head[i] = -1;
        c->start[(c->keys[i] >> (3 * KEY_BITS - INDEX_BITS)) + 1]++;
    }
    for (size_t k = 0; k < tops; ++k) c->start[k + 1] += c->start[k];
    return true;
}

// Returns the index of the cell, -1 if it is empty.
static int weld_grid_find(const struct weld_grid *c, uint64_t key)
{
    const uint64_t top = key >> (3 * KEY_BITS - INDEX_BITS);
    int low = c->start[top], high = c->start[top + 1];

    while (low < high) {
        const int mid = low + (high - low) / 2;
        if (c->keys[mid] < key)
            low = mid + 1;
        else
            high = mid;
    }
    return low < c->start[top + 1] && c->keys[low] == key ? low : -1;
}

// Returns the first kept vertex within the tolerance of p, -1: none.
static int find_within_tolerance(const struct repair_mesh *s, const struct weld_grid *c, vec3 p)
{
    const double t = c->tolerance;
    const vec3 q = v3_sub(p, c->box_min);
    int best = -1;

    for (double x = cell_of(c, q.x - t); x <= cell_of(c, q.x + t); x += 1.0)
        for (double y = cell_of(c, q.y - t); y <= cell_of(c, q.y + t); y += 1.0)
            for (double z = cell_of(c, q.z - t); z <= cell_of(c, q.z + t); z += 1.0) {
                const int cell = weld_grid_find(c, key_of(x, y, z));
                for (int v = cell < 0 ? -1 : c->head[cell]; v >= 0; v = c->next[v]) {
                    const vec3 d = v3_sub(s->vertices[v], p);
                    if (v3_dot(d, d) <= t * t && (best < 0 || v < best)) best = v;
                }
            }
    return best;
}

// ---- welding ----------------------------------------------------------------------------------------

// Copies the vertices that triangles use, relative to the centre of their bounding box. new_index[input
// vertex] is its index in the mesh, -1 for unused vertices.
static void copy_used_vertices(struct repair_mesh *s, const struct triangle_soup *in, int *where)
{
    vec3 low = v3(MAX_MESH_COORDINATE, MAX_MESH_COORDINATE, MAX_MESH_COORDINATE), high = v3_scale(low, -1.0);

    for (int i = 0; i < in->vertex_count; ++i) where[i] = -1;
    for (int i = 0; i < 3 * in->triangle_count; ++i) where[in->triangles[i]] = 0;
    for (int i = 0; i < in->vertex_count; ++i) {
        const double *p = in->vertices + 3 * (size_t)i;
        if (where[i] < 0) continue;
        low = v3(fmin(low.x, p[0]), fmin(low.y, p[1]), fmin(low.z, p[2]));
        high = v3(fmax(high.x, p[0]), fmax(high.y, p[1]), fmax(high.z, p[2]));
    }
    const vec3 size = v3_sub(high, low);
    s->report->box_min = low;
    s->report->box_max = high;
    s->origin = v3_scale(v3_add(low, high), 0.5);
    s->extent = fmax(size.x, fmax(size.y, size.z));
    for (int i = 0; i < in->vertex_count; ++i) {
        const double *p = in->vertices + 3 * (size_t)i;
        if (where[i] < 0) continue;
        where[i] = s->vertex_count;
        s->vertices[s->vertex_count++] = v3_sub(v3(p[0], p[1], p[2]), s->origin);
    }
}

// Keeps the first of the vertices within the tolerance of each other, compacts the list and updates
// new_index.
static bool merge_vertices(struct repair_mesh *s, const struct triangle_soup *in, int *where)
{
    struct weld_grid c = {.tolerance = WELD_TOLERANCE * s->extent};
    int kept = 0;

    c.cell_size = CELL_TOLERANCES * c.tolerance;
    c.box_min = v3_sub(s->report->box_min, s->origin);
    if (!(c.cell_size > 0.0)) { // all vertices coincide
        for (int i = 0; i < in->vertex_count; ++i) where[i] = 0;
        s->vertex_count = 1;
        return true;
    }
    int *to = arena_alloc(s, (size_t)s->vertex_count, sizeof *to);
    if (!to || !weld_grid_build(s, &c)) return false;
    for (int i = 0; i < s->vertex_count; ++i) {
        const vec3 p = s->vertices[i];
        int v = find_within_tolerance(s, &c, p);
        if (v < 0) {
            const int cell = weld_grid_find(&c, key_at(&c, p));
            v = kept++;
            s->vertices[v] = p;
            c.next[v] = c.head[cell];
            c.head[cell] = v;
        }
        to[i] = v;
    }
    s->vertex_count = kept;
    for (int i = 0; i < in->vertex_count; ++i)
        if (where[i] >= 0) where[i] = to[where[i]];
    return true;
}

bool mesh_weld(struct repair_mesh *s, const struct triangle_soup *in)
{
    s->vertices = arena_alloc(s, (size_t)in->vertex_count, sizeof *s->vertices);
    s->triangles = arena_alloc(s, (size_t)in->triangle_count, sizeof *s->triangles);
    const int mark = arena_mark(s);
    int *where = arena_alloc(s, (size_t)in->vertex_count, sizeof *where);
    if (!s->vertices || !s->triangles || !where) return false;
    copy_used_vertices(s, in, where);
    const bool fine = merge_vertices(s, in, where);
    for (int t = 0; fine && t < in->triangle_count; ++t) {
        const int *from = in->triangles + 3 * (size_t)t;
        const int a = where[from[0]], b = where[from[1]], c = where[from[2]];
        if (a == b || b == c || c == a) continue; // two vertices were merged: no area
        int *to = s->triangles[s->triangle_count++];
        to[0] = a, to[1] = b, to[2] = c;
    }
    arena_release(s, mark);
    return fine;
}
