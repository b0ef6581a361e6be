// Distance fields of closed surfaces, in sparse bricks.
//
// 1. Search: each triangle marks the bricks near it as bits of their places, and counts them.
// 2. Pairs of a brick and a triangle near it, sorted by brick.
// 3. Signs: each triangle flips one voxel per column along z, the first one whose centre is not below it. Then the
//    parity is carried upwards through the bricks of a column. A voxel that is flipped is less than a voxel away
//    from the surface, so its brick exists; and between two bricks of a column nothing changes.
// 4. Values: a thread per block of 2 x 2 x 2 voxels takes the minimum over the triangles of its brick. A minimum
//    has no order.
// 5. Bricks without a voxel within the band are left out.
//
// Narrow bands of level sets: Museth, "VDB: High-Resolution Sparse Volumes with Dynamic Topology", TOG 2013. Signs
// by parity per column: Schwarz, Seidel, "Fast Parallel Surface and Solid Voxelization on GPUs", TOG 2010. Where
// we differ: there is no dense grid of signs.

#include "builders/geometry/make_triangle_table.h"
#include "builders/grid/cells/list_begins.h"
#include "builders/grid/distance/field_triangles.h"
#include "builders/grid/voxels/voxel_triangles.h"
#include "primitives/core/atomic.h"
#include "primitives/expand.h"
#include "primitives/inputs.h"
#include "primitives/radix_sort.h"
#include "primitives/scan.h"

namespace copse::detail {

/// Signs are found on a lattice with 2^7 units per voxel: products of three coordinates then fit 64 bits.
inline constexpr u32 field_unit_bits = 7;

/// The blocks of 2 x 2 x 2 voxels of a brick.
inline constexpr u32 field_blocks = brick_values / 8;

struct CountFieldParts {
  FieldTriangles triangles;
  COPSE_HD u32 operator()(u64 i) const { return triangles.part_count(u32(i)); }
};

struct MarkFieldBricks {
  FieldTriangles triangles;
  BrickPlaces places;
  u32* brick_counts;

  struct Mark {
    const MarkFieldBricks& all;
    u32& count;
    COPSE_HD void operator()(const uvec3& brick) const {
      all.places.mark(all.triangles.shape.bricks.cell_id(brick));
      ++count;
    }
  };

  COPSE_HD void operator()(u64 i, u64 part, u64) const {
    u32 count = 0;
    triangles.visit_part(u32(i), u32(part), Mark{*this, count});
    if (count > 0) fetch_add_relaxed(&brick_counts[i], count);
  }
};

struct FieldPairCount {
  const u32* brick_counts;
  COPSE_HD u64 operator()(u64 i) const { return brick_counts[i]; }
};

/// Stores the keys of the bricks in a word of places.
struct StoreFieldKeys {
  BrickPlaces places;
  u64* keys;
  COPSE_HD void operator()(u64 i) const {
    u64 brick = places.ranks[i];
    for (u32 left = places.bits[i]; left != 0; left &= left - 1, ++brick) {
      keys[brick] = u64{i} * 32 + 31 - leading_zeros(left & (~left + 1));
    }
  }
};

/// Threads that share a triangle take its slots in any order, from its last slot down.
struct StoreFieldPairs {
  FieldTriangles triangles;
  FieldSearch search;
  FieldPairs pairs;

  struct Store {
    const StoreFieldPairs& all;
    u32 triangle;
    COPSE_HD void operator()(const uvec3& brick) const {
      const u32 left = fetch_add_relaxed(&all.search.brick_counts[triangle], ~u32{0});
      const u64 slot = all.search.pairs_before[triangle] + left - 1;
      all.pairs.bricks[slot] = all.search.places.brick_at(all.triangles.shape.bricks.cell_id(brick));
      all.pairs.triangles[slot] = triangle;
    }
  };

  COPSE_HD void operator()(u64 i, u64 part, u64) const {
    triangles.visit_part(u32(i), u32(part), Store{*this, u32(i)});
  }
};

struct FieldPairTotal {
  u64 count;
  COPSE_HD u64 operator()() const { return count; }
};

/// The columns of voxels whose centres are below or above a triangle, in parts of a few rows.
struct FlipFieldVoxels {
  TriangleTable table;
  FieldShape shape;
  BrickPlaces places;
  u32* words;

  COPSE_HD LatticeVertices vertices(u32 primitive) const {
    return LatticeVertices::of(shape.voxels, table.triangle(primitive), field_unit_bits);
  }
  COPSE_HD static LatticeColumns columns_of(const LatticeVertices& v) {
    return {v.a, v.b, v.c, field_unit_bits, EdgeRule::one_side};
  }
  COPSE_HD ColumnParts parts_of(const LatticeVertices& v, const LatticeColumns& columns) const {
    return ColumnParts::of(columns, v.lo(), v.hi(), ivec3(shape.voxels.resolution));
  }

  COPSE_HD u32 operator()(u64 i) const {
    if (is_empty(bounds(table.triangle(u32(i))))) return 0;
    const LatticeVertices v = vertices(u32(i));
    return parts_of(v, columns_of(v)).count();
  }

  COPSE_HD void operator()(u64 i, u64 part, u64) const {
    const LatticeVertices v = vertices(u32(i));
    const LatticeColumns columns = columns_of(v);
    const ColumnParts parts = parts_of(v, columns);
    const i32 row_end = parts.row_end(u32(part));
    for (i32 row = parts.row_begin(u32(part)); row < row_end; ++row) {
      const RowRun run = columns.met(parts.first_column, parts.column_count, row);
      for (i32 k = run.begin; k < run.end; ++k) {
        const i32 column = parts.first_column + k;
        flip(u32(column), u32(row), u32(first_centre_from(columns.depth(column, row), field_unit_bits)));
      }
    }
  }

  COPSE_HD void flip(u32 x, u32 y, u32 z) const {
    const u32 place = shape.bricks.cell_id(uvec3(x, y, z) / brick_edge);
    u32* const brick = words + u64{places.brick_at(place)} * brick_words;
    fetch_xor_relaxed(brick + 2 * (z % 8) + y % 8 / 4, 1u << (x % 8 + 8 * (y % 4)));
  }
};

/// Sorts bricks by column, and upwards in each.
struct ColumnKeyOfBrick {
  GridShape bricks;
  const u64* keys;
  COPSE_HD u32 operator()(u64 i) const {
    const uvec3 place = bricks.cell_of(keys[i]);
    return (place.y * bricks.resolution.x + place.x) * bricks.resolution.z + place.z;
  }
};

/// Carries the parity through the bricks of a column, from its lowest brick up.
struct CarryFieldParity {
  FieldBricks bricks;
  u32 column_size;
  COPSE_HD void operator()(u64 i) const {
    const u32 column = bricks.column_keys[i] / column_size;
    if (i > 0 && bricks.column_keys[i - 1] / column_size == column) return;
    u32 low = 0, high = 0;  // of rows 0 to 3, and 4 to 7
    for (u64 k = i; k < bricks.count && bricks.column_keys[k] / column_size == column; ++k) {
      u32* const words = bricks.words + u64{bricks.column_order[k]} * brick_words;
#pragma unroll
      for (u32 z = 0; z < 8; ++z) {
        low ^= words[2 * z], high ^= words[2 * z + 1];
        words[2 * z] = low, words[2 * z + 1] = high;
      }
    }
  }
};

/// The nearest squares of a block of 2 x 2 x 2 voxels. A triangle is loaded once for all of them.
class FieldBlock {
 public:
  ///   first: the voxel with the lowest coordinates
  COPSE_HD FieldBlock(const FieldShape& shape, const uvec3& first)
      : lo_(voxel_centre(shape.voxels, first)), hi_(voxel_centre(shape.voxels, first + 1u)) {
    const float square = mul_rn(shape.band, shape.band);
#pragma unroll
    for (u32 k = 0; k < 8; ++k) nearest_[k] = square;
  }

  /// Returns false if the triangle is not nearer to any centre than what is known. Rounding keeps order: the box
  /// of the triangle is not farther from a centre than from the box of all eight, to the last bit.
  COPSE_HD bool may_be_nearer(const Aabb& box) const {
    const vec3 outside(max_number(max_number(0.0f, sub_rn(box.lo.x, hi_.x)), sub_rn(lo_.x, box.hi.x)),
                       max_number(max_number(0.0f, sub_rn(box.lo.y, hi_.y)), sub_rn(lo_.y, box.hi.y)),
                       max_number(max_number(0.0f, sub_rn(box.lo.z, hi_.z)), sub_rn(lo_.z, box.hi.z)));
    return dot_rn(outside, outside) < farthest();
  }

  COPSE_HD void add(const Triangle& triangle, const Aabb& box) {
#pragma unroll
    for (u32 k = 0; k < 8; ++k) {
      const vec3 centre((k & 1) == 0 ? lo_.x : hi_.x, (k & 2) == 0 ? lo_.y : hi_.y, (k & 4) == 0 ? lo_.z : hi_.z);
      if (SquareDistance{centre}(box.lo, box.hi) >= nearest_[k]) continue;
      nearest_[k] = min_number(nearest_[k], nearest_on_triangle(triangle, centre).square);
    }
  }

  COPSE_HD float square(u32 k) const {
    return nearest_[k];
  }

 private:
  COPSE_HD float farthest() const {
    float most = nearest_[0];
#pragma unroll
    for (u32 k = 1; k < 8; ++k) most = max_number(most, nearest_[k]);
    return most;
  }

  vec3 lo_, hi_;  // of the centres
  float nearest_[8];
};

/// Stores the distances of a block of voxels, of the signs that their bits say.
struct StoreFieldBlock {
  TriangleTable table;
  FieldShape shape;
  FieldPairs pairs;
  FieldBricks bricks;

  COPSE_HD void operator()(u64 i) const {
    const u64 brick = i / field_blocks;
    const u32 number = u32(i % field_blocks);
    const uvec3 first = uvec3(number % 4, number / 4 % 4, number / 16) * 2u;
    FieldBlock block(shape, shape.bricks.cell_of(bricks.keys[brick]) * brick_edge + first);
    add_triangles(block, pairs.begins[brick], pairs.begins[brick + 1]);
#pragma unroll
    for (u32 k = 0; k < 8; ++k) {
      const u32 voxel = first.x + (k & 1) + 8 * (first.y + (k >> 1 & 1)) + 64 * (first.z + (k >> 2));
      const float distance = min_number(sqrt_rn(block.square(k)), shape.band);
      const bool is_inside = (bricks.words[brick * brick_words + voxel / 32] >> (voxel % 32) & 1) != 0;
      bricks.values[brick * brick_values + voxel] = is_inside ? -distance : distance;
    }
  }

  /// Each thread goes on to its next triangle that may be nearer before all of a warp compute distances.
  COPSE_HD void add_triangles(FieldBlock& block, u32 begin, u32 end) const {
    u32 at = begin;
    for (;;) {
      Triangle triangle{};
      Aabb box{};
      bool is_found = false;
      while (!is_found && at < end) {
        triangle = table.triangle(pairs.sorted_triangles[at++]);
        box = bounds(triangle);
        is_found = block.may_be_nearer(box);
      }
      if (!is_found) return;
      block.add(triangle, box);
    }
  }
};

/// Stores the voxels within the band, in place of those inside.
struct StoreFieldWord {
  FieldBricks bricks;
  float band;
  COPSE_HD void operator()(u64 i) const {
    u32 word = 0;
    for (u32 k = 0; k < 32; ++k) word |= (magnitude(bricks.values[32 * i + k]) < band ? 1u : 0u) << k;
    bricks.words[i] = word;
  }
};

struct IsFieldBrickKept {
  const u32* words;
  COPSE_HD u32 operator()(u64 brick) const {
    u32 any = 0;
    for (u32 k = 0; k < brick_words; ++k) any |= words[brick * brick_words + k];
    return any != 0 ? 1 : 0;
  }
};

/// Copies the values of a brick that stays, and its key and words.
struct KeepFieldBrick {
  FieldBricks from;
  KeptBricks to;
  COPSE_HD void operator()(u64 i) const {
    const u64 brick = i / brick_values, k = i % brick_values;
    const u64 kept = from.kept_before[brick];
    if (kept == (brick + 1 < from.count ? from.kept_before[brick + 1] : *from.kept_count)) return;
    to.values[kept * brick_values + k] = from.values[i];
    if (k < brick_words) to.words[kept * brick_words + k] = from.words[brick * brick_words + k];
    if (k == 0) to.keys[kept] = from.keys[brick];
  }
};

/// Calls work(triangle, part, slot) for each part of n triangles.
template <class Executor, class Counts, class Work>
void for_each_field_part(const Executor& ex, const char* label, u64 n, const Counts& counts, const Work& work) {
  constexpr u64 no_limit = u64{1} << 60;
  ScratchArena::Frame frame(ex.scratch);
  u64* const no_offsets = nullptr;
  expand(ex, label, n, counts, work, no_limit, no_offsets, frame.allocate<u64>(1));
}

template <class Executor>
void search_field_bricks(const Executor& ex, std::span<const TriangleView> views, u64 n, const FieldShape& shape,
                         const FieldSearch& search) {
  ScratchArena::Frame frame(ex.scratch);
  const FieldTriangles triangles{make_triangle_table(ex, frame, views), shape};
  fill_bytes(ex, "field: clear places", search.places.bits, search.places.word_count, 0);
  fill_bytes(ex, "field: clear counts", search.brick_counts, n, 0);
  for_each_field_part(ex, "field: mark", n, CountFieldParts{triangles},
                      MarkFieldBricks{triangles, search.places, search.brick_counts});
  exclusive_scan(ex, "field: numbers", search.places.word_count, BitsOfPlaces{search.places.bits}, 0u, Plus{},
                 search.places.ranks, search.places.total);
  exclusive_scan(ex, "field: pairs before", n, FieldPairCount{search.brick_counts}, u64{0}, Plus{},
                 search.pairs_before, search.pair_count);
}

inline BitRange bits_below(u64 count) {
  return {0, 64 - leading_zeros(count)};
}

template <class Executor>
void pair_field_bricks(const Executor& ex, std::span<const TriangleView> views, u64 n, const FieldShape& shape,
                       const FieldSearch& search, const FieldPairs& pairs, const FieldBricks& bricks) {
  ScratchArena::Frame frame(ex.scratch);
  const FieldTriangles triangles{make_triangle_table(ex, frame, views), shape};
  for_each(ex, "field: keys", search.places.word_count, StoreFieldKeys{search.places, bricks.keys});
  for_each_field_part(ex, "field: pairs", n, CountFieldParts{triangles},
                      StoreFieldPairs{triangles, search, pairs});
  radix_sort_pairs(ex, "field: sort pairs", pairs.count, Elements<u32>{pairs.bricks},
                   Elements<u32>{pairs.triangles}, pairs.sorted_bricks, pairs.sorted_triangles,
                   bits_below(bricks.count));
  find_list_begins(ex, "field: lists", pairs.sorted_bricks, FieldPairTotal{pairs.count}, bricks.count,
                   pairs.begins);
}

template <class Executor>
void fill_field_bricks(const Executor& ex, std::span<const TriangleView> views, u64 n, const FieldShape& shape,
                       const BrickPlaces& places, const FieldPairs& pairs, const FieldBricks& bricks) {
  ScratchArena::Frame frame(ex.scratch);
  const TriangleTable table = make_triangle_table(ex, frame, views);
  fill_bytes(ex, "field: clear signs", bricks.words, bricks.count * brick_words, 0);
  const FlipFieldVoxels flip{table, shape, places, bricks.words};
  for_each_field_part(ex, "field: crossings", n, flip, flip);
  radix_sort_pairs(ex, "field: sort columns", bricks.count, ColumnKeyOfBrick{shape.bricks, bricks.keys}, Index{},
                   bricks.column_keys, bricks.column_order, bits_below(shape.bricks.cell_count()));
  for_each(ex, "field: signs", bricks.count, CarryFieldParity{bricks, shape.bricks.resolution.z});
  for_each(ex, "field: values", bricks.count * field_blocks, StoreFieldBlock{table, shape, pairs, bricks});
  for_each(ex, "field: band", bricks.count * brick_words, StoreFieldWord{bricks, shape.band});
  exclusive_scan(ex, "field: kept", bricks.count, IsFieldBrickKept{bricks.words}, 0u, Plus{}, bricks.kept_before,
                 bricks.kept_count);
}

template <class Executor>
void keep_field_bricks(const Executor& ex, const FieldBricks& from, const KeptBricks& to) {
  for_each(ex, "field: keep", from.count * brick_values, KeepFieldBrick{from, to});
}

template <class Executor>
u64 field_search_scratch_bytes(const Executor& ex, u64 n, u64 view_count, u64 word_count) {
  const u64 parts = expand_scratch_bytes(ex, n) + ScratchArena::bytes_for<u64>(1);
  const u64 scans = larger(u64(scan_scratch_bytes<u64>(ex, n)), u64(scan_scratch_bytes<u32>(ex, word_count)));
  return triangle_table_scratch_bytes(view_count) + larger(parts, scans);
}

template <class Executor>
u64 field_fill_scratch_bytes(const Executor& ex, u64 n, u64 view_count, u64 pair_count, u64 brick_count) {
  const BitRange any_bits{0, 32};
  const u64 sorts = larger(u64(radix_sort_pairs_scratch_bytes<u32, u32>(ex, pair_count, any_bits)),
                           u64(radix_sort_pairs_scratch_bytes<u32, u32>(ex, brick_count, any_bits)));
  const u64 lists = larger(list_begins_scratch_bytes(brick_count), u64(scan_scratch_bytes<u32>(ex, brick_count)));
  return larger(field_search_scratch_bytes(ex, n, view_count, 0),
                triangle_table_scratch_bytes(view_count) + larger(sorts, lists));
}

template void search_field_bricks(const BodyExecutor&, std::span<const TriangleView>, u64, const FieldShape&,
                                  const FieldSearch&);
template void pair_field_bricks(const BodyExecutor&, std::span<const TriangleView>, u64, const FieldShape&,
                                const FieldSearch&, const FieldPairs&, const FieldBricks&);
template void fill_field_bricks(const BodyExecutor&, std::span<const TriangleView>, u64, const FieldShape&,
                                const BrickPlaces&, const FieldPairs&, const FieldBricks&);
template void keep_field_bricks(const BodyExecutor&, const FieldBricks&, const KeptBricks&);
template u64 field_search_scratch_bytes(const BodyExecutor&, u64, u64, u64);
template u64 field_fill_scratch_bytes(const BodyExecutor&, u64, u64, u64, u64);

}  // namespace copse::detail
