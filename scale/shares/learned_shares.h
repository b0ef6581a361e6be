#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "primitives/core/device.h"

namespace copse::detail {

/// How batches are divided among devices. Each device has one range of a batch, because a batch has fixed costs of
/// some 50 us. Ranges of equal length do not take equal times: one half of a picture sees more than the other, and
/// the first device is nearer to the rays than the others. So the lengths are learned from the times of earlier calls
/// on the same batch. The times are read when they are available, without waiting. The results do not depend on them.
class LearnedShares {
 public:
  /// The shares of a batch.
  class Batch {
   public:
    Batch(const void* address, u32 count_bits, u32 device_count);

    /// Returns the first element of a device's range. Ranges of all devices cover 0 to `count`.
    u64 begin_of(u32 device, u64 count) const;

    /// Takes the times of the last call, if they are available, and moves the borders. Returns true if the next call
    /// is to be timed.
    bool prepare();

    /// Keeps the marks before and after the work of a device. Devices may call it at once.
    void time(u32 device, std::unique_ptr<Mark> start, std::unique_ptr<Mark> end);

   private:
    friend class LearnedShares;

    bool has_times() const;
    void learn();

    const void* address_;
    u32 count_bits_;
    std::vector<u32> borders_;  // [device + 1], in units of 1 / units of the batch
    std::vector<std::unique_ptr<Mark>> starts_, ends_;
    u32 calls_until_timed_ = 0, steady_calls_ = 0;
  };

  explicit LearnedShares(u32 device_count) : device_count_(device_count) {}

  /// Returns the shares of the batch at this address with about this many elements.
  Batch& find(const void* address, u64 count);

 private:
  u32 device_count_;
  std::deque<Batch> batches_;  // the newest first
};

}  // namespace copse::detail
