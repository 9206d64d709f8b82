#define _POSIX_C_SOURCE 200809L
#include "progress.h"

#include "apps/common/app.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LINE = 256,
    BAR_MAX = 30,
    TEXT_WIDTH = 70
}; // wide enough for most numbers, so that the bar keeps its length
static const char colour_on[] = "\x1b[36m", colour_off[] = "\x1b[0m";
static const double BAR_EVERY = 0.1, LINE_EVERY = 10.0; // [s]

struct progress progress_begin(const char *name, double end, int quiet)
{
    const char *term = getenv("TERM");
    const double now = monotonic_seconds();

    return (struct progress){
        .name = name,
        .quiet = quiet,
        .terminal = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0,
        .colour = use_colour(stderr),
        .start = now,
        .last = now,
        .end = end,
        .drift = 0.0,
        .ledger_due = now,
    };
}

static void look_at_ledger(struct progress *p, const tarn_world *world, double now)
{
    if (now < p->ledger_due) return;
    const tarn_ledger l = tarn_world_get_ledger(world);
    const double after = monotonic_seconds();
    p->drift = l.volume != 0.0 ? l.volume_error / fabs(l.volume) : l.volume_error;
    p->ledger_due = after + 50.0 * (after - now);
}

static double part_done(const struct progress *p, double time)
{
    return p->end > 0.0 ? fmin(time / p->end, 1.0) : 1.0;
}

static void describe(char *text, size_t size, const struct progress *p, const tarn_world *world, double time,
                     double rate, double left)
{
    const long seconds = left < 1e7 ? lround(left) : 9999999;
    snprintf(text, size, "%3d %%  %.4g s  %.*f steps/s  Courant %.2f  error %+.0e  ETA %ld:%02ld",
             (int)(100.0 * part_done(p, time)), time, rate < 10.0, rate, tarn_world_get_status(world).courant,
             p->drift, seconds / 60, seconds % 60);
}

static void draw(const struct progress *p, const char *text, double done)
{
    char line[LINE + 64], full[BAR_MAX], rest[BAR_MAX];
    const int columns = terminal_columns() - 1; // a full line would wrap
    int width = columns - TEXT_WIDTH - 3;

    if (width > BAR_MAX) width = BAR_MAX;
    if (width < 5) { // a narrow terminal: numbers only
        snprintf(line, sizeof line, "%.*s", columns, text);
        status_line_draw(line, (int)strlen(line));
        return;
    }
    const int filled = (int)(done * width);
    memset(full, '#', sizeof full);
    memset(rest, '-', sizeof rest);
    const int n = snprintf(line, sizeof line, "[%s%.*s%s%.*s] %.*s", p->colour ? colour_on : "", filled, full,
                           p->colour ? colour_off : "", width - filled, rest, columns - width - 3, text);
    status_line_draw(line, p->colour ? n - (int)(sizeof colour_on + sizeof colour_off - 2) : n);
}

void progress_update(struct progress *p, const tarn_world *world, double time, long long steps)
{
    char text[LINE];

    if (p->quiet) return;
    const double now = monotonic_seconds();
    if (now - p->last < (p->terminal ? BAR_EVERY : LINE_EVERY)) return;
    p->last = now;
    look_at_ledger(p, world, now);
    const double wall = now - p->start, done = part_done(p, time);
    describe(text, sizeof text, p, world, time, (double)steps / wall,
             done > 0.0 ? wall * (1.0 - done) / done : 1e9);
    if (p->terminal)
        draw(p, text, done);
    else
        print_status("%s: %s", p->name, text);
}
