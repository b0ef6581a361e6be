// The axes of space in a corner of the picture. A click on an end looks at the scene from there.

#include <imgui.h>

#include <string>

#include "viewer/model/picture/axes.h"
#include "viewer/panels/panels.h"

namespace copse::viewer {

namespace {

constexpr const char* end_names[3][2] = {{"+x", "-x"}, {"+y", "-y"}, {"+z", "-z"}};
constexpr const char* letters[] = {"x", "y", "z"};

/// From +x, one looks along -x.
constexpr Command looks[3][2] = {{Command::look_against_x, Command::look_along_x},
                                 {Command::look_against_y, Command::look_along_y},
                                 {Command::look_against_z, Command::look_along_z}};

ImU32 colour_of(const AxisEnd& end, bool pointed) {
  constexpr ImU32 strong[] = {IM_COL32(226, 74, 86, 255), IM_COL32(104, 168, 52, 255),
                              IM_COL32(66, 126, 222, 255)};
  constexpr ImU32 weak[] = {IM_COL32(150, 70, 78, 255), IM_COL32(84, 116, 60, 255), IM_COL32(64, 92, 140, 255)};
  if (pointed) return IM_COL32(255, 255, 255, 255);
  return end.negative ? weak[end.axis] : strong[end.axis];
}

/// The six ends around the middle of the corner.
struct Gizmo {
  ImVec2 middle;
  float reach, unit;  // of the axes; of text

  ImVec2 place_of(const AxisEnd& end) const { return {middle.x + end.x * reach, middle.y - end.y * reach}; }
  float radius_of(const AxisEnd& end) const { return unit * (end.negative ? 0.36f : 0.5f); }
};

/// Returns true if the end was clicked. Sets `pointed` if the mouse is over it.
bool take_clicks(const Gizmo& gizmo, const AxisEnd& end, bool& pointed) {
  const ImVec2 at = gizmo.place_of(end);
  const float radius = gizmo.radius_of(end);
  ImGui::SetCursorScreenPos(ImVec2(at.x - radius, at.y - radius));
  const char* const name = end_names[end.axis][end.negative];
  const bool clicked = ImGui::InvisibleButton(name, ImVec2(2 * radius, 2 * radius));
  pointed = ImGui::IsItemHovered();
  note_widget(name);
  explain((std::string("Looks at the scene from ") + name).c_str());
  return clicked;
}

void draw_end(const Gizmo& gizmo, const AxisEnd& end, bool pointed) {
  const ImVec2 at = gizmo.place_of(end);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImU32 colour = colour_of(end, pointed);
  if (!end.negative) list.AddLine(gizmo.middle, at, colour, gizmo.unit * 0.12f);
  list.AddCircleFilled(at, gizmo.radius_of(end), colour);
  if (end.negative) return;
  const ImVec2 size = ImGui::CalcTextSize(letters[end.axis]);
  list.AddText(ImVec2(at.x - size.x / 2, at.y - size.y / 2), IM_COL32(16, 18, 20, 255), letters[end.axis]);
}

}  // namespace

void axis_gizmo(Desk& desk, const Rectangle& place) {
  const float unit = ImGui::GetFontSize(), edge = unit * 6.4f;
  if (place.width < 2 * edge || place.height < 2 * edge || desk.session.geometry()->parts.empty()) return;
  const WidgetScope scope("Axes");
  const ImVec2 corner(place.x + place.width - edge, place.y);
  ImGui::SetNextWindowPos(corner);
  ImGui::SetNextWindowSize(ImVec2(edge, edge));
  constexpr int flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoMove |
                        ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav |
                        ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoBringToFrontOnFocus;
  if (ImGui::Begin("##axes", nullptr, flags)) {
    const Gizmo gizmo{{corner.x + edge / 2, corner.y + edge / 2}, edge / 2 - unit * 0.9f, unit};
    ImGui::GetWindowDrawList()->AddCircleFilled(gizmo.middle, edge / 2 - unit * 0.2f, IM_COL32(20, 22, 26, 60));
    const std::array<AxisEnd, 6> ends = axis_ends(desk.session.camera().camera(1));
    bool pointed[6];
    // Where ends overlap, the nearest one takes the click, and is drawn last.
    for (size_t i = ends.size(); i-- > 0;) {
      if (take_clicks(gizmo, ends[i], pointed[i])) desk.commands.push_back(looks[ends[i].axis][ends[i].negative]);
    }
    for (size_t i = 0; i < ends.size(); ++i) draw_end(gizmo, ends[i], pointed[i]);
  }
  ImGui::End();
}

}  // namespace copse::viewer
