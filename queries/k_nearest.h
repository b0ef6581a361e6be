#pragma once

// The k primitives nearest to a point, for the host and for kernels. For batches: queries/point_queries.h.

#include "queries/nearest_point.h"

namespace copse {

/// One of the nearest primitives. If there is none, primitive and geometry are invalid_id and distance is
/// infinite.
struct Neighbour {
  float distance;
  u32 primitive;  // number of the triangle in its view
  u32 geometry;   // the view's geometry id

  COPSE_HD static Neighbour none() { return {infinity, invalid_id, invalid_id}; }
  /// The smaller one comes first at equal distances.
  COPSE_HD u32 tie_id() const { return primitive; }
};

namespace detail {

/// The nearest items so far, in the caller's memory: a heap with the farthest item on top. During the search,
/// `distance` holds the square of the distance, `primitive` of a Neighbour counts through all views, and `geometry`
/// holds the number by which its triangle is fetched.
///   Item: has a float distance and u32 tie_id() const
template <class Item>
class NeighbourHeap {
 public:
  ///   size: number of items that form a heap already
  COPSE_HD NeighbourHeap(Item* items, u32 capacity, u32 size = 0)
      : items_(items), capacity_(capacity), size_(size) {}

  COPSE_HD u32 size() const { return size_; }
  COPSE_HD bool is_full() const { return size_ == capacity_; }
  COPSE_HD void clear() { size_ = 0; }
  COPSE_HD float farthest() const { return items_[0].distance; }

  COPSE_HD bool holds(u32 tie_id) const {
    for (u32 i = 0; i < size_; ++i) {
      if (items_[i].tie_id() == tie_id) return true;
    }
    return false;
  }

  /// Adds an item. A full heap drops the farthest one, which may be the new item itself.
  COPSE_HD void add(const Item& added) {
    if (!is_full()) {
      rise(size_++, added);
    } else if (is_nearer(added, items_[0])) {
      sink(added, size_);
    }
  }

  /// Sorts the items, nearest first. They are not a heap any more.
  COPSE_HD void sort() {
    for (u32 end = size_; end > 1; --end) {
      const Item farthest = items_[0];
      sink(items_[end - 1], end - 1);
      items_[end - 1] = farthest;
    }
  }

 private:
  COPSE_HD static bool is_nearer(const Item& a, const Item& b) {
    return a.distance < b.distance || (a.distance == b.distance && a.tie_id() < b.tie_id());
  }

  /// Puts `item` at the empty place `at`, or moves it up from there to its level.
  COPSE_HD void rise(u32 at, const Item& item) {
    while (at > 0 && is_nearer(items_[(at - 1) / 2], item)) {
      items_[at] = items_[(at - 1) / 2];
      at = (at - 1) / 2;
    }
    items_[at] = item;
  }

  /// Puts `item` at the empty top, or moves it down from there to its level, in a heap of `size`.
  COPSE_HD void sink(const Item& item, u32 size) {
    u32 at = 0;
    for (u64 child = 1; child < size; child = 2 * u64{at} + 1) {
      u32 farther = u32(child);
      if (farther + 1 < size && is_nearer(items_[farther], items_[farther + 1])) ++farther;
      if (!is_nearer(item, items_[farther])) break;
      items_[at] = items_[farther];
      at = farther;
    }
    items_[at] = item;
  }

  Item* items_;
  u32 capacity_;
  u32 size_;
};

/// Returns true if a primitive may be in several leaves of a tree of any type.
template <class Tree>
COPSE_HD inline bool may_repeat(const Tree& tree) {
  if constexpr (requires { tree.repeats; }) {
    return tree.repeats != nullptr;
  } else {
    return false;
  }
}

/// Test of a traversal: adds triangles to the heap.
template <class Triangles>
struct NearTriangles {
  static constexpr bool takes_places = Triangles::takes_places;

  Triangles triangles;
  vec3 from;
  NeighbourHeap<Neighbour> heap;
  bool may_meet_again;  // the same triangle may be in another leaf

  COPSE_HD bool operator()(u32 at, float& limit) {
    if (!triangles.sees(at)) return false;
    const Triangle triangle = triangles.triangle(at);
    if (!is_finite(triangle)) return false;
    const float square = nearest_on_triangle(triangle, from).square;
    if (square <= limit && !(may_meet_again && heap.holds(triangles.primitive(at)))) {
      heap.add({square, triangles.primitive(at), at});
      if (heap.is_full()) limit = heap.farthest();
    }
    return false;
  }
};
template <class Triangles>
NearTriangles(Triangles, vec3, NeighbourHeap<Neighbour>, bool) -> NearTriangles<Triangles>;

}  // namespace detail

/// Stores the `k` triangles nearest to a point and returns how many there are. None is farther than
/// `max_distance`. They are sorted by (square of the distance, primitive id through all views), nearest first. All
/// else is as for nearest_point.
///   neighbours: room for k. Elements past the returned number are not written. The search keeps a heap in the others.
///               k may be any number, and is fast up to some hundred.
template <u32 stack_size = detail::walk_stack_size, class Tree, class Triangles>
COPSE_HD inline u32 k_nearest(const Tree& tree, const Triangles& triangles, const vec3& point, float max_distance,
                              u32 k, Neighbour* neighbours) {
  if (k == 0 || !is_finite(point)) return 0;
  detail::NearTriangles near{detail::triangles_of(triangles), point,
                             detail::NeighbourHeap<Neighbour>(neighbours, k), detail::may_repeat(tree)};
  walk_nearest_first<stack_size>(tree, SquareDistance{point}, detail::square_limit(max_distance), near);
  near.heap.sort();
  for (u32 i = 0; i < near.heap.size(); ++i) {
    const Neighbour found = neighbours[i];
    neighbours[i] = {sqrt_rn(found.distance), near.triangles.local_id(found.geometry),
                     near.triangles.geometry(found.geometry)};
  }
  return near.heap.size();
}

template <u32 stack_size = detail::walk_stack_size, class Tree>
COPSE_HD inline u32 k_nearest(const Tree& tree, const TriangleView& triangles, const vec3& point,
                              float max_distance, u32 k, Neighbour* neighbours) {
  return k_nearest<stack_size>(tree, TriangleTable{triangles}, point, max_distance, k, neighbours);
}

}  // namespace copse
