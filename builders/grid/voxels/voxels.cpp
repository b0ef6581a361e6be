#include "builders/grid/voxels.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "builders/geometry/scene_bounds.h"
#include "builders/geometry/triangle_check.h"
#include "builders/grid/voxels/voxel_triangles.h"
#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: voxels.inl, for either executor.
template <class Executor>
void set_voxels(const Executor& ex, std::span<const TriangleView> views, u64 n, VoxelRule rule,
                const VoxelBits& voxels, u64* left_out_count);
template <class Executor>
void clear_voxels(const Executor& ex, const VoxelBits& voxels);
template <class Executor>
void count_bits(const Executor& ex, const u32* words, u64 word_count, u64* out);
template <class Executor>
u64 voxel_scratch_bytes(const Executor& ex, u64 n, u64 view_count);

GridShape cubes_over(const Aabb& box, u32 resolution) {
  if (is_empty(box)) return {dvec3(0), dvec3(1), uvec3(1)};
  const dvec3 lo(box.lo), size = dvec3(box.hi) - lo;
  const double longest = std::max({size.x, size.y, size.z});
  if (!(longest > 0)) return {lo, dvec3(1), uvec3(1)};
  const double cells_per_unit = resolution / longest;
  const auto cells = [&](double edge) {
    return std::clamp(u32(std::ceil(edge * cells_per_unit)), 1u, resolution);
  };
  return {lo, dvec3(cells_per_unit), uvec3(cells(size.x), cells(size.y), cells(size.z))};
}

}  // namespace detail

namespace {

detail::VoxelBits bits_of(Voxels& voxels) {
  return {voxels.shape, voxels.words.data(), voxels.row_words(), voxels.word_count()};
}

}  // namespace

Voxels make_voxels(Context& context, const Aabb& box, u32 resolution) {
  if (resolution < 1 || resolution > max_voxel_resolution) {
    detail::refuse("make_voxels", "the resolution is " + std::to_string(resolution) + "; it can be 1 to " +
                                      std::to_string(max_voxel_resolution));
  }
  if (!is_empty(box) && !is_valid(box)) detail::refuse("make_voxels", "a corner of the box is infinite");
  Voxels voxels;
  voxels.shape = detail::cubes_over(box, resolution);
  voxels.words = Buffer<u32>(context, voxels.word_count());
  voxels.counts = Buffer<u64>(context, std::vector<u64>(1));
  dispatch(context, [&](const auto& ex) { detail::clear_voxels(ex, bits_of(voxels)); });
  return voxels;
}

void voxelize(Context& context, Voxels& voxels, const TriangleViews& triangles, VoxelRule rule) {
  detail::validate_triangles(context, "voxelize", triangles);
  const u64 n = triangles.primitive_count();
  detail::check_primitive_count(n);
  if (voxels.words.empty() || voxels.words.size() != voxels.word_count()) {
    detail::refuse("voxelize", "the voxels have " + detail::counted(voxels.words.size(), "words") +
                                   "; their grid needs " + std::to_string(voxels.word_count()));
  }
  context.reserve_scratch(dispatch(
      context, [&](const auto& ex) { return detail::voxel_scratch_bytes(ex, n, triangles.views().size()); }));
  ProfileScope scope(context.profile(), "voxels");
  dispatch(context, [&](const auto& ex) {
    detail::set_voxels(ex, triangles.views(), n, rule, bits_of(voxels), voxels.counts.data());
  });
}

Voxels build_voxels(Context& context, const TriangleViews& triangles, u32 resolution, VoxelRule rule) {
  detail::validate_triangles(context, "build_voxels", triangles);
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
