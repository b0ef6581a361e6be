#pragma once

#include <numeric>

#include "primitives/core/macros.h"
#include "primitives/core/types.h"

namespace copse::bench {

/// The cells of a square sheet of side x side cells that one of several ranks brings. Each cell has two triangles. All
/// ranks bring equally many.
struct FieldPart {
  u64 side;
  u64 first_column, columns;
  u64 first_row, row_step, rows;
  u64 stride;  // from a cell to the next one in the order of triangles; it has no divisor in common with the cells

  COPSE_HD u64 triangle_count() const { return 2 * columns * rows; }
  COPSE_HD u64 position_count() const { return 2 * rows * (columns + 1); }

  /// Returns the part of a rank that has one region of the sheet, as tiles of a scan or an earlier frame leave it. The
  /// regions are those that the Morton curve cuts, so hardly a triangle moves in a build.
  ///   rank_count: a power of two
  static FieldPart region(u64 triangle_count, u32 rank_count, u32 rank) {
    const u64 side = side_for(triangle_count, rank_count);
    FieldPart part{side, 0, side, 0, 1, side, 1};
    bool cuts_columns = true;  // the curve cuts x first
    for (u32 bit = rank_count / 2; bit > 0; bit /= 2, cuts_columns = !cuts_columns) {
      u64& count = cuts_columns ? part.columns : part.rows;
      u64& first = cuts_columns ? part.first_column : part.first_row;
      count /= 2;
      if ((rank & bit) != 0) first += count;
    }
    return part;
  }

  /// Returns the part of a rank that has triangles of all regions, in no order: nearly all of them move in a build.
  static FieldPart scattered(u64 triangle_count, u32 rank_count, u32 rank) {
    const u64 side = side_for(triangle_count, rank_count);
    FieldPart part{side, 0, side, rank, rank_count, side / rank_count, 2654435761};
    while (std::gcd(part.stride, part.columns * part.rows) != 1) part.stride += 2;
    return part;
  }

 private:
  /// The least side for so many triangles that can be divided by the number of ranks.
  static u64 side_for(u64 triangle_count, u32 rank_count) {
    u64 side = rank_count;
    while (2 * side * side < triangle_count) side += rank_count;
    return side;
  }
};

}  // namespace copse::bench
