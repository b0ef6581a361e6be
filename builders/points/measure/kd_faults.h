#pragma once

// What kernels count for the validation of kd-trees.

#include "builders/validation_report.h"

namespace copse::detail {

/// See kd_validate.h.
struct KdFaults {
  u64 bad_counts = 0;
  u64 bad_points = 0;
  u64 repeated_points = 0;
  u64 wrong_sides = 0;
};

inline ValidationReport report_of(const KdFaults& faults) {
  return {{{"bad_counts", "counts that do not fit the points", faults.bad_counts},
           {"bad_points", "nodes that are not the source's points", faults.bad_points},
           {"repeated_points", "points that are several nodes", faults.repeated_points},
           {"wrong_sides", "nodes on the wrong side of a node above them", faults.wrong_sides}}};
}

}  // namespace copse::detail
