#pragma once

// A window of wide nodes on their way to being fitted: what stands in their slots is loaded, and the nodes that
// could be fitted are written.

#include "builders/bvh/wide/sibling_group_window.cuh"
#include "builders/bvh/wide/wide_fit_node.h"

namespace copse::cuda::detail {

using copse::detail::FitWideNode;
using copse::detail::NodeGrid;

/// The box of a leaf's primitives.
template <class Node, class Boxes>
struct WideLeafBox {
  const FitWideNode<Node, Boxes>& fit;
  __device__ Aabb operator()(u32 first, u32 count) const {
    return copse::detail::box_of_slots(fit.boxes, fit.tree.primitive_ids, first, count);
  }
};

/// Nodes side by side, from one on.
struct NodesFrom {
  u32 begin;
  __device__ u32 operator()(u32 i) const { return begin + i; }
};

/// Some wide nodes, counted through by ids(i).
template <class Node, class Boxes, u32 block_threads>
class WideFitWindow : public SiblingGroupWindow<Node::width, block_threads> {
  using Rows = SiblingGroupRows<Node::width, block_threads>;
  using Fit = FitWideNode<Node, Boxes>;
  static constexpr u32 width = Node::width;

 public:
  /// Fits the first `count` nodes, whose slots hold `low` and `high` and whose links are put, as far as what is
  /// below them is known; all threads of the block. Writes them, and the exact boxes of those whose parents are
  /// left. Returns whether the own one is fitted.
  template <class Ids>
  __device__ bool fit(const Fit& fit, const Ids& ids, u32 count, const WideChild& low, const WideChild& high) {
    this->fit_leaves(low, high, WideLeafBox<Node, Boxes>{fit});
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
  /// Writes the fitted nodes of a row whole, some of them at once, which are made where their boxes were.
  ///   box: of the lane's node
  template <class Ids>
  __device__ void store_nodes(const Fit& fit, const Ids& ids, u32 fitted, const Aabb& box) {
    constexpr u32 nodes_at_once = warp_size / width, words = sizeof(Node) / sizeof(uint4);
    constexpr u32 row_words = Rows::row_slots * sizeof(copse::detail::HalfNode) / sizeof(uint4);
    // A word between them, so that lanes with neighbouring nodes write to other banks.
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

}  // namespace copse::cuda::detail
