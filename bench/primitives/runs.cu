#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_select.cuh>

#include "bench/primitives/rows.h"
#include "bench/support/cub.h"
#include "primitives/run_length.h"
#include "primitives/unique.h"

namespace copse::bench {

namespace {

// The values have one bit. So runs have two elements on average.

void unique_values(Comparison& c) {
  const BufferSpan<u32> in = c.hashed<u32>(c.n, 1), out = c.buffer<u32>(c.n), expected = c.buffer<u32>(c.n);
  const BufferSpan<u64> count = c.buffer<u64>(1), expected_count = c.buffer<u64>(1);
  c.bytes = 1.5 * double(in.size_bytes());
  c.ours = [=, &c] { unique<u32>(c.context, in, out, count); };
  c.add_rival(with_temporary_storage(c, [=, &c](void* temp, size_t& bytes) {
    return cub::DeviceSelect::Unique(temp, bytes, in.data(), expected.data(), expected_count.data(), i64(c.n),
                                     stream_of(c.context));
  }));
  c.expect_equal(count, expected_count);
  c.expect_equal(out, expected);
}

void run_lengths(Comparison& c) {
  const BufferSpan<u32> in = c.hashed<u32>(c.n, 1);
  const BufferSpan<u32> values = c.buffer<u32>(c.n), lengths = c.buffer<u32>(c.n);
  const BufferSpan<u32> expected_values = c.buffer<u32>(c.n), expected_lengths = c.buffer<u32>(c.n);
  const BufferSpan<u64> count = c.buffer<u64>(1), expected_count = c.buffer<u64>(1);
  c.bytes = 2.0 * double(in.size_bytes());
  c.ours = [=, &c] { run_length_encode<u32>(c.context, in, values, lengths, count); };
  add_cub_rival(c, [=, &c](void* temp, size_t& bytes, auto n) {
    return cub::DeviceRunLengthEncode::Encode(temp, bytes, in.data(), expected_values.data(),
                                              expected_lengths.data(), expected_count.data(), n,
                                              stream_of(c.context));
  });
  c.expect_equal(count, expected_count);
  c.expect_equal(values, expected_values);
  c.expect_equal(lengths, expected_lengths);
}

}  // namespace

void add_run_rows(Rows& rows) {
  for (u32 log_n : {20, 28}) {
    rows.add("unique/u32", u64{1} << log_n, unique_values);
    rows.add("run_length_encode/u32", u64{1} << log_n, run_lengths);
  }
}

}  // namespace copse::bench
