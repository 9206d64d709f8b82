// tarn info: what a mesh file holds, and whether it is a solid.
#include "apps/cli/commands.h"
#include "apps/common/app.h"

static const char *plural(int n) { return n == 1 ? "" : "s"; }

static void print_vector(const char *name, tarn_vec3 v, const char *unit)
{
    printf("  %-12s %.6g %.6g %.6g %s\n", name, v.x, v.y, v.z, unit);
}

static void print_surface(const tarn_mesh_facts *f)
{
    printf("  %-12s ", "surface");
    if (f->closed)
        printf("closed");
    else
        printf("not a solid: %s", f->trouble);
    if (f->parts > 0) printf(", %d part%s", f->parts, plural(f->parts));
    if (f->cavities > 0) printf(", of them %d inside others as hollows", f->cavities);
    printf("\n");
    if (f->open_edges > 0) printf("  %-12s %d\n", "open edges", f->open_edges);
    if (f->holes > 0) printf("  %-12s %d small one%s capped\n", "holes", f->holes, plural(f->holes));
    if (f->closed && f->turned > 0)
        printf("  %-12s outward, after turning %d face%s round\n", "orientation", f->turned,
               plural(f->turned));
    else if (f->closed)
        printf("  %-12s outward\n", "orientation");
}

static void print_facts(const char *path, const tarn_mesh_facts *f)
{
    print_clean(stdout, path);
    printf("\n  %-12s %d", "triangles", f->triangles);
    if (f->dropped > 0) printf(", %d of them without area or there twice", f->dropped);
    printf("\n  %-12s %d, %d after welding\n", "vertices", f->vertices, f->welded);
    print_surface(f);
    if (f->closed) {
        printf("  %-12s %.6g m^3\n", "volume", f->volume);
        print_vector("centre", f->centre, "m");
        print_vector("inertia", f->inertia, "kg m^2 (principal, for 1 kg/m^3)");
    }
    print_vector("box from", f->box_min, "m");
    print_vector("box to", f->box_max, "m");
}

static void write_facts(struct json *json, const tarn_mesh_facts *f)
{
    json_integer(json, "triangles", f->triangles);
    json_integer(json, "vertices", f->vertices);
    json_integer(json, "welded_vertices", f->welded);
    json_integer(json, "dropped_faces", f->dropped);
    json_integer(json, "turned_faces", f->turned);
    json_integer(json, "parts", f->parts);
    json_integer(json, "cavities", f->cavities);
    json_integer(json, "capped_holes", f->holes);
    json_integer(json, "open_edges", f->open_edges);
    json_integer(json, "crowded_edges", f->crowded_edges);
    json_flag(json, "closed", f->closed);
    json_text(json, "trouble", f->trouble);
    if (f->closed) {
        json_number(json, "volume", f->volume);
        json_vector(json, "centre", f->centre);
        json_vector(json, "inertia", f->inertia);
    }
    json_vector(json, "box_min", f->box_min);
    json_vector(json, "box_max", f->box_max);
}

static int info_one(const char *path, struct json *json)
{
    tarn_notes notes = {0};
    tarn_mesh_facts facts;
    const tarn_result r = tarn_mesh_facts_of(path, &facts, &notes);

    if (json) {
        json_open(json, NULL, '{');
        json_text(json, "file", path);
        json_flag(json, "ok", r == TARN_OK);
        json_text(json, "result", result_text(r));
        json_notes(json, "notes", &notes);
        if (r == TARN_OK) write_facts(json, &facts);
        json_close(json);
    } else if (r == TARN_OK) {
        print_facts(path, &facts);
    } else if (notes.count > 0) {
        print_notes(stderr, &notes);
    } else {
        complain(0, "%s: %s", path, result_text(r));
    }
    tarn_notes_free(&notes);
    return (int)r;
}

int command_info(int argc, char **argv)
{
    static const struct usage usage = {
        "tarn info FILE... [--json]",
        "Reads each mesh file (OBJ, PLY, STL, glTF) and tells what it is like as a solid: triangles, "
        "vertices\n"
        "before and after welding, closed or how many open edges, volume, centre, principal inertia and box, "
        "in\n"
        "metres as the file has them. Holes of up to 64 edges are capped, faces turned outwards; it is "
        "told.\n"
        "Exit code 3 if a file is no mesh, 4 if it cannot be read. A mesh with holes is no mistake here.\n",
        "  tarn info bunny.obj\n"
        "  tarn info boat.glb buoy.stl --json\n",
        1,
        -1,
    };
    int as_json = 0, words;
    const struct option options[] = {
        {OPTION_FLAG, "json", 0, NULL, &as_json, 0, 0, "an array of objects on stdout, one for each file"},
        {OPTION_END, NULL, 0, NULL, NULL, 0, 0, NULL},
    };

    const int code = options_read(&usage, options, argc, argv, &words);
    if (code >= 0) return code;
    return json_each(argv + 1, words, as_json, info_one);
}
