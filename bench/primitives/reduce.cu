#include <cub/device/device_reduce.cuh>

#include "bench/primitives/rows.h"
#include "bench/support/cub.h"
#include "primitives/reduce.h"

namespace copse::bench {

namespace {

void sum_u32(Comparison& c) {
  const BufferSpan<u32> in = c.hashed<u32>(c.n), sum = c.buffer<u32>(1), expected = c.buffer<u32>(1);
  c.bytes = double(in.size_bytes());
  c.ours = [=, &c] { reduce_sum<u32>(c.context, in, sum); };
  add_cub_rival(c, [=, &c](void* temp, size_t& bytes, auto n) {
    return cub::DeviceReduce::Sum(temp, bytes, in.data(), expected.data(), n, stream_of(c.context));
  });
  c.expect_equal(sum, expected);
}

}  // namespace

void add_reduce_rows(Rows& rows) {
  for (u32 log_n : {16, 20, 24, 28}) rows.add("reduce/sum/u32", u64{1} << log_n, sum_u32);
}

}  // namespace copse::bench
