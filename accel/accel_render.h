#pragma once

#include "accel/accel.h"
#include "builders/geometry/image.h"
#include "trace/shade.h"

namespace copse {

/// Returns a ray-cast picture of the triangles of an Accel. It equals the pictures through a Bvh and through grids, bit
/// for bit; only heat differs, as it counts the nodes of this tree. Masks of views have no effect.
/// Throws: as the calls of trace/shade.h; Error invalid_argument if `accel` was never built.
/// Waits: for the picture.
/// Memory: buffers of 24 bytes per pixel, and the image on the host.
COPSE_API Image render(Context& context, const Accel& accel, const Camera& camera,
                       const RenderOptions& options = {});

}  // namespace copse
