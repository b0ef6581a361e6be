#pragma once

#include "builders/grid/bricks.h"
#include "builders/grid/voxels.h"
#include "builders/io/voxel_file.h"
#include "viewer/model/structure.h"

namespace copse::viewer {

/// What dense and sparse voxels have in common. `Owner`: Voxels or Bricks.
template <class Owner>
class VoxelStructure : public Structure {
 public:
  VoxelStructure(Context& context, const StructureOptions& options) : context_(context), options_(options) {}

  void build(const TriangleView& triangles) override;
  void see(const TriangleView& triangles, BufferSpan<const Ray> rays, BufferSpan<SurfaceHit> surfaces) override;
  void occlude(const TriangleView& triangles, BufferSpan<const Ray> rays, BufferSpan<u8> occluded) override;
  void count_visits(const TriangleView& triangles, BufferSpan<const Ray> rays, BufferSpan<u32> visits) override;
  void label(BufferSpan<const Ray> rays, BufferSpan<const SurfaceHit> surfaces, LeafTint tint,
             BufferSpan<u32> labels) override;
  Statistics measure(const TriangleView& triangles) override;
  std::unique_ptr<HostCopy> copy() const override;

 private:
  Context& context_;
  StructureOptions options_;
  Owner voxels_;
};

extern template class VoxelStructure<Voxels>;
extern template class VoxelStructure<Bricks>;

/// Voxels on the host, for picking and boxes.
std::unique_ptr<HostCopy> copy_voxels(HostVoxels voxels, const GridShape& places);

}  // namespace copse::viewer
