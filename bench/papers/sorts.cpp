#include "bench/papers/rows.h"
#include "primitives/core/bits.h"
#include "primitives/radix_sort.h"

namespace copse::bench {

namespace {

/// Returns the bytes: the key is read once to count digits; key and value are read and written once for each 8
/// bits.
double radix_sort_bytes(u64 n, u32 key_bits, u32 key_bytes, u32 value_bytes) {
  return double(n) * (key_bytes + 2.0 * divide_rounding_up(key_bits, 8u) * (key_bytes + value_bytes));
}

/// Measures Figure 13, and the lists of 128 million numbers in the abstract.
template <class Key>
void sort_numbers(Comparison& c) {
  const BufferSpan<Key> in = c.hashed<Key>(c.n), out = c.buffer<Key>(c.n);
  c.bytes = radix_sort_bytes(c.n, 8 * sizeof(Key), sizeof(Key), 0);
  c.ours = [=, &c] { radix_sort_keys<Key>(c.context, in, out, {0, 8 * sizeof(Key)}); };
  c.expect([=, &c] { return sorted_from<Key>(c.context, in, out); });
}

/// Measures sorts of key and index. Only the lowest `bits` bits of the key decide.
template <class Key>
Setup split_pairs(u32 bits) {
  return [bits](Comparison& c) {
    const BufferSpan<Key> in = c.hashed<Key>(c.n, bits), out = c.buffer<Key>(c.n);
    const BufferSpan<u32> indices = c.buffer<u32>(c.n), indices_out = c.buffer<u32>(c.n);
    fill_indices(c.context, indices);
    c.bytes = radix_sort_bytes(c.n, bits, sizeof(Key), 4);
    c.ours = [=, &c] { radix_sort_pairs<Key>(c.context, in, indices, out, indices_out, {0, bits}); };
    c.expect([=, &c] { return sorted_from<Key>(c.context, in, out); });
    c.expect([=, &c] { return gathered(c.context, in.data(), indices_out, out.data(), sizeof(Key)); });
  };
}

}  // namespace

void add_sort_papers(Rows& rows) {
  rows.add_on_stream("patidar_2009/sort_32_bit", 128 * million, with_paper(sort_numbers<u32>, "paper_ms", 650));
  rows.add_on_stream("patidar_2009/sort_64_bit", 128 * million, with_paper(sort_numbers<u64>, "paper_ms", 1500));
  rows.add_on_stream("patidar_2009/split_16_bit_and_index", 32 * million,
                     with_paper(split_pairs<u32>(16), "paper_ms", 91));
  rows.add_on_stream("patidar_2009/satish_2009_pairs_32_bit", 16 * million,
                     with_paper(split_pairs<u32>(32), "paper_ms", 110));
  rows.add_on_stream("harris_2010/sort_keys", 16 * million, with_paper(sort_numbers<u32>, "paper_gkeys_per_s", 1));

  // Figure 13 has lists of 1 to 128 million numbers. Figure 10 has an index with a key of 8 to 64 bits.
  for (u64 n = million; n <= 128 * million; n *= 2) {
    rows.add_on_stream("patidar_2009/figure_13/bits:32", n, sort_numbers<u32>);
    rows.add_on_stream("patidar_2009/figure_13/bits:64", n, sort_numbers<u64>);
  }
  for (u64 n = 8 * million; n <= 64 * million; n *= 2) {
    for (u32 bits = 8; bits <= 64; bits += 8) {
      const std::string name = "patidar_2009/figure_10/bits:" + std::to_string(bits);
      rows.add_on_stream(name, n, bits <= 32 ? split_pairs<u32>(bits) : split_pairs<u64>(bits));
    }
  }
}

}  // namespace copse::bench
