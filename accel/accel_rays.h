#pragma once

#include "accel/accel.h"
#include "accel/ray_span.h"
#include "trace/short_hit.h"
#include "trace/trace_options.h"

namespace copse {

/// Writes the closest hit of every ray. The hits are equal on all backends and for all qualities, bit for bit. It
/// does not wait, and may be captured in a Graph.
///   rays:    any number, may be empty. On CUDA an address that is no multiple of 16 bytes makes them slower
///   hits:    one per ray; must not overlap the rays
///   options: options.masks or options.mask let rays pass over the triangles of a view
/// Throws: Error invalid_argument if `accel` was never built, if the number of hits or of masks is not that of the
/// rays, or if options are out of range. Error out_of_memory, Error cancelled.
/// Memory: scratch of 256 bytes.
COPSE_API void closest_hits(Context& context, const Accel& accel, BufferSpan<const Ray> rays, BufferSpan<Hit> hits,
                            const TraceOptions& options = {});

/// The same for rays in any layout. Their parts are gathered first, a million rays at a time.
/// Throws: also Error invalid_argument if there are not as many directions as origins, for an address that is null
/// or a stride that is no multiple of 4.
/// Memory: scratch of 32 bytes per ray, at most 32 MiB, more.
COPSE_API void closest_hits(Context& context, const Accel& accel, const RaySpan& rays, BufferSpan<Hit> hits,
                            const TraceOptions& options = {});

/// The same with results of 8 bytes: t, and the place of the triangle in accel.view().triangles. They are faster
/// where memory bandwidth bounds the batch, as for rays that miss. full_hit(accel.view(), ray, hit) gives the bits of
/// the calls above. Short hits are equal on all backends, but differ between qualities, as each has its own order of
/// triangles.
COPSE_API void closest_hits(Context& context, const Accel& accel, BufferSpan<const Ray> rays,
                            BufferSpan<ShortHit> hits, const TraceOptions& options = {});
COPSE_API void closest_hits(Context& context, const Accel& accel, const RaySpan& rays, BufferSpan<ShortHit> hits,
                            const TraceOptions& options = {});

/// Returns rays of any layout as an array of Ray, for calls that take nothing else. It does not wait.
/// Throws: as closest_hits for such rays.
/// Memory: 32 bytes per ray.
COPSE_API Buffer<Ray> ray_records(Context& context, const RaySpan& rays);

/// Writes the full hit of every short hit. It has the bits that closest_hits writes for the ray. The call does not
/// wait, and may be captured in a Graph.
///   rays, hits: as closest_hits got and wrote them; the Accel was not rebuilt or refitted since
///   full:       one per hit; must not overlap the others
/// Throws: Error invalid_argument if `accel` was never built, or if the numbers of rays, hits and full hits are
/// not equal. Error out_of_memory, Error cancelled.
COPSE_API void full_hits(Context& context, const Accel& accel, BufferSpan<const Ray> rays,
                         BufferSpan<const ShortHit> hits, BufferSpan<Hit> full);

/// Sets occluded[i] to 1 if ray i hits anything, else to 0. Everything else is as for closest_hits.
COPSE_API void any_hits(Context& context, const Accel& accel, BufferSpan<const Ray> rays, BufferSpan<u8> occluded,
                        const TraceOptions& options = {});
COPSE_API void any_hits(Context& context, const Accel& accel, const RaySpan& rays, BufferSpan<u8> occluded,
                        const TraceOptions& options = {});

}  // namespace copse
