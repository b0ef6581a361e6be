#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "viewer/model/session/session.h"

namespace copse::viewer {

/// What the command line asks for. Members without value leave what the settings say.
struct Options {
  std::vector<std::filesystem::path> meshes;
  std::filesystem::path sequence;

  std::optional<Backend> backend;
  u32 threads = 0;  // 0: all
  std::optional<StructureKind> kind;
  std::optional<Builder> builder, second_builder;
  std::optional<Layout> layout;
  std::optional<u32> max_leaf_size;
  std::optional<UpdateMode> update_mode;

  std::optional<View> view;
  std::optional<u32> level;
  bool curve = false;
  std::optional<CameraPose> camera;
  std::optional<Deformation> play;

  bool headless = false;
  std::optional<u32> frames;
  std::optional<u32> orbit_seconds;
  bool while_building = false;  // with orbit_seconds
  u32 width = 0,
      height = 0;  // of screenshots; 0 x 0: the window's picture, default_* where the viewer ends by itself
  std::filesystem::path screenshot, recording, statistics;

  int window_width = 0, window_height = 0;  // 0 x 0: as last time
  float ui_scale = 0;                       // 0: the display's
  std::filesystem::path settings_file;      // empty: none is read or written
  std::filesystem::path widget_map;
};

/// The size of screenshots where none is asked for and no window says another.
inline constexpr u32 default_width = 1280, default_height = 720;

/// Seconds by which time moves on a frame where --frames counts them.
inline constexpr double counted_frame_seconds = 1.0 / 30;

/// True where the viewer does what it was asked for and ends.
bool ends_by_itself(const Options& options);

/// The options of a command line; none where it asked for --help or --version, which have been printed, with
/// `exit_code` 0, or was wrong, which has been said, with 2.
std::optional<Options> parse_options(int argc, char** argv, int& exit_code);

/// What the options say, into a session: structures, view, overlays, playback. Opens the meshes.
void apply_options(const Options& options, Session& session);

}  // namespace copse::viewer
