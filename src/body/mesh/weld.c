// Vertex welding: vertices closer than a tolerance are merged. Space is divided into cells of four
// tolerances; each vertex searches its own cell for an earlier vertex, and the neighbouring cells within the
// tolerance of a cell boundary. Occupied cells are found by binary search in a sorted list, not by hashing:
// no input can make it slow.
#include "body/mesh/repair.h"

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

// ---- cells ------------------------------------------------------------------------------------------

static double cell_of(const struct weld_grid *grid, double offset)
{
    const double cell = floor(offset / grid->cell_size);
    return cell < 0.0 ? 0.0 : cell > (1 << KEY_BITS) - 1 ? (1 << KEY_BITS) - 1 : cell;
}

static uint64_t key_of(double x, double y, double z)
{
    return (uint64_t)x << 2 * KEY_BITS | (uint64_t)y << KEY_BITS | (uint64_t)z;
}

static uint64_t key_at(const struct weld_grid *grid, vec3 p)
{
    return key_of(cell_of(grid, p.x - grid->box_min.x), cell_of(grid, p.y - grid->box_min.y),
                  cell_of(grid, p.z - grid->box_min.z));
}

// Least-significant-digit radix sort: five digits of 11 bits cover 3 * KEY_BITS bits.
static void radix_sort_keys(uint64_t *keys, uint64_t *scratch, int n)
{
    for (int shift = 0; shift < 55; shift += 11) {
        int count[2049] = {0};
        for (int i = 0; i < n; ++i) count[(keys[i] >> shift & 2047) + 1]++;
        for (int k = 0; k < 2048; ++k) count[k + 1] += count[k];
        for (int i = 0; i < n; ++i) scratch[count[keys[i] >> shift & 2047]++] = keys[i];
        memcpy(keys, scratch, (size_t)n * sizeof *keys);
    }
}

static bool weld_grid_build(struct repair_mesh *mesh, struct weld_grid *grid)
{
    const size_t n = (size_t)mesh->vertex_count, index_size = (size_t)1 << INDEX_BITS;

    grid->keys = arena_alloc(&mesh->arena, n, sizeof *grid->keys);
    grid->start = arena_alloc(&mesh->arena, index_size + 1, sizeof *grid->start);
    grid->head = arena_alloc(&mesh->arena, n, sizeof *grid->head);
    grid->next = arena_alloc(&mesh->arena, n, sizeof *grid->next);
    const int mark = arena_mark(&mesh->arena);
    uint64_t *scratch = arena_alloc(&mesh->arena, n, sizeof *scratch);
    if (!grid->keys || !grid->start || !grid->head || !grid->next || !scratch) return false;
    for (size_t i = 0; i < n; ++i) grid->keys[i] = key_at(grid, mesh->vertices[i]);
    radix_sort_keys(grid->keys, scratch, mesh->vertex_count);
    arena_release(&mesh->arena, mark);
    for (size_t i = 0; i < n; ++i)
        if (i == 0 || grid->keys[i] != grid->keys[i - 1]) grid->keys[grid->count++] = grid->keys[i];
    for (int i = 0; i < grid->count; ++i) {
        grid->head[i] = -1;
        grid->start[(grid->keys[i] >> (3 * KEY_BITS - INDEX_BITS)) + 1]++;
    }
    for (size_t k = 0; k < index_size; ++k) grid->start[k + 1] += grid->start[k];
    return true;
}

// Returns the index of the cell, -1 if it is empty.
static int weld_grid_find(const struct weld_grid *grid, uint64_t key)
{
    const uint64_t leading = key >> (3 * KEY_BITS - INDEX_BITS);
    int low = grid->start[leading], high = grid->start[leading + 1];

    while (low < high) {
        const int mid = low + (high - low) / 2;
        if (grid->keys[mid] < key)
            low = mid + 1;
        else
            high = mid;
    }
    return low < grid->start[leading + 1] && grid->keys[low] == key ? low : -1;
}

// Returns the first kept vertex within the tolerance of p, -1: none.
static int find_within_tolerance(const struct repair_mesh *mesh, const struct weld_grid *grid, vec3 p)
{
    const double tolerance = grid->tolerance;
    const vec3 offset = v3_sub(p, grid->box_min);
    int best = -1;

    for (double x = cell_of(grid, offset.x - tolerance); x <= cell_of(grid, offset.x + tolerance); x += 1.0)
        for (double y = cell_of(grid, offset.y - tolerance); y <= cell_of(grid, offset.y + tolerance);
             y += 1.0)
            for (double z = cell_of(grid, offset.z - tolerance); z <= cell_of(grid, offset.z + tolerance);
                 z += 1.0) {
                const int cell = weld_grid_find(grid, key_of(x, y, z));
                for (int v = cell < 0 ? -1 : grid->head[cell]; v >= 0; v = grid->next[v]) {
                    const vec3 d = v3_sub(mesh->vertices[v], p);
                    if (v3_dot(d, d) <= tolerance * tolerance && (best < 0 || v < best)) best = v;
                }
            }
    return best;
}

// ---- welding ----------------------------------------------------------------------------------------

// Copies the vertices that triangles use, relative to the centre of their bounding box. new_index[input
// vertex] is its index in the mesh, -1 for unused vertices.
static void copy_used_vertices(struct repair_mesh *mesh, const struct triangle_soup *in, int *new_index)
{
    vec3 box_min = v3(MAX_MESH_COORDINATE, MAX_MESH_COORDINATE, MAX_MESH_COORDINATE),
         box_max = v3_scale(box_min, -1.0);

    for (int i = 0; i < in->vertex_count; ++i) new_index[i] = -1;
    for (int i = 0; i < 3 * in->triangle_count; ++i) new_index[in->triangles[i]] = 0;
    for (int i = 0; i < in->vertex_count; ++i) {
        const double *p = in->vertices + 3 * (size_t)i;
        if (new_index[i] < 0) continue;
        box_min = v3(fmin(box_min.x, p[0]), fmin(box_min.y, p[1]), fmin(box_min.z, p[2]));
        box_max = v3(fmax(box_max.x, p[0]), fmax(box_max.y, p[1]), fmax(box_max.z, p[2]));
    }
    const vec3 size = v3_sub(box_max, box_min);
    mesh->report->box_min = box_min;
    mesh->report->box_max = box_max;
    mesh->origin = v3_scale(v3_add(box_min, box_max), 0.5);
    mesh->extent = fmax(size.x, fmax(size.y, size.z));
    for (int i = 0; i < in->vertex_count; ++i) {
        const double *p = in->vertices + 3 * (size_t)i;
        if (new_index[i] < 0) continue;
        new_index[i] = mesh->vertex_count;
        mesh->vertices[mesh->vertex_count++] = v3_sub(v3(p[0], p[1], p[2]), mesh->origin);
    }
}

// Keeps the first of the vertices within the tolerance of each other, compacts the list and updates
// new_index.
static bool merge_vertices(struct repair_mesh *mesh, const struct triangle_soup *in, int *new_index)
{
    struct weld_grid grid = {.tolerance = WELD_TOLERANCE * mesh->extent};
    int kept_count = 0;

    grid.cell_size = CELL_TOLERANCES * grid.tolerance;
    grid.box_min = v3_sub(mesh->report->box_min, mesh->origin);
    if (!(grid.cell_size > 0.0)) { // all vertices coincide
        for (int i = 0; i < in->vertex_count; ++i) new_index[i] = 0;
        mesh->vertex_count = 1;
        return true;
    }
    int *kept_index = arena_alloc(&mesh->arena, (size_t)mesh->vertex_count, sizeof *kept_index);
    if (!kept_index || !weld_grid_build(mesh, &grid)) return false;
    for (int i = 0; i < mesh->vertex_count; ++i) {
        const vec3 p = mesh->vertices[i];
        int kept = find_within_tolerance(mesh, &grid, p);
        if (kept < 0) {
            const int cell = weld_grid_find(&grid, key_at(&grid, p));
            kept = kept_count++;
            mesh->vertices[kept] = p;
            grid.next[kept] = grid.head[cell];
            grid.head[cell] = kept;
        }
        kept_index[i] = kept;
    }
    mesh->vertex_count = kept_count;
    for (int i = 0; i < in->vertex_count; ++i)
        if (new_index[i] >= 0) new_index[i] = kept_index[new_index[i]];
    return true;
}

bool mesh_weld(struct repair_mesh *mesh, const struct triangle_soup *in)
{
    mesh->vertices = arena_alloc(&mesh->arena, (size_t)in->vertex_count, sizeof *mesh->vertices);
    mesh->triangles = arena_alloc(&mesh->arena, (size_t)in->triangle_count, sizeof *mesh->triangles);
    const int mark = arena_mark(&mesh->arena);
    int *new_index = arena_alloc(&mesh->arena, (size_t)in->vertex_count, sizeof *new_index);
    if (!mesh->vertices || !mesh->triangles || !new_index) return false;
    copy_used_vertices(mesh, in, new_index);
    const bool ok = merge_vertices(mesh, in, new_index);
    for (int t = 0; ok && t < in->triangle_count; ++t) {
        const int *source = in->triangles + 3 * (size_t)t;
        const int a = new_index[source[0]], b = new_index[source[1]], c = new_index[source[2]];
        if (a == b || b == c || c == a) continue; // two vertices were merged: no area
        int *triangle = mesh->triangles[mesh->triangle_count++];
        triangle[0] = a, triangle[1] = b, triangle[2] = c;
    }
    arena_release(&mesh->arena, mark);
    return ok;
}
