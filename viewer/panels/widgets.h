#pragma once

#include <imgui.h>

#include <map>
#include <string>

#include "viewer/model/settings/names.h"
#include "viewer/model/settings/statistic_rows.h"
#include "viewer/window/pane.h"

// ImGui's widgets in the style of the panels: a label on the left, the widget on the right, a hint under the
// mouse. Each records its place, so that scripts and tests can find it.

namespace copse::viewer {

/// The places of widgets, by name: "Structure/Builder", or "Structure/Builder/hploc" in an open list.
class WidgetMap {
 public:
  const std::map<std::string, Rectangle>& places() const { return places_; }
  /// Returns the place of a widget; null if it is not visible.
  const Rectangle* find(const std::string& name) const;

  void clear() { places_.clear(); }
  void enter(const std::string& scope) { scope_ += scope + "/"; }
  void leave(const std::string& scope) { scope_.resize(scope_.size() - scope.size() - 1); }
  void note(const std::string& name, const Rectangle& place) { places_[scope_ + name] = place; }

 private:
  std::map<std::string, Rectangle> places_;
  std::string scope_;
};

/// Records the widget that was drawn last.
void note_widget(const std::string& name);
/// Records something that was drawn without a widget, such as a text.
void note_place(const std::string& name, const Rectangle& place);

/// During its lifetime, names of widgets begin with `name` and a slash.
class WidgetScope {
 public:
  explicit WidgetScope(const std::string& name);
  ~WidgetScope();
  WidgetScope(const WidgetScope&) = delete;
  WidgetScope& operator=(const WidgetScope&) = delete;

 private:
  std::string name_;
};

/// Draws a heading that opens and closes a part of a panel. Returns true if the part is open.
bool section(const char* heading, bool open_at_first = true);

/// Shows `hint` while the mouse is over the widget that was drawn last.
void explain(const char* hint);

bool button(const char* label, const char* hint = nullptr, float width = 0);
bool checkbox(const char* label, bool& value, const char* hint = nullptr);
bool slider(const char* label, float& value, float lowest, float highest, const char* format = "%.2f",
            const char* hint = nullptr, bool logarithmic = false);
bool slider(const char* label, u32& value, u32 lowest, u32 highest, const char* hint = nullptr,
            bool logarithmic = false, const char* format = "%u");

/// Closes the menu or the list that is being drawn if Esc went down, and the menus that it belongs to.
void close_on_escape();

/// Draws a list of `count` names to choose from. Returns true if another name was chosen.
bool choice(const char* label, const char* const* names, u64 count, u64& chosen, const char* hint = nullptr);

template <class Enum>
bool choice(const char* label, Enum& value, const char* hint = nullptr) {
  u64 chosen = u64(value);
  if (!choice(label, names<Enum>().data(), names<Enum>().size(), chosen, hint)) return false;
  value = Enum(chosen);
  return true;
}

/// Returns the text, or its beginning and "..." if it is wider than `width` in the current font.
std::string fit_text(const std::string& text, float width);

/// Returns how much of a slider is filled: 0 at the lowest value, 1 at the highest.
///   logarithmic: lowest is above 0
float slider_share(double value, double lowest, double highest, bool logarithmic);

/// Draws a line with a name and a value. What does not fit is shortened, and shown whole under the mouse.
void fact(const char* name, const std::string& value, const char* hint = nullptr);

/// The colour of headings within a panel.
ImVec4 heading_colour();

/// Draws text in a muted colour.
void quiet_text(const std::string& text);

}  // namespace copse::viewer
