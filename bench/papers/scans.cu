#include "bench/papers/rows.h"
#include "bench/primitives/course_scans.cuh"
#include "primitives/reduce.h"
#include "primitives/scan.h"

namespace copse::bench {

namespace {

BufferSpan<u32> scanned_by_ours(Comparison& c, BufferSpan<u32> in) {
  const BufferSpan<u32> out = c.buffer<u32>(c.n);
  c.bytes = 2.0 * double(in.size_bytes());
  c.ours = [=, &c] { inclusive_scan<u32>(c.context, in, out); };
  return out;
}

/// The slide "Segmented Scan" and those after it: scan and reduce at memory saturated rates.
void scan_rate(Comparison& c) {
  const BufferSpan<u32> in = c.hashed<u32>(c.n), out = scanned_by_ours(c, in), expected = c.buffer<u32>(c.n);
  const BufferSpan<u32> sums = c.buffer<u32>(hierarchical_scan_words(c.n));
  c.expect([=, &c] {
    hierarchical_scan<ShuffleScan>(c.context.cuda_executor(), c.n, in.data(), expected.data(), sums.data());
    return equal_bytes(c.context, out.data(), expected.data(), out.size_bytes());
  });
  c.add_paper("paper_gb_per_s", 138);
  c.add_paper("paper_gelements_per_s", 11.8);
}

void reduce_rate(Comparison& c) {
  const BufferSpan<u32> in = c.hashed<u32>(c.n), sum = c.buffer<u32>(1);
  c.bytes = double(in.size_bytes());
  c.ours = [=, &c] { reduce_sum<u32>(c.context, in, sum); };
  c.expect([=, &c] {
    const BufferSpan<u32> scanned = c.buffer<u32>(c.n);
    inclusive_scan<u32>(c.context, in, scanned);
    return equal_bytes(c.context, sum.data(), scanned.data() + c.n - 1, sizeof(u32));
  });
  c.add_paper("paper_gb_per_s", 152);
}

/// Reduce-then-scan moves 25 % fewer bytes than scan-scan-add.
template <class BlockScan>
void reduce_then_scan_saves(Comparison& c) {
  const BufferSpan<u32> in = c.hashed<u32>(c.n), out = c.buffer<u32>(c.n), expected = c.buffer<u32>(c.n);
  const BufferSpan<u32> sums = c.buffer<u32>(hierarchical_scan_words(c.n) + course_tile + 1);
  c.bytes = 3.0 * double(in.size_bytes());
  c.ours = [=, &c] { reduce_then_scan(c.context.cuda_executor(), c.n, in.data(), out.data(), sums.data()); };
  c.add_rival([=, &c] {
    hierarchical_scan<BlockScan>(c.context.cuda_executor(), c.n, in.data(), expected.data(), sums.data());
  });
  c.expect_equal(out, expected);
  c.add_paper("paper_ratio", 4.0 / 3.0);
}

}  // namespace

void add_scan_papers(Rows& rows) {
  const u64 n = 256 * million;
  rows.add_on_stream("harris_2010/scan", n, scan_rate);
  rows.add_on_stream("harris_2010/reduce", n, reduce_rate);
  rows.add_on_stream("harris_2010/strategy/reduce_then_scan_against_scan_scan_add", n,
                     reduce_then_scan_saves<ShuffleScan>);
}

}  // namespace copse::bench
