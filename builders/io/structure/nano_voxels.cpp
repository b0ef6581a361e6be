// Voxels and values of grids of NanoVDB on the host.

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "builders/io/structure/nano_tree.h"
#include "primitives/core/check.h"

namespace copse {

namespace {

using detail::NanoCube;

/// The bricks of the cubes, by key.
struct PlacedBrick {
  u64 key;
  const detail::NanoLeaf* leaf;
};

/// Returns the grid of cubes, in space, that a map makes of a grid whose corner is voxel `lo`.
GridShape shape_of(const HostNanoGrid& grid, const std::array<i64, 3>& lo, const std::array<i64, 3>& hi) {
  const detail::NanoMap map = detail::nano_grid_data(grid).map;
  const double edge = map.matrix_double[0];
  for (int k = 0; k < 9; ++k) {
    if (edge > 0 && map.matrix_double[k] == (k % 4 == 0 ? edge : 0)) continue;
    detail::refuse("to_voxels", "the grid's voxels are not cubes along the axes: entry " + std::to_string(k) +
                                    " of its matrix is " + std::to_string(map.matrix_double[k]));
  }
  GridShape shape{dvec3(0), dvec3(1 / edge), uvec3(1)};
  for (int axis = 0; axis < 3; ++axis) {
    const i64 size = hi[axis] - lo[axis];
    if (size > max_brick_voxels) {
      detail::refuse("to_voxels", "the box of set voxels has " + std::to_string(size) +
                                      " voxels along an edge; it can have " + std::to_string(max_brick_voxels));
    }
    shape.lo[axis] = map.origin_double[axis] + edge * (double(lo[axis]) - 0.5);
    shape.resolution[axis] = std::max(u32(size), 1u);
  }
  return shape;
}

std::vector<PlacedBrick> place_bricks(const std::vector<NanoCube>& cubes, const GridShape& places,
                                      const std::array<i64, 3>& lo) {
  constexpr u64 max_bricks = u64{1} << 26;
  u64 count = 0;
  for (const NanoCube& cube : cubes) count += u64{cube.edge / 8} * (cube.edge / 8) * (cube.edge / 8);
  if (count > max_bricks) {
    throw Error(ErrorCode::capacity, "to_voxels: the grid makes " + std::to_string(count) + " bricks; at most " +
                                         std::to_string(max_bricks) + " are made");
  }
  std::vector<PlacedBrick> bricks;
  bricks.reserve(count);
  for (const NanoCube& cube : cubes) {
    const uvec3 first(u32(cube.lo[0] - lo[0]) / 8, u32(cube.lo[1] - lo[1]) / 8, u32(cube.lo[2] - lo[2]) / 8);
    const u32 edge = cube.edge / 8;
    for (u32 i = 0; i < edge * edge * edge; ++i) {
      bricks.push_back({places.key_of(first + uvec3(i % edge, i / edge % edge, i / edge / edge)), cube.leaf});
    }
  }
  std::sort(bricks.begin(), bricks.end(),
            [](const PlacedBrick& a, const PlacedBrick& b) { return a.key < b.key; });
  return bricks;
}

}  // namespace

HostVoxels to_voxels(const HostNanoGrid& grid) {
  std::vector<NanoCube> cubes;
  const std::string fault = detail::find_nano_cubes(grid, cubes);
  if (!fault.empty()) detail::refuse("to_voxels", fault);
  std::erase_if(cubes, [](const NanoCube& cube) {
    return cube.leaf != nullptr &&
           std::all_of(cube.leaf->mask, cube.leaf->mask + 8, [](u64 word) { return word == 0; });
  });
  std::array<i64, 3> lo{}, hi{};
  for (int axis = 0; axis < 3; ++axis) {
    for (const NanoCube& cube : cubes) {
      const i64 begin = cube.lo[axis], end = begin + cube.edge;
      lo[axis] = &cube == cubes.data() ? begin : std::min(lo[axis], begin);
      hi[axis] = &cube == cubes.data() ? end : std::max(hi[axis], end);
    }
  }
  HostVoxels voxels;
  voxels.is_sparse = true;
  voxels.shape = shape_of(grid, lo, hi);
  const GridShape places{voxels.shape.lo, voxels.shape.cells_per_unit / 8.0, (voxels.shape.resolution + 7u) / 8u};
  for (const PlacedBrick& brick : place_bricks(cubes, places, lo)) {
    if (!voxels.keys.empty() && voxels.keys.back() == brick.key) {
      detail::refuse("to_voxels", "two nodes of the grid have the same place");
    }
    u64 words[8] = {~u64{0}, ~u64{0}, ~u64{0}, ~u64{0}, ~u64{0}, ~u64{0}, ~u64{0}, ~u64{0}};
    if (brick.leaf != nullptr) detail::turn_brick(brick.leaf->mask, words);
    voxels.keys.push_back(brick.key);
    for (const u64 word : words) {
      voxels.words.push_back(u32(word));
      voxels.words.push_back(u32(word >> 32));
    }
  }
  return voxels;
}

float value_at(const HostNanoGrid& grid, i32 x, i32 y, i32 z) {
  if (grid.type != NanoType::floats) detail::refuse("value_at", "the grid has no floats");
  using namespace detail;
  const char* const bytes = reinterpret_cast<const char*>(grid.words.data());
  const auto read = [bytes](auto& to, u64 offset) { std::memcpy(&to, bytes + offset, sizeof to); };
  const auto is_set = [&](u64 mask, u32 bit) {
    u64 word;
    read(word, mask + bit / 64 * 8);
    return (word >> (bit % 64) & 1) != 0;
  };
  const auto child_of = [&](const NanoNodeShape& shape, u32 shift) {
    const u32 mask = (1u << shape.bits) - 1;
    return (u32(x) >> shift & mask) << (2 * shape.bits) | (u32(y) >> shift & mask) << shape.bits |
           (u32(z) >> shift & mask);
  };
  float value = std::bit_cast<float>(nano_root_head(grid).background);
  const u64 key = u64{u32(x) >> 12} << 42 | u64{u32(y) >> 12} << 21 | u32(z) >> 12;
  for (u64 i = 0; i < nano_root_head(grid).tile_count; ++i) {
    NanoTile tile;
    read(tile, detail::nano_tiles_offset(grid) + i * sizeof tile);
    if (tile.key != key) continue;
    if (tile.child == 0) return tile.value;
    u64 node = detail::nano_root_offset(grid) + u64(tile.child);
    for (const auto& [shape, shift] : {std::pair(nano_upper, 7u), std::pair(nano_lower, 3u)}) {
      const u32 child = child_of(shape, shift);
      const u64 entry = node + shape.table() + 8 * u64{child};
      if (!is_set(node + shape.child_mask(), child)) {
        read(value, entry);
        return value;
      }
      i64 link;
      read(link, entry);
      node += u64(link);
    }
    read(value, node + sizeof(NanoLeaf) + 4 * ((u32(x) & 7) * 64 + (u32(y) & 7) * 8 + (u32(z) & 7)));
    return value;
  }
  return value;
}

}  // namespace copse
