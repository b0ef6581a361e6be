#pragma once

#include "builders/grid/distance_layout.h"
#include "primitives/core/context.h"
#include "trace/field_march.h"

namespace copse {

/// Writes where every ray meets the surface of a distance field, as first_surface in trace/field_march.h finds it.
/// The hits are equal on all backends, bit for bit.
///   rays: any number, may be empty
///   hits: one per ray; must not overlap the rays
/// Throws: Error invalid_argument if the number of hits is not that of the rays. Error cancelled.
COPSE_API void first_surfaces(Context& context, const DistanceFieldView& field, BufferSpan<const Ray> rays,
                              BufferSpan<FieldHit> hits);

}  // namespace copse
