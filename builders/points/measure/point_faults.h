#pragma once

// Counters that kernels fill for the validation of trees of points.

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

/// See point_bvh_validate.h.
struct PointBvhFaults {
  u64 bad_counts = 0;
  u64 bad_points = 0;
  u64 repeated_points = 0;
  u64 wrong_order = 0;
  u64 wrong_nodes = 0;
};

inline ValidationReport report_of(const PointBvhFaults& faults) {
  return {{{"bad_counts", "counts or bounds that do not fit the points", faults.bad_counts},
           {"bad_points", "points that are not the source's", faults.bad_points},
           {"repeated_points", "points that are there twice", faults.repeated_points},
           {"wrong_order", "points out of the order of the curve", faults.wrong_order},
           {"wrong_nodes", "nodes that do not fit what is below them", faults.wrong_nodes}}};
}

}  // namespace copse::detail
