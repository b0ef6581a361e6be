#pragma once

#include "accel/ray_span.h"
#include "scale/replicated_accel.h"
#include "trace/short_hit.h"
#include "trace/trace_options.h"

namespace copse {

// Batches of rays through a ReplicatedAccel, shared by all devices. Rays, results and masks are in the memory of the
// first device. Each device traces one range of the rays, and stores the hits at their places. So the hits equal
// those of one device, byte for byte, and do not depend on the number of devices.
//
// All functions throw the errors of the functions of the same names in accel/accel_rays.h, with the name of the
// device; also Error invalid_argument if `accel` is of other devices, or in a capture. They do not wait.
//
// Memory: on a device without peer access, copies of its rays and results.

/// Writes the closest hit of every ray. Batches of less than 524288 rays per GPU are traced by the first one alone.
///   rays:    any number, may be empty
///   hits:    one per ray; must not overlap the rays
///   options: as for one device. `chosen` gets the kernel of the first device
COPSE_API void closest_hits(Devices& devices, const ReplicatedAccel& accel, BufferSpan<const Ray> rays,
                            BufferSpan<Hit> hits, const TraceOptions& options = {});

/// The same with results of 8 bytes. The place of a triangle is the same on all devices.
COPSE_API void closest_hits(Devices& devices, const ReplicatedAccel& accel, BufferSpan<const Ray> rays,
                            BufferSpan<ShortHit> hits, const TraceOptions& options = {});

/// Sets occluded[i] to 1 if ray i hits anything, else to 0.
COPSE_API void any_hits(Devices& devices, const ReplicatedAccel& accel, BufferSpan<const Ray> rays,
                        BufferSpan<u8> occluded, const TraceOptions& options = {});

/// The same for rays in any layout, which are gathered on the first device.
/// Throws: also Error invalid_argument if there are not as many directions as origins, for an address that is null
/// or a stride that is no multiple of 4; Error out_of_memory.
/// Memory: 32 bytes per ray on the first device.
COPSE_API void closest_hits(Devices& devices, const ReplicatedAccel& accel, const RaySpan& rays,
                            BufferSpan<Hit> hits, const TraceOptions& options = {});
COPSE_API void any_hits(Devices& devices, const ReplicatedAccel& accel, const RaySpan& rays,
                        BufferSpan<u8> occluded, const TraceOptions& options = {});

}  // namespace copse
