// The loops of the contact solver: eight contacts at a time that share no body that moves.
#ifndef BODY_CONTACT_ROWS_H
#define BODY_CONTACT_ROWS_H

#include "base/kernels.h"
#include "touch.h"

#define WIDE 8
typedef float wide __attribute__((vector_size(4 * WIDE)));

// What the solver knows of a body. Float is enough: these are changes within one short step, and momenta, poses and
// gaps at its beginning are double.
struct mover {
    float v[8]; // [m/s] x y z, [rad/s] x y z
};
struct mover_mass {
    float m[8]; // 1/mass, inverse inertia xx xy xz yy yz zz
};

// One point of eight contacts.
struct held {
    wide x, z; // [m] from the middle of the points, along across_1 and across_2
    wide mass; // [kg] that a push along the normal has to move; 0: nothing there
    wide open; // [m/s] at which it may close in this short step
    wide push; // [kg m/s] so far
};

// The same point when bodies meet fast.
struct blow {
    wide hit, aim; // 1 where there is an impact, [m/s] at which they shall part
    wide struck;   // [kg m/s] so far
    wide strike;   // [kg m/s] of impacts since contacts were looked for
    wide speed;    // [m/s] of the fastest
};

struct rubbing {
    wide slid_1, slid_2, twisted; // [kg m/s], [kg m/s], [kg m^2/s] so far
};

// Eight contacts. Their points lie in a plane across the normal, so that two arms are enough for all of them.
struct octet {
    int a[WIDE], b[WIDE];                     // movers
    int count;                                // points, at most SPOTS
    bool hit, met;                            // an impact in this round; since contacts were looked for
    wide normal[3], across_1[3], across_2[3]; // unit, right-handed, the normal from a to b
    wide mid_a[3], mid_b[3]; // [m] arms of the middle of the points, from the centres of mass
    struct held held[SPOTS];
    // What one more push changes: the speed of the middle along the normal, and how it grows along x and z; by a push
    // there, and by one that grows along x or z. Symmetric: 00 01 02 11 12 22.
    wide answer[6];
    wide whole;   // 1: three points or more, solved together
    wide back[6]; // inverse of what a push that is even, or grows along x or z, has to move
    wide friction;
    wide reach;                   // [m] root mean square distance of the points from their middle
    wide slide_1, slide_2, twist; // what rubbing has to move: [kg], [kg], [kg m^2]
    wide drag_1, drag_2;          // [rad/s] of twist by a unit of rubbing across
    struct rubbing rubbed;
    // Once a short step, or less.
    wide gap[SPOTS]; // [m] when contacts were looked for
    wide seen[3];    // [m] that b has moved against a, as far as the arms know
    wide part, both; // of such a step that a's arm takes, and that both take: 1, or 0 for the world
    wide restitution;
    wide slop; // [m] of overlap that is left alone
    wide size; // [m] the smaller radius
    struct blow blows[SPOTS];
    struct rubbing scraped; // by impacts
};

struct contact_pace {
    float dt, dt_inv; // [s], [1/s]
    float part;       // of an overlap that is taken back
    float most;       // [m] of it at once
    float pull;       // [m/s] that gravity or the like adds in a short step
    float again;      // of the pushes of the last short step that this one begins with
    float rub_again;  // of its rubbing
};

// How many octets a pass still changed, by how much.
struct contact_unrest {
    int fine, rough, wild;
};

struct contact_kernels {
    // What a push has to move, for points whose mass is not 0. `fresh`: the octets are new.
    void (*masses)(struct octet *o, int count, bool fresh, const struct mover_mass *mass,
                   const struct mover *moved);
    // Give the impulses of the last step again.
    void (*warm)(struct octet *o, int count, const struct contact_pace *pace, const struct mover_mass *mass,
                 const struct mover *moved, struct mover *v);
    // One pass, forwards or backwards.
    struct contact_unrest (*solve)(struct octet *o, int count, const struct contact_pace *pace, bool backward,
                                   const struct mover_mass *mass, struct mover *v);
    void (*part)(struct octet *o, int count, const struct contact_pace *pace, const struct mover_mass *mass,
                 struct mover *moved);
    // Where bodies meet faster than `slow` within dt: note the speed at which they part. `pull`: accelerations.
    bool (*hits)(struct octet *o, int count, const struct contact_pace *pace, float slow,
                 const struct mover *moved, const struct mover *pull, const struct mover *v);
    // One pass over the impacts that were noted.
    void (*strike)(struct octet *o, int count, const struct mover_mass *mass, bool rubbing, struct mover *v);
};
KERNELS_DECLARE(struct contact_kernels, contact_kernels);

#endif
