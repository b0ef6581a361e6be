// The upper part of an H-PLOC tree that was built in slices. It is small: some 200 ranges per slice.

#include <algorithm>

#include "builders/bvh/hploc/cluster_row_cpu.h"
#include "builders/bvh/hploc/hploc_slice.h"
#include "primitives/cpu/float_mode.h"

namespace copse::detail {

void WaitingRange::move_by(u32 first_slot) {
  leaves = {leaves.first + first_slot, leaves.last + first_slot};
  for (u32 i = 0; i < cluster_count; ++i) {
    clusters[i].slot += first_slot;
    if (clusters[i].children != 0) clusters[i].children += first_slot;
  }
}

std::vector<PlacedCluster> merge_to_one(std::span<const Cluster> clusters) {
  const cpu::FloatMode mode;
  std::vector<PlacedCluster> placed;
  const auto place = [&placed](const Cluster& cluster, u32 node) { placed.push_back({cluster, node}); };
  cpu::ClusterRow row;
  const auto merge_to = [&](u32 most) {
    while (row.count() > most) row.merge_closest(max_radius, place);
  };
  for (const Cluster& cluster : clusters) {
    row.push(cluster);
    if (row.count() == max_clusters) merge_to(max_kept_clusters);
  }
  merge_to(1);
  place(row.at(0), root_over(row.at(0)));
  return placed;
}

void RangeJoin::push(const WaitingRange& range) {
  const cpu::FloatMode mode;
  pending_.push_back(range);
  while (pending_.size() > 1 && pending_.end()[-2].delta_right > range.delta_right) join_last_two();
}

void RangeJoin::finish() {
  const Cluster& whole = pending_.front().clusters[0];
  placed_.push_back({whole, root_over(whole)});
}

/// Does what HplocClimb::merge_children does on the CPU.
void RangeJoin::join_last_two() {
  const WaitingRange right = pending_.back();
  pending_.pop_back();
  WaitingRange& left = pending_.back();
  left.leaves.last = right.leaves.last;
  left.delta_right = right.delta_right;
  if (!hierarchy_.must_merge(left.leaves)) {
    std::copy_n(right.clusters, right.cluster_count, left.clusters + left.cluster_count);
    left.cluster_count += right.cluster_count;
    return;
  }
  cpu::ClusterRow row;
  for (u32 i = 0; i < left.cluster_count; ++i) row.push(left.clusters[i]);
  for (u32 i = 0; i < right.cluster_count; ++i) row.push(right.clusters[i]);
  const u32 max_left = hierarchy_.kept_clusters(left.leaves);
  const u32 radius = hierarchy_.search_radius(left.leaves, radius_);
  const auto place = [this](const Cluster& cluster, u32 node) { placed_.push_back({cluster, node}); };
  while (row.count() > max_left) row.merge_closest(radius, place);
  left.cluster_count = row.count();
  for (u32 i = 0; i < row.count(); ++i) left.clusters[i] = row.at(i);
}

}  // namespace copse::detail
