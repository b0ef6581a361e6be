#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "viewer/layout.h"
#include "viewer/model/session/history.h"
#include "viewer/panels/file_dialog.h"
#include "viewer/panels/panels.h"
#include "viewer/panels/ui.h"
#include "viewer/picture_controls.h"
#include "viewer/picture_export.h"
#include "viewer/window/display.h"

namespace copse::viewer {

struct ApplicationOptions {
  std::filesystem::path settings_file;       // empty: settings are not kept
  std::filesystem::path output_folder = "";  // for screenshots, recordings and statistics; empty: the current one
  std::filesystem::path test_ball = {};      // the mesh that an empty window offers; empty: none
  std::filesystem::path widget_map;          // JSON file with the places of widgets, for scripts; empty: none
  u32 screenshot_width = 0;                  // 0 x 0: the size of the picture in the window
  u32 screenshot_height = 0;
  double settings_seconds = 1;          // how often changed settings are written, by the clock
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
  void open(const std::vector<std::filesystem::path>& paths, bool add, bool as_in_file = true);

  /// Loads the numbered files beside this one, and adds it to the recent files.
  void open_sequence(const std::filesystem::path& path);

  /// Saves the pictures that are shown, at rest, with lines, scales and names; or all of the window, panels too.
  /// Waits for builds and for ambient occlusion.
  void save_screenshot(const std::filesystem::path& file);
  void save_window_screenshot(const std::filesystem::path& file);

  /// Returns the window as it is, with its pictures at rest. Waits.
  Image picture_of_window();

  /// Uses settings. run_frame() writes them to the settings file when they change; keep_settings() does so at once.
  /// A file that cannot be written becomes a message.
  void use(const Settings& settings);
  void keep_settings();

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
  void use_hands(bool in_menu, double seconds);
  void take_keys(bool in_menu);
  void carry_out();
  bool perform_on_files(Command command);
  bool perform_on_structures(Command command);
  bool perform_on_history(Command command);
  bool perform_on_view(Command command);
  bool perform_on_camera(Command command);
  void perform_on_window(Command command);
  void step_frames(int steps);
  void escape();
  void toggle_recording(const std::string& ending);
  void record_picture();
  void note_choices();
  void write_widget_map();
  Settings settings() const;
  std::filesystem::path dialog_folder() const;
  void keep_changed_settings();
  void remember(const std::filesystem::path& file);
  void show_title();
  PictureExport& picture_export();
  std::pair<u32, u32> shown_pixels() const;
  std::filesystem::path unused_name(const std::string& stem, const std::string& ending) const;

  Session& session_;
  Display& display_;
  Ui& ui_;
  ApplicationOptions options_;
  PanelState panels_;
  FileDialog dialog_;
  PictureControls controls_;
  History history_;
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
  std::string kept_settings_;                            // as text, as in the file
  std::chrono::steady_clock::time_point settings_time_;  // when they were compared with the file
  std::unique_ptr<PictureExport> picture_export_;        // made with the first screenshot
};

}  // namespace copse::viewer
