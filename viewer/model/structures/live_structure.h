#pragma once

#include <functional>
#include <memory>
#include <stop_token>

#include "viewer/model/picture/film.h"
#include "viewer/model/scene/device_scene.h"
#include "viewer/model/structures/statistics.h"
#include "viewer/model/structures/structure.h"

namespace copse::viewer {

/// A structure over a scene with all that it needs: a context of its own, the scene's triangles in that context,
/// and the film for its pictures. One thread uses it at a time. It may move between threads.
class LiveStructure {
 public:
  /// Builds a structure over the scene in a pose, and measures it. The first build allocates. If it took less than
  /// `repeat_below_ms`, a second build in the same memory gives the time of the builder alone. Once `cancel` is
  /// set, the next stage throws. Waits.
  ///   begin_stage: is called with the stage that begins: "building", "measuring"
  /// Throws: as Context, builders and measures do; Error cancelled.
  LiveStructure(const StructureOptions& options, Geometry geometry, const Pose& pose, u32 workers,
                std::stop_token cancel, double repeat_below_ms = 250,
                const std::function<void(const char*)>& begin_stage = {});

  LiveStructure(const LiveStructure&) = delete;
  LiveStructure& operator=(const LiveStructure&) = delete;

  /// Moves the triangles and updates the structure. Measures its SAH cost if `measures`. Waits.
  void move(const Pose& pose, UpdateMode update_mode, bool measures);
  /// Does the same for another frame of the same topology.
  void move(Geometry geometry, UpdateMode update_mode, bool measures);

  /// Call this before the rays of a picture. A structure that is made for a camera is rebuilt for this one.
  /// Returns true if it was, and waits then.
  ///   measures: also updates the statistics
  bool aim(const Camera& camera, bool measures);

  /// Rebuilds or refits the structure to the current triangles. Waits.
  void build_now();
  void refit_now();

  const StructureOptions& options() const { return options_; }
  const Statistics& statistics() const { return statistics_; }
  const WorkTimes& times() const { return times_; }
  /// SAH cost divided by that of the last build; 0 if the kind has no cost.
  double drift() const { return built_cost_ > 0 ? cost_ / built_cost_ : 0; }

  Context& context() { return *context_; }
  Backend backend() const { return context_->backend(); }
  std::string device_name() const { return context_->device_name(); }
  const DeviceScene& scene() const { return scene_; }
  Structure& structure() { return *structure_; }
  Film& film() { return film_; }

  /// Grows whenever triangles or structure change.
  u64 revision() const { return revision_; }
  /// Grows with revision(), and also when the structure was rebuilt for another camera, which changes no picture.
  u64 form_revision() const { return revision_ + aim_count_; }

  /// Returns structure and triangles on the host, cached until the next change. Waits.
  const HostCopy& host_copy();
  const HostTriangles& host_triangles();

 private:
  void update(UpdateMode update_mode, bool measures);
  void change();
  template <class Work>
  double timed(const Work& work);
  void time_build();
  void time_refit();
  void refit_or_rebuild();
  void take_cost();

  StructureOptions options_;
  std::unique_ptr<Context> context_;
  DeviceScene scene_;
  std::unique_ptr<Structure> structure_;
  Film film_;
  Statistics statistics_;
  WorkTimes times_;
  double built_cost_ = 0, cost_ = 0;
  u64 revision_ = 1, aim_count_ = 0;
  bool is_measured_ = true;
  std::unique_ptr<HostCopy> host_copy_;
  std::unique_ptr<HostTriangles> host_triangles_;
};

}  // namespace copse::viewer
