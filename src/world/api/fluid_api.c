// Public functions for the definition of a world's fluid.
#include "base/error.h"
#include "base/parallel/fpmode.h"
#include "world/world.h"

tarn_result tarn_world_get_fluid_def(const tarn_world *w, tarn_fluid_def *out)
{
    if (!w || !out) return TARN_BAD_ARGUMENT;
    *out = w->fluid.def;
    return TARN_OK;
}

static tarn_result change_def(struct fluid *f, const tarn_fluid_def *def, tarn_error *err)
{
    const tarn_kind *kind = &f->model->kind;
    if (def->type != f->def.type)
        return fail(err, TARN_BAD_INPUT, "type", "the fluid is of the model '%s'", kind->name);
    const tarn_fluid_def before = f->def;
    tarn_result r = tarn_kind_check(kind, def->space, err);
    if (r == TARN_OK) r = param_check_fixed(kind, before.space, def->space, err);
    if (r == TARN_OK) r = param_copy_live(kind, f->def.space, def->space, err);
    if (r == TARN_OK && f->model->check) r = f->model->check(f, err);
    if (r != TARN_OK) f->def = before;
    return r;
}

tarn_result tarn_world_set_fluid_def(tarn_world *w, const tarn_fluid_def *def, tarn_error *err)
{
    if (!w || !def) return fail(err, TARN_BAD_ARGUMENT, "", "null pointer");
    const struct fpmode host = fpmode_enter();
    const tarn_result r = change_def(&w->fluid, def, err);
    if (r == TARN_OK) world_fluid_def_changed(w);
    world_end_edit(w);
    fpmode_leave(host);
    return r;
}
