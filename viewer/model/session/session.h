#pragma once

// The model behind the viewer's window, panels and headless runs: a scene, one or two structures over it, a
// camera, and the pictures. It does not depend on a window.
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

#include "scene/instance.h"
#include "viewer/model/inspect/lines.h"
#include "viewer/model/inspect/node_costs.h"
#include "viewer/model/inspect/picking.h"
#include "viewer/model/picture/cameras.h"
#include "viewer/model/picture/picture.h"
#include "viewer/model/picture/renderer.h"
#include "viewer/model/picture/view_settings.h"
#include "viewer/model/scene/geometry.h"
#include "viewer/model/scene/placed_meshes.h"
#include "viewer/model/scene/playback.h"
#include "viewer/model/session/messages.h"
#include "viewer/model/session/timings.h"
#include "viewer/model/settings/settings.h"
#include "viewer/model/structures/statistics.h"
#include "viewer/model/structures/structure_options.h"

namespace copse::viewer {

struct SessionOptions {
  u32 workers = 0;                       // CPU threads, 0 for all
  double budget_ms = default_budget_ms;  // about how long one update() may take, where frames are fast
  bool deterministic = false;  // for headless runs: update() waits for loads and builds and makes whole pictures
};

/// The job that runs in the background.
struct JobStatus {
  bool running = false;
  std::string stage;   // "reading", "building", "measuring"
  double seconds = 0;  // since it began
  u32 side = 0;        // whose structure it builds; a load builds all
  bool cancelling = false;
  u32 cancelled_count = 0;  // jobs that were cancelled and have not ended, 2 at most
};

/// How the two structures are shown, and so which pictures there are.
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
  /// Does not throw if there is no GPU. Work on a missing backend ends in a message.
  explicit Session(const SessionOptions& options = {});
  /// Cancels running jobs and waits for them to end.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // ---- The frame loop ---------------------------------------------------------------------------------------

  /// Advances time, jobs and pictures, for about the time of the budget. The budget grows where the caller takes
  /// long between the calls. Errors become messages.
  void update(double seconds);

  /// Waits for jobs and completes the pictures: full size, all samples of ambient occlusion.
  void finish();

  /// Returns false if update() has nothing to do until another call changes something. A loop can sleep then.
  bool busy() const;

  /// Says whether the user moves the mouse or holds a button or key. True at first. While the user does nothing and
  /// nothing moves, updates take longer, so that the picture is whole sooner.
  void set_user_active(bool active);

  /// Lets pictures stay on a CUDA device, for a display that reads them there (Picture::device). Whole pictures
  /// still come to the host.
  void leave_pictures_on_device(bool may_stay);

  /// Sets the size of each picture, at most 16384. If either number is 0, no pictures are made. A camera that frames
  /// the scene frames it in the new shape too.
  void set_picture_size(u32 width, u32 height);

  // ---- Scene ------------------------------------------------------------------------------------------------

  /// Loads meshes and builds structures over them, in the background. The old scene stays until they are ready. A
  /// folder stands for all meshes in it. Files that cannot be read become messages, and the others are shown.
  /// A .copse file that is opened alone shows its mesh and its tree, a .voxels file its voxels, as
  /// StructureKind::file.
  ///   add:        keep the meshes of the old scene too
  ///   as_in_file: false: build what is wanted over the mesh of a .copse file
  void open(const std::vector<std::filesystem::path>& paths, bool add = false, bool as_in_file = true);
  /// Plays the numbered files beside `path` (mesh_0001.ply, mesh_0002.ply...) as frames over phase 0 to 1.
  void open_sequence(const std::filesystem::path& path);
  /// Shows a mesh of the caller. It may have no triangles.
  void show(Geometry geometry);

  /// Shows objects that fall into a heap, as instances that are built anew in every frame. It plays at once.
  ///   count: 1 to 100000
  /// Throws: Error invalid_argument for another number.
  void show_pile(u32 count);

  /// Puts an instance elsewhere; the structure follows as update_mode() says. Does nothing to a scene without instances,
  /// and for a number that no instance has.
  ///   placed: its accel stays what it was
  void place_instance(u32 number, const Instance& placed);

  /// The instances that place_instance() has put elsewhere since the scene was opened; none of a pile.
  const PlacedByHand& placed_by_hand() const;
  /// Puts all instances where they stood when the scene was opened, except those of `wanted`. Does nothing if these
  /// belong to another scene.
  void place_by_hand(const PlacedByHand& wanted);

  /// The instance that the user has chosen. A box around it is drawn. None at first, and in a new scene.
  std::optional<u32> chosen_instance() const;
  /// Chooses an instance, or none. A number that no instance has chooses none.
  void choose_instance(std::optional<u32> number);

  /// The scene that is shown; never null.
  const Geometry& geometry() const;
  /// The number of frames of the sequence; 0 if there is none.
  u32 frame_count() const;
  u32 frame() const;
  /// The box of the scene at rest, in the frame that is shown.
  Aabb bounds() const;

  Playback& playback();

  // ---- Structures: side 0 is A, 1 is B -----------------------------------------------------------------------

  /// The options of the next build. Panels change them, then call build().
  StructureOptions& wanted(u32 side);
  /// The options of the current structure.
  const StructureOptions& built(u32 side) const;
  bool has_structure(u32 side) const;
  /// True if `wanted` differs from the structure that is there or is being built.
  bool differs(u32 side) const;

  /// Builds `wanted` in the background. Cancels a running build of the same side. B is built once comparison() shows
  /// it; while it is hidden, it is neither built nor moved.
  void build(u32 side = 0);
  /// Cancels the running load or build. The old scene and structures stay.
  void cancel();
  JobStatus job() const;

  /// Refits or rebuilds the structure to the current triangles, at once. Does nothing to a hidden B.
  void refit_now(u32 side = 0);
  void rebuild_now(u32 side = 0);

  UpdateMode& update_mode();
  const Statistics& statistics(u32 side) const;
  /// The current SAH cost divided by that of the last build; 1 if nothing has moved, none if there is no cost.
  std::optional<double> sah_drift(u32 side) const;
  const WorkTimes& work_times(u32 side) const;
  const Timings& timings(u32 side) const;
  std::string device_name(u32 side) const;
  Backend backend(u32 side) const;

  Comparison& comparison();

  // ---- Picture ----------------------------------------------------------------------------------------------

  ViewSettings& view();
  CameraRig& camera();
  /// Moves the camera to where it sees the whole scene.
  void frame_scene();
  /// Remembers the camera as a bookmark of the scene that is shown. camera().bookmarks has those of this scene alone.
  void add_bookmark();

  const Picture& picture(u32 side) const;
  /// The difference of the heat maps, if comparison() selects it and both pictures are whole; else 0 x 0.
  const Picture& difference() const;

  OverlaySettings& overlay();
  /// The lines over picture(side) that the overlay settings select.
  const Lines& lines(u32 side) const;
  /// Changes with them.
  u64 lines_revision(u32 side) const;
  /// The largest OverlaySettings::level that has boxes, for the slider.
  u32 deepest_level(u32 side) const;

  // ---- Picking ----------------------------------------------------------------------------------------------

  /// Picks at a point of the picture: (0, 0) is its upper left corner, (1, 1) its lower right one.
  void pick(float x, float y, u32 side = 0);
  void clear_pick();
  /// Changes with picked().
  u64 pick_revision() const;

  /// The nodes of a tree on the host; null for other kinds, and without a structure. Valid until the structure
  /// changes. The first call after a change waits for a copy; so does node_costs.
  const TreeNodes* tree(u32 side);
  /// The costs of these nodes, by their numbers.
  const std::vector<NodeCost>& node_costs(u32 side);

  const std::optional<Pick>& picked() const;
  u32 picked_side() const;

  // ---- Files ------------------------------------------------------------------------------------------------

  /// From now on pictures are made whole, and record() writes them as folder/frame-00000.png and so on. Creates
  /// the folder and overwrites files in it. A path with the ending of a video becomes one: see make_sink.
  /// Throws: Error bad_file.
  void start_recording(const std::filesystem::path& path);
  /// Throws: Error bad_file if a video could not be completed.
  void stop_recording();
  bool recording() const;
  /// The number of pictures written since the start.
  u32 recorded_frames() const;
  /// Writes the next picture, if recording. An error ends the recording.
  /// Throws: Error bad_file.
  void record(const Image& image);

  /// Returns the statistics, options and times of both sides as JSON.
  std::string statistics_json() const;
  /// Throws: Error bad_file.
  void save_statistics(const std::filesystem::path& file);

  /// Copies settings out of the session, and into it. use() takes the camera only if `with_camera`.
  Settings settings() const;
  void use(const Settings& settings, bool with_camera);

  Messages& messages();
  const Messages& messages() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace copse::viewer
