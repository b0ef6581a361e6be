#include <cstdio>

#include "viewer/application.h"
#include "viewer/record_frames.h"
#include "viewer/run.h"
#include "viewer/signals.h"
#include "viewer/window/glfw_display.h"

namespace copse::viewer {

namespace fs = std::filesystem;

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

/// Runs a frame. Returns false once the window was closed or a signal asked the program to end.
bool run_frame(Application& application) {
  return application.run_frame() && EndSignals::received() == 0;
}

/// Returns the mesh that an empty window offers: the one that was installed with this program, or that of the
/// sources. Empty if neither is there.
fs::path find_test_ball() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  for (const fs::path& folder : {program.parent_path() / COPSE_INSTALLED_ASSETS, fs::path(COPSE_SOURCE_ASSETS)}) {
    const fs::path file = folder / "testball.ply";
    if (fs::exists(file, error)) return fs::weakly_canonical(file, error);
  }
  return {};
}

/// Runs frames until all loads and builds have ended. Returns false as run_frame does.
bool run_until_built(Session& session, Application& application) {
  do {
    if (!run_frame(application)) return false;
  } while (session.job().running);
  return run_frame(application);
}

void print_errors(const Session& session) {
  for (const Message& message : session.messages().list()) {
    if (message.severity == Severity::error)
      std::fprintf(stderr, "copse-viewer: error: %s\n", message.text.c_str());
  }
}

/// Performs --frames, --screenshot, --record and --statistics with pictures of this size.
void run_to_the_end(const Options& options, Session& session, Application& application, u32 width, u32 height) {
  session.playback().playing = options.play.has_value() || !options.sequence.empty() || options.pile;
  bool open = true;
  const auto next_frame = [&] { return open = run_frame(application); };
  PictureExport pictures(export_scale_of(options));
  if (!options.recording.empty()) {
    session.messages().guard("recording",
                             [&] { record_frames(options, session, pictures, width, height, next_frame); });
  } else {
    for (u32 frame = 0; frame < options.frames.value_or(0) && open; ++frame) next_frame();
  }
  if (!open) return;
  session.playback().playing = false;
  if (!options.screenshot.empty()) {
    session.messages().guard("saving the screenshot",
                             [&] { save_screenshot(options, session, pictures, width, height); });
  }
  if (!options.statistics.empty()) {
    session.messages().guard("saving the statistics", [&] { session.save_statistics(options.statistics); });
  }
}

/// Runs frames until the user closes the window or a signal comes. Returns the exit code.
int run_for_the_user(const Options& options, Session& session, Application& application) {
  session.playback().playing = options.play.has_value() || !options.sequence.empty() || options.pile;
  while (run_frame(application)) {
  }
  session.messages().clear();  // they were shown in the window
  application.keep_settings();
  print_errors(session);
  constexpr int exit_signal = 128;  // as shells have it
  return EndSignals::received() != 0 ? exit_signal + EndSignals::received() : exit_code_of(session.messages());
}

/// Opens the meshes of the command line and runs frames until they are there. Returns false as run_frame does.
bool open_meshes(const Options& options, Session& session, Application& application) {
  apply_options(options, session);
  if (!options.meshes.empty()) application.open(options.meshes, false, shows_structures(options));
  if (!options.sequence.empty()) application.open_sequence(options.sequence);
  if (options.pile) session.show_pile(*options.pile);
  return run_until_built(session, application);
}

}  // namespace

int run_in_window(const Options& options) {
  // A run that ends by itself must not depend on the settings of earlier runs.
  const bool ends = ends_by_itself(options);
  const bool has_size = options.width > 0;
  const u32 width = has_size || !ends ? options.width : default_width;
  const u32 height = has_size || !ends ? options.height : default_height;
  const std::filesystem::path settings_file = ends ? "" : options.settings_file;
  std::error_code error;
  const bool is_first_start = !settings_file.empty() && !std::filesystem::exists(settings_file, error);
  std::vector<std::string> complaints;
  Settings settings;
  if (!settings_file.empty()) settings = load_settings(settings_file, complaints);
  if (options.ui_scale > 0) settings.window.ui_scale = options.ui_scale;

  // A run that ends by itself has no settings to keep: a signal ends it at once.
  std::optional<EndSignals> signals;
  if (!ends) signals.emplace();
  Ui ui;
  WindowOptions window = window_of(options, settings);
  window.wait_for_refresh = !options.frames.has_value();
  GlfwDisplay display(window);
  Session session({.workers = options.threads});
  Application application(session, display, ui,
                          {.settings_file = settings_file,
                           .test_ball = find_test_ball(),
                           .widget_map = options.widget_map,
                           .screenshot_width = width,
                           .screenshot_height = height,
                           .steps_back = !ends,
                           .frame_seconds = ends ? std::optional(counted_frame_seconds) : std::nullopt});
  for (const std::string& complaint : complaints) session.messages().add(Severity::warning, complaint);
  application.use(settings);
  if (is_first_start) application.offer_guide();
  const bool open = open_meshes(options, session, application);
  if (ends) {  // as without a window, whatever the shape of this one
    set_shown_size(session, width, height);
    session.frame_scene();
    session.camera().set_pose(session.camera().pose());
  }
  if (options.camera) session.camera().set_pose(*options.camera);
  if (!ends) return run_for_the_user(options, session, application);
  if (open) run_to_the_end(options, session, application, width, height);
  print_errors(session);
  return exit_code_of(session.messages());
}

}  // namespace copse::viewer
