#pragma once

// Rows of hash tables by load, for any kind of table. There are 100M pairs of a 4-byte key and a 4-byte value. The
// rows stand beside their bounds. The bound of find is as many gathers of 8 bytes from random places of a table of
// the same size. The bound of insert is as many compare-and-swaps there; what they find does not matter. `ratio`
// is the share of the bound that the table reaches.

#include <cstdio>
#include <memory>
#include <string>

#include "bench/primitives/rows.h"
#include "bench/support/cub.h"
#include "primitives/core/stopwatch.h"
#include "primitives/cuda/for_each.cuh"
#include "primitives/hash_bulk.h"

namespace copse::bench {

inline constexpr u64 hash_pairs = 100000000;
inline constexpr float hash_loads[] = {0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f, 0.7f, 0.8f, 0.9f, 0.95f};

/// Stores number `first` + i of a sequence in which each 32-bit number comes once.
struct DistinctKeys {
  u32* keys;
  u32 first;
  COPSE_HD void operator()(u64 i) const { keys[i] = detail::mixed((u32(i) + first) * 2654435761u); }
};

struct HashData {
  BufferSpan<u32> keys, absent, values, out, expected;
  BufferSpan<HashCounts> counts;
};

inline HashData hash_data(Comparison& c) {
  const HashData d{c.buffer<u32>(c.n), c.buffer<u32>(c.n), c.hashed<u32>(c.n),
                   c.buffer<u32>(c.n), c.buffer<u32>(c.n), c.buffer<HashCounts>(1)};
  const auto& ex = c.context.cuda_executor();
  cuda::for_each(ex, "keys", c.n, DistinctKeys{d.keys.data(), 0});
  cuda::for_each(ex, "absent keys", c.n, DistinctKeys{d.absent.data(), u32(c.n)});
  return d;
}

struct GatherAtHome {
  const u32* keys;
  const u64* words;
  u64 count;
  u32* out;
  COPSE_HD void operator()(u64 i) const {
    out[i] = u32(words[detail::place_of(detail::hash_of(detail::words_of(keys[i])), count)]);
  }
};

struct SwapAtHome {
  const u32* keys;
  const u32* values;
  u64* words;
  u64 count;
  COPSE_HD void operator()(u64 i) const {
    const u64 place = detail::place_of(detail::hash_of(detail::words_of(keys[i])), count);
    compare_exchange_relaxed(words + place, u64{0}, u64(values[i]) << 32 | keys[i]);
  }
};

/// Runs `work` three times and returns the least time, in milliseconds. `before` runs before each. It is not
/// measured.
inline double min_milliseconds(Comparison& c, const Work& before, const Work& work) {
  double least = 1e9;
  for (int k = 0; k < 3; ++k) {
    before();
    c.context.wait();
    Stopwatch stopwatch(c.context);
    work();
    least = std::min(least, stopwatch.milliseconds());
  }
  return least;
}

/// The row's time is the time to clear the table and to insert all pairs. `giga_per_s` is the rate of the
/// insertion alone. `swaps_giga_per_s` is the rate of the compare-and-swaps.
template <class Table>
void hash_insert_row(float load, Comparison& c) {
  const HashData d = hash_data(c);
  auto table = std::make_shared<Table>(c.context, c.n, HashTableOptions{.max_load = load});
  const BufferSpan<u64> words = c.buffer<u64>(table->slot_count());
  const auto& ex = c.context.cuda_executor();
  const Work clear = [=] { table->clear(); };
  const Work fill = [=, &c] { insert(c.context, *table, d.keys, d.values, d.counts); };
  const Work clear_words = [=, &ex] { cuda::fill_bytes(ex, "clear", words.data(), words.size(), 0); };
  const Work swap = [=, &ex, n = c.n] {
    cuda::for_each(ex, "swap", n, SwapAtHome{d.keys.data(), d.values.data(), words.data(), words.size()});
  };
  c.ours = [=] { clear(), fill(); };
  c.add_rival([=] { clear_words(), swap(); });
  c.expect([=, &c] { return download(c.context, d.counts)[0].inserted == c.n; });
  c.add_counter("load", load);
  c.add_counter("giga_per_s", double(c.n) / min_milliseconds(c, clear, fill) * 1e-6);
  c.add_counter("swaps_giga_per_s", double(c.n) / min_milliseconds(c, clear_words, swap) * 1e-6);
}

template <class Table>
void hash_find_row(float load, bool is_present, Comparison& c) {
  const HashData d = hash_data(c);
  auto table = std::make_shared<Table>(c.context, c.n, HashTableOptions{.max_load = load});
  const BufferSpan<u64> words = c.buffer<u64>(table->slot_count());
  const BufferSpan<u32> keys = is_present ? d.keys : d.absent;
  insert(c.context, *table, d.keys, d.values);
  c.ours = [=, &c] { find(c.context, *table, keys, d.out, {}, d.counts); };
  c.add_rival([=, &ex = c.context.cuda_executor(), n = c.n] {
    cuda::for_each(ex, "gather", n, GatherAtHome{keys.data(), words.data(), words.size(), d.expected.data()});
  });
  if (is_present) {
    c.expect_equal(d.out, d.values);
  } else {
    c.expect([=, &c] { return download(c.context, d.counts)[0].absent == c.n; });
  }
  c.add_counter("load", load);
}

/// One thread per pair inserts it, as a kernel of a user does.
template <class View>
struct InsertByThread {
  View table;
  const u32* keys;
  const u32* values;
  COPSE_HD void operator()(u64 i) const { table.insert(keys[i], values[i]); }
};

/// The pairs are in no order. The row's time is the time to clear the table and to insert all pairs. `giga_per_s` is
/// the rate of the insertion alone.
template <class Table>
void hash_threads_row(float load, Comparison& c) {
  const HashData d = hash_data(c);
  auto table = std::make_shared<Table>(c.context, c.n, HashTableOptions{.max_load = load});
  const Work clear = [=] { table->clear(); };
  const Work fill = [=, &ex = c.context.cuda_executor(), n = c.n] {
    cuda::for_each(ex, "insert", n,
                   InsertByThread<typename Table::View>{table->view(), d.keys.data(), d.values.data()});
  };
  c.ours = [=] { clear(), fill(); };
  c.expect([=, &c] { return size(c.context, *table) == c.n; });
  c.add_counter("load", load);
  c.add_counter("giga_per_s", double(c.n) / min_milliseconds(c, clear, fill) * 1e-6);
}

/// Adds NAME/insert, NAME/find/present and NAME/find/absent for each load.
template <class Table>
void add_hash_table_rows(Rows& rows, const std::string& name) {
  for (const float load : hash_loads) {
    char end[16];
    std::snprintf(end, sizeof end, "/load:%.2f", double(load));
    rows.add_on_stream(name + "/insert" + end, hash_pairs,
                       [=](Comparison& c) { hash_insert_row<Table>(load, c); });
    rows.add_on_stream(name + "/find/present" + end, hash_pairs,
                       [=](Comparison& c) { hash_find_row<Table>(load, true, c); });
    rows.add_on_stream(name + "/find/absent" + end, hash_pairs,
                       [=](Comparison& c) { hash_find_row<Table>(load, false, c); });
  }
}

}  // namespace copse::bench
