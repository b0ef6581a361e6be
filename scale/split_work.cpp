#include "scale/split_work.h"

#include "primitives/core/check.h"
#include "primitives/core/device.h"
#include "scale/links/links.h"
#include "scale/shares/learned_shares.h"

namespace copse::detail {

namespace {

void check_no_capture(const char* function, Devices& devices) {
  if (devices.first().device().capturing()) {
    refuse(function, "the work of several devices cannot be captured in a graph");
  }
}

}  // namespace

bool reaches(Devices& devices, u32 device, const void* memory) {
  return devices.links().reaches(device, memory);
}

void copy_between(Devices& devices, Context& context, void* to, const void* from, u64 bytes) {
  devices.links().copy(context, to, from, bytes);
}

void share_work(const char* function, Devices& devices, const std::function<void(Context&, u32)>& work) {
  if (devices.count() == 1) return work(devices.first(), 0);
  check_no_capture(function, devices);
  devices.links().begin();
  try {
    devices.submit(work);
  } catch (...) {
    devices.links().end();  // other devices may still use the memory of the first one
    throw;
  }
  devices.links().end();
}

void split_work(const char* function, Devices& devices, const SplitBatch& batch,
                const std::function<void(Context&, const SplitPiece&)>& work) {
  if (devices.count() > 1) check_no_capture(function, devices);
  const u64 count = batch.count;
  const u64 min_count = devices.first().backend() == Backend::cuda ? batch.min_gpu_piece : min_cpu_piece;
  if (devices.count() == 1 || count < devices.count() * min_count) return work(devices.first(), {0, 0, count});
  LearnedShares::Batch& shares = devices.shares().find(batch.address, count);
  const bool is_timed = shares.prepare();
  share_work(function, devices, [&](Context& context, u32 device) {
    const u64 first = shares.begin_of(device, count), end = shares.begin_of(device + 1, count);
    std::unique_ptr<Mark> start = is_timed ? context.device().mark() : nullptr;
    work(context, {device, first, end - first});
    if (is_timed) shares.time(device, std::move(start), context.device().mark());
  });
}

}  // namespace copse::detail
