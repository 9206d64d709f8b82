// Dam break onto shallow water: a rarefaction, a plateau and a bore.
#include "../dam_break.h"

// Columns: depths left and right, depth and velocity of the plateau, speeds of the bore and of the tail of
// the rarefaction, wave speed of the plateau; from table.csv.
extern const double table_stoker[][7];

enum { ROW = 1 }; // 1 m onto 0.1 m
#define STATE (table_stoker[ROW])

static double exact_depth(double xi)
{
    const double left = STATE[0], right = STATE[1], c = sqrt(GRAVITY * left), fan = 2.0 * c - xi;

    if (xi <= -c) return left;
    if (xi < STATE[5]) return fan * fan / (9.0 * GRAVITY);
    return xi < STATE[4] ? STATE[2] : right;
}

// Mean of the middle 40 % of the plateau, away from its corners.
static double plateau(const struct profile *p, const double *values, double from, double to)
{
    const double near = from + 0.3 * (to - from), far = from + 0.7 * (to - from);
    double sum = 0.0, count = 0.0;

    for (int i = 0; i < p->n; ++i)
        if (p->x[i] > near && p->x[i] < far) {
            sum += values[i];
            count += 1.0;
        }
    return sum / count;
}

static void run_case(struct case_run *run)
{
    const struct dam dam = {
        .left = STATE[0],
        .right = STATE[1],
        .time = 1.0,
        .depth = exact_depth,
        .front = "bore",
        .front_depth = 0.5 * (STATE[1] + STATE[2]),
        .front_speed = STATE[4],
        .front_limit = 1.0,
    };
    struct profile p;

    if (!run_dam_break(run, &dam, &p)) return;
    const double h = plateau(&p, p.h, STATE[5] * dam.time, STATE[4] * dam.time);
    const double u = plateau(&p, p.u, STATE[5] * dam.time, STATE[4] * dam.time);
    case_report(run, "depth of the plateau [m]", h, STATE[2], 100 * fabs(h / STATE[2] - 1), 0.2, "%");
    case_report(run, "speed of the plateau [m/s]", u, STATE[3], 100 * fabs(u / STATE[3] - 1), 0.2, "%");
}

const struct validation_case vcase_stoker = {"stoker", "Dam break onto shallow water", true, run_case};
