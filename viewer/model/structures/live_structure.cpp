#include "viewer/model/structures/live_structure.h"

#include "builders/bvh/rebuild_advisor.h"
#include "primitives/core/stopwatch.h"

namespace copse::viewer {

namespace {

/// Records the stages of its lifetime, and no others.
class Recording {
 public:
  explicit Recording(Profile& profile) : profile_(profile) {
    profile_.clear();
    profile_.record(true);
  }
  ~Recording() {
    profile_.record(false);
    profile_.clear();
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

 private:
  Profile& profile_;
};

}  // namespace

LiveStructure::LiveStructure(const StructureOptions& options, Geometry geometry, const Pose& pose, u32 workers,
                             std::stop_token cancel, double repeat_below_ms,
                             const std::function<void(const char*)>& begin_stage)
    : options_(options),
      context_(std::make_unique<Context>(
          ContextOptions{.backend = options.backend, .workers = workers, .cancel = std::move(cancel)})),
      scene_(*context_, std::move(geometry)),
      structure_(make_structure(*context_, options, *scene_.geometry())),
      film_(*context_) {
  const auto tell = [&](const char* stage) {
    if (begin_stage) begin_stage(stage);
  };
  tell("building");
  scene_.set_pose(pose);
  time_build();
  if (times_.build_ms < repeat_below_ms) time_build();
  tell("measuring");
  take_cost();
}

template <class Work>
double LiveStructure::timed(const Work& work) {
  const Recording recording(context_->profile());
  Stopwatch stopwatch(*context_);
  work();
  const double milliseconds = stopwatch.milliseconds();
  times_.stages = context_->profile().stages();
  return milliseconds;
}

void LiveStructure::time_build() {
  times_.build_ms = timed([&] { structure_->build(scene_.view()); });
  times_.is_refit = false;
}

/// A kind that cannot be refitted is built in place of it.
void LiveStructure::time_refit() {
  times_.refit_ms = timed([&] { structure_->refit(scene_.view()); });
  times_.is_refit = can_refit(options_);
}

/// Kinds without a cost are refitted, or rebuilt if they cannot be.
void LiveStructure::refit_or_rebuild() {
  time_refit();
  if (!can_refit(options_) || built_cost_ <= 0) return;
  cost_ = structure_->sah_cost();
  if (cost_ <= RebuildRule{}.max_growth * built_cost_) return;
  time_build();
  built_cost_ = cost_ = structure_->sah_cost();
}

void LiveStructure::take_cost() {
  statistics_ = structure_->measure(scene_.view());
  cost_ = built_cost_ = statistics_.sah_cost.value_or(0);
}

void LiveStructure::change() {
  ++revision_;
  host_copy_.reset();
  host_triangles_.reset();
}

bool LiveStructure::aim(const Camera& camera, bool measures) {
  const bool builds = structure_->aim(camera);
  if (builds) {
    ++aim_count_;
    host_copy_.reset();
    is_measured_ = false;
    time_build();
  }
  if (measures && !is_measured_) statistics_ = structure_->measure(scene_.view());
  is_measured_ |= measures;
  return builds;
}

void LiveStructure::move(const Pose& pose, UpdateMode update_mode, bool measures) {
  scene_.set_pose(pose);
  update(update_mode, measures);
}

void LiveStructure::move(Geometry geometry, UpdateMode update_mode, bool measures) {
  scene_.set_geometry(std::move(geometry));
  structure_->place(*scene_.geometry());
  update(update_mode, measures);
}

void LiveStructure::update(UpdateMode update_mode, bool measures) {
  change();
  switch (update_mode) {
    case UpdateMode::nothing: structure_->leave(scene_.view()); break;
    case UpdateMode::refit: time_refit(); break;
    case UpdateMode::rebuild: time_build(); break;
    case UpdateMode::automatic: refit_or_rebuild(); break;
  }
  if (!measures) return;
  const double cost = update_mode == UpdateMode::automatic ? cost_ : structure_->sah_cost();
  if (cost <= 0) return;
  cost_ = cost;
  statistics_.sah_cost = cost;
  if (update_mode == UpdateMode::rebuild) built_cost_ = cost;
}

void LiveStructure::build_now() {
  change();
  time_build();
  take_cost();
}

void LiveStructure::refit_now() {
  change();
  const double built_cost = built_cost_;
  time_refit();
  take_cost();
  built_cost_ = can_refit(options_) ? built_cost : cost_;
}

const HostCopy& LiveStructure::host_copy() {
  if (!host_copy_) host_copy_ = structure_->copy();
  return *host_copy_;
}

const HostTriangles& LiveStructure::host_triangles() {
  if (!host_triangles_) {
    host_triangles_ = std::make_unique<HostTriangles>(download_triangles(*context_, scene_.view()));
  }
  return *host_triangles_;
}

}  // namespace copse::viewer
