#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "viewer/model/session/session.h"

namespace copse::viewer {

/// The options of the command line. Members without a value leave the settings as they are.
struct Options {
  std::vector<std::filesystem::path> meshes;
  std::filesystem::path sequence;
  std::optional<u32> pile;  // objects that fall

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
  u32 gpus = 0;  // that share the rays of `frames`; 0: one device
  std::optional<u32> orbit_seconds;
  bool while_building = false;  // with orbit_seconds
  // Of screenshots. 0 x 0: the size of the picture in the window, or default_* if the viewer ends by itself.
  u32 width = 0, height = 0;
  std::filesystem::path screenshot, recording, statistics;
  bool with_panels = false;  // in the screenshot

  int window_width = 0, window_height = 0;  // 0 x 0: that of the last run
  float ui_scale = 0;                       // 0: that of the display
  std::filesystem::path settings_file;      // empty: none is read or written
  std::filesystem::path widget_map;
};

/// The size of screenshots without --size and without a window.
inline constexpr u32 default_width = 1280, default_height = 720;

/// Returns the scale of text in a run that ends by itself, which must not depend on the display.
inline float export_scale_of(const Options& options) {
  return options.ui_scale > 0 ? options.ui_scale : 1;
}

/// Seconds by which time advances per frame with --frames.
inline constexpr double counted_frame_seconds = 1.0 / 30;

/// Returns true if the viewer ends by itself after the work that the options name.
bool ends_by_itself(const Options& options);

/// Parses a command line. Returns none after printing --help or --version, with `exit_code` 0, or after printing
/// an error, with 2.
std::optional<Options> parse_options(int argc, char** argv, int& exit_code);

/// Returns true if the structure of a .copse file is shown as it is, since no option asks for another one.
bool shows_structures(const Options& options);

/// Applies the options to a session: structures, view, overlays, playback. The caller opens the meshes.
void apply_options(const Options& options, Session& session);

}  // namespace copse::viewer
