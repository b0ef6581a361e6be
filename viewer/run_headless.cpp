#include <cstdio>

#include "builders/io/image_file.h"
#include "viewer/model/headless.h"
#include "viewer/run.h"
#include "viewer/window/overlay.h"

namespace copse::viewer {

namespace fs = std::filesystem;

namespace {

/// Prints what was said since the last call; true where an error was among it.
bool print_messages(Session& session) {
  bool failed = false;
  for (const Message& message : session.messages().list()) {
    std::fprintf(stderr, "copse-viewer: %s%s\n", message.severity == Severity::error ? "error: " : "",
                 message.text.c_str());
    failed |= message.severity == Severity::error;
  }
  session.messages().clear();
  return failed;
}

void print_stages(const char* what, const WorkTimes& times) {
  if (times.stages.empty()) return;
  std::printf("%s\n", what);
  for (const Stage& stage : times.stages) {
    std::printf("  %*s%-*s %8.3f ms\n", int(stage.depth) * 2, "", 44 - int(stage.depth) * 2, stage.label.c_str(),
                stage.milliseconds);
  }
}

/// Builds, moves, traces and shades on the device without a pause.
void run_frames(const Options& options, Session& session, u32 width, u32 height) {
  const FrameLoopResult result = run_frame_loop(session.geometry(), {.structure = session.wanted(0),
                                                                     .upkeep = session.upkeep(),
                                                                     .deformation = session.playback().deformation,
                                                                     .view = session.view().view,
                                                                     .width = width,
                                                                     .height = height,
                                                                     .frames = *options.frames});
  std::fputs(in_words(result).c_str(), stdout);
}

Image finished_picture(Session& session) {
  session.finish();
  return picture_with_lines({.place = {},
                             .picture = &session.picture(0),
                             .lines = &session.lines(0),
                             .lines_on_top = session.overlay().on_top});
}

/// As many pictures as there are frames, each moved on by one.
void record(const Options& options, Session& session) {
  session.start_recording(options.recording);
  for (u32 frame = 0; frame < options.frames.value_or(1); ++frame) {
    session.record(finished_picture(session));
    session.update(counted_frame_seconds);
  }
  session.stop_recording();
}

}  // namespace

int run_headless(const Options& options) {
  Session session({.workers = options.threads, .deterministic = true});
  const u32 width = options.width > 0 ? options.width : default_width;
  const u32 height = options.height > 0 ? options.height : default_height;
  session.set_picture_size(width, height);
  apply_options(options, session);
  session.finish();
  if (print_messages(session)) return 3;
  if (options.camera) session.camera().set_pose(*options.camera);
  print_stages("first build", session.work_times(0));

  if (options.frames.value_or(0) > 0) run_frames(options, session, width, height);
  Playback& playback = session.playback();
  playback.playing = options.play.has_value() || !options.sequence.empty();
  if (!options.recording.empty()) {
    record(options, session);
  } else {
    for (u32 frame = 0; frame < options.frames.value_or(0); ++frame) playback.advance(counted_frame_seconds);
  }
  playback.playing = false;
  if (!options.screenshot.empty()) save_png(options.screenshot, finished_picture(session));
  if (!options.statistics.empty()) session.save_statistics(options.statistics);
  return print_messages(session) ? 3 : 0;
}

}  // namespace copse::viewer
