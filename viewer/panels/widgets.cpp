#include "viewer/panels/widgets.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <iterator>

#include "viewer/window/imgui_input.h"

namespace copse::viewer {

namespace {

WidgetMap& widget_map() {
  return *static_cast<WidgetMap*>(ImGui::GetIO().UserData);
}

/// Begins a row: the label, then the widget over the rest of the line.
std::string begin_row(const char* label) {
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(label);
  const float column = ImGui::GetWindowContentRegionMax().x * 0.42f;
  ImGui::SameLine(column);
  ImGui::SetNextItemWidth(-1);
  return std::string("##") + label;
}

void end_row(const char* label, const char* hint) {
  note_widget(label);
  explain(hint);
}

}  // namespace

const Rectangle* WidgetMap::find(const std::string& name) const {
  const auto found = places_.find(name);
  return found != places_.end() ? &found->second : nullptr;
}

void note_widget(const std::string& name) {
  if (!ImGui::IsItemVisible()) return;
  const ImVec2 low = ImGui::GetItemRectMin(), size = ImGui::GetItemRectSize();
  widget_map().note(name, {low.x, low.y, size.x, size.y});
}

WidgetScope::WidgetScope(const std::string& name) : name_(name) {
  widget_map().enter(name_);
}
WidgetScope::~WidgetScope() {
  widget_map().leave(name_);
}

bool section(const char* heading, bool open_at_first) {
  const bool open =
      ImGui::CollapsingHeader(heading, open_at_first ? ImGuiTreeNodeFlags_DefaultOpen : ImGuiTreeNodeFlags_None);
  note_widget(heading);
  return open;
}

void explain(const char* hint) {
  if (hint == nullptr || !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(ImGui::GetFontSize() * 24);
  ImGui::TextUnformatted(hint);
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

bool button(const char* label, const char* hint, float width) {
  const bool pressed = ImGui::Button(label, ImVec2(width, 0));
  end_row(label, hint);
  return pressed;
}

bool checkbox(const char* label, bool& value, const char* hint) {
  const bool changed = ImGui::Checkbox(label, &value);
  end_row(label, hint);
  return changed;
}

bool slider(const char* label, float& value, float lowest, float highest, const char* format, const char* hint,
            bool logarithmic) {
  const std::string id = begin_row(label);
  const int flags = ImGuiSliderFlags_AlwaysClamp | (logarithmic ? ImGuiSliderFlags_Logarithmic : 0);
  const bool changed = ImGui::SliderFloat(id.c_str(), &value, lowest, highest, format, flags);
  end_row(label, hint);
  return changed;
}

bool slider(const char* label, u32& value, u32 lowest, u32 highest, const char* hint, bool logarithmic,
            const char* format) {
  const std::string id = begin_row(label);
  const int flags = ImGuiSliderFlags_AlwaysClamp | (logarithmic ? ImGuiSliderFlags_Logarithmic : 0);
  const bool changed =
      ImGui::SliderScalar(id.c_str(), ImGuiDataType_U32, &value, &lowest, &highest, format, flags);
  end_row(label, hint);
  return changed;
}

void close_on_escape() {
  if (is_key_pressed(GLFW_KEY_ESCAPE)) ImGui::CloseCurrentPopup();
}

bool choice(const char* label, const char* const* names, u64 count, u64& chosen, const char* hint) {
  const std::string id = begin_row(label);
  bool changed = false;
  const bool open = ImGui::BeginCombo(id.c_str(), chosen < count ? names[chosen] : "");
  if (open) {
    const WidgetScope scope(label);
    for (u64 i = 0; i < count; ++i) {
      if (ImGui::Selectable(names[i], i == chosen)) {
        changed = i != chosen;
        chosen = i;
      }
      note_widget(names[i]);
    }
    close_on_escape();
    ImGui::EndCombo();
  }
  end_row(label, open ? nullptr : hint);
  return changed;
}

void fact(const char* name, const std::string& value, const char* hint) {
  ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
  ImGui::TextUnformatted(name);
  ImGui::PopStyleColor();
  explain(hint);
  ImGui::SameLine(ImGui::GetWindowContentRegionMax().x * 0.42f);
  ImGui::TextUnformatted(value.c_str());
}

void quiet_text(const std::string& text) {
  ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
  ImGui::PopStyleColor();
}

std::string grouped(u64 number) {
  std::string text = fmt::format("{}", number);
  for (size_t i = text.size(); i > 3;) text.insert(i -= 3, " ");
  return text;
}

std::string readable_bytes(u64 bytes) {
  constexpr const char* units[] = {"B", "kB", "MB", "GB", "TB"};
  double value = double(bytes);
  u32 unit = 0;
  while (value >= 1000 && unit + 1 < std::size(units)) {
    value /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.3g} {}", value, units[unit]);
}

std::string readable_time(double milliseconds) {
  if (milliseconds >= 1000) return fmt::format("{:.2f} s", milliseconds / 1000);
  if (milliseconds >= 100) return fmt::format("{:.0f} ms", milliseconds);
  if (milliseconds >= 10) return fmt::format("{:.1f} ms", milliseconds);
  return milliseconds >= 1 ? fmt::format("{:.2f} ms", milliseconds) : fmt::format("{:.3f} ms", milliseconds);
}

}  // namespace copse::viewer
