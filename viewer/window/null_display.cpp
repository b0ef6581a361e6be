#include "viewer/window/null_display.h"

#include <imgui.h>

#include "viewer/window/imgui_input.h"

namespace copse::viewer {

NullDisplay::NullDisplay(float width, float height, float ui_scale)
    : width_(width), height_(height), ui_scale_(ui_scale) {
  ImGui::GetIO().BackendPlatformName = "copse null display";
  ImGui::GetIO().IniFilename = nullptr;
  prepare_keys();
}

void NullDisplay::take_events(double) {
  if (input_.empty()) return;
  input_.front()();
  input_.pop_front();
}

void NullDisplay::begin_frame() {
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = ImVec2(width_, height_);
  io.DeltaTime = 1.0f / 60;
  forget_fonts();
}

// ImGui asserts that the font atlas was fetched.
void NullDisplay::forget_fonts() {
  ImFontAtlas& fonts = *ImGui::GetIO().Fonts;
  unsigned char* texels = nullptr;
  int width = 0, height = 0;
  if (!fonts.IsBuilt()) fonts.GetTexDataAsAlpha8(&texels, &width, &height);
}

std::string NullDisplay::present(std::span<const Pane> panes) {
  places_.clear();
  for (const Pane& pane : panes) places_.push_back(pane.place);
  ++frame_count_;
  return {};
}

void NullDisplay::move_mouse(float x, float y) {
  input_.push_back([=] { feed_mouse_position(x, y); });
}
void NullDisplay::press_button(int button, bool down) {
  input_.push_back([=] { feed_mouse_button(button, down); });
}
void NullDisplay::scroll(float steps) {
  input_.push_back([=] { feed_scroll(steps); });
}
void NullDisplay::press_key(int key, bool down) {
  input_.push_back([=] { feed_key(key, down); });
}
void NullDisplay::type(const std::string& text) {
  input_.push_back([=] { ImGui::GetIO().AddInputCharactersUTF8(text.c_str()); });
}

void NullDisplay::resize(float width, float height) {
  width_ = width;
  height_ = height;
}

}  // namespace copse::viewer
