#pragma once

// The one object behind the viewer's window, panels and headless runs: a scene, one or two structures over it, a
// camera, and the picture of it all. Nothing in it knows of a window.
//
//   Session session;
//   session.open({"testball.ply"});
//   session.set_picture_size(1280, 720);
//   for (;;) { session.update(seconds); show(session.picture(0), session.lines(0)); }
//
// or without a window: session.finish(); save_png(file, session.picture(0).image).

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "viewer/model/inspect/lines.h"
#include "viewer/model/inspect/picking.h"
#include "viewer/model/picture/cameras.h"
#include "viewer/model/picture/picture.h"
#include "viewer/model/picture/renderer.h"
#include "viewer/model/picture/view_settings.h"
#include "viewer/model/scene/geometry.h"
#include "viewer/model/scene/playback.h"
#include "viewer/model/session/messages.h"
#include "viewer/model/session/timings.h"
#include "viewer/model/settings/settings.h"
#include "viewer/model/structures/statistics.h"
#include "viewer/model/structures/structure_options.h"

namespace copse::viewer {

struct SessionOptions {
  u32 workers = 0;                       // CPU threads, 0 for all
  double budget_ms = default_budget_ms;  // what one update() may take, about
  bool deterministic = false;  // update() waits for loads and builds and makes whole pictures: for headless runs
};

/// What runs beside the window.
struct JobStatus {
  bool running = false;
  std::string stage;   // "reading", "building", "measuring"
  double seconds = 0;  // since it began
  u32 side = 0;        // which structure it builds; a load builds all
  bool cancelling = false;
  u32 cancelled_count = 0;  // jobs that were cancelled and have not ended, 2 at most
};

/// How the two structures are shown. Which of the pictures there are follows from it.
enum class Comparison : u8 {
  off,           // picture(0) alone
  side_by_side,  // picture(0) and picture(1), each of the size set
  difference,    // and difference(), of the heat maps: red where A visits more, blue where B does
};

template <>
struct Names<Comparison> {
  static constexpr const char* list[] = {"off", "side by side", "difference"};
};

class Session {
 public:
  /// Never throws for want of a GPU; work on a backend that is not there ends in a message.
  explicit Session(const SessionOptions& options = {});
  /// Cancels what runs and waits for it to end.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // ---- The frame loop ---------------------------------------------------------------------------------------

  /// Moves time, jobs and pictures on, for about the budget. Errors become messages.
  void update(double seconds);

  /// Waits for jobs and makes the pictures whole: full size, ambient occlusion with all samples.
  void finish();

  /// False where nothing would change until a call changes something, so that a loop can sleep.
  bool busy() const;

  /// Whether pictures may stay on a CUDA device, for a display that reads them there (Picture::device). Those that
  /// are made whole come to the host.
  void leave_pictures_on_device(bool may_stay);

  /// The size of each picture; 0 for either makes none. At most 16384.
  void set_picture_size(u32 width, u32 height);

  // ---- Scene ------------------------------------------------------------------------------------------------

  /// Loads meshes and builds structures over them, beside the window; the old scene stays until they are there. A
  /// folder stands for all meshes in it. Files that cannot be read become messages, and the others are shown.
  ///   add: keep the meshes that are there
  void open(const std::vector<std::filesystem::path>& paths, bool add = false);
  /// Plays the numbered files beside `path` (mesh_0001.ply, mesh_0002.ply...) as frames over phase 0 to 1.
  void open_sequence(const std::filesystem::path& path);
  /// Shows a mesh made by the caller. One without triangles is legal.
  void show(Geometry geometry);

  /// What is loaded; never null.
  const Geometry& geometry() const;
  /// Frames of the sequence; 0 where there is none.
  u32 frame_count() const;
  u32 frame() const;
  /// The box of the scene at rest, of the frame that is shown.
  Aabb bounds() const;

  Playback& playback();

  // ---- Structures: side 0 is A, 1 is B -----------------------------------------------------------------------

  /// What the next build will make. Panels change it, then call build().
  StructureOptions& wanted(u32 side);
  /// What stands there now.
  const StructureOptions& built(u32 side) const;
  bool has_structure(u32 side) const;
  /// True where `wanted` is something else than what stands there or is being built.
  bool differs(u32 side) const;

  /// Builds `wanted` beside the window; cancels a build of the same side that runs.
  void build(u32 side = 0);
  /// Cancels what is being loaded or built. What stood there stays.
  void cancel();
  JobStatus job() const;

  /// Fits or rebuilds the structure to the triangles as they are now, at once.
  void refit_now(u32 side = 0);
  void rebuild_now(u32 side = 0);

  UpdateMode& update_mode();
  const Statistics& statistics(u32 side) const;
  /// SAH cost now over that of the last build; 1 where nothing moved, none where there is no cost.
  std::optional<double> sah_drift(u32 side) const;
  const WorkTimes& work_times(u32 side) const;
  const Timings& timings(u32 side) const;
  std::string device_name(u32 side) const;
  Backend backend(u32 side) const;

  Comparison& comparison();

  // ---- Picture ----------------------------------------------------------------------------------------------

  ViewSettings& view();
  CameraRig& camera();
  /// Sees all of the scene.
  void frame_scene();

  const Picture& picture(u32 side) const;
  /// Where comparison() asks for it and both pictures are whole; else 0 x 0.
  const Picture& difference() const;

  OverlaySettings& overlay();
  /// What the overlay settings ask for, over picture(side).
  const Lines& lines(u32 side) const;
  /// Changes with them.
  u64 lines_revision(u32 side) const;
  /// Levels of the structure, for the slider: the largest OverlaySettings::level that has boxes.
  u32 deepest_level(u32 side) const;

  // ---- Picking ----------------------------------------------------------------------------------------------

  /// Picks at a place of the picture, (0, 0) its upper left corner, (1, 1) the lower right one.
  void pick(float x, float y, u32 side = 0);
  void clear_pick();
  const std::optional<Pick>& picked() const;
  u32 picked_side() const;

  // ---- Files ------------------------------------------------------------------------------------------------

  /// From now on pictures are made whole, and record() writes them as folder/frame-00000.png and so on. The folder
  /// is made; files that are there are written over.
  /// Throws: Error bad_file.
  void start_recording(const std::filesystem::path& folder);
  void stop_recording();
  bool recording() const;
  /// Pictures written since the start.
  u32 recorded_frames() const;
  /// Writes the next picture; nothing where none are recorded. An error ends the recording.
  /// Throws: Error bad_file.
  void record(const Image& image);

  /// Statistics, options and times of both sides as JSON.
  std::string statistics_json() const;
  /// Throws: Error bad_file.
  void save_statistics(const std::filesystem::path& file);

  /// What settings remember, out of and into the session. The camera of settings is only used where
  /// `with_camera`.
  Settings settings() const;
  void use(const Settings& settings, bool with_camera);

  Messages& messages();
  const Messages& messages() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace copse::viewer
