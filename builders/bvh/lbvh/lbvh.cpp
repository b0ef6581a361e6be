#include "builders/bvh/lbvh.h"

#include "builders/bvh/build/build_tree.h"
#include "builders/bvh/lbvh/lbvh_body.h"

namespace copse {

namespace {

struct LbvhBuilder {
  using Options = LbvhOptions;
  static constexpr const char* label = "lbvh";
  static bool has_deltas(const Options& options) { return options.max_leaf_size == 1; }

  static void check(const Options& options) {
    detail::check_morton_bits(options.morton_bits);
    detail::check_max_leaf_size(options.max_leaf_size);
  }

  template <class Executor>
  static u64 scratch_bytes(const Executor& ex, u64 n, u64 view_count, const Options& options) {
    return detail::lbvh_scratch_bytes(ex, n, view_count, options);
  }
  template <class Executor>
  static void over_triangles(const Executor& ex, std::span<const TriangleView> views, u64 n,
                             const Options& options, const detail::BvhArrays& arrays) {
    detail::lbvh_over_triangles(ex, views, n, options, arrays);
  }
  template <class Executor>
  static void over_boxes(const Executor& ex, const Aabb* boxes, u64 n, const Options& options,
                         const detail::BvhArrays& arrays) {
    detail::lbvh_over_boxes(ex, boxes, n, options, arrays);
  }
};

}  // namespace

BuildSizes build_sizes(Context& context, u64 primitive_count, const LbvhOptions& options, u64 view_count) {
  return detail::tree_sizes<LbvhBuilder>(context, primitive_count, options, view_count);
}

void rebuild_lbvh(Context& context, Bvh& bvh, const TriangleViews& triangles, const LbvhOptions& options) {
  detail::rebuild_tree<LbvhBuilder>(context, bvh, triangles, options);
}

void rebuild_lbvh(Context& context, Bvh& bvh, const BoxView& boxes, const LbvhOptions& options) {
  detail::rebuild_tree<LbvhBuilder>(context, bvh, boxes, options);
}

Bvh build_lbvh(Context& context, const TriangleViews& triangles, const LbvhOptions& options) {
  return detail::build_tree<LbvhBuilder>(context, triangles, options);
}

Bvh build_lbvh(Context& context, const BoxView& boxes, const LbvhOptions& options) {
  return detail::build_tree<LbvhBuilder>(context, boxes, options);
}

}  // namespace copse
