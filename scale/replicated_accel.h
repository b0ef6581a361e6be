#pragma once

#include <vector>

#include "accel/accel.h"
#include "scale/devices.h"

namespace copse {

class ReplicatedAccel;

namespace detail {

struct ReplicatedAccess;

/// Throws: Error invalid_argument if `accel` was never replicated, or is of other devices.
COPSE_API void check_replicas(const char* function, const Devices& devices, const ReplicatedAccel& accel);

}  // namespace detail

/// The same Accel on each of several devices, so that they share rays and queries. replicate() makes it.
///
///   copse::ReplicatedAccel scene = copse::replicate(gpus, copse::build(gpus.first(), triangles));
///   copse::closest_hits(gpus, scene, rays.span(), hits.span());         // scale/replicated_rays.h
///   copse::refit(gpus.first(), scene.first(), moved_triangles);
///   copse::update(gpus, scene);                                         // the others follow
///
/// Answers equal those of one device, bit for bit. After its Devices it must not be used any more, only destroyed.
class COPSE_API ReplicatedAccel {
 public:
  /// An empty object. All calls throw for it.
  ReplicatedAccel() = default;

  /// The number of devices that have it.
  u32 count() const { return u32(accels_.size()); }

  /// Returns the Accel of the first device, which may be refitted, rebuilt and compacted; then call update().
  /// Throws: Error invalid_argument if it was never made.
  Accel& first();

  /// Returns the Accel of a device, for work of your own in Devices::run. Those of the other devices are compacted.
  /// Throws: Error invalid_argument if there is no such device.
  const Accel& on(u32 device) const;

  /// The bytes on all devices.
  u64 size_bytes() const;

 private:
  friend struct detail::ReplicatedAccess;

  std::vector<Accel> accels_;         // [device]
  const Devices* devices_ = nullptr;  // that they are on
};

/// Returns copies of an Accel on all devices. The first one keeps `accel` itself.
///   accel: in the memory of devices.first()
/// Throws: Error invalid_argument if `accel` was never built, or by another backend; Error out_of_memory with the name
/// of the device, Error cancelled.
/// Waits: to read the size of the tree.
/// Memory: on each other device as much as a compacted Accel.
COPSE_API ReplicatedAccel replicate(Devices& devices, Accel accel);

/// Copies the Accel of the first device to the others again, after a refit, a rebuild or compact. Memory of the right
/// size is reused. After an error, update it before you use it.
/// Throws: as replicate; Error invalid_argument if `accel` is of other devices.
/// Waits: to read the size of the tree.
COPSE_API void update(Devices& devices, ReplicatedAccel& accel);

}  // namespace copse
