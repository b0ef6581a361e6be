#pragma once

#include "primitives/core/types.h"

namespace copse::detail {

/// Faults of a tree, counted on the device.
struct Faults {
  u64 bad_indices;
  u64 wrong_references;  // sibling pairs, or nodes of a wide tree, that are not the children of exactly one node
  u64 visited_nodes;     // by walks from the leaves
  u64 missing_primitives;
  u64 repeated_primitives;
  u64 invalid_primitives;
  u64 loose_boxes;
};

}  // namespace copse::detail
