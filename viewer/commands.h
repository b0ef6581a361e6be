#pragma once

#include <span>
#include <vector>

#include "primitives/core/types.h"

// The commands of keys and menus, in one table for the keyboard, the menus and the help overlay.

namespace copse::viewer {

enum class Command : u8 {
  // Files
  open,
  add,
  open_sequence,
  screenshot,
  screenshot_window,
  record,
  record_video,
  save_statistics,
  quit,
  // Edit
  undo,
  redo,
  // Structure
  rebuild,
  refit,
  cancel,
  next_update_mode,
  next_comparison,
  // Motion
  play,
  step_forward,
  step_back,
  move_instance,
  turn_instance,
  scale_instance,
  // View
  view_shaded,
  view_normals,
  view_primitives,
  view_distance,
  view_ambient_occlusion,
  view_heat,
  view_leaves,
  slice,
  // Overlays
  boxes,
  level_down,
  level_up,
  levels_above,
  curve,
  cells,
  wire,
  bounds,
  clear_pick,
  // Camera
  frame_scene,
  look_along_x,
  look_along_y,
  look_along_z,
  look_against_x,
  look_against_y,
  look_against_z,
  next_camera_mode,
  add_bookmark,
  next_bookmark,
  // Window
  toggle_panels,
  toggle_help,
  toggle_guide,
  toggle_log,
  toggle_theme,
};

enum class Modifier : u8 { none, shift, control };

struct Shortcut {
  Command command;
  int key;  // GLFW's number
  Modifier modifier;
  const char* keys;     // as shown
  const char* meaning;  // in menus and the help overlay; null: another key of the command above
  const char* group;
  bool repeats = false;  // while the key is held down
};

/// All shortcuts, sorted by group.
std::span<const Shortcut> shortcuts();

/// The shortcut of a command; null if it has none.
const Shortcut* shortcut_of(Command command);

/// The mouse gestures over the picture and what they do.
struct Gesture {
  const char* gesture;
  const char* meaning;
};
std::span<const Gesture> gestures();

/// Returns the commands whose keys went down in this frame of ImGui. The keys that move the camera (W A S D Q E)
/// are not commands.
std::vector<Command> pressed_commands();

}  // namespace copse::viewer
