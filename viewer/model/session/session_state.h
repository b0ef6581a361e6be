#pragma once

// The state of Session. Its functions are in three files: session_jobs.cpp reads and builds, session_motion.cpp
// moves the scene, session_pictures.cpp makes pictures and lines. The public functions are in session.cpp and, for
// pictures, picking and files, in session_views.cpp.

#include <algorithm>
#include <set>

#include "viewer/model/picture/picture_sink.h"
#include "viewer/model/picture/renderer.h"
#include "viewer/model/scene/pile.h"
#include "viewer/model/scene/sequence.h"
#include "viewer/model/session/build_job.h"
#include "viewer/model/session/deferred_delete.h"
#include "viewer/model/session/frame_budget.h"
#include "viewer/model/session/session.h"

namespace copse::viewer {

/// Any number other than 0 stands for B.
inline u32 side_of(u32 side) {
  return std::min(side, 1u);
}

/// One of the two structures, with its picture and lines.
struct Side {
  StructureOptions wanted, built;
  bool build_pending = false;
  std::unique_ptr<LiveStructure> live;
  Renderer renderer;
  Timings timings;

  /// What the lines depend on.
  struct LinesKey {
    OverlaySettings settings;
    u64 revision = 0;                                      // of the structure
    u64 pick = 0;                                          // see State::pick_revision
    std::shared_ptr<const PlacedMeshes> placed = nullptr;  // if an instance is chosen
    std::optional<u32> chosen = std::nullopt;
    bool operator==(const LinesKey&) const = default;
  };
  LinesKey lines_key;
  Lines lines;
  u64 lines_revision = 1;
  std::string lines_note;

  std::vector<NodeCost> node_costs;
  u64 costs_revision = 0;  // of the structure
};

struct Session::State {
  explicit State(const SessionOptions& session_options);

  // ---- session_jobs.cpp
  struct Opening;
  void open(const std::vector<std::filesystem::path>& paths, bool add, bool as_in_file);
  void open_sequence(const std::filesystem::path& path);
  void replace_scene(Opening opening);
  void start_next_job();
  void poll_job();
  void take_scene(const BuildResult& result, const Opening& opened);
  std::string name_of(const Opening& opened) const;
  void choose_bookmarks(std::vector<Bookmark> all);
  std::vector<Bookmark> all_bookmarks() const;
  void take_structures(BuildResult& result, bool is_other_scene);
  void finish_jobs();
  void cancel();
  void cancel_job();
  void hide_b();
  bool has_work() const;
  bool builds(u32 side) const { return side == 0 || comparison != Comparison::off; }
  bool job_is_load() const { return job && job_opens; }

  // ---- session_motion.cpp
  Pose pose() const;
  void advance_time(double seconds);
  void move_sides(bool whole);
  void show_step();
  void show_frame(const SequenceFrame& read);

  // ---- session_pictures.cpp
  float aspect() const { return width > 0 && height > 0 ? float(width) / float(height) : 1; }
  PictureRequest request(bool whole, double budget_ms) const;
  double picture_budget_ms(double seconds);
  void make_pictures(bool whole, double budget_ms);
  void make_difference();
  void make_lines(u32 side);
  Side::LinesKey lines_key_of(u32 side) const;
  bool lines_are_stale(u32 side) const;
  void pick(float x, float y, u32 side);
  void pick_again();

  SessionOptions options;
  Messages messages;
  FrameBudget budget;
  bool user_is_active = true;
  CameraPose last_pose;      // of the last update
  double still_seconds = 0;  // since the camera moved

  // The scene.
  Geometry geometry;
  Playback playback;
  std::unique_ptr<SequenceReader> sequence;
  std::shared_ptr<Pile> pile;                          // that is shown; null for none
  std::shared_ptr<const PlacedMeshes> placed_at_rest;  // of the scene as it was opened; null for none
  PlacedByHand by_hand;                                // what the user has moved since
  std::optional<u32> chosen;                           // an instance
  Geometry companions;                    // meshes that were added to those of the sequence; null for none
  u32 frame = 0;                          // shown
  std::optional<u32> requested_frame;     // requested and not read yet
  std::set<u32> lost_frames;              // a message was shown for these
  std::string scene_name;                 // the path of the first mesh; of another scene that of its first part
  std::vector<Bookmark> other_bookmarks;  // of scenes that are not shown

  // Jobs: one at a time, and the cancelled ones that have not ended.
  struct Opening {
    std::vector<std::filesystem::path> files = {};
    bool add = false;
    bool as_in_file = true;
    Geometry geometry = nullptr;                       // if there are no files
    std::vector<std::filesystem::path> sequence = {};  // to be played from the file on; empty: a still scene
    u32 frame = 0;                                     // number of the file in it
    std::shared_ptr<Pile> pile = nullptr;              // of which `geometry` is the first step
  };
  std::vector<Opening> openings;
  std::unique_ptr<BuildJob> job;
  std::optional<Opening> job_opens;  // none: it builds over the current scene
  std::vector<std::unique_ptr<BuildJob>> cancelled_jobs;
  DeferredDelete deferred_delete;  // of structures and scenes that are not shown any more
  bool frames_next_scene = true;

  // Structures.
  Side sides[2];
  UpdateMode update_mode = UpdateMode::refit;
  Comparison comparison = Comparison::off;
  bool asked_for_b = false;  // since both are shown: a failed build is tried once only
  double seconds_to_measure = 0;

  // Pictures.
  u32 width = 0, height = 0;
  bool pictures_on_device = false;
  ViewSettings view;
  CameraRig camera;
  OverlaySettings overlay;
  Picture difference;
  u64 difference_of[2] = {0, 0};  // revisions of the pictures

  std::optional<Pick> picked;
  u32 picked_side = 0;
  u64 pick_revision = 0;     // changes with `picked`
  u64 picked_structure = 0;  // the revision of its structure

  std::unique_ptr<PictureSink> recording;
  Settings kept;  // settings that no other member holds: window, folder, recent files
};

/// The maximum of cancelled jobs that have not ended, for example while they read a large file. With more, a new
/// job waits for them.
inline constexpr u64 max_cancelled_jobs = 2;

/// A structure whose build takes longer than this, in milliseconds, is rebuilt in the background.
inline constexpr double slow_build_ms = 15;

}  // namespace copse::viewer
