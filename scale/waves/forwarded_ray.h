#pragma once

// Rays that travel between ranks, and the choice of their next rank.

#include "scale/waves/spine_view.h"
#include "trace/traverse.h"

namespace copse::detail {

/// A ray that travels between ranks. Its t_max is the t of the closest hit so far.
struct ForwardedRay {
  Ray ray;
  u64 visited;  // a bit for each rank
  u32 source;   // the rank that brought it
  u32 index;    // its number there
};

/// A hit that returns to the rank that brought the ray.
struct FoundHit {
  Hit hit;
  u32 primitive;  // id through all ranks, which decides between hits of equal t
  u32 index;      // of the ray
};

/// Returns approximately where a ray enters a box. Only the order in which ranks are visited depends on it.
COPSE_HD inline float rough_entry(const Ray& ray, const Aabb& box) {
  float entry = ray.t_min;
  for (u32 axis = 0; axis < 3; ++axis) {
    if (ray.direction[axis] == 0) continue;
    const float plane = ray.direction[axis] > 0 ? box.lo[axis] : box.hi[axis];
    entry = max_number(entry, div_rn(sub_rn(plane, ray.origin[axis]), ray.direction[axis]));
  }
  return entry;
}

/// A leaf test that finds the rank with the nearest box among those not visited.
struct NearestRank {
  const SpineView& spine;
  const ForwardedRay& forwarded;
  u32 rank;  // rank_count if there is none
  float entry = 0;

  NearestRank(const NearestRank&) = delete;
  COPSE_HD NearestRank(const SpineView& spine_, const ForwardedRay& forwarded_)
      : spine(spine_), forwarded(forwarded_), rank(spine_.rank_count) {}

  COPSE_HD bool operator()(u32 box, float& limit) {
    const u32 of_box = spine.ranks[box];
    if ((forwarded.visited >> of_box & 1) != 0) return false;
    const float at = rough_entry(forwarded.ray, spine.boxes[box]);
    if (rank != spine.rank_count && (at > entry || (at == entry && of_box > rank))) return false;
    rank = of_box;
    entry = at;
    if (entry < limit) limit = entry;
    return false;
  }
};

/// Returns the rank that a ray visits next; rank_count if it is done.
COPSE_HD inline u32 next_rank(const SpineView& spine, const ForwardedRay& forwarded) {
  NearestRank nearest(spine, forwarded);
  traverse(spine.tree, forwarded.ray, nearest);
  return nearest.rank;
}

}  // namespace copse::detail
