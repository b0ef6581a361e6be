#pragma once

#include "builders/bvh/bvh.h"
#include "builders/bvh/pack_triangles.h"
#include "builders/bvh/wide_bvh.h"
#include "primitives/core/buffer.h"
#include "viewer/model/structure.h"

namespace copse::viewer {

/// A tree by any builder, in any layout.
class TreeStructure : public Structure {
 public:
  TreeStructure(Context& context, const StructureOptions& options);

  void build(const TriangleView& triangles) override;
  void refit(const TriangleView& triangles) override;
  void leave(const TriangleView& triangles) override;
  void see(const TriangleView& triangles, BufferSpan<const Ray> rays, BufferSpan<SurfaceHit> surfaces) override;
  void occlude(const TriangleView& triangles, BufferSpan<const Ray> rays, BufferSpan<u8> occluded) override;
  void count_visits(const TriangleView& triangles, BufferSpan<const Ray> rays, BufferSpan<u32> visits) override;
  void label(BufferSpan<const Ray> rays, BufferSpan<const SurfaceHit> surfaces, LeafTint tint,
             BufferSpan<u32> labels) override;
  Statistics measure(const TriangleView& triangles) override;
  double sah_cost() override;
  std::unique_ptr<HostCopy> copy() const override;

 private:
  void build_binary(const TriangleView& triangles);
  void build_wide();
  void pack(const TriangleView& triangles);
  TreeView tree_view() const;
  bool is_wide() const { return wide_.index() != 0; }

  Context& context_;
  StructureOptions options_;
  Bvh bvh_;
  AnyWideBvh wide_;
  PackedTriangles packed_;
  Buffer<Hit> hits_;
  Buffer<u32> labels_;  // [primitive], of labels_tint_
  bool has_labels_ = false;
  LeafTint labels_tint_ = LeafTint::id;
};

}  // namespace copse::viewer
