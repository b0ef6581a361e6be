#pragma once

#include "trace/hit/slabs.h"

namespace copse::detail {

/// What children are visited in the order of, lowest first. A function of the ray and the box alone: the walk
/// relies on it where it climbs.

/// In a binary tree the middle of the ray's part in the box. Where the ray enters two boxes at once, which is the
/// rule in interiors, as all boxes around the origin are entered at t_min, the one that it leaves sooner comes
/// first; boxes that overlap are ordered by where most of their contents are.
COPSE_HD inline u32 middle_key(const BoxSpan& span) {
  return bits_of(add_rn(span.entry, span.exit));
}

/// In a wide tree where the box is entered: the stack needs that, and four sums less are more than the better
/// order brings.
COPSE_HD inline u32 entry_key(const BoxSpan& span) {
  return bits_of(span.entry);
}

}  // namespace copse::detail
