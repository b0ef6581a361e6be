#include <cstdio>

#include "viewer/application.h"
#include "viewer/record_frames.h"
#include "viewer/run.h"
#include "viewer/window/glfw_display.h"

namespace copse::viewer {

namespace {

WindowOptions window_of(const Options& options, const Settings& settings) {
  WindowOptions window{
      .width = settings.window.width, .height = settings.window.height, .maximized = settings.window.maximised};
  if (options.window_width > 0) {
    window.width = options.window_width;
    window.height = options.window_height;
    window.maximized = false;
  }
  return window;
}

WindowSettings settings_of(const GlfwDisplay& display, WindowSettings settings) {
  const WindowOptions window = display.current_options();
  settings.width = window.width;
  settings.height = window.height;
  settings.maximised = window.maximized;
  return settings;
}

/// Runs frames until all loads and builds have ended. Returns false if the window was closed.
bool run_until_built(Session& session, Application& application) {
  do {
    if (!application.run_frame()) return false;
  } while (session.job().running);
  return application.run_frame();
}

void print_errors(const Session& session) {
  for (const Message& message : session.messages().list()) {
    if (message.severity == Severity::error)
      std::fprintf(stderr, "copse-viewer: error: %s\n", message.text.c_str());
  }
}

/// Performs --frames, --screenshot, --record and --statistics with pictures of this size.
void run_to_the_end(const Options& options, Session& session, Application& application, u32 width, u32 height) {
  session.playback().playing = options.play.has_value() || !options.sequence.empty();
  bool open = true;
  const auto next_frame = [&] { return open = application.run_frame(); };
  if (!options.recording.empty()) {
    session.messages().guard("recording", [&] { record_frames(options, session, width, height, next_frame); });
  } else {
    for (u32 frame = 0; frame < options.frames.value_or(0) && open; ++frame) next_frame();
  }
  if (!open) return;
  session.playback().playing = false;
  if (!options.screenshot.empty()) application.save_screenshot(options.screenshot);
  if (!options.statistics.empty()) {
    session.messages().guard("saving the statistics", [&] { session.save_statistics(options.statistics); });
  }
}

}  // namespace

int run_in_window(const Options& options) {
  // A run that ends by itself must not depend on the settings of earlier runs.
  const bool ends = ends_by_itself(options);
  const bool has_size = options.width > 0;
  const u32 width = has_size || !ends ? options.width : default_width;
  const u32 height = has_size || !ends ? options.height : default_height;
  const std::filesystem::path settings_file = ends ? "" : options.settings_file;
  std::vector<std::string> complaints;
  Settings settings;
  if (!settings_file.empty()) settings = load_settings(settings_file, complaints);
  if (options.ui_scale > 0) settings.window.ui_scale = options.ui_scale;

  Ui ui;
  WindowOptions window = window_of(options, settings);
  window.wait_for_refresh = !options.frames.has_value();
  GlfwDisplay display(window);
  Session session({.workers = options.threads});
  Application application(session, display, ui,
                          {.settings_file = settings_file,
                           .widget_map = options.widget_map,
                           .screenshot_width = width,
                           .screenshot_height = height,
                           .steps_back = !ends,
                           .frame_seconds = ends ? std::optional(counted_frame_seconds) : std::nullopt});
  for (const std::string& complaint : complaints) session.messages().add(Severity::warning, complaint);
  application.use(settings);
  apply_options(options, session);
  bool open = run_until_built(session, application);
  if (ends) {  // as without a window
    session.set_picture_size(width, height);
    session.frame_scene();
  }
  if (options.camera) session.camera().set_pose(*options.camera);

  if (ends) {
    if (open) run_to_the_end(options, session, application, width, height);
    print_errors(session);
    return exit_code_of(session.messages());
  }
  std::error_code error;
  if (!settings_file.empty() && !std::filesystem::exists(settings_file, error)) application.offer_guide();
  session.playback().playing = options.play.has_value() || !options.sequence.empty();
  while (open) open = application.run_frame();
  session.messages().clear();  // they were shown in the window
  application.keep_settings(settings_of(display, settings.window));
  print_errors(session);
  return exit_code_of(session.messages());
}

}  // namespace copse::viewer
