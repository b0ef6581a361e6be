#pragma once

#include <optional>
#include <string>

#include "primitives/core/cancel_token.h"
#include "primitives/core/graph.h"
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

enum class Backend : u8 { automatic, cpu, cuda };

/// "automatic", "cpu" or "cuda".
const char* name_of(Backend backend);

struct ContextOptions {
  /// automatic: the GPU if one answers, else the CPU. cuda: Error no_device where none answers.
  Backend backend = Backend::automatic;

  /// Ordinal of the CUDA device.
  int device = 0;

  /// The caller's cudaStream_t, which must outlive the context. None: the context makes its own.
  std::optional<void*> stream = std::nullopt;

  /// Where all memory comes from; must outlive the context. Null: on CUDA a stream-ordered pool of the
  /// context's own, on the CPU the heap.
  MemoryResource* memory = nullptr;

  /// CPU threads, 0 for all that the machine has. At most 4096.
  u32 workers = 0;

  /// Waits after every launch, so that an error names the launch that made it. Slow; for debugging.
  bool check_every_launch = false;

  /// Records the times of all stages, see Profile::stages. Costs two events a stage on CUDA.
  bool profile = false;

  /// Such as a std::stop_token. Once it asks to stop, the next stage throws Error cancelled.
  CancelToken cancel = {};
};

/// A device, a stream, memory and scratch: everything that work needs. One thread of control each; any
/// number of contexts work at once. Outlives the buffers and trees made with it.
class Context {
 public:
  /// Throws: Error no_device, Error invalid_argument.
  explicit Context(const ContextOptions& options = {});
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  Backend backend() const { return backend_; }
  std::string device_name() const;
  u32 worker_count() const;

  /// The cudaStream_t that all work goes to; null on the CPU.
  void* stream() const;

  /// Waits for all work put on the stream so far.
  /// Throws: Error device_failure for an asynchronous error, with the label of the last launch.
  void wait();

  /// Makes `bytes` bytes of scratch ready ahead of time. Work that needs no more allocates nothing.
  void reserve_scratch(u64 bytes);
  /// Gives back the scratch that no captured graph uses.
  void release_scratch();
  u64 scratch_bytes() const;

  /// Stages and launches of the work so far; see primitives/core/profile.h.
  Profile& profile() { return *profile_; }

  /// Records the work that `work` puts on the stream and runs none of it. The work must not wait nor
  /// allocate: run it once before, so that buffers and scratch are there. The graph uses memory of this
  /// context, which must outlive it.
  /// On the CPU, the graph keeps `work` and calls it at each launch.
  template <class Work>
  Graph capture(Work work) {
    return capture_work(new detail::WorkOf<Work>(work));
  }

  MemoryResource& memory() { return *memory_; }
  Device& device() { return *device_; }
  const cpu::Executor& cpu_executor() const { return *cpu_executor_; }
  const cuda::Executor& cuda_executor() const { return *cuda_executor_; }

 private:
  struct Parts;  // owns what the pointers below point to

  Graph capture_work(detail::Work* owned);

  Parts* parts_ = nullptr;
  Backend backend_;
  MemoryResource* memory_;
  Device* device_;
  Profile* profile_;
  const cpu::Executor* cpu_executor_ = nullptr;
  const cuda::Executor* cuda_executor_ = nullptr;
};

/// True where this build has a CUDA half.
bool built_with_cuda();

}  // namespace copse
