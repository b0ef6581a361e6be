#include <algorithm>

#include "viewer/model/scene/placed_meshes.h"
#include "viewer/model/session/session_state.h"

namespace copse::viewer {

/// The pose at rest has no phase, so that a still scene is the same at any time.
Pose Session::State::pose() const {
  if (playback.deformation == Deformation::none) return {};
  return {playback.deformation, playback.strength, playback.phase};
}

void Session::State::advance_time(double seconds) {
  playback.advance(seconds);
  seconds_to_measure -= seconds;
  if (pile) show_step();
  if (!sequence) return;

  const u32 count = sequence->frame_count();
  const u32 wanted = std::min(u32(std::max(playback.phase, 0.0f) * float(count)), count - 1);
  const bool is_asked = requested_frame ? *requested_frame == wanted : frame == wanted;
  if (!is_asked) {
    sequence->request(wanted);
    requested_frame = wanted;
  }
  if (!requested_frame) return;
  if (options.deterministic) {
    show_frame(sequence->wait());
  } else if (const std::optional<SequenceFrame> read = sequence->poll()) {
    show_frame(*read);
  }
}

void Session::State::show_step() {
  const u32 step = u32(std::max(playback.phase, 0.0f) * playback.period * Pile::steps_per_second);
  if (step == pile->step()) return;
  pile->go_to(std::min(step, Pile::seconds * Pile::steps_per_second));
  geometry = moved(*geometry, pile->instances());
}

/// If a frame cannot be read, the last one stays, and a message says so once.
void Session::State::show_frame(const SequenceFrame& read) {
  if (requested_frame == read.number) requested_frame.reset();
  frame = read.number;
  if (!read.geometry) {
    if (lost_frames.insert(read.number).second) {
      messages.add(Severity::warning, "frame " + std::to_string(read.number) + " is left out: " + read.error);
    }
    return;
  }
  lost_frames.erase(read.number);
  geometry = read.geometry;
}

void Session::State::move_sides(bool whole) {
  const Pose now = pose();
  const bool measures = whole || seconds_to_measure <= 0;
  bool moved = false;
  for (u32 number = 0; number < 2; ++number) {
    Side& side = sides[number];
    if (!side.live || !builds(number)) continue;
    const bool has_new_frame = side.live->scene().geometry() != geometry;
    const bool differs = has_new_frame || side.live->scene().pose() != now;
    const bool builds_always = update_mode == UpdateMode::rebuild && playback.playing;
    if (!differs && !builds_always) continue;
    if (!whole && side.renderer.is_tracing_first()) continue;

    // A new topology, and builds that would block the window, are built in the background.
    const bool refits = update_mode == UpdateMode::refit || update_mode == UpdateMode::automatic;
    const bool builds = update_mode == UpdateMode::rebuild || (refits && !can_refit(side.built));
    const bool is_slow = builds && !whole && side.live->times().build_ms > slow_build_ms;
    const bool is_other = has_new_frame && !same_topology(*side.live->scene().geometry(), *geometry);
    if (is_slow || is_other) {
      if (!job && cancelled_jobs.empty()) side.build_pending = true;
      continue;
    }
    moved = true;
    messages.guard("moving the scene", [&] {
      if (has_new_frame) side.live->move(geometry, update_mode, measures);
      if (!has_new_frame || now != Pose{}) side.live->move(now, update_mode, measures);
      if (update_mode == UpdateMode::nothing) return;
      const WorkTimes& times = side.live->times();
      const bool has_built = builds || !times.is_refit;
      (has_built ? side.timings.build : side.timings.refit).add(has_built ? times.build_ms : times.refit_ms);
    });
  }
  if (moved && measures) seconds_to_measure = 0.1;
}

}  // namespace copse::viewer
