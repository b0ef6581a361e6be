// Sparse voxels: the bricks that triangles touch, as the cells of a coarse grid are found, and in each brick the
// voxels.
//
// The pairs (brick, triangle) are sorted by brick, so that bricks are numbered in the order of their places, equal
// in every build, and no thread has to find a brick by the hash to set a bit in it: a scan over where keys change
// tells. The hash is made of what is there, for those who look bricks up. Spatial hashing: Meister, Yoshimura,
// Kao, "GPU Programming Primitives for Computer Graphics", SIGGRAPH Asia courses, 2023; bricks: Crassin, Neyret,
// Lefebvre, Eisemann, "GigaVoxels", I3D 2009.

#include "builders/grid/bricks_body.h"
#include "builders/grid/cell_pairs.h"
#include "builders/grid/voxel_triangles.h"

namespace copse::detail {

struct StoreShape {
  GridShape value;
  GridShape* out;
  COPSE_HD void operator()(u64) const { *out = value; }
};

/// The bricks that triangles touch; none of a triangle that reaches beyond the grid.
struct BricksOfTriangles {
  CellsOfTriangles cells;
  const GridShape* shape;
  GridShape voxels;

  COPSE_HD bool reaches_out(u32 primitive) const {
    return VoxelTriangles{cells.table, voxels}.reaches_out(primitive);
  }
  COPSE_HD u32 part_count(u32 primitive) const { return reaches_out(primitive) ? 0 : cells.part_count(primitive); }
  template <class Visit>
  COPSE_HD CellExtent visit_small(u32 primitive, CellParts& range, Visit& visit) const {
    return reaches_out(primitive) ? CellExtent::none : cells.visit_small(primitive, range, visit);
  }
  template <class Visit>
  COPSE_HD void visit_part(u32 primitive, u32 part, Visit& visit) const {
    cells.visit_part(primitive, part, visit);
  }
};

struct ReachesBeyondBricks {
  TriangleTable table;
  GridShape voxels;
  COPSE_HD bool operator()(u64 i) const { return VoxelTriangles{table, voxels}.reaches_out(u32(i)); }
};

/// 1 where a pair is the first of its brick.
struct StartsBrick {
  const u32* keys;
  const GridCounts* counts;
  COPSE_HD u32 operator()(u64 i) const {
    return i < counts->stored_count && (i == 0 || keys[i] != keys[i - 1]) ? 1 : 0;
  }
};

/// Pairs by brick; ranks[i] - 1 is the number of the brick of pair i.
struct BrickPairs {
  u32* keys;
  u32* primitives;
  u32* ranks;
  u64 capacity;
  GridCounts* counts;

  COPSE_HD u32 brick_count() const { return counts->stored_count == 0 ? 0 : ranks[counts->stored_count - 1]; }
};

/// Sets the voxels of a brick that a triangle touches.
struct SetBrickVoxels {
  GridShape voxels;
  TriangleTable table;

  COPSE_HD void operator()(u32 primitive, const uvec3& brick, u32* words) const {
    const Triangle t = table.triangle(primitive);
    const VoxelTriangles::Vertices v{to_units(voxels, t.a, units_per_voxel_bits),
                                     to_units(voxels, t.b, units_per_voxel_bits),
                                     to_units(voxels, t.c, units_per_voxel_bits)};
    const ivec3 lo = v.lo(), hi = v.hi(), size = hi - lo;
    const CellRange all = touching_cells(units(), lo, hi, voxels.resolution);
    const ivec3 begin = ivec3(brick) * i32(brick_edge), last = begin + i32(brick_edge) - 1;
    const CellRange range{
        ivec3(larger(all.first.x, begin.x), larger(all.first.y, begin.y), larger(all.first.z, begin.z)),
        ivec3(smaller(all.last.x, last.x), smaller(all.last.y, last.y), smaller(all.last.z, last.z))};
    // The triangle's extent and that of a voxel on either side.
    const i32 reach = larger(size.x, larger(size.y, size.z)) + 2 * units().width();
    if (reach <= most_small_extent) {
      set_rows(LatticeTriangle<i32>(v.a, v.b, v.c, units()), range, begin, words);
    } else {
      set_rows(LatticeTriangle<i64>(v.a, v.b, v.c, units()), range, begin, words);
    }
  }

 private:
  COPSE_HD static constexpr CellUnits units() { return {units_per_voxel_bits, 0}; }

  /// Four rows of eight bits share a word.
  template <class Number>
  COPSE_HD static void set_rows(const LatticeTriangle<Number>& triangle, const CellRange& range,
                                const ivec3& begin, u32* words) {
    const i32 count = range.last.x - range.first.x + 1;
    for (i32 z = range.first.z; z <= range.last.z; ++z) {
      u32 bits = 0;
      for (i32 y = range.first.y; y <= range.last.y; ++y) {
        const RowRun run = triangle.touched(range.first.x, count, y, z);
        const u32 row = u32(y - begin.y);
        if (!run.is_empty()) {
          const u32 first = u32(range.first.x - begin.x + run.begin);
          bits |= ((1u << (run.end - run.begin)) - 1) << first << (row % 4 * 8);
        }
        if (bits != 0 && (row % 4 == 3 || y == range.last.y)) {
          fetch_or_relaxed(words + 2 * u32(z - begin.z) + row / 4, bits);
          bits = 0;
        }
      }
    }
  }
};

struct FillBrick {
  BrickArrays bricks;
  BrickPairs pairs;
  SetBrickVoxels set;

  COPSE_HD void operator()(u64 i) const {
    if (i >= pairs.counts->stored_count) return;
    const u32 key = pairs.keys[i], brick = pairs.ranks[i] - 1;
    if (brick >= bricks.brick_capacity) return;
    if (i == 0 || pairs.keys[i - 1] != key) {
      bricks.keys[brick] = key;
      bricks.table.insert(key, brick);
    }
    set(pairs.primitives[i], bricks.shapes.bricks.cell_at(key), bricks.words + u64(brick) * brick_words);
  }
};

struct StoreBrickCounts {
  BrickPairs pairs;
  u64 capacity;
  const u64* left_out;
  BrickCounts* counts;
  COPSE_HD void operator()(u64) const {
    const u64 brick_count = pairs.brick_count();
    *counts = {*pairs.counts, brick_count, smaller(brick_count, capacity), *left_out};
  }
};

struct StoreBrickCount {
  BrickPairs pairs;
  u64* out;
  COPSE_HD void operator()(u64) const { *out = pairs.brick_count(); }
};

struct BitsOfBrick {
  const BrickCounts* counts;
  const u32* words;
  COPSE_HD u64 operator()(u64 i) const {
    return i < counts->stored_count * brick_words ? population_count(words[i]) : 0;
  }
};

/// Calls work(BricksOfTriangles, table).
template <class Executor, class Work>
void with_brick_cells(const Executor& ex, std::span<const TriangleView> views, const BrickShapes& shapes,
                      const Work& work) {
  ScratchArena::Frame frame(ex.scratch);
  const TriangleTable table = make_triangle_table(ex, frame, views);
  auto* shape = frame.allocate<GridShape>(1);
  for_each(ex, "bricks: shape", 1, StoreShape{shapes.bricks, shape});
  work(BricksOfTriangles{{table, shape, {units_per_brick_bits, 0}}, shape, shapes.voxels}, table);
}

inline BrickPairs allocate_brick_pairs(ScratchArena::Frame& frame, u64 capacity) {
  return {frame.allocate<u32>(capacity), frame.allocate<u32>(capacity), frame.allocate<u32>(capacity), capacity,
          frame.allocate<GridCounts>(1)};
}

inline u64 brick_pairs_bytes(u64 capacity) {
  return 3 * ScratchArena::bytes_for<u32>(capacity) + ScratchArena::bytes_for<GridCounts>(1);
}

/// Sorts the pairs and numbers the bricks.
template <class Executor>
void find_bricks(const Executor& ex, const BricksOfTriangles& cells, u64 n, u64 cell_count,
                 const BrickPairs& pairs) {
  sort_cell_pairs(ex, cells, n, {pairs.keys, pairs.primitives, pairs.capacity, cell_count, pairs.counts});
  inclusive_scan(ex, "bricks: numbers", pairs.capacity, StartsBrick{pairs.keys, pairs.counts}, Plus{},
                 pairs.ranks);
}

template <class Executor>
void fill_bricks(const Executor& ex, std::span<const TriangleView> views, u64 n, const BrickArrays& bricks) {
  ScratchArena::Frame frame(ex.scratch);
  const BrickPairs pairs = allocate_brick_pairs(frame, bricks.pair_capacity);
  u64* left_out = frame.allocate<u64>(1);
  with_brick_cells(ex, views, bricks.shapes, [&](const BricksOfTriangles& cells, const TriangleTable& table) {
    count_if(ex, "bricks: left out", n, ReachesBeyondBricks{table, bricks.shapes.voxels}, left_out);
    find_bricks(ex, cells, n, bricks.shapes.bricks.cell_count(), pairs);
    fill_bytes(ex, "bricks: clear", bricks.words, bricks.brick_capacity * brick_words, 0);
    for_each(ex, "bricks: voxels", pairs.capacity, FillBrick{bricks, pairs, {bricks.shapes.voxels, table}});
    for_each(ex, "bricks: counts", 1, StoreBrickCounts{pairs, bricks.brick_capacity, left_out, bricks.counts});
  });
}

template <class Executor>
void count_brick_pairs(const Executor& ex, std::span<const TriangleView> views, u64 n, const BrickShapes& shapes,
                       u64 part_capacity, u64* part_count, u64* pair_count) {
  ScratchArena::Frame frame(ex.scratch);
  const GridParts parts = allocate_parts(frame, n, part_capacity, part_count);
  with_brick_cells(ex, views, shapes, [&](const BricksOfTriangles& cells, const TriangleTable&) {
    count_cell_pairs(ex, cells, n, parts, pair_count);
  });
}

template <class Executor>
void count_bricks(const Executor& ex, std::span<const TriangleView> views, u64 n, const BrickShapes& shapes,
                  u64 pair_capacity, u64* brick_count) {
  ScratchArena::Frame frame(ex.scratch);
  const BrickPairs pairs = allocate_brick_pairs(frame, pair_capacity);
  with_brick_cells(ex, views, shapes, [&](const BricksOfTriangles& cells, const TriangleTable&) {
    find_bricks(ex, cells, n, shapes.bricks.cell_count(), pairs);
    for_each(ex, "bricks: count", 1, StoreBrickCount{pairs, brick_count});
  });
}

template <class Executor>
void count_brick_voxels(const Executor& ex, const BrickCounts* counts, const u32* words, u64 capacity, u64* out) {
  reduce(ex, "bricks: count voxels", capacity * brick_words, BitsOfBrick{counts, words}, u64{0}, Plus{}, out);
}

template <class Executor>
u64 brick_scratch_bytes(const Executor& ex, u64 n, u64 view_count, u64 cell_count, u64 pair_capacity) {
  return brick_pairs_bytes(pair_capacity) + ScratchArena::bytes_for<u64>(1) +
         triangle_table_scratch_bytes(view_count) + ScratchArena::bytes_for<GridShape>(1) +
         larger(u64(cell_pairs_scratch_bytes(ex, n, cell_count, pair_capacity)),
                u64(scan_scratch_bytes<u32>(ex, pair_capacity)));
}

template void fill_bricks(const BodyExecutor&, std::span<const TriangleView>, u64, const BrickArrays&);
template void count_brick_pairs(const BodyExecutor&, std::span<const TriangleView>, u64, const BrickShapes&, u64,
                                u64*, u64*);
template void count_bricks(const BodyExecutor&, std::span<const TriangleView>, u64, const BrickShapes&, u64, u64*);
template void count_brick_voxels(const BodyExecutor&, const BrickCounts*, const u32*, u64, u64*);
template u64 brick_scratch_bytes(const BodyExecutor&, u64, u64, u64, u64);

}  // namespace copse::detail
