#pragma once

// The tree that the SAH builder must give, computed on the host by its definition.

#include <algorithm>
#include <utility>
#include <vector>

#include "builders/bvh/node.h"
#include "builders/bvh/sah.h"
#include "builders/bvh/sah/sah_split.h"

namespace copse::test {

/// Slow and obvious: it tries every split, with the boxes of both sides made from their items.
class SlowSah {
 public:
  SlowSah(const std::vector<Aabb>& boxes, const SahOptions& options) : options_(options) {
    std::vector<detail::SahItem> items;
    for (u32 i = 0; i < boxes.size(); ++i) {
      if (!is_empty(boxes[i])) items.push_back(detail::SahItem::of(boxes[i], i));
    }
    if (items.empty()) return;
    split(items, 0, 0);
    nodes.resize(placed_.size());
    for (const Placed& placed : placed_) nodes[new_place(placed.place)] = placed.node;
    for (BvhNode& node : nodes) {
      if (!node.is_leaf()) node.first = new_place(node.first);
    }
    for (u32 pass = 0; pass < options.rotation_passes; ++pass) rotate(0);
  }
  std::vector<BvhNode> nodes;
  std::vector<u32> primitive_ids;

 private:
  using Items = std::vector<detail::SahItem>;
  struct Placed {
    u32 place;
    BvhNode node;
  };
  struct Best {
    double cost = infinity;
    Items left, right;
  };

  static Aabb box_of(const Items& items) {
    Aabb box = Aabb::empty();
    for (const auto& item : items) box = merge(box, item.box());
    return box;
  }

  static void try_split(const Items& items, const std::vector<char>& goes_left, Best& best) {
    Items left, right;
    for (u32 i = 0; i < items.size(); ++i) (goes_left[i] ? left : right).push_back(items[i]);
    if (left.empty() || right.empty()) return;
    const double cost = detail::side_cost(box_of(left), detail::side_weight(u32(left.size()))) +
                        detail::side_cost(box_of(right), detail::side_weight(u32(right.size())));
    if (cost < best.cost) best = {cost, left, right};
  }

  Best best_of_bins(const Items& items, u32 depth) const {
    Best best;
    const u32 half = u32(items.size()) / 2;
    best.left.assign(items.begin(), items.begin() + half);
    best.right.assign(items.begin() + half, items.end());
    if (depth >= detail::sah_depth_limit) return best;
    Aabb centres = Aabb::empty();
    for (const auto& item : items) centres = merge(centres, {item.centre(), item.centre()});
    const auto grid = detail::SahGrid::over(centres, options_.bin_count);
    for (u32 axis = 0; axis < 3; ++axis) {
      for (u32 bin = 0; bin + 1 < options_.bin_count; ++bin) {
        std::vector<char> goes_left;
        for (const auto& item : items) goes_left.push_back(grid.bin(item.centre(), axis) <= bin);
        try_split(items, goes_left, best);
      }
    }
    return best;
  }

  static Best best_of_places(const Items& items) {
    Best best;
    for (u32 axis = 0; axis < 3; ++axis) {
      std::vector<u32> order;
      for (u32 i = 0; i < items.size(); ++i) order.push_back(i);
      std::ranges::stable_sort(order, {}, [&](u32 i) { return detail::coordinate(items[i].centre(), axis); });
      std::vector<char> goes_left(items.size());
      for (u32 i = 0; i + 1 < items.size(); ++i) {
        goes_left[order[i]] = true;
        try_split(items, goes_left, best);
      }
    }
    return best;
  }

  /// `place` counts slots. new_place turns it into a place that counts leaves.
  void split(const Items& items, u32 place, u32 depth) {
    const u32 first = u32(primitive_ids.size()), count = u32(items.size());
    const Aabb box = box_of(items);
    const Best best = count == 1 ? Best{} : count <= 32 ? best_of_places(items) : best_of_bins(items, depth);
    if (count == 1 ||
        (count <= options_.max_leaf_size && detail::is_cheaper_as_leaf(options_.costs, box, count, best.cost))) {
      for (const auto& item : items) primitive_ids.push_back(item.primitive);
      leaf_starts_.push_back(first);
      placed_.push_back({place, BvhNode::leaf(box, first, count)});
      return;
    }
    const u32 pair = first + u32(best.left.size()) - 1;
    placed_.push_back({place, BvhNode::inner(box, 2 * pair + 1)});
    split(best.left, 2 * pair + 1, depth + 1);
    split(best.right, 2 * pair + 2, depth + 1);
  }

  u32 new_place(u32 place) const {
    if (place == 0) return 0;
    const u32 slot = sibling_pair(place) + 1;
    const auto leaf = std::ranges::lower_bound(leaf_starts_, slot);
    return place - 2 * (slot - u32(leaf - leaf_starts_.begin()));
  }

  /// First does so for all nodes below `node`. Then makes the swap of two nodes below `node` that lowers the area
  /// of its children most, if there is one.
  void rotate(u32 node) {
    if (nodes[node].is_leaf()) return;
    const u32 left = nodes[node].first, right = left + 1;
    rotate(left);
    rotate(right);
    std::vector<std::pair<u32, u32>> swaps;
    for (const auto& [uncle, parent] : {std::pair{left, right}, std::pair{right, left}}) {
      if (nodes[parent].is_leaf()) continue;
      swaps.push_back({uncle, nodes[parent].first});
      swaps.push_back({uncle, nodes[parent].first + 1});
    }
    if (!nodes[left].is_leaf() && !nodes[right].is_leaf()) {
      swaps.push_back({nodes[left].first, nodes[right].first});
      swaps.push_back({nodes[left].first, nodes[right].first + 1});
    }
    double most = 0;
    std::pair<u32, u32> best{left, left};
    for (const auto& swap : swaps) {
      const double gain = gain_of(swap, left, right);
      if (gain > most) most = gain, best = swap;
    }
    swap_nodes(best, left, right);
  }

  /// Returns by how much the swap lowers the area of both parents.
  double gain_of(const std::pair<u32, u32>& swap, u32 left, u32 right) {
    const auto area = [&] {
      if (swap.first == left) return half_area(nodes[right].box());
      if (swap.first == right) return half_area(nodes[left].box());
      return half_area(nodes[left].box()) + half_area(nodes[right].box());
    };
    const double before = area();
    swap_nodes(swap, left, right);
    const double after = area();
    swap_nodes(swap, left, right);
    return before - after;
  }

  void swap_nodes(const std::pair<u32, u32>& swap, u32 left, u32 right) {
    std::swap(nodes[swap.first], nodes[swap.second]);
    fit(left);
    fit(right);
  }

  void fit(u32 node) {
    if (nodes[node].is_leaf()) return;
    const u32 first = nodes[node].first;
    nodes[node] = BvhNode::inner(merge(nodes[first].box(), nodes[first + 1].box()), first);
  }

  SahOptions options_;
  std::vector<Placed> placed_;
  std::vector<u32> leaf_starts_;  // ascending
};

}  // namespace copse::test
