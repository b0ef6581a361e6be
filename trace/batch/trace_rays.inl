// Batches of rays through trees, compiled once per layout: BodyView is the layout's view.
//
// The cooperative stage, trace/batch/cpu/trace_rays.h and trace/batch/cuda/trace_rays.cuh:
//
//   trace_batch(ex, label, kernel, query, n, chosen)
//     Writes the results of rays 0 to n - 1 of the query (trace/batch/ray_queries.h).
//       kernel: the one to use. A backend that does not have it for the query's tree uses another one
//       chosen: null, or a word on the device that receives the kernel that traced. It does not change if n is 0

#include "trace/batch/trace_with.h"

namespace copse::detail {

#define COPSE_TRACE_RAYS(Triangles, Result)                                                               \
  template void trace_rays(const BodyExecutor&, const BodyView&, const Triangles&, BufferSpan<const Ray>, \
                           Result*, const BatchMasks*, const TraceOptions&)

COPSE_TRACE_RAYS(std::span<const TriangleView>, Hit);
COPSE_TRACE_RAYS(std::span<const TriangleView>, u8);
COPSE_TRACE_RAYS(BufferSpan<const PackedTriangle>, Hit);
COPSE_TRACE_RAYS(BufferSpan<const PackedTriangle>, u8);

#undef COPSE_TRACE_RAYS

}  // namespace copse::detail
