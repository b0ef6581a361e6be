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
  View view = View::shaded;  // ambient_occlusion: one sample per frame
  u32 width = 1920, height = 1080;
  u32 frames = 200;
  u32 workers = 0;  // CPU threads of each device, 0 for all
  u32 devices = 1;  // GPUs, or contexts of the CPU
};

struct FrameLoopResult {
  u32 frames = 0;
  double seconds = 0;  // all frames, from the first launch to the last pixel
  double frames_per_second = 0;
  // Milliseconds per frame of the first device: means of 20 separately measured frames.
  std::vector<Stage> stages;
  std::string device;
  Image last;
};

/// Builds or refits, traces and shades `frames` frames on the device, one after another. Only the last picture is
/// downloaded, so this is the full speed of the structures. The camera orbits the scene once. Of several devices, each moves
/// the scene and builds the structure itself, and traces a share of the rays. The first one colours the picture, whose bytes are
/// those of one device.
/// Throws: as Devices, builders and tracing do.
FrameLoopResult run_frame_loop(const Geometry& geometry, const FrameLoopOptions& options);

/// Returns a line of text per stage, indented by its depth.
std::string in_words(std::span<const Stage> stages);

/// Returns the result as lines of text: the frames per second, and a line per stage.
std::string in_words(const FrameLoopResult& result);

}  // namespace copse::viewer
