#pragma once

#include "primitives/core/memory_resource.h"

namespace copse {

class Device;

/// Device memory that is zero whenever no work of the context uses it. It holds look-back tables and counters,
/// which kernels leave zero, so that no launch has to clear them first.
class COPSE_API ZeroedMemory {
 public:
  /// Work that needs more than this takes scratch and clears it.
  static constexpr u64 bytes = u64{1} << 20;

  ZeroedMemory(Device& device, MemoryResource& memory);
  ~ZeroedMemory();
  ZeroedMemory(const ZeroedMemory&) = delete;
  ZeroedMemory& operator=(const ZeroedMemory&) = delete;

  /// The memory, for the launches of one primitive. The last of them leaves it zero, and then the primitive calls
  /// leaves_zero(). If the primitive fails before that, the next scope clears the memory.
  class Scope {
   public:
    explicit Scope(ZeroedMemory& owner);
    void* data() const { return owner_.data_; }
    void leaves_zero() { owner_.dirty_ = false; }

   private:
    ZeroedMemory& owner_;
  };

 private:
  Device& device_;
  MemoryResource& memory_;
  void* data_;
  bool dirty_ = true;
};

}  // namespace copse
