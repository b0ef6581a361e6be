#pragma once

// A row of clusters on the CPU. Arrays replace the lanes of a warp (cluster_lanes.cuh), so that the search for
// neighbours runs in vector registers.

#include "builders/bvh/hploc/hploc_cluster.h"

namespace copse::cpu {

class ClusterRow {
 public:
  using Cluster = copse::detail::Cluster;
  using NeighbourKey = copse::detail::NeighbourKey;

  u32 count() const { return count_; }

  Cluster at(u32 i) const {
    return {vec3(lo_x_[i], lo_y_[i], lo_z_[i]), children_[i], vec3(hi_x_[i], hi_y_[i], hi_z_[i]), slot_[i]};
  }

  void push(const Cluster& cluster) { set(count_++, cluster); }

  /// Merges all neighbours that choose each other, once, and moves the clusters that remain together.
  ///   place: called with each merged cluster and its node
  template <class Place>
  void merge_closest(u32 radius, const Place& place) {
    find_neighbours(radius);
    u32 kept_count = 0;
    for (u32 i = 0; i < count_; ++i) {
      const u32 neighbour = copse::detail::neighbour_of(nearest_[i], i);
      const bool merges = neighbour != i && nearest_[neighbour] == nearest_[i];
      if (merges && neighbour < i) continue;
      Cluster cluster = at(i);
      if (merges) {
        const Cluster other = at(neighbour);
        place(cluster, 2 * other.slot - 1);
        place(other, 2 * other.slot);
        cluster = copse::detail::merge(cluster, other);
      }
      set(kept_count++, cluster);
    }
    count_ = kept_count;
  }

 private:
  static constexpr u32 vector_size = 8;
  static constexpr u32 size = copse::detail::max_clusters;
  static constexpr u32 padded_size = size + copse::detail::max_radius;

  void set(u32 i, const Cluster& cluster) {
    lo_x_[i] = cluster.lo.x, lo_y_[i] = cluster.lo.y, lo_z_[i] = cluster.lo.z;
    hi_x_[i] = cluster.hi.x, hi_y_[i] = cluster.hi.y, hi_z_[i] = cluster.hi.z;
    children_[i] = cluster.children, slot_[i] = cluster.slot;
  }

  Aabb box(u32 i) const { return {vec3(lo_x_[i], lo_y_[i], lo_z_[i]), vec3(hi_x_[i], hi_y_[i], hi_z_[i])}; }

  /// nearest_[i] = the lowest key of cluster i and another one at most `radius` places away.
  void find_neighbours(u32 radius) {
    for (u32 i = 0; i < size; ++i) nearest_[i] = copse::detail::no_neighbour;
    for (u32 offset = 1; offset <= radius && offset < count_; ++offset) {
      const u32 pair_count = count_ - offset;
      const u32 rounded_count = (pair_count + vector_size - 1) / vector_size * vector_size;
      for (u32 i = 0; i < rounded_count; ++i) {
        keys_[i] = copse::detail::neighbour_key(box(i), box(i + offset), i, offset);
      }
      for (u32 i = 0; i < pair_count; ++i) nearest_[i] = smaller(nearest_[i], keys_[i]);
      for (u32 i = 0; i < pair_count; ++i) nearest_[i + offset] = smaller(nearest_[i + offset], keys_[i]);
    }
  }

  // Elements past the last cluster take part in the arithmetic, and their results are ignored.
  alignas(32) float lo_x_[padded_size] = {}, lo_y_[padded_size] = {}, lo_z_[padded_size] = {};
  alignas(32) float hi_x_[padded_size] = {}, hi_y_[padded_size] = {}, hi_z_[padded_size] = {};
  u32 children_[size], slot_[size];
  NeighbourKey nearest_[size], keys_[size];
  u32 count_ = 0;
};

}  // namespace copse::cpu
