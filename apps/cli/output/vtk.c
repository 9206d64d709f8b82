// One .vti (VTK ImageData, XML with raw appended data) per frame and series.pvd with their times.
//
// Points of the image are the centres of the columns, in the plane y = 0 with y up, so that ParaView's
// "Warp By Scalar" along (0, 1, 0) shows the surface, or the bed, in its place.
#include "time_series.h"

#include <string.h>

int vtk_begin(struct vtk *vtk, const struct output *output)
{
    vtk->output = output;
    vtk->frames = 0;
    const int code = file_begin(&vtk->series, output, "series.pvd");
    if (code != 0) return code;
    fputs("<?xml version=\"1.0\"?>\n"
          "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
          "  <Collection>\n",
          vtk->series.stream);
    return 0;
}

int vtk_resume(struct vtk *vtk, const struct output *output, const struct record_mark *from)
{
    vtk->output = output;
    vtk->frames = (int)from->frames;
    return file_resume(&vtk->series, output, "series.pvd", from->series);
}

int vtk_mark(struct vtk *vtk, struct record_mark *mark)
{
    mark->frames = vtk->frames;
    return file_mark(&vtk->series, &mark->series);
}

static void put_le(FILE *out, uint64_t bits, int bytes)
{
    unsigned char b[8];
    for (int i = 0; i < bytes; ++i) b[i] = (unsigned char)(bits >> (8 * i));
    fwrite(b, 1, (size_t)bytes, out);
}

// A field less another; NULL is 0 everywhere.
static void put_field(FILE *out, const float *field, const float *less, size_t count)
{
    enum { CHUNK = 1024 };
    unsigned char b[4 * CHUNK];

    put_le(out, 4 * (uint64_t)count, 8);
    while (count > 0) {
        const size_t n = count < CHUNK ? count : CHUNK;
        for (size_t i = 0; i < n; ++i) {
            const float value = (field ? field[i] : 0.0f) - (less ? less[i] : 0.0f);
            uint32_t bits;
            memcpy(&bits, &value, 4);
            for (int k = 0; k < 4; ++k) b[4 * i + (size_t)k] = (unsigned char)(bits >> (8 * k));
        }
        fwrite(b, 4, n, out);
        field = field ? field + n : NULL;
        less = less ? less + n : NULL;
        count -= n;
    }
}

struct field {
    const char *name;
    const float *values, *less;
};

enum { FIELDS = 7 };

static int list_fields(const tarn_frame *f, struct field out[FIELDS])
{
    const struct field surface[] = {{"height", f->height, NULL},
                                    {"speed_x", f->speed_x, NULL},
                                    {"speed_z", f->speed_z, NULL},
                                    {"bed", f->bed, NULL},
                                    {"depth", f->height, f->bed}};
    const struct field flat[FIELDS] = {{"dye", f->dye, NULL},           {"heat", f->heat, NULL},
                                       {"speed_x", f->speed_x, NULL},   {"speed_y", f->speed_z, NULL},
                                       {"pressure", f->pressure, NULL}, {"vorticity", f->vorticity, NULL},
                                       {"open", f->open, NULL}};

    if (f->flat)
        memcpy(out, flat, sizeof flat);
    else
        memcpy(out, surface, sizeof surface);
    return f->flat ? FIELDS : (int)(sizeof surface / sizeof surface[0]);
}

// A height field lies in the plane y = 0, the model flow in z = 0.
static void put_image(FILE *out, const tarn_frame *f)
{
    struct field fields[FIELDS];
    const int count = list_fields(f, fields);
    const size_t cells = (size_t)f->nx * (size_t)f->nz;
    char extent[64];

    snprintf(extent, sizeof extent, f->flat ? "0 %d 0 %d 0 0" : "0 %d 0 0 0 %d", f->nx - 1, f->nz - 1);
    fprintf(
        out,
        "<?xml version=\"1.0\"?>\n"
        "<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
        "  <ImageData WholeExtent=\"%s\" Origin=\"%.17g %.17g %.17g\" Spacing=\"%.17g %.17g %.17g\">\n"
        "    <Piece Extent=\"%s\">\n"
        "      <PointData Scalars=\"%s\">\n",
        extent, f->x0, f->flat ? f->z0 : 0.0, f->flat ? 0.0 : f->z0, f->dx, f->dx, f->dx, extent,
        fields[0].name);
    for (int i = 0; i < count; ++i)
        fprintf(out,
                "        <DataArray type=\"Float32\" Name=\"%s\" format=\"appended\" offset=\"%llu\"/>\n",
                fields[i].name, (unsigned long long)i * (8 + 4 * (unsigned long long)cells));
    fputs("      </PointData>\n    </Piece>\n  </ImageData>\n  <AppendedData encoding=\"raw\">\n   _", out);
    for (int i = 0; i < count; ++i) put_field(out, fields[i].values, fields[i].less, cells);
    fputs("\n  </AppendedData>\n</VTKFile>\n", out);
}

int vtk_write(struct vtk *vtk, double time, const tarn_frame *frame)
{
    struct whole_file file;
    char name[32];

    output_frame_name(name, sizeof name, vtk->frames);
    int code = file_begin(&file, vtk->output, name);
    if (code == 0) {
        put_image(file.stream, frame);
        code = file_finish(&file);
    }
    if (code != 0) return code;
    ++vtk->frames;
    fprintf(vtk->series.stream, "    <DataSet timestep=\"%.9g\" part=\"0\" file=\"%s\"/>\n", time, name);
    return file_flush(&vtk->series);
}

int vtk_finish(struct vtk *vtk)
{
    fputs("  </Collection>\n</VTKFile>\n", vtk->series.stream);
    return file_finish(&vtk->series);
}

void vtk_abandon(struct vtk *vtk) { file_abandon(&vtk->series); }
