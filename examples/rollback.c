// Rollback of a networked game: the input of the other player is predicted, arrives four frames late, and
// differs at times. The world then returns to the snapshot before that frame and takes the steps again.
// At the end its hash equals that of a world that knew all inputs from the start.
#include <stdio.h>
#include <stdlib.h>
#include <tarn/tarn.h>

enum { FRAMES = 240, PLAYERS = 2, DELAY = 4, WINDOW = DELAY + 1 };

struct session {
    tarn_world *world;
    tarn_body_id boat[PLAYERS];
    double push[FRAMES][PLAYERS]; // [N] input of the players, known or predicted
    void *snapshot[WINDOW];       // of the state before a frame
    size_t size[WINDOW], capacity[WINDOW];
};

// What a player does in a frame; the second one changes direction every second.
static double get_input(int frame, int player) { return player == 0 ? 20.0 : frame / 60 % 2 ? -30.0 : 30.0; }

static tarn_result keep_snapshot(struct session *s, int frame)
{
    const int slot = frame % WINDOW;

    s->size[slot] = tarn_world_snapshot(s->world, s->snapshot[slot], s->capacity[slot]);
    if (s->size[slot] > s->capacity[slot]) { // in the first frames only
        void *larger = realloc(s->snapshot[slot], 2 * s->size[slot]);
        if (!larger) return TARN_NO_MEMORY;
        s->snapshot[slot] = larger, s->capacity[slot] = 2 * s->size[slot];
        s->size[slot] = tarn_world_snapshot(s->world, s->snapshot[slot], s->capacity[slot]);
    }
    return s->size[slot] > 0 ? TARN_OK : TARN_NO_MEMORY;
}

static tarn_result simulate(struct session *s, int frame)
{
    tarn_result r = keep_snapshot(s, frame);

    for (int p = 0; p < PLAYERS && r == TARN_OK; ++p)
        r = tarn_body_apply_central_force(s->world, s->boat[p], (tarn_vec3){s->push[frame][p], 0, 0});
    return r == TARN_OK ? tarn_world_step(s->world) : r;
}

// The input of the second player for `frame` arrives when the frames up to `now` have been simulated.
// @return the number of steps that were taken again; below 0: failed
static int receive(struct session *s, int frame, int now)
{
    const double push = get_input(frame, 1);
    int repeated = 0;

    if (s->push[frame][1] == push) return 0;
    for (int f = frame; f < FRAMES; ++f) s->push[f][1] = push; // the prediction: the player goes on like this
    if (tarn_world_restore(s->world, s->snapshot[frame % WINDOW], s->size[frame % WINDOW], NULL)) return -1;
    for (int f = frame; f <= now; ++f, ++repeated)
        if (simulate(s, f) != TARN_OK) return -1;
    return repeated;
}

static tarn_result make_session(struct session *s)
{
    const tarn_shape_def hull = {.type = TARN_SHAPE_BOX, .box = {.size = {0.6, 0.2, 0.3}}};
    tarn_fluid_def pond = tarn_default_fluid_def(TARN_FLUID_WAVE);
    tarn_world_def def = tarn_default_world_def();
    tarn_body_def boat = tarn_default_body_def();

    pond.wave.cells[0] = pond.wave.cells[1] = 64;
    def.fluid = &pond;
    tarn_result r = tarn_world_create(&def, &s->world, NULL);
    for (int p = 0; p < PLAYERS && r == TARN_OK; ++p) {
        boat.position = (tarn_vec3){0, 1, p - 0.5};
        r = tarn_body_create_with_shape(s->world, &boat, &hull, &s->boat[p], NULL);
    }
    return r;
}

static void end_session(struct session *s)
{
    for (int i = 0; i < WINDOW; ++i) free(s->snapshot[i]);
    tarn_world_destroy(s->world);
}

int main(void)
{
    static struct session late, prompt;
    int failed = make_session(&late) || make_session(&prompt), repeated = 0;

    for (int f = 0; f < FRAMES; ++f) {
        prompt.push[f][0] = late.push[f][0] = get_input(f, 0);
        prompt.push[f][1] = get_input(f, 1);
        late.push[f][1] = get_input(0, 1);
    }
    for (int f = 0; f < FRAMES && !failed; ++f) {
        failed = simulate(&prompt, f) || simulate(&late, f);
        const int more = !failed && f >= DELAY ? receive(&late, f - DELAY, f) : 0;
        failed = failed || more < 0;
        repeated += more;
    }
    const int equal = !failed && tarn_world_hash(late.world) == tarn_world_hash(prompt.world);
    printf("%d frames, %d steps taken again, the states are %s\n", FRAMES, repeated,
           equal ? "equal" : "different");
    end_session(&late);
    end_session(&prompt);
    return equal ? 0 : 1;
}
