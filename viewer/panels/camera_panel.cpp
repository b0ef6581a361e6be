#include <fmt/format.h>
#include <imgui.h>

#include "viewer/panels/panels.h"

namespace copse::viewer {

namespace {

std::string in_words(const vec3& p) {
  return fmt::format("{:.3g}, {:.3g}, {:.3g}", p.x, p.y, p.z);
}

void axis_buttons(Desk& desk) {
  struct Axis {
    const char* name;
    Command command;
    const char* hint;
  };
  constexpr Axis axes[] = {{"+x", Command::look_along_x, "Looks along x (X)"},
                           {"-x", Command::look_against_x, "Looks along -x (Shift X)"},
                           {"+y", Command::look_along_y, "Looks along y, from below (Y)"},
                           {"-y", Command::look_against_y, "Looks along -y, from above (Shift Y)"},
                           {"+z", Command::look_along_z, "Looks along z (Z)"},
                           {"-z", Command::look_against_z, "Looks along -z (Shift Z)"}};
  const float spacing = ImGui::GetStyle().ItemSpacing.x / 2;
  const float width = (ImGui::GetContentRegionAvail().x - 5 * spacing) / 6;
  for (size_t i = 0; i < std::size(axes); ++i) {
    if (i > 0) ImGui::SameLine(0, spacing);
    if (button(axes[i].name, axes[i].hint, width)) desk.commands.push_back(axes[i].command);
  }
}

void bookmark_list(Desk& desk) {
  CameraRig& camera = desk.session.camera();
  for (size_t i = 0; i < camera.bookmarks.size(); ++i) {
    const WidgetScope scope(fmt::format("{}", i));
    ImGui::PushID(int(i));
    const float cross = ImGui::GetFrameHeight();
    const float width = ImGui::GetContentRegionAvail().x - cross - ImGui::GetStyle().ItemSpacing.x;
    if (button(camera.bookmarks[i].name.c_str(), "Moves the camera there", width)) {
      camera.set_pose(camera.bookmarks[i].pose);
    }
    ImGui::SameLine();
    const bool gone = button("x", "Deletes this bookmark", cross);
    ImGui::PopID();
    if (gone) camera.bookmarks.erase(camera.bookmarks.begin() + std::ptrdiff_t(i));
  }
}

}  // namespace

void camera_panel(Desk& desk) {
  const WidgetScope scope("Camera");
  CameraRig& camera = desk.session.camera();
  choice("Mode", camera.mode,
         "orbit: around a target; fly: with W A S D Q E; first person: the same keys, on a plane (I)");
  float field_of_view = camera.pose().field_of_view;
  if (slider("Field of view", field_of_view, 5, 150, "%.0f degrees")) camera.set_field_of_view(field_of_view);
  if (camera.mode != CameraMode::orbit) {
    slider("Speed", camera.move_speed, 0.01f, 4, "%.2f", "Diagonals of the scene per second", true);
  }
  const float half = (ImGui::GetContentRegionAvail().x - ImGui::GetStyle().ItemSpacing.x) / 2;
  if (button("Frame all", "Shows the whole scene (F)", half)) desk.commands.push_back(Command::frame_scene);
  ImGui::SameLine();
  if (button("Bookmark", "Saves this camera (N)", half)) desk.commands.push_back(Command::add_bookmark);
  axis_buttons(desk);
  bookmark_list(desk);
  fact("Eye", in_words(camera.pose().eye));
  fact("Target", in_words(camera.pose().target));
}

}  // namespace copse::viewer
