#include <cub/device/device_histogram.cuh>

#include "bench/primitives/rows.h"
#include "bench/support/cub.h"
#include "primitives/histogram.h"

namespace copse::bench {

namespace {

/// Values of `value_bits` bits. Each of the 2^bin_bits bins holds one value.
template <class T, u32 bin_bits, u32 value_bits>
void histogram_of(Comparison& c) {
  constexpr u32 bin_count = 1u << bin_bits;
  const BufferSpan<T> in = c.hashed<T>(c.n, value_bits);
  const BufferSpan<u64> counts = c.buffer<u64>(bin_count);
  const BufferSpan<u32> expected = c.buffer<u32>(bin_count);
  c.bytes = double(in.size_bytes());
  c.ours = [=, &c] { histogram<T>(c.context, in, IntegerBins<T>{}, counts); };
  add_cub_rival(c, [=, &c](void* temp, size_t& bytes, auto n) {
    return cub::DeviceHistogram::HistogramEven(temp, bytes, in.data(), expected.data(), int(bin_count) + 1, 0,
                                               int(bin_count), n, stream_of(c.context));
  });
  c.expect([=, &c] {
    const std::vector<u64> wide = download(c.context, counts);
    const std::vector<u32> narrow = download(c.context, expected);
    return std::equal(wide.begin(), wide.end(), narrow.begin());
  });
}

}  // namespace

void add_histogram_rows(Rows& rows) {
  const u64 n = u64{1} << 28;
  rows.add("histogram/256_bins/u8", n, histogram_of<u8, 8, 8>);
  rows.add("histogram/256_bins/u32", n, histogram_of<u32, 8, 8>);
  rows.add("histogram/256_bins/u32_all_equal", n, histogram_of<u32, 8, 0>);
  rows.add("histogram/65536_bins/u32", n, histogram_of<u32, 16, 16>);
}

}  // namespace copse::bench
