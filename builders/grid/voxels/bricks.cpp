#include "builders/grid/bricks.h"

#include <string>

#include "builders/geometry/scene_bounds.h"
#include "builders/grid/grid.h"
#include "builders/grid/voxels/brick_triangles.h"
#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: bricks.inl, for either executor.
template <class Executor>
void fill_bricks(const Executor& ex, std::span<const TriangleView> views, u64 n, const BrickArrays& bricks);

/// Stores how many bricks there are.
template <class Executor>
void count_bricks(const Executor& ex, std::span<const TriangleView> views, u64 n, const BrickShapes& shapes,
                  u64* brick_count);

template <class Executor>
void count_brick_voxels(const Executor& ex, const BrickCounts* counts, const u32* words, u64 capacity, u64* out);

///   bricks: the places of bricks
template <class Executor>
u64 brick_scratch_bytes(const Executor& ex, const GridShape& bricks, u64 n, u64 view_count);

}  // namespace detail

namespace {

[[noreturn]] void refuse(const std::string& what) {
  detail::refuse("bricks", what);
}

void check_options(const Aabb& box, const BrickOptions& options) {
  if (options.resolution < 1 || options.resolution > max_brick_voxels) {
    refuse("the resolution is " + std::to_string(options.resolution) + "; it can be 1 to " +
           std::to_string(max_brick_voxels));
  }
  if (!is_empty(box) && !is_valid(box)) refuse("a corner of the box is infinite");
  if (options.brick_capacity > max_references) {
    throw Error(ErrorCode::capacity, "bricks: room for " + std::to_string(options.brick_capacity) +
                                         " bricks; at most " + std::to_string(max_references) + " fit");
  }
}

GridShape bricks_over(const GridShape& voxels) {
  const uvec3 resolution = (voxels.resolution + brick_edge - 1u) / brick_edge;
  return {voxels.lo, voxels.cells_per_unit / double(brick_edge), resolution};
}

detail::BrickArrays arrays_of(Bricks& bricks) {
  return {{bricks.shape, bricks.brick_shape()},
          bricks.keys.data(),
          bricks.words.data(),
          bricks.brick_capacity(),
          bricks.table.view(),
          bricks.counts.data()};
}

Bricks make(Context& context, const GridShape& shape, u64 capacity) {
  Bricks bricks;
  bricks.shape = shape;
  bricks.keys = Buffer<u32>(context, capacity);
  bricks.words = Buffer<u32>(context, capacity * brick_words);
  bricks.table = HashMap<u32, u32>(context, capacity, {.max_load = 0.5f});
  bricks.counts = Buffer<BrickCounts>(context, std::vector<BrickCounts>(1));
  return bricks;
}

u64 count_bricks(Context& context, const TriangleViews& triangles, const GridShape& shape) {
  Buffer<u64> count(context, 1);
  const detail::BrickShapes shapes{shape, bricks_over(shape)};
  dispatch(context, [&](const auto& ex) {
    detail::count_bricks(ex, triangles.views(), triangles.primitive_count(), shapes, count.data());
  });
  return count.download()[0];
}

}  // namespace

GridShape Bricks::brick_shape() const {
  return bricks_over(shape);
}

Bricks make_bricks(Context& context, const Aabb& box, const BrickOptions& options) {
  check_options(box, options);
  if (options.brick_capacity == 0) refuse("brick_capacity is 0; it must be 1 or more");
  return make(context, detail::cubes_over(box, options.resolution), options.brick_capacity);
}

void rebuild_bricks(Context& context, Bricks& bricks, const TriangleViews& triangles) {
  const u64 n = triangles.primitive_count();
  detail::check_primitive_count(n);
  if (bricks.counts.empty()) refuse("they were never made, so they cannot be rebuilt");
  context.reserve_scratch(dispatch(context, [&](const auto& ex) {
    return detail::brick_scratch_bytes(ex, bricks.brick_shape(), n, triangles.views().size());
  }));
  ProfileScope scope(context.profile(), "bricks");
  bricks.table.clear();
  dispatch(context, [&](const auto& ex) { detail::fill_bricks(ex, triangles.views(), n, arrays_of(bricks)); });
}

Bricks build_bricks(Context& context, const TriangleViews& triangles, const BrickOptions& options) {
  detail::check_primitive_count(triangles.primitive_count());
  Buffer<Aabb> box_buffer(context, 1);
  scene_bounds(context, triangles, box_buffer.span());
  const Aabb box = box_buffer.download()[0];
  check_options(box, options);
  const GridShape shape = detail::cubes_over(box, options.resolution);
  const u64 capacity =
      options.brick_capacity > 0 ? options.brick_capacity : count_bricks(context, triangles, shape);
  Bricks bricks = make(context, shape, capacity);
  rebuild_bricks(context, bricks, triangles);
  return bricks;
}

void check_complete(const Bricks& bricks) {
  const BrickCounts counts = bricks.counts.download().at(0);
  if (counts.stored_count < counts.brick_count) {
    throw Error(ErrorCode::capacity, "bricks: " + std::to_string(counts.brick_count) +
                                         " are needed; there is room for " +
                                         std::to_string(bricks.brick_capacity()));
  }
}

u64 count_voxels(Context& context, const Bricks& bricks) {
  Buffer<u64> count(context, 1);
  dispatch(context, [&](const auto& ex) {
    detail::count_brick_voxels(ex, bricks.counts.data(), bricks.words.data(), bricks.brick_capacity(),
                               count.data());
  });
  return count.download()[0];
}

}  // namespace copse
