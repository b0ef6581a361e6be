#include "viewer/panels/widgets.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
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

/// A slider is a bar that is filled up to its value. Its text is then readable at any value, which it is not over a
/// knob.
class FilledSlider {
 public:
  FilledSlider(const char* label, float share, const char* hint, bool logarithmic)
      : id_(begin_row(label)),
        label_(label),
        hint_(hint),
        flags_(ImGuiSliderFlags_AlwaysClamp | (logarithmic ? ImGuiSliderFlags_Logarithmic : 0)) {
    const ImVec2 low = ImGui::GetCursorScreenPos();
    const ImVec2 high(low.x + ImGui::CalcItemWidth(), low.y + ImGui::GetFrameHeight());
    const bool pointed = ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(low, high);
    const float rounding = ImGui::GetStyle().FrameRounding;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(low, high, ImGui::GetColorU32(pointed ? ImGuiCol_FrameBgHovered : ImGuiCol_FrameBg),
                       rounding);
    if (share > 0) {
      list.AddRectFilled(low, ImVec2(low.x + (high.x - low.x) * share, high.y),
                         ImGui::GetColorU32(pointed ? ImGuiCol_SliderGrabActive : ImGuiCol_SliderGrab), rounding);
    }
    const ImVec4 none(0, 0, 0, 0);
    for (const int colour : {ImGuiCol_FrameBg, ImGuiCol_FrameBgHovered, ImGuiCol_FrameBgActive,
                             ImGuiCol_SliderGrab, ImGuiCol_SliderGrabActive}) {
      ImGui::PushStyleColor(colour, none);
    }
  }
  ~FilledSlider() {
    ImGui::PopStyleColor(5);
    end_row(label_, hint_);
  }
  FilledSlider(const FilledSlider&) = delete;
  FilledSlider& operator=(const FilledSlider&) = delete;

  const char* id() const { return id_.c_str(); }
  int flags() const { return flags_; }

 private:
  std::string id_;
  const char *label_, *hint_;
  int flags_;
};

}  // namespace

const Rectangle* WidgetMap::find(const std::string& name) const {
  const auto found = places_.find(name);
  return found != places_.end() ? &found->second : nullptr;
}

void note_widget(const std::string& name) {
  if (!ImGui::IsItemVisible()) return;
  const ImVec2 low = ImGui::GetItemRectMin(), size = ImGui::GetItemRectSize();
  note_place(name, {low.x, low.y, size.x, size.y});
}

void note_place(const std::string& name, const Rectangle& place) {
  widget_map().note(name, place);
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
  const FilledSlider row(label, slider_share(value, lowest, highest, logarithmic), hint, logarithmic);
  return ImGui::SliderFloat(row.id(), &value, lowest, highest, format, row.flags());
}

bool slider(const char* label, u32& value, u32 lowest, u32 highest, const char* hint, bool logarithmic,
            const char* format) {
  const FilledSlider row(label, slider_share(value, lowest, highest, logarithmic), hint, logarithmic);
  return ImGui::SliderScalar(row.id(), ImGuiDataType_U32, &value, &lowest, &highest, format, row.flags());
}

void close_on_escape() {
  if (is_key_pressed(GLFW_KEY_ESCAPE)) ImGui::CloseCurrentPopup();
}

bool choice(const char* label, const char* const* names, u64 count, u64& chosen, const char* hint) {
  const std::string id = begin_row(label);
  bool changed = false;
  // All names are in sight at once.
  const bool open =
      ImGui::BeginCombo(id.c_str(), chosen < count ? names[chosen] : "", ImGuiComboFlags_HeightLargest);
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

std::string fit_text(const std::string& text, float width) {
  if (ImGui::CalcTextSize(text.c_str()).x <= width) return text;
  const auto is_inside = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };  // of UTF-8
  std::string shown = text;
  do {
    do shown.pop_back();
    while (!shown.empty() && is_inside(text[shown.size()]));
  } while (!shown.empty() && ImGui::CalcTextSize((shown + "...").c_str()).x > width);
  return shown + "...";
}

float slider_share(double value, double lowest, double highest, bool logarithmic) {
  if (!(highest > lowest)) return 0;
  const double inside = std::clamp(value, lowest, highest);
  return logarithmic ? float(std::log(inside / lowest) / std::log(highest / lowest))
                     : float((inside - lowest) / (highest - lowest));
}

void fact(const char* name, const std::string& value, const char* hint) {
  const float column = ImGui::GetWindowContentRegionMax().x * 0.42f, gap = ImGui::GetStyle().ItemSpacing.x;
  const std::string shown = fit_text(name, column - ImGui::GetCursorPosX() - gap);
  ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
  ImGui::TextUnformatted(shown.c_str());
  ImGui::PopStyleColor();
  note_widget(name);
  explain(hint == nullptr && shown != name ? name : hint);
  ImGui::SameLine(column);
  const std::string shown_value = fit_text(value, ImGui::GetContentRegionAvail().x);
  ImGui::TextUnformatted(shown_value.c_str());
  note_widget(name + std::string("/value"));
  if (shown_value != value) explain(value.c_str());
}

ImVec4 heading_colour() {
  return ImGui::GetStyleColorVec4(ImGuiCol_PlotLinesHovered);
}

void quiet_text(const std::string& text) {
  ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
  ImGui::PopStyleColor();
}

}  // namespace copse::viewer
