#pragma once

// The boxes of inner nodes on CUDA, by the refit along links; leaves keep their boxes. Contract:
// builders/bvh/reinsert/reinsert.inl.

#include "builders/bvh/refit/refit_links.cuh"

namespace copse::cuda {

namespace detail {

struct KeepLeaf {
  const BvhNode* nodes;
  __device__ Aabb operator()(u32 node, u32, u32) const { return nodes[node].box(); }
};

inline u64 leaf_capacity(u64 node_count) {
  return (node_count + 1) / 2;
}

}  // namespace detail

/// Contract: builders/bvh/reinsert/reinsert.inl.
inline void fit_inner_nodes(const Executor& ex, u64 node_count, const copse::detail::BvhArrays& bvh,
                            const u32* is_wanted) {
  detail::fit_by_links(ex, detail::KeepLeaf{bvh.nodes}, detail::leaf_capacity(node_count), bvh, is_wanted);
}

inline u64 fit_inner_nodes_scratch_bytes(const Executor&, u64 node_count) {
  return detail::fit_by_links_scratch_bytes(detail::leaf_capacity(node_count));
}

}  // namespace copse::cuda
