#pragma once

#include "accel/accel.h"
#include "accel/ray_span.h"
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
void closest_hits(Context& context, const Accel& accel, BufferSpan<const Ray> rays, BufferSpan<Hit> hits,
                  const TraceOptions& options = {});

/// The same for rays in any layout. Their parts are gathered first, a million rays at a time.
/// Throws: also Error invalid_argument if there are not as many directions as origins, for an address that is null or a
/// stride that is no multiple of 4.
/// Memory: scratch of 32 bytes per ray, at most 32 MiB, more.
void closest_hits(Context& context, const Accel& accel, const RaySpan& rays, BufferSpan<Hit> hits,
                  const TraceOptions& options = {});

/// Sets occluded[i] to 1 if ray i hits anything, else to 0. Everything else is as for closest_hits.
void any_hits(Context& context, const Accel& accel, BufferSpan<const Ray> rays, BufferSpan<u8> occluded,
              const TraceOptions& options = {});
void any_hits(Context& context, const Accel& accel, const RaySpan& rays, BufferSpan<u8> occluded,
              const TraceOptions& options = {});

}  // namespace copse
