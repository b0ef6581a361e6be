// What the application writes to files: settings and screenshots.

#include <imgui.h>

#include <algorithm>

#include "builders/io/image_file.h"
#include "viewer/application.h"
#include "viewer/panes.h"
#include "viewer/window/draw_list_image.h"
#include "viewer/window/overlay.h"

namespace copse::viewer {

namespace fs = std::filesystem;

// ---- Settings -------------------------------------------------------------------------------------------------

void Application::use(const Settings& settings) {
  settings_ = settings;
  panels_.panels = settings.window.panels;
  panels_.theme = settings.window.theme;
  panels_.recent_files = settings.recent_files;
  session_.use(settings, false);
  kept_settings_ = settings_text(this->settings());
  settings_time_ = std::chrono::steady_clock::now();
}

Settings Application::settings() const {
  Settings settings = session_.settings();
  const WindowSize size = display_.window_size();
  settings.window = settings_.window;
  settings.window.width = size.width;
  settings.window.height = size.height;
  settings.window.maximised = size.maximised;
  settings.window.panels = panels_.panels;
  settings.window.theme = panels_.theme;
  settings.folder = dialog_folder().string();
  settings.recent_files = panels_.recent_files;
  return settings;
}

fs::path Application::dialog_folder() const {
  return dialog_.folder().empty() ? fs::path(settings_.folder) : dialog_.folder();
}

void Application::keep_settings() {
  if (options_.settings_file.empty()) return;
  const Settings now = settings();
  kept_settings_ = settings_text(now);
  session_.messages().guard("keeping the settings", [&] { save_settings(options_.settings_file, now); });
}

/// The camera and others may change with every frame, so changes are collected for a second.
void Application::keep_changed_settings() {
  if (options_.settings_file.empty()) return;
  const auto now = std::chrono::steady_clock::now();
  if (std::chrono::duration<double>(now - settings_time_).count() < options_.settings_seconds) return;
  settings_time_ = now;
  if (settings_text(settings()) != kept_settings_) keep_settings();
}

// ---- Screenshots ----------------------------------------------------------------------------------------------

/// The pixels that the pictures in the window take, with the gap between them.
std::pair<u32, u32> Application::shown_pixels() const {
  if (panes_.empty()) return {0, 0};
  const Rectangle &first = panes_.front().place, &last = panes_.back().place;
  const float scale = display_.pixels_per_point();
  return {u32(std::max(last.x + last.width - first.x, 0.0f) * scale), u32(std::max(first.height, 0.0f) * scale)};
}

PictureExport& Application::picture_export() {
  const float scale = ui_.scale() * display_.pixels_per_point();
  if (!picture_export_ || scale != picture_export_->scale()) {
    picture_export_ = std::make_unique<PictureExport>(scale);
  }
  return *picture_export_;
}

void Application::save_screenshot(const fs::path& file) {
  session_.messages().guard("saving the screenshot", [&] {
    auto [width, height] = shown_pixels();
    if (options_.screenshot_width > 0) {
      width = options_.screenshot_width;
      height = options_.screenshot_height;
    }
    save_png(file, picture_export().finished(session_, width, height));
    session_.messages().add(Severity::note, "Saved " + file.string());
  });
}

void Application::save_window_screenshot(const fs::path& file) {
  session_.messages().guard("saving the screenshot", [&] {
    save_png(file, picture_of_window());
    session_.messages().add(Severity::note, "Saved " + file.string());
  });
}

Image Application::picture_of_window() {
  session_.leave_pictures_on_device(false);
  session_.finish();
  ui_.begin_frame(display_, settings_.window.ui_scale, panels_.theme);
  draw_window();
  take_keys(false);
  ui_.end_frame();
  const ImDrawData& drawn = *ImGui::GetDrawData();
  const float scale = display_.pixels_per_point();
  const u32 width = u32(drawn.DisplaySize.x * drawn.FramebufferScale.x),
            height = u32(drawn.DisplaySize.y * drawn.FramebufferScale.y);
  Image image{width, height, std::vector<Rgba8>(u64{width} * height, window_background)};
  for (const Pane& pane : panes_) {
    paste(image, picture_with_lines(pane), u32(pane.place.x * scale), u32(pane.place.y * scale));
  }
  draw_over(image, drawn);
  return image;
}

}  // namespace copse::viewer
