#pragma once

#include "motion/motion_rays.h"
#include "motion/motion_scene.h"

namespace copse {

/// Writes the closest hit of every ray at its time. The hits are equal on all backends and for all qualities, bit for
/// bit. The call does not wait, and may be captured in a Graph.
///   rays: any number, may be empty
///   hits: one per ray; must not overlap the rays
/// Throws: Error invalid_argument if `scene` was never built, if the number of hits, of times or of masks is not that of
/// the rays, or if options are out of range. Error cancelled.
COPSE_API void closest_hits(Context& context, const MotionScene& scene, BufferSpan<const Ray> rays,
                            BufferSpan<SceneHit> hits, const MotionTraceOptions& options = {});

/// The same for rays in any layout.
/// Throws: also Error invalid_argument if there are not as many directions as origins, for an address that is null
/// or a stride that is no multiple of 4.
COPSE_API void closest_hits(Context& context, const MotionScene& scene, const RaySpan& rays,
                            BufferSpan<SceneHit> hits, const MotionTraceOptions& options = {});

/// Sets occluded[i] to 1 if ray i hits anything at its time, else to 0. Everything else is as for closest_hits.
COPSE_API void any_hits(Context& context, const MotionScene& scene, BufferSpan<const Ray> rays,
                        BufferSpan<u8> occluded, const MotionTraceOptions& options = {});
COPSE_API void any_hits(Context& context, const MotionScene& scene, const RaySpan& rays, BufferSpan<u8> occluded,
                        const MotionTraceOptions& options = {});

}  // namespace copse
