#include "bench/support/data.h"

#include "bench/support/data_body.h"
#include "primitives/core/buffer.h"
#include "primitives/core/dispatch.h"

namespace copse::bench {

template <class T>
void fill_hashed(Context& context, BufferSpan<T> span, u32 bits, u32 seed) {
  dispatch(context, [&](const auto& ex) { fill_hashed_elements(ex, span.data(), span.size(), bits, seed); });
}

template void fill_hashed(Context&, BufferSpan<u8>, u32, u32);
template void fill_hashed(Context&, BufferSpan<u16>, u32, u32);
template void fill_hashed(Context&, BufferSpan<u32>, u32, u32);
template void fill_hashed(Context&, BufferSpan<u64>, u32, u32);

void fill_indices(Context& context, BufferSpan<u32> span) {
  dispatch(context, [&](const auto& ex) { fill_with_indices(ex, span.data(), span.size()); });
}

bool equal_bytes(Context& context, const void* a, const void* b, u64 bytes) {
  Buffer<u32> different(context, std::vector<u32>{0});
  dispatch(context, [&](const auto& ex) {
    const u64 words = bytes / 4;
    count_different(ex, static_cast<const u32*>(a), static_cast<const u32*>(b), words, different.data());
    count_different(ex, static_cast<const u8*>(a) + 4 * words, static_cast<const u8*>(b) + 4 * words, bytes % 4,
                    different.data());
  });
  return different.download()[0] == 0;
}

}  // namespace copse::bench
