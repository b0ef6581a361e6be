// Measures suffix arrays, common prefixes, and the Burrows-Wheeler transform and its inverse, over texts of four kinds.
//
//   copse-bench-suffixes [--benchmark_filter=REGEX] [--benchmark_out=FILE.json]
//
// It runs on the GPU if one answers, else on the CPU. The text is in the memory of the device. Where libdivsufsort is
// installed, it makes the suffix array once on one core: `divsufsort_ms`, and both suffix arrays must be equal. Where it
// is not, suffix arrays of 10 MB are checked by their ranks.

#include <memory>

#include "bench/suffixes/corpora.h"
#include "bench/support/comparison.h"
#include "copse_commit.h"
#include "primitives/bwt.h"
#include "primitives/core/stopwatch.h"
#include "primitives/lcp_array.h"
#include "primitives/suffix_array.h"
#if COPSE_HAS_DIVSUFSORT
#include <divsufsort.h>
#endif

namespace copse::bench {

namespace {

struct Corpus {
  const char* name;
  std::vector<u8> (*make)(u64 n);
};

constexpr Corpus corpora[] = {
    {"text", english_like}, {"sources", source_code}, {"dna", dna}, {"repeats", mutated_repeats}};

struct TextData {
  std::vector<u8> bytes;
  BufferSpan<u8> text;
  BufferSpan<u32> suffixes;
};

TextData text_data(Comparison& c, const Corpus& corpus) {
  TextData data{corpus.make(c.n), c.buffer<u8>(c.n), c.buffer<u32>(c.n)};
  c.context.device().upload(data.text.data(), data.bytes.data(), c.n);
  return data;
}

#if !COPSE_HAS_DIVSUFSORT
/// True if a suffix and the one after it stand in order, by their first bytes or by the ranks one byte later.
bool is_sorted(const std::vector<u8>& text, const std::vector<u32>& suffixes) {
  const size_t n = text.size();
  std::vector<u32> ranks(n + 1, 0);
  for (size_t r = 0; r < n; ++r) {
    if (suffixes[r] >= n || ranks[suffixes[r]] != 0) return false;
    ranks[suffixes[r]] = u32(r + 1);
  }
  for (size_t r = 1; r < n; ++r) {
    const u32 a = suffixes[r - 1], b = suffixes[r];
    if (text[a] > text[b] || (text[a] == text[b] && ranks[a + 1] >= ranks[b + 1])) return false;
  }
  return true;
}
#endif

void suffix_array_row(const Corpus& corpus, Comparison& c) {
  const TextData data = text_data(c, corpus);
  c.ours = [=, &c, text = data.text, suffixes = data.suffixes] { suffix_array(c.context, text, suffixes); };
#if COPSE_HAS_DIVSUFSORT
  auto expected = std::make_shared<std::vector<u32>>(c.n);
  Context cpu({.backend = Backend::cpu});
  Stopwatch stopwatch(cpu);
  divsufsort(data.bytes.data(), reinterpret_cast<saidx_t*>(expected->data()), saidx_t(c.n));
  c.add_counter("divsufsort_ms", stopwatch.milliseconds());
  c.expect([=, &c, suffixes = data.suffixes] { return download(c.context, suffixes) == *expected; });
#else
  constexpr u64 max_checked = 20000000;  // the check takes seconds for longer texts
  if (c.n <= max_checked) {
    auto bytes = std::make_shared<std::vector<u8>>(data.bytes);
    c.expect([=, &c, suffixes = data.suffixes] { return is_sorted(*bytes, download(c.context, suffixes)); });
  }
#endif
  suffix_array(c.context, data.text, data.suffixes);
  c.add_counter("scratch_bytes_per_byte", double(c.context.scratch_bytes()) / double(c.n));
}

void lcp_array_row(const Corpus& corpus, Comparison& c) {
  const TextData data = text_data(c, corpus);
  const BufferSpan<u32> prefixes = c.buffer<u32>(c.n);
  suffix_array(c.context, data.text, data.suffixes);
  c.ours = [=, &c, text = data.text, suffixes = data.suffixes] { lcp_array(c.context, text, suffixes, prefixes); };
  c.ours();
  double sum = 0;
  for (const u32 length : download(c.context, prefixes)) sum += length;
  c.add_counter("mean_prefix", sum / double(c.n));
}

/// The transform from a suffix array, or back from the transform.
template <bool inverse>
void bwt_row(const Corpus& corpus, Comparison& c) {
  const TextData data = text_data(c, corpus);
  const BufferSpan<u8> transform = c.buffer<u8>(c.n), restored = c.buffer<u8>(c.n);
  const BufferSpan<u32> primary = c.buffer<u32>(1);
  suffix_array(c.context, data.text, data.suffixes);
  bwt(c.context, data.text, data.suffixes, transform, primary);
  const u32 row = download(c.context, primary)[0];
  if (inverse) {
    c.ours = [=, &c] { inverse_bwt(c.context, transform, row, restored); };
  } else {
    c.ours = [=, &c, text = data.text, suffixes = data.suffixes] {
      bwt(c.context, text, suffixes, transform, primary);
    };
  }
  c.expect([=, &c, text = data.text] {
    inverse_bwt(c.context, transform, row, restored);
    return equal_bytes(c.context, text.data(), restored.data(), c.n);
  });
}

void add_rows(Rows& rows) {
  for (const u64 n : {u64{10000000}, u64{100000000}}) {
    for (const Corpus& corpus : corpora) {
      const std::string end = std::string("/") + corpus.name;
      rows.add_on_stream("suffix_array" + end, n, [=](Comparison& c) { suffix_array_row(corpus, c); });
      rows.add_on_stream("lcp_array" + end, n, [=](Comparison& c) { lcp_array_row(corpus, c); });
      rows.add_on_stream("bwt" + end, n, [=](Comparison& c) { bwt_row<false>(corpus, c); });
      rows.add_on_stream("inverse_bwt" + end, n, [=](Comparison& c) { bwt_row<true>(corpus, c); });
    }
  }
}

}  // namespace

}  // namespace copse::bench

int main(int argc, char** argv) {
  const copse::Backend backend = copse::Context().backend();
  return copse::bench::run_program(argc, argv, {backend, COPSE_COMMIT, copse::bench::add_rows});
}
