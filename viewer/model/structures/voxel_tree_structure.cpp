#include "builders/grid/voxel_tree.h"
#include "viewer/model/inspect/cell_corners.h"
#include "viewer/model/inspect/host_copies.h"
#include "viewer/model/structures/leaf_labels.h"
#include "viewer/model/structures/structure_kinds.h"

namespace copse::viewer {

namespace {

/// An octree of voxels, or a DAG.
class VoxelTreeStructure : public Structure {
 public:
  VoxelTreeStructure(Context& context, const StructureOptions& options) : context_(context), options_(options) {}
  VoxelTreeStructure(Context& context, VoxelTree tree)
      : context_(context), tree_(std::move(tree)), is_given_(true) {}

  /// The box of the grid follows the triangles, so every build is a new one.
  void build(const TriangleView& triangles) override {
    if (is_given_) return;
    const Bricks bricks = build_bricks(context_, triangles, {.resolution = options_.brick_resolution});
    tree_ = build_octree(context_, bricks);
    if (options_.kind == StructureKind::dag) tree_ = build_dag(context_, tree_);
  }

  void see(const TriangleView&, BufferSpan<const Ray> rays, BufferSpan<SurfaceHit> surfaces) override {
    see_voxels(context_, tree_.view(), rays, surfaces);
  }

  void occlude(const TriangleView&, BufferSpan<const Ray> rays, BufferSpan<u8> occluded) override {
    meet_voxels(context_, tree_.view(), rays, occluded);
  }

  void count_visits(const TriangleView&, BufferSpan<const Ray> rays, BufferSpan<u32> visits) override {
    viewer::count_visits(context_, tree_.view(), rays, visits);
  }

  void label(BufferSpan<const Ray>, BufferSpan<const SurfaceHit> surfaces, LeafTint,
             BufferSpan<u32> labels) override {
    label_ids(context_, surfaces, labels);
  }

  Statistics measure(const TriangleView& triangles) override {
    Statistics statistics;
    const GridShape& shape = tree_.shape;
    statistics.primitive_count = triangles.triangle_count();
    statistics.bounds = {cell_box(shape, uvec3(0)).lo, cell_box(shape, shape.resolution - 1u).hi};
    statistics.size_bytes = tree_.size_bytes();
    statistics.node_count = tree_.nodes.size();
    statistics.leaf_count = tree_.leaves.size();
    statistics.depth = tree_.level_count;
    statistics.resolution = shape.resolution;
    statistics.cell_count = u64{shape.resolution.x} * shape.resolution.y * shape.resolution.z;
    statistics.occupied_count = count_voxels(context_, tree_);
    return statistics;
  }

  std::unique_ptr<HostCopy> copy() const override { return copy_voxel_tree(download(tree_)); }

 private:
  Context& context_;
  StructureOptions options_;
  VoxelTree tree_;
  bool is_given_ = false;  // true: it is not made of triangles
};

}  // namespace

std::unique_ptr<Structure> make_voxel_tree(Context& context, const StructureOptions& options) {
  return std::make_unique<VoxelTreeStructure>(context, options);
}

std::unique_ptr<Structure> show_voxels(Context& context, VoxelTree tree) {
  return std::make_unique<VoxelTreeStructure>(context, std::move(tree));
}

}  // namespace copse::viewer
