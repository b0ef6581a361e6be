#include "viewer/picture_controls.h"

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "viewer/window/imgui_input.h"

namespace copse::viewer {

namespace {

constexpr float click_slack = 4;  // points that the mouse may move during a click

/// Turns the camera to the picked point, which becomes the centre of orbits. The eye stays.
void look_at_picked(Session& session) {
  const std::optional<Pick>& picked = session.picked();
  if (!picked || !is_hit(picked->hit)) return;
  session.messages().guard("looking there", [&] {
    CameraPose pose = session.camera().pose();
    pose.target = picked->point;
    session.camera().set_pose(pose);
  });
}

}  // namespace

bool PictureControls::apply(Session& session, std::span<const Pane> panes, double seconds) {
  const ImGuiIO& io = ImGui::GetIO();
  if (button_ < 0 && !io.WantCaptureMouse) begin_drag(panes);
  if (button_ >= 0) drag(session);
  const bool picked = button_ >= 0 && !ImGui::IsMouseDown(button_) && end_drag(session);
  if (io.MouseWheel != 0 && !io.WantCaptureMouse) session.camera().dolly(io.MouseWheel);
  if (!io.WantCaptureKeyboard && !io.KeyCtrl) move(session, seconds);
  return picked;
}

void PictureControls::begin_drag(std::span<const Pane> panes) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  for (int button = 0; button < 3; ++button) {
    if (!ImGui::IsMouseClicked(button)) continue;
    for (size_t i = 0; i < panes.size(); ++i) {
      if (!panes[i].place.contains(mouse.x, mouse.y)) continue;
      button_ = button;
      place_ = panes[i].place;
      side_ = u32(i);
      travelled_ = 0;
      return;
    }
  }
}

void PictureControls::drag(Session& session) {
  const ImGuiIO& io = ImGui::GetIO();
  const float right = io.MouseDelta.x / place_.height, up = -io.MouseDelta.y / place_.height;
  travelled_ += std::abs(io.MouseDelta.x) + std::abs(io.MouseDelta.y);
  if ((right == 0 && up == 0) || travelled_ <= click_slack) return;
  if (button_ == 0 && !io.KeyShift) {
    session.camera().drag(right, up);
  } else {
    session.camera().pan(-right, -up);  // the point under the mouse follows it
  }
}

bool PictureControls::end_drag(Session& session) {
  const bool clicked = button_ == 0 && travelled_ <= click_slack;
  button_ = -1;
  if (!clicked) return false;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  session.pick((mouse.x - place_.x) / place_.width, (mouse.y - place_.y) / place_.height, side_);
  if (ImGui::GetIO().MouseClickedCount[0] >= 2) look_at_picked(session);
  return true;
}

void PictureControls::move(Session& session, double seconds) const {
  CameraRig& camera = session.camera();
  if (camera.mode == CameraMode::orbit) return;
  const auto axis = [](int forth, int back) { return float(is_key_down(forth)) - float(is_key_down(back)); };
  const float right = axis(GLFW_KEY_D, GLFW_KEY_A), up = axis(GLFW_KEY_E, GLFW_KEY_Q);
  const float forward = axis(GLFW_KEY_W, GLFW_KEY_S);
  if (right == 0 && up == 0 && forward == 0) return;
  camera.move(right, up, forward, seconds * (ImGui::GetIO().KeyShift ? 4 : 1));
}

}  // namespace copse::viewer
