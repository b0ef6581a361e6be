// Measures the primitives on the CPU beside the parallel algorithms of oneTBB and libstdc++, on the same number of
// threads.
//
//   copse-bench-primitives-cpu [--benchmark_filter=REGEX] [--benchmark_out=FILE.json]
//
// The time of a row is ours. `ratio` is the time of the faster rival over ours.

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_scan.h>
#include <oneapi/tbb/parallel_sort.h>

#include <algorithm>
#include <execution>
#include <numeric>

#include "bench/support/comparison.h"
#include "copse_commit.h"
#include "primitives/merge_sort.h"
#include "primitives/radix_sort.h"
#include "primitives/reduce.h"
#include "primitives/sample_sort.h"
#include "primitives/scan.h"

namespace copse::bench {

namespace {

/// The body of oneTBB's parallel_scan that makes running sums.
struct TbbScan {
  const u32* in;
  u32* out;
  bool inclusive;

  template <class Final>
  u32 operator()(const tbb::blocked_range<u64>& range, u32 sum, Final) const {
    for (u64 i = range.begin(); i < range.end(); ++i) {
      const u32 value = in[i];
      if (Final::is_final_scan()) out[i] = inclusive ? sum + value : sum;
      sum += value;
    }
    return sum;
  }
};

template <bool inclusive>
void scan(Comparison& c) {
  const BufferSpan<u32> in = c.hashed<u32>(c.n), out = c.buffer<u32>(c.n), expected = c.buffer<u32>(c.n);
  const u32* first = in.data();
  u32* to = expected.data();
  c.bytes = 2.0 * double(in.size_bytes());
  c.ours = [=, &c] {
    inclusive ? inclusive_scan<u32>(c.context, in, out) : exclusive_scan<u32>(c.context, in, out);
  };
  c.add_rival([=, n = c.n] {
    tbb::parallel_scan(tbb::blocked_range<u64>(0, n), 0u, TbbScan{first, to, inclusive}, std::plus<>{});
  });
  c.add_rival([=, n = c.n] {
    if constexpr (inclusive) {
      std::inclusive_scan(std::execution::par, first, first + n, to);
    } else {
      std::exclusive_scan(std::execution::par, first, first + n, to, 0u);
    }
  });
  c.expect_equal(out, expected);
}

void sum(Comparison& c) {
  const BufferSpan<u32> in = c.hashed<u32>(c.n), out = c.buffer<u32>(1), expected = c.buffer<u32>(1);
  const u32* first = in.data();
  u32* to = expected.data();
  c.bytes = double(in.size_bytes());
  c.ours = [=, &c] { reduce_sum<u32>(c.context, in, out); };
  c.add_rival([=, n = c.n] {
    *to = tbb::parallel_reduce(
        tbb::blocked_range<u64>(0, n), 0u,
        [=](const tbb::blocked_range<u64>& range, u32 sum) {
          return std::accumulate(first + range.begin(), first + range.end(), sum);
        },
        std::plus<>{});
  });
  c.add_rival([=, n = c.n] { *to = std::reduce(std::execution::par, first, first + n); });
  c.expect_equal(out, expected);
}

/// The rivals sort in place. So they copy the input first, in parallel too.
void sort_keys(Comparison& c) {
  const BufferSpan<u32> in = c.hashed<u32>(c.n), out = c.buffer<u32>(c.n), expected = c.buffer<u32>(c.n);
  const u32* first = in.data();
  u32* to = expected.data();
  c.ours = [=, &c] { radix_sort_keys<u32>(c.context, in, out, {0, 32}); };
  c.add_rival([=, n = c.n] {
    std::copy(std::execution::par, first, first + n, to);
    tbb::parallel_sort(to, to + n);
  });
  c.add_rival([=, n = c.n] {
    std::copy(std::execution::par, first, first + n, to);
    std::sort(std::execution::par, to, to + n);
  });
  c.expect_equal(out, expected);
}

struct Pair {
  u32 key, value;
};

struct SmallerKey {
  bool operator()(const Pair& a, const Pair& b) const { return a.key < b.key; }
};

/// The rivals sort an array of pairs by key. Only the last keeps the order of equal keys.
void sort_pairs(Comparison& c) {
  const BufferSpan<u32> keys = c.hashed<u32>(c.n), values = c.buffer<u32>(c.n);
  fill_indices(c.context, values);
  const BufferSpan<u32> keys_out = c.buffer<u32>(c.n), values_out = c.buffer<u32>(c.n);
  const BufferSpan<Pair> pairs = c.buffer<Pair>(c.n), sorted = c.buffer<Pair>(c.n);
  for (u64 i = 0; i < c.n; ++i) pairs.data()[i] = {keys.data()[i], values.data()[i]};
  Pair* to = sorted.data();
  const Pair* first = pairs.data();
  c.ours = [=, &c] { radix_sort_pairs<u32>(c.context, keys, values, keys_out, values_out, {0, 32}); };
  c.add_rival([=, n = c.n] {
    std::copy(std::execution::par, first, first + n, to);
    tbb::parallel_sort(to, to + n, SmallerKey{});
  });
  c.add_rival([=, n = c.n] {
    std::copy(std::execution::par, first, first + n, to);
    std::sort(std::execution::par, to, to + n, SmallerKey{});
  });
  c.add_rival([=, n = c.n] {
    std::copy(std::execution::par, first, first + n, to);
    std::stable_sort(std::execution::par, to, to + n, SmallerKey{});
  });
  c.expect([=, n = c.n] {
    for (u64 i = 0; i < n; ++i) {
      const u32 key = keys_out.data()[i], value = values_out.data()[i];
      if (key != sorted.data()[i].key || keys.data()[value] != key) return false;
      if (i > 0 && key == keys_out.data()[i - 1] && value <= values_out.data()[i - 1]) return false;
    }
    return true;
  });
}

template <bool by_samples>
void compare_sort_keys(Comparison& c) {
  const BufferSpan<u32> in = c.hashed<u32>(c.n), out = c.buffer<u32>(c.n), expected = c.buffer<u32>(c.n);
  const u32* first = in.data();
  u32* to = expected.data();
  c.ours = [=, &c] {
    by_samples ? sample_sort_keys<u32>(c.context, in, out) : merge_sort_keys<u32>(c.context, in, out);
  };
  c.add_rival([=, n = c.n] {
    std::copy(std::execution::par, first, first + n, to);
    std::stable_sort(std::execution::par, to, to + n);
  });
  c.expect_equal(out, expected);
}

void add_rows(Rows& rows) {
  rows.add("compare_sort/merge/keys/u32", u64{1} << 20, compare_sort_keys<false>);
  rows.add("compare_sort/sample/keys/u32", u64{1} << 20, compare_sort_keys<true>);
  for (u32 log_n : {16, 20, 24}) {
    const u64 n = u64{1} << log_n;
    rows.add("reduce/sum/u32", n, sum);
    rows.add("scan/exclusive/u32", n, scan<false>);
    rows.add("scan/inclusive/u32", n, scan<true>);
    rows.add("sort/keys/u32", n, sort_keys);
    rows.add("sort/pairs/u32", n, sort_pairs);
  }
}

}  // namespace

}  // namespace copse::bench

int main(int argc, char** argv) {
  return copse::bench::run_program(argc, argv, {copse::Backend::cpu, COPSE_COMMIT, copse::bench::add_rows});
}
