#include "builders/bvh/hploc.h"

#include "builders/bvh/build_arguments.h"
#include "builders/bvh/hploc_body.h"
#include "builders/bvh/hploc_cluster.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace {

void check(const HplocOptions& options, u64 primitive_count) {
  detail::check_option("radius", options.radius, 1, detail::most_radius);
  detail::check_morton_bits(options.morton_bits);
  detail::check_max_leaf_size(options.max_leaf_size);
  detail::check_primitive_count(primitive_count);
}

template <class Build>
void rebuild(Context& context, Bvh& bvh, u64 primitive_count, u64 view_count, const HplocOptions& options,
             Build build) {
  const BuildSizes sizes = hploc_sizes(context, primitive_count, options, view_count);
  detail::check_room(bvh, primitive_count);
  context.reserve_scratch(sizes.scratch_bytes);
  ProfileScope scope(context.profile(), "hploc");
  dispatch(context, [&](const auto& ex) { build(ex, detail::arrays_of(bvh)); });
  bvh.source_count = primitive_count;
}

}  // namespace

BuildSizes hploc_sizes(Context& context, u64 primitive_count, const HplocOptions& options, u64 view_count) {
  check(options, primitive_count);
  BuildSizes sizes;
  sizes.result_bytes = bvh_bytes(primitive_count);
  sizes.scratch_bytes = dispatch(context, [&](const auto& ex) {
    return detail::hploc_scratch_bytes(ex, primitive_count, view_count, options);
  });
  return sizes;
}

void rebuild_hploc(Context& context, Bvh& bvh, const TriangleViews& triangles, const HplocOptions& options) {
  const u64 n = triangles.primitive_count();
  rebuild(context, bvh, n, triangles.views().size(), options,
          [&](const auto& ex, const detail::BvhArrays& arrays) {
            detail::hploc_over_triangles(ex, triangles.views(), n, options, arrays);
          });
}

void rebuild_hploc(Context& context, Bvh& bvh, const BoxView& boxes, const HplocOptions& options) {
  const u64 n = boxes.boxes.size();
  rebuild(context, bvh, n, 1, options, [&](const auto& ex, const detail::BvhArrays& arrays) {
    detail::hploc_over_boxes(ex, boxes.boxes.data(), n, options, arrays);
  });
}

Bvh build_hploc(Context& context, const TriangleViews& triangles, const HplocOptions& options) {
  check(options, triangles.primitive_count());
  Bvh bvh = make_bvh(context, triangles.primitive_count());
  rebuild_hploc(context, bvh, triangles, options);
  return bvh;
}

Bvh build_hploc(Context& context, const BoxView& boxes, const HplocOptions& options) {
  check(options, boxes.boxes.size());
  Bvh bvh = make_bvh(context, boxes.boxes.size());
  rebuild_hploc(context, bvh, boxes, options);
  return bvh;
}

}  // namespace copse
