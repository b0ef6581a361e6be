#pragma once

// Regions that travel between ranks, and the choice of their next rank.

#include "queries/overlap.h"
#include "scale/questions/lowest_rank.h"

namespace copse::detail {

/// A region that travels between ranks.
template <class Region>
struct ForwardedRegion {
  Region region;
  u64 visited;  // a bit for each rank
  u32 source;   // the rank that brought it
  u32 index;    // its number there
};

/// Returns the rank that a region visits next; rank_count if it is done.
template <class Region>
COPSE_HD inline u32 next_overlapped_rank(const SpineView& spine, const ForwardedRegion<Region>& forwarded) {
  LowestRank lowest{spine, forwarded.visited, spine.rank_count};
  if (has_points(forwarded.region)) walk_overlaps(spine.tree, OverlapsBox<Region>{forwarded.region}, lowest);
  return lowest.rank;
}

}  // namespace copse::detail
