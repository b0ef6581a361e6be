#include "primitives/core/validation.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "primitives/core/context_parts.h"

namespace copse {

ValidationCounts validation_counts(Context& context) {
  return detail::counts_of_validation(context);
}

namespace detail {

namespace {

std::string text_of(const void* memory) {
  char text[24];
  std::snprintf(text, sizeof text, "%p", memory);
  return text;
}

}  // namespace

ValidationCounts& counts_of_validation(Context& context) {
  return context.parts().memos.get<ValidationCounts>();
}

void validate_memory(Context& context, const char* function, const std::string& what, const void* memory,
                     u64 bytes, u64 alignment) {
  if (!context.validates() || memory == nullptr || bytes == 0) return;
  if (reinterpret_cast<u64>(memory) % alignment != 0) {
    refuse(function,
           what + " at address " + text_of(memory) + " must be at a multiple of " + std::to_string(alignment));
  }
  Device& device = context.device();
  device.make_current();
  const u8* const first = static_cast<const u8*>(memory);
  if (device.can_read(first) && device.can_read(first + bytes - 1)) return;
  refuse(function, what + ": the GPU cannot read them, they are in the memory of the host or of another GPU");
}

void validate_floats(Context& context, const char* function, const char* what, const void* records, u64 count,
                     u64 record_bytes, u64 ValidationCounts::*nan_count) {
  if (!context.validates() || records == nullptr || count == 0) return;
  validate_memory(context, function, what, records, count * record_bytes, alignof(float));
  constexpr u64 max_part = u64{1} << 18;  // records on the host at once
  const u64 floats_each = record_bytes / sizeof(float);
  std::vector<float> part;
  u64 found = 0;
  for (u64 begin = 0; begin < count; begin += max_part) {
    const u64 size = std::min(max_part, count - begin);
    part.resize(size * floats_each);
    context.device().download(part.data(), static_cast<const u8*>(records) + begin * record_bytes,
                              size * record_bytes);
    for (u64 i = 0; i < size; ++i) {
      const float* const record = part.data() + i * floats_each;
      found += std::any_of(record, record + floats_each, [](float x) { return std::isnan(x); });
    }
  }
  counts_of_validation(context).*nan_count += found;
}

}  // namespace detail

}  // namespace copse
