#pragma once

// Points that travel between ranks, and the choice of their next rank.

#include "queries/k_nearest.h"
#include "queries/point_inside.h"
#include "scale/questions/lowest_rank.h"

namespace copse::detail {

/// A point that travels between ranks.
struct ForwardedPoint {
  vec3 point;
  float limit;    // the square of the distance; farther triangles are ignored
  u64 visited;    // a bit for each rank
  u32 primitive;  // the smallest id at this limit so far, through all ranks
  u32 source;     // the rank that brought it
  u32 index;      // its number there
};

/// A nearest point that returns to the rank that brought the query.
struct FoundPoint {
  NearestPoint nearest;
  u32 index;
};

/// One of the nearest triangles, as an item of a NeighbourHeap.
struct FoundNeighbour {
  float distance;  // its square
  u32 primitive;   // through all ranks
  u32 local_id, geometry;

  COPSE_HD u32 tie_id() const { return primitive; }
};

/// Notes the visit of a rank, and the rank that gets a reply.
struct PointVisit {
  u32 rank, rank_count;
  ForwardedPoint* live;
  u32* reply_to;  // rank_count for none

  COPSE_HD void note(u64 i, bool has_found) const {
    live[i].visited |= u64{1} << rank;
    reply_to[i] = has_found ? live[i].source : rank_count;
  }
};

/// A leaf test that finds the rank with the nearest box among those not visited; at equal distance, the lowest rank.
struct NearestRankToPoint {
  const SpineView& spine;
  const ForwardedPoint& forwarded;
  u32 rank;  // rank_count if there is none
  float distance = 0;

  NearestRankToPoint(const NearestRankToPoint&) = delete;
  COPSE_HD NearestRankToPoint(const SpineView& spine_, const ForwardedPoint& forwarded_)
      : spine(spine_), forwarded(forwarded_), rank(spine_.rank_count) {}

  COPSE_HD bool operator()(u32 box, float& limit) {
    const u32 of_box = spine.ranks[box];
    if ((forwarded.visited >> of_box & 1) != 0) return false;
    const float at = SquareDistance{forwarded.point}(spine.boxes[box].lo, spine.boxes[box].hi);
    if (!(at <= limit)) return false;
    if (rank != spine.rank_count && (at > distance || (at == distance && of_box > rank))) return false;
    rank = of_box;
    distance = at;
    limit = at;
    return false;
  }
};

/// Returns the next rank in the search for the nearest triangles; rank_count if the point is done.
COPSE_HD inline u32 next_near_rank(const SpineView& spine, const ForwardedPoint& forwarded) {
  NearestRankToPoint nearest(spine, forwarded);
  if (is_finite(forwarded.point)) {
    walk_nearest_first(spine.tree, SquareDistance{forwarded.point}, forwarded.limit, nearest);
  }
  return nearest.rank;
}

/// Returns the next rank that counts the triangles on the way out of a point; rank_count if the point is done. The
/// way out is the same on all ranks, since it depends only on the box of all triangles.
COPSE_HD inline u32 next_crossed_rank(const SpineView& spine, const ForwardedPoint& forwarded) {
  LowestRank lowest{spine, forwarded.visited, spine.rank_count};
  AxisRay ray;
  if (find_way_out(forwarded.point, root_box(spine.tree), ray)) walk_overlaps(spine.tree, ray, lowest);
  return lowest.rank;
}

}  // namespace copse::detail
