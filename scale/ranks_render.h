#pragma once

#include "accel/accel.h"
#include "builders/geometry/image.h"
#include "scale/communicator.h"
#include "trace/camera.h"
#include "trace/shade.h"

namespace copse {

/// Returns a ray-cast picture that all ranks share, on rank `root`, and an empty picture on the others. Each rank makes
/// bands of its rows. It equals that of one context, bit for bit. Collective.
///   context: of this rank
///   accel:   the whole structure, on every rank
///   camera, options: the same on every rank
/// Throws: as render in accel/accel_render.h; Error invalid_argument if there is no rank `root`.
/// Waits: for the picture.
/// Memory: on all ranks together, 24 bytes per pixel; on rank `root`, 4 more.
COPSE_API Image render(Communicator& comm, Context& context, const Accel& accel, const Camera& camera,
                       const RenderOptions& options = {}, u32 root = 0);

}  // namespace copse
