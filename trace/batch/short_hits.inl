// Batches of closest hits in 8 bytes each, through compressed nodes and packed triangles alone: those of Accel.
// The cooperative stage is that of trace/batch/trace_rays.inl.

#include "trace/batch/trace_with.h"

namespace copse::detail {

template void trace_rays(const BodyExecutor&, const CompressedBvh4View&, const BufferSpan<const PackedTriangle>&,
                         BufferSpan<const Ray>, ShortHit*, const BatchMasks*, const TraceOptions&);

}  // namespace copse::detail
