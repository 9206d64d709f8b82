// Public functions for emitters: creation, ids, and changes at run time.
#include "base/error.h"
#include "base/id.h"
#include "base/parallel/fpmode.h"
#include "world/world.h"

// NULL: no such emitter, or a stale id.
static struct emitter *find_emitter(const tarn_world *w, tarn_emitter_id id)
{
    const uint32_t slot = id_slot(id.value);
    if (!w || slot >= (uint32_t)w->emitter_slot_count || !w->emitters[slot].kind) return NULL;
    return w->emitters[slot].generation == id_generation(id.value) ? &w->emitters[slot] : NULL;
}

static tarn_result check_def(const tarn_world *w, const tarn_emitter_def *def, tarn_error *err)
{
    const struct emitter_kind *kind = emitter_kind_at((int)def->type);
    if (!kind) return fail(err, TARN_BAD_ARGUMENT, "type", "%d is no type of an emitter", (int)def->type);
    if ((w->fluid.model->planar != NULL) != kind->planar)
        return fail(err, TARN_BAD_INPUT, "kind", "emitter '%s' is not available in the model '%s'",
                    kind->kind.name, w->fluid.model->kind.name);
    if (w->fluid.model->no_fluid)
        return fail(err, TARN_BAD_INPUT, "kind", "the model '%s' has no fluid", w->fluid.model->kind.name);
    if (!kind->planar && w->fluid.model->height_field->is_prescribed)
        return fail(err, TARN_BAD_INPUT, "kind", "the water of the model '%s' cannot be changed",
                    w->fluid.model->kind.name);
    const tarn_result r = tarn_kind_check(&kind->kind, def->space, err);
    return r == TARN_OK && kind->check ? kind->check(def->space, &w->fluid, err) : r;
}

// Emitters created so far: a generation counts creations and destructions of its place.
static uint64_t creation_count(const tarn_world *w)
{
    uint64_t count = 0;
    for (int i = 0; i < w->emitter_slot_count; ++i) count += (w->emitters[i].generation + 1) / 2;
    return count;
}

// Every emitter has a random stream of its own, also one in a place that was used before.
static struct emitter *add_emitter(tarn_world *w, const tarn_emitter_def *def)
{
    int i = 0;
    while (i < w->emitter_slot_count && w->emitters[i].kind) ++i;
    if (!memory_grow(&w->memory, (void **)&w->emitters, &w->emitter_capacity, i + 1, sizeof *w->emitters))
        return NULL;
    const uint64_t stream = creation_count(w);
    struct emitter *e = &w->emitters[i];
    const uint32_t generation = i < w->emitter_slot_count ? e->generation + 1 : 1;
    *e = (struct emitter){.kind = emitter_kind_at((int)def->type),
                          .generation = generation,
                          .def = *def,
                          .random_stream = stream};
    w->emitter_slot_count = i < w->emitter_slot_count ? w->emitter_slot_count : i + 1;
    return e;
}

static tarn_emitter_id id_of(const tarn_world *w, const struct emitter *e)
{
    return (tarn_emitter_id){id_value((uint32_t)(e - w->emitters), e->generation)};
}

tarn_result tarn_emitter_create(tarn_world *w, const tarn_emitter_def *def, tarn_emitter_id *out,
                                tarn_error *err)
{
    if (out) *out = (tarn_emitter_id){0};
    if (!w || !def) return fail(err, TARN_BAD_ARGUMENT, "", "null pointer");
    if (check_reserved(def->reserved, sizeof def->reserved, err) != TARN_OK) return TARN_BAD_INPUT;
    const tarn_result r = check_def(w, def, err);
    if (r != TARN_OK) return r;
    struct emitter *e = add_emitter(w, def);
    if (!e) return fail(err, TARN_NO_MEMORY, "", "no memory for another emitter");
    const struct fpmode host = fpmode_enter();
    world_apply_body_edits(w); // an emitter of the planar model fills the cells that bodies leave open
    e->kind->emit(e, &(struct time_interval){world_time(w), 0.0, (uint64_t)w->def.seed}, &w->fluid);
    world_end_water_edit(w);
    fpmode_leave(host);
    if (out) *out = id_of(w, e);
    return TARN_OK;
}

tarn_result tarn_emitter_destroy(tarn_world *w, tarn_emitter_id emitter)
{
    struct emitter *e = find_emitter(w, emitter);
    if (!e) return TARN_BAD_ARGUMENT;
    *e = (struct emitter){.generation = e->generation + 1};
    return TARN_OK;
}

bool tarn_emitter_is_valid(const tarn_world *w, tarn_emitter_id emitter)
{
    return find_emitter(w, emitter) != NULL;
}

int tarn_world_get_emitters(const tarn_world *w, tarn_emitter_id *out, int capacity)
{
    int count = 0;
    for (int i = 0; w && i < w->emitter_slot_count; ++i) {
        if (!w->emitters[i].kind) continue;
        if (out && count < capacity) out[count] = id_of(w, &w->emitters[i]);
        ++count;
    }
    return count;
}

int world_emitter_slot(const tarn_world *w, int index)
{
    for (int i = 0; index >= 0 && i < w->emitter_slot_count; ++i)
        if (w->emitters[i].kind && index-- == 0) return i;
    return -1;
}

tarn_result tarn_emitter_get_def(const tarn_world *w, tarn_emitter_id emitter, tarn_emitter_def *out)
{
    const struct emitter *e = find_emitter(w, emitter);
    if (!e || !out) return TARN_BAD_ARGUMENT;
    *out = e->def;
    return TARN_OK;
}

tarn_result tarn_emitter_set_def(tarn_world *w, tarn_emitter_id emitter, const tarn_emitter_def *def,
                                 tarn_error *err)
{
    struct emitter *e = find_emitter(w, emitter);
    if (!e || !def) return fail(err, TARN_BAD_ARGUMENT, "", "there is no such emitter, or no definition");
    const tarn_kind *kind = &e->kind->kind;
    if (def->type != e->def.type)
        return fail(err, TARN_BAD_INPUT, "type", "the emitter is of the kind '%s'", kind->name);
    tarn_emitter_def changed = e->def;
    tarn_result r = tarn_kind_check(kind, def->space, err);
    if (r == TARN_OK) r = param_check_fixed(kind, e->def.space, def->space, err);
    if (r == TARN_OK) r = param_copy_live(kind, changed.space, def->space, err);
    if (r == TARN_OK) e->def = changed;
    return r;
}
