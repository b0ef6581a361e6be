#pragma once

#include "accel/accel_hits.h"
#include "scene/scene_rays.h"

namespace copse {

// Several hits per ray, for batches of rays through a Scene: the first k, or all of them. They are in order of (t,
// instance, primitive id through all views of the instance's accel). All else is as for the functions of the same
// names in accel/accel_hits.h. For one ray at a time, and for filters: scene/scene_hit_view.h.

/// Writes the first k hits of every ray.
///   hits:   k per ray, those of ray i from k * i on; k follows from the sizes and can be 1 to 16. If a ray has fewer,
///           the rest become misses without `counts`, and are not written with `counts`
///   counts: empty, or one per ray: the number of hits found, at most k
/// Memory: scratch of 4 bytes per ray without `counts`.
COPSE_API void first_hits(Context& context, const Scene& scene, const RaySpan& rays, BufferSpan<SceneHit> hits,
                          BufferSpan<u32> counts = {}, const SceneTraceOptions& options = {});
COPSE_API void first_hits(Context& context, const Scene& scene, BufferSpan<const Ray> rays,
                          BufferSpan<SceneHit> hits, BufferSpan<u32> counts = {},
                          const SceneTraceOptions& options = {});

/// Writes how many hits each ray has.
COPSE_API void count_hits(Context& context, const Scene& scene, const RaySpan& rays, BufferSpan<u32> counts,
                          const SceneTraceOptions& options = {});
COPSE_API void count_hits(Context& context, const Scene& scene, BufferSpan<const Ray> rays, BufferSpan<u32> counts,
                          const SceneTraceOptions& options = {});

/// Writes all hits of every ray. Those of ray i are hits[offsets[i]] up to hits[offsets[i + 1]], in order.
///   offsets: one more than rays. The last offset is the total number
///   hits:    any size. Nothing is written past its end
/// Memory: scratch of 4 bytes per ray, at most 20 bytes more per 1024 rays, and 1 KiB.
COPSE_API void find_hits(Context& context, const Scene& scene, const RaySpan& rays, BufferSpan<u64> offsets,
                         BufferSpan<SceneHit> hits, const SceneTraceOptions& options = {});
COPSE_API void find_hits(Context& context, const Scene& scene, BufferSpan<const Ray> rays, BufferSpan<u64> offsets,
                         BufferSpan<SceneHit> hits, const SceneTraceOptions& options = {});

/// Lists of hits in the layout of find_hits.
struct SceneHitLists {
  Buffer<u64> offsets;
  Buffer<SceneHit> hits;
};

/// Returns the same lists in buffers of the right size.
/// Waits: for the number of hits.
/// Memory: 8 bytes per ray, 24 bytes per hit; scratch as find_hits.
COPSE_API SceneHitLists all_hits(Context& context, const Scene& scene, const RaySpan& rays,
                                 const SceneTraceOptions& options = {});
COPSE_API SceneHitLists all_hits(Context& context, const Scene& scene, BufferSpan<const Ray> rays,
                                 const SceneTraceOptions& options = {});

}  // namespace copse
