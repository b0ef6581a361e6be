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
#include "viewer/model/structures/statistics.h"
#include "viewer/model/structures/structure_options.h"

namespace copse::viewer {

/// A structure over the triangles of a scene, of any kind: what the viewer does with it. The context and the
/// triangles' memory must outlive it; `triangles` is always the same scene, in whichever pose.
class Structure {
 public:
  virtual ~Structure() = default;

  /// Builds it afresh, in the same memory once it was built before.
  /// Throws: as its builder.
  virtual void build(const TriangleView& triangles) = 0;

  /// Takes note of the camera of the pictures that follow, before the first of their rays. True where it has to be
  /// built anew for it.
  virtual bool aim(const Camera& camera) {
    (void)camera;
    return false;
  }

  /// Fits it to triangles that have moved; what cannot be fitted is built.
  virtual void refit(const TriangleView& triangles) { build(triangles); }

  /// Takes note that the triangles have moved and it has not, so that it can go on being traced.
  virtual void leave(const TriangleView& triangles) { (void)triangles; }

  /// The closest surface of every ray, of those it finds.
  virtual void see(const TriangleView& triangles, BufferSpan<const Ray> rays, BufferSpan<SurfaceHit> surfaces) = 0;

  /// occluded[i] is 1 where ray i meets anything, else 0.
  virtual void occlude(const TriangleView& triangles, BufferSpan<const Ray> rays, BufferSpan<u8> occluded) = 0;

  /// What the views heat and leaves show: visits of each ray; the leaf or cell of each surface, or its depth.
  virtual void count_visits(const TriangleView& triangles, BufferSpan<const Ray> rays, BufferSpan<u32> visits) = 0;
  virtual void label(BufferSpan<const Ray> rays, BufferSpan<const SurfaceHit> surfaces, LeafTint tint,
                     BufferSpan<u32> labels) = 0;

  /// Measures it as it is now. Waits.
  virtual Statistics measure(const TriangleView& triangles) = 0;
  /// The SAH cost as it is now; 0 where the kind has none. Waits.
  virtual double sah_cost() { return 0; }

  /// A copy on the host. Waits.
  virtual std::unique_ptr<HostCopy> copy() const = 0;
};

/// One whose rays hit triangles.
class TriangleStructure : public Structure {
 public:
  explicit TriangleStructure(Context& context) : context_(context) {}

  /// The closest hit of every ray, of those it finds.
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

/// An empty structure by these options; build() makes it.
///   bounds: of the scene at rest, by which sizes go that are given as shares of it
/// Throws: Error invalid_argument for options that no builder takes.
std::unique_ptr<Structure> make_structure(Context& context, const StructureOptions& options, const Aabb& bounds);

}  // namespace copse::viewer
