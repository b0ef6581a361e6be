#pragma once

#include <map>
#include <string>

#include "viewer/model/settings/names.h"
#include "viewer/window/pane.h"

// ImGui's widgets as the panels use them: a label to the left, the widget to the right, a hint where the mouse
// rests. Each notes where it stands, so that scripts and tests can find it.

namespace copse::viewer {

/// Places of widgets by their names: "Structure/Builder", "Structure/Builder/hploc" in an open list.
class WidgetMap {
 public:
  const std::map<std::string, Rectangle>& places() const { return places_; }
  /// Null where no such widget is to be seen.
  const Rectangle* find(const std::string& name) const;

  void clear() { places_.clear(); }
  void enter(const std::string& scope) { scope_ += scope + "/"; }
  void leave(const std::string& scope) { scope_.resize(scope_.size() - scope.size() - 1); }
  void note(const std::string& name, const Rectangle& place) { places_[scope_ + name] = place; }

 private:
  std::map<std::string, Rectangle> places_;
  std::string scope_;
};

/// Notes the widget that was drawn last.
void note_widget(const std::string& name);

/// Within its life, names of widgets begin with `name` and a slash.
class WidgetScope {
 public:
  explicit WidgetScope(const std::string& name);
  ~WidgetScope();
  WidgetScope(const WidgetScope&) = delete;
  WidgetScope& operator=(const WidgetScope&) = delete;

 private:
  std::string name_;
};

/// A part of a panel under a heading that folds it away. True where it is open.
bool section(const char* heading, bool open_at_first = true);

/// Shows `hint` while the mouse rests on the widget that was drawn last.
void explain(const char* hint);

bool button(const char* label, const char* hint = nullptr, float width = 0);
bool checkbox(const char* label, bool& value, const char* hint = nullptr);
bool slider(const char* label, float& value, float lowest, float highest, const char* format = "%.2f",
            const char* hint = nullptr, bool logarithmic = false);
bool slider(const char* label, u32& value, u32 lowest, u32 highest, const char* hint = nullptr,
            bool logarithmic = false, const char* format = "%u");

/// A list to choose from; `count` names. True where another was chosen.
bool choice(const char* label, const char* const* names, u64 count, u64& chosen, const char* hint = nullptr);

template <class Enum>
bool choice(const char* label, Enum& value, const char* hint = nullptr) {
  u64 chosen = u64(value);
  if (!choice(label, names<Enum>().data(), names<Enum>().size(), chosen, hint)) return false;
  value = Enum(chosen);
  return true;
}

/// A line of a name and a value.
void fact(const char* name, const std::string& value, const char* hint = nullptr);

/// Text in a quieter colour.
void quiet_text(const std::string& text);

/// "1 234 567".
std::string grouped(u64 number);
/// "12.3 MB".
std::string readable_bytes(u64 bytes);
/// "0.12 ms", three digits.
std::string readable_time(double milliseconds);

}  // namespace copse::viewer
