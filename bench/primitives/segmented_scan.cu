#include <cub/device/device_scan.cuh>

#include "bench/primitives/rows.h"
#include "bench/support/cub.h"
#include "primitives/cuda/for_each.cuh"
#include "primitives/scan.h"
#include "primitives/segmented_scan.h"

namespace copse::bench {

namespace {

/// A segment starts at about one element in 32. The start is given as a byte, as a bit, and as a word that numbers
/// the segments.
struct StartSegments {
  const u32* random;
  u8* bytes;
  u32* bits;
  u32* words;
  COPSE_HD void operator()(u64 group) const {
    u32 mask = 0;
    for (u32 k = 0; k < 32; ++k) {
      const u64 i = group * 32 + k;
      const bool starts = i == 0 || random[i] % 32 == 0;
      bytes[i] = starts;
      words[i] = starts;
      mask |= u32(starts) << k;
    }
    bits[group] = mask;
  }
};

/// CUB has no flags. It scans by keys that are equal inside a segment. Here the keys are the segments' numbers.
template <bool by_bits>
void segmented_sums(Comparison& c) {
  const BufferSpan<u32> in = c.hashed<u32>(c.n), out = c.buffer<u32>(c.n), expected = c.buffer<u32>(c.n);
  const BufferSpan<u32> random = c.hashed<u32>(c.n, 32, 1), segments = c.buffer<u32>(c.n);
  const BufferSpan<u8> bytes = c.buffer<u8>(c.n);
  const BufferSpan<u32> bits = c.buffer<u32>(c.n / 32);
  cuda::for_each(c.context.cuda_executor(), "start segments", c.n / 32,
                 StartSegments{random.data(), bytes.data(), bits.data(), segments.data()});
  inclusive_scan<u32>(c.context, segments, segments);
  c.bytes = 2.0 * double(in.size_bytes()) + double(by_bits ? bits.size_bytes() : bytes.size_bytes());
  c.ours = [=, &c] {
    by_bits ? segmented_inclusive_scan<u32>(c.context, in, BitSpan{bits, c.n}, out)
            : segmented_inclusive_scan<u32>(c.context, in, BufferSpan<const u8>(bytes), out);
  };
  add_cub_rival(c, [=, &c](void* temp, size_t& temp_bytes, auto n) {
    return cub::DeviceScan::InclusiveSumByKey(temp, temp_bytes, segments.data(), in.data(), expected.data(), n,
                                              ::cuda::std::equal_to<>{}, stream_of(c.context));
  });
  c.expect_equal(out, expected);
}

}  // namespace

void add_segmented_scan_rows(Rows& rows) {
  for (u32 log_n : {16, 20, 24, 28}) rows.add("segmented_scan/bytes/u32", u64{1} << log_n, segmented_sums<false>);
  rows.add("segmented_scan/bits/u32", u64{1} << 28, segmented_sums<true>);
}

}  // namespace copse::bench
