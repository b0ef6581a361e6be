// Build, rebuild and sizes of all builders of binary trees: they differ by the type of their options.

#include "builders/bvh/build.h"

#include <cmath>
#include <string>

#include "builders/built_check.h"
#include "builders/bvh/build/bvh_arrays.h"
#include "builders/bvh/splits.h"
#include "builders/bvh/splits/build_references.h"
#include "builders/bvh/splits/split_check.h"
#include "builders/bvh/validate.h"
#include "builders/geometry/triangle_check.h"
#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The bodies: lbvh.inl, hploc.inl and sah.inl, for either executor.
template <class Executor, class Options>
void build_over_triangles(const Executor& ex, std::span<const TriangleView> views, u64 n, const Options& options,
                          const BvhArrays& bvh);

// Of top.inl.
template <class Executor>
void rebuild_top_nodes(const Executor& ex, u64 n, const BvhArrays& bvh);
template <class Executor>
u64 rebuild_top_scratch_bytes(const Executor& ex, u64 n);

}  // namespace detail

namespace {

const char* label_of(const LbvhOptions&) {
  return "lbvh";
}
const char* label_of(const HplocOptions&) {
  return "hploc";
}
const char* label_of(const SahOptions&) {
  return "sah";
}

template <class Options>
Top top_of(const Options& options) {
  return options.top;
}
/// The whole tree is of the SAH builder.
Top top_of(const SahOptions&) {
  return Top::as_built;
}

/// True if all of the tree follows from the deltas of its leaves, see LbvhDeltas.
bool has_deltas(const LbvhOptions& options) {
  return options.max_leaf_size == 1 && options.top == Top::as_built && options.splits == 1;
}
bool has_deltas(const HplocOptions&) {
  return false;
}
bool has_deltas(const SahOptions&) {
  return false;
}

void check_morton_bits(u32 morton_bits) {
  if (morton_bits == 0 || (morton_bits >= 30 && morton_bits <= 63)) return;
  throw Error(ErrorCode::invalid_argument,
              "morton_bits is " + std::to_string(morton_bits) + "; it can be 30 to 63, or 0");
}

void check_cost(const char* name, double cost, bool above_zero) {
  if (std::isfinite(cost) && (above_zero ? cost > 0 : cost >= 0)) return;
  throw Error(ErrorCode::invalid_argument, std::string(name) + " is " + std::to_string(cost) +
                                               "; it must be finite and " +
                                               (above_zero ? "above 0" : "at least 0"));
}

void check_top(Top top) {
  if (top == Top::as_built || top == Top::sah) return;
  throw Error(ErrorCode::invalid_argument, "top is " + std::to_string(u32(top)) + "; it can be 0 or 1");
}

void check(const LbvhOptions& options) {
  check_morton_bits(options.morton_bits);
  detail::check_option("max_leaf_size", options.max_leaf_size, 1, 32);
  check_top(options.top);
  detail::check_splits(options.splits);
}

void check(const HplocOptions& options) {
  detail::check_option("radius", options.radius, 1, HplocOptions::max_radius);
  check_morton_bits(options.morton_bits);
  detail::check_option("max_leaf_size", options.max_leaf_size, 1, 32);
  check_top(options.top);
  detail::check_splits(options.splits);
}

void check(const SahOptions& options) {
  detail::check_option("bin_count", options.bin_count, 2, SahOptions::max_bin_count);
  detail::check_option("max_leaf_size", options.max_leaf_size, 1, 32);
  detail::check_option("rotation_passes", options.rotation_passes, 0, 8);
  check_cost("costs.traversal", options.costs.traversal, false);
  check_cost("costs.intersection", options.costs.intersection, true);
  detail::check_splits(options.splits);
}

/// Refuses to rebuild a tree over more primitives than it has room for.
void check_room(const Bvh& bvh, u64 primitive_count) {
  if (bvh.nodes.size() >= node_capacity(primitive_count) && bvh.parents.size() >= pair_capacity(primitive_count) &&
      detail::BvhAccess::deltas(bvh).words.size() >= detail::delta_words(primitive_count) &&
      primitive_count <= bvh.primitive_capacity()) {
    return;
  }
  throw Error(ErrorCode::invalid_argument,
              "rebuild over " + detail::counted(primitive_count, "primitives") + " of a tree with room for " +
                  std::to_string(bvh.primitive_capacity()) + " and " + detail::counted(bvh.nodes.size(), "nodes"));
}

u64 count_of(const TriangleViews& triangles) {
  return triangles.primitive_count();
}
u64 count_of(const BoxView& boxes) {
  return boxes.boxes.size();
}

void validate_input(Context& context, const TriangleViews& triangles) {
  detail::validate_triangles(context, "build", triangles);
}
void validate_input(Context& context, const BoxView& boxes) {
  detail::validate_span(context, "build", "boxes", boxes.boxes);
}

u64 view_count_of(const TriangleViews& triangles) {
  return triangles.views().size();
}
u64 view_count_of(const BoxView&) {
  return 0;
}

/// Returns options without from_last_order, for a build in place of a tree that cannot give a last order: it was
/// never built, or is over other references.
LbvhOptions without_last_order(LbvhOptions options) {
  options.from_last_order = false;
  return options;
}
template <class Options>
const Options& without_last_order(const Options& options) {
  return options;
}

///   reference_count: more than there are triangles if they are split
template <class Executor, class Options>
void build_over(const Executor& ex, const TriangleViews& triangles, u64 reference_count, const Options& options,
                const detail::BvhArrays& bvh) {
  const u64 n = count_of(triangles);
  if (reference_count > n) {
    return detail::build_over_references(ex, triangles.views(), n, reference_count, without_last_order(options),
                                         bvh);
  }
  detail::build_over_triangles(ex, triangles.views(), n, options, bvh);
}
template <class Executor, class Options>
void build_over(const Executor& ex, const BoxView& boxes, u64, const Options& options,
                const detail::BvhArrays& bvh) {
  detail::build_over_boxes(ex, boxes.boxes.data(), count_of(boxes), options, bvh);
}

/// Refuses to split boxes, which are of 0 views.
void check_kind(float splits, u64 view_count) {
  if (splits == 1 || view_count > 0) return;
  throw Error(ErrorCode::invalid_argument,
              "splits is " + std::to_string(splits) + ", but boxes cannot be split; for boxes it must be 1");
}

template <class Options>
BuildSizes sizes(Context& context, u64 primitive_count, const Options& options, u64 view_count) {
  check(options);
  check_kind(options.splits, view_count);
  detail::check_primitive_count(primitive_count);
  const u64 references = reference_count(primitive_count, options.splits);
  detail::check_reference_count(references);
  u64 scratch_bytes = dispatch(context, [&](const auto& ex) {
    const u64 build_bytes =
        references == primitive_count
            ? detail::build_scratch_bytes(ex, primitive_count, view_count, options)
            : detail::build_over_references_scratch_bytes(ex, primitive_count, view_count, references, options);
    return larger(build_bytes,
                  top_of(options) == Top::sah ? detail::rebuild_top_scratch_bytes(ex, references) : 0);
  });
  BuildSizes sizes{.result_bytes = bvh_bytes(references), .scratch_bytes = scratch_bytes};
  if (references > primitive_count) {
    sizes.result_bytes += repeat_bytes(references);
    sizes.scratch_bytes =
        larger(scratch_bytes, detail::link_repeats_scratch_bytes(context, primitive_count, references));
  }
  return sizes;
}

template <class Primitives, class Options>
void rebuild_tree(Context& context, Bvh& bvh, const Primitives& primitives, const Options& options) {
  const u64 n = count_of(primitives), references = reference_count(n, options.splits);
  const u64 scratch_bytes = sizes(context, n, options, view_count_of(primitives)).scratch_bytes;
  check_room(bvh, references);
  validate_input(context, primitives);
  context.reserve_scratch(scratch_bytes);
  ProfileScope scope(context.profile(), label_of(options));
  dispatch(context, [&](const auto& ex) {
    build_over(ex, primitives, references, options, detail::arrays_of(bvh));
    if (top_of(options) == Top::sah) detail::rebuild_top_nodes(ex, references, detail::arrays_of(bvh));
  });
  bvh.source_count = n;
  bvh.reference_count = references > n ? references : 0;
  detail::make_room_for_repeats(context, bvh);
  detail::link_repeats(context, bvh);
  bvh.max_leaf_size = options.max_leaf_size;
  if (!context.device().capturing()) detail::BvhAccess::deltas(bvh).may_refit = has_deltas(options);
  detail::validate_tree_built(context, "build", bvh, primitives, false);
}

Bvh allocate_bvh(Context& context, u64 primitive_count) {
  detail::check_primitive_count(primitive_count);
  Bvh bvh;
  bvh.nodes = Buffer<BvhNode>(context, node_capacity(primitive_count));
  bvh.parents = Buffer<u32>(context, pair_capacity(primitive_count));
  bvh.primitive_ids = Buffer<u32>(context, primitive_count);
  bvh.counts = Buffer<BvhCounts>(context, 1);
  detail::BvhAccess::deltas(bvh).words = Buffer<u32>(context, detail::delta_words(primitive_count));
  return bvh;
}

template <class Primitives, class Options>
Bvh build_tree(Context& context, const Primitives& primitives, const Options& options) {
  check(options);
  const u64 references = reference_count(count_of(primitives), options.splits);
  detail::check_reference_count(references);
  Bvh bvh = allocate_bvh(context, references);
  rebuild_tree(context, bvh, primitives, without_last_order(options));
  return bvh;
}

}  // namespace

Bvh make_bvh(Context& context, u64 primitive_count) {
  Bvh bvh = allocate_bvh(context, primitive_count);
  rebuild_tree(context, bvh, BoxView{}, LbvhOptions{});  // over no primitives
  bvh.max_leaf_size = Bvh{}.max_leaf_size;
  bvh.forget_deltas();
  return bvh;
}

Bvh build(Context& context, const TriangleViews& triangles, const LbvhOptions& options) {
  return build_tree(context, triangles, options);
}
Bvh build(Context& context, const TriangleViews& triangles, const HplocOptions& options) {
  return build_tree(context, triangles, options);
}
Bvh build(Context& context, const TriangleViews& triangles, const SahOptions& options) {
  return build_tree(context, triangles, options);
}
Bvh build(Context& context, const BoxView& boxes, const LbvhOptions& options) {
  return build_tree(context, boxes, options);
}
Bvh build(Context& context, const BoxView& boxes, const HplocOptions& options) {
  return build_tree(context, boxes, options);
}
Bvh build(Context& context, const BoxView& boxes, const SahOptions& options) {
  return build_tree(context, boxes, options);
}

void rebuild(Context& context, Bvh& bvh, const TriangleViews& triangles, const LbvhOptions& options) {
  rebuild_tree(context, bvh, triangles, options);
}
void rebuild(Context& context, Bvh& bvh, const TriangleViews& triangles, const HplocOptions& options) {
  rebuild_tree(context, bvh, triangles, options);
}
void rebuild(Context& context, Bvh& bvh, const TriangleViews& triangles, const SahOptions& options) {
  rebuild_tree(context, bvh, triangles, options);
}
void rebuild(Context& context, Bvh& bvh, const BoxView& boxes, const LbvhOptions& options) {
  rebuild_tree(context, bvh, boxes, options);
}
void rebuild(Context& context, Bvh& bvh, const BoxView& boxes, const HplocOptions& options) {
  rebuild_tree(context, bvh, boxes, options);
}
void rebuild(Context& context, Bvh& bvh, const BoxView& boxes, const SahOptions& options) {
  rebuild_tree(context, bvh, boxes, options);
}

BuildSizes build_sizes(Context& context, u64 primitive_count, const LbvhOptions& options, u64 view_count) {
  return sizes(context, primitive_count, options, view_count);
}
BuildSizes build_sizes(Context& context, u64 primitive_count, const HplocOptions& options, u64 view_count) {
  return sizes(context, primitive_count, options, view_count);
}
BuildSizes build_sizes(Context& context, u64 primitive_count, const SahOptions& options, u64 view_count) {
  return sizes(context, primitive_count, options, view_count);
}

}  // namespace copse
