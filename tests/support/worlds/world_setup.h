// Definitions of worlds with the fluid and the beds that they point to, so that tests can pass them around
// and change them.
#ifndef TESTS_WORLD_SETUP_H
#define TESTS_WORLD_SETUP_H

#include "check.h"

#include <tarn/tarn.h>

#include <string.h>

struct world_setup {
    tarn_world_def world; // without the pointers, which setup_create() sets
    tarn_fluid_def fluid;
    tarn_bed_def beds[TARN_MAX_BEDS];
};

static inline struct world_setup world_setup(tarn_fluid_type type)
{
    return (struct world_setup){.world = tarn_default_world_def(), .fluid = tarn_default_fluid_def(type)};
}

static inline tarn_result setup_create(const struct world_setup *setup, tarn_world **out, tarn_error *err)
{
    tarn_world_def def = setup->world;
    def.fluid = &setup->fluid, def.beds = setup->beds;
    return tarn_world_create(&def, out, err);
}

static inline tarn_bed_def *add_bed(struct world_setup *setup, tarn_bed_type type)
{
    tarn_bed_def *term = &setup->beds[setup->world.bed_count++];
    *term = tarn_default_bed_def(type);
    return term;
}

// A height map, which the caller owns until the world is created.
static inline tarn_heightmap_bed *add_map(struct world_setup *setup, tarn_bed_map map)
{
    tarn_bed_def *term = add_bed(setup, TARN_BED_HEIGHTMAP);
    term->heightmap.map = map;
    return &term->heightmap;
}

// ---- tests that run with several models, or the words of scene files
// ----------------------------------------

static inline tarn_fluid_type fluid_type_of(const char *model)
{
    int type = 0;
    while (tarn_kind_at("fluid", type) && strcmp(tarn_kind_at("fluid", type)->name, model) != 0) ++type;
    return (tarn_fluid_type)type;
}

static inline struct world_setup world_setup_of(const char *model)
{
    return world_setup(fluid_type_of(model));
}

// Index of a word among the choices of a parameter of a model.
static inline int choice_of(tarn_fluid_type type, const char *parameter, const char *word)
{
    const tarn_param *p = tarn_param_find(tarn_kind_at("fluid", (int)type), parameter);
    int choice = 0;
    while (p && p->choices[choice] && strcmp(p->choices[choice], word) != 0) ++choice;
    if (!p || !p->choices[choice]) fail_msg("%s has no choice '%s'", parameter, word);
    return choice;
}

static inline tarn_wave_boundary wave_boundary_of(const char *word)
{
    return (tarn_wave_boundary)choice_of(TARN_FLUID_WAVE, "boundary.west", word);
}

static inline tarn_boundary_type boundary_of(const char *word)
{
    return (tarn_boundary_type)choice_of(TARN_FLUID_SHALLOW, "boundary.west", word);
}

static inline tarn_flow_boundary_type flow_boundary_of(const char *word)
{
    return (tarn_flow_boundary_type)choice_of(TARN_FLUID_FLOW, "boundary.west", word);
}

static inline tarn_shallow_advection shallow_advection_of(const char *word)
{
    return (tarn_shallow_advection)choice_of(TARN_FLUID_SHALLOW, "advection", word);
}

static inline tarn_flow_advection flow_advection_of(const char *word)
{
    return (tarn_flow_advection)choice_of(TARN_FLUID_FLOW, "advection", word);
}

static inline tarn_solver_type solver_of(const char *word)
{
    return (tarn_solver_type)choice_of(TARN_FLUID_IMPLICIT, "solver", word);
}

// Sets a parameter by its name in scene files.
static inline tarn_result set_fluid_param(tarn_fluid_def *fluid, const char *name, tarn_value value,
                                          tarn_error *err)
{
    tarn_spec spec;
    CHECK_OK(tarn_fluid_def_to_spec(fluid, &spec));
    const tarn_result r = tarn_spec_set(&spec, name, value, err);
    return r == TARN_OK ? tarn_fluid_def_from_spec(&spec, fluid) : r;
}

// All models begin with the size, those with cells continue with them, height fields with water with the
// depth.
static inline void set_size(tarn_fluid_def *fluid, double x, double z)
{
    fluid->wave.size = (tarn_vec2){x, z};
}

static inline void set_cells(tarn_fluid_def *fluid, int nx, int nz)
{
    if (fluid->type != TARN_FLUID_DRY) fluid->wave.cells[0] = nx, fluid->wave.cells[1] = nz;
}

static inline void set_depth(tarn_fluid_def *fluid, double depth)
{
    if (fluid->type != TARN_FLUID_DRY && fluid->type != TARN_FLUID_FLOW) fluid->wave.depth = depth;
}

static inline void set_boundary(tarn_fluid_def *fluid, tarn_side side, const char *word)
{
    if (fluid->type == TARN_FLUID_WAVE) fluid->wave.boundary[side] = wave_boundary_of(word);
    if (fluid->type == TARN_FLUID_SHALLOW) fluid->shallow.boundary[side].type = boundary_of(word);
    if (fluid->type == TARN_FLUID_IMPLICIT) fluid->implicit.boundary[side] = wave_boundary_of(word);
    if (fluid->type == TARN_FLUID_FLOW) fluid->flow.boundary[side].type = flow_boundary_of(word);
}

#endif
