#include "scale/shares/learned_shares.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace copse::detail {

namespace {

/// Borders are multiples of 1 / units of the batch. So they do not move once they are learned, and each device gets
/// the same rays in every call, whose fastest kernel it learns too.
constexpr u32 units = 4096;

/// Borders are rounded down to multiples of this, so that tiles of rays and cache lines stay whole.
constexpr u64 border_alignment = 64;

/// Shares are good if the slowest device takes at most this much longer than the mean. Once they are steady, timing
/// noise must not move them.
constexpr double allowed_excess = 0.03, allowed_steady_excess = 0.08;

/// After this many good calls shares are steady. Then one call of `calls_between_times` is timed.
constexpr u32 steady_after = 3, calls_between_times = 32;

constexpr size_t max_batches = 64;

}  // namespace

LearnedShares::Batch::Batch(const void* address, u32 count_bits, u32 device_count)
    : address_(address), count_bits_(count_bits), starts_(device_count), ends_(device_count) {
  for (u32 device = 0; device <= device_count; ++device) borders_.push_back(units * device / device_count);
}

u64 LearnedShares::Batch::begin_of(u32 device, u64 count) const {
  if (borders_[device] == units) return count;
  return count * borders_[device] / units / border_alignment * border_alignment;
}

bool LearnedShares::Batch::has_times() const {
  return std::all_of(ends_.begin(), ends_.end(), [](const auto& mark) { return mark && mark->has_passed(); });
}

bool LearnedShares::Batch::prepare() {
  if (has_times()) learn();
  const auto count = std::count_if(ends_.begin(), ends_.end(), [](const auto& mark) { return mark != nullptr; });
  if (count == std::ptrdiff_t(ends_.size())) return false;  // of a call that is still running
  std::fill(ends_.begin(), ends_.end(), nullptr);           // of a call that failed
  if (calls_until_timed_ > 0) {
    --calls_until_timed_;
    return false;
  }
  calls_until_timed_ = steady_calls_ < steady_after ? 0 : calls_between_times;
  return true;
}

void LearnedShares::Batch::time(u32 device, std::unique_ptr<Mark> start, std::unique_ptr<Mark> end) {
  starts_[device] = std::move(start);
  ends_[device] = std::move(end);
}

/// Moves the shares half way to those that would have taken equal times at the speeds of the last call.
void LearnedShares::Batch::learn() {
  const u32 count = u32(ends_.size());
  std::vector<double> milliseconds(count), speeds(count);
  for (u32 device = 0; device < count; ++device) {
    milliseconds[device] = std::max(ends_[device]->milliseconds_since(*starts_[device]), 1e-4);
    speeds[device] = (borders_[device + 1] - borders_[device]) / milliseconds[device];
    starts_[device] = nullptr;
    ends_[device] = nullptr;
  }
  const double mean = std::accumulate(milliseconds.begin(), milliseconds.end(), 0.0) / count;
  const double allowed = steady_calls_ < steady_after ? allowed_excess : allowed_steady_excess;
  if (*std::max_element(milliseconds.begin(), milliseconds.end()) <= (1 + allowed) * mean) {
    ++steady_calls_;
    return;
  }
  steady_calls_ = 0;
  const double all = std::accumulate(speeds.begin(), speeds.end(), 0.0);
  double border = 0;
  u32 last = 0;
  for (u32 device = 0; device + 1 < count; ++device) {
    const double share = borders_[device + 1] - last;
    last = borders_[device + 1];
    border += 0.5 * (share + units * speeds[device] / all);
    // Every device keeps at least one unit, so that it can be timed.
    borders_[device + 1] =
        u32(std::clamp(std::lround(border), long(borders_[device]) + 1, long(units - (count - 1 - device))));
  }
}

LearnedShares::Batch& LearnedShares::find(const void* address, u64 count) {
  const u32 count_bits = u32(std::bit_width(count));
  for (Batch& batch : batches_) {
    if (batch.address_ == address && batch.count_bits_ == count_bits) return batch;
  }
  if (batches_.size() == max_batches) batches_.pop_back();
  batches_.emplace_front(address, count_bits, device_count_);
  return batches_.front();
}

}  // namespace copse::detail
