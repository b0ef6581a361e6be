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

struct WindowSettings {
  int width = 1280, height = 800;  // 200 to 16384
  int x = -1, y = -1;              // -1: where the system puts it
  bool maximised = false;
  float ui_scale = 0;  // 0: the display's; else 0.5 to 4
  bool panels = true;  // shown
};

/// What the viewer remembers from run to run.
struct Settings {
  WindowSettings window;
  CameraPose camera;
  CameraMode camera_mode = CameraMode::orbit;
  float move_speed = 0.5f;
  std::vector<Bookmark> bookmarks;
  StructureOptions structures[2] = {{}, {.builder = Builder::sah}};  // A, and B to compare it with
  UpdateMode update_mode = UpdateMode::refit;
  ViewSettings view;
  OverlaySettings overlay;
  std::string folder;                     // the file dialog's last
  std::vector<std::string> recent_files;  // latest first, at most 10
};

/// The settings of a JSON file. Members that are missing keep their defaults; so do values out of range and of
/// another type, with a line for each in `complaints`. A file that does not exist gives defaults and no complaint,
/// one that is no JSON defaults and one.
Settings load_settings(const std::filesystem::path& file, std::vector<std::string>& complaints);

/// Writes them to a temporary file that is renamed when complete; folders are made. Numbers that load_settings
/// refuses are written as their defaults, sizes of windows and levels as the nearest that it takes.
/// Throws: Error bad_file.
void save_settings(const std::filesystem::path& file, const Settings& settings);

/// $XDG_CONFIG_HOME/copse/viewer.json, or ~/.config/copse/viewer.json; empty where neither variable is set.
std::filesystem::path settings_path();

/// Writes a text to a temporary file that is renamed when complete, so that no program reads half of it.
/// Throws: Error bad_file.
void save_text(const std::filesystem::path& file, std::string_view text);

}  // namespace copse::viewer
