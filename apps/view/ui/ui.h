// A small C interface to Dear ImGui; ui.cpp implements it.
//
// Every item with a label stores its rectangle, so that tests find it and use real mouse events. A label may
// be "shown text##identifier".
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

void ui_begin(struct ui *ui); // start a frame; processes the events since the last one
void ui_end(struct ui *ui);   // draw the frame into the window
bool ui_has_mouse(void);      // the pointer is over a panel, or drags one of its items
bool ui_has_keys(void);       // a text field has the keyboard focus
bool ui_has_open_list(void);  // a drop-down list is open

// ---- windows ----

enum ui_window_style {
    UI_PANEL,    // with a title, movable
    UI_NO_TITLE, // without a title, fixed
    UI_PAGE      // without a title, fixed, opaque, behind other windows
};

// Always followed by ui_end_window().
bool ui_begin_window(const char *title, enum ui_window_style style, float x, float y, float w, float h,
                     bool *is_open);
void ui_end_window(void);
bool ui_section(const char *title, bool open_at_first);
bool ui_child(const char *name, float h); // h 0: the rest of the window; always followed by ui_child_end()
void ui_child_end(void);

// ---- items; true: changed or pressed ----

void ui_text(const char *text);
void ui_text_dim(const char *text);
void ui_heading(const char *text);
void ui_text_warning(const char *text);
bool ui_button(const char *label, float w);
// A button with an image (0: none yet), a title, a description and a short text in the corner.
bool ui_card(const char *label, const char *title, const char *description, const char *corner,
             unsigned texture, float w);
bool ui_checkbox(const char *label, bool *on);
enum { UI_LOG = 1, UI_ON_RELEASE = 2 }; // logarithmic scale; true only when the mouse button is released
bool ui_slider(const char *label, double *x, double min, double max, const char *unit, unsigned flags);
bool ui_number(const char *label, double *x, int count,
               const char *unit); // input fields; true when editing ends
bool ui_choice(const char *label, int *index, const char *const *names);
bool ui_text_input(const char *label, char *text, int size);
bool ui_selectable(const char *label, bool selected, float w); // a button that shows a selection
// A line plot of a ring buffer; `first` is the oldest value, `current` the text of the newest.
void ui_graph(const char *label, const float *values, int count, int first, const char *current);
void ui_help(const char *text); // tooltip of the last item
void ui_same_line(float spacing);
void ui_spacing(void);
float ui_width(void); // available in this line

bool ui_table(const char *name, const char *const *headings, int columns, float h);
void ui_cell(const char *text);
void ui_cell_wrapped(const char *text);
void ui_table_end(void);

// ---- over the viewport, in pixels of the window ----

void ui_line_at(double x0, double y0, double x1, double y1, unsigned rgba, double width);
void ui_arrow(double x0, double y0, double x1, double y1, unsigned rgba);
void ui_dot(double x, double y, double radius, unsigned rgba);
void ui_label_at(double x, double y, unsigned rgba, const char *text); // on a dark background
double ui_text_width(const char *text);

// The rectangle of an item in the last frame. @return false if it was not drawn
bool ui_find_item(const struct ui *ui, const char *label, double rect[4]);

#ifdef __cplusplus
}
#endif
#endif
