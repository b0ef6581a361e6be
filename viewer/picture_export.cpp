#include "viewer/picture_export.h"

#include <imgui.h>

#include "viewer/application.h"
#include "viewer/panes.h"
#include "viewer/window/draw_list_image.h"
#include "viewer/window/overlay.h"

namespace copse::viewer {

namespace {

/// During its lifetime, no context of ImGui is current. Then the one from before is current again.
class WithoutContext {
 public:
  WithoutContext() : before_(ImGui::GetCurrentContext()) { ImGui::SetCurrentContext(nullptr); }
  ~WithoutContext() { ImGui::SetCurrentContext(before_); }
  WithoutContext(const WithoutContext&) = delete;
  WithoutContext& operator=(const WithoutContext&) = delete;

 private:
  ImGuiContext* before_;
};

}  // namespace

PictureExport::PictureExport(float ui_scale) : scale_(ui_scale) {
  const WithoutContext without;
  ui_.emplace();
  display_.emplace(1.0f, 1.0f, ui_scale);
}

PictureExport::~PictureExport() {
  const WithoutContext without;
  display_.reset();
  ui_.reset();
}

Image PictureExport::finished(Session& session, u32 width, u32 height) {
  set_shown_size(session, width, height);
  session.finish();
  return draw(session, width, height);
}

Image PictureExport::draw(Session& session, u32 width, u32 height) {
  const WithoutContext without;
  display_->resize(float(width), float(height));
  ui_->begin_frame(*display_, scale_);
  PanelState state;
  std::vector<Command> commands;
  Desk desk{session, state, commands};
  const std::vector<Pane> panes = panes_of(session, {0, 0, float(width), float(height)});
  for (u32 side = 0; side < u32(panes.size()); ++side) pane_label(desk, panes[side].place, side);
  ui_->end_frame();
  Image image{width, height, std::vector<Rgba8>(u64{width} * height, window_background)};
  for (const Pane& pane : panes) paste(image, picture_with_lines(pane), u32(pane.place.x), u32(pane.place.y));
  draw_over(image, *ImGui::GetDrawData());
  return image;
}

void set_shown_size(Session& session, u32 width, u32 height) {
  const Rectangle first = picture_places({0, 0, float(width), float(height)}, session).front();
  session.set_picture_size(u32(first.width), u32(first.height));
}

Image window_picture(Session& session, u32 width, u32 height, float ui_scale) {
  const WithoutContext without;
  Ui ui;
  NullDisplay display(float(width), float(height), ui_scale);
  Application application(session, display, ui,
                          {.settings_file = {}, .widget_map = {}, .steps_back = false, .frame_seconds = 0});
  constexpr int frames_to_lay_out = 3;  // ImGui knows the sizes of windows one or two frames later
  for (int frame = 0; frame < frames_to_lay_out; ++frame) application.run_frame();
  return application.picture_of_window();
}

}  // namespace copse::viewer
