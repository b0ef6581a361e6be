#pragma once

#include "scale/sharded_accel.h"
#include "trace/ray.h"

namespace copse {

// Batches of rays through the triangles of all ranks. Each rank brings its own rays, any number, also none. The rays
// travel: a ray visits the ranks whose boxes it enters, the nearest first, and is done when no other rank has a box
// before its closest hit. The hits return to the rank that brought the ray. They are those of one context with the
// triangles of all ranks in the order of ranks, bit for bit, for any number of ranks.
//
// Both calls are collective. They wait for the other ranks. All ranks throw the same error: Error invalid_argument if
// the number of results is not that of the rays, if they overlap, if `accel` was never built, was built by another
// number of ranks or is in the memory of another backend; Error out_of_memory, Error cancelled.
//
// Memory: 200 bytes per ray that is at this rank at a time. At first these are the rays that it brings.

/// Writes the closest hit of every ray of this rank.
///   rays: less than 2^32
///   hits: one per ray; must not overlap the rays
COPSE_API void closest_hits(Communicator& comm, Context& context, const ShardedAccel& accel,
                            BufferSpan<const Ray> rays, BufferSpan<Hit> hits);

/// Sets occluded[i] to 1 if ray i of this rank hits anything, else to 0.
COPSE_API void any_hits(Communicator& comm, Context& context, const ShardedAccel& accel,
                        BufferSpan<const Ray> rays, BufferSpan<u8> occluded);

}  // namespace copse
