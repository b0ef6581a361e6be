#pragma once

// Each worker counts a part of the input in tables of its own. Then the tables are summed bin by bin.

#include "primitives/cpu/for_each.h"
#include "primitives/cpu/workers.h"

namespace copse::cpu {

namespace detail {

/// Returns the number of tables of one worker. Values go to them in turn, so that equal values in a row do not
/// wait for one counter. If the tables do not fit the L1 cache, one table is faster.
inline u64 histogram_copies(u64 bin_count) {
  return bin_count <= 4096 ? 4 : 1;
}

inline u64 histogram_parts(const Executor& ex, u64 n, u64 bin_count) {
  const u64 min_values = larger(u64{16384}, 4 * histogram_copies(bin_count) * bin_count);
  return larger(smaller(u64{ex.workers.count()}, n / min_values), u64{1});
}

template <class Input, class Bin>
void count_part(u64 begin, u64 end, Input& input, Bin& bin, u64 bin_count, u64* tables) {
  const u64 last_copy = histogram_copies(bin_count) - 1;
  for (u64 i = begin; i < end; ++i) {
    const u64 b = bin(input(i));
    if (b < bin_count) ++tables[(i & last_copy) * bin_count + b];
  }
}

/// Sets counts[b] to the sum of all tables at b.
struct SumTables {
  const u64* tables;
  u64 table_count, bin_count;
  u64* counts;

  void operator()(u64 b) const {
    u64 sum = 0;
    for (u64 k = 0; k < table_count; ++k) sum += tables[k * bin_count + b];
    counts[b] = sum;
  }
};

}  // namespace detail

inline u64 histogram_scratch_bytes(const Executor& ex, u64 n, u64 bin_count) {
  return ScratchArena::bytes_for<u64>(detail::histogram_parts(ex, n, bin_count) *
                                      detail::histogram_copies(bin_count) * bin_count);
}

/// Contract: primitives/histogram.h.
template <class Input, class Bin>
void histogram(const Executor& ex, const char* label, u64 n, Input input, Bin bin, u64 bin_count, u64* counts) {
  ScratchArena::Frame frame(ex.scratch);
  const u64 parts = detail::histogram_parts(ex, n, bin_count);
  const u64 copies = detail::histogram_copies(bin_count);
  u64* tables = frame.allocate<u64>(parts * copies * bin_count);
  fill_bytes(ex, label, tables, parts * copies * bin_count, 0);
  const u64 part_size = divide_rounding_up(n, parts);
  parallel_ranges(ex, label, parts, 1, [&](u64 begin, u64 end) {
    for (u64 part = begin; part < end; ++part) {
      detail::count_part(part * part_size, smaller((part + 1) * part_size, n), input, bin, bin_count,
                         tables + part * copies * bin_count);
    }
  });
  for_each(ex, label, bin_count, detail::SumTables{tables, parts * copies, bin_count, counts});
}

}  // namespace copse::cpu
