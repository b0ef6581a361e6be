// Measures our scan beside the scans that courses teach. `ratio` is the course's time over ours.

#include "bench/primitives/course_scans.cuh"
#include "bench/primitives/rows.h"
#include "primitives/cuda/scan.cuh"

namespace copse::bench {

namespace {

struct ScanData {
  BufferSpan<u32> in, out, expected, sums;
};

/// Sets up our scan, and the data for the course's scan, which writes to `expected`.
ScanData against_ours(Comparison& c) {
  const ScanData data{c.hashed<u32>(c.n), c.buffer<u32>(c.n), c.buffer<u32>(c.n),
                      c.buffer<u32>(hierarchical_scan_words(c.n) + course_tile + 1)};
  c.bytes = 2.0 * double(data.in.size_bytes());
  c.ours = [=, &c] {
    cuda::inclusive_scan(c.context.cuda_executor(), "scan", data.in.size(), Elements<u32>{data.in.data()}, Plus{},
                         data.out.data());
  };
  c.expect_equal(data.out, data.expected);
  return data;
}

template <class BlockScan>
void hierarchical(Comparison& c) {
  const ScanData data = against_ours(c);
  c.add_rival([=, &c] {
    hierarchical_scan<BlockScan>(c.context.cuda_executor(), c.n, data.in.data(), data.expected.data(),
                                 data.sums.data());
  });
}

void reduce_then_scan_rows(Comparison& c) {
  const ScanData data = against_ours(c);
  c.add_rival([=, &c] {
    reduce_then_scan(c.context.cuda_executor(), c.n, data.in.data(), data.expected.data(), data.sums.data());
  });
}

void waterfall(Comparison& c) {
  const ScanData data = against_ours(c);
  auto* state = reinterpret_cast<Waterfall*>(data.sums.data());
  c.add_rival(
      [=, &c] { waterfall_scan(c.context.cuda_executor(), c.n, data.in.data(), data.expected.data(), state); });
}

}  // namespace

void add_course_rows(Rows& rows) {
  const u64 n = u64{1} << 24;
  rows.add("course/hierarchical_hillis_steele", n, hierarchical<HillisSteele>);
  rows.add("course/hierarchical_blelloch", n, hierarchical<Blelloch<false>>);
  rows.add("course/hierarchical_blelloch_padded", n, hierarchical<Blelloch<true>>);
  rows.add("course/hierarchical_shuffle", n, hierarchical<ShuffleScan>);
  rows.add("course/reduce_then_scan", n, reduce_then_scan_rows);
  rows.add("course/waterfall", n, waterfall);
}

}  // namespace copse::bench
