#include <cub/device/device_merge_sort.cuh>

#include "bench/primitives/rows.h"
#include "bench/support/cub.h"
#include "primitives/merge_sort.h"
#include "primitives/sample_sort.h"

namespace copse::bench {

namespace {

enum class Algorithm { merge, sample };

/// The bytes: two levels of buckets and a last sort inside them read and write everything four times in total. A
/// merge sort reads and writes once more for each doubling past a tile. So it cannot reach this bound.
constexpr double moves = 4;

template <Algorithm algorithm>
void keys(Comparison& c) {
  const BufferSpan<u32> in = c.hashed<u32>(c.n), out = c.buffer<u32>(c.n), expected = c.buffer<u32>(c.n);
  c.bytes = moves * 2 * double(in.size_bytes());
  c.ours = [=, &c] {
    algorithm == Algorithm::merge ? merge_sort_keys<u32>(c.context, in, out)
                                  : sample_sort_keys<u32>(c.context, in, out);
  };
  add_cub_rival(c, [=, &c](void* temp, size_t& bytes, auto n) {
    return cub::DeviceMergeSort::SortKeysCopy(temp, bytes, in.data(), expected.data(), n, Less{},
                                              stream_of(c.context));
  });
  c.expect_equal(out, expected);
}

template <Algorithm algorithm>
void pairs(Comparison& c) {
  const BufferSpan<u32> in = c.hashed<u32>(c.n), values = c.hashed<u32>(c.n, 32, 1);
  const BufferSpan<u32> out = c.buffer<u32>(c.n), values_out = c.buffer<u32>(c.n);
  const BufferSpan<u32> expected = c.buffer<u32>(c.n), expected_values = c.buffer<u32>(c.n);
  c.bytes = moves * 4 * double(in.size_bytes());
  c.ours = [=, &c] {
    algorithm == Algorithm::merge ? merge_sort_pairs<u32>(c.context, in, values, out, values_out)
                                  : sample_sort_pairs<u32>(c.context, in, values, out, values_out);
  };
  add_cub_rival(c, [=, &c](void* temp, size_t& bytes, auto n) {
    return cub::DeviceMergeSort::SortPairsCopy(temp, bytes, in.data(), values.data(), expected.data(),
                                               expected_values.data(), n, Less{}, stream_of(c.context));
  });
  c.expect_equal(out, expected);
  c.expect_equal(values_out, expected_values);
}

}  // namespace

void add_compare_sort_rows(Rows& rows) {
  for (u32 log_n : {16, 20, 24, 26}) {
    rows.add("compare_sort/merge/keys/u32", u64{1} << log_n, keys<Algorithm::merge>);
    rows.add("compare_sort/sample/keys/u32", u64{1} << log_n, keys<Algorithm::sample>);
  }
  rows.add("compare_sort/merge/pairs/u32", u64{1} << 26, pairs<Algorithm::merge>);
  rows.add("compare_sort/sample/pairs/u32", u64{1} << 26, pairs<Algorithm::sample>);
}

}  // namespace copse::bench
