// One .vti (VTK ImageData, XML with raw appended data) per frame and series.pvd with their times.
//
// Points of the image are the centres of the columns, in the plane y = 0 with y up, so that ParaView's
// "Warp By Scalar" along (0, 1, 0) shows the surface, or the bed, in its place.
#include "time_series.h"

#include <string.h>

int vtk_create(struct vtk *vtk, const struct output_dir *output)
{
    vtk->output = output;
    vtk->frames = 0;
    const int code = atomic_file_create(&vtk->series, output, "series.pvd");
    if (code != 0) return code;
    fputs("<?xml version=\"1.0\"?>\n"
          "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
          "  <Collection>\n",
          vtk->series.stream);
    return 0;
}

int vtk_resume(struct vtk *vtk, const struct output_dir *output, const struct output_position *from)
{
    vtk->output = output;
    vtk->frames = (int)from->frames;
    return atomic_file_reopen(&vtk->series, output, "series.pvd", from->series);
}

int vtk_sync(struct vtk *vtk, struct output_position *mark)
{
    mark->frames = vtk->frames;
    return atomic_file_sync(&vtk->series, &mark->series);
}

static void put_le(FILE *out, uint64_t bits, int bytes)
{
    unsigned char b[8];
    for (int i = 0; i < bytes; ++i) b[i] = (unsigned char)(bits >> (8 * i));
    fwrite(b, 1, (size_t)bytes, out);
}

// A scalar array has one component, a vector three; NULL is 0 everywhere. `subtract` is subtracted.
struct array {
    const char *name;
    int components;
    const float *values[3], *subtract;
};

static void put_array(FILE *out, const struct array *a, size_t count)
{
    enum { CHUNK = 3 * 1024 }; // a multiple of the number of components
    unsigned char bytes[4 * CHUNK];
    size_t used = 0;

    put_le(out, 4 * (uint64_t)a->components * count, 8);
    for (size_t i = 0; i < count; ++i)
        for (int k = 0; k < a->components; ++k) {
            const float value =
                (a->values[k] ? a->values[k][i] : 0.0f) - (a->subtract ? a->subtract[i] : 0.0f);
            uint32_t bits;
            memcpy(&bits, &value, 4);
            for (int b = 0; b < 4; ++b) bytes[used++] = (unsigned char)(bits >> (8 * b));
            if (used < sizeof bytes) continue;
            fwrite(bytes, 1, used, out);
            used = 0;
        }
    fwrite(bytes, 1, used, out);
}

enum { MAX_ARRAYS = 6 };

static int list_arrays(const tarn_frame *f, struct array out[MAX_ARRAYS])
{
    const struct array surface[] = {{"height", 1, {f->height}, NULL},
                                    {"velocity", 3, {f->velocity_x, NULL, f->velocity_z}, NULL},
                                    {"bed", 1, {f->bed}, NULL},
                                    {"depth", 1, {f->height}, f->bed}};
    const struct array planar[] = {{"dye", 1, {f->dye}, NULL},
                                   {"temperature", 1, {f->temperature}, NULL},
                                   {"velocity", 3, {f->velocity_x, f->velocity_z, NULL}, NULL},
                                   {"pressure", 1, {f->pressure}, NULL},
                                   {"vorticity", 1, {f->vorticity}, NULL},
                                   {"fluid_fraction", 1, {f->open}, NULL}};

    if (f->planar)
        memcpy(out, planar, sizeof planar);
    else
        memcpy(out, surface, sizeof surface);
    return (int)(f->planar ? sizeof planar / sizeof planar[0] : sizeof surface / sizeof surface[0]);
}

// A height field lies in the plane y = 0, the model flow in z = 0.
static void put_image(FILE *out, const tarn_frame *f)
{
    struct array arrays[MAX_ARRAYS];
    const int count = list_arrays(f, arrays);
    const size_t cells = (size_t)f->nx * (size_t)f->nz;
    unsigned long long offset = 0; // [bytes] in the appended data; a block is its size and its values
    char extent[64];

    snprintf(extent, sizeof extent, f->planar ? "0 %d 0 %d 0 0" : "0 %d 0 0 0 %d", f->nx - 1, f->nz - 1);
    fprintf(
        out,
        "<?xml version=\"1.0\"?>\n"
        "<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
        "  <ImageData WholeExtent=\"%s\" Origin=\"%.17g %.17g %.17g\" Spacing=\"%.17g %.17g %.17g\">\n"
        "    <Piece Extent=\"%s\">\n"
        "      <PointData Scalars=\"%s\" Vectors=\"velocity\">\n",
        extent, f->x0, f->planar ? f->z0 : 0.0, f->planar ? 0.0 : f->z0, f->cell_size, f->cell_size,
        f->cell_size, extent, arrays[0].name);
    for (int i = 0; i < count; ++i) {
        fprintf(
            out,
            "        <DataArray type=\"Float32\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" "
            "offset=\"%llu\"/>\n",
            arrays[i].name, arrays[i].components, offset);
        offset += 8 + 4 * (unsigned long long)arrays[i].components * cells;
    }
    fputs("      </PointData>\n    </Piece>\n  </ImageData>\n  <AppendedData encoding=\"raw\">\n   _", out);
    for (int i = 0; i < count; ++i) put_array(out, &arrays[i], cells);
    fputs("\n  </AppendedData>\n</VTKFile>\n", out);
}

int vtk_write(struct vtk *vtk, double time, const tarn_frame *frame)
{
    struct atomic_file file;
    char name[32];

    frame_file_name(name, sizeof name, vtk->frames);
    int code = atomic_file_create(&file, vtk->output, name);
    if (code == 0) {
        put_image(file.stream, frame);
        code = atomic_file_commit(&file);
    }
    if (code != 0) return code;
    ++vtk->frames;
    fprintf(vtk->series.stream, "    <DataSet timestep=\"%.9g\" part=\"0\" file=\"%s\"/>\n", time, name);
    return atomic_file_flush(&vtk->series);
}

int vtk_finish(struct vtk *vtk)
{
    fputs("  </Collection>\n</VTKFile>\n", vtk->series.stream);
    return atomic_file_commit(&vtk->series);
}

void vtk_discard(struct vtk *vtk) { atomic_file_discard(&vtk->series); }
