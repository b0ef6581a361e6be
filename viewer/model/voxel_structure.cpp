#include "viewer/model/voxel_structure.h"

#include "viewer/model/cell_boxes.h"
#include "viewer/model/leaf_labels.h"

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

}  // namespace

/// The grid's box follows the triangles, so that every build is a fresh one.
template <class Owner>
void VoxelStructure<Owner>::build(const TriangleView& triangles) {
  voxels_ = build_fresh(context_, options_, triangles, voxels_);
}

template <class Owner>
void VoxelStructure<Owner>::see(const TriangleView&, BufferSpan<const Ray> rays, BufferSpan<SurfaceHit> surfaces) {
  see_voxels(context_, voxels_.view(), rays, surfaces);
}

template <class Owner>
void VoxelStructure<Owner>::occlude(const TriangleView&, BufferSpan<const Ray> rays, BufferSpan<u8> occluded) {
  meet_voxels(context_, voxels_.view(), rays, occluded);
}

template <class Owner>
void VoxelStructure<Owner>::count_visits(const TriangleView&, BufferSpan<const Ray> rays, BufferSpan<u32> visits) {
  viewer::count_visits(context_, voxels_.view(), rays, visits);
}

template <class Owner>
void VoxelStructure<Owner>::label(BufferSpan<const Ray>, BufferSpan<const SurfaceHit> surfaces, LeafTint,
                                  BufferSpan<u32> labels) {
  label_ids(context_, surfaces, labels);
}

template <class Owner>
Statistics VoxelStructure<Owner>::measure(const TriangleView& triangles) {
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

template <class Owner>
std::unique_ptr<HostCopy> VoxelStructure<Owner>::copy() const {
  return copy_voxels(download(voxels_), places_of(voxels_));
}

template class VoxelStructure<Voxels>;
template class VoxelStructure<Bricks>;

}  // namespace copse::viewer
