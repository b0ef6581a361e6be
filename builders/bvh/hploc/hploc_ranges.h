#pragma once

// The hierarchy that H-PLOC climbs: the LBVH over the leaves, of which no node is ever made. A node is a range of
// leaves; its parent splits at whichever end has the closer neighbour (Apetrei, "Fast and Simple Agglomerative
// LBVH Construction", CGVC 2014).

#include "builders/bvh/hploc/hploc_cluster.h"

namespace copse::detail {

/// In ranges of more leaves than this, clusters look as far as they can, whatever the radius asked for: few merges
/// of a build are among them, and they decide most about its quality. Interiors gain most: SAH cost 42.9 to 39.9
/// at radius 4 (bench: copse bench apartment --builder hploc).
inline constexpr u32 narrow_range = 256;

/// Leaves `first` to `last`, both included.
struct LeafRange {
  u32 first;
  u32 last;

  COPSE_HD u32 size() const { return last - first + 1; }
};

template <class Leaves>
struct LeafHierarchy {
  Leaves leaves;
  const u8* deltas;  // between slots, see MortonOrder
  u32 leaf_count;

  /// How close a leaf and the one before it are, and the one after it; 0 where there is none.
  COPSE_HD u32 delta_left(u32 leaf) const { return leaf == 0 ? 0 : 1 + deltas[leaves.first(leaf) - 1]; }
  COPSE_HD u32 delta_right(u32 leaf) const { return leaf + 1 == leaf_count ? 0 : delta_left(leaf + 1); }

  COPSE_HD bool is_whole(const LeafRange& range) const { return range.size() == leaf_count; }

  /// A range hands all its clusters upwards as they are, unless they are too many or there is nobody above.
  COPSE_HD bool must_merge(const LeafRange& range) const {
    return range.size() > max_kept_clusters || is_whole(range);
  }
  COPSE_HD u32 search_radius(const LeafRange& range, u32 radius) const {
    return range.size() <= narrow_range ? radius : max_radius;
  }
  COPSE_HD u32 kept_clusters(const LeafRange& range) const { return is_whole(range) ? 1 : max_kept_clusters; }
};

}  // namespace copse::detail
