#pragma once

// The boxes of a wide tree on CUDA. Contract: builders/bvh/refit/refit.inl.
//
// A block fits a window of nodes in shared memory, one lane per slot. Children stand near their parents, since a
// collapse places nodes by the splits of the binary tree. Further launches fit the nodes that windows defer
// (deferred_sibling_groups.cuh). How much each launch fits depends on the order of the nodes; the boxes do not. In
// a tree without order, a last launch of walks fits the rest. Measured by copse bench --layout all.

#include "builders/bvh/refit/deferred_sibling_groups.cuh"
#include "builders/bvh/refit/fit_nodes.h"
#include "builders/bvh/refit/sibling_group_window.cuh"
#include "builders/geometry/triangle_table.h"
#include "primitives/cuda/launch.cuh"
#include "primitives/tree_walk.h"

namespace copse::cuda {

namespace detail {

using copse::detail::FitWideNode;
using copse::detail::NodeGrid;
using copse::detail::WideFamilies;

/// The ids of neighbouring nodes, from `begin` on.
struct NodesFrom {
  u32 begin;
  __device__ u32 operator()(u32 i) const { return begin + i; }
};

/// A window of wide nodes; node i of it has the id ids(i).
template <class Node, class Leaf, u32 block_threads>
class WideFitWindow : public SiblingGroupWindow<Node::width, block_threads> {
  using Rows = SiblingGroupRows<Node::width, block_threads>;
  using Fit = FitWideNode<Node, Leaf>;
  static constexpr u32 width = Node::width;

 public:
  /// Fits the nodes, of the first `count`, whose children are all known; all threads of the block, after
  /// put_link() for every slot. Writes these nodes, and the exact boxes of those whose parents are deferred.
  /// Returns whether the thread's own node is fitted.
  ///   low, high: the children in the lane's slots
  ///   leaf:      fit.leaf, or fit.leaf.again()
  template <class Ids, class LeafBox>
  __device__ bool fit(const Fit& fit, const LeafBox& leaf, const Ids& ids, u32 count, const WideChild& low,
                      const WideChild& high) {
    this->fit_leaves(low, high, leaf);
    __syncthreads();
    Aabb box = Aabb::empty();
    const bool is_fitted = this->join(count, box);
    store_nodes(fit, ids, __ballot_sync(all_lanes, is_fitted), box);
    const u32 own = Rows::own_group();
    const bool has_fitted_parent = is_fitted && this->has_parent(own) && this->is_known(this->parent(own));
    if (is_fitted && !has_fitted_parent) fit.exact[ids(own)] = box;
    return is_fitted;
  }

 private:
  /// Writes the fitted nodes of a row as whole words, some nodes at a time. They are encoded in the memory of
  /// their boxes.
  ///   box: of the lane's node
  template <class Ids>
  __device__ void store_nodes(const Fit& fit, const Ids& ids, u32 fitted, const Aabb& box) {
    constexpr u32 nodes_at_once = warp_size / width, words = sizeof(Node) / sizeof(uint4);
    constexpr u32 row_words = Rows::row_slots * sizeof(copse::detail::HalfNode) / sizeof(uint4);
    // Nodes are a word apart, so that lanes with neighbouring nodes write to different banks.
    constexpr u32 words_apart = nodes_at_once * (words + 1) <= row_words ? words + 1 : words;
    static_assert(nodes_at_once * words_apart <= row_words);
    if (fitted == 0) return;
    const u32 slot = lane_id() % width, own = lane_id() / width;
    const Aabb boxes[2] = {this->box_in(Rows::own_slot(0)), this->box_in(Rows::own_slot(1))};
    auto* const made = static_cast<uint4*>(this->row_memory());
    __syncwarp();
#pragma unroll
    for (u32 k = 0; k < 2; ++k) {
      const u32 first = k * nodes_at_once, fitted_now = fitted >> first;
      const Aabb box_of_all = shuffle_from(box, first + own);
      const u32 end = nodes_at_once * words;
      for (u32 i = lane_id(); i < end; i += warp_size) {
        if ((fitted_now >> i / words & 1) == 0) continue;
        made[i / words * words_apart + i % words] = *word_of(fit, ids, first + i / words, i % words);
      }
      __syncwarp();
      if ((fitted_now >> own & 1) != 0) {
        Node& node = *reinterpret_cast<Node*>(made + own * words_apart);
        const NodeGrid grid(box_of_all);
        encode_box(node, slot, grid, boxes[k]);
        if (slot == 0) encode_grid(node, grid);
      }
      __syncwarp();
      for (u32 i = lane_id(); i < end; i += warp_size) {
        if ((fitted_now >> i / words & 1) == 0) continue;
        *word_of(fit, ids, first + i / words, i % words) = made[i / words * words_apart + i % words];
      }
      __syncwarp();
    }
  }
  template <class Ids>
  __device__ static uint4* word_of(const Fit& fit, const Ids& ids, u32 in_row, u32 word) {
    return reinterpret_cast<uint4*>(fit.tree.nodes + ids(Rows::row_begin() / width + in_row)) + word;
  }
};

inline constexpr u32 wide_fit_threads = 256, wide_fit_listed_threads = 512, wide_fit_rest_threads = 128;
inline constexpr u32 wide_fit_blocks = 5, wide_fit_rest_blocks = 8;  // on a multiprocessor

template <class Node>
inline constexpr u32 nodes_per_window = SiblingGroupRows<Node::width, wide_fit_threads>::groups;

template <class Node, class Leaf>
struct WideFitMemory {
  WideFitWindow<Node, Leaf, wide_fit_threads> window;
  BlockStorage<u32, wide_fit_threads> storage;
};

/// Fits the nodes of a window; all threads of the block.
template <class Node, class Leaf>
__device__ void fit_wide_window(WideFitMemory<Node, Leaf>& memory, const FitWideNode<Node, Leaf>& fit,
                                const DeferredSiblingGroups& deferred, u32 id, u32 node_count) {
  using Window = WideFitWindow<Node, Leaf, wide_fit_threads>;
  const u32 begin = id * Window::groups, count = smaller(Window::groups, node_count - begin);
  WideChild children[2];
#pragma unroll
  for (u32 k = 0; k < 2; ++k) {
    const u32 slot = Window::own_slot(k), i = slot / Node::width;
    children[k] = i < count ? fit.tree.nodes[begin + i].child(slot % Node::width) : WideChild::nothing();
  }
  memory.window.clear();
  __syncthreads();
#pragma unroll
  for (u32 k = 0; k < 2; ++k) memory.window.put_link(Window::own_slot(k), children[k], children[k].first - begin);
  const bool is_fitted = memory.window.fit(fit, fit.leaf, NodesFrom{begin}, count, children[0], children[1]);
  const u32 own = Window::own_group();
  deferred.note<wide_fit_threads>(own < count, is_fitted, begin + own, begin, id, memory.storage);
  __syncthreads();
}

template <class Node, class Leaf>
__global__ void __launch_bounds__(wide_fit_threads, wide_fit_blocks)
    fit_wide_windows_kernel(const FitWideNode<Node, Leaf> fit, const DeferredSiblingGroups deferred) {
  __shared__ WideFitMemory<Node, Leaf> memory;
  overlap_launches();
  const u32 node_count = fit.tree.counts->node_count;
  const u32 windows = u32(divide_rounding_up(node_count, nodes_per_window<Node>));
  for (u32 id = blockIdx.x; id < windows; id += gridDim.x) fit_wide_window(memory, fit, deferred, id, node_count);
}

/// Fits listed nodes (deferred_sibling_groups.cuh).
template <class Node, class Leaf>
struct FitListedNodes {
  using Window = WideFitWindow<Node, Leaf, wide_fit_listed_threads>;
  static constexpr u32 threads = wide_fit_listed_threads, blocks = 2, groups = Window::groups;

  struct Memory : ListedSiblingGroups<groups, threads> {
    Window window;
  };

  FitWideNode<Node, Leaf> fit;

  __device__ u32 count() const { return fit.tree.counts->node_count; }
  __device__ static u32 own_group() { return Window::own_group(); }

  __device__ bool run(Memory& memory, const DeferredSiblingGroups& deferred, const ListedSpan& span) const {
    memory.window.clear();
    __syncthreads();
    const WideChild low = put_link(memory, deferred, span, Window::own_slot(0)),
                    high = put_link(memory, deferred, span, Window::own_slot(1));
    return memory.window.fit(fit, fit.leaf.again(), memory.ids, memory.ids.count, low, high);
  }

 private:
  /// Takes the child in a slot. Returns it if it is a leaf, else nothing.
  __device__ WideChild put_link(Memory& memory, const DeferredSiblingGroups& deferred, const ListedSpan& span,
                                u32 slot) const {
    if (slot / Node::width >= memory.ids.count) {
      memory.window.set(slot, false);
      return WideChild::nothing();
    }
    const WideChild child = fit.tree.nodes[memory.ids(slot / Node::width)].child(slot % Node::width);
    u32 listed = groups;
    if (child.is_inner()) {
      // Another block may be fitting a child outside of the span now.
      listed = memory.ids.find(child.first);
      if (listed == groups && span.has(child.first) && deferred.is_deferred[child.first] == 0) {
        memory.window.put_known(slot, fit.exact[child.first]);
        return WideChild::nothing();
      }
    }
    memory.window.put_link(slot, child, listed);
    return child;
  }
};

/// Walks up from every fitted child of a deferred node, if any node remains.
template <class Node, class Leaf>
__global__ void __launch_bounds__(wide_fit_rest_threads)
    fit_wide_rest_kernel(const FitWideNode<Node, Leaf> fit, const DeferredSiblingGroups deferred,
                         const u32* remaining_count) {
  overlap_launches();
  if (*remaining_count == 0) return;
  const WideFamilies<Node> tree{fit.tree.nodes, fit.tree.parents};
  const u64 slots = u64{fit.tree.counts->node_count} * Node::width;
  for (u64 i = u64{blockIdx.x} * wide_fit_rest_threads + threadIdx.x; i < slots;
       i += u64{gridDim.x} * wide_fit_rest_threads) {
    const u32 node = u32(i / Node::width);
    if (deferred.is_deferred[node] == 0) continue;
    const WideChild child = fit.tree.nodes[node].child(u32(i % Node::width));
    if (child.is_inner() && deferred.is_deferred[child.first] == 0)
      walk_up(tree, child.first, deferred.arrivals, fit);
  }
}

template <class Node>
u64 wide_fit_window_count(u64 nodes) {
  return larger(u64{1}, divide_rounding_up(nodes, u64{nodes_per_window<Node>}));
}

}  // namespace detail

/// Contract: builders/bvh/refit/refit.inl.
template <class Node, class Leaf>
void fit_wide_boxes(const Executor& ex, const Leaf& leaf, u64 node_capacity,
                    const copse::detail::WideArrays<Node>& tree) {
  const u64 windows = detail::wide_fit_window_count<Node>(node_capacity);
  ScratchArena::Frame frame(ex.scratch);
  const copse::detail::FitWideNode<Node, Leaf> fit{leaf, tree, frame.allocate<Aabb>(node_capacity)};
  const detail::DeferredSiblingGroups deferred = detail::allocate_deferred(frame, node_capacity, windows);
  launch(ex, "refit: wide boxes", detail::fit_wide_windows_kernel<Node, Leaf>,
         {.blocks = smaller(windows, u64{detail::wide_fit_blocks} * ex.multiprocessor_count),
          .threads = detail::wide_fit_threads,
          .overlaps_earlier_launch = true},
         fit, deferred);
  if (windows == 1) return;
  const u32* const remaining_count =
      detail::finish_deferred(ex, "refit: upper wide boxes", windows, detail::nodes_per_window<Node>,
                              detail::FitListedNodes<Node, Leaf>{fit}, deferred);
  launch(ex, "refit: wide boxes in no order", detail::fit_wide_rest_kernel<Node, Leaf>,
         {.blocks = smaller(divide_rounding_up(node_capacity * Node::width, detail::wide_fit_rest_threads),
                            u64{detail::wide_fit_rest_blocks} * ex.multiprocessor_count),
          .threads = detail::wide_fit_rest_threads,
          .overlaps_earlier_launch = true},
         fit, deferred, remaining_count);
}

template <class Node>
u64 fit_wide_boxes_scratch_bytes(const Executor&, u64 node_capacity) {
  return ScratchArena::bytes_for<Aabb>(node_capacity) +
         detail::deferred_scratch_bytes(node_capacity, detail::wide_fit_window_count<Node>(node_capacity));
}

}  // namespace copse::cuda
