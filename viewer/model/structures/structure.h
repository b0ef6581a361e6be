#pragma once

#include <memory>

#include "builders/geometry/triangle.h"
#include "primitives/core/buffer.h"
#include "primitives/core/context.h"
#include "trace/camera.h"
#include "trace/ray.h"
#include "viewer/model/inspect/host_copy.h"
#include "viewer/model/picture/surface.h"
#include "viewer/model/picture/view_settings.h"
#include "viewer/model/scene/geometry.h"
#include "viewer/model/structures/statistics.h"
#include "viewer/model/structures/structure_options.h"

namespace copse::viewer {

/// A structure of any kind over the triangles of a scene, as the viewer uses it. The context and the memory of the
/// triangles must outlive it. `triangles` is always the same scene, in any pose.
class Structure {
 public:
  virtual ~Structure() = default;

  /// Builds the structure; from the second build on, in the same memory.
  /// Throws: as its builder.
  virtual void build(const TriangleView& triangles) = 0;

  /// Takes another frame of the scene. build, refit or leave follows with its triangles.
  virtual void place(const SceneGeometry& scene) { (void)scene; }

  /// Sets the camera of the pictures that follow. Call it before their first ray. Returns true if the structure
  /// must be rebuilt for this camera.
  virtual bool aim(const Camera& camera) {
    (void)camera;
    return false;
  }

  /// Refits the structure to triangles that have moved. A kind that cannot be refitted is rebuilt.
  virtual void refit(const TriangleView& triangles) { build(triangles); }

  /// Leaves the structure as it is although the triangles have moved. It can still be traced.
  virtual void leave(const TriangleView& triangles) { (void)triangles; }

  /// Stores the closest surface that each ray finds.
  virtual void see(const TriangleView& triangles, BufferSpan<const Ray> rays, BufferSpan<SurfaceHit> surfaces) = 0;

  /// Stores in occluded[i] 1 if ray i hits anything, else 0.
  virtual void occlude(const TriangleView& triangles, BufferSpan<const Ray> rays, BufferSpan<u8> occluded) = 0;

  /// Store what the views heat and leaves show: the visits of each ray; the leaf or cell of each surface, or its
  /// depth.
  virtual void count_visits(const TriangleView& triangles, BufferSpan<const Ray> rays, BufferSpan<u32> visits) = 0;
  virtual void label(BufferSpan<const Ray> rays, BufferSpan<const SurfaceHit> surfaces, LeafTint tint,
                     BufferSpan<u32> labels) = 0;

  /// The unit of the labels of LeafTint::depth, for a scale; null if they are no depths.
  virtual const char* depth_unit() const { return nullptr; }

  /// Measures the structure as it is now. Waits.
  virtual Statistics measure(const TriangleView& triangles) = 0;
  /// The current SAH cost; 0 if the kind has none. Waits.
  virtual double sah_cost() { return 0; }

  /// Returns a copy on the host. Waits.
  virtual std::unique_ptr<HostCopy> copy() const = 0;
};

/// A structure whose rays hit triangles.
class TriangleStructure : public Structure {
 public:
  explicit TriangleStructure(Context& context) : context_(context) {}

  /// Stores the closest hit that each ray finds.
  virtual void hit(const TriangleView& triangles, BufferSpan<const Ray> rays, BufferSpan<Hit> hits) = 0;

  void see(const TriangleView& triangles, BufferSpan<const Ray> rays, BufferSpan<SurfaceHit> surfaces) final {
    if (hits_.size() < rays.size()) hits_ = Buffer<Hit>(context_, rays.size());
    const BufferSpan<Hit> hits = hits_.span().first(rays.size());
    hit(triangles, rays, hits);
    resolve_hits(context_, triangles, rays, hits, surfaces);
  }

 protected:
  Context& context_;

 private:
  Buffer<Hit> hits_;
};

/// Returns an empty structure with these options, for build().
///   scene: relative sizes scale with its box at rest; it names the file for StructureKind::file
/// Throws: Error invalid_argument for options that no builder takes, and for a scene without a structure file; for
/// voxels of a file, as load_voxels.
std::unique_ptr<Structure> make_structure(Context& context, const StructureOptions& options,
                                          const SceneGeometry& scene);

}  // namespace copse::viewer
