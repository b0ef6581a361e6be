#pragma once

#include "scale/waves/spine_view.h"

namespace copse::detail {

/// A leaf test that finds the lowest rank among those not visited.
struct LowestRank {
  const SpineView& spine;
  u64 visited;
  u32 rank;  // rank_count if there is none

  COPSE_HD bool operator()(u32 box) {
    const u32 of_box = spine.ranks[box];
    if ((visited >> of_box & 1) == 0 && of_box < rank) rank = of_box;
    return false;
  }
};

}  // namespace copse::detail
