#pragma once

#include <memory>
#include <span>

#include "primitives/core/context.h"

namespace copse::detail {

/// The connections between the memories and the streams of several devices. Device 0 is the first one.
class Links {
 public:
  virtual ~Links() = default;

  /// Opens the memory of the first context to the others. Called once; the contexts outlive the links.
  virtual void join(std::span<const std::unique_ptr<Context>> contexts) = 0;

  /// Opens the memory of each context to all others that have peer access, for devices that send to each other at once.
  /// It may be called again.
  virtual void open_all() = 0;

  /// Returns true if `device` can read and write the memory of the first device.
  virtual bool has_peer_access(u32 device) const = 0;

  /// Returns true if `device` can read and write at this address of the first device's memory.
  virtual bool reaches(u32 device, const void* memory) const = 0;

  /// Copies between the memories of any two devices, as work of `context`.
  virtual void copy(Context& context, void* to, const void* from, u64 bytes) = 0;

  /// Orders all later work of the other devices after the work that the first device has now.
  virtual void begin() = 0;

  /// Orders all later work of the first device after the work that the others have now.
  virtual void end() = 0;
};

/// Links of contexts of the CPU, which have one memory and no streams.
std::unique_ptr<Links> make_host_links(bool peer_access);

/// Links of GPUs.
/// Throws: Error no_device if this build has no CUDA backend.
std::unique_ptr<Links> make_gpu_links(bool peer_access);
}  // namespace copse::detail
