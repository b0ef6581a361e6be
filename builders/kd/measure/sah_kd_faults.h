#pragma once

// Counters that kernels fill for the validation of kd-trees of triangles.

#include "builders/kd/sah_kd_layout.h"
#include "builders/validation_report.h"

namespace copse::detail {

/// See sah_kd_validate.h.
struct SahKdFaults {
  u64 bad_counts = 0;
  u64 bad_nodes = 0;
  u64 bad_lists = 0;
  u64 bad_ids = 0;
  u64 missing_references = 0;
  u64 wrong_references = 0;
};

inline ValidationReport report_of(const SahKdFaults& faults) {
  return {{{"bad_counts", "bounds or counts that do not fit the triangles", faults.bad_counts},
           {"bad_nodes", "nodes out of range or place", faults.bad_nodes},
           {"bad_lists", "entries in no leaf or in several", faults.bad_lists},
           {"bad_ids", "entries that are no triangle of the tree, or out of order", faults.bad_ids},
           {"missing_references", "leaves without a triangle that reaches them", faults.missing_references},
           {"wrong_references", "entries whose triangle does not reach the leaf", faults.wrong_references}}};
}

/// The counts that a tree stores beside its nodes and lists.
struct SahKdCounts {
  u64 valid_count;
  u32 depth;
};

/// The deepest level that a tree can have: the stacks of queries hold one child per level.
inline constexpr u32 max_sah_kd_level = 60;

}  // namespace copse::detail
