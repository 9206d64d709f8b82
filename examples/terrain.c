// Terrain at run time: an excavator cuts a trench through a dam row by row, the reservoir empties into the
// valley, and the ledger says that no water was lost.
#include <math.h>
#include <stdio.h>
#include <tarn/tarn.h>

enum { CELLS = 80, TRENCH = 6 }; // [cells] of 0.5 m along each side; width of the trench

// A dam along z at x = 0, 3 m high, with 2.5 m of water on its western side.
static tarn_result make_reservoir(tarn_world **world, tarn_error *err)
{
    tarn_fluid_def water = tarn_default_fluid_def(TARN_FLUID_SHALLOW);
    tarn_bed_def dam = tarn_default_bed_def(TARN_BED_ISLAND);
    tarn_world_def def = tarn_default_world_def();
    tarn_emitter_def fill = tarn_default_emitter_def(TARN_EMITTER_FILL);

    water.shallow.size = (tarn_vec2){40, 40};
    water.shallow.cells[0] = water.shallow.cells[1] = CELLS;
    water.shallow.depth = 0;
    dam.island.axis = TARN_BED_ALONG_X;
    dam.island.radius = 1.5, dam.island.height = 3;
    def.fluid = &water, def.beds = &dam, def.bed_count = 1;
    fill.fill.position = (tarn_vec2){-10, 0};
    fill.fill.size = (tarn_vec2){20, 40};
    fill.fill.level = 2.5;
    tarn_result r = tarn_world_create(&def, world, err);
    return r == TARN_OK ? tarn_emitter_create(*world, &fill, NULL, err) : r;
}

// Dig one row of cells across the middle of the dam down to y = 0.2 m.
static tarn_result dig(tarn_world *world, int row, tarn_error *err)
{
    const tarn_cell_rect cells = {row, CELLS / 2 - TRENCH / 2, 1, TRENCH};
    const tarn_array_layout one_height = {TARN_DOUBLE, 0, 0}; // strides of 0: the same for all cells
    const double height = 0.2;

    return tarn_bed_edit(world, &cells, TARN_BED_SET, &one_height, &height, err);
}

// Depth of the water in the valley, 12 m behind the dam.
static double get_depth(const tarn_world *world) { return tarn_world_get_surface(world, 12, 0).depth; }

int main(void)
{
    tarn_world *world = NULL;
    tarn_error err = {0};
    tarn_result r = make_reservoir(&world, &err);
    double dry = 0.0, wet = 0.0;
    int row = CELLS / 2 + 8;

    for (int n = 0; n < 60 * 12 && r == TARN_OK; ++n) {
        if (n % 12 == 0 && row >= CELLS / 2 - 8) r = dig(world, row--, &err);
        if (r == TARN_OK) r = tarn_world_step(world);
        if (n == 60) dry = get_depth(world);
    }
    if (r == TARN_OK) wet = get_depth(world);
    const tarn_ledger ledger = tarn_world_get_ledger(world);
    printf("valley: %.2f m of water before the breach, %.2f m after it\n", dry, wet);
    printf("volume %.3f m^3, error %.1e m^3\n", ledger.volume, ledger.volume_error);
    if (r != TARN_OK) fprintf(stderr, "%s: %s\n", err.key, err.message);
    tarn_world_destroy(world);
    return r != TARN_OK || dry > 0.0 || wet < 0.05 || fabs(ledger.volume_error) > 1e-9 * ledger.volume;
}
