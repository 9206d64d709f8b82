// Bodies in a flat fluid: to the fluid they are loose obstacles.
//
// The fluid finds their speeds together with its pressure; contacts and joints then change them as bodies that have some
// fluid to take along. What they gave is given to fluid and bodies once more as a blow, so that the fluid around a body
// that a wall holds is held with it: without that a light body would pump fluid for ever.
#ifndef COUPLE_SWIM_H
#define COUPLE_SWIM_H

#include "couple.h"

// By body slot. State: the speeds that the fluid knows of [m/s], [m/s], [rad/s].
struct swimmer {
    double v[3];
    double before[3]; // scratch of a step: the same when it began
};

struct swim {
    struct memory *memory;
    struct swimmer *list;
    int room;
    bool moved;               // bodies are not where the fluid knows them
    struct fixture *fixtures; // the fluid's obstacles, as bodies touch them
    int fixture_count, fixture_room;
};

void swim_free(struct swim *s);

// A body is put into the fluid or taken out. Where it is put, dye and heat go aside.
tarn_result swim_place(struct swim *s, struct couple *c, struct fluid *f, const struct bodies *b, int i,
                       tarn_error *err);
void swim_take(struct swim *s, struct couple *c, struct fluid *f, const struct bodies *b, int i);

// The fluid hears of bodies that the caller has moved, all at once.
void swim_settle(struct swim *s, struct fluid *f, const struct bodies *b);

// ---- fixtures.c ----

// A world step begins: all obstacles are fixtures, where they are. False without memory.
bool swim_find_fixtures(struct swim *s, const struct fluid *f);
// They are where their obstacles were some time ago [s].
void swim_put_fixtures(struct swim *s, const struct fluid *f, double ago);
void swim_free_fixtures(struct swim *s);

// ---- swim.c ----

// The fluid moves for dt, and carries the bodies. Gives back what walls gave [kg m/s].
vec3 swim_step(struct swim *s, struct couple *c, struct fluid *f, struct bodies *b, const struct walls *w,
               double dt);

// [J] of the fluid that bodies keep from being where they are.
double swim_energy(const struct fluid *f, const struct bodies *b);

void swim_save(struct saver *s, const struct swim *swim, const struct fluid *f, const struct bodies *b);
tarn_result swim_load(struct loader *l, struct swim *s, struct fluid *f, const struct bodies *b,
                      tarn_error *err);

#endif
