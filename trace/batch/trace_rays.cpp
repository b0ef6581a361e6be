// The calls that trace a batch through one tree. They check the arguments, and choose the body by the layout of the
// tree, the kind of triangles and the backend.

#include "trace/trace_rays.h"

#include <string>
#include <type_traits>

#include "primitives/core/buffer.h"
#include "primitives/core/dispatch.h"
#include "primitives/core/validation.h"
#include "trace/batch/check.h"
#include "trace/batch/leaf_fault.h"
#include "trace/masked_triangles.h"

namespace copse {

namespace detail {

// The bodies: trace_rays.inl, for either executor and each layout, and short_hits.inl, for either executor.

/// `Triangles`: std::span<const TriangleView> or BufferSpan<const PackedTriangle>. `Result`: Hit for the closest
/// hit, u8 for any; ShortHit through CompressedBvh4View and packed triangles alone. `masks`: null where every ray
/// sees every triangle. options.masks is not read here.
template <class Executor, class View, class Triangles, class Result>
void trace_rays(const Executor& ex, const View& bvh, const Triangles& triangles, BufferSpan<const Ray> rays,
                Result* results, const BatchMasks* masks, const TraceOptions& options);

// The body: leaf_check.inl, for either executor.

/// Stores the first fault in the leaves of the tree to `fault`: see LeafFault.
template <class Executor, class View, class Triangles>
void find_leaf_fault(const Executor& ex, const View& bvh, const Triangles& triangles, u64* fault);

}  // namespace detail

namespace {

using Packed = TraceTriangles::Packed;

/// True if a ray may pass over a triangle even with all bits set in its mask.
bool has_masks(const TriangleViews& triangles, BufferSpan<const u32>) {
  return detail::has_masks(triangles);
}
bool has_masks(const Packed&, BufferSpan<const u32> masks) {
  return !masks.empty();
}

std::span<const TriangleView> body_argument(const TriangleViews& triangles) {
  return triangles.views();
}
const Packed& body_argument(const Packed& packed) {
  return packed;
}

/// Throws if the triangles are not those of the tree, or if the device cannot read the rays. Called only where the
/// context validates, since it takes a pass over the tree and a wait.
template <class View, class Triangles, class Result>
void validate(const char* function, Context& context, const View& bvh, const Triangles& triangles,
              BufferSpan<const Ray> rays, BufferSpan<Result> results) {
  if (!context.validates()) return;
  detail::validate_floats(context, function, "rays", rays.data(), rays.size(), sizeof(Ray),
                          &ValidationCounts::nan_rays);
  detail::validate_span(context, function, "results", results);
  Buffer<u64> fault(context, 1);
  dispatch(context, [&](const auto& ex) { detail::find_leaf_fault(ex, bvh, triangles, fault.data()); });
  const u64 found = fault.download()[0];
  if (found == detail::LeafFault::none) return;
  const std::string place = std::to_string(detail::LeafFault::place_of(found));
  if (detail::LeafFault::is_of_box(found)) {
    detail::refuse(function,
                   "the triangle at place " + place +
                       " of the leaves is outside of its leaf's box; trace the triangles that the tree was "
                       "built or refitted over last, and pack them again after a refit");
  }
  detail::refuse(function, "the packed triangle at place " + place +
                               " is not the primitive that the tree has there; pack the triangles again after a "
                               "rebuild");
}

template <class Result>
void check_batch(const char* function, BufferSpan<const Ray> rays, BufferSpan<Result> results,
                 const TraceOptions& options) {
  detail::check_results(function, "rays", rays, results);
  detail::check_trace_options(function, options, rays.size());
  detail::check_apart(function, "masks", options.masks, results);
}

/// Traces through a tree of one layout. `source`: one of the variants of `triangles`.
template <class View, class Source, class Result>
void trace_layout(const char* function, Context& context, const View& bvh, const Source& source,
                  const TraceTriangles& triangles, BufferSpan<const Ray> rays, BufferSpan<Result> results,
                  const TraceOptions& options) {
  detail::check_tree(function, bvh);
  if constexpr (std::is_same_v<Source, Packed>) {
    detail::check_packed(function, source.size(), triangles.tree_ids(), bvh.primitive_ids);
  }
  const auto argument = body_argument(source);
  detail::check_masks(function, "packed triangles", triangles.masks(), bvh.primitive_ids.size());
  const bool is_masked = !options.masks.empty() || options.mask != ~u32{0} || options.cull != Cull::none ||
                         has_masks(source, triangles.masks());
  const detail::BatchMasks masks{options.masks.data(), triangles.masks().data(), options.mask, options.cull,
                                 options.cull == Cull::none ? nullptr : rays.data()};
  validate(function, context, bvh, argument, rays, results);
  dispatch(context, [&](const auto& ex) {
    detail::trace_rays(ex, bvh, argument, rays, results.data(), is_masked ? &masks : nullptr, options);
  });
}

template <class Result>
void trace(const char* function, Context& context, const TreeView& tree, const TraceTriangles& triangles,
           BufferSpan<const Ray> rays, BufferSpan<Result> results, const TraceOptions& options) {
  check_batch(function, rays, results, options);
  const auto run = [&](const auto& bvh, const auto& source) {
    trace_layout(function, context, bvh, source, triangles, rays, results, options);
  };
  std::visit(run, tree, triangles.variant());
}

}  // namespace

void closest_hits(Context& context, const TreeView& bvh, const TraceTriangles& triangles,
                  BufferSpan<const Ray> rays, BufferSpan<Hit> hits, const TraceOptions& options) {
  trace("closest_hits", context, bvh, triangles, rays, hits, options);
}

void closest_hits(Context& context, const CompressedBvh4View& bvh, const TraceTriangles& triangles,
                  BufferSpan<const Ray> rays, BufferSpan<ShortHit> hits, const TraceOptions& options) {
  const char* const function = "closest_hits";
  check_batch(function, rays, hits, options);
  const Packed* packed = std::get_if<Packed>(&triangles.variant());
  if (packed == nullptr) {
    detail::refuse(function,
                   "the triangles are not packed, but a short hit names a packed triangle; "
                   "make them by pack_triangles, or ask for results of type Hit");
  }
  trace_layout(function, context, bvh, *packed, triangles, rays, hits, options);
}

void any_hits(Context& context, const TreeView& bvh, const TraceTriangles& triangles, BufferSpan<const Ray> rays,
              BufferSpan<u8> occluded, const TraceOptions& options) {
  trace("any_hits", context, bvh, triangles, rays, occluded, options);
}

}  // namespace copse
