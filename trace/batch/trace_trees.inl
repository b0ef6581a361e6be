// Batches of rays through two trees over the same triangles.
//
// The cooperative stage, trace/batch/cpu/trace_trees.h and trace/batch/cuda/trace_trees.cuh:
//
//   trace_by_sample(ex, label, binary, wide, n, chosen)
//     Writes the results of rays 0 to n - 1 of one of two queries (trace/batch/ray_queries.h) over the same rays. A
//     sample of the rays and the number of triangles decide which tree is traversed.
//       chosen: null, or a word on the device that receives TraceChoice::word(). It does not change if n is 0

#include "trace/batch/ray_queries.h"
#include "trace/trace_trees.h"

namespace copse::detail {

namespace {

using PackedSpan = BufferSpan<const PackedTriangle>;

struct AddLayout {
  TraceLayout layout;
  u32* chosen;
  COPSE_HD void operator()(u64) const { *chosen = TraceChoice{layout, TraceKernel(*chosen)}.word(); }
};

}  // namespace

template <class Executor, class Result>
void trace_trees(const Executor& ex, const RayTreesView& trees, BufferSpan<const Ray> rays, Result* results,
                 u32* chosen) {
  const char* const label = std::is_same_v<Result, Hit> ? "trace: closest hits" : "trace: any hits";
  const QueryFor<TreeOf<BvhView>, PackedSpan, Result> binary{
      {tree_of(trees.binary), trees.binary_triangles, rays.data(), results, trees.binary_triangles.size()}};
  const QueryFor<TreeOf<CompressedBvh4View>, PackedSpan, Result> wide{
      {tree_of(trees.wide), trees.wide_triangles, rays.data(), results, trees.wide_triangles.size()}};
  trace_by_sample(ex, label, binary, wide, rays.size(), chosen);
}

template <class Executor>
void store_layout(const Executor& ex, TraceLayout layout, u32* chosen) {
  for_each(ex, "trace: layout", 1, AddLayout{layout, chosen});
}

template void trace_trees(const BodyExecutor&, const RayTreesView&, BufferSpan<const Ray>, Hit*, u32*);
template void trace_trees(const BodyExecutor&, const RayTreesView&, BufferSpan<const Ray>, u8*, u32*);
template void store_layout(const BodyExecutor&, TraceLayout, u32*);

}  // namespace copse::detail
