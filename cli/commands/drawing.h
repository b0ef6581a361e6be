#pragma once

#include <string>
#include <vector>

#include "accel/accel.h"
#include "builders/grid/frustum_grid.h"
#include "builders/grid/uniform_grid.h"
#include "cli/commands/scenes.h"
#include "cli/inputs.h"
#include "cli/options/camera_options.h"
#include "cli/options/scene.h"
#include "cli/session.h"
#include "scale/replicated_accel.h"
#include "trace/shade.h"

// What copse render draws, and what the rays go through.

namespace copse::cli {

enum class Through { bvh, grid, frustum };

struct RenderCommand {
  std::vector<std::string> inputs;  // meshes, or one file of another kind
  std::string output;
  Through through = Through::bvh;
  CameraOptions camera;
  RenderOptions render;
  SceneChoice scene;
  AccelOptions accel;
  u32 frames = 0;  // of a turn; 0: a single picture
  u32 gpus = 0;    // 0: a context alone
};

/// Meshes, or the faces of voxels, and the structure if the file has one.
struct Subject {
  InputMeshes meshes;
  Accel accel;
  Bvh bvh;

  bool has_structure() const { return !accel.tree().nodes.empty() || !bvh.nodes.empty(); }
};

/// Throws: as read_meshes, and as load_accel and their like for other files.
Subject load_subject(Session& session, Context& context, const RenderCommand& command);

/// Draws a subject from one camera after another. The time is that of rays and shading, of all pictures together.
class Drawing {
 public:
  /// Builds what the rays go through, unless the file has it.
  Drawing(Session& session, const ContextOrDevices& contexts, const RenderCommand& command, Subject& subject);

  /// Of several ranks, the first one gets the picture.
  Image draw(const Camera& camera);

  double milliseconds() const { return milliseconds_; }

 private:
  Image render_through(const Camera& camera);

  Context& context_;
  Devices* devices_;  // null for a context alone
  RankGroup* ranks_;  // null for a process alone
  const RenderCommand& command_;
  Subject& subject_;
  DeviceMesh mesh_;
  Grid grid_;
  FrustumGrid frustum_;
  ReplicatedAccel shared_;
  double milliseconds_ = 0;
};

}  // namespace copse::cli
