#pragma once

// The bins of a node on the CPU.

#include "builders/bvh/sah/sah_split.h"

namespace copse::cpu {

namespace detail {

using copse::detail::max_sah_bins;
using copse::detail::SahGrid;
using copse::detail::SahItem;
using copse::detail::SahSplit;
using copse::detail::side_cost;
using copse::detail::side_weight;

/// The box and the number of a node's items in each bin, along each axis.
class SahBins {
 public:
  explicit SahBins(u32 bin_count) : bin_count_(bin_count) {
    for (auto& axis : bins_) {
      for (u32 b = 0; b < bin_count; ++b) axis[b] = {Aabb::empty(), 0};
    }
  }

  void add(const SahGrid& grid, const SahItem& item) {
    const vec3 centre = item.centre();
    for (u32 axis = 0; axis < 3; ++axis) add({item.box(), 1}, bins_[axis][grid.bin(centre, axis)]);
  }

  void add(const SahBins& other) {
    for (u32 axis = 0; axis < 3; ++axis) {
      for (u32 b = 0; b < bin_count_; ++b) add(other.bins_[axis][b], bins_[axis][b]);
    }
  }

  /// The box of all items.
  Aabb box() const {
    Aabb box = Aabb::empty();
    for (u32 b = 0; b < bin_count_; ++b) box = merge(box, bins_[0][b].box);
    return box;
  }

  SahSplit best_split(u32 count) const {
    SahSplit best = SahSplit::in_the_middle(count);
    double min_cost = infinity;
    for (u32 axis = 0; axis < 3; ++axis) {
      const Bin* bins = bins_[axis];
      double right_costs[max_sah_bins];  // [b]: of the bins after b
      Aabb right = Aabb::empty();
      u32 right_count = 0;
      for (u32 b = bin_count_ - 1; b > 0; --b) {
        right = merge(right, bins[b].box);
        right_count += bins[b].count;
        right_costs[b - 1] = side_cost(right, side_weight(right_count));
      }
      Aabb left = Aabb::empty();
      u32 left_count = 0;
      for (u32 b = 0; b + 1 < bin_count_; ++b) {
        left = merge(left, bins[b].box);
        left_count += bins[b].count;
        if (left_count == 0 || left_count == count) continue;
        const double cost = side_cost(left, side_weight(left_count)) + right_costs[b];
        if (cost < min_cost) min_cost = cost, best = {axis, b, left_count};
      }
    }
    return best;
  }

 private:
  struct Bin {
    Aabb box;
    u32 count;
  };
  static void add(const Bin& from, Bin& to) { to = {merge(to.box, from.box), to.count + from.count}; }

  u32 bin_count_;
  Bin bins_[3][max_sah_bins];
};

}  // namespace detail

}  // namespace copse::cpu
