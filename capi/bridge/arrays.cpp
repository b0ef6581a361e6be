#include "capi/bridge/arrays.h"

#include <algorithm>

#include "primitives/core/counted.h"

namespace copse::capi {

void check_array(const char* what, const void* data, u64 count, u64 stride_bytes, copse_memory memory,
                 u64 alignment) {
  if (memory != COPSE_MEMORY_HOST && memory != COPSE_MEMORY_CONTEXT) {
    refuse(std::string("the memory of the ") + what + " is " + std::to_string(memory) + "; it can be 0 or 1");
  }
  if (count == 0) return;
  if (data == nullptr) refuse("the address of " + copse::detail::counted(count, what) + " is null");
  if (reinterpret_cast<std::uintptr_t>(data) % alignment != 0) {
    refuse(std::string("the address of the ") + what + " ends in " +
           std::to_string(reinterpret_cast<std::uintptr_t>(data) % alignment) + "; a multiple of " +
           std::to_string(alignment) + " is needed");
  }
  constexpr u64 max_bytes = ~u64{0} / 4;
  if (stride_bytes > 0 && count > max_bytes / stride_bytes) {
    refuse(std::to_string(count) + " " + what + ", " + copse::detail::counted(stride_bytes, "bytes") +
           " apart, pass the address space");
  }
}

void check_product(const char* what, u64 count, u64 each) {
  if (count <= ~u64{0} / 64 / std::max<u64>(each, 1)) return;
  refuse(std::to_string(each) + " " + what + " for each of " + std::to_string(count) +
         " points pass the address space");
}

void HostRanges::upload(Context& context) {
  std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) { return a.data < b.data; });
  std::vector<Range> merged;
  for (Range& range : ranges_) {
    if (!merged.empty() && range.data <= merged.back().data + merged.back().bytes) {
      const u64 end = u64(range.data - merged.back().data) + range.bytes;
      merged.back().bytes = std::max(merged.back().bytes, end);
    } else {
      merged.push_back(std::move(range));
    }
  }
  ranges_ = std::move(merged);
  for (Range& range : ranges_) {
    range.copy = Buffer<u8>(context, range.lead() + range.bytes);
    range.copy.upload({range.data, range.bytes}, range.lead());
  }
}

const void* HostRanges::address_of(const void* data) const {
  const u8* at = static_cast<const u8*>(data);
  for (const Range& range : ranges_) {
    if (range.data <= at && at < range.data + range.bytes)
      return range.copy.data() + range.lead() + (at - range.data);
  }
  return nullptr;
}

}  // namespace copse::capi
