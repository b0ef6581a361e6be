#include "queries/self_overlaps.h"

#include "primitives/core/dispatch.h"
#include "trace/batch/check.h"

namespace copse::detail {

// The body: self_overlaps.inl, for either executor.

/// Stores where the pairs of each place of primitive_ids begin, and at the end the total number of pairs.
template <class Executor>
void place_pairs(const Executor& ex, const BvhView& bvh, const OverlappingPrimitives& primitives, u64* offsets);

/// Stores the pairs, which begin at `offsets`, up to the end of the buffer.
template <class Executor>
void store_pairs(const Executor& ex, const BvhView& bvh, const OverlappingPrimitives& primitives,
                 const u64* offsets, BufferSpan<PrimitivePair> pairs);

/// Does both, with the offsets in scratch.
template <class Executor>
void find_pairs(const Executor& ex, const BvhView& bvh, const OverlappingPrimitives& primitives,
                BufferSpan<PrimitivePair> pairs, u64* total);

}  // namespace copse::detail

namespace copse {

namespace {

detail::OverlappingPrimitives overlapping(const TriangleViews& triangles, const SelfOverlapOptions& options) {
  return {triangles.views(), options, nullptr};
}

detail::OverlappingPrimitives overlapping(const BoxView& boxes) {
  return {{}, {}, boxes.boxes.data()};
}

/// Throws for pairs of boxes in a tree with splits, where a box may hold only a part of a triangle.
void check_boxes(const char* function, const BvhView& bvh, const detail::OverlappingPrimitives& primitives) {
  if (bvh.repeats == nullptr) return;
  if (primitives.boxes != nullptr) detail::refuse(function, "the tree has splits, so it is not one over boxes");
  if (!primitives.options.exact_triangles) {
    detail::refuse(function,
                   "exact_triangles is false, but the tree has splits, and so no boxes of whole triangles");
  }
}

void find(Context& context, const BvhView& bvh, const detail::OverlappingPrimitives& primitives,
          BufferSpan<PrimitivePair> pairs, BufferSpan<u64> total) {
  detail::check_tree("find_self_overlaps", bvh);
  check_boxes("find_self_overlaps", bvh, primitives);
  if (total.empty()) {
    throw Error(ErrorCode::invalid_argument, "find_self_overlaps: total has 0 elements, at least 1");
  }
  detail::check_apart("find_self_overlaps", "total", BufferSpan<const u64>(total.first(1)), pairs);
  dispatch(context, [&](const auto& ex) { detail::find_pairs(ex, bvh, primitives, pairs, total.data()); });
}

Buffer<PrimitivePair> find_all(Context& context, const BvhView& bvh,
                               const detail::OverlappingPrimitives& primitives) {
  detail::check_tree("self_overlaps", bvh);
  check_boxes("self_overlaps", bvh, primitives);
  const u64 n = bvh.primitive_ids.size();
  Buffer<u64> offsets(context, n + 1);
  dispatch(context, [&](const auto& ex) { detail::place_pairs(ex, bvh, primitives, offsets.data()); });
  const u64 total = download(context, offsets.span().subspan(n, 1))[0];
  Buffer<PrimitivePair> pairs(context, total);
  dispatch(context,
           [&](const auto& ex) { detail::store_pairs(ex, bvh, primitives, offsets.data(), pairs.span()); });
  return pairs;
}

}  // namespace

void find_self_overlaps(Context& context, const BvhView& bvh, const TriangleViews& triangles,
                        const SelfOverlapOptions& options, BufferSpan<PrimitivePair> pairs,
                        BufferSpan<u64> total) {
  find(context, bvh, overlapping(triangles, options), pairs, total);
}

void find_self_overlaps(Context& context, const BvhView& bvh, const BoxView& boxes,
                        BufferSpan<PrimitivePair> pairs, BufferSpan<u64> total) {
  find(context, bvh, overlapping(boxes), pairs, total);
}

Buffer<PrimitivePair> self_overlaps(Context& context, const BvhView& bvh, const TriangleViews& triangles,
                                    const SelfOverlapOptions& options) {
  return find_all(context, bvh, overlapping(triangles, options));
}

Buffer<PrimitivePair> self_overlaps(Context& context, const BvhView& bvh, const BoxView& boxes) {
  return find_all(context, bvh, overlapping(boxes));
}

}  // namespace copse
