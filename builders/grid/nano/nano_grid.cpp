#include "builders/grid/nano_grid.h"

#include <bit>
#include <cstring>
#include <string>

#include "builders/grid/nano/nano_build.h"
#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: nano_grid.inl, for either executor.
template <class Executor>
void order_nano_leaves(const Executor& ex, const BrickArrays& bricks, const NanoOrder& order, NanoSums* sums);
template <class Executor>
void write_nano_grid(const Executor& ex, const BrickArrays& bricks, const NanoOrder& order,
                     const NanoLayout& layout, const NanoHead& head, const NanoValues& values, u8* out);
template <class Executor>
void fill_nano_inside(const Executor& ex, const BrickArrays& bricks, const NanoOrder& order,
                      const NanoLayout& layout, const NanoValues& values, u8* out);
template <class Executor>
u64 nano_scratch_bytes(const Executor& ex, u64 n);

}  // namespace detail

namespace {

using namespace detail;

/// The classes of grids in NanoVDB that Copse writes.
constexpr u32 class_unknown = 0, class_level_set = 1, class_topology = 6, class_index = 8;

u32 class_of(NanoType type, const NanoValues& values) {
  if (values.is_level_set) return class_level_set;
  return type == NanoType::mask ? class_topology : type == NanoType::index ? class_index : class_unknown;
}

/// Returns the map that takes the centre of a voxel to its centre in space.
NanoMap map_of(const GridShape& shape) {
  NanoMap map{};
  const double edge = 1 / shape.cells_per_unit.x;
  for (int axis = 0; axis < 3; ++axis) {
    map.matrix_double[4 * axis] = edge;
    map.inverse_double[4 * axis] = shape.cells_per_unit.x;
    map.origin_double[axis] = shape.lo[axis] + edge / 2;
    map.origin[axis] = float(map.origin_double[axis]);
  }
  for (int k = 0; k < 9; ++k) {
    map.matrix[k] = float(map.matrix_double[k]);
    map.inverse[k] = float(map.inverse_double[k]);
  }
  map.taper = 1;
  map.taper_double = 1;
  return map;
}

NanoGridData grid_data(const GridShape& shape, const NanoLayout& layout, const NanoSums& sums,
                       const NanoValues& values) {
  NanoGridData grid{};
  grid.magic = nano_magic;
  grid.checksum = no_nano_checksum;
  grid.version = nano_version(nano_major, layout.type == NanoType::index ? 6 : 3, 0);
  grid.flags = nano_breadth_first;
  grid.grid_count = 1;
  grid.bytes = layout.bytes();
  std::strcpy(grid.name, values.is_level_set ? "distance" : "voxels");
  grid.map = map_of(shape);
  const bool is_empty = sums.voxel_count == 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double edge = grid.map.matrix_double[0], origin = grid.map.origin_double[axis];
    grid.world_lo[axis] = is_empty ? 0 : origin + edge * sums.box.lo[axis];
    grid.world_hi[axis] = is_empty ? 0 : origin + edge * (sums.box.hi[axis] + 1.0);
    grid.voxel_size[axis] = edge;
  }
  grid.grid_class = class_of(layout.type, values);
  grid.type = u32(layout.type);
  grid.blind_offset = i64(layout.bytes());
  grid.value_count = layout.type == NanoType::index ? sums.voxel_count + 1 : 0;
  return grid;
}

NanoHead head_of(const GridShape& shape, const NanoLayout& layout, const NanoSums& sums,
                 const NanoValues& values) {
  NanoHead head{};
  head.grid = grid_data(shape, layout, sums, values);
  head.tree = {{layout.leaf(0) - layout.tree(), layout.lower(0) - layout.tree(), layout.upper(0) - layout.tree(),
                layout.root() - layout.tree()},
               {u32(layout.leaf_count), u32(layout.lower_count), u32(layout.upper_count)},
               {},
               sums.voxel_count};
  for (int axis = 0; axis < 3; ++axis) {
    head.root.lo[axis] = sums.box.lo[axis];
    head.root.hi[axis] = sums.box.hi[axis];
  }
  head.root.tile_count = u32(layout.upper_count);
  head.root.background = layout.type == NanoType::floats ? std::bit_cast<u32>(values.background) : 0;
  return head;
}

NanoGrid build(Context& context, const Bricks& bricks, u64 brick_count, NanoType type, const NanoValues& values) {
  const BrickArrays input{bricks.brick_shape(), bricks.keys.data(), bricks.words.data(), brick_count};
  Buffer<u64> keys(context, brick_count), nodes_before(context, brick_count), voxels_before(context, brick_count);
  Buffer<u32> ids(context, brick_count);
  Buffer<NanoSums> sums(context, 1);
  const NanoOrder order{keys.data(), ids.data(), nodes_before.data(), voxels_before.data()};
  context.reserve_scratch(dispatch(context, [&](const auto& ex) { return nano_scratch_bytes(ex, brick_count); }));
  ProfileScope scope(context.profile(), "nano");
  dispatch(context, [&](const auto& ex) { order_nano_leaves(ex, input, order, sums.data()); });
  const NanoSums found = sums.download()[0];

  const NanoLayout layout{type, brick_count, found.nodes & 0xffffffff, found.nodes >> 32};
  NanoGrid grid{type, Buffer<u64>(context, layout.bytes() / sizeof(u64))};
  const NanoHead head = head_of(bricks.shape, layout, found, values);
  dispatch(context, [&](const auto& ex) {
    u8* const out = reinterpret_cast<u8*>(grid.words.data());
    write_nano_grid(ex, input, order, layout, head, values, out);
    if (values.is_level_set) fill_nano_inside(ex, input, order, layout, values, out);
  });
  return grid;
}

/// Returns the number of bricks that are stored.
u64 stored_bricks(const Bricks& bricks) {
  if (bricks.counts.empty()) refuse("nano grid", "the bricks were never made");
  return bricks.counts.download()[0].stored_count;
}

}  // namespace

NanoGrid build_nano_grid(Context& context, const Bricks& bricks, NanoType type) {
  const u64 count = stored_bricks(bricks);
  if (type != NanoType::mask && type != NanoType::index) {
    refuse("nano grid",
           "the type is " + std::to_string(u32(type)) + "; without values it can be 8 (mask) or 20 (index)");
  }
  return build(context, bricks, count, type, {});
}

NanoGrid build_nano_grid(Context& context, const Bricks& bricks, BufferSpan<const float> values,
                         float background) {
  const u64 count = stored_bricks(bricks);
  if (values.size() < count * 512) {
    refuse("nano grid", "there are " + std::to_string(values.size()) + " values; " + std::to_string(count) +
                            " bricks have " + std::to_string(count * 512));
  }
  return build(context, bricks, count, NanoType::floats, {values.data(), background, false, 0});
}

NanoGrid build_nano_grid(Context& context, const DistanceField& field) {
  return build(context, field.bricks, stored_bricks(field.bricks), NanoType::floats,
               {field.values.data(), field.band, true, std::bit_cast<u32>(-field.band)});
}

}  // namespace copse
