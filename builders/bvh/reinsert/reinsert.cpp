#include "builders/bvh/reinsert.h"

#include "builders/bvh/build/bvh_arrays.h"
#include "builders/bvh/splits.h"
#include "builders/geometry/primitive_set.h"
#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: reinsert.inl, for either executor.

/// Reinserts the nodes of a tree with room for `node_count`, at least one.
template <class Executor>
void reinsert_nodes(const Executor& ex, u64 node_count, const BvhArrays& bvh, const ReinsertOptions& options);

template <class Executor>
u64 reinsert_scratch_bytes(const Executor& ex, u64 node_count);

/// Throws: if the option is out of range or NaN.
static void check_min_parent_area(float area) {
  if (area >= 0 && area <= 1000) return;
  throw Error(ErrorCode::invalid_argument, "min_parent_area is " + std::to_string(area) + "; it can be 0 to 1000");
}

}  // namespace detail

BuildSizes reinsert_sizes(Context& context, u64 primitive_count) {
  detail::check_primitive_count(primitive_count);
  const u64 node_count = node_capacity(primitive_count);
  return dispatch(context, [&](const auto& ex) {
    return BuildSizes{.scratch_bytes = detail::reinsert_scratch_bytes(ex, node_count)};
  });
}

void reinsert(Context& context, Bvh& bvh, const ReinsertOptions& options) {
  detail::check_option("passes", options.passes, 1, 16);
  detail::check_min_parent_area(options.min_parent_area);
  const u64 node_count = bvh.nodes.size();
  if (node_count == 0) return;  // never made
  ProfileScope scope(context.profile(), "reinsert");
  dispatch(context, [&](const auto& ex) {
    context.reserve_scratch(detail::reinsert_scratch_bytes(ex, node_count));
    detail::reinsert_nodes(ex, node_count, detail::arrays_of(bvh), options);
  });
  detail::relink_leaves(context, bvh);
  if (!context.device().capturing()) bvh.forget_deltas();
}

}  // namespace copse
