// Implementation of ui.h with Dear ImGui; the only C++ file of the project.
#include "ui.h"

#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>

namespace
{

enum { MAX_ITEMS = 512, LABEL_BYTES = 200 };

struct item {
    char label[LABEL_BYTES];
    double rect[4]; // [pixels]
    int frame;      // when it was drawn last
};

} // namespace

struct ui {
    item items[MAX_ITEMS];
    int count, frame;
    float scale;
    ImFont *heading_font;
    char edited[LABEL_BYTES]; // label of the item that is being dragged or edited
    double edited_values[4];  // its values so far
};

static ui *current; // set between ui_begin and ui_end, like ImGui's own current context

// Framebuffer pixels per ImGui unit; above 1 if the system scales windows.
static float pixel_ratio(void)
{
    const float r = ImGui::GetIO().DisplayFramebufferScale.x;
    return r > 0 ? r : 1;
}

// Store the rectangle of the last item under its label, or under the identifier of "shown##identifier".
static void store_rect(const char *label)
{
    if (!current) return;
    int k = 0;
    const char *identifier = std::strstr(label, "##");
    if (identifier) label = identifier + 2;
    while (k < current->count && std::strcmp(current->items[k].label, label) != 0) ++k;
    if (k == MAX_ITEMS) return;
    if (k == current->count) std::snprintf(current->items[current->count++].label, LABEL_BYTES, "%s", label);
    const ImVec2 a = ImGui::GetItemRectMin(), b = ImGui::GetItemRectMax();
    item &p = current->items[k];
    const float r = pixel_ratio();
    p.rect[0] = r * a.x, p.rect[1] = r * a.y, p.rect[2] = r * b.x, p.rect[3] = r * b.y,
    p.frame = current->frame;
}

bool ui_find_item(const ui *u, const char *label, double rect[4])
{
    for (int k = 0; k < u->count; ++k)
        if (std::strcmp(u->items[k].label, label) == 0 && u->items[k].frame >= u->frame - 1) {
            std::memcpy(rect, u->items[k].rect, sizeof u->items[k].rect);
            return true;
        }
    return false;
}

// ---- creation -------------------------------------------------------------------------------------

static void set_style(float scale)
{
    ImGui::StyleColorsDark();
    ImGuiStyle &s = ImGui::GetStyle();
    s.WindowRounding = 6, s.FrameRounding = 4, s.GrabRounding = 4, s.ChildRounding = 4, s.PopupRounding = 4;
    s.ScrollbarRounding = 4, s.WindowBorderSize = 0, s.FrameBorderSize = 0, s.ScrollbarSize = 12;
    s.WindowPadding = ImVec2(12, 10), s.FramePadding = ImVec2(8, 4), s.ItemSpacing = ImVec2(8, 6);
    ImVec4 *c = s.Colors;
    const ImVec4 accent(0.20f, 0.52f, 0.66f, 1), dim(0.16f, 0.36f, 0.46f, 1),
        ground(0.07f, 0.09f, 0.11f, 0.90f);
    const ImVec4 box(0.17f, 0.21f, 0.25f, 1), over(0.23f, 0.29f, 0.34f, 1);
    c[ImGuiCol_WindowBg] = ImVec4(0.07f, 0.09f, 0.11f, 0.97f),
    c[ImGuiCol_PopupBg] = ImVec4(0.09f, 0.11f, 0.13f, 0.97f);
    c[ImGuiCol_TitleBg] = c[ImGuiCol_TitleBgCollapsed] = ground;
    c[ImGuiCol_TitleBgActive] = ImVec4(0.10f, 0.15f, 0.19f, 1);
    c[ImGuiCol_Text] = ImVec4(0.90f, 0.92f, 0.93f, 1),
    c[ImGuiCol_TextDisabled] = ImVec4(0.58f, 0.63f, 0.66f, 1);
    c[ImGuiCol_FrameBg] = box, c[ImGuiCol_FrameBgHovered] = over, c[ImGuiCol_FrameBgActive] = over;
    c[ImGuiCol_Button] = box, c[ImGuiCol_ButtonHovered] = dim, c[ImGuiCol_ButtonActive] = accent;
    c[ImGuiCol_Header] = ImVec4(0.13f, 0.17f, 0.20f, 1), c[ImGuiCol_HeaderHovered] = dim;
    c[ImGuiCol_HeaderActive] = accent;
    c[ImGuiCol_SliderGrab] = ImVec4(0.20f, 0.52f, 0.66f, 0.75f), s.GrabMinSize = 8,
    c[ImGuiCol_SliderGrabActive] = ImVec4(0.35f, 0.68f, 0.82f, 1);
    c[ImGuiCol_CheckMark] = ImVec4(0.45f, 0.78f, 0.90f, 1),
    c[ImGuiCol_PlotLines] = ImVec4(0.45f, 0.78f, 0.90f, 1);
    c[ImGuiCol_Separator] = ImVec4(1, 1, 1, 0.10f), c[ImGuiCol_TableRowBgAlt] = ImVec4(1, 1, 1, 0.03f);
    c[ImGuiCol_TableHeaderBg] = box, c[ImGuiCol_NavHighlight] = accent;
    s.ScaleAllSizes(scale);
}

// DejaVu Sans if Debian's package is installed, otherwise ImGui's built-in font.
static ImFont *add_font(float size)
{
    static const char file[] = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf";
    static const ImWchar ranges[] = {0x20,   0x17F,  0x370,  0x3FF,  0x2010, 0x2027,
                                     0x2070, 0x209F, 0x2190, 0x21FF, 0};
    ImGuiIO &io = ImGui::GetIO();
    FILE *opened = std::fopen(file, "rb");
    ImFont *font = nullptr;
    if (opened) {
        std::fclose(opened);
        font = io.Fonts->AddFontFromFileTTF(file, size, nullptr, ranges);
    }
    if (font) return font;
    ImFontConfig config;
    config.SizePixels = size;
    return io.Fonts->AddFontDefault(&config);
}

ui *ui_create(GLFWwindow *window, float scale)
{
    ui *u = new (std::nothrow) ui();
    if (!u) return nullptr;
    ImGui::CreateContext();
    ImGuiIO &io = ImGui::GetIO();
    io.IniFilename = nullptr; // write no settings file
    int window_w, window_h, pixels_w, pixels_h;
    glfwGetWindowSize(window, &window_w, &window_h);
    glfwGetFramebufferSize(window, &pixels_w, &pixels_h);
    if (window_w > 0 && pixels_w > window_w)
        scale *= (float)window_w / (float)pixels_w; // ImGui applies this factor itself
    u->scale = scale;
    add_font(15.0f * scale);
    u->heading_font = add_font(26.0f * scale);
    set_style(scale);
    ImGui_ImplGlfw_InitForOpenGL(window, true);
    ImGui_ImplOpenGL3_Init("#version 330 core");
    return u;
}

void ui_destroy(ui *u)
{
    if (!u) return;
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
    delete u;
}

void ui_begin(ui *u)
{
    current = u;
    u->frame += 1;
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    ImGui::NewFrame();
}

void ui_end(ui *u)
{
    (void)u;
    ImGui::Render();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    current = nullptr;
}

bool ui_has_mouse(void) { return ImGui::GetIO().WantCaptureMouse; }
bool ui_has_keys(void) { return ImGui::GetIO().WantTextInput; }

bool ui_has_open_list(void)
{
    return ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
}

// ---- windows --------------------------------------------------------------------------------------

bool ui_begin_window(const char *title, enum ui_window_style style, float x, float y, float w, float h,
                     bool *is_open)
{
    ImGuiWindowFlags flags = ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing;
    if (style == UI_PAGE) flags |= ImGuiWindowFlags_NoBringToFrontOnFocus;
    if (style != UI_PANEL)
        flags |= ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize;
    if (style == UI_NO_TITLE) flags |= ImGuiWindowFlags_NoScrollbar;
    if (style == UI_NO_TITLE && h <= 0) flags |= ImGuiWindowFlags_AlwaysAutoResize;
    const ImGuiCond when = style == UI_PANEL ? ImGuiCond_Appearing : ImGuiCond_Always;
    const float r = pixel_ratio();
    ImGui::SetNextWindowPos(ImVec2(x / r, y / r), when);
    if (w > 0 && h > 0) ImGui::SetNextWindowSize(ImVec2(w / r, h / r), when);
    if (style == UI_PAGE) ImGui::SetNextWindowBgAlpha(1.0f);
    if (style == UI_PAGE) ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0f);
    const bool open = ImGui::Begin(title, style == UI_PANEL ? is_open : nullptr, flags);
    if (style == UI_PAGE) ImGui::PopStyleVar();
    return open;
}

void ui_end_window(void) { ImGui::End(); }

bool ui_section(const char *title, bool open_at_first)
{
    const bool on = ImGui::CollapsingHeader(title, open_at_first ? ImGuiTreeNodeFlags_DefaultOpen : 0);
    store_rect(title);
    return on;
}

bool ui_child(const char *name, float h) { return ImGui::BeginChild(name, ImVec2(0, h)); }
void ui_child_end(void) { ImGui::EndChild(); }

// ---- items ----------------------------------------------------------------------------------------

void ui_text(const char *text) { ImGui::TextUnformatted(text); }

void ui_text_dim(const char *text)
{
    ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyle().Colors[ImGuiCol_TextDisabled]);
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(text);
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
}

void ui_heading(const char *text)
{
    ImGui::PushFont(current->heading_font);
    ImGui::TextUnformatted(text);
    ImGui::PopFont();
}

void ui_text_warning(const char *text)
{
    ImGui::PushStyleColor(ImGuiCol_Text, ImVec4(1.0f, 0.72f, 0.35f, 1));
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(text);
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
}

bool ui_button(const char *label, float w)
{
    const bool pressed = ImGui::Button(label, ImVec2(w, 0));
    store_rect(label);
    return pressed;
}

bool ui_card(const char *label, const char *title, const char *description, const char *corner,
             unsigned texture, float w)
{
    const float pad = 12 * current->scale, line = ImGui::GetTextLineHeightWithSpacing();
    const float image_h = w * 9.0f / 16.0f, h = image_h + 2 * pad + 3.5f * line,
                round = ImGui::GetStyle().FrameRounding;
    ImGui::PushID(label);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const bool pressed = ImGui::Button("##card", ImVec2(w, h));
    store_rect(label);
    ImDrawList *list = ImGui::GetWindowDrawList();
    const ImVec2 low(at.x + 3, at.y + 3), high(at.x + w - 3, at.y + image_h);
    if (texture)
        list->AddImageRounded((ImTextureID)(intptr_t)texture, low, high, ImVec2(0, 0), ImVec2(1, 1),
                              IM_COL32_WHITE, round);
    else
        list->AddRectFilled(low, high, IM_COL32(255, 255, 255, 8), round);
    const ImU32 faint = ImGui::GetColorU32(ImGuiCol_TextDisabled), full = ImGui::GetColorU32(ImGuiCol_Text);
    const ImVec4 clip(at.x + pad, at.y, at.x + w - pad, at.y + h - 4);
    const float y = at.y + image_h + pad;
    list->AddText(ImGui::GetFont(), ImGui::GetFontSize(), ImVec2(at.x + pad, y), full, title, nullptr, 0,
                  &clip);
    list->AddText(ImGui::GetFont(), ImGui::GetFontSize() * 0.9f, ImVec2(at.x + pad, y + line), faint,
                  description, nullptr, w - 2 * pad, &clip);
    const ImVec2 size = ImGui::CalcTextSize(corner);
    list->AddText(ImVec2(at.x + w - pad - size.x, y), faint, corner);
    ImGui::PopID();
    return pressed;
}

bool ui_checkbox(const char *label, bool *on)
{
    const bool changed = ImGui::Checkbox(label, on);
    store_rect(label);
    return changed;
}

// Replace ^2 and ^3 by superscripts.
static void write_superscripts(const char *unit, char *out, size_t size)
{
    size_t n = 0;
    for (; *unit && n + 3 < size; ++unit) {
        const bool superscript = unit[0] == '^' && (unit[1] == '2' || unit[1] == '3');
        if (superscript) {
            out[n++] = '\xC2', out[n++] = unit[1] == '2' ? '\xB2' : '\xB3'; // UTF-8
            ++unit;
        } else {
            out[n++] = *unit;
        }
    }
    out[n] = '\0';
}

// Draw the label in the left 48 % of the line, without a prefix "fluid.".
static void draw_label(const char *label)
{
    const float half = ImGui::GetContentRegionAvail().x * 0.48f, x = ImGui::GetCursorPosX();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::PushClipRect(at, ImVec2(at.x + half - 4, at.y + ImGui::GetFrameHeight()), true);
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(std::strncmp(label, "fluid.", 6) == 0 ? label + 6 : label,
                           std::strstr(label, "##"));
    ImGui::PopClipRect();
    ImGui::SameLine(x + half);
    ImGui::SetNextItemWidth(-1);
}

// A value takes effect when dragging or editing ends; until then ui.edited_values is shown instead of the
// caller's value.
static void show_edited(const char *label, double *x, int count)
{
    if (std::strcmp(current->edited, label) == 0)
        std::memcpy(x, current->edited_values, (size_t)count * sizeof *x);
}

static bool finish_edit(const char *label, double *x, int count, bool changed)
{
    if (changed) {
        std::snprintf(current->edited, LABEL_BYTES, "%s", label);
        std::memcpy(current->edited_values, x, (size_t)count * sizeof *x);
    }
    if (std::strcmp(current->edited, label) != 0 || ImGui::IsItemActive()) return false;
    std::memcpy(x, current->edited_values, (size_t)count * sizeof *x);
    current->edited[0] = '\0';
    return ImGui::IsItemDeactivatedAfterEdit();
}

bool ui_slider(const char *label, double *x, double min, double max, const char *unit, unsigned flags)
{
    char format[48], id[LABEL_BYTES], written[32];
    write_superscripts(unit, written, sizeof written);
    std::snprintf(format, sizeof format, "%%.4g%s%s", *unit ? " " : "", written);
    std::snprintf(id, sizeof id, "##%s", label);
    draw_label(label);
    if (flags & UI_ON_RELEASE) show_edited(label, x, 1);
    const bool changed =
        ImGui::SliderScalar(id, ImGuiDataType_Double, x, &min, &max, format,
                            flags & UI_LOG ? ImGuiSliderFlags_Logarithmic : ImGuiSliderFlags_None);
    store_rect(label);
    return flags & UI_ON_RELEASE ? finish_edit(label, x, 1, changed) : changed;
}

bool ui_number(const char *label, double *x, int count, const char *unit)
{
    char format[48], id[LABEL_BYTES], written[32];
    write_superscripts(unit, written, sizeof written);
    std::snprintf(format, sizeof format, count > 1 ? "%%.4g" : "%%.6g%s%s", *unit ? " " : "", written);
    std::snprintf(id, sizeof id, "##%s", label);
    draw_label(label);
    show_edited(label, x, count);
    const bool changed = ImGui::InputScalarN(id, ImGuiDataType_Double, x, count, nullptr, nullptr, format);
    store_rect(label);
    return finish_edit(label, x, count, changed);
}

bool ui_choice(const char *label, int *index, const char *const *names)
{
    char id[LABEL_BYTES];
    int count = 0;
    while (names[count]) ++count;
    std::snprintf(id, sizeof id, "##%s", label);
    draw_label(label);
    const bool changed = ImGui::Combo(id, index, names, count);
    store_rect(label);
    return changed;
}

bool ui_text_input(const char *label, char *text, int size)
{
    char id[LABEL_BYTES];
    std::snprintf(id, sizeof id, "##%s", label);
    draw_label(label);
    const bool done = ImGui::InputText(id, text, (size_t)size, ImGuiInputTextFlags_EnterReturnsTrue);
    store_rect(label);
    return done;
}

bool ui_selectable(const char *label, bool selected, float w)
{
    if (selected) ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyle().Colors[ImGuiCol_ButtonActive]);
    const bool pressed = ImGui::Button(label, ImVec2(w, 0));
    if (selected) ImGui::PopStyleColor();
    store_rect(label);
    return pressed;
}

void ui_graph(const char *label, const float *values, int count, int first, const char *current_text)
{
    char id[LABEL_BYTES], written[64];
    float min = 0, max = 0;
    write_superscripts(current_text, written, sizeof written);
    for (int k = 0; k < count; ++k) {
        min = k == 0 || values[k] < min ? values[k] : min;
        max = k == 0 || values[k] > max ? values[k] : max;
    }
    if (!(max > min)) min -= 0.5f, max += 0.5f;
    std::snprintf(id, sizeof id, "##%s", label);
    ImGui::TextUnformatted(label);
    const float width = ImGui::CalcTextSize(written).x;
    ImGui::SameLine(ImGui::GetContentRegionMax().x - width);
    ui_text_dim(written);
    ImGui::SetNextItemWidth(-1);
    ImGui::PlotLines(id, values, count, first, nullptr, min, max, ImVec2(0, 44 * current->scale));
    store_rect(label);
}

void ui_help(const char *text)
{
    char written[512];
    if (!text[0] || !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
    write_superscripts(text, written, sizeof written);
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(ImGui::GetFontSize() * 22);
    ImGui::TextUnformatted(written);
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

void ui_same_line(float spacing) { ImGui::SameLine(0, spacing); }
void ui_spacing(void) { ImGui::Spacing(); }
float ui_width(void) { return ImGui::GetContentRegionAvail().x; }

bool ui_table(const char *name, const char *const *headings, int columns, float h)
{
    const ImGuiTableFlags flags =
        ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY | ImGuiTableFlags_SizingStretchProp;
    if (!ImGui::BeginTable(name, columns, flags, ImVec2(0, h))) return false;
    ImGui::TableSetupScrollFreeze(0, 1);
    const bool pairs = columns % 2 == 0; // a key and its meaning: only the second column stretches
    for (int k = 0; k < columns; ++k)
        ImGui::TableSetupColumn(headings[k], pairs && k % 2 == 0 ? ImGuiTableColumnFlags_WidthFixed
                                                                 : ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableHeadersRow();
    return true;
}

void ui_cell(const char *text)
{
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(text);
}

void ui_cell_wrapped(const char *text)
{
    ImGui::TableNextColumn();
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(text);
    ImGui::PopTextWrapPos();
}

void ui_table_end(void) { ImGui::EndTable(); }

// ---- over the viewport ----------------------------------------------------------------------------

static ImVec2 point(double x, double y) { return ImVec2((float)x / pixel_ratio(), (float)y / pixel_ratio()); }

void ui_line_at(double x0, double y0, double x1, double y1, unsigned rgba, double width)
{
    ImGui::GetBackgroundDrawList()->AddLine(point(x0, y0), point(x1, y1), rgba, (float)width);
}

void ui_arrow(double x0, double y0, double x1, double y1, unsigned rgba)
{
    const double dx = x1 - x0, dy = y1 - y0, length = std::sqrt(dx * dx + dy * dy);
    if (!(length > 3.0)) return;
    const double head = length < 24 ? length * 0.4 : 10, ux = dx / length, uy = dy / length;
    const double bx = x1 - head * ux, by = y1 - head * uy, side = 0.45 * head;
    ImDrawList *list = ImGui::GetBackgroundDrawList();
    list->AddLine(point(x0, y0), point(bx, by), rgba, 2.5f);
    list->AddTriangleFilled(point(x1, y1), point(bx - side * uy, by + side * ux),
                            point(bx + side * uy, by - side * ux), rgba);
}

void ui_dot(double x, double y, double radius, unsigned rgba)
{
    ImGui::GetBackgroundDrawList()->AddCircleFilled(point(x, y), (float)radius, rgba);
}

void ui_label_at(double x, double y, unsigned rgba, const char *text)
{
    const ImVec2 size = ImGui::CalcTextSize(text), at = point(x, y);
    ImDrawList *list = ImGui::GetBackgroundDrawList();
    list->AddRectFilled(ImVec2(at.x - 8, at.y - 4), ImVec2(at.x + size.x + 8, at.y + size.y + 4),
                        IM_COL32(18, 23, 28, 200), 4);
    list->AddText(at, rgba, text);
}

double ui_text_width(const char *text) { return pixel_ratio() * ImGui::CalcTextSize(text).x; }
