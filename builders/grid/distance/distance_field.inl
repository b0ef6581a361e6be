// Distance fields of closed surfaces, in sparse bricks.
//
// 1. Search: each triangle marks the bricks near it as bits of their places, and counts them.
// 2. Pairs of a brick and a triangle near it, sorted by brick.
// 3. Signs: each triangle flips voxels, and the parity is carried upwards through the bricks of a column.
// 4. Values: each voxel takes the minimum over the triangles of its brick.
// 5. Bricks without a voxel within the band are left out.
//
// Narrow bands of level sets: Museth, "VDB: High-Resolution Sparse Volumes with Dynamic Topology", TOG 2013. Signs
// by parity per column: Schwarz, Seidel, "Fast Parallel Surface and Solid Voxelization on GPUs", TOG 2010. Where
// we differ: there is no dense grid of signs.

#include "builders/geometry/make_triangle_table.h"
#include "builders/grid/cells/list_begins.h"
#include "builders/grid/distance/field_search.h"
#include "builders/grid/distance/field_signs.h"
#include "builders/grid/distance/field_values.h"
#include "primitives/expand.h"
#include "primitives/inputs.h"
#include "primitives/radix_sort.h"
#include "primitives/scan.h"

namespace copse::detail {

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
