#pragma once

// Subtrees of at most 32 items. A warp builds one subtree and splits all nodes of a level at once. Each lane is a
// place, and a node has neighbouring places. A place refers to three items, one per axis: the item of its rank
// along that axis. Segmented scans over the places of a node give the boxes on both sides of every split.
// Definition: builders/bvh/sah/sah_sweep_cpu.h.

#include "builders/bvh/sah/sah_bins.cuh"

namespace copse::cuda {

namespace detail {

using copse::detail::max_swept_items;
static_assert(max_swept_items == warp_size, "a lane holds an item");

/// The shared memory of a warp.
struct SahSweepMemory {
  u32 words[3][warp_size];
};

/// side_weight of few items, [count], in shared memory.
struct SahWeights {
  double of[warp_size + 1];

  __device__ void fill() {
    if (threadIdx.x <= warp_size) of[threadIdx.x] = side_weight(threadIdx.x);
  }
};

class SahSweep {
 public:
  __device__ SahSweep(const SahInput& in, const SahWeights& weights, SahSweepMemory& memory)
      : in_(in), weights_(weights), memory_(memory) {}

  /// Builds the subtree of a node of 1 to max_swept_items.
  __device__ void build(const SahRange& range, const SahItem* from) {
    first_ = range.first;
    item_count_ = range.count;
    bounds_ = SahBounds::empty();
    vec3 centre(0);
    u32 primitive = 0;
    if (has_item()) {
      const SahItem item = from[first_ + lane_id()];
      bounds_ = SahBounds::of(item.box());
      centre = item.centre();
      primitive = item.primitive;
    }
    sort(centre);
    begin_ = has_item() ? 0 : lane_id();
    end_ = has_item() ? item_count_ : lane_id() + 1;
    node_ = range.node();
    bool is_open = end_ - begin_ > 1;
    while (__any_sync(all_lanes, is_open)) is_open = split_level(is_open);
    place_items(primitive);
  }

 private:
  struct Split {
    double cost;
    u32 place;  // the axis, and below it the lane of the last item on the left
  };

  __device__ bool has_item() const { return lane_id() < item_count_; }
  __device__ static u32 low_mask(u32 count) { return count >= warp_size ? all_lanes : (1u << count) - 1; }

  /// order_[axis] = the item at this lane's place. The place of an item is the number of items before it.
  __device__ void sort(const vec3& centre) {
    const SahBounds key = SahBounds::of_point(centre);
#pragma unroll
    for (u32 axis = 0; axis < 3; ++axis)
      memory_.words[axis][lane_id()] = has_item() ? key.side[axis] : 0xfffffffeu;
    __syncwarp();
#pragma unroll
    for (u32 axis = 0; axis < 3; ++axis) {
      const u32 mine = memory_.words[axis][lane_id()];
      u32 rank = 0;
#pragma unroll
      for (u32 k = 0; k < warp_size; ++k) rank += memory_.words[axis][k] < mine + u32(k < lane_id()) ? 1 : 0;
      order_[axis] = rank;
    }
    __syncwarp();
#pragma unroll
    for (u32 axis = 0; axis < 3; ++axis) send(axis, order_[axis], lane_id());
    receive_orders();
  }

  __device__ void send(u32 axis, u32 lane, u32 item) {
    memory_.words[axis][lane] = item;
  }
  __device__ void receive_orders() {
    __syncwarp();
#pragma unroll
    for (u32 axis = 0; axis < 3; ++axis) order_[axis] = memory_.words[axis][lane_id()];
    __syncwarp();
  }

  /// Splits every open node, or makes it a leaf. Returns whether the lane's node is still open.
  __device__ bool split_level(bool is_open) {
    const u32 largest = warp_max(all_lanes, is_open ? end_ - begin_ : 1);
    Aabb box;
    const Split best = cheapest_of_node(find_split(largest, box), largest);
    const u32 count = end_ - begin_, last_left = best.place % warp_size, axis = best.place / warp_size;
    const bool is_first = is_open && lane_id() == begin_;
    const bool wants_leaf = is_first && count <= in_.max_leaf_size && in_.max_leaf_size > 1 &&
                            copse::detail::is_cheaper_as_leaf(in_.costs, box, count, best.cost);
    const bool becomes_leaf = shuffle_from(u32(wants_leaf), begin_) != 0;
    const bool splits = is_open && !becomes_leaf;
    const SahRange range = this_range();
    if (wants_leaf) in_.tree.nodes[node_] = BvhNode::leaf(box, range.first, count);
    if (is_first && splits) place_inner(box, last_left);
    part(splits, axis, last_left);
    if (!splits) return false;
    const u32 behind = last_left + 1;
    node_ = 2 * (first_ + behind) - (lane_id() < behind ? 1 : 0);
    (lane_id() < behind ? end_ : begin_) = behind;
    return end_ - begin_ > 1;
  }

  __device__ SahRange this_range() const {
    return {first_ + begin_, end_ - begin_, 0, 0};
  }

  __device__ void place_inner(const Aabb& box, u32 last_left) const {
    const u32 pair = first_ + last_left;
    in_.tree.nodes[node_] = BvhNode::inner(box, 2 * pair + 1);
    in_.tree.parents[pair] = node_;
  }

  /// Returns the cheapest split of the lane's node right after the lane, over all axes. `box` = the box of the
  /// node, in the first lane of the node.
  ///   largest: no node has more items
  __device__ Split find_split(u32 largest, Aabb& box) const {
    Split best{double(infinity), 0};
#pragma unroll
    for (u32 axis = 0; axis < 3; ++axis) {
      SahBounds left = shuffle_from(bounds_, order_[axis]), right = left;
      for (u32 distance = 1; distance < largest; distance *= 2) {
        const SahBounds before = shuffle_up(left, distance), behind = shuffle_down(right, distance);
        if (lane_id() >= begin_ + distance) left.merge(before);
        if (lane_id() + distance < end_) right.merge(behind);
      }
      const Aabb right_box = right.box();
      const double right_cost = shuffle_down(side_cost(right_box, weights_.of[end_ - lane_id()]), 1);
      const double left_cost = side_cost(left.box(), weights_.of[lane_id() + 1 - begin_]);
      const double cost = lane_id() + 1 < end_ ? left_cost + right_cost : double(infinity);
      if (cost < best.cost) best = {cost, axis * warp_size + lane_id()};
      if (axis == 0) box = right_box;
    }
    return best;
  }

  /// Returns the cheapest split of the node; ties go to the lower axis, then to the lower place.
  __device__ Split cheapest_of_node(Split split, u32 largest) const {
    for (u32 distance = 1; distance < largest; distance *= 2) {
      const Split behind = shuffle_down(split, distance);
      const bool is_less = behind.cost < split.cost || (behind.cost == split.cost && behind.place < split.place);
      if (lane_id() + distance < end_ && is_less) split = behind;
    }
    return shuffle_from(split, begin_);
  }

  /// Moves the items of the left side before the others, in all three orders.
  __device__ void part(bool splits, u32 axis, u32 last_left) {
    const u32 item = axis == 0 ? order_[0] : axis == 1 ? order_[1] : order_[2];
    const u32 left_items = warp_or(all_lanes, splits && lane_id() <= last_left ? 1u << item : 0);
    const u32 places_before = lower_lanes() & ~low_mask(begin_);
#pragma unroll
    for (u32 k = 0; k < 3; ++k) {
      const bool is_left = (left_items >> order_[k] & 1) != 0;
      const u32 left_before = u32(__popc(__ballot_sync(all_lanes, is_left) & places_before));
      const u32 place = is_left ? begin_ + left_before : last_left + 1 + (lane_id() - begin_ - left_before);
      send(k, splits ? place : lane_id(), order_[k]);
    }
    receive_orders();
  }

  /// Writes the ids of all items, those of a leaf in their input order, and the leaves of one item.
  __device__ void place_items(u32 primitive) {
    send(0, order_[0], begin_);
    send(1, order_[0], node_);
    __syncwarp();
    const u32 begin = memory_.words[0][lane_id()], node = memory_.words[1][lane_id()];
    __syncwarp();
    const u32 together = __match_any_sync(all_lanes, begin);
    if (!has_item()) return;
    const u32 slot = first_ + begin + u32(__popc(together & lower_lanes()));
    in_.tree.primitive_ids[slot] = primitive;
    if (__popc(together) == 1) in_.tree.nodes[node] = BvhNode::leaf(bounds_.box(), slot, 1);
  }

  const SahInput& in_;
  const SahWeights& weights_;
  SahSweepMemory& memory_;
  u32 first_ = 0, item_count_ = 0;
  SahBounds bounds_{};                  // of item `lane`
  u32 order_[3] = {};                   // along each axis, the item at place `lane`
  u32 begin_ = 0, end_ = 0, node_ = 0;  // the node that the place is in
};

}  // namespace detail

}  // namespace copse::cuda
