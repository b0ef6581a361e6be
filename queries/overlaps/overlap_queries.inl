// Overlaps of regions with primitives of trees, compiled once per layout: BodyView is the view of a tree in this
// layout.

#include "primitives/persistent.h"
#include "queries/overlaps/overlap_batch.h"

namespace copse::detail {

using Views = std::span<const TriangleView>;

/// Instances for one type of region.
#define COPSE_OVERLAPS_OF(Region)                                                                            \
  template void count_overlaps(const BodyExecutor&, const BodyView&, const Views&, BufferSpan<const Region>, \
                               u32*);                                                                        \
  template void place_overlaps(const BodyExecutor&, const BodyView&, const Views&, BufferSpan<const Region>, \
                               u64*);                                                                        \
  template void store_overlaps(const BodyExecutor&, const BodyView&, const Views&, BufferSpan<const Region>, \
                               const u64*, BufferSpan<u32>)

COPSE_OVERLAPS_OF(Aabb);
COPSE_OVERLAPS_OF(Sphere);
COPSE_OVERLAPS_OF(Frustum);

#undef COPSE_OVERLAPS_OF

}  // namespace copse::detail
