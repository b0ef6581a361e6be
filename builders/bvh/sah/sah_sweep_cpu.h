#pragma once

// Subtrees of few items on the CPU: every split along every axis is tried.

#include "builders/bvh/sah/sah_split.h"

namespace copse::cpu {

namespace detail {

using copse::detail::coordinate;
using copse::detail::max_swept_items;
using copse::detail::SahInput;
using copse::detail::SahItem;
using copse::detail::SahRange;
using copse::detail::side_cost;
using copse::detail::side_weight;

/// Builds the subtree over the items of a range, at most max_swept_items. They are sorted once along each axis,
/// stably; a split keeps the order on both sides.
class SahSweep {
 public:
  explicit SahSweep(const SahInput& in) : in_(in) {
    for (u32 count = 0; count <= max_swept_items; ++count) weights_[count] = side_weight(count);
  }

  void build(const SahRange& range, const SahItem* items) {
    first_ = range.first;
    items_ = items;
    for (u32 axis = 0; axis < 3; ++axis) sort_along(axis, range.count);
    split(range);
  }

 private:
  struct Split {
    double cost = infinity;
    u32 axis = 0, left_count = 1;
    Aabb box;
  };

  void sort_along(u32 axis, u32 count) {
    float centres[max_swept_items];
    u8* order = order_[axis];
    for (u32 i = 0; i < count; ++i) {
      const float centre = coordinate(items_[i].centre(), axis);
      u32 place = i;
      for (; place > 0 && centres[place - 1] > centre; --place) {
        centres[place] = centres[place - 1];
        order[place] = order[place - 1];
      }
      centres[place] = centre;
      order[place] = u8(i);
    }
  }

  void split(const SahRange& range) {
    if (range.count == 1) return in_.tree.place_single(range, items_[order_[0][range.first - first_]]);
    const Split best = find_split(range);
    if (range.count <= in_.max_leaf_size &&
        copse::detail::is_cheaper_as_leaf(in_.costs, best.box, range.count, best.cost)) {
      return place_leaf(range, best.box);
    }
    part(range, best);
    in_.tree.place_inner(range, best.box, best.left_count);
    split(range.left(best.left_count));
    split(range.right(best.left_count));
  }

  Split find_split(const SahRange& range) const {
    Split best;
    for (u32 axis = 0; axis < 3; ++axis) {
      const u8* order = order_[axis] + (range.first - first_);
      double right_costs[max_swept_items];  // [i]: of the items from the i-th on
      Aabb box = Aabb::empty();
      for (u32 i = range.count; i-- > 0;) {
        box = merge(box, items_[order[i]].box());
        right_costs[i] = side_cost(box, weights_[range.count - i]);
      }
      best.box = box;
      box = Aabb::empty();
      for (u32 left_count = 1; left_count < range.count; ++left_count) {
        box = merge(box, items_[order[left_count - 1]].box());
        const double cost = side_cost(box, weights_[left_count]) + right_costs[left_count];
        if (cost < best.cost) best.cost = cost, best.axis = axis, best.left_count = left_count;
      }
    }
    return best;
  }

  /// Moves the items of the left side before the others, in all three orders.
  void part(const SahRange& range, const Split& split) {
    const u32 begin = range.first - first_;
    u32 left_items = 0;  // a bit per item
    for (u32 i = 0; i < split.left_count; ++i) left_items |= 1u << order_[split.axis][begin + i];
    for (u8(&order)[max_swept_items] : order_) {
      u8 right[max_swept_items];
      u32 left_count = 0, right_count = 0;
      for (u32 i = 0; i < range.count; ++i) {
        const u8 item = order[begin + i];
        if (left_items >> item & 1) {
          order[begin + left_count++] = item;
        } else {
          right[right_count++] = item;
        }
      }
      for (u32 i = 0; i < right_count; ++i) order[begin + left_count + i] = right[i];
    }
  }

  /// A leaf has its items in their input order.
  void place_leaf(const SahRange& range, const Aabb& box) const {
    u32 items = 0;
    for (u32 i = 0; i < range.count; ++i) items |= 1u << order_[0][range.first - first_ + i];
    u32 slot = range.first;
    for (u32 i = 0; i < max_swept_items; ++i) {
      if (items >> i & 1) in_.tree.primitive_ids[slot++] = items_[i].primitive;
    }
    in_.tree.place_leaf(range, box);
  }

  const SahInput& in_;
  const SahItem* items_ = nullptr;
  u32 first_ = 0;                        // the slot of the first item
  double weights_[max_swept_items + 1];  // [count]
  u8 order_[3][max_swept_items];
};

}  // namespace detail

}  // namespace copse::cpu
