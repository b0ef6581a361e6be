#pragma once

#include <chrono>
#include <filesystem>
#include <optional>

#include "viewer/layout.h"
#include "viewer/model/session/session.h"
#include "viewer/panels/file_dialog.h"
#include "viewer/panels/panels.h"
#include "viewer/panels/ui.h"
#include "viewer/picture_controls.h"
#include "viewer/window/display.h"

namespace copse::viewer {

struct ApplicationOptions {
  std::filesystem::path settings_file;       // empty: nothing is kept
  std::filesystem::path output_folder = "";  // of screenshots, recordings and statistics; empty: the current one
  std::filesystem::path widget_map;          // JSON of where widgets stand, for scripts; empty: none
  u32 screenshot_width = 0;                  // 0 x 0: as large as the picture in the window
  u32 screenshot_height = 0;
  bool steps_back = true;               // the camera, where two pictures stand beside each other
  std::optional<double> frame_seconds;  // time moves on by so much a frame, in place of the clock
};

/// The viewer in a display: it draws the panels around the session's pictures and does what keys, mouse and drops
/// ask for. Errors end in the session's messages.
class Application {
 public:
  Application(Session& session, Display& display, Ui& ui, const ApplicationOptions& options);

  /// One turn: events, model, panels, presentation. False once the window is to be closed.
  bool run_frame();

  /// Does what a key or a menu does.
  void perform(Command command);

  /// Loads what was chosen or dropped; remembers it among recent files.
  void open(const std::vector<std::filesystem::path>& paths, bool add);

  /// Saves picture(0) as it is at rest, with its lines. Waits for builds and for ambient occlusion.
  void save_screenshot(const std::filesystem::path& file);

  /// Uses settings, and writes the current ones to the settings file. A file that cannot be written becomes a
  /// message.
  void use(const Settings& settings);
  void keep_settings(const WindowSettings& window);

  /// Opens the guide, as on the first start.
  void show_guide() { panels_.guide = true; }

  const PanelState& panels() const { return panels_; }
  const FileDialog& dialog() const { return dialog_; }

 private:
  double seconds_since_last_frame();
  void take_drops();
  void draw_window();
  void draw_menu_bar(Desk& desk);
  void draw_columns(Desk& desk, const WindowLayout& layout);
  void place_panes(const Rectangle& place);
  void keep_in_sight(bool beside, const Rectangle& place);
  void take_keys();
  void carry_out();
  bool perform_on_files(Command command);
  bool perform_on_structures(Command command);
  bool perform_on_view(Command command);
  bool perform_on_camera(Command command);
  void perform_on_window(Command command);
  void step_frames(int steps);
  void escape();
  void toggle_recording();
  void record_picture();
  void write_widget_map();
  std::filesystem::path unused_name(const std::string& stem, const std::string& ending) const;

  Session& session_;
  Display& display_;
  Ui& ui_;
  ApplicationOptions options_;
  PanelState panels_;
  FileDialog dialog_;
  PictureControls controls_;
  std::vector<Command> commands_;
  std::vector<Pane> panes_;
  Settings settings_;  // what no other object keeps: folder, window
  std::chrono::steady_clock::time_point last_frame_;
  u32 awake_ = 0;  // frames before the loop may sleep: ImGui answers input one or two frames later
  u64 recorded_revision_ = 0;
  bool quits_ = false;
  bool shows_two_ = false;
  std::string written_map_;
};

}  // namespace copse::viewer
