#include <algorithm>
#include <cstdio>

#include "viewer/model/session/headless.h"
#include "viewer/model/session/orbit_rate.h"
#include "viewer/record_frames.h"
#include "viewer/run.h"

namespace copse::viewer {

namespace {

/// Prints the messages since the last call and returns their exit code.
int print_messages(Session& session) {
  const int exit_code = exit_code_of(session.messages());
  for (const Message& message : session.messages().list()) {
    std::fprintf(stderr, "copse-viewer: %s%s\n", message.severity == Severity::error ? "error: " : "",
                 message.text.c_str());
  }
  session.messages().clear();
  return exit_code;
}

/// Applies the options and waits until all meshes are there.
void open_meshes(const Options& options, Session& session, u32 width, u32 height) {
  apply_options(options, session);
  set_shown_size(session, width, height);
  if (!options.meshes.empty()) session.open(options.meshes, false, shows_structures(options));
  if (!options.sequence.empty()) session.open_sequence(options.sequence);
  if (options.pile) session.show_pile(*options.pile);
  session.finish();
}

/// Runs --frames: builds, moves, traces and shades on the device, or on --gpus devices, without a pause.
void run_frames(const Options& options, Session& session, u32 width, u32 height) {
  FrameLoopOptions loop{.structure = session.wanted(0),
                        .update_mode = session.update_mode(),
                        .deformation = session.playback().deformation,
                        .view = session.view().view,
                        .width = width,
                        .height = height,
                        .frames = *options.frames,
                        .workers = options.threads,
                        .devices = std::max(options.gpus, 1u)};
  if (options.gpus > 0 && loop.structure.backend == Backend::automatic) loop.structure.backend = Backend::cuda;
  std::fputs(in_words(run_frame_loop(session.geometry(), loop)).c_str(), stdout);
}

/// Runs --orbit: turns the scene as a mouse would.
int run_orbit(const Options& options, u32 width, u32 height) {
  Session session({.workers = options.threads});
  open_meshes(options, session, width, height);
  if (session.has_structure(0)) {
    if (options.camera) session.camera().set_pose(*options.camera);
    const Meanwhile meanwhile = options.while_building ? Meanwhile::builds : Meanwhile::nothing;
    std::fputs(in_words(measure_orbit(session, *options.orbit_seconds, meanwhile)).c_str(), stdout);
  }
  return print_messages(session);
}

}  // namespace

int run_headless(const Options& options) {
  const u32 width = options.width > 0 ? options.width : default_width;
  const u32 height = options.height > 0 ? options.height : default_height;
  if (options.orbit_seconds) return run_orbit(options, width, height);
  Session session({.workers = options.threads, .deterministic = true});
  open_meshes(options, session, width, height);
  if (const int exit_code = print_messages(session); exit_code != 0) return exit_code;
  if (options.camera) session.camera().set_pose(*options.camera);
  const std::vector<Stage>& stages = session.work_times(0).stages;
  if (!stages.empty()) std::printf("first build\n%s", in_words(stages).c_str());

  if (options.frames.value_or(0) > 0) run_frames(options, session, width, height);
  Playback& playback = session.playback();
  playback.playing = options.play.has_value() || !options.sequence.empty() || options.pile;
  PictureExport pictures(export_scale_of(options));
  if (!options.recording.empty()) {
    record_frames(options, session, pictures, width, height, [&] {
      session.update(counted_frame_seconds);
      return true;
    });
  } else {
    for (u32 frame = 0; frame < options.frames.value_or(0); ++frame) playback.advance(counted_frame_seconds);
  }
  playback.playing = false;
  if (!options.screenshot.empty()) save_screenshot(options, session, pictures, width, height);
  if (!options.statistics.empty()) session.save_statistics(options.statistics);
  return print_messages(session);
}

}  // namespace copse::viewer
