// The headers serve C++ as they are.
#include <tarn/tarn.h>

int main()
{
    tarn_fluid_def pond = tarn_default_fluid_def(TARN_FLUID_WAVE);
    pond.wave.boundary[TARN_EAST] = TARN_WAVE_OPEN;
    tarn_world_def def = tarn_default_world_def();
    def.fluid = &pond;
    tarn_world *world = nullptr;
    tarn_error err;
    if (tarn_world_create(&def, &world, &err) != TARN_OK) return 1;
    const tarn_result r = tarn_world_advance(world, 0.1);
    tarn_world_destroy(world);
    return r;
}
