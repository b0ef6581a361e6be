#pragma once

#include "accel/accel.h"
#include "accel/ray_span.h"

namespace copse {

// Several hits per ray, for batches of rays through an Accel: the first k, or all of them. Hits are equal on all
// backends and for all qualities, bit for bit. They are in order of (t, primitive id through all views). Triangles at
// the same place are all listed, each once. For one ray at a time, and for filters: accel/accel_hit_view.h.
//
// Rays may have any layout. All functions put work on the stream and return, unless they say "Waits", and may then be
// captured in a Graph. All throw Error invalid_argument if `accel` was never built, if sizes do not match, if buffers
// overlap or if options are out of range; Error out_of_memory; Error cancelled.

struct HitListOptions {
  /// A mask per ray. Empty, the default: all bits of every mask are set. Must not overlap the results.
  BufferSpan<const u32> masks = {};

  /// One mask for all rays. If `masks` is given too, the mask of a ray has the bits that are set in both. Default:
  /// all bits.
  u32 mask = ~u32{0};

  /// The side of triangles that all rays pass over. Default: none.
  Cull cull = Cull::none;
};

/// The largest number of hits per ray that first_hits finds.
inline constexpr u32 max_first_hits = 16;

/// Writes the first k hits of every ray.
///   rays:   any number, may be empty
///   hits:   k per ray, those of ray i from k * i on; k follows from the sizes and can be 1 to 16. If a ray has fewer,
///           the rest become misses without `counts`, and are not written with `counts`. Must not overlap the others
///   counts: empty, or one per ray: the number of hits found, at most k
/// Memory: scratch of 4 bytes per ray without `counts`. On CUDA also 32 bytes per ray, at most 32 MiB, for rays that
/// are not in an array of Ray.
COPSE_API void first_hits(Context& context, const Accel& accel, const RaySpan& rays, BufferSpan<Hit> hits,
                          BufferSpan<u32> counts = {}, const HitListOptions& options = {});
COPSE_API void first_hits(Context& context, const Accel& accel, BufferSpan<const Ray> rays, BufferSpan<Hit> hits,
                          BufferSpan<u32> counts = {}, const HitListOptions& options = {});

/// Writes how many hits each ray has.
///   counts: one per ray; must not overlap the rays
/// Memory: on the CPU scratch of 3.2 MiB per thread.
COPSE_API void count_hits(Context& context, const Accel& accel, const RaySpan& rays, BufferSpan<u32> counts,
                          const HitListOptions& options = {});
COPSE_API void count_hits(Context& context, const Accel& accel, BufferSpan<const Ray> rays, BufferSpan<u32> counts,
                          const HitListOptions& options = {});

/// Writes all hits of every ray. Those of ray i are hits[offsets[i]] up to hits[offsets[i + 1]], in order.
///   offsets: one more than rays. The last offset is the total number
///   hits:    any size. Nothing is written past its end. If the total is larger, the hits up to the end are valid, and
///            a buffer of the total is needed for all
/// Memory: on CUDA scratch of 4 bytes per ray, at most 20 bytes more per 1024 rays, and 1 KiB; on the CPU scratch of
/// 3.2 MiB per thread, and 24 bytes per 256 rays.
COPSE_API void find_hits(Context& context, const Accel& accel, const RaySpan& rays, BufferSpan<u64> offsets,
                         BufferSpan<Hit> hits, const HitListOptions& options = {});
COPSE_API void find_hits(Context& context, const Accel& accel, BufferSpan<const Ray> rays, BufferSpan<u64> offsets,
                         BufferSpan<Hit> hits, const HitListOptions& options = {});

/// Lists of hits in the layout of find_hits.
struct HitLists {
  Buffer<u64> offsets;
  Buffer<Hit> hits;
};

/// Returns the same lists in buffers of the right size.
/// Waits: for the number of hits.
/// Memory: 8 bytes per ray, 20 bytes per hit; scratch as find_hits. On the CPU, up to 40 bytes more per hit
/// until the call returns.
COPSE_API HitLists all_hits(Context& context, const Accel& accel, const RaySpan& rays,
                            const HitListOptions& options = {});
COPSE_API HitLists all_hits(Context& context, const Accel& accel, BufferSpan<const Ray> rays,
                            const HitListOptions& options = {});

}  // namespace copse
