#include "bench/papers/rows.h"
#include "primitives/gather.h"
#include "primitives/invert_index.h"
#include "primitives/radix_sort.h"

namespace copse::bench {

namespace {

BufferSpan<std::byte> as_bytes(BufferSpan<u32> words) {
  return {reinterpret_cast<std::byte*>(words.data()), words.size_bytes()};
}

/// Scatters records to random places.
Setup scatter_records(u32 record_bytes) {
  return [record_bytes](Comparison& c) {
    const BufferSpan<u32> in = c.hashed<u32>(c.n * record_bytes / 4), out = c.buffer<u32>(in.size());
    const BufferSpan<u32> indices = c.buffer<u32>(c.n);
    fill_permutation(c.context, indices);
    c.bytes = double(c.n) * (2.0 * record_bytes + 4);
    c.ours = [=, &c] { scatter(c.context, as_bytes(in), record_bytes, indices, as_bytes(out)); };
    c.expect([=, &c] { return gathered(c.context, out.data(), indices, in.data(), record_bytes); });
  };
}

/// Figure 5: makes a scatter index from a gather index, by a scatter. The rival sorts (gather index, index) pairs.
/// The paper finds the sort faster from 8 million on.
void scatter_against_sort(Comparison& c) {
  const BufferSpan<u32> index = c.buffer<u32>(c.n), inverse = c.buffer<u32>(c.n);
  const BufferSpan<u32> iota = c.buffer<u32>(c.n), sorted = c.buffer<u32>(c.n), expected = c.buffer<u32>(c.n);
  fill_permutation(c.context, index);
  fill_indices(c.context, iota);
  u32 bits = 0;
  while (c.n >> bits > 1) ++bits;
  c.bytes = 2.0 * double(index.size_bytes());
  c.ours = [=, &c] { invert_index(c.context, index, inverse); };
  c.add_rival([=, &c] { radix_sort_pairs<u32>(c.context, index, iota, sorted, expected, {0, bits}); });
  c.expect_equal(inverse, expected);
}

}  // namespace

void add_record_papers(Rows& rows) {
  rows.add_on_stream("patidar_2009/scatter_128_bytes", 16 * million,
                     with_paper(scatter_records(128), "paper_ms", 290));
  rows.add_on_stream("patidar_2009/scatter_256_bytes", 8 * million,
                     with_paper(scatter_records(256), "paper_ms", 150));
  for (u64 n = million; n <= 64 * million; n *= 2) {
    rows.add_on_stream("patidar_2009/figure_5/scatter_against_sort", n, scatter_against_sort);
  }

  // Figure 12 goes from 4 to 64 million records, the most that the paper's GPU held.
  constexpr u64 max_bytes = u64{2} << 30;
  for (u32 record_bytes : {32, 64, 128, 256}) {
    for (u64 n = 4 * million; n <= 64 * million && n * record_bytes <= max_bytes; n *= 2) {
      rows.add_on_stream("patidar_2009/figure_12/bytes:" + std::to_string(record_bytes), n,
                         scatter_records(record_bytes));
    }
  }
}

}  // namespace copse::bench
