// Queries about points, compiled once per layout: BodyView is the view of a tree in this layout.

#include "primitives/persistent.h"
#include "queries/nearest/point_batch.h"

namespace copse::detail {

using Views = std::span<const TriangleView>;

template void nearest_points(const BodyExecutor&, const BodyView&, const Views&, BufferSpan<const vec3>, float,
                             NearestPoint*);
template void nearest_primitives(const BodyExecutor&, const BodyView&, const Views&, BufferSpan<const vec3>, float,
                                 u32, Neighbour*);
template void points_inside(const BodyExecutor&, const BodyView&, const Views&, BufferSpan<const vec3>, u8*);

}  // namespace copse::detail
