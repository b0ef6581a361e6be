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
  std::filesystem::path settings_file;       // empty: settings are not kept
  std::filesystem::path output_folder = "";  // for screenshots, recordings and statistics; empty: the current one
  std::filesystem::path widget_map;          // JSON file with the places of widgets, for scripts; empty: none
  u32 screenshot_width = 0;                  // 0 x 0: the size of the picture in the window
  u32 screenshot_height = 0;
  bool steps_back = true;               // the camera, if two pictures are side by side
  std::optional<double> frame_seconds;  // how far time advances per frame; none: by the clock
};

/// The viewer in a display: it draws the panels around the session's pictures and handles keys, mouse and drops.
/// Errors become messages of the session.
class Application {
 public:
  Application(Session& session, Display& display, Ui& ui, const ApplicationOptions& options);

  /// Runs one frame: events, model, panels, presentation. Returns false once the window should close.
  bool run_frame();

  /// Performs the command of a key or a menu.
  void perform(Command command);

  /// Loads files that were chosen or dropped, and adds them to the recent files.
  void open(const std::vector<std::filesystem::path>& paths, bool add);

  /// Saves picture(0) at rest, with its lines. Waits for builds and for ambient occlusion.
  void save_screenshot(const std::filesystem::path& file);

  /// Use settings, and write the current ones to the settings file. A file that cannot be written becomes a
  /// message.
  void use(const Settings& settings);
  void keep_settings(const WindowSettings& window);

  /// Asks the user whether to open the guide, as on the first start.
  void offer_guide() { panels_.guide_offer = true; }

  const PanelState& panels() const { return panels_; }
  const FileDialog& dialog() const { return dialog_; }

 private:
  double seconds_since_last_frame();
  void take_drops();
  void draw_window();
  void draw_menu_bar(Desk& desk);
  void draw_columns(Desk& desk, const WindowLayout& layout);
  void place_panes(const Rectangle& place);
  void keep_in_sight(bool beside, const CameraPose& before, float one, float each);
  void take_keys(bool in_menu);
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
  Settings settings_;  // settings that no other object holds: folder, window
  std::chrono::steady_clock::time_point last_frame_;
  u32 awake_ = 0;  // frames before the loop may sleep: ImGui answers input one or two frames later
  u64 recorded_revision_ = 0;
  bool quits_ = false;
  bool shows_two_ = false;
  CameraPose pose_alone_, pose_beside_;  // before and after the eye moved back for two pictures
  std::string written_map_;
};

}  // namespace copse::viewer
