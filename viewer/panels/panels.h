#pragma once

#include "viewer/commands.h"
#include "viewer/model/scene/hand.h"
#include "viewer/model/session/session.h"
#include "viewer/panels/toasts.h"
#include "viewer/panels/widgets.h"

// The parts of the window around the picture. Each panel shows a part of the session and changes it, and is one
// function that draws into ImGui's current window.

namespace copse::viewer {

/// The state of the panels from frame to frame, besides the session.
struct PanelState {
  bool panels = true;  // true: panels are shown
  Theme theme = Theme::dark;
  bool help = false;
  bool log = false;
  bool guide = false;
  bool guide_offer = false;  // asks whether to open the guide; opening it ends that
  u32 guide_step = 0;
  std::optional<u32> guide_shown;  // the step that the view shows

  std::vector<std::string> recent_files;  // latest first
  std::string chosen_file;                // chosen in a menu, to open

  std::string picture_way;  // of the display
  u32 side = 0;             // whose structure the panels show: A or B
  bool can_undo = false, can_redo = false;
  bool build_changes = true;  // build as soon as an option changes
  bool build_waits = false;   // an option changed, and the mouse still holds its widget
  u32 next_bookmark = 0;
  InstanceHand hand;                      // moves the chosen instance by the mouse
  TransformNumbers numbers;               // of the chosen instance
  std::optional<Instance> numbers_shown;  // the instance that has these numbers
  std::optional<u32> listed_instance;     // the chosen one, to which the list has scrolled
  u64 pick_shown = 0;                     // the pick whose path the nodes panel has opened
  Toasts toasts;
  double frame_seconds = 0.1;  // of the last frames, smoothed
  float scale_height = 0;      // points at the lower edge of the picture that a colour scale covers
  std::string test_ball;       // the file of the test ball; empty: it is not installed
};

/// What each panel reads and changes.
struct Desk {
  Session& session;
  PanelState& state;
  std::vector<Command>& commands;  // of buttons; performed after the frame
};

void scene_panel(Desk& desk);
void motion_panel(Desk& desk);
void structure_panel(Desk& desk);
void view_panel(Desk& desk);
void overlay_panel(Desk& desk);
void camera_panel(Desk& desk);
void statistics_panel(Desk& desk);
void pick_panel(Desk& desk);
void nodes_panel(Desk& desk);
/// Draws the table of all statistics of A and B.
void comparison_panel(Desk& desk);

/// Draws the stages of the last build, and the history of times beside them.
void timeline_panel(Desk& desk);

/// Draws the menus. Call it within a main menu bar.
void menus(Desk& desk);
/// Draws the size of the picture and how long it took, at the right end of a main menu bar.
void status_bar(Desk& desk);

// These draw over the picture, in windows of their own. `place` is that of the picture.
void job_banner(Desk& desk, const Rectangle& place);
void message_toasts(Desk& desk, const Rectangle& place);
/// Draws which structure a picture shows, if two are compared.
void pane_label(Desk& desk, const Rectangle& place, u32 side);
/// Draws the axes of space in the upper right corner.
void axis_gizmo(Desk& desk, const Rectangle& place);
void empty_scene_hint(Desk& desk, const Rectangle& place);
/// Draws what the keys do while an instance is moved by the mouse.
void hand_hint(Desk& desk, const Rectangle& place);
/// Draws the buttons that fill an empty scene: a dialog, and the test ball if it is installed.
void first_mesh_buttons(Desk& desk);
void guide(Desk& desk, const Rectangle& place);
/// Draws the question of the first start: whether to open the guide. It changes nothing of what is shown.
void guide_offer(Desk& desk, const Rectangle& place);
void help_overlay(Desk& desk);
void message_log(Desk& desk);

/// Draws a command as a line in a menu, or as a button.
void menu_item(Desk& desk, Command command, bool checked = false, bool enabled = true);

}  // namespace copse::viewer
