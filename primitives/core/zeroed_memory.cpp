#include "primitives/core/zeroed_memory.h"

#include "primitives/core/allocation.h"
#include "primitives/core/device.h"

namespace copse {

ZeroedMemory::ZeroedMemory(Device& device, MemoryResource& memory)
    : device_(device), memory_(memory), data_(detail::allocate_from(memory, bytes, device.stream())) {
  try {
    device_.clear(data_, bytes);
  } catch (...) {
    memory_.deallocate(data_, bytes, device_.stream());
    throw;
  }
  dirty_ = false;
}

ZeroedMemory::~ZeroedMemory() {
  memory_.deallocate(data_, bytes, device_.stream());
}

ZeroedMemory::Scope::Scope(ZeroedMemory& owner) : owner_(owner) {
  if (owner_.dirty_) owner_.device_.clear(owner_.data_, bytes);
  owner_.dirty_ = true;
}

}  // namespace copse
