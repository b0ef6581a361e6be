#include "bench/papers/rows.h"
#include "primitives/radix_sort.h"
#include "primitives/sample_sort.h"

namespace copse::bench {

namespace {

/// The lecture sorts 2^20 numbers. Its phases are one call here.
void sample_sort(Comparison& c) {
  const BufferSpan<u32> in = c.hashed<u32>(c.n), out = c.buffer<u32>(c.n);
  c.bytes = 8.0 * double(in.size_bytes());
  c.ours = [=, &c] { sample_sort_keys<u32>(c.context, in, out); };
  c.expect([=, &c] { return sorted_from<u32>(c.context, in, out); });
}

void radix_sort(Comparison& c) {
  const BufferSpan<u32> in = c.hashed<u32>(c.n), out = c.buffer<u32>(c.n);
  c.bytes = 9.0 * double(in.size_bytes());
  c.ours = [=, &c] { radix_sort_keys<u32>(c.context, in, out, {0, 32}); };
  c.expect([=, &c] { return sorted_from<u32>(c.context, in, out); });
}

}  // namespace

void add_compare_sort_papers(Rows& rows) {
  // The lecture sorts by radix in one block of 64 threads. The rows are named by kilobytes of numbers.
  rows.add_on_stream("mueller/radix_sort_4_kb", 1024, with_paper(radix_sort, "paper_ms", 6.52));
  rows.add_on_stream("mueller/radix_sort_1024_kb", 256 * 1024, with_paper(radix_sort, "paper_ms", 1692.07));

  // These rows are sample sort on a GTX 460, with 16384 samples sorted first on the GPU, then on the CPU. The last
  // is the best number of samples on a GTX 470.
  rows.add_on_stream("mueller/sample_sort_gtx_460", million, with_paper(sample_sort, "paper_ms", 245.16));
  rows.add_on_stream("mueller/sample_sort_samples_on_cpu", million, with_paper(sample_sort, "paper_ms", 101.19));
  rows.add_on_stream("mueller/sample_sort_best_gtx_470", million, with_paper(sample_sort, "paper_ms", 43));
}

}  // namespace copse::bench
