#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cfloat>
#include <glm/geometric.hpp>

#include "viewer/model/scene/placed_meshes.h"
#include "viewer/panels/panels.h"

namespace copse::viewer {

namespace {

void list_parts(const SceneGeometry& geometry) {
  constexpr size_t max_shown = 8;
  for (size_t i = 0; i < std::min(geometry.parts.size(), max_shown); ++i) {
    const ScenePart& part = geometry.parts[i];
    fact(part.name.c_str(), grouped(part.triangle_count));
  }
  if (geometry.parts.size() > max_shown) {
    quiet_text(fmt::format("and {} more", counted(geometry.parts.size() - max_shown, "meshes")));
  }
}

/// Draws the list of instances, of which one can be chosen. It scrolls to one that was chosen in the picture.
void list_instances(Desk& desk) {
  const SceneGeometry& geometry = *desk.session.geometry();
  const std::optional<u32> chosen = desk.session.chosen_instance();
  const float line = ImGui::GetTextLineHeightWithSpacing();
  if (ImGui::BeginChild("instances", ImVec2(0, 6.5f * line), true)) {
    if (chosen && chosen != desk.state.listed_instance)
      ImGui::SetScrollY(std::max(float(*chosen) - 2, 0.0f) * line);
    desk.state.listed_instance = chosen;
    ImGuiListClipper clipper;
    clipper.Begin(int(geometry.parts.size()));
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        const std::string name = fmt::format("{}  {}##{}", i, geometry.parts[size_t(i)].name, i);
        if (ImGui::Selectable(name.c_str(), chosen == u32(i))) desk.session.choose_instance(u32(i));
        note_widget(fmt::format("Instance {}", i));
      }
    }
  }
  ImGui::EndChild();
  note_widget("Instances");
}

/// Draws three numbers that the mouse can drag. Returns true if they changed.
bool drag_numbers(const char* label, vec3& value, float step, const char* format, const char* hint) {
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(label);
  ImGui::SameLine(5.2f * ImGui::GetFontSize());
  ImGui::SetNextItemWidth(-FLT_MIN);
  const bool is_changed = ImGui::DragFloat3(fmt::format("##{}", label).c_str(), &value.x, step, 0, 0, format);
  note_widget(label);
  explain(hint);
  return is_changed;
}

/// Draws the transform of the chosen instance, which can be changed.
void transform_of_instance(Desk& desk) {
  const std::optional<u32> chosen = desk.session.chosen_instance();
  if (!chosen) return quiet_text("Click on an instance to choose it.");
  const SceneGeometry& geometry = *desk.session.geometry();
  const Instance& now = geometry.placed->instances[*chosen];
  PanelState& state = desk.state;
  // A transform has several triples of angles. While it is the one that the panel made, its numbers stay.
  if (!state.numbers_shown || !same_transform(*state.numbers_shown, now)) {
    state.numbers = numbers_of(now);
    state.numbers_shown = now;
  }
  const float step = std::max(0.002f * glm::length(geometry.bounds.hi - geometry.bounds.lo), 1e-6f);
  bool is_changed =
      drag_numbers("Position", state.numbers.position, step, "%.3f",
                   "Where the chosen instance stands: drag to move it (Ctrl G). The structure follows as "
                   "Motion says");
  is_changed |= drag_numbers("Turn", state.numbers.turn, 0.5f, "%.1f",
                             "Degrees about x, then y, then z: drag to turn it (Ctrl R)");
  is_changed |= drag_numbers("Scale", state.numbers.scale, 0.005f, "%.3f",
                             "Along its own x, y and z: drag to scale it (Ctrl S). A number below 0 mirrors it");
  if (!is_changed) return;
  state.numbers_shown = with_numbers(now, state.numbers);
  desk.session.place_instance(*chosen, *state.numbers_shown);
}

std::string readable_extent(const Aabb& box) {
  const vec3 extent = box.hi - box.lo;
  return fmt::format("{:.3g} x {:.3g} x {:.3g}", extent.x, extent.y, extent.z);
}

void frame_slider(Session& session) {
  Playback& playback = session.playback();
  const u32 frames = session.frame_count();
  if (frames < 2) {
    slider("Phase", playback.phase, 0, 1, "%.3f", "How far the deformation is through its period; drag to scrub");
    return;
  }
  u32 frame = session.frame();
  if (slider("Frame", frame, 0, frames - 1, "Drag to scrub")) {
    playback.phase = (float(frame) + 0.5f) / float(frames);
  }
}

}  // namespace

void scene_panel(Desk& desk) {
  const WidgetScope scope("Scene");
  const SceneGeometry& geometry = *desk.session.geometry();
  const float half = (ImGui::GetContentRegionAvail().x - ImGui::GetStyle().ItemSpacing.x) / 2;
  if (button("Open...",
             "Opens meshes (OBJ, PLY), scenes (glTF) and structures. You can also drop files and folders on the "
             "window (O)",
             half)) {
    desk.commands.push_back(Command::open);
  }
  ImGui::SameLine();
  if (button("Add...", "Adds meshes to those that are open (Shift O)", half))
    desk.commands.push_back(Command::add);
  if (geometry.parts.empty()) {
    quiet_text("No mesh is loaded.");
    return;
  }
  if (geometry.placed) {
    list_instances(desk);
    transform_of_instance(desk);
    fact("Instances", grouped(geometry.parts.size()));
    fact("Meshes", grouped(geometry.placed->meshes->size()));
  } else {
    list_parts(geometry);
  }
  fact("Triangles", grouped(geometry.mesh.triangles.size()));
  fact("Vertices", grouped(geometry.mesh.positions.size()));
  if (!geometry.mesh.positions.empty()) fact("Extent", readable_extent(geometry.bounds));
}

void motion_panel(Desk& desk) {
  const WidgetScope scope("Motion");
  Session& session = desk.session;
  Playback& playback = session.playback();
  if (session.frame_count() < 2) {
    choice("Deformation", playback.deformation,
           "twist turns the scene about its vertical axis, explode moves triangles apart, wave sends a wave "
           "through it");
    if (playback.deformation == Deformation::none) {
      quiet_text("Choose a deformation, or open a numbered sequence of meshes (Ctrl O), and play it.");
    } else {
      slider("Strength", playback.strength, 0, 4);
    }
  }
  const float third = (ImGui::GetContentRegionAvail().x - 2 * ImGui::GetStyle().ItemSpacing.x) / 3;
  if (button("<", "One frame back (Left)", third)) desk.commands.push_back(Command::step_back);
  ImGui::SameLine();
  if (button(playback.playing ? "Pause" : "Play", "Space", third)) desk.commands.push_back(Command::play);
  ImGui::SameLine();
  if (button(">", "One frame forward (Right)", third)) desk.commands.push_back(Command::step_forward);
  frame_slider(session);
  slider("Speed", playback.speed, -4, 4, "%.2f x", "Below 0: backwards");
  checkbox("Loop", playback.loops, "Starts again at the end; else it stops there");
  choice("When moving", session.update_mode(),
         "What happens to the structure: nothing (it stays, and the picture breaks), refit (its boxes move, the "
         "tree keeps its shape), rebuild (a new one for every frame), automatic (refit, and rebuild where the SAH "
         "cost "
         "has grown by a quarter) (U)");
}

}  // namespace copse::viewer
