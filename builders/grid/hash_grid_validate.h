#pragma once

#include <string>

#include "builders/grid/hash_grid.h"

namespace copse {

/// What is wrong with a hash grid, counted; all 0 for a valid one.
struct HashGridFaults {
  u64 bad_lists = 0;       // buckets whose lists do not follow each other, a shape or counts that do not fit
  u64 bad_points = 0;      // points that are not those that the grid was built over, or not valid
  u64 wrong_buckets = 0;   // points in another bucket than that of their cell, or not ascending in it
  u64 missing_points = 0;  // valid points that are not in the grid

  bool ok() const { return bad_lists + bad_points + wrong_buckets + missing_points == 0; }
  /// One line: what is wrong and how often; "valid" for a valid grid.
  std::string message() const;
};

/// Proves that every valid point stands once in the bucket of its cell, and nowhere else. Safe on a grid of any
/// content.
///   points: those that the grid was built over
/// Throws: Error invalid_argument for a grid that was never built, or another number of points than it was built
/// over; Error out_of_memory. Waits.
HashGridFaults validate(Context& context, const HashGrid& grid, const PositionSpan& points);

}  // namespace copse
