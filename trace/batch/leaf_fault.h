#pragma once

#include "primitives/core/macros.h"
#include "primitives/core/types.h"

namespace copse::detail {

/// A fault of a triangle in the leaves of a tree, in one word. Faults are ordered by the place of the triangle.
struct LeafFault {
  static constexpr u64 none = ~u64{0};

  /// The packed triangle is not the primitive that the tree has at its place.
  COPSE_HD static constexpr u64 of_id(u64 place) { return 2 * place; }
  /// The triangle is outside of the box of its leaf.
  COPSE_HD static constexpr u64 of_box(u64 place) { return 2 * place + 1; }

  static constexpr u64 place_of(u64 fault) { return fault / 2; }
  static constexpr bool is_of_box(u64 fault) { return fault % 2 == 1; }
};

}  // namespace copse::detail
