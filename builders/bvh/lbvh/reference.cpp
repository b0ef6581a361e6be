#include "builders/bvh/lbvh/reference.h"

#include "builders/bvh/lbvh.h"
#include "primitives/core/dispatch.h"

namespace copse::detail {

// The body: lbvh.inl, for either executor.
template <class Executor>
void build_by_walks(const Executor& ex, std::span<const TriangleView> views, u64 n, const LbvhOptions& options,
                    const BvhArrays& bvh);
template <class Executor>
u64 build_by_walks_scratch_bytes(const Executor& ex, u64 n, u64 view_count, const LbvhOptions& options);

Bvh build_by_walks(Context& context, const TriangleViews& triangles, const LbvhOptions& options) {
  const u64 n = triangles.primitive_count();
  Bvh bvh = make_bvh(context, n);
  dispatch(context, [&](const auto& ex) {
    context.reserve_scratch(build_by_walks_scratch_bytes(ex, n, triangles.views().size(), options));
    build_by_walks(ex, triangles.views(), n, options, arrays_of(bvh));
  });
  bvh.source_count = n;
  bvh.max_leaf_size = options.max_leaf_size;
  return bvh;
}

}  // namespace copse::detail
