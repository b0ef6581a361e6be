#include "builders/grid/voxels.h"

#include <string>

#include "builders/geometry/scene_bounds.h"
#include "builders/grid/voxels/voxel_shape.h"
#include "builders/grid/voxels/voxels_body.h"
#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::invalid_argument, "voxels: " + what);
}

}  // namespace

Voxels make_voxels(Context& context, const Aabb& box, u32 resolution) {
  if (resolution < 1 || resolution > max_voxel_resolution) {
    refuse("the resolution is " + std::to_string(resolution) + "; it can be 1 to " +
           std::to_string(max_voxel_resolution));
  }
  if (!is_empty(box) && !is_valid(box)) refuse("the box has corners that are infinite");
  Voxels voxels;
  voxels.shape = detail::cubes_over(box, resolution);
  voxels.words = Buffer<u32>(context, voxels.word_count());
  voxels.counts = Buffer<u64>(context, std::vector<u64>(1));
  dispatch(context, [&](const auto& ex) { detail::clear_voxels(ex, detail::bits_of(voxels)); });
  return voxels;
}

void voxelize(Context& context, Voxels& voxels, const TriangleViews& triangles, VoxelRule rule) {
  const u64 n = triangles.primitive_count();
  detail::check_primitive_count(n);
  if (voxels.words.empty() || voxels.words.size() != voxels.word_count()) {
    refuse(std::to_string(voxels.words.size()) + " words for a grid of " + std::to_string(voxels.word_count()));
  }
  context.reserve_scratch(dispatch(
      context, [&](const auto& ex) { return detail::voxel_scratch_bytes(ex, n, triangles.views().size()); }));
  ProfileScope scope(context.profile(), "voxels");
  dispatch(context, [&](const auto& ex) {
    detail::set_voxels(ex, triangles.views(), n, rule, detail::bits_of(voxels), voxels.counts.data());
  });
}

Voxels build_voxels(Context& context, const TriangleViews& triangles, u32 resolution, VoxelRule rule) {
  Buffer<Aabb> box(context, 1);
  scene_bounds(context, triangles, box.span());
  Voxels voxels = make_voxels(context, box.download()[0], resolution);
  voxelize(context, voxels, triangles, rule);
  return voxels;
}

u64 count_voxels(Context& context, const Voxels& voxels) {
  Buffer<u64> count(context, 1);
  dispatch(context, [&](const auto& ex) {
    detail::count_bits(ex, voxels.words.data(), voxels.words.size(), count.data());
  });
  return count.download()[0];
}

}  // namespace copse
