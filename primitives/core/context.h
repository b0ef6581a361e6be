#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "primitives/core/executor.h"
#include "primitives/core/graph.h"
#include "primitives/core/memory_resource.h"
#include "primitives/core/profile.h"
#include "primitives/core/types.h"

namespace copse {

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

  /// Once set, the next stage throws Error cancelled.
  std::stop_token cancel = {};
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

  Profile& profile();

  /// Records the work that `work` puts on the stream and runs none of it. The work must not wait nor
  /// allocate: run it once before, so that buffers and scratch are there. The graph uses memory of this
  /// context, which must outlive it.
  /// On the CPU, the graph keeps `work` and calls it at each launch.
  Graph capture(std::function<void()> work);

  MemoryResource& memory() { return *memory_; }
  Device& device() { return *device_; }
  const cpu::Executor& cpu_executor() const { return *cpu_executor_; }
  const cuda::Executor& cuda_executor() const { return *cuda_executor_; }

 private:
  Backend backend_;
  std::unique_ptr<cpu::Workers> workers_;
  std::unique_ptr<Device> device_;
  MemoryResource* memory_;
  std::unique_ptr<ScratchArena> scratch_;
  std::unique_ptr<ZeroedMemory> zeroed_;  // on CUDA
  std::unique_ptr<Profile> profile_;
  std::unique_ptr<cpu::Executor> cpu_executor_;
  std::unique_ptr<cuda::Executor> cuda_executor_;
};

/// True where this build has a CUDA half.
bool built_with_cuda();

}  // namespace copse
