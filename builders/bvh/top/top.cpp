#include "builders/bvh/top.h"

#include "builders/bvh/build/bvh_arrays.h"
#include "builders/bvh/splits.h"
#include "builders/geometry/primitive_set.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: top.inl, for either executor.

/// Rebuilds the top of a tree with room for `n` primitives.
template <class Executor>
void rebuild_top_nodes(const Executor& ex, u64 n, const BvhArrays& bvh);

template <class Executor>
u64 rebuild_top_scratch_bytes(const Executor& ex, u64 n);

}  // namespace detail

BuildSizes rebuild_top_sizes(Context& context, u64 primitive_count) {
  detail::check_primitive_count(primitive_count);
  return dispatch(context, [&](const auto& ex) {
    return BuildSizes{.scratch_bytes = detail::rebuild_top_scratch_bytes(ex, primitive_count)};
  });
}

void rebuild_top(Context& context, Bvh& bvh) {
  const u64 n = bvh.primitive_capacity();
  if (bvh.nodes.empty()) return;  // never made
  ProfileScope scope(context.profile(), "top");
  dispatch(context, [&](const auto& ex) {
    context.reserve_scratch(detail::rebuild_top_scratch_bytes(ex, n));
    detail::rebuild_top_nodes(ex, n, detail::arrays_of(bvh));
  });
  detail::relink_leaves(context, bvh);
  if (!context.device().capturing()) bvh.forget_deltas();
}

}  // namespace copse
