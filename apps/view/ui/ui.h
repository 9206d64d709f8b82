// Panels: a small C door to Dear ImGui, whose C++ stays in ui.cpp.
//
// Whatever is drawn with a label leaves its rectangle behind, so that tests can find it and use real mouse events. A label
// may be "what is shown##its name".
#ifndef VIEW_UI_H
#define VIEW_UI_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct GLFWwindow;
struct ui;

struct ui *ui_create(struct GLFWwindow *window, float scale); // NULL without memory
void ui_destroy(struct ui *ui);

void ui_begin(struct ui *ui); // a new frame; sees the events since the last one
void ui_end(struct ui *ui);   // draws it into the window
bool ui_has_mouse(void);      // the pointer is over a panel, or drags something of one
bool ui_has_keys(void);       // somebody types into a field
bool ui_has_list(void);       // a list of choices is open

// ---- windows ----

enum ui_look { UI_PANEL, UI_BARE, UI_PAGE }; // a panel with a title; no title, fixed; the whole window

bool ui_open(const char *title, enum ui_look look, float x, float y, float w, float h, bool *keep);
void ui_close(void);
bool ui_section(const char *title, bool open);
bool ui_child(const char *name, float h); // h 0: as it needs; always ends with ui_child_end()
void ui_child_end(void);

// ---- things in them; true: changed or pressed ----

void ui_text(const char *text);
void ui_faint(const char *text);
void ui_big(const char *text);
void ui_warn(const char *text);
bool ui_button(const char *label, float w);
// A picture (0: none yet) over a title, some lines about it, and a word in the corner.
bool ui_card(const char *label, const char *title, const char *about, const char *corner, unsigned texture,
             float w);
bool ui_check(const char *label, bool *on);
enum { UI_LOG = 1, UI_LATE = 2 }; // finer towards 0; true only when the hand lets go
bool ui_slider(const char *label, double *x, double lo, double hi, const char *unit, unsigned how);
bool ui_number(const char *label, double *x, int count, const char *unit); // boxes; true when typing is done
bool ui_choice(const char *label, int *index, const char *const *names);
bool ui_line(const char *label, char *text, int size);
bool ui_pick(const char *label, bool chosen, float w); // one of a list
void ui_graph(const char *label, const float *values, int count, int first, const char *now);
void ui_help(const char *text); // shown when the pointer rests on the last thing
void ui_same_line(float gap);
void ui_gap(void);
float ui_width(void); // left in this line

bool ui_table(const char *name, const char *const *heads, int columns, float h);
void ui_cell(const char *text);
void ui_cell_wrapped(const char *text); // in as many lines as it needs
void ui_table_end(void);

// ---- over the picture, in pixels of the window ----

void ui_stroke(double x0, double y0, double x1, double y1, unsigned rgba, double wide);
void ui_arrow(double x0, double y0, double x1, double y1, unsigned rgba);
void ui_dot(double x, double y, double radius, unsigned rgba);
void ui_note(double x, double y, unsigned rgba, const char *text); // with a dark ground
double ui_text_width(const char *text);

// The rectangle of a label in the last frame that had it. False: it was not drawn.
bool ui_find(const struct ui *ui, const char *label, double rect[4]);

#ifdef __cplusplus
}
#endif
#endif
