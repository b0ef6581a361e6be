#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_transform.cuh>

#include "bench/primitives/rows.h"
#include "bench/support/cub.h"
#include "primitives/cuda/for_each.cuh"
#include "primitives/cuda/split.cuh"
#include "primitives/inputs.h"

namespace copse::bench {

namespace {

/// The highest byte of a multiplicative hash (Knuth, "The Art of Computer Programming", volume 3, 6.4) of a
/// number, or of the lower half of a pair.
struct HashByte {
  COPSE_HD u32 operator()(u32 key) const { return (key * 2654435761u) >> 24; }
  COPSE_HD u32 operator()(u64 pair) const { return (*this)(u32(pair)); }
};

template <class Item>
struct HashByteOf {
  __device__ u8 operator()(Item item) const { return u8(HashByte{}(item)); }
};

/// CUB splits by a sort by the bucket. It reads the buckets from an array.
template <class Item>
void add_cub_split(Comparison& c, BufferSpan<Item> in, BufferSpan<Item> expected) {
  const BufferSpan<u8> buckets = c.buffer<u8>(c.n), sorted_buckets = c.buffer<u8>(c.n);
  add_cub_rival(c, [=, &c](void* temp, size_t& bytes, auto n) {
    if (temp != nullptr) {
      cuda::check(
          cub::DeviceTransform::Transform(in.data(), buckets.data(), n, HashByteOf<Item>{}, stream_of(c.context)),
          "calling CUB");
    }
    return cub::DeviceRadixSort::SortPairs(temp, bytes, buckets.data(), sorted_buckets.data(), in.data(),
                                           expected.data(), n, 0, 8, stream_of(c.context));
  });
}

/// An item of type u32 is a key. An item of type u64 is a pair of key and value.
template <class Item>
struct SplitData {
  BufferSpan<Item> in, out, expected;
  BufferSpan<u64> offsets, expected_offsets;

  explicit SplitData(Comparison& c)
      : in(c.hashed<Item>(c.n)),
        out(c.buffer<Item>(c.n)),
        expected(c.buffer<Item>(c.n)),
        offsets(c.buffer<u64>(257)),
        expected_offsets(c.buffer<u64>(257)) {
    c.bytes = 3.0 * double(in.size_bytes());
  }
};

template <class Item>
Work stable_split(Comparison& c, const SplitData<Item>& d, BufferSpan<Item> out, BufferSpan<u64> offsets) {
  return [=, &c] {
    cuda::split(c.context.cuda_executor(), "split", c.n, Elements<Item>{d.in.data()}, HashByte{}, 256, out.data(),
                offsets.data());
  };
}

template <class Item>
Work unordered_split(Comparison& c, const SplitData<Item>& d) {
  return [=, &c] {
    cuda::split_unordered(c.context.cuda_executor(), "split", c.n, Elements<Item>{d.in.data()}, HashByte{}, 256,
                          d.out.data(), d.offsets.data());
  };
}

template <class Item>
void split_by_hash(Comparison& c) {
  const SplitData<Item> d(c);
  c.ours = stable_split(c, d, d.out, d.offsets);
  add_cub_split(c, d.in, d.expected);
  c.expect_equal(d.out, d.expected);
}

/// Checks that the buckets of two splits of the same items agree. The order inside a bucket does not matter.
template <class Item>
struct CompareBuckets {
  const Item *out, *expected;
  u32* wrong;
  __device__ void operator()(u64 i) const {
    if (HashByte{}(out[i]) != HashByte{}(expected[i])) *wrong = 1;
  }
};

template <class Item>
void expect_equal_buckets(Comparison& c, const SplitData<Item>& d) {
  const BufferSpan<u32> wrong = c.buffer<u32>(1);
  c.expect([=, &c] {
    cuda::for_each(c.context.cuda_executor(), "compare", c.n,
                   CompareBuckets<Item>{d.out.data(), d.expected.data(), wrong.data()});
    return download(c.context, wrong)[0] == 0 && same_elements<Item>(c.context, d.out, d.in);
  });
}

template <class Item>
void split_unordered_by_hash(Comparison& c) {
  const SplitData<Item> d(c);
  c.ours = unordered_split(c, d);
  add_cub_split(c, d.in, d.expected);
  expect_equal_buckets(c, d);
}

/// Measures what order costs: the rival is our stable split.
template <class Item>
void split_unordered_against_split(Comparison& c) {
  const SplitData<Item> d(c);
  c.ours = unordered_split(c, d);
  c.add_rival(stable_split(c, d, d.expected, d.expected_offsets));
  c.expect_equal(d.offsets, d.expected_offsets);
  expect_equal_buckets(c, d);
}

}  // namespace

void add_split_rows(Rows& rows) {
  for (u32 log_n : {16, 20, 24, 28}) {
    rows.add("split/256_buckets/keys", u64{1} << log_n, split_by_hash<u32>);
    rows.add("split/256_buckets/pairs", u64{1} << log_n, split_by_hash<u64>);
    rows.add("split_unordered/256_buckets/keys", u64{1} << log_n, split_unordered_by_hash<u32>);
    rows.add("split_unordered/256_buckets/pairs", u64{1} << log_n, split_unordered_by_hash<u64>);
    rows.add("split_unordered/256_buckets/keys/against_split", u64{1} << log_n,
             split_unordered_against_split<u32>);
    rows.add("split_unordered/256_buckets/pairs/against_split", u64{1} << log_n,
             split_unordered_against_split<u64>);
  }
}

}  // namespace copse::bench
