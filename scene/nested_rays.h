#pragma once

#include "accel/accel_hits.h"
#include "scene/nested_scene.h"
#include "scene/scene_rays.h"

namespace copse {

// Batches of rays through a NestedScene. Hits are in order of (t, path, primitive id through all views of the accel);
// see NestedHit. All else is as for the functions of the same names in scene/scene_rays.h and scene/scene_hits.h. For
// one ray at a time, and for filters: scene/nested_view.h.

/// Writes the closest hit of every ray. The hits are equal on all backends and for all qualities, bit for bit. The
/// call does not wait, and may be captured in a Graph.
///   rays: any number, may be empty, in any layout
///   hits: one per ray; must not overlap the rays
/// Throws: Error invalid_argument if `scene` was never built, if the number of hits or of masks is not that of the
/// rays, for an address that is null or a stride that is no multiple of 4, or if options are out of range. Error
/// cancelled.
COPSE_API void closest_hits(Context& context, const NestedScene& scene, const RaySpan& rays,
                            BufferSpan<NestedHit> hits, const SceneTraceOptions& options = {});
COPSE_API void closest_hits(Context& context, const NestedScene& scene, BufferSpan<const Ray> rays,
                            BufferSpan<NestedHit> hits, const SceneTraceOptions& options = {});

/// Sets occluded[i] to 1 if ray i hits anything, else to 0. Everything else is as for closest_hits.
COPSE_API void any_hits(Context& context, const NestedScene& scene, const RaySpan& rays, BufferSpan<u8> occluded,
                        const SceneTraceOptions& options = {});
COPSE_API void any_hits(Context& context, const NestedScene& scene, BufferSpan<const Ray> rays,
                        BufferSpan<u8> occluded, const SceneTraceOptions& options = {});

/// Writes the first k hits of every ray.
///   hits:   k per ray, those of ray i from k * i on; k follows from the sizes and can be 1 to 16. If a ray has fewer,
///           the rest become misses without `counts`, and are not written with `counts`
///   counts: empty, or one per ray: the number of hits found, at most k
/// Memory: scratch of 4 bytes per ray without `counts`.
COPSE_API void first_hits(Context& context, const NestedScene& scene, const RaySpan& rays,
                          BufferSpan<NestedHit> hits, BufferSpan<u32> counts = {},
                          const SceneTraceOptions& options = {});
COPSE_API void first_hits(Context& context, const NestedScene& scene, BufferSpan<const Ray> rays,
                          BufferSpan<NestedHit> hits, BufferSpan<u32> counts = {},
                          const SceneTraceOptions& options = {});

/// Writes how many hits each ray has.
COPSE_API void count_hits(Context& context, const NestedScene& scene, const RaySpan& rays, BufferSpan<u32> counts,
                          const SceneTraceOptions& options = {});
COPSE_API void count_hits(Context& context, const NestedScene& scene, BufferSpan<const Ray> rays,
                          BufferSpan<u32> counts, const SceneTraceOptions& options = {});

/// Writes all hits of every ray. Those of ray i are hits[offsets[i]] up to hits[offsets[i + 1]], in order.
///   offsets: one more than rays. The last offset is the total number
///   hits:    any size. Nothing is written past its end
/// Memory: scratch of 4 bytes per ray, at most 20 bytes more per 1024 rays, and 1 KiB.
COPSE_API void find_hits(Context& context, const NestedScene& scene, const RaySpan& rays, BufferSpan<u64> offsets,
                         BufferSpan<NestedHit> hits, const SceneTraceOptions& options = {});
COPSE_API void find_hits(Context& context, const NestedScene& scene, BufferSpan<const Ray> rays,
                         BufferSpan<u64> offsets, BufferSpan<NestedHit> hits,
                         const SceneTraceOptions& options = {});

/// Lists of hits in the layout of find_hits.
struct NestedHitLists {
  Buffer<u64> offsets;
  Buffer<NestedHit> hits;
};

/// Returns the same lists in buffers of the right size.
/// Waits: for the number of hits.
/// Memory: 8 bytes per ray, 48 bytes per hit; scratch as find_hits.
COPSE_API NestedHitLists all_hits(Context& context, const NestedScene& scene, const RaySpan& rays,
                                  const SceneTraceOptions& options = {});
COPSE_API NestedHitLists all_hits(Context& context, const NestedScene& scene, BufferSpan<const Ray> rays,
                                  const SceneTraceOptions& options = {});

}  // namespace copse
