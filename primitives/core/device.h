#pragma once

#include <memory>
#include <string>

#include "primitives/core/macros.h"
#include "primitives/core/memory_resource.h"

namespace copse {

/// A point in time on the stream of a context, or on the wall clock of the CPU backend.
class COPSE_API Mark {
 public:
  virtual ~Mark() = default;

  /// Milliseconds from `earlier` to this mark. Waits for this mark.
  virtual double milliseconds_since(const Mark& earlier) const = 0;

  /// True if the work before this mark has ended. Does not wait.
  virtual bool has_passed() const = 0;
};

/// The operations that a Context needs from its backend; implemented in cpu/device.cpp and cuda/device.cu.
class COPSE_API Device {
 public:
  virtual ~Device() = default;

  virtual std::string name() const = 0;
  virtual void* stream() const = 0;
  virtual MemoryResource& default_memory() = 0;

  /// Makes this device the current one of the calling thread.
  virtual void make_current() = 0;

  /// Copies from the host to the device; `from` may be changed after the call.
  virtual void upload(void* to, const void* from, u64 bytes) = 0;
  /// Copies from the device to the host. Waits.
  virtual void download(void* to, const void* from, u64 bytes) = 0;
  /// True if work on the device can read from this address.
  virtual bool can_read(const void* memory) const = 0;
  /// Sets memory to zero.
  virtual void clear(void* memory, u64 bytes) = 0;
  /// Waits for all work, and throws if any of it failed; `last_label` is part of the message.
  virtual void wait(const char* last_label) = 0;

  virtual std::unique_ptr<Mark> mark() = 0;
  virtual void begin_range(const char* label) = 0;
  virtual void end_range() noexcept = 0;

  /// True between begin_capture and end_capture, and while the caller captures its own stream.
  virtual bool capturing() const = 0;
  virtual void begin_capture() = 0;
  virtual std::shared_ptr<void> end_capture() = 0;
  virtual void abandon_capture() noexcept = 0;
  virtual void launch_captured(void* graph) = 0;

  /// While capturing: begins work that each launch of the graph does only if *flag, in the memory of the device, is
  /// not 0 when it gets there. Returns the stream that takes this work. Branches may stand inside each other.
  /// Throws: Error no_device if the CUDA toolkit of this build has no branches.
  virtual void* begin_branch(const u32* flag) = 0;
  virtual void end_branch() = 0;
  virtual void abandon_branch() noexcept = 0;
};

namespace cpu {
COPSE_API std::unique_ptr<Device> make_device();
}

namespace cuda {
/// Makes the device of a GPU. If `stream` is null, the device makes a stream of its own.
/// Throws: Error no_device if no GPU answers, Error invalid_argument for an ordinal past the last.
COPSE_API std::unique_ptr<Device> make_device(int ordinal, void* const* stream);
COPSE_API int multiprocessor_count(int ordinal);
/// The major number of the compute capability.
COPSE_API int capability(int ordinal);
/// The bytes of shared memory that a block may ask for: 99 KiB on the GPUs of architecture 86, 89 and 120, 163 KiB
/// on 80, and 227 KiB on 90 and 100.
COPSE_API int max_shared_bytes(int ordinal);
}  // namespace cuda

}  // namespace copse
