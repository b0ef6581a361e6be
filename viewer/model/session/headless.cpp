#include "viewer/model/session/headless.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "builders/bvh/rebuild_advisor.h"
#include "scale/split_work.h"
#include "viewer/model/picture/cameras.h"
#include "viewer/model/structures/live_structure.h"

namespace copse::viewer {

namespace {

constexpr u32 measured_frames = 20, turns = 1;

/// From so many rays on, a GPU of its own pays.
constexpr u64 min_rays_of_a_gpu = 1 << 18;

/// A scene on one device, with a structure and a film.
class FrameWorker {
 public:
  FrameWorker(Context& context, const Geometry& geometry, const FrameLoopOptions& options)
      : options_(options),
        context_(context),
        scene_(context, geometry),
        structure_(make_structure(context, options.structure, *geometry)),
        film_(context) {
    context.profile().record(false);
    structure_->build(scene_.view());
  }

  /// Moves the scene to its pose at `along`, 0 to 1, updates the structure, and begins the picture. Waits only if the structure does.
  void begin(const Shot& shot, float along) {
    {
      const ProfileScope scope(context_.profile(), "frame: move and build");
      if (options_.deformation != Deformation::none) scene_.set_pose({options_.deformation, 1.0f, along});
      update(structure_->aim(shot.camera));
    }
    film_.begin(shot, options_.width, options_.height);
  }

  void trace(u64 first, u64 count) {
    const ProfileScope scope(context_.profile(), "frame: trace");
    film_.trace(*structure_, scene_.view(), first, count);
    if (options_.view == View::ambient_occlusion) film_.add_ambient(*structure_, scene_.view(), 0, first, count);
  }

  void shade() {
    const ProfileScope scope(context_.profile(), "frame: shade");
    film_.shade(1);
  }

  Film& film() { return film_; }

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

  const FrameLoopOptions& options_;
  Context& context_;
  DeviceScene scene_;
  std::unique_ptr<Structure> structure_;
  double built_cost_ = 0;  // after the last build; 0 before it is asked for, and for kinds without a cost
  Film film_;
};

/// Renders one frame after another on all devices.
class FrameLoop {
 public:
  FrameLoop(const Geometry& geometry, const FrameLoopOptions& options)
      : options_(options),
        box_(geometry->bounds),
        devices_({.backend = options.structure.backend,
                  .count = options.devices,
                  .workers = options.workers,
                  .profile = true}),
        workers_(devices_.count()) {
    rig_.frame(box_);
    devices_.run([&](Context& context, u32 device) {
      workers_[device] = std::make_unique<FrameWorker>(context, geometry, options_);
    });
  }

  /// Puts one frame of the orbit on the streams. Waits only if the structure does.
  void run(u32 frame) {
    const float along = float(frame) / float(std::max(options_.frames, 1u));
    const Shot shot = shot_at(along);
    const auto begin = [&](Context&, u32 device) { workers_[device]->begin(shot, along); };
    // The devices wait for their costs at the same time.
    options_.update_mode == UpdateMode::automatic ? devices_.run(begin) : devices_.submit(begin);
    Film& film = first().film();
    const detail::SplitBatch rays{&film, film.ray_count(), min_rays_of_a_gpu};
    detail::split_work("run_frame_loop", devices_, rays, [&](Context& context, const detail::SplitPiece& piece) {
      FrameWorker& worker = *workers_[piece.device];
      worker.trace(piece.first, piece.count);
      if (piece.device > 0 && piece.count > 0)
        film.take(devices_, context, worker.film(), piece.first, piece.count);
    });
    first().shade();
  }

  Devices& devices() { return devices_; }
  FrameWorker& first() { return *workers_[0]; }

 private:
  Shot shot_at(float along) const {
    CameraRig rig = rig_;
    rig.orbit(along * float(turns) * 1.5f, 0);
    Shot shot{.camera = rig.camera(float(options_.width) / float(options_.height)), .view = {}, .box = box_};
    shot.view.view = options_.view;
    shot.view.heat_percentile = 100;  // a percentile would take the visits to the host
    return shot;
  }

  const FrameLoopOptions options_;
  const Aabb box_;
  Devices devices_;
  std::vector<std::unique_ptr<FrameWorker>> workers_;  // [device]
  CameraRig rig_;
};

/// The mean stages of some frames, summed by label, in the order of the first frame.
std::vector<Stage> mean_stages(FrameLoop& loop) {
  Profile& profile = loop.devices().first().profile();
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
  loop.devices().wait();

  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  for (u32 frame = 0; frame < options.frames; ++frame) loop.run(frame);
  loop.devices().wait();
  FrameLoopResult result;
  result.frames = options.frames;
  result.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  result.frames_per_second = result.seconds > 0 ? options.frames / result.seconds : 0;

  Picture picture;
  loop.first().film().download(picture);
  result.last = std::move(picture.image);
  result.stages = mean_stages(loop);
  const std::string name = loop.devices().first().device_name();
  result.device = loop.devices().count() == 1 ? name : std::to_string(loop.devices().count()) + " x " + name;
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
