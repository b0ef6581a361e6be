#include <thrust/execution_policy.h>
#include <thrust/gather.h>
#include <thrust/scatter.h>

#include "bench/primitives/rows.h"
#include "bench/support/cub.h"
#include "primitives/gather.h"

namespace copse::bench {

namespace {

/// Thrust moves a record by one thread. The alignment lets the thread use the widest loads.
template <u32 bytes>
struct alignas(bytes < 16 ? bytes : 16) Record {
  u32 words[bytes / 4];
};

BufferSpan<std::byte> as_bytes(BufferSpan<u32> words) {
  return {reinterpret_cast<std::byte*>(words.data()), words.size_bytes()};
}

/// The records are in random order. Each is read once and written once, and its index is read.
template <u32 bytes, bool is_gather>
void records(Comparison& c) {
  const BufferSpan<u32> in = c.hashed<u32>(c.n * bytes / 4), indices = c.buffer<u32>(c.n);
  const BufferSpan<u32> out = c.buffer<u32>(in.size()), expected = c.buffer<u32>(in.size());
  fill_permutation(c.context, indices);
  c.bytes = double(c.n) * (2.0 * bytes + 4);
  c.ours = [=, &c] {
    is_gather ? gather(c.context, as_bytes(in), bytes, indices, as_bytes(out))
              : scatter(c.context, as_bytes(in), bytes, indices, as_bytes(out));
  };
  const auto* from = reinterpret_cast<const Record<bytes>*>(in.data());
  auto* to = reinterpret_cast<Record<bytes>*>(expected.data());
  const u32* index = indices.data();
  c.add_rival([=, &c, n = c.n] {
    const auto policy = thrust::cuda::par_nosync.on(stream_of(c.context));
    if constexpr (is_gather) {
      thrust::gather(policy, index, index + n, from, to);
    } else {
      thrust::scatter(policy, from, from + n, index, to);
    }
  });
  c.expect_equal(out, expected);
}

}  // namespace

void add_gather_rows(Rows& rows) {
  const u64 n = u64{1} << 24;
  rows.add("gather/4_bytes", n, records<4, true>);
  rows.add("gather/32_bytes", n, records<32, true>);
  rows.add("gather/64_bytes", n, records<64, true>);
  rows.add("gather/128_bytes", n, records<128, true>);
  rows.add("gather/256_bytes", n, records<256, true>);
  rows.add("scatter/4_bytes", n, records<4, false>);
  rows.add("scatter/128_bytes", n, records<128, false>);
}

}  // namespace copse::bench
