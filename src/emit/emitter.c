// Table of emitter kinds, their checkpoint, and the single drop that several kinds share.
#include "emitter.h"

#include "base/error.h"
#include "base/kind_list.h"
#include "base/math/math.h"

#include <string.h>

#define KIND_PREFIX emitter
// Every emitter kind in the order that users see; X(name) stands for `emitter_name`, defined in its own file.
#define EMITTER_KINDS(X) \
    X(hump)              \
    X(fill)              \
    X(drops)             \
    X(rain)              \
    X(wavemaker)         \
    X(source)            \
    X(inflow)            \
    X(wind)

EMITTER_KINDS(DECLARE_KIND)
static const struct emitter_kind *const kinds[] = {EMITTER_KINDS(KIND_ADDRESS)};

const struct emitter_kind *emitter_kind_at(int index)
{
    return 0 <= index && index < (int)(sizeof kinds / sizeof kinds[0]) ? kinds[index] : NULL;
}

const struct emitter_kind *emitter_kind_of(const tarn_kind *kind)
{
    for (int i = 0; emitter_kind_at(i); ++i)
        if (&kinds[i]->kind == kind) return kinds[i];
    return NULL;
}

tarn_emitter_def tarn_default_emitter_def(tarn_emitter_type type)
{
    tarn_emitter_def def = {.type = type};
    const struct emitter_kind *kind = emitter_kind_at((int)type);
    if (kind) tarn_kind_init(&kind->kind, def.space);
    return def;
}

tarn_result tarn_emitter_def_from_spec(const tarn_spec *spec, tarn_emitter_def *out)
{
    int type = 0;
    if (!spec || !out || !emitter_kind_of(spec->kind)) return TARN_BAD_ARGUMENT;
    while (&emitter_kind_at(type)->kind != spec->kind) ++type;
    *out = (tarn_emitter_def){.type = (tarn_emitter_type)type};
    memcpy(out->space, spec->data, sizeof out->space);
    return TARN_OK;
}

tarn_result tarn_emitter_def_to_spec(const tarn_emitter_def *def, tarn_spec *out)
{
    const struct emitter_kind *kind = def ? emitter_kind_at((int)def->type) : NULL;
    if (!kind || !out) return TARN_BAD_ARGUMENT;
    *out = (tarn_spec){.kind = &kind->kind};
    memcpy(out->data, def->space, sizeof def->space);
    return TARN_OK;
}

void emitter_add_drop(struct fluid *f, double x, double z, double radius, double speed)
{
    const double volume = 4.0 / 3.0 * PI * radius * radius * radius;
    // The radius of the Gaussian is at least two cells, so that the grid resolves the waves it makes.
    const double gaussian_radius = fmax(2.0 * radius, 2.0 * f->grid.dx),
                 area = PI * gaussian_radius * gaussian_radius;
    // The momentum acts as a pressure impulse: the time integral of the head is (rho V v/area)/(rho g) [m
    // s].
    fluid_add_gaussian(f, x, z, gaussian_radius, volume / area, volume * speed / (area * f->gravity));
}

void emitter_save(struct saver *s, const struct emitter *e)
{
    save_text(s, e->kind->kind.name);
    param_save(s, &e->kind->kind, e->def.space);
    save_u64(s, e->random_stream);
    save_f64(s, e->pending_drops);
    save_u64(s, e->events);
}

tarn_result emitter_load(struct loader *l, struct emitter *e, const struct fluid *f, tarn_error *err)
{
    char name[TARN_NAME_BYTES];
    load_text(l, name, sizeof name);
    for (int i = 0; emitter_kind_at(i); ++i)
        if (strcmp(kinds[i]->kind.name, name) == 0)
            e->kind = kinds[i], e->def = tarn_default_emitter_def((tarn_emitter_type)i);
    if (!e->kind) return fail(err, TARN_BAD_INPUT, "kind", "unknown emitter kind");
    tarn_result r = param_load(l, &e->kind->kind, e->def.space, err);
    if (r == TARN_OK) r = tarn_kind_check(&e->kind->kind, e->def.space, err);
    if (r == TARN_OK && e->kind->planar != (f->model->planar != NULL))
        r = fail(err, TARN_BAD_INPUT, "kind", "the emitter does not support this fluid model");
    if (r == TARN_OK && e->kind->check) r = e->kind->check(e->def.space, f, err);
    if (r != TARN_OK) return r;
    e->random_stream = load_u64(l);
    e->pending_drops = load_f64(l);
    e->events = load_u64(l);
    const double least = e->kind->carries_rounding ? -EMITTER_MAX_PENDING : 0.0;
    const bool ok = !l->failed && least <= e->pending_drops && e->pending_drops <= EMITTER_MAX_PENDING &&
                    e->events < (1ull << 60);
    return ok ? TARN_OK : fail(err, TARN_BAD_INPUT, "", "the state of an emitter is invalid");
}
