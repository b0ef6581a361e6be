#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_transform.cuh>

#include "bench/primitives/rows.h"
#include "bench/support/cub.h"
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

/// Item u32: keys. u64: pairs of key and value. CUB splits by sorting by the bucket, which it wants in an array.
template <class Item>
void split_by_hash(Comparison& c) {
  const BufferSpan<Item> in = c.hashed<Item>(c.n), out = c.buffer<Item>(c.n), expected = c.buffer<Item>(c.n);
  const BufferSpan<u8> buckets = c.buffer<u8>(c.n), sorted_buckets = c.buffer<u8>(c.n);
  const BufferSpan<u64> offsets = c.buffer<u64>(257);
  c.bytes = 3.0 * double(in.size_bytes());
  c.ours = [=, &c] {
    cuda::split(c.context.cuda_executor(), "split", c.n, Elements<Item>{in.data()}, HashByte{}, 256, out.data(),
                offsets.data());
  };
  add_cub_rival(c, [=, &c](void* temp, size_t& bytes, auto n) {
    if (temp != nullptr) {
      cuda::check(
          cub::DeviceTransform::Transform(in.data(), buckets.data(), n, HashByteOf<Item>{}, stream_of(c.context)),
          "calling CUB");
    }
    return cub::DeviceRadixSort::SortPairs(temp, bytes, buckets.data(), sorted_buckets.data(), in.data(),
                                           expected.data(), n, 0, 8, stream_of(c.context));
  });
  c.expect_equal(out, expected);
}

}  // namespace

void add_split_rows(Rows& rows) {
  for (u32 log_n : {16, 20, 24, 28}) {
    rows.add("split/256_buckets/keys", u64{1} << log_n, split_by_hash<u32>);
    rows.add("split/256_buckets/pairs", u64{1} << log_n, split_by_hash<u64>);
  }
}

}  // namespace copse::bench
