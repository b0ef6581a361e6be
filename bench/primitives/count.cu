#include "primitives/count.h"

#include <cub/device/device_reduce.cuh>

#include "bench/primitives/rows.h"
#include "bench/support/cub.h"
#include "primitives/cuda/count.cuh"
#include "primitives/inputs.h"

namespace copse::bench {

namespace {

struct LowestBit {
  const u32* values;
  COPSE_HD bool operator()(u64 i) const { return (values[i] & 1) != 0; }
};
struct LowestBitOfValue {
  COPSE_HD u32 operator()(u32 value) const { return value & 1; }
};

struct IsSet {
  COPSE_HD u32 operator()(u8 flag) const { return flag != 0 ? 1 : 0; }
};
struct SetBits {
  COPSE_HD u32 operator()(u32 word) const { return population_count(word); }
};

/// CUB adds in 32 bits, which is enough for all sizes here.
template <class T, class Value, class Op>
void add_reduction(Comparison& c, BufferSpan<T> in, Value value, Op op, u32 init, BufferSpan<u32> result) {
  c.add_rival(with_temporary_storage(c, [=, &c](void* temp, size_t& bytes) {
    return cub::DeviceReduce::TransformReduce(temp, bytes, in.data(), result.data(), int(in.size()), op, value,
                                              init, stream_of(c.context));
  }));
}

void expect_count(Comparison& c, BufferSpan<u64> count, BufferSpan<u32> expected) {
  c.expect([=, &c] { return download(c.context, count)[0] == download(c.context, expected)[0]; });
}

void count_values(Comparison& c) {
  const BufferSpan<u32> in = c.hashed<u32>(c.n), expected = c.buffer<u32>(1);
  const BufferSpan<u64> count = c.buffer<u64>(1);
  c.bytes = double(in.size_bytes());
  c.ours = [=, &c] {
    cuda::count_if(c.context.cuda_executor(), "count", c.n, LowestBit{in.data()}, count.data());
  };
  add_reduction(c, in, LowestBitOfValue{}, Plus{}, 0, expected);
  expect_count(c, count, expected);
}

void count_bytes(Comparison& c) {
  const BufferSpan<u8> flags = c.hashed<u8>(c.n, 1);
  const BufferSpan<u64> count = c.buffer<u64>(1);
  const BufferSpan<u32> expected = c.buffer<u32>(1);
  c.bytes = double(flags.size_bytes());
  c.ours = [=, &c] { count_flags(c.context, BufferSpan<const u8>(flags), count); };
  add_reduction(c, flags, IsSet{}, Plus{}, 0, expected);
  expect_count(c, count, expected);
}

void count_bits(Comparison& c) {
  const BufferSpan<u32> words = c.hashed<u32>(c.n / 32), expected = c.buffer<u32>(1);
  const BufferSpan<u64> count = c.buffer<u64>(1);
  c.bytes = double(words.size_bytes());
  c.ours = [=, &c] { count_flags(c.context, BitSpan{words, c.n}, count); };
  add_reduction(c, words, SetBits{}, Plus{}, 0, expected);
  expect_count(c, count, expected);
}

/// No flag is set, so all flags must be read.
void any_byte(Comparison& c) {
  const BufferSpan<u8> flags = c.buffer<u8>(c.n);
  const BufferSpan<u32> any = c.hashed<u32>(1), expected = c.hashed<u32>(1, 32, 1);
  c.bytes = double(flags.size_bytes());
  c.ours = [=, &c] { any_flag(c.context, BufferSpan<const u8>(flags), any); };
  add_reduction(c, flags, IsSet{}, Larger{}, 0, expected);
  c.expect_equal(any, expected);
}

/// Half of the flags are set. So the answer is known at the first flag that is not set. A reduction reads all
/// flags.
void all_bytes(Comparison& c) {
  const BufferSpan<u8> flags = c.hashed<u8>(c.n, 1);
  const BufferSpan<u32> all = c.hashed<u32>(1), expected = c.hashed<u32>(1, 32, 1);
  c.ours = [=, &c] { all_flags(c.context, BufferSpan<const u8>(flags), all); };
  add_reduction(c, flags, IsSet{}, Smaller{}, 1, expected);
  c.expect_equal(all, expected);
}

}  // namespace

void add_count_rows(Rows& rows) {
  for (u32 log_n : {16, 20, 24, 28}) rows.add("count/bytes", u64{1} << log_n, count_bytes);
  const u64 n = u64{1} << 28;
  rows.add("count/bits", n, count_bits);
  rows.add("count/if/u32", n, count_values);
  rows.add("count/any/none_set", n, any_byte);
  rows.add("count/all/half_set", n, all_bytes);
}

}  // namespace copse::bench
