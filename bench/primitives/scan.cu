#include <cub/device/device_scan.cuh>

#include "bench/primitives/rows.h"
#include "bench/support/cub.h"
#include "primitives/cuda/scan.cuh"
#include "primitives/inputs.h"

namespace copse::bench {

namespace {

/// CUB adds up bytes in int, unless the operator returns bytes. Both ways are rivals.
template <class T>
void exclusive_sums(Comparison& c) {
  const BufferSpan<T> in = c.hashed<T>(c.n), out = c.buffer<T>(c.n), expected = c.buffer<T>(c.n);
  c.bytes = 2.0 * double(in.size_bytes());
  c.ours = [=, &c] {
    cuda::exclusive_scan(c.context.cuda_executor(), "scan", in.size(), Elements<T>{in.data()}, T{0}, Plus{},
                         out.data());
  };
  add_cub_rival(c, [=, &c](void* temp, size_t& bytes, auto n) {
    return cub::DeviceScan::ExclusiveSum(temp, bytes, in.data(), expected.data(), n, stream_of(c.context));
  });
  if constexpr (sizeof(T) < sizeof(int)) {
    add_cub_rival(c, [=, &c](void* temp, size_t& bytes, auto n) {
      return cub::DeviceScan::ExclusiveScan(temp, bytes, in.data(), expected.data(), ::cuda::std::plus<T>{}, T{0},
                                            n, stream_of(c.context));
    });
  }
  c.expect_equal(out, expected);
}

void inclusive_sums(Comparison& c) {
  const BufferSpan<u32> in = c.hashed<u32>(c.n), out = c.buffer<u32>(c.n), expected = c.buffer<u32>(c.n);
  c.bytes = 2.0 * double(in.size_bytes());
  c.ours = [=, &c] {
    cuda::inclusive_scan(c.context.cuda_executor(), "scan", in.size(), Elements<u32>{in.data()}, Plus{},
                         out.data());
  };
  add_cub_rival(c, [=, &c](void* temp, size_t& bytes, auto n) {
    return cub::DeviceScan::InclusiveSum(temp, bytes, in.data(), expected.data(), n, stream_of(c.context));
  });
  c.expect_equal(out, expected);
}

/// A box of 24 bytes, like the boxes of a builder of trees. Its coordinates are integers here, so that the check
/// is exact.
struct Box {
  i32 lo[3], hi[3];
};

struct MergeBoxes {
  COPSE_HD Box operator()(const Box& a, const Box& b) const {
    Box result;
    for (int k = 0; k < 3; ++k) {
      result.lo[k] = smaller(a.lo[k], b.lo[k]);
      result.hi[k] = larger(a.hi[k], b.hi[k]);
    }
    return result;
  }
};

void boxes(Comparison& c) {
  const BufferSpan<u32> words = c.hashed<u32>(6 * c.n);
  const auto* in = reinterpret_cast<const Box*>(words.data());
  const BufferSpan<Box> out = c.buffer<Box>(c.n), expected = c.buffer<Box>(c.n);
  c.bytes = 2.0 * double(words.size_bytes());
  c.ours = [=, &c] {
    cuda::inclusive_scan(c.context.cuda_executor(), "scan", c.n, Elements<Box>{in}, MergeBoxes{}, out.data());
  };
  add_cub_rival(c, [=, &c](void* temp, size_t& bytes, auto n) {
    return cub::DeviceScan::InclusiveScan(temp, bytes, in, expected.data(), MergeBoxes{}, n, stream_of(c.context));
  });
  c.expect_equal(out, expected);
}

}  // namespace

void add_scan_rows(Rows& rows) {
  for (u32 log_n : {16, 18, 20, 22, 24, 28}) {
    rows.add("scan/exclusive/u32", u64{1} << log_n, exclusive_sums<u32>);
  }
  rows.add("scan/inclusive/u32", u64{1} << 28, inclusive_sums);
  rows.add("scan/exclusive/u8", u64{1} << 28, exclusive_sums<u8>);
  rows.add("scan/exclusive/u16", u64{1} << 28, exclusive_sums<u16>);
  rows.add("scan/exclusive/u64", u64{1} << 28, exclusive_sums<u64>);
  rows.add("scan/inclusive/box24", u64{1} << 24, boxes);
}

}  // namespace copse::bench
