#pragma once

// The inner nodes of a window of neighbouring pairs. A block chooses for them in shared memory, children before
// parents. The number of a node is that of its children's pair, from the first pair of the window on.
//
// Each node has a place for its costs. Until its choice is made, the place holds its area and, if one child is a leaf, the
// cost of that. A node is ready once three things are there: the node itself and the costs of both children. If both are
// leaves, the thread that loads the node chooses at once. The other ready nodes form lists, one per round, which all
// threads of the block share. Once a list is no longer than a warp, the lanes walk on upwards, each as long as it arrives
// second.

#include "builders/bvh/wide/collapsed_tree.h"
#include "primitives/core/atomic.h"
#include "primitives/cuda/warp.cuh"

namespace copse::cuda {

namespace detail {

using copse::detail::AreaScale;
using copse::detail::choose_slots;
using copse::detail::ChosenPairs;
using copse::detail::ChosenSlots;
using copse::detail::CollapseCosts;
using copse::detail::load_whole;
using copse::detail::PairChoice;
using copse::detail::PairLinks;
using copse::detail::SlotCosts;
using copse::detail::store_whole;

/// The pairs for which the windows defer choices: a bit per pair, in words of 32.
struct DeferredPairs {
  u32* open;      // 1 if the node has a choice and its parent has none
  u32* arrivals;  // 0; later 1 for a node without a choice if one of its children has arrived
};

/// A binary tree. Forests have an input of their own (builders/bvh/forest/forest_choose.cuh).
template <u32 tree_width>
struct ChooseInput {
  static constexpr u32 width = tree_width;

  BvhView bvh;
  CollapseCosts costs;
  SlotCosts<width>* slot_costs;  // [pair]: a message, of open nodes and of nodes without a choice
  ChosenPairs<width> chosen;
  DeferredPairs deferred;

  __device__ bool is_root(u32 node) const { return node == 0; }
  /// Whether a pair whose parent is `parent` is part of a tree.
  __device__ bool is_used(u32) const { return true; }

  __device__ SlotCosts<width> leaf_costs(const AreaScale& scale, const BvhNode& leaf) const {
    return SlotCosts<width>::of_leaf(costs.of_leaf(scale.area(leaf.box()), leaf.count), leaf.count);
  }
};

/// Costs that one thread sends to another, in pieces of 8 bytes. Each piece arrives whole, and pieces may arrive
/// in any order. A piece begins with a cost. Before it arrives, it holds a NaN that arithmetic never gives.
template <u32 width>
struct CostsMessage {
  static constexpr u32 pieces = sizeof(SlotCosts<width>) / sizeof(u64);
  static constexpr u64 nothing = ~u64{0};

  __device__ static void clear(SlotCosts<width>* place) {
    SlotCosts<width> empty;
    memset(&empty, 0xff, sizeof(empty));
    store_whole(empty, place);
  }
  __device__ static void send(const SlotCosts<width>& costs, SlotCosts<width>* place) {
    u64 words[pieces];
    memcpy(words, &costs, sizeof(costs));
#pragma unroll
    for (u32 k = 0; k < pieces; k += 2) {
      store_relaxed(reinterpret_cast<u64*>(place) + k, {words[k], words[k + 1]});
    }
  }
  /// Returns whether all pieces have arrived.
  __device__ static bool receive(const SlotCosts<width>* place, SlotCosts<width>& costs) {
    u64 words[pieces];
    bool is_whole = true;
#pragma unroll
    for (u32 k = 0; k < pieces; k += 2) {
      u64 two[2];
      load_relaxed(reinterpret_cast<const u64*>(place) + k, two);
      is_whole = is_whole && u32(two[0]) != u32(nothing) && u32(two[1]) != u32(nothing);
      words[k] = two[0];
      words[k + 1] = two[1];
    }
    memcpy(&costs, words, sizeof(costs));
    return is_whole;
  }
};

template <u32 width>
__device__ void swap_costs(SlotCosts<width>& a, SlotCosts<width>& b) {
  const SlotCosts<width> before = a;
  a = b;
  b = before;
}

inline constexpr u32 window_threads = 256;
template <u32 width>
inline constexpr u32 window_pairs = width == 4 ? 1024 : 512;
inline constexpr u32 window_blocks = 4;  // on a multiprocessor

/// How much of a node has arrived, and its parent.
///
///   31 .. 16          15        14      13 .. 0
///   arrived         outside    root     parent, if it is in the window
struct WaitingNode {
  static constexpr u32 outside_bit = 1u << 15, root_bit = 1u << 14, one_came = 1u << 16, all = 3;

  u32 bits;

  __device__ u32 came() const { return bits >> 16; }
  __device__ bool is_outside() const { return (bits & outside_bit) != 0; }
  __device__ bool is_root() const { return (bits & root_bit) != 0; }
  __device__ u32 parent() const { return bits & (root_bit - 1); }

  ///   node: the parent of the nodes of a pair
  __device__ static WaitingNode of(u32 node, bool is_root, u32 begin, u32 count) {
    const u32 above = sibling_pair(node) - begin;
    if (is_root) return {outside_bit | root_bit};
    return {above < count ? above : outside_bit};
  }
};

/// The two children of a node in a window: their own numbers, or no_inner_child.
struct ChildNodes {
  static constexpr u32 no_inner_child = 0xffffu;

  u16 of[2];

  __device__ static ChildNodes in(const BvhNode& left, const BvhNode& right, u32 begin) {
    return {{number(left, begin), number(right, begin)}};
  }
  __device__ bool is_leaf(u32 side) const { return of[side] == no_inner_child; }

 private:
  /// The number of a child outside of the window means nothing: its parent never becomes ready.
  __device__ static u16 number(const BvhNode& node, u32 begin) {
    return node.is_leaf() ? u16(no_inner_child) : u16(sibling_pair(node.first) - begin & 0x7fffu);
  }
};

///   pairs:   of a window, at most
///   threads: of the block
template <u32 width, u32 pairs = window_pairs<width>, u32 threads = window_threads>
class SlotsWindow {
 public:
  /// Loads the pairs [begin, begin + count), chooses for the parents of pairs of two leaves, and lists the nodes
  /// that are ready then.
  ///   scale_of: returns the AreaScale of a pair's tree
  template <class Input, class ScaleOf>
  __device__ void load(const Input& in, const ScaleOf& scale_of, u32 begin, u32 count) {
    if (threadIdx.x < list_count) listed_[threadIdx.x] = 0;
    for (u32 i = threadIdx.x; i < pairs; i += threads) nodes_[i] = 0;
    __syncthreads();
    for (u32 i = threadIdx.x; i < count; i += threads) {
      const u32 pair = begin + i;
      const u32 parent = in.bvh.parents.data()[pair];
      if (!in.is_used(parent)) continue;
      const WaitingNode waiting = WaitingNode::of(parent, in.is_root(parent), begin, count);
      const BvhNode left = load_whole(in.bvh.nodes.data() + 2 * pair + 1);
      const BvhNode right = load_whole(in.bvh.nodes.data() + 2 * pair + 2);
      in.chosen.links[pair] = PairLinks::of(left, right);
      const AreaScale scale = scale_of(pair);
      const float area = scale.area(merge(left.box(), right.box()));
      const SlotCosts<width> left_leaf = in.leaf_costs(scale, left), right_leaf = in.leaf_costs(scale, right);
      if (left.is_leaf() && right.is_leaf()) {
        nodes_[i] = waiting.bits | WaitingNode::all * WaitingNode::one_came;
        put(i, choose_slots(in.costs, left_leaf, right_leaf, area, waiting.is_root()), left_leaf, right_leaf);
        if (tell_parent(waiting)) list(0, 0, waiting.parent());
        continue;
      }
      children_[i] = ChildNodes::in(left, right, begin);
      store_whole(waiting_costs(left.is_leaf() ? left_leaf : right_leaf, area), &costs_[i]);
      const u32 came = 1 + u32(left.is_leaf()) + u32(right.is_leaf());
      const WaitingNode before{atomicAdd(&nodes_[i], waiting.bits + came * WaitingNode::one_came)};
      if (before.came() + came == WaitingNode::all) list(0, 0, i);
    }
  }

  /// Chooses for all nodes whose subtrees lie in the window.
  template <class Input>
  __device__ void choose(const Input& in) {
    u32 first = 0;
    for (u32 round = 0;; ++round) {
      __syncthreads();
      const u32 count = listed_[round % list_count], next = (round + 1) % list_count;
      if (count <= warp_size) {
        if (threadIdx.x < warp_size) walk(in, first, count);
        break;
      }
      if (threadIdx.x == 0) listed_[(round + 2) % list_count] = 0;
      for (u32 k = first + threadIdx.x; k < first + count; k += threads) {
        const WaitingNode node = choose_one(in, ready_[k]);
        if (tell_parent(node)) list(next, first + count, node.parent());
      }
      first += count;
    }
    __syncthreads();
  }

  /// Stores the choices, and the input of the choices above the window.
  template <class Input>
  __device__ void store(const Input& in, u32 begin, u32 count) {
    for (u32 i = threadIdx.x; i < pairs; i += threads) {
      bool is_open = false;
      if (i < count) {
        const WaitingNode node{nodes_[i]};
        if (node.came() < WaitingNode::all) {
          CostsMessage<width>::clear(in.slot_costs + begin + i);
        } else {
          in.chosen.choices[begin + i] = choices_[i];
          is_open = node.is_outside() ? !node.is_root() : !was_chosen(node.parent());
        }
        if (is_open) store_whole(load_whole(&costs_[i]), in.slot_costs + begin + i);
      }
      const u32 open = __ballot_sync(all_lanes, is_open);
      if (lane_id() != 0) continue;
      in.deferred.open[(begin + i) / warp_size] = open;
      in.deferred.arrivals[(begin + i) / warp_size] = 0;
    }
  }

  /// The choice for the parent of pair i, if its subtree lies in the window.
  __device__ PairChoice<width> choice(u32 i) const { return choices_[i]; }

 private:
  static constexpr u32 list_count = 3;  // one to read, one to write, one to empty for the next round

  __device__ bool was_chosen(u32 i) const { return WaitingNode{nodes_[i]}.came() == WaitingNode::all; }

  template <class Input>
  __device__ WaitingNode choose_one(const Input& in, u32 i) {
    const WaitingNode node{nodes_[i]};
    const ChildNodes children = children_[i];
    const SlotCosts<width> waiting = load_whole(&costs_[i]), leaf = leaf_of(waiting);
    const SlotCosts<width> left = children.is_leaf(0) ? leaf : load_whole(&costs_[children.of[0]]);
    const SlotCosts<width> right = children.is_leaf(1) ? leaf : load_whole(&costs_[children.of[1]]);
    put(i, choose_slots(in.costs, left, right, area_of(waiting), node.is_root()), left, right);
    return node;
  }

  /// What the place of a node holds before its choice is made. With all numbers of slots a leaf costs the same.
  __device__ static SlotCosts<width> waiting_costs(const SlotCosts<width>& leaf, float area) {
    SlotCosts<width> waiting = leaf;
    waiting.of[1] = area;
    return waiting;
  }
  __device__ static float area_of(const SlotCosts<width>& waiting) { return waiting.of[1]; }
  __device__ static SlotCosts<width> leaf_of(const SlotCosts<width>& waiting) {
    return SlotCosts<width>::of_leaf(waiting.of[0], waiting.primitive_count);
  }

  __device__ void put(u32 i, const ChosenSlots<width>& chosen, const SlotCosts<width>& left,
                      const SlotCosts<width>& right) {
    choices_[i] = PairChoice<width>::of(chosen.choice, left, right);
    store_whole(chosen.costs, &costs_[i]);
  }

  /// Counts the arrival at the node's parent. Returns whether the parent is ready now.
  __device__ bool tell_parent(const WaitingNode& node) {
    if (node.is_outside()) return false;
    return WaitingNode{atomicAdd(&nodes_[node.parent()], WaitingNode::one_came)}.came() + 1 == WaitingNode::all;
  }

  __device__ void list(u32 list, u32 first, u32 i) { ready_[first + atomicAdd(&listed_[list], 1u)] = u16(i); }

  /// Chooses for the last listed nodes, and for the nodes that become ready by them; one warp.
  template <class Input>
  __device__ void walk(const Input& in, u32 first, u32 count) {
    bool is_ready = lane_id() < count;
    u32 i = is_ready ? ready_[first + lane_id()] : 0;
    while (__any_sync(all_lanes, is_ready)) {
      WaitingNode node{WaitingNode::outside_bit};
      if (is_ready) node = choose_one(in, i);
      __syncwarp();
      is_ready = tell_parent(node);
      i = node.parent();
      __syncwarp();
    }
  }

  SlotCosts<width> costs_[pairs];
  ChildNodes children_[pairs];
  PairChoice<width> choices_[pairs];
  u32 nodes_[pairs];  // WaitingNode
  u16 ready_[pairs];
  u32 listed_[list_count];
};

}  // namespace detail

}  // namespace copse::cuda
