#include "builders/grid/bricks.h"
#include "builders/grid/voxels.h"
#include "viewer/model/inspect/cell_corners.h"
#include "viewer/model/inspect/host_copies.h"
#include "viewer/model/structures/leaf_labels.h"
#include "viewer/model/structures/structure_kinds.h"

namespace copse::viewer {

namespace {

Voxels build_fresh(Context& context, const StructureOptions& options, const TriangleView& triangles,
                   const Voxels&) {
  return build_voxels(context, triangles, options.voxel_resolution, options.rule);
}
Bricks build_fresh(Context& context, const StructureOptions& options, const TriangleView& triangles,
                   const Bricks&) {
  return build_bricks(context, triangles, {.resolution = options.brick_resolution});
}

u64 bytes_of(const Voxels& voxels) {
  return voxels.words.size_bytes() + voxels.counts.size_bytes();
}
u64 bytes_of(const Bricks& bricks) {
  return bricks.size_bytes();
}

GridShape places_of(const Voxels& voxels) {
  return voxels.shape;
}
GridShape places_of(const Bricks& bricks) {
  return bricks.brick_shape();
}

/// The common part of dense and sparse voxels. `Owner`: Voxels or Bricks.
template <class Owner>
class VoxelStructure : public Structure {
 public:
  VoxelStructure(Context& context, const StructureOptions& options) : context_(context), options_(options) {}
  VoxelStructure(Context& context, Owner voxels)
      : context_(context), voxels_(std::move(voxels)), is_given_(true) {}

  /// The box of the grid follows the triangles, so every build is a new one.
  void build(const TriangleView& triangles) override {
    if (is_given_) return;
    voxels_ = build_fresh(context_, options_, triangles, voxels_);
  }

  void see(const TriangleView&, BufferSpan<const Ray> rays, BufferSpan<SurfaceHit> surfaces) override {
    see_voxels(context_, voxels_.view(), rays, surfaces);
  }

  void occlude(const TriangleView&, BufferSpan<const Ray> rays, BufferSpan<u8> occluded) override {
    meet_voxels(context_, voxels_.view(), rays, occluded);
  }

  void count_visits(const TriangleView&, BufferSpan<const Ray> rays, BufferSpan<u32> visits) override {
    viewer::count_visits(context_, voxels_.view(), rays, visits);
  }

  void label(BufferSpan<const Ray>, BufferSpan<const SurfaceHit> surfaces, LeafTint,
             BufferSpan<u32> labels) override {
    label_ids(context_, surfaces, labels);
  }

  Statistics measure(const TriangleView& triangles) override {
    Statistics statistics;
    const GridShape& shape = voxels_.shape;
    statistics.primitive_count = triangles.triangle_count();
    statistics.bounds = {cell_box(shape, uvec3(0)).lo, cell_box(shape, shape.resolution - 1u).hi};
    statistics.size_bytes = bytes_of(voxels_);
    statistics.resolution = shape.resolution;
    statistics.cell_count = u64{shape.resolution.x} * shape.resolution.y * shape.resolution.z;
    statistics.occupied_count = count_voxels(context_, voxels_);
    return statistics;
  }

  std::unique_ptr<HostCopy> copy() const override { return copy_voxels(download(voxels_), places_of(voxels_)); }

 private:
  Context& context_;
  StructureOptions options_;
  Owner voxels_;
  bool is_given_ = false;  // true: they are not made of triangles
};

}  // namespace

std::unique_ptr<Structure> make_voxels(Context& context, const StructureOptions& options) {
  return std::make_unique<VoxelStructure<Voxels>>(context, options);
}

std::unique_ptr<Structure> make_bricks(Context& context, const StructureOptions& options) {
  return std::make_unique<VoxelStructure<Bricks>>(context, options);
}

std::unique_ptr<Structure> show_voxels(Context& context, Voxels voxels) {
  return std::make_unique<VoxelStructure<Voxels>>(context, std::move(voxels));
}
std::unique_ptr<Structure> show_voxels(Context& context, Bricks bricks) {
  return std::make_unique<VoxelStructure<Bricks>>(context, std::move(bricks));
}

}  // namespace copse::viewer
