#pragma once

// Accels and instances of a caller, as scenes and worlds take them.

#include "capi/bridge/arrays.h"
#include "capi/scene.h"

namespace copse::capi {

/// Accels of a caller, and what keeps their memory.
struct AccelList {
  std::vector<const Accel*> addresses;
  std::vector<std::shared_ptr<const void>> owners;

  /// Throws: Error invalid_argument for a null accel, and for one of another device.
  AccelList(const copse_context* context, const copse_accel* const* accels, u64 count) {
    if (count > 0) require(accels, "the accels");
    for (u64 i = 0; i < count; ++i) {
      addresses.push_back(&object_of(context, accels[i], ("accel " + std::to_string(i)).c_str()));
      owners.push_back(accels[i]->owned);
    }
  }

  /// Returns the accels. They refer to this object.
  SceneAccels accels() const { return std::span<const Accel* const>(addresses); }
};

/// Instances of a caller in the memory of a context. The copy lives as long as this object.
class InstanceInput {
 public:
  /// Throws: Error invalid_argument, also if an instance on the host names an accel that does not exist.
  ///   accel, accels: what messages call an accel, and several of them
  InstanceInput(Context& context, const copse_instance* instances, u64 count, copse_memory memory, u64 accel_count,
                const std::string& accel = "accel", const std::string& accels = "accels")
      : all_(context, "instances", instances, count, memory) {
    static_assert(sizeof(copse_instance) == sizeof(Instance));
    if (memory != COPSE_MEMORY_HOST) return;
    for (u64 i = 0; i < count; ++i) {
      if (instances[i].accel < accel_count) continue;
      refuse("instance " + std::to_string(i) + " is of " + accel + " " + std::to_string(instances[i].accel) +
             ", but the scene has " + std::to_string(accel_count) + " " + accels);
    }
  }

  InstanceView view() const { return InstanceView::of(all_.span()); }

 private:
  Input<Instance> all_;
};

}  // namespace copse::capi
