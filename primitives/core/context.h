#pragma once

#include <optional>
#include <string>

#include "primitives/core/cancel_token.h"
#include "primitives/core/graph.h"
#include "primitives/core/macros.h"
#include "primitives/core/memory_resource.h"
#include "primitives/core/types.h"

namespace copse {

class Device;
class Profile;
namespace cpu {
struct Executor;
}
namespace cuda {
struct Executor;
}

namespace detail {

struct ContextParts;

/// Keeps the parts of a context alive after it, until as many calls of release.
COPSE_API void hold(ContextParts& parts) noexcept;
COPSE_API void release(ContextParts& parts) noexcept;

}  // namespace detail

enum class Backend : u8 { automatic, cpu, cuda };

/// "automatic", "cpu" or "cuda".
COPSE_API const char* name_of(Backend backend);

struct ContextOptions {
  /// automatic: the GPU if one answers, else the CPU. cuda: Error no_device if none answers.
  Backend backend = Backend::automatic;

  /// Ordinal of the CUDA device.
  int device = 0;

  /// The cudaStream_t of the caller, which must outlive the context. If not given, the context makes its own.
  std::optional<void*> stream = std::nullopt;

  /// The source of all memory; must outlive the context. If null: on CUDA a stream-ordered pool of its own, on the
  /// CPU the heap.
  MemoryResource* memory = nullptr;

  /// The number of CPU threads, 1 to 4096; 0, or more than the machine runs at once, for all that it does.
  u32 workers = 0;

  /// Waits after every launch, so that an error names the launch that caused it. Slow; for debugging.
  bool check_every_launch = false;

  /// Checks what costs a pass over the data and a wait: ids in range, memory that is aligned and that the device can
  /// read, each structure after its build (docs/guide/memory-threads-errors.md). For debugging. COPSE_VALIDATE in the
  /// environment, if it is set to anything but 0, turns it on for all contexts. Captured work is not checked.
  bool validate = false;

  /// Records the times of all stages, see Profile::stages. Costs two events per stage on CUDA.
  bool profile = false;

  /// A token such as std::stop_token. Once a stop is requested, the next stage throws Error cancelled.
  CancelToken cancel = {};
};

/// A device, a stream, memory and scratch: everything that work needs. Only one thread may use a context at a
/// time, and a call while another thread is in one throws Error invalid_argument; any number of contexts may work at
/// once. Buffers and trees may outlive their context, but only to be read or destroyed.
class COPSE_API Context {
 public:
  /// Throws: Error no_device, Error invalid_argument.
  explicit Context(const ContextOptions& options = {});
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  Backend backend() const { return backend_; }
  std::string device_name() const;
  u32 worker_count() const;

  /// The cudaStream_t to which all work goes; null on the CPU.
  void* stream() const;

  /// Waits for all work that was put on the stream so far.
  /// Throws: Error device_failure for an asynchronous error, with the label of the last launch.
  void wait();

  /// Allocates `bytes` bytes of scratch ahead of time. Work that needs no more than that allocates nothing.
  void reserve_scratch(u64 bytes);
  /// Frees the scratch that no captured graph uses.
  void release_scratch();
  u64 scratch_bytes() const;

  /// Stages and launches of the work so far; see primitives/core/profile.h.
  Profile& profile() { return *profile_; }

  /// Records the work that `work()` puts on the stream, without running it. The work must not wait or allocate:
  /// run it once before, so that buffers and scratch are there. The graph uses memory of this context, which must
  /// outlive it. On the CPU the graph keeps a copy of `work` and calls it at each launch.
  template <class Work>
  Graph capture(Work work) {
    return capture_work(new detail::WorkOf<Work>(work));
  }

  /// True if ContextOptions::validate or COPSE_VALIDATE asks for checks, and no work is being captured.
  bool validates() const;

  MemoryResource& memory() { return *memory_; }
  Device& device() { return *device_; }
  const cpu::Executor& cpu_executor() const { return *cpu_executor_; }
  const cuda::Executor& cuda_executor() const { return *cuda_executor_; }
  detail::ContextParts& parts() { return *parts_; }

 private:
  Graph capture_work(detail::Work* owned);

  detail::ContextParts* parts_ = nullptr;  // owns what the pointers below point to
  bool validate_;
  Backend backend_;
  MemoryResource* memory_;
  Device* device_;
  Profile* profile_;
  const cpu::Executor* cpu_executor_ = nullptr;
  const cuda::Executor* cuda_executor_ = nullptr;
};

/// True if this build has the CUDA backend.
COPSE_API bool built_with_cuda();

}  // namespace copse
