// tarn validate: published cases, our number beside theirs.
#include "validation/case_api.h"

#include "apps/cli/commands.h"
#include "apps/common/app.h"
#ifdef TARN_DRAW
#include "apps/cli/output/plot.h"
#include "apps/common/video.h"
#endif

#include <stdlib.h>
#include <string.h>

enum { MOST_CASES = 256 };

struct validation {
    int thorough, list, as_json, force;
    const char *folder; // of pictures; NULL: none
    struct json *json;
    int cases, checks, failed;
};

// ---- pictures -------------------------------------------------------------------------------------

#ifdef TARN_DRAW
static int draw_curves(const struct vcase *vcase, const struct vrun *run, unsigned char *rgb)
{
    static const enum plot_style styles[] = {
        [STYLE_GROUND] = PLOT_GROUND,
        [STYLE_REFERENCE] = PLOT_REFERENCE,
        [STYLE_OURS] = PLOT_OURS,
        [STYLE_OTHER] = PLOT_OTHER,
    };
    struct plot_curve curves[VCURVES];
    const struct plot plot = {vcase->title, run->x_label, run->y_label, curves, run->curve_count};

    for (int k = 0; k < run->curve_count; ++k) {
        const struct vcurve *c = &run->curves[k];
        curves[k] = (struct plot_curve){c->name, c->n, c->x, c->y, styles[c->style]};
    }
    return plot_draw(&plot, rgb);
}

// DIR/CASE.png, or an exit code after telling why.
static int write_picture(const struct validation *v, const struct vcase *vcase, const struct vrun *run)
{
    struct film film;
    char path[OUTPUT_PATH];
    unsigned char *rgb = malloc((size_t)PLOT_WIDTH * PLOT_HEIGHT * 3);
    const int n = snprintf(path, sizeof path, "%s/%s.png", v->folder, vcase->name);
    int code = 0;

    if (n < 0 || (size_t)n >= sizeof path) code = complain(TARN_BAD_ARGUMENT, "--plot: the name is too long");
    if (code == 0 && (!rgb || draw_curves(vcase, run, rgb) != 0))
        code = complain(TARN_NO_MEMORY, "%s", result_text(TARN_NO_MEMORY));
    if (code == 0) code = film_plan(&film, path);
    if (code == 0) {
        film.force = v->force;
        film.width = PLOT_WIDTH;
        film.height = PLOT_HEIGHT;
        code = film_open(&film, 1);
        if (code == 0) code = film_add(&film, rgb);
        if (code == 0) code = film_finish(&film);
        film_close(&film);
    }
    free(rgb);
    return code;
}
#else
static int write_picture(const struct validation *v, const struct vcase *vcase, const struct vrun *run)
{
    (void)v;
    (void)vcase;
    (void)run;
    return complain(TARN_FAILED, "--plot is not in this build, which was made without TARN_DRAW");
}
#endif

// ---- tables ---------------------------------------------------------------------------------------

static const char *const verdicts[] = {[SHOWN] = "-", [PASSED] = "pass", [FAILED] = "FAIL"};

static void print_head(void)
{
    printf("%-17s %-44s %-11s %-11s %-16s %-14s\n", "case", "quantity", "ours", "theirs", "error", "limit");
}

// A number with its unit in `width` columns, or a dash.
static void print_number(double number, int digits, const char *unit, int width)
{
    char text[48];

    snprintf(text, sizeof text, "%.*g %s", digits, number, unit);
    printf("%-*s ", width, isnan(number) ? "-" : text);
}

static void print_row(const struct vcase *vcase, const struct vrow *row)
{
    printf("%-17s %-44s ", vcase->name, row->quantity);
    print_number(row->ours, 6, "", 11);
    print_number(row->theirs, 6, "", 11);
    print_number(row->error, 3, row->unit, 16);
    print_number(row->limit, 3, row->unit, 14);
    printf("%s\n", verdicts[row->verdict]);
}

static void put_row(struct json *json, const struct vcase *vcase, const struct vrow *row)
{
    json_open(json, NULL, '{');
    json_text(json, "case", vcase->name);
    json_text(json, "quantity", row->quantity);
    json_number(json, "ours", row->ours);
    json_number(json, "theirs", row->theirs);
    json_number(json, "error", row->error);
    json_number(json, "limit", row->limit);
    json_text(json, "unit", row->unit);
    json_text(json, "verdict", row->verdict == FAILED ? "fail" : row->verdict == PASSED ? "pass" : "shown");
    json_close(json);
}

static void tell(struct validation *v, const struct vcase *vcase, const struct vrun *run)
{
    for (int i = 0; i < run->row_count; ++i) {
        const struct vrow *row = &run->rows[i];
        if (v->json)
            put_row(v->json, vcase, row);
        else
            print_row(vcase, row);
        v->checks += row->verdict != SHOWN;
        v->failed += row->verdict == FAILED;
    }
    fflush(stdout);
}

// ---- the command ----------------------------------------------------------------------------------

// A case that could not run to its end is a line that failed.
static void note_trouble(struct vrun *run, const struct vcase *vcase)
{
    if (!run->trouble[0]) return;
    remark("%s: %s", vcase->name, run->trouble);
    if (run->row_count == VROWS) --run->row_count;
    struct vrow *row = &run->rows[run->row_count++];
    *row = (struct vrow){"runs to its end", NONE, NONE, NONE, NONE, "", FAILED};
}

static int run_one(struct validation *v, const struct vcase *vcase)
{
    struct vrun *run = calloc(1, sizeof *run);

    if (!run) return complain(TARN_NO_MEMORY, "%s", result_text(TARN_NO_MEMORY));
    vrun_case(run, vcase, v->thorough);
    note_trouble(run, vcase);
    tell(v, vcase, run);
    ++v->cases;
    const int code = v->folder ? write_picture(v, vcase, run) : 0;
    vrun_free(run);
    free(run);
    return code;
}

static const struct vcase *find_case(const char *name)
{
    for (int i = 0; vcase_at(i); ++i)
        if (strcmp(vcase_at(i)->name, name) == 0) return vcase_at(i);
    return NULL;
}

static int unknown_case(const char *name)
{
    const char *names[MOST_CASES + 1] = {0};

    for (int i = 0; i < MOST_CASES && vcase_at(i); ++i) names[i] = vcase_at(i)->name;
    const char *meant = nearest_name(name, names);
    if (meant) return complain(TARN_BAD_ARGUMENT, "unknown case '%s'; did you mean %s?", name, meant);
    return complain(TARN_BAD_ARGUMENT, "unknown case '%s'; `tarn validate --list` tells them", name);
}

static void list_cases(int as_json)
{
    struct json json = json_begin(stdout);

    if (as_json) json_open(&json, NULL, '[');
    for (int i = 0; vcase_at(i); ++i) {
        const struct vcase *c = vcase_at(i);
        if (as_json) {
            json_open(&json, NULL, '{');
            json_text(&json, "case", c->name);
            json_text(&json, "title", c->title);
            json_flag(&json, "quick", c->quick);
            json_close(&json);
        } else {
            printf("%-17s %s%s\n", c->name, c->title, c->quick ? "" : " (with --long, or by name)");
        }
    }
    if (as_json) json_close(&json);
}

static int run_all(struct validation *v, int words, char **argv)
{
    const double start = clock_seconds();
    struct json json = json_begin(stdout);
    int code = 0;

    if (v->as_json) {
        v->json = &json;
        json_open(&json, NULL, '[');
    } else {
        print_head();
    }
    for (int i = 0; i < words && code == 0; ++i) code = run_one(v, find_case(argv[1 + i]));
    for (int i = 0; words == 0 && vcase_at(i) && code == 0; ++i)
        if (vcase_at(i)->quick || v->thorough) code = run_one(v, vcase_at(i));
    if (v->json) json_close(&json);
    if (code != 0) return code;
    remark("%d %s, %d checks, %d failed, %.1f s", v->cases, v->cases == 1 ? "case" : "cases", v->checks,
           v->failed, clock_seconds() - start);
    return v->failed ? TARN_FAILED : 0;
}

int command_validate(int argc, char **argv)
{
    static const struct usage usage = {
        "tarn validate [NAME...] [--long] [--plot DIR [-f]] [--json] [--list]",
        "Runs published cases and prints our number, theirs, the error and its limit. Lines without a limit\n"
        "are for comparison. Exit code 1 if a limit is broken. Without a name all quick cases run.\n",
        "  tarn validate\n"
        "  tarn validate stoker ritter --plot out/plots\n",
        0,
        -1,
    };
    struct validation v = {0};
    int words;
    const struct option options[] = {
        {OPTION_FLAG, "long", 0, NULL, &v.thorough, 0, 0, "all cases, and longer ones"},
        {OPTION_TEXT, "plot", 0, "DIR", &v.folder, 0, 0, "write DIR/CASE.png: our curve over theirs"},
        {OPTION_FLAG, "force", 'f', NULL, &v.force, 0, 0, "replace files of others"},
        {OPTION_FLAG, "json", 0, NULL, &v.as_json, 0, 0, "an array of objects on stdout, one for each line"},
        {OPTION_FLAG, "list", 0, NULL, &v.list, 0, 0, "only tell the names of the cases"},
        {OPTION_END, NULL, 0, NULL, NULL, 0, 0, NULL},
    };

    const int code = options_read(&usage, options, argc, argv, &words);
    if (code >= 0) return code;
    for (int i = 1; i <= words; ++i)
        if (!find_case(argv[i])) return unknown_case(argv[i]);
    if (v.list) {
        list_cases(v.as_json);
        return 0;
    }
    return run_all(&v, words, argv);
}
