#include "builders/bvh/reinsert.h"

#include "builders/bvh/build/build_arguments.h"
#include "builders/bvh/reinsert/reinsert_body.h"
#include "primitives/core/dispatch.h"

namespace copse {

BuildSizes reinsert_sizes(Context& context, u64 primitive_count) {
  detail::check_primitive_count(primitive_count);
  const u64 node_count = node_capacity(primitive_count);
  return dispatch(context, [&](const auto& ex) {
    return BuildSizes{.scratch_bytes = detail::reinsert_scratch_bytes(ex, node_count)};
  });
}

void reinsert(Context& context, Bvh& bvh, const ReinsertOptions& options) {
  detail::check_option("passes", options.passes, 1, 16);
  const u64 node_count = bvh.nodes.size();
  if (node_count == 0) return;  // never made
  ProfileScope scope(context.profile(), "reinsert");
  dispatch(context, [&](const auto& ex) {
    context.reserve_scratch(detail::reinsert_scratch_bytes(ex, node_count));
    detail::reinsert_nodes(ex, node_count, detail::arrays_of(bvh), options.passes);
  });
  if (!context.device().capturing()) bvh.may_refit_by_deltas = false;
}

}  // namespace copse
