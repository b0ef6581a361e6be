// Queries about points over packed triangles, for the layout of Accel.

#include "builders/bvh/wide_node.h"
#include "primitives/persistent.h"
#include "queries/nearest/point_batch.h"

namespace copse::detail {

using PackedSpan = BufferSpan<const PackedTriangle>;

template void nearest_points(const BodyExecutor&, const CompressedBvh4View&, const PackedSpan&,
                             BufferSpan<const vec3>, float, NearestPoint*);
template void nearest_primitives(const BodyExecutor&, const CompressedBvh4View&, const PackedSpan&,
                                 BufferSpan<const vec3>, float, u32, Neighbour*);
template void points_inside(const BodyExecutor&, const CompressedBvh4View&, const PackedSpan&,
                            BufferSpan<const vec3>, u8*);

}  // namespace copse::detail
