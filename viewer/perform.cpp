// Performs the commands.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viewer/application.h"
#include "viewer/hand_controls.h"

namespace copse::viewer {

namespace fs = std::filesystem;

namespace {

template <class Enum>
void next(Enum& value) {
  value = Enum((u64(value) + 1) % names<Enum>().size());
}

void flip(bool& value) {
  value = !value;
}

}  // namespace

void Application::perform(Command command) {
  if (perform_on_files(command) || perform_on_history(command) || perform_on_structures(command)) return;
  if (perform_on_view(command)) return;
  if (!perform_on_camera(command)) perform_on_window(command);
}

bool Application::perform_on_files(Command command) {
  switch (command) {
    case Command::open: dialog_.open(FileDialog::Purpose::open, dialog_folder()); return true;
    case Command::add: dialog_.open(FileDialog::Purpose::add, dialog_folder()); return true;
    case Command::open_sequence: dialog_.open(FileDialog::Purpose::sequence, dialog_folder()); return true;
    case Command::screenshot: save_screenshot(unused_name("copse", ".png")); return true;
    case Command::screenshot_window: save_window_screenshot(unused_name("copse", ".png")); return true;
    case Command::record: toggle_recording(""); return true;
    case Command::record_video: toggle_recording(".mp4"); return true;
    case Command::save_statistics: {
      const fs::path file = unused_name("copse-statistics", ".json");
      const bool saved =
          session_.messages().guard("saving the statistics", [&] { session_.save_statistics(file); });
      if (saved) session_.messages().add(Severity::note, "Saved " + file.string());
      return true;
    }
    default: return false;
  }
}

bool Application::perform_on_history(Command command) {
  if (command != Command::undo && command != Command::redo) return false;
  history_.note(choices_of(session_));  // a change of this frame is the last one
  const std::optional<Choices> choices = command == Command::undo ? history_.undo() : history_.redo();
  if (choices) choose(session_, *choices);
  return true;
}

bool Application::perform_on_structures(Command command) {
  const u32 side = panels_.side;
  switch (command) {
    case Command::rebuild:
      if (session_.has_structure(side) && !session_.differs(side)) {
        session_.rebuild_now(side);
      } else {
        session_.build(side);
      }
      return true;
    case Command::refit: session_.refit_now(side); return true;
    case Command::cancel: escape(); return true;
    case Command::next_update_mode: next(session_.update_mode()); return true;
    case Command::next_comparison: next(session_.comparison()); return true;
    case Command::play: flip(session_.playback().playing); return true;
    case Command::step_forward: step_frames(1); return true;
    case Command::step_back: step_frames(-1); return true;
    case Command::move_instance: begin_hand(session_, panels_.hand, HandMotion::move, panes_); return true;
    case Command::turn_instance: begin_hand(session_, panels_.hand, HandMotion::turn, panes_); return true;
    case Command::scale_instance: begin_hand(session_, panels_.hand, HandMotion::scale, panes_); return true;
    default: return false;
  }
}

bool Application::perform_on_view(Command command) {
  OverlaySettings& overlay = session_.overlay();
  if (command >= Command::view_shaded && command <= Command::view_leaves) {
    session_.view().view = View(u64(command) - u64(Command::view_shaded));
    return true;
  }
  switch (command) {
    case Command::wire: flip(session_.view().wire); return true;
    case Command::slice: flip(session_.view().slice.on); return true;
    case Command::boxes: flip(overlay.boxes); return true;
    case Command::level_up: overlay.level -= std::min(overlay.level, 1u); return true;
    case Command::level_down: overlay.level = std::min(overlay.level + 1, session_.deepest_level(0)); return true;
    case Command::levels_above: flip(overlay.levels_above); return true;
    case Command::curve: flip(overlay.curve); return true;
    case Command::cells: flip(overlay.cells); return true;
    case Command::clear_pick:
      session_.clear_pick();
      overlay.subtree = 0;
      return true;
    default: return false;
  }
}

bool Application::perform_on_camera(Command command) {
  CameraRig& camera = session_.camera();
  switch (command) {
    case Command::frame_scene: session_.frame_scene(); return true;
    case Command::look_along_x: camera.look_along(0, false); return true;
    case Command::look_along_y: camera.look_along(1, false); return true;
    case Command::look_along_z: camera.look_along(2, false); return true;
    case Command::look_against_x: camera.look_along(0, true); return true;
    case Command::look_against_y: camera.look_along(1, true); return true;
    case Command::look_against_z: camera.look_along(2, true); return true;
    case Command::next_camera_mode: next(camera.mode); return true;
    case Command::add_bookmark: session_.add_bookmark(); return true;
    case Command::next_bookmark:
      if (camera.bookmarks.empty()) return true;
      panels_.next_bookmark %= u32(camera.bookmarks.size());
      camera.set_pose(camera.bookmarks[panels_.next_bookmark++].pose);
      return true;
    default: return false;
  }
}

void Application::perform_on_window(Command command) {
  switch (command) {
    case Command::toggle_panels: flip(panels_.panels); break;
    case Command::toggle_help: flip(panels_.help); break;
    case Command::toggle_guide: flip(panels_.guide); break;
    case Command::toggle_log: flip(panels_.log); break;
    case Command::toggle_theme: next(panels_.theme); break;
    case Command::quit: quits_ = true; break;
    default: break;
  }
}

void Application::step_frames(int steps) {
  Playback& playback = session_.playback();
  const bool is_sequence = session_.frame_count() >= 2;
  const float frames = is_sequence ? float(session_.frame_count()) : 60;
  playback.playing = false;
  // A frame of a sequence lasts from its phase to that of the next frame. The middle is safe from rounding.
  const float now = playback.phase * frames, middle = is_sequence ? 0.5f : 0.0f;
  const float place = (is_sequence ? std::floor(now) : std::round(now)) + float(steps);
  playback.phase = (place - std::floor(place / frames) * frames + middle) / frames;
}

// Closes one thing: the first that is open.
void Application::escape() {
  if (dialog_.is_open()) {
    dialog_.close();
  } else if (panels_.help) {
    panels_.help = false;
  } else if (panels_.log) {
    panels_.log = false;
  } else if (panels_.guide) {
    panels_.guide = false;
  } else if (panels_.guide_offer) {
    panels_.guide_offer = false;
  } else if (session_.job().running) {
    session_.cancel();
  }
}

/// Ends a recording, or begins one: numbered pictures without an ending, else a video.
void Application::toggle_recording(const std::string& ending) {
  if (session_.recording()) {
    const u32 count = session_.recorded_frames();
    const bool ended = session_.messages().guard("recording", [&] { session_.stop_recording(); });
    if (ended) session_.messages().add(Severity::note, fmt::format("Recorded {} pictures", count));
    return;
  }
  const fs::path path = unused_name("copse-recording", ending);
  const bool started = session_.messages().guard("recording", [&] { session_.start_recording(path); });
  if (started) session_.messages().add(Severity::note, "Recording into " + path.string());
}

fs::path Application::unused_name(const std::string& stem, const std::string& ending) const {
  for (u32 number = 1;; ++number) {
    const fs::path name = options_.output_folder / fmt::format("{}-{:04}{}", stem, number, ending);
    std::error_code error;
    if (!fs::exists(name, error)) return name;
  }
}

}  // namespace copse::viewer
