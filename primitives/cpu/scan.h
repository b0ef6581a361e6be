#pragma once

// One pass over tiles in a chain (Yan, Long, Zhang, "StreamScan: Fast Scan Algorithms for GPUs without Global
// Barrier Synchronization", PPoPP 2013): a worker takes the next tile, sums it, waits for its prefix, publishes
// the prefix of the next tile, and scans the tile while it is still in the L1 cache. So memory is read once, and
// no worker waits for longer than it takes to sum a tile.
//
// Tiles are taken in order, so a worker waits only for tiles on which others already work.

#include <cstring>
#include <thread>

#include "primitives/core/atomic.h"
#include "primitives/core/processor.h"
#include "primitives/cpu/workers.h"

namespace copse::cpu {

namespace detail {

inline constexpr u64 scan_tile = 8192;

inline void wait_until_set(const u32* flag) {
  constexpr u32 spins_before_yield = 256;
  for (u32 spins = 0; load_acquire(flag) == 0; ++spins) {
    if (spins < spins_before_yield) {
      spin_pause();
    } else {
      std::this_thread::yield();
    }
  }
}

template <class T, class Input, class Op>
struct ScanTask {
  u64 n;
  Input input;
  T init;
  Op op;
  T* out;
  T* total;
};

/// The prefix of each tile, valid once its word in `known` is set.
template <class T>
struct ScanChain {
  T* before;
  u32* known;
};

/// Scans elements [first, last) of a tile, continuing from `sum`; if `starts_empty`, there is no sum yet.
template <bool inclusive, class T, class Input, class Op>
T scan_elements(const ScanTask<T, Input, Op>& task, u64 first, u64 last, T sum, bool starts_empty) {
  // Local copies, since the compiler knows that no store can alias them.
  const Input input = task.input;
  const Op op = task.op;
  T* const out = task.out;
  u64 i = first;
  if (starts_empty) out[i++] = sum = input(first);
  for (; i < last; ++i) {
    const T next = op(sum, input(i));
    out[i] = inclusive ? next : sum;
    sum = next;
  }
  return sum;
}

template <bool inclusive, bool with_init, class T, class Input, class Op>
void scan_one_tile(const ScanTask<T, Input, Op>& task, const ScanChain<T>& chain, u64 tile, u64 tile_count) {
  const u64 first = tile * scan_tile, last = smaller(first + scan_tile, task.n);
  const bool starts_empty = !with_init && tile == 0;
  const bool is_last = tile + 1 == tile_count;
  T sum = task.init;
  if (!is_last) {
    sum = task.input(first);
    for (u64 i = first + 1; i < last; ++i) sum = task.op(sum, task.input(i));
  }
  T before = task.init;
  if (tile > 0) {
    wait_until_set(chain.known + tile);
    before = chain.before[tile];
  }
  if (!is_last) {
    chain.before[tile + 1] = starts_empty ? sum : task.op(before, sum);
    store_release(chain.known + tile + 1, 1u);
  }
  const T through = scan_elements<inclusive>(task, first, last, before, starts_empty);
  if (is_last && task.total != nullptr) *task.total = through;
}

template <bool inclusive, bool with_init, class T, class Input, class Op>
void scan(const Executor& ex, const char* label, const ScanTask<T, Input, Op>& task) {
  static_assert(inclusive || with_init);
  if (task.n == 0) return;
  ScratchArena::Frame frame(ex.scratch);
  const u64 tile_count = divide_rounding_up(task.n, scan_tile);
  const ScanChain<T> chain{frame.allocate<T>(tile_count), frame.allocate<u32>(tile_count)};
  std::memset(chain.known, 0, tile_count * sizeof(u32));
  u64 next_tile = 0;
  parallel_ranges(ex, label, smaller(tile_count, u64{ex.workers.count()}), 1, [&](u64, u64) {
    for (;;) {
      const u64 tile = fetch_add_relaxed(&next_tile, u64{1});
      if (tile >= tile_count) return;
      scan_one_tile<inclusive, with_init>(task, chain, tile, tile_count);
    }
  });
}

}  // namespace detail

template <class T>
u64 scan_scratch_bytes(const Executor&, u64 n) {
  const u64 tile_count = divide_rounding_up(n, detail::scan_tile);
  return n == 0 ? 0 : ScratchArena::bytes_for<T>(tile_count) + ScratchArena::bytes_for<u32>(tile_count);
}

/// Contract: primitives/scan.h.
template <class T, class Input, class Op>
void exclusive_scan(const Executor& ex, const char* label, u64 n, Input input, T init, Op op, T* out,
                    T* total = nullptr) {
  if (n == 0 && total != nullptr) *total = init;
  detail::scan<false, true>(ex, label, detail::ScanTask<T, Input, Op>{n, input, init, op, out, total});
}

/// Contract: primitives/scan.h.
template <class T, class Input, class Op>
void inclusive_scan(const Executor& ex, const char* label, u64 n, Input input, Op op, T* out) {
  detail::scan<true, false>(ex, label, detail::ScanTask<T, Input, Op>{n, input, T{}, op, out, nullptr});
}

/// Contract: primitives/scan.h.
template <class T, class Input, class Op>
void inclusive_scan(const Executor& ex, const char* label, u64 n, Input input, T init, Op op, T* out) {
  detail::scan<true, true>(ex, label, detail::ScanTask<T, Input, Op>{n, input, init, op, out, nullptr});
}

}  // namespace copse::cpu
