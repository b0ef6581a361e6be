#include "viewer/hand_controls.h"

#include <GLFW/glfw3.h>
#include <imgui.h>

#include "viewer/window/imgui_input.h"

namespace copse::viewer {

namespace {

struct PlaceInPicture {
  float x, y, aspect;
};

/// Returns where the mouse is in the picture below it, or in the first one.
PlaceInPicture mouse_place(std::span<const Pane> panes) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  Rectangle place = panes.front().place;
  for (const Pane& pane : panes) place = pane.place.contains(mouse.x, mouse.y) ? pane.place : place;
  return {(mouse.x - place.x) / place.width, (mouse.y - place.y) / place.height, place.width / place.height};
}

bool has_picture(std::span<const Pane> panes) {
  return !panes.empty() && panes.front().place.width > 0 && panes.front().place.height > 0;
}

/// True if the instance that moves is there, as it is not once another scene is open.
bool is_there(const Session& session, const InstanceHand& hand) {
  return session.chosen_instance() == hand.start().number;
}

}  // namespace

void begin_hand(Session& session, InstanceHand& hand, HandMotion motion, std::span<const Pane> panes) {
  const std::shared_ptr<const PlacedMeshes>& placed = session.geometry()->placed;
  const std::optional<u32> chosen = session.chosen_instance();
  if (!placed || !chosen) {
    session.messages().add(Severity::note, placed ? "Choose an instance first: click on it"
                                                  : "Only instances can be moved: open a glTF scene");
    return;
  }
  if (!has_picture(panes)) return;
  session.clear_pick();  // its ray would be traced again at each step
  const auto [x, y, aspect] = mouse_place(panes);
  hand.begin(motion, {*chosen, placed->instances[*chosen], middle_of(*placed, *chosen), x, y});
}

void follow_hand(Session& session, InstanceHand& hand, std::span<const Pane> panes) {
  if (!is_there(session, hand)) return hand.end();
  for (const auto& [key, axis] : {std::pair(GLFW_KEY_X, 0u), {GLFW_KEY_Y, 1u}, {GLFW_KEY_Z, 2u}}) {
    if (is_key_pressed(key)) hand.limit_to(axis);
  }
  const bool is_dropped = ImGui::IsMouseClicked(1) || is_key_pressed(GLFW_KEY_ESCAPE);
  const bool is_kept = ImGui::IsMouseClicked(0) || is_key_pressed(GLFW_KEY_ENTER);
  Instance wanted = hand.start().instance;
  if (!is_dropped && has_picture(panes)) {
    const auto [x, y, aspect] = mouse_place(panes);
    wanted = hand.at(session.camera().camera(aspect), x, y);
  }
  const Instance& now = session.geometry()->placed->instances[hand.start().number];
  if (!same_transform(now, wanted)) session.place_instance(hand.start().number, wanted);
  if (is_dropped || is_kept) hand.end();
}

}  // namespace copse::viewer
