#pragma once

// Finds where to cut two sorted runs, so that parts of their merge can be made independently: Odeh, Green, Mwassi,
// Shmueli, Birk, "Merge Path - Parallel Merging Made Simple", IPDPS Workshops 2012; Green, McColl, Bader, "GPU
// Merge Path", ICS 2012.

#include "primitives/core/bits.h"
#include "primitives/core/macros.h"
#include "primitives/core/types.h"

namespace copse::detail {

/// Returns how many of the first `diagonal` elements of the merge of `a` and `b` come from `a`. Of equal elements
/// those of `a` come first. `diagonal` is at most the sum of the two counts.
template <class Position, class Key, class Less>
COPSE_HD Position merge_path(const Key* a, Position a_count, const Key* b, Position b_count, Position diagonal,
                             const Less& less) {
  Position lo = diagonal > b_count ? diagonal - b_count : 0;
  Position hi = smaller(diagonal, a_count);
  while (lo < hi) {
    const Position middle = lo + (hi - lo) / 2;
    if (less(b[diagonal - 1 - middle], a[middle])) {
      hi = middle;
    } else {
      lo = middle + 1;
    }
  }
  return lo;
}

}  // namespace copse::detail
