#pragma once

#include "viewer/commands.h"
#include "viewer/model/session/session.h"
#include "viewer/panels/toasts.h"
#include "viewer/panels/widgets.h"

// The parts of the window around the picture. Each shows what the session has and changes it; each is one function
// that draws into ImGui's current window.

namespace copse::viewer {

/// What the panels remember from frame to frame beside the session.
struct PanelState {
  bool panels = true;  // shown at all
  bool help = false;
  bool log = false;
  bool guide = false;
  u32 guide_step = 0;
  std::optional<u32> guide_shown;  // the step that the view is set up for

  std::vector<std::string> recent_files;  // latest first
  std::string chosen_file;                // that a menu asks to open

  std::string picture_way;    // of the display
  u32 side = 0;               // whose structure the panels show: A or B
  bool build_changes = true;  // build as soon as an option changes
  bool build_waits = false;   // an option changed, and its widget is still held
  u32 next_bookmark = 0;
  Toasts toasts;
  double frame_seconds = 0.1;  // of the last frames, smoothed
};

/// What a panel works with.
struct Desk {
  Session& session;
  PanelState& state;
  std::vector<Command>& commands;  // that buttons ask for; carried out after the frame
};

void scene_panel(Desk& desk);
void motion_panel(Desk& desk);
void structure_panel(Desk& desk);
void view_panel(Desk& desk);
void overlay_panel(Desk& desk);
void camera_panel(Desk& desk);
void statistics_panel(Desk& desk);
void pick_panel(Desk& desk);

/// Stages of the last build, and the history of times, beside each other.
void timeline_panel(Desk& desk);

/// The menus; to be called within a main menu bar.
void menus(Desk& desk);

// Over the picture, in windows of their own; `place` is the picture's.
void job_banner(Desk& desk, const Rectangle& place);
void message_toasts(Desk& desk, const Rectangle& place);
/// Which structure a picture shows, where two are compared.
void pane_label(Desk& desk, const Rectangle& place, u32 side);
void empty_scene_hint(Desk& desk, const Rectangle& place);
void guide(Desk& desk, const Rectangle& place);
void help_overlay(Desk& desk);
void message_log(Desk& desk);

/// A command's line in a menu or a button of its own.
void menu_item(Desk& desk, Command command, bool checked = false);

}  // namespace copse::viewer
