#include "bench/papers/rows.h"
#include "primitives/core/bits.h"
#include "primitives/radix_sort.h"

namespace copse::bench {

namespace {

template <class Key>
constexpr u32 key_words = sizeof(Key) / 4;

/// Returns the bytes: key and value are read and written once for each 8 bits of the key, and the key is read once
/// to count digits.
double radix_sort_bytes(u64 n, u32 bits, u32 key_bytes, u32 value_bytes) {
  return double(n) * (key_bytes + 2.0 * divide_rounding_up(bits, 8u) * (key_bytes + value_bytes));
}

template <class Key>
BufferSpan<Key> as_keys(BufferSpan<u32> words) {
  return {reinterpret_cast<Key*>(words.data()), words.size() / key_words<Key>};
}

/// Sorts records that are their own key, by their lowest `bits` bits: figures 8 and 9. With all bits it sorts
/// numbers.
template <class Key>
Setup split_records(u32 bits) {
  return [bits](Comparison& c) {
    const BufferSpan<u32> in = c.hashed<u32>(c.n * key_words<Key>), out = c.buffer<u32>(in.size());
    c.bytes = radix_sort_bytes(c.n, bits, sizeof(Key), 0);
    c.ours = [=, &c] {
      radix_sort_keys<Key>(c.context, BufferSpan<const Key>(as_keys<Key>(in)), as_keys<Key>(out), {0, bits});
    };
    c.expect([=, &c] {
      return ascending_words(c.context, out, key_words<Key>, bits) && same_elements<u32>(c.context, in, out);
    });
  };
}

/// Makes the gather index of a split by the whole key.
template <class Key>
void split_index_of(Comparison& c) {
  const BufferSpan<u32> keys = c.hashed<u32>(c.n * key_words<Key>), index = c.buffer<u32>(c.n);
  c.bytes = radix_sort_bytes(c.n, 8 * sizeof(Key), sizeof(Key), 4);
  c.ours = [=, &c] { radix_sort_indices<Key>(c.context, BufferSpan<const Key>(as_keys<Key>(keys)), index); };
  c.expect([=, &c] {
    const BufferSpan<u32> sorted = c.buffer<u32>(keys.size());
    radix_sort_keys<Key>(c.context, BufferSpan<const Key>(as_keys<Key>(keys)), as_keys<Key>(sorted));
    return gathered(c.context, keys.data(), index, sorted.data(), sizeof(Key));
  });
}

/// Sorts keys with a ready index, by the key's lowest `bits` bits.
template <class Key>
Setup split_pairs(u32 bits) {
  return [bits](Comparison& c) {
    const BufferSpan<u32> keys = c.hashed<u32>(c.n * key_words<Key>), keys_out = c.buffer<u32>(keys.size());
    const BufferSpan<u32> indices = c.buffer<u32>(c.n), indices_out = c.buffer<u32>(c.n);
    fill_indices(c.context, indices);
    c.bytes = radix_sort_bytes(c.n, bits, sizeof(Key), 4);
    c.ours = [=, &c] {
      radix_sort_pairs<Key>(c.context, BufferSpan<const Key>(as_keys<Key>(keys)), indices, as_keys<Key>(keys_out),
                            indices_out, {0, bits});
    };
    c.expect([=, &c] {
      return ascending_words(c.context, keys_out, key_words<Key>, bits) &&
             gathered(c.context, keys.data(), indices_out, keys_out.data(), sizeof(Key));
    });
  };
}

/// Figure 9 has a row for each length of list.
template <class Key>
void add_figure_9(Rows& rows, u32 bits) {
  const std::string name =
      "patidar_2009/figure_9/bits:" + std::to_string(bits) + "/record_bits:" + std::to_string(8 * sizeof(Key));
  for (u64 n = 8 * million; n <= 64 * million; n *= 2) rows.add_on_stream(name, n, split_records<Key>(bits));
}

}  // namespace

void add_wide_sort_papers(Rows& rows) {
  rows.add_on_stream("patidar_2009/split_index_32_bit", 32 * million,
                     with_paper(split_index_of<u32>, "paper_ms", 180));
  rows.add_on_stream("patidar_2009/split_index_32_bit", 64 * million,
                     with_paper(split_index_of<u32>, "paper_ms", 350));
  rows.add_on_stream("patidar_2009/split_index_96_bit", 32 * million,
                     with_paper(split_index_of<Key96>, "paper_ms", 800));
  rows.add_on_stream("patidar_2009/split_96_bit_and_index", 32 * million,
                     with_paper(split_pairs<Key96>(96), "paper_ms", 804));
  rows.add_on_stream("patidar_2009/sort_128_bit", 128 * million,
                     with_paper(split_records<Key128>(128), "paper_ms", 4000));
  // These rows sort a million triangles into 128 x 128 x 16 voxels, and into 16 million.
  rows.add_on_stream("patidar_2009/triangles_to_voxels/bits:18", million, split_pairs<u32>(18));
  rows.add_on_stream("patidar_2009/triangles_to_voxels/bits:24", million, split_pairs<u32>(24));

  for (u64 n = million; n <= 128 * million; n *= 2) {
    rows.add_on_stream("patidar_2009/figure_13/bits:128", n, split_records<Key128>(128));
  }
  for (u64 n = 8 * million; n <= 64 * million; n *= 2) {
    for (u32 bits = 8; bits <= 64; bits += 8) {
      rows.add_on_stream("patidar_2009/figure_8/bits:" + std::to_string(bits), n, split_records<u64>(bits));
    }
  }
  for (u32 bits : {16, 32}) add_figure_9<u32>(rows, bits);
  for (u32 bits : {16, 32, 64}) add_figure_9<u64>(rows, bits);
  for (u32 bits : {32, 64, 96}) add_figure_9<Key96>(rows, bits);
  for (u32 bits : {32, 64, 128}) add_figure_9<Key128>(rows, bits);
}

}  // namespace copse::bench
