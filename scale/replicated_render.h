#pragma once

#include "builders/geometry/image.h"
#include "scale/replicated_accel.h"
#include "trace/shade.h"

namespace copse {

/// Returns a ray-cast picture that all devices share: each makes bands of its rows. It equals that of one device, bit for
/// bit.
/// Throws: as render in accel/accel_render.h, with the name of the device; Error invalid_argument if `accel` is of other
/// devices.
/// Waits: for the picture.
/// Memory: on all devices together, 24 bytes per pixel.
COPSE_API Image render(Devices& devices, const ReplicatedAccel& accel, const Camera& camera,
                       const RenderOptions& options = {});

}  // namespace copse
