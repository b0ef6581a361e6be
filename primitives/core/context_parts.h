#pragma once

// The parts of a context. Buffers and graphs hold them too, so that memory can be freed after the context is gone.

#include <atomic>
#include <memory>

#include "primitives/core/device.h"
#include "primitives/core/executor.h"

namespace copse::detail {

struct ContextParts {
  std::unique_ptr<cpu::Workers> workers;
  std::unique_ptr<Device> device;
  MemoryResource* memory = nullptr;
  std::unique_ptr<ScratchArena> scratch;
  std::unique_ptr<ZeroedMemory> zeroed;  // on CUDA
  std::unique_ptr<Profile> profile;
  Memos memos;
  std::unique_ptr<cpu::Executor> cpu_executor;
  std::unique_ptr<cuda::Executor> cuda_executor;
  std::atomic<u64> owner_count = 1;         // the context, its buffers and its graphs
  std::atomic<bool> has_context = true;     // false once the context is destroyed
  std::atomic<const void*> user = nullptr;  // the thread whose call uses the context now
  u32 call_depth = 0;                       // of that thread

  ContextParts();
  ~ContextParts();
};

}  // namespace copse::detail
