#include "builders/grid/bricks.h"

#include <algorithm>
#include <string>

#include "builders/geometry/scene_bounds.h"
#include "builders/geometry/triangle_check.h"
#include "builders/grid/grid.h"
#include "builders/grid/voxels/brick_triangles.h"
#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: bricks.inl, for either executor.
template <class Executor>
void fill_bricks(const Executor& ex, std::span<const TriangleView> views, u64 n, const BricksToFill& bricks);

/// Stores how many bricks there are in the counts of `bricks`, whose other arrays may be null.
template <class Executor>
void count_bricks(const Executor& ex, std::span<const TriangleView> views, u64 n, const BricksToFill& bricks);

template <class Executor>
void insert_bricks(const Executor& ex, const BrickTableView& table, const u64* keys, u64 count);

template <class Executor>
void find_in_brick_table(const Executor& ex, const BrickTableView& table, const u64* keys, u64 count, u32* found);

template <class Executor>
void count_brick_voxels(const Executor& ex, const BrickCounts* counts, const u32* words, u64 capacity, u64* out);

///   layers: those that are built at a time
template <class Executor>
u64 brick_scratch_bytes(const Executor& ex, const BrickShapes& layers, u64 n, u64 view_count);

}  // namespace detail

namespace {

void check_options(const Aabb& box, const BrickOptions& options) {
  if (options.resolution < 1 || options.resolution > max_brick_voxels) {
    detail::refuse("bricks", "the resolution is " + std::to_string(options.resolution) + "; it can be 1 to " +
                                 std::to_string(max_brick_voxels));
  }
  if (!is_empty(box) && !is_valid(box)) detail::refuse("bricks", "a corner of the box is infinite");
  if (options.brick_capacity > max_references) {
    throw Error(ErrorCode::capacity, "bricks: room for " + std::to_string(options.brick_capacity) +
                                         " bricks; at most " + std::to_string(max_references) + " fit");
  }
}

GridShape bricks_over(const GridShape& voxels) {
  const uvec3 resolution = (voxels.resolution + brick_edge - 1u) / brick_edge;
  return {voxels.lo, voxels.cells_per_unit / double(brick_edge), resolution};
}

/// Returns how many layers are built at a time.
u32 layers_at_once(const GridShape& bricks, u32 wanted) {
  constexpr u64 max_places = u64{1} << 31;
  const u64 most = max_places / (u64{bricks.resolution.x} * bricks.resolution.y);
  return u32(std::min(std::min(most, u64{bricks.resolution.z}), wanted > 0 ? u64{wanted} : most));
}

detail::BrickShapes shapes_of(const GridShape& voxels) {
  const GridShape bricks = bricks_over(voxels);
  return {voxels, bricks, 0, bricks.resolution.z};
}

detail::BricksToFill arrays_of(Bricks& bricks) {
  return {shapes_of(bricks.shape),
          layers_at_once(bricks.brick_shape(), bricks.layers_at_once),
          bricks.keys.data(),
          bricks.words.data(),
          bricks.brick_capacity(),
          bricks.table.view(),
          true,
          bricks.counts.data()};
}

Bricks make(Context& context, const GridShape& shape, u64 capacity, u32 layers_at_once) {
  Bricks bricks;
  bricks.shape = shape;
  bricks.keys = Buffer<u64>(context, capacity);
  bricks.words = Buffer<u32>(context, capacity * brick_words);
  bricks.table = BrickTable(context, bricks.brick_shape(), capacity);
  bricks.counts = Buffer<BrickCounts>(context, std::vector<BrickCounts>(1));
  bricks.layers_at_once = layers_at_once;
  return bricks;
}

void reserve_scratch(Context& context, const TriangleViews& triangles, const detail::BricksToFill& bricks) {
  context.reserve_scratch(dispatch(context, [&](const auto& ex) {
    return detail::brick_scratch_bytes(ex, bricks.shapes.of_layers(0, bricks.layers_at_once),
                                       triangles.primitive_count(), triangles.views().size());
  }));
}

u64 count_bricks(Context& context, const TriangleViews& triangles, const GridShape& shape, u32 wanted_layers) {
  Buffer<BrickCounts> counts(context, 1);
  detail::BricksToFill none{};
  none.shapes = shapes_of(shape);
  none.layers_at_once = layers_at_once(none.shapes.bricks, wanted_layers);
  none.counts = counts.data();
  dispatch(context, [&](const auto& ex) {
    detail::count_bricks(ex, triangles.views(), triangles.primitive_count(), none);
  });
  return counts.download()[0].brick_count;
}

void check_capacity(u64 brick_count) {
  if (brick_count <= max_references) return;
  throw Error(ErrorCode::capacity, "bricks: " + std::to_string(brick_count) + " are needed; at most " +
                                       std::to_string(max_references) + " fit");
}

Aabb box_of(Context& context, const TriangleViews& triangles) {
  detail::check_primitive_count(triangles.primitive_count());
  Buffer<Aabb> box(context, 1);
  scene_bounds(context, triangles, box.span());
  return box.download()[0];
}

/// Builds the layers of `block` in memory that grows with what they need. Returns their counts.
BrickCounts fill_block(Context& context, const TriangleViews& triangles, const detail::BrickShapes& block,
                       Bricks& memory) {
  for (;;) {
    detail::BricksToFill arrays{block,
                                layers_at_once(block.bricks, block.layer_count),
                                memory.keys.data(),
                                memory.words.data(),
                                memory.brick_capacity(),
                                {},
                                false,
                                memory.counts.data()};
    reserve_scratch(context, triangles, arrays);
    dispatch(context, [&](const auto& ex) {
      detail::fill_bricks(ex, triangles.views(), triangles.primitive_count(), arrays);
    });
    const BrickCounts counts = memory.counts.download()[0];
    if (counts.brick_count == counts.stored_count) return counts;
    check_capacity(counts.brick_count);
    const u64 room = std::min(counts.brick_count + counts.brick_count / 4, max_references);
    memory.keys = {};
    memory.words = {};
    memory.keys = Buffer<u64>(context, room);
    memory.words = Buffer<u32>(context, room * brick_words);
  }
}

}  // namespace

BrickTable::BrickTable(Context& context, const GridShape& places, u64 brick_capacity)
    : is_wide_(u64{places.resolution.x} * places.resolution.y * places.resolution.z > u64{1} << 32) {
  const HashTableOptions options{.max_load = 0.5f};
  if (is_wide_) {
    wide_ = HashMap<u64, u32>(context, brick_capacity, options);
  } else {
    narrow_ = HashMap<u32, u32>(context, brick_capacity, options);
  }
}

BrickTableView BrickTable::view() const {
  if (memory_bytes() == 0) return {};
  return is_wide_ ? BrickTableView{{}, wide_.view(), true} : BrickTableView{narrow_.view(), {}, false};
}

void BrickTable::clear() {
  if (memory_bytes() == 0) return;
  if (is_wide_) {
    wide_.clear();
  } else {
    narrow_.clear();
  }
}

GridShape Bricks::brick_shape() const {
  return bricks_over(shape);
}

Bricks make_bricks(Context& context, const Aabb& box, const BrickOptions& options) {
  check_options(box, options);
  if (options.brick_capacity == 0) detail::refuse("bricks", "brick_capacity is 0; it must be 1 or more");
  return make(context, detail::cubes_over(box, options.resolution), options.brick_capacity,
              options.layers_at_once);
}

void rebuild_bricks(Context& context, Bricks& bricks, const TriangleViews& triangles) {
  detail::validate_triangles(context, "rebuild_bricks", triangles);
  const u64 n = triangles.primitive_count();
  detail::check_primitive_count(n);
  if (bricks.counts.empty()) detail::refuse("bricks", "they were never made, so they cannot be rebuilt");
  const detail::BricksToFill arrays = arrays_of(bricks);
  reserve_scratch(context, triangles, arrays);
  ProfileScope scope(context.profile(), "bricks");
  bricks.table.clear();
  dispatch(context, [&](const auto& ex) { detail::fill_bricks(ex, triangles.views(), n, arrays); });
}

Bricks build_bricks(Context& context, const TriangleViews& triangles, const BrickOptions& options) {
  detail::validate_triangles(context, "build_bricks", triangles);
  const Aabb box = box_of(context, triangles);
  check_options(box, options);
  const GridShape shape = detail::cubes_over(box, options.resolution);
  const u64 capacity = options.brick_capacity > 0
                           ? options.brick_capacity
                           : count_bricks(context, triangles, shape, options.layers_at_once);
  check_capacity(capacity);
  Bricks bricks = make(context, shape, capacity, options.layers_at_once);
  rebuild_bricks(context, bricks, triangles);
  return bricks;
}

BrickCounts build_brick_blocks(Context& context, const TriangleViews& triangles, const BrickBlockOptions& options,
                               const std::function<void(const BrickBlock&)>& take) {
  detail::validate_triangles(context, "build_brick_blocks", triangles);
  const Aabb box = box_of(context, triangles);
  check_options(box, {.resolution = options.resolution});
  constexpr u32 max_layers = max_brick_voxels / brick_edge;
  if (options.block_layers < 1 || options.block_layers > max_layers) {
    detail::refuse("bricks", "block_layers is " + std::to_string(options.block_layers) + "; it can be 1 to " +
                                 std::to_string(max_layers));
  }
  const detail::BrickShapes all = shapes_of(detail::cubes_over(box, options.resolution));
  Bricks memory;
  memory.counts = Buffer<BrickCounts>(context, 1);
  BrickCounts sum{};
  for (u32 first = 0; first < all.layer_count; first += options.block_layers) {
    const u32 layers = std::min(options.block_layers, all.layer_count - first);
    const BrickCounts counts = fill_block(context, triangles, all.of_layers(first, layers), memory);
    if (counts.brick_count > 0) {
      take({all.voxels, sum.brick_count, BufferSpan<const u64>(memory.keys.span().first(counts.brick_count)),
            BufferSpan<const u32>(memory.words.span().first(counts.brick_count * brick_words))});
    }
    sum = {sum.brick_count + counts.brick_count, sum.stored_count + counts.stored_count, counts.left_out};
  }
  return sum;
}

void make_brick_table(Context& context, Bricks& bricks) {
  const u64 count = bricks.keys.size();
  bricks.table = BrickTable(context, bricks.brick_shape(), count);
  dispatch(context,
           [&](const auto& ex) { detail::insert_bricks(ex, bricks.table.view(), bricks.keys.data(), count); });
}

void find_bricks(Context& context, const Bricks& bricks, BufferSpan<const u64> keys, BufferSpan<u32> found) {
  if (found.size() < keys.size()) {
    detail::refuse("find_bricks", "there is room for " + detail::counted(found.size(), "bricks") + "; there are " +
                                      std::to_string(keys.size()) + " keys");
  }
  dispatch(context, [&](const auto& ex) {
    detail::find_in_brick_table(ex, bricks.table.view(), keys.data(), keys.size(), found.data());
  });
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
