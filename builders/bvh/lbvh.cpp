#include "builders/bvh/lbvh.h"

#include <string>

#include "builders/bvh/lbvh_body.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace {

constexpr u32 most_primitives_a_leaf = 32;

void check(const LbvhOptions& options, u64 primitive_count) {
  if (options.morton_bits != 30 && options.morton_bits != 63) {
    throw Error(ErrorCode::invalid_argument,
                "morton_bits is " + std::to_string(options.morton_bits) + "; it can be 30 or 63");
  }
  if (options.max_leaf_size < 1 || options.max_leaf_size > most_primitives_a_leaf) {
    throw Error(ErrorCode::invalid_argument, "max_leaf_size is " + std::to_string(options.max_leaf_size) +
                                                 "; it can be 1 to " + std::to_string(most_primitives_a_leaf));
  }
  if (primitive_count > most_primitives) {
    throw Error(ErrorCode::capacity, std::to_string(primitive_count) + " primitives, at most " +
                                         std::to_string(most_primitives) + " fit in one tree");
  }
}

template <class Build>
void rebuild(Context& context, Bvh& bvh, u64 primitive_count, u64 view_count, const LbvhOptions& options,
             Build build) {
  const BuildSizes sizes = build_sizes(context, primitive_count, options, view_count);
  if (bvh.nodes.empty() || primitive_count > bvh.primitive_capacity()) {
    throw Error(ErrorCode::invalid_argument, "rebuild over " + std::to_string(primitive_count) +
                                                 " primitives of a tree with room for " +
                                                 std::to_string(bvh.primitive_capacity()));
  }
  context.reserve_scratch(sizes.scratch_bytes);
  ProfileScope scope(context.profile(), "lbvh");
  dispatch(context, [&](const auto& ex) { build(ex, detail::arrays_of(bvh)); });
  bvh.source_count = primitive_count;
}

}  // namespace

BuildSizes build_sizes(Context& context, u64 primitive_count, const LbvhOptions& options, u64 view_count) {
  check(options, primitive_count);
  BuildSizes sizes;
  sizes.result_bytes = bvh_bytes(primitive_count);
  sizes.scratch_bytes = dispatch(context, [&](const auto& ex) {
    return detail::lbvh_scratch_bytes(ex, primitive_count, view_count, options);
  });
  return sizes;
}

void rebuild_lbvh(Context& context, Bvh& bvh, const TriangleViews& triangles, const LbvhOptions& options) {
  const u64 n = triangles.primitive_count();
  rebuild(context, bvh, n, triangles.views().size(), options,
          [&](const auto& ex, const detail::BvhArrays& arrays) {
            detail::lbvh_over_triangles(ex, triangles.views(), n, options, arrays);
          });
}

void rebuild_lbvh(Context& context, Bvh& bvh, const BoxView& boxes, const LbvhOptions& options) {
  const u64 n = boxes.boxes.size();
  rebuild(context, bvh, n, 1, options, [&](const auto& ex, const detail::BvhArrays& arrays) {
    detail::lbvh_over_boxes(ex, boxes.boxes.data(), n, options, arrays);
  });
}

Bvh build_lbvh(Context& context, const TriangleViews& triangles, const LbvhOptions& options) {
  check(options, triangles.primitive_count());
  Bvh bvh = make_bvh(context, triangles.primitive_count());
  rebuild_lbvh(context, bvh, triangles, options);
  return bvh;
}

Bvh build_lbvh(Context& context, const BoxView& boxes, const LbvhOptions& options) {
  check(options, boxes.boxes.size());
  Bvh bvh = make_bvh(context, boxes.boxes.size());
  rebuild_lbvh(context, bvh, boxes, options);
  return bvh;
}

}  // namespace copse
