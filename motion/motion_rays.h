#pragma once

#include "accel/ray_span.h"
#include "motion/motion_accel.h"

namespace copse {

struct MotionTraceOptions {
  /// A time per ray, 0 at the first key and 1 at the last. Empty, the default: `time` for all rays. Must not overlap
  /// the results.
  BufferSpan<const float> times = {};

  /// The time of all rays if `times` is empty. Default: 0.
  float time = 0;

  /// A mask per ray. Empty, the default: all bits of every mask are set. Must not overlap the results.
  BufferSpan<const u32> masks = {};

  /// One mask for all rays. If `masks` is given too, the mask of a ray has the bits that are set in both. Default:
  /// all bits.
  u32 mask = ~u32{0};

  /// The side of triangles that all rays pass over. It is computed at the time of the ray. Default: none.
  Cull cull = Cull::none;
};

/// Writes the closest hit of every ray at its time. The hits are equal on all backends and for all qualities, bit for
/// bit. The call does not wait, and may be captured in a Graph.
///   rays: any number, may be empty. On CUDA an address that is no multiple of 16 bytes makes them slower
///   hits: one per ray; must not overlap the rays
/// Throws: Error invalid_argument if `accel` was never built, if the number of hits, of times or of masks is not that
/// of the rays, or if options are out of range. Error out_of_memory, Error cancelled.
/// Memory: scratch of 256 bytes.
COPSE_API void closest_hits(Context& context, const MotionAccel& accel, BufferSpan<const Ray> rays,
                            BufferSpan<Hit> hits, const MotionTraceOptions& options = {});

/// The same for rays in any layout.
/// Throws: also Error invalid_argument if there are not as many directions as origins, for an address that is null
/// or a stride that is no multiple of 4.
COPSE_API void closest_hits(Context& context, const MotionAccel& accel, const RaySpan& rays, BufferSpan<Hit> hits,
                            const MotionTraceOptions& options = {});

/// Sets occluded[i] to 1 if ray i hits anything at its time, else to 0. Everything else is as for closest_hits.
COPSE_API void any_hits(Context& context, const MotionAccel& accel, BufferSpan<const Ray> rays,
                        BufferSpan<u8> occluded, const MotionTraceOptions& options = {});
COPSE_API void any_hits(Context& context, const MotionAccel& accel, const RaySpan& rays, BufferSpan<u8> occluded,
                        const MotionTraceOptions& options = {});

}  // namespace copse
