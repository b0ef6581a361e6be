#pragma once

#include "accel/ray_span.h"
#include "scene/scene.h"

namespace copse {

struct SceneTraceOptions {
  /// A mask per ray. Empty, the default: all bits of every mask are set. Must not overlap the results.
  BufferSpan<const u32> masks = {};

  /// One mask for all rays. If `masks` is given too, the mask of a ray has the bits that are set in both. Default:
  /// all bits.
  u32 mask = ~u32{0};

  /// The side of triangles that all rays pass over. Default: none.
  Cull cull = Cull::none;
};

/// Writes the closest hit of every ray. The hits are equal on all backends and for all qualities, bit for bit. The
/// call does not wait, and may be captured in a Graph.
///   rays: any number, may be empty
///   hits: one per ray; must not overlap the rays
/// Throws: Error invalid_argument if `scene` was never built, if the number of hits or of masks is not that of the
/// rays, or if options are out of range. Error cancelled.
COPSE_API void closest_hits(Context& context, const Scene& scene, BufferSpan<const Ray> rays,
                            BufferSpan<SceneHit> hits, const SceneTraceOptions& options = {});

/// The same for rays in any layout. Their parts are gathered first, a million rays at a time.
/// Throws: also Error invalid_argument if there are not as many directions as origins, for an address that is null
/// or a stride that is no multiple of 4.
/// Memory: scratch of 32 bytes per ray, at most 32 MiB.
COPSE_API void closest_hits(Context& context, const Scene& scene, const RaySpan& rays, BufferSpan<SceneHit> hits,
                            const SceneTraceOptions& options = {});

/// Sets occluded[i] to 1 if ray i hits anything, else to 0. Everything else is as for closest_hits.
COPSE_API void any_hits(Context& context, const Scene& scene, BufferSpan<const Ray> rays, BufferSpan<u8> occluded,
                        const SceneTraceOptions& options = {});
COPSE_API void any_hits(Context& context, const Scene& scene, const RaySpan& rays, BufferSpan<u8> occluded,
                        const SceneTraceOptions& options = {});

}  // namespace copse
