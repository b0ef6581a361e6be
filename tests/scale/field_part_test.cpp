// The triangles that ranks bring to copse-bench-sizes --gpus: each cell of the sheet once, and equally many per rank.

#include "bench/sizes/field_part.h"

#include <gtest/gtest.h>

#include <vector>

namespace copse {

namespace {

using bench::FieldPart;

/// Returns how often each cell of the sheet is in a part.
std::vector<u32> count_cells(const std::vector<FieldPart>& parts) {
  const u64 side = parts[0].side;
  std::vector<u32> counts(side * side);
  for (const FieldPart& part : parts) {
    const u64 cells = part.columns * part.rows;
    for (u64 i = 0; i < cells; ++i) {
      const u64 cell = i * part.stride % cells;
      const u64 row = part.first_row + cell / part.columns * part.row_step;
      const u64 column = part.first_column + cell % part.columns;
      if (row < side && column < side) ++counts[row * side + column];
    }
  }
  return counts;
}

TEST(FieldPart, HoldsEachCellOfTheSheetOnce) {
  for (const u32 rank_count : {1u, 2u, 4u, 8u, 64u}) {
    for (const u64 triangle_count : {u64{1}, u64{10'000}, u64{123'457}}) {
      std::vector<FieldPart> regions, scattered;
      for (u32 rank = 0; rank < rank_count; ++rank) {
        regions.push_back(FieldPart::region(triangle_count, rank_count, rank));
        scattered.push_back(FieldPart::scattered(triangle_count, rank_count, rank));
      }
      for (const std::vector<FieldPart>& parts : {regions, scattered}) {
        const u64 side = parts[0].side;
        EXPECT_GE(2 * side * side, triangle_count);
        EXPECT_EQ(count_cells(parts), std::vector<u32>(side * side, 1)) << rank_count << " ranks";
        for (const FieldPart& part : parts) {
          EXPECT_EQ(part.side, side);
          EXPECT_EQ(part.triangle_count() * rank_count, 2 * side * side);
        }
      }
    }
  }
}

}  // namespace

}  // namespace copse
