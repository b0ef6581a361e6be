#pragma once

#include "builders/grid/uniform_grid.h"
#include "primitives/core/buffer.h"
#include "viewer/model/structure.h"

namespace copse::viewer {

/// A uniform grid.
class GridStructure : public Structure {
 public:
  GridStructure(Context& context, const StructureOptions& options);

  void build(const TriangleView& triangles) override;
  void see(const TriangleView& triangles, BufferSpan<const Ray> rays, BufferSpan<SurfaceHit> surfaces) override;
  void occlude(const TriangleView& triangles, BufferSpan<const Ray> rays, BufferSpan<u8> occluded) override;
  void count_visits(const TriangleView& triangles, BufferSpan<const Ray> rays, BufferSpan<u32> visits) override;
  void label(BufferSpan<const Ray> rays, BufferSpan<const SurfaceHit> surfaces, LeafTint tint,
             BufferSpan<u32> labels) override;
  Statistics measure(const TriangleView& triangles) override;
  std::unique_ptr<HostCopy> copy() const override;

 private:
  bool rebuild_in_place(const TriangleView& triangles);

  Context& context_;
  GridOptions options_;
  Grid grid_;
  Buffer<Hit> hits_;
};

/// A grid on the host. Waits.
std::unique_ptr<HostCopy> copy_grid(const Grid& grid);

}  // namespace copse::viewer
