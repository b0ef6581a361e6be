#pragma once

// The boxes of a tree on CUDA. Contract: builders/bvh/refit/refit.inl.
//
// An LBVH of one primitive a leaf is joined again by the deltas between its leaves, as it was built
// (refit_deltas.cuh): a byte a primitive in place of 68 of nodes and parents. All others are fitted by their links
// (refit_links.cuh).

#include "builders/bvh/refit/refit_deltas.cuh"
#include "builders/bvh/refit/refit_links.cuh"

namespace copse::cuda {

/// Contract: builders/bvh/refit/refit.inl.
template <class Boxes>
void fit_boxes(const Executor& ex, const Boxes& boxes, u64 n, const copse::detail::BvhArrays& bvh,
               bool may_have_deltas) {
  if (n == 0) return;
  if (may_have_deltas) return detail::refit_by_deltas(ex, boxes, n, bvh);
  detail::fit_by_links(ex, detail::FitLeaf<Boxes>{boxes, bvh}, n, bvh);
}

template <class Boxes>
u64 fit_boxes_scratch_bytes(const Executor&, u64 n) {
  return n == 0 ? 0
                : larger(detail::refit_by_deltas_scratch_bytes<Boxes>(n), detail::fit_by_links_scratch_bytes(n));
}

}  // namespace copse::cuda
