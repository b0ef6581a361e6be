#include <cub/device/device_radix_sort.cuh>

#include "bench/primitives/rows.h"
#include "bench/support/cub.h"
#include "primitives/cuda/radix_sort.cuh"
#include "primitives/inputs.h"

namespace copse::bench {

namespace {

// The least that any sort can move: each key is read and written once per pass of 8 bits, and read once more to
// count digits. What a pass costs beyond that decides between implementations. So `bound` is against this least.
double radix_sort_bytes(u64 n, u32 bits, u32 key_bytes, u32 value_bytes) {
  const u32 passes = (bits + 7) / 8;
  return double(n) * (key_bytes + 2.0 * passes * (key_bytes + value_bytes));
}

void sort_keys(Comparison& c) {
  const BufferSpan<u32> in = c.hashed<u32>(c.n), out = c.buffer<u32>(c.n), expected = c.buffer<u32>(c.n);
  c.bytes = radix_sort_bytes(c.n, 32, 4, 0);
  c.ours = [=, &c] { radix_sort_keys<u32>(c.context, in, out, {0, 32}); };
  add_cub_rival(c, [=, &c](void* temp, size_t& bytes, auto n) {
    return cub::DeviceRadixSort::SortKeys(temp, bytes, in.data(), expected.data(), n, 0, 32, stream_of(c.context));
  });
  c.expect_equal(out, expected);
}

void sort_pairs(Comparison& c) {
  const BufferSpan<u32> keys = c.hashed<u32>(c.n), values = c.hashed<u32>(c.n, 32, 1);
  const BufferSpan<u32> keys_out = c.buffer<u32>(c.n), values_out = c.buffer<u32>(c.n);
  const BufferSpan<u32> expected_keys = c.buffer<u32>(c.n), expected_values = c.buffer<u32>(c.n);
  c.bytes = radix_sort_bytes(c.n, 32, 4, 4);
  c.ours = [=, &c] { radix_sort_pairs<u32>(c.context, keys, values, keys_out, values_out, {0, 32}); };
  add_cub_rival(c, [=, &c](void* temp, size_t& bytes, auto n) {
    return cub::DeviceRadixSort::SortPairs(temp, bytes, keys.data(), expected_keys.data(), values.data(),
                                           expected_values.data(), n, 0, 32, stream_of(c.context));
  });
  c.expect_equal(keys_out, expected_keys);
  c.expect_equal(values_out, expected_values);
}

/// Keys of `bits` bits, each with its index. A builder of trees sorts such pairs. CUB reads the indices from an
/// array that is ready. Ours makes them.
template <class Key, u32 bits>
void sort_index(Comparison& c) {
  const BufferSpan<Key> keys = c.hashed<Key>(c.n, bits);
  const BufferSpan<u32> indices = c.buffer<u32>(c.n);
  fill_indices(c.context, indices);
  const BufferSpan<Key> keys_out = c.buffer<Key>(c.n), expected_keys = c.buffer<Key>(c.n);
  const BufferSpan<u32> values_out = c.buffer<u32>(c.n), expected_values = c.buffer<u32>(c.n);
  c.bytes = radix_sort_bytes(c.n, bits, sizeof(Key), 4) - 4.0 * double(c.n);
  c.ours = [=, &c] {
    cuda::radix_sort_pairs(c.context.cuda_executor(), "sort", c.n, Elements<Key>{keys.data()}, Index{},
                           keys_out.data(), values_out.data(), {0, bits});
  };
  add_cub_rival(c, [=, &c](void* temp, size_t& bytes, auto n) {
    return cub::DeviceRadixSort::SortPairs(temp, bytes, keys.data(), expected_keys.data(), indices.data(),
                                           expected_values.data(), n, 0, int(bits), stream_of(c.context));
  });
  c.expect_equal(keys_out, expected_keys);
  c.expect_equal(values_out, expected_values);
}

}  // namespace

void add_sort_rows(Rows& rows) {
  for (u32 log_n : {16, 20, 24, 28}) {
    rows.add("sort/keys/u32", u64{1} << log_n, sort_keys);
    rows.add("sort/pairs/u32", u64{1} << log_n, sort_pairs);
  }
  for (u32 log_n : {16, 17, 18, 19, 20, 21, 22, 24, 28}) {
    rows.add("sort/index/30_bits", u64{1} << log_n, sort_index<u32, 30>);
  }
  for (u32 log_n : {16, 17, 18, 19, 20, 24, 28}) {
    rows.add("sort/index/63_bits", u64{1} << log_n, sort_index<u64, 63>);
  }
}

}  // namespace copse::bench
