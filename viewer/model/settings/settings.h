#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "viewer/model/inspect/lines.h"
#include "viewer/model/picture/cameras.h"
#include "viewer/model/picture/view_settings.h"
#include "viewer/model/scene/playback.h"
#include "viewer/model/structures/structure_options.h"

namespace copse::viewer {

enum class Theme : u8 { dark, light };

template <>
struct Names<Theme> {
  static constexpr const char* list[] = {"dark", "light"};
};

struct WindowSettings {
  int width = 1280, height = 800;  // 200 to 16384
  int x = -1, y = -1;              // -1: the system chooses
  bool maximised = false;
  float ui_scale = 0;  // 0: that of the display; else 0.5 to 4
  bool panels = true;  // true: shown
  Theme theme = Theme::dark;
};

/// The settings that the viewer keeps from run to run.
struct Settings {
  WindowSettings window;
  CameraPose camera;
  CameraMode camera_mode = CameraMode::orbit;
  float move_speed = 0.5f;
  std::vector<Bookmark> bookmarks;                                   // of all scenes
  StructureOptions structures[2] = {{}, {.builder = Builder::sah}};  // A and B
  UpdateMode update_mode = UpdateMode::refit;
  ViewSettings view;
  OverlaySettings overlay;
  std::string folder;                     // the last one of the file dialog
  std::vector<std::string> recent_files;  // latest first, at most 10
};

/// Reads the settings from a JSON file. Missing members keep their defaults. So do values that are out of range or
/// of another type, with a line in `complaints` for each. A file that does not exist gives the defaults without a
/// complaint; a file that is not JSON gives the defaults and one complaint.
Settings load_settings(const std::filesystem::path& file, std::vector<std::string>& complaints);

/// As load_settings(), from the text of a file.
///   name: of the file, for complaints
/// Throws: std::exception for values that no setting can have.
Settings parse_settings(std::string_view text, const std::string& name, std::vector<std::string>& complaints);

/// Returns the text that save_settings() writes. Numbers that load_settings would refuse become their defaults; sizes
/// of windows and levels are clamped to its range.
std::string settings_text(const Settings& settings);

/// Writes the settings to a temporary file that is renamed when complete. Creates folders.
/// Throws: Error bad_file.
void save_settings(const std::filesystem::path& file, const Settings& settings);

/// Returns $XDG_CONFIG_HOME/copse/viewer.json or ~/.config/copse/viewer.json; empty if neither variable is set.
std::filesystem::path settings_path();

/// Writes a text to a temporary file that is renamed when complete, so that no program reads half of it.
/// Throws: Error bad_file.
void save_text(const std::filesystem::path& file, std::string_view text);

}  // namespace copse::viewer
