#include "builders/bvh/hploc.h"

#include "builders/bvh/build/build_tree.h"
#include "builders/bvh/hploc/hploc_body.h"
#include "builders/bvh/hploc/hploc_cluster.h"

namespace copse {

namespace {

struct HplocBuilder {
  using Options = HplocOptions;
  static constexpr const char* label = "hploc";
  static bool has_deltas(const Options&) { return false; }

  static void check(const Options& options) {
    detail::check_option("radius", options.radius, 1, detail::max_radius);
    detail::check_morton_bits(options.morton_bits);
    detail::check_max_leaf_size(options.max_leaf_size);
  }

  template <class Executor>
  static u64 scratch_bytes(const Executor& ex, u64 n, u64 view_count, const Options& options) {
    return detail::hploc_scratch_bytes(ex, n, view_count, options);
  }
  template <class Executor>
  static void over_triangles(const Executor& ex, std::span<const TriangleView> views, u64 n,
                             const Options& options, const detail::BvhArrays& arrays) {
    detail::hploc_over_triangles(ex, views, n, options, arrays);
  }
  template <class Executor>
  static void over_boxes(const Executor& ex, const Aabb* boxes, u64 n, const Options& options,
                         const detail::BvhArrays& arrays) {
    detail::hploc_over_boxes(ex, boxes, n, options, arrays);
  }
};

}  // namespace

BuildSizes hploc_sizes(Context& context, u64 primitive_count, const HplocOptions& options, u64 view_count) {
  return detail::tree_sizes<HplocBuilder>(context, primitive_count, options, view_count);
}

void rebuild_hploc(Context& context, Bvh& bvh, const TriangleViews& triangles, const HplocOptions& options) {
  detail::rebuild_tree<HplocBuilder>(context, bvh, triangles, options);
}

void rebuild_hploc(Context& context, Bvh& bvh, const BoxView& boxes, const HplocOptions& options) {
  detail::rebuild_tree<HplocBuilder>(context, bvh, boxes, options);
}

Bvh build_hploc(Context& context, const TriangleViews& triangles, const HplocOptions& options) {
  return detail::build_tree<HplocBuilder>(context, triangles, options);
}

Bvh build_hploc(Context& context, const BoxView& boxes, const HplocOptions& options) {
  return detail::build_tree<HplocBuilder>(context, boxes, options);
}

}  // namespace copse
