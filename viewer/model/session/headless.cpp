#include "viewer/model/session/headless.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "builders/bvh/rebuild_advisor.h"
#include "viewer/model/picture/cameras.h"
#include "viewer/model/structures/live_structure.h"

namespace copse::viewer {

namespace {

constexpr u32 measured_frames = 20, turns = 1;

/// Renders one frame after another over one structure.
class FrameLoop {
 public:
  FrameLoop(const Geometry& geometry, const FrameLoopOptions& options)
      : options_(options),
        context_({.backend = options.structure.backend, .workers = options.workers, .profile = true}),
        scene_(context_, geometry),
        structure_(make_structure(context_, options.structure, *geometry)),
        film_(context_) {
    context_.profile().record(false);
    rig_.frame(geometry->bounds);
    structure_->build(scene_.view());
  }

  /// Puts one frame of the orbit on the stream. Waits only if the structure does.
  void run(u32 frame) {
    const float along = float(frame) / float(std::max(options_.frames, 1u));
    CameraRig rig = rig_;
    rig.orbit(along * float(turns) * 1.5f, 0);
    Shot shot{.camera = rig.camera(float(options_.width) / float(options_.height)),
              .view = {},
              .box = scene_.geometry()->bounds};
    shot.view.view = options_.view;
    shot.view.heat_percentile = 100;  // a percentile would take the visits to the host
    {
      const ProfileScope scope(context_.profile(), "frame: move and build");
      if (options_.deformation != Deformation::none) scene_.set_pose({options_.deformation, 1.0f, along});
      update(structure_->aim(shot.camera));
    }
    film_.begin(shot, options_.width, options_.height);
    {
      const ProfileScope scope(context_.profile(), "frame: trace");
      film_.trace(*structure_, scene_.view(), 0, film_.ray_count());
      if (options_.view == View::ambient_occlusion) {
        film_.add_ambient(*structure_, scene_.view(), 0, 0, film_.ray_count());
      }
    }
    const ProfileScope scope(context_.profile(), "frame: shade");
    film_.shade(1);
  }

  Context& context() { return context_; }
  const Film& film() const { return film_; }

 private:
  void update(bool is_for_another_camera) {
    const TriangleView triangles = scene_.view();
    if (is_for_another_camera) return structure_->build(triangles);
    switch (options_.update_mode) {
      case UpdateMode::nothing: structure_->leave(triangles); break;
      case UpdateMode::refit: structure_->refit(triangles); break;
      case UpdateMode::rebuild: structure_->build(triangles); break;
      case UpdateMode::automatic: refit_or_rebuild(triangles); break;
    }
  }

  /// It waits for the cost. Before the first refit, that is the cost when built.
  void refit_or_rebuild(const TriangleView& triangles) {
    if (built_cost_ == 0) built_cost_ = structure_->sah_cost();
    structure_->refit(triangles);
    if (structure_->sah_cost() <= RebuildRule{}.max_growth * built_cost_) return;
    structure_->build(triangles);
    built_cost_ = structure_->sah_cost();
  }

  FrameLoopOptions options_;
  Context context_;
  DeviceScene scene_;
  std::unique_ptr<Structure> structure_;
  double built_cost_ = 0;  // after the last build; 0 before it is asked for, and for kinds without a cost
  Film film_;
  CameraRig rig_;
};

/// The mean stages of some frames, summed by label, in the order of the first frame.
std::vector<Stage> mean_stages(FrameLoop& loop) {
  Profile& profile = loop.context().profile();
  profile.clear();
  profile.record(true);
  for (u32 frame = 0; frame < measured_frames; ++frame) loop.run(frame);
  std::vector<Stage> sums;
  for (const Stage& stage : profile.stages()) {
    auto at = sums.begin();
    while (at != sums.end() && (at->label != stage.label || at->depth != stage.depth)) ++at;
    if (at == sums.end()) at = sums.insert(at, {stage.label, 0, stage.depth});
    at->milliseconds += stage.milliseconds / measured_frames;
  }
  profile.record(false);
  profile.clear();
  return sums;
}

}  // namespace

FrameLoopResult run_frame_loop(const Geometry& geometry, const FrameLoopOptions& options) {
  FrameLoop loop(geometry, options);
  loop.run(0);
  loop.context().wait();

  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  for (u32 frame = 0; frame < options.frames; ++frame) loop.run(frame);
  loop.context().wait();
  FrameLoopResult result;
  result.frames = options.frames;
  result.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  result.frames_per_second = result.seconds > 0 ? options.frames / result.seconds : 0;

  Picture picture;
  loop.film().download(picture);
  result.last = std::move(picture.image);
  result.stages = mean_stages(loop);
  result.device = loop.context().device_name();
  return result;
}

std::string in_words(std::span<const Stage> stages) {
  char line[160];
  std::string text;
  for (const Stage& stage : stages) {
    std::snprintf(line, sizeof line, "  %*s%-*s %8.3f ms\n", int(stage.depth) * 2, "", 44 - int(stage.depth) * 2,
                  stage.label.c_str(), stage.milliseconds);
    text += line;
  }
  return text;
}

std::string in_words(const FrameLoopResult& result) {
  char line[160];
  std::snprintf(line, sizeof line, "%u frames in %.3f s: %.1f frames per second on %s\n", result.frames,
                result.seconds, result.frames_per_second, result.device.c_str());
  return line + in_words(result.stages);
}

}  // namespace copse::viewer
