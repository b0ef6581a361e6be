#include "builders/bvh/sah.h"

#include <cmath>
#include <string>

#include "builders/bvh/build/build_tree.h"
#include "builders/bvh/sah/sah_split.h"

namespace copse {

namespace detail {

// The body: sah.inl, for either executor.

template <class Executor>
void sah_over_triangles(const Executor& ex, std::span<const TriangleView> views, u64 n, const SahOptions& options,
                        const BvhArrays& bvh);
template <class Executor>
void sah_over_boxes(const Executor& ex, const Aabb* boxes, u64 n, const SahOptions& options, const BvhArrays& bvh);
template <class Executor>
u64 sah_scratch_bytes(const Executor& ex, u64 n, u64 view_count, const SahOptions& options);

}  // namespace detail

namespace {

void check_cost(const char* name, double cost, bool above_zero) {
  if (std::isfinite(cost) && (above_zero ? cost > 0 : cost >= 0)) return;
  throw Error(ErrorCode::invalid_argument, std::string(name) + " is " + std::to_string(cost) +
                                               "; it must be finite and " +
                                               (above_zero ? "above 0" : "at least 0"));
}

struct SahBuilder {
  using Options = SahOptions;
  static constexpr const char* label = "sah";
  static bool has_deltas(const Options&) { return false; }

  static void check(const Options& options) {
    detail::check_option("bin_count", options.bin_count, 2, detail::max_sah_bins);
    detail::check_max_leaf_size(options.max_leaf_size);
    detail::check_option("rotation_passes", options.rotation_passes, 0, 8);
    check_cost("costs.traversal", options.costs.traversal, false);
    check_cost("costs.intersection", options.costs.intersection, true);
  }

  template <class Executor>
  static u64 scratch_bytes(const Executor& ex, u64 n, u64 view_count, const Options& options) {
    return detail::sah_scratch_bytes(ex, n, view_count, options);
  }
  template <class Executor>
  static void over_triangles(const Executor& ex, std::span<const TriangleView> views, u64 n,
                             const Options& options, const detail::BvhArrays& arrays) {
    detail::sah_over_triangles(ex, views, n, options, arrays);
  }
  template <class Executor>
  static void over_boxes(const Executor& ex, const Aabb* boxes, u64 n, const Options& options,
                         const detail::BvhArrays& arrays) {
    detail::sah_over_boxes(ex, boxes, n, options, arrays);
  }
};

}  // namespace

BuildSizes sah_sizes(Context& context, u64 primitive_count, const SahOptions& options, u64 view_count) {
  return detail::tree_sizes<SahBuilder>(context, primitive_count, options, view_count);
}

void rebuild_sah(Context& context, Bvh& bvh, const TriangleViews& triangles, const SahOptions& options) {
  detail::rebuild_tree<SahBuilder>(context, bvh, triangles, options);
}

void rebuild_sah(Context& context, Bvh& bvh, const BoxView& boxes, const SahOptions& options) {
  detail::rebuild_tree<SahBuilder>(context, bvh, boxes, options);
}

Bvh build_sah(Context& context, const TriangleViews& triangles, const SahOptions& options) {
  return detail::build_tree<SahBuilder>(context, triangles, options);
}

Bvh build_sah(Context& context, const BoxView& boxes, const SahOptions& options) {
  return detail::build_tree<SahBuilder>(context, boxes, options);
}

}  // namespace copse
