#pragma once

// Splits batches over devices, for the calls on replicated structures.

#include <functional>
#include <type_traits>

#include "primitives/core/buffer.h"
#include "scale/devices.h"

namespace copse::detail {

/// The batch of a call.
struct SplitBatch {
  const void* address;  // identifies the batch, so that calls on the same one learn how to divide it
  u64 count;
  u64 min_gpu_piece;  // from this many elements on, a GPU of its own pays
};

/// The same for a context of the CPU.
inline constexpr u64 min_cpu_piece = 64;

/// A range of a batch, and the device that works on it.
struct SplitPiece {
  u32 device;
  u64 first, count;
};

/// Calls work(context, piece) for pieces that cover the batch, one per device. Small batches go to the first device
/// alone. The work is ordered after and before the work of the first device, as Devices says.
/// Throws: what `work` throws, as Devices::run; Error invalid_argument while the first context captures a graph.
COPSE_API void split_work(const char* function, Devices& devices, const SplitBatch& batch,
                          const std::function<void(Context&, const SplitPiece&)>& work);

/// Calls work(context, device) for all devices, with the same ordering.
COPSE_API void share_work(const char* function, Devices& devices, const std::function<void(Context&, u32)>& work);

/// Returns true if the device reaches this address of the first device's memory.
COPSE_API bool reaches(Devices& devices, u32 device, const void* memory);
/// Copies between the memories of two devices, as work of `context`.
COPSE_API void copy_between(Devices& devices, Context& context, void* to, const void* from, u64 bytes);

/// Elements in the memory of the first device, for the work of another one. If that device reaches them, they are
/// used in place. Otherwise they have a copy in its own memory. Const elements are copied there at once. Elements
/// that the work writes are copied back by store().
template <class T>
class NearElements {
  using Element = std::remove_const_t<T>;

 public:
  NearElements(Devices& devices, Context& context, u32 device, BufferSpan<T> far)
      : context_(context), far_(far), near_(far) {
    if (far.empty() || reaches(devices, device, far.data())) return;
    copy_ = Buffer<Element>(context, far.size());
    near_ = copy_.span();
    if constexpr (std::is_const_v<T>) copy_between(devices, context, copy_.data(), far.data(), far.size_bytes());
    devices_ = &devices;
  }

  BufferSpan<T> span() const { return near_; }

  /// Copies the elements that the work wrote back to the first device.
  void store() {
    if (devices_ != nullptr) copy_between(*devices_, context_, far_.data(), copy_.data(), far_.size_bytes());
  }

 private:
  Context& context_;
  BufferSpan<T> far_, near_;
  Buffer<Element> copy_;
  Devices* devices_ = nullptr;  // null without a copy
};

}  // namespace copse::detail
