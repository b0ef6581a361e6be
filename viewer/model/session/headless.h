#pragma once

#include <span>
#include <string>
#include <vector>

#include "builders/geometry/image.h"
#include "primitives/core/profile.h"
#include "viewer/model/picture/view_settings.h"
#include "viewer/model/scene/geometry.h"
#include "viewer/model/scene/playback.h"
#include "viewer/model/structures/structure_options.h"

namespace copse::viewer {

struct FrameLoopOptions {
  StructureOptions structure;
  UpdateMode update_mode = UpdateMode::rebuild;
  Deformation deformation = Deformation::none;
  View view = View::shaded;  // ambient_occlusion: one sample a frame
  u32 width = 1920, height = 1080;
  u32 frames = 200;
  u32 workers = 0;  // CPU threads, 0 for all
};

struct FrameLoopResult {
  u32 frames = 0;
  double seconds = 0;  // all frames, from the first launch to the last pixel
  double frames_per_second = 0;
  std::vector<Stage> stages;  // milliseconds a frame, means of 20 frames that are measured apart
  std::string device;
  Image last;
};

/// Builds or refits, traces and shades `frames` frames on the device one after another, without a download but the
/// last picture's: what the structures can do when nothing else is in the way. The camera goes once around.
/// Throws: as builders and tracing do.
FrameLoopResult run_frame_loop(const Geometry& geometry, const FrameLoopOptions& options);

/// A line of text a stage, set in by its depth.
std::string in_words(std::span<const Stage> stages);

/// The result in lines of text: frames a second and a line a stage.
std::string in_words(const FrameLoopResult& result);

}  // namespace copse::viewer
