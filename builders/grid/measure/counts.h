#pragma once

// Counters that kernels fill for the statistics and the validation of grids.

#include "builders/validation_report.h"

namespace copse::detail {

/// Measures of the lists of a grid: those of its cells, or of the buckets of a hash grid.
struct ListSums {
  u64 occupied_count;  // lists with an element
  u64 shared_count;    // buckets with points of several cells
  u64 largest;         // elements of the longest list
};

/// Faults of uniform grids and frustum grids: see grid_validate.h.
struct CellFaults {
  u64 bad_shapes = 0;
  u64 bad_lists = 0;
  u64 bad_ids = 0;
  u64 wrong_references = 0;
  u64 missing_references = 0;
};

inline ValidationReport report_of(const CellFaults& faults) {
  return {{{"bad_shapes", "shapes that no build leaves", faults.bad_shapes},
           {"bad_lists", "cells whose lists do not follow each other", faults.bad_lists},
           {"bad_ids", "primitive ids out of range or order", faults.bad_ids},
           {"wrong_references", "primitives in cells that they do not touch", faults.wrong_references},
           {"missing_references", "cells without a primitive that touches them", faults.missing_references}}};
}

/// Faults of hash grids: see hash_grid_validate.h.
struct BucketFaults {
  u64 bad_lists = 0;
  u64 bad_points = 0;
  u64 wrong_buckets = 0;
  u64 missing_points = 0;
};

inline ValidationReport report_of(const BucketFaults& faults) {
  return {
      {{"bad_lists", "buckets whose lists do not follow each other, or counts that do not fit", faults.bad_lists},
       {"bad_points", "points that are not the source's", faults.bad_points},
       {"wrong_buckets", "points out of their bucket or order", faults.wrong_buckets},
       {"missing_points", "points missing", faults.missing_points}}};
}

}  // namespace copse::detail
