#include "bench/papers/rows.h"
#include "primitives/cuda/split.cuh"
#include "primitives/inputs.h"

namespace copse::bench {

namespace {

/// Returns the highest `bits` bits.
struct HighBits {
  u32 bits;
  COPSE_HD u32 operator()(u32 key) const { return key >> (32 - bits); }
};

/// The buckets are the highest bits of the keys. So the result must ascend in these bits.
struct LowBitsOff {
  const u32* in;
  u32* out;
  u32 bits;
  COPSE_HD void operator()(u64 i) const { out[i] = in[i] >> (32 - bits); }
};

Setup split_to_buckets(u32 bits) {
  return [bits](Comparison& c) {
    const BufferSpan<u32> in = c.hashed<u32>(c.n), out = c.buffer<u32>(c.n);
    const BufferSpan<u64> offsets = c.buffer<u64>((u64{1} << bits) + 1);
    c.bytes = (bits <= 8 ? 3.0 : 5.0) * double(in.size_bytes());
    c.ours = [=, &c] {
      cuda::split(c.context.cuda_executor(), "split", c.n, Elements<u32>{in.data()}, HighBits{bits}, 1u << bits,
                  out.data(), offsets.data());
    };
    c.expect([=, &c] {
      const BufferSpan<u32> buckets = c.buffer<u32>(c.n);
      cuda::for_each(c.context.cuda_executor(), "buckets", c.n, LowBitsOff{out.data(), buckets.data(), bits});
      return ascending<u32>(c.context, buckets) && same_elements<u32>(c.context, in, out);
    });
  };
}

}  // namespace

void add_split_papers(Rows& rows) {
  const u64 n = 16 * million;
  // These rows scatter to 256 bins, in two steps and in one.
  rows.add_on_stream("patidar_2009/two_step_scatter_256_bins", n, with_paper(split_to_buckets(8), "paper_ms", 14));
  rows.add_on_stream("patidar_2009/one_step_scatter_256_bins", n, with_paper(split_to_buckets(8), "paper_ms", 24));

  // Figure 4 ends at 2048 bins; these rows go on to 65536.
  for (u32 bits = 1; bits <= 16; ++bits) {
    rows.add_on_stream("patidar_2009/figure_4/buckets:" + std::to_string(1u << bits), n, split_to_buckets(bits));
  }
}

}  // namespace copse::bench
