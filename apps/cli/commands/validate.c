// tarn validate: run published cases and compare computed numbers with the reference.
#include "validation/case_api.h"

#include "apps/cli/commands.h"
#include "apps/common/app.h"
#ifdef TARN_DRAW
#include "apps/cli/output/plot.h"
#include "apps/common/images/video.h"
#endif

#include <stdlib.h>
#include <string.h>

enum { MAX_CASES = 256 };

struct validation {
    int long_run, list, as_json, force;
    const char *folder; // of plots; NULL: none
    struct json_writer *json;
    int cases, checks, failed;
};

// ---- plots -----------------------------------------------------------------------------------------

#ifdef TARN_DRAW
static int draw_curves(const struct validation_case *vcase, const struct case_run *run, unsigned char *rgb)
{
    static const enum plot_style styles[] = {
        [CURVE_FILLED] = PLOT_FILLED,
        [CURVE_REFERENCE] = PLOT_REFERENCE,
        [CURVE_COMPUTED] = PLOT_COMPUTED,
        [CURVE_SECONDARY] = PLOT_SECONDARY,
    };
    struct plot_curve curves[MAX_CURVES];
    const struct plot plot = {vcase->title, run->x_label, run->y_label, curves, run->curve_count};

    for (int k = 0; k < run->curve_count; ++k) {
        const struct report_curve *c = &run->curves[k];
        curves[k] = (struct plot_curve){c->name, c->n, c->x, c->y, styles[c->style]};
    }
    return plot_draw(&plot, rgb);
}

// Writes DIR/CASE.png. Returns 0, or an exit code after an error message.
static int write_plot(const struct validation *v, const struct validation_case *vcase,
                      const struct case_run *run)
{
    struct video film;
    char path[OUTPUT_PATH];
    unsigned char *rgb = malloc((size_t)PLOT_WIDTH * PLOT_HEIGHT * 3);
    const int n = snprintf(path, sizeof path, "%s/%s.png", v->folder, vcase->name);
    int code = 0;

    if (n < 0 || (size_t)n >= sizeof path)
        code = print_error(TARN_BAD_ARGUMENT, "--plot: the name is too long");
    if (code == 0 && (!rgb || draw_curves(vcase, run, rgb) != 0))
        code = print_error(TARN_NO_MEMORY, "%s", result_message(TARN_NO_MEMORY));
    if (code == 0) code = video_parse_path(&film, path);
    if (code == 0) {
        film.force = v->force;
        film.width = PLOT_WIDTH;
        film.height = PLOT_HEIGHT;
        code = video_open(&film, 1);
        if (code == 0) code = video_write(&film, rgb);
        if (code == 0) code = video_commit(&film);
        video_close(&film);
    }
    free(rgb);
    return code;
}
#else
static int write_plot(const struct validation *v, const struct validation_case *vcase,
                      const struct case_run *run)
{
    (void)v;
    (void)vcase;
    (void)run;
    return print_error(TARN_FAILED, "--plot is not available: this program was built without TARN_DRAW");
}
#endif

// ---- tables ----------------------------------------------------------------------------------------

static const char *const verdicts[] = {[INFO] = "-", [PASSED] = "pass", [FAILED] = "FAIL"};

static void print_head(void)
{
    printf("%-17s %-44s %-11s %-11s %-16s %-14s\n", "case", "quantity", "computed", "reference", "error",
           "limit");
}

// A number with its unit in `width` columns, or a dash.
static void print_number(double number, int digits, const char *unit, int width)
{
    char text[48];

    snprintf(text, sizeof text, "%.*g %s", digits, number, unit);
    printf("%-*s ", width, isnan(number) ? "-" : text);
}

static void print_row(const struct validation_case *vcase, const struct report_row *row)
{
    printf("%-17s %-44s ", vcase->name, row->quantity);
    print_number(row->computed, 6, "", 11);
    print_number(row->reference, 6, "", 11);
    print_number(row->error, 3, row->unit, 16);
    print_number(row->limit, 3, row->unit, 14);
    printf("%s\n", verdicts[row->verdict]);
}

static void put_row(struct json_writer *json, const struct validation_case *vcase,
                    const struct report_row *row)
{
    json_open(json, NULL, '{');
    json_text(json, "case", vcase->name);
    json_text(json, "quantity", row->quantity);
    json_number(json, "computed", row->computed);
    json_number(json, "reference", row->reference);
    json_number(json, "error", row->error);
    json_number(json, "limit", row->limit);
    json_text(json, "unit", row->unit);
    json_text(json, "verdict", row->verdict == FAILED ? "fail" : row->verdict == PASSED ? "pass" : "shown");
    json_close(json);
}

static void report(struct validation *v, const struct validation_case *vcase, const struct case_run *run)
{
    for (int i = 0; i < run->row_count; ++i) {
        const struct report_row *row = &run->rows[i];
        if (v->json)
            put_row(v->json, vcase, row);
        else
            print_row(vcase, row);
        v->checks += row->verdict != INFO;
        v->failed += row->verdict == FAILED;
    }
    fflush(stdout);
}

// ---- the command -----------------------------------------------------------------------------------

// A case that could not run to its end counts as a failed check.
static void record_failure(struct case_run *run, const struct validation_case *vcase)
{
    if (!run->error[0]) return;
    print_status("%s: %s", vcase->name, run->error);
    if (run->row_count == MAX_ROWS) --run->row_count;
    struct report_row *row = &run->rows[run->row_count++];
    *row = (struct report_row){"runs to the end", NONE, NONE, NONE, NONE, "", FAILED};
}

static int run_one(struct validation *v, const struct validation_case *vcase)
{
    struct case_run *run = calloc(1, sizeof *run);

    if (!run) return print_error(TARN_NO_MEMORY, "%s", result_message(TARN_NO_MEMORY));
    run_validation_case(run, vcase, v->long_run);
    record_failure(run, vcase);
    report(v, vcase, run);
    ++v->cases;
    const int code = v->folder ? write_plot(v, vcase, run) : 0;
    free_case_run(run);
    free(run);
    return code;
}

static const struct validation_case *find_case(const char *name)
{
    for (int i = 0; validation_case_at(i); ++i)
        if (strcmp(validation_case_at(i)->name, name) == 0) return validation_case_at(i);
    return NULL;
}

static int unknown_case(const char *name)
{
    const char *names[MAX_CASES + 1] = {0};

    for (int i = 0; i < MAX_CASES && validation_case_at(i); ++i) names[i] = validation_case_at(i)->name;
    const char *closest = closest_name(name, names);
    if (closest) return print_error(TARN_BAD_ARGUMENT, "unknown case '%s'; did you mean %s?", name, closest);
    return print_error(TARN_BAD_ARGUMENT, "unknown case '%s'; `tarn validate --list` lists them", name);
}

static void list_cases(int as_json)
{
    struct json_writer json = json_begin(stdout);

    if (as_json) json_open(&json, NULL, '[');
    for (int i = 0; validation_case_at(i); ++i) {
        const struct validation_case *c = validation_case_at(i);
        if (as_json) {
            json_open(&json, NULL, '{');
            json_text(&json, "case", c->name);
            json_text(&json, "title", c->title);
            json_write_bool(&json, "quick", c->quick);
            json_close(&json);
        } else {
            printf("%-17s %s%s\n", c->name, c->title, c->quick ? "" : " (with --long, or by name)");
        }
    }
    if (as_json) json_close(&json);
}

static int run_all(struct validation *v, const struct args *args)
{
    const double start = monotonic_seconds();
    struct json_writer json = json_begin(stdout);
    int code = 0;

    if (v->as_json) {
        v->json = &json;
        json_open(&json, NULL, '[');
    } else {
        print_head();
    }
    for (int i = 0; i < args->count && code == 0; ++i) code = run_one(v, find_case(args->positional[i]));
    for (int i = 0; args->count == 0 && validation_case_at(i) && code == 0; ++i)
        if (validation_case_at(i)->quick || v->long_run) code = run_one(v, validation_case_at(i));
    if (v->json) json_close(&json);
    if (code != 0) return code;
    print_status("%d %s, %d checks, %d failed, %.1f s", v->cases, v->cases == 1 ? "case" : "cases", v->checks,
                 v->failed, monotonic_seconds() - start);
    return v->failed ? TARN_FAILED : 0;
}

static int validate_main(int argc, char **argv)
{
    struct validation v = {0};
    const struct option options[] = {
        {OPTION_FLAG, "long", 0, NULL, &v.long_run, 0, 0, "all cases, at full length"},
        {OPTION_TEXT, "plot", 0, "DIR", &v.folder, 0, 0, "write DIR/CASE.png: computed and reference curves"},
        FORCE_OPTION(&v.force, ""),
        JSON_OPTION(&v.as_json, "print an array of objects, one per row"),
        {OPTION_FLAG, "list", 0, NULL, &v.list, 0, 0, "list the names of the cases"},
        OPTIONS_END,
    };
    const struct command_spec spec = {
        "tarn validate [NAME...] [--long] [--plot DIR [-f]] [--json] [--list]",
        "Runs published cases and prints the computed number, the reference, the error and its limit.\n"
        "Rows without a limit are for comparison only. Exit code 1 if a limit is exceeded. Without a\n"
        "name all quick cases run.\n",
        "  tarn validate\n"
        "  tarn validate stoker ritter --plot out/plots\n",
        0,
        -1,
        options,
    };
    struct args args;

    const enum parse_result parsed = parse_options(&spec, argc, argv, &args);
    if (parsed != PARSED) return parse_exit_code(parsed);
    for (int i = 0; i < args.count; ++i)
        if (!find_case(args.positional[i])) return unknown_case(args.positional[i]);
    if (v.list) {
        list_cases(v.as_json);
        return 0;
    }
    return run_all(&v, &args);
}

const struct command command_validate = {"validate", "compare with published results", validate_main};
