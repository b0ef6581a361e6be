#pragma once

// Writes wide nodes on CUDA. Contract: builders/bvh/widen.inl.
//
// The inner children of a window's wide nodes are neighbours in the wide tree. So a block takes a window and
// writes its children, not its own nodes: it makes them in shared memory, a thread a slot, and stores whole words
// in order.

#include "builders/bvh/cuda/wide_records.cuh"
#include "builders/bvh/widen_write.h"
#include "primitives/cuda/scan.cuh"

namespace copse::cuda {

namespace detail {

using copse::detail::pair_below;
using copse::detail::place_of_parts;

inline constexpr u32 wide_write_blocks = 5;  // on a multiprocessor

/// The children of some of a window's wide nodes, on their way to places of their own.
template <class Write>
struct WriteWindow {
  static constexpr u32 width = Write::width;
  static constexpr u32 nodes_at_once = record_threads / width;
  using Node = std::remove_reference_t<decltype(*Write{}.wide.nodes)>;

  /// From one node that is made to the next: so that threads with neighbouring nodes write to other banks.
  static constexpr u32 stride = sizeof(Node) % 64 == 0 ? sizeof(Node) + sizeof(uint4) : sizeof(Node);

  alignas(16) unsigned char made[nodes_at_once * stride];
  u32 pair_at[record_threads * width];  // [place, counted from the first one's]
  u16 listed[record_pairs];
  u32 first_place, end_place;  // in the window
  u32 root_pair;

  /// Lists the children of the wide nodes `first` and on, one a thread. Returns how many.
  __device__ u32 list_children(const PairArrays& pairs, const WideRecord<width>* records, u32 begin, u32 first,
                               u32 listed_count) {
    const u32 count = smaller(listed_count - first, record_threads);
    const bool is_there = threadIdx.x < count;
    const u32 pair = begin + listed[first + (is_there ? threadIdx.x : 0)];
    const WideRecord<width>& record = records[pair];
    const SlotKinds<width> kinds = record.kinds;
    u32 place = place_of_parts(record.first_parts).node;
    if (threadIdx.x == 0) first_place = place;
    if (threadIdx.x == count - 1) end_place = place + place_of_parts(kinds.parts()).node;
    if (is_there && record.node == 0) root_pair = pair;
    __syncthreads();
    place -= first_place;
#pragma unroll
    for (u32 slot = 0; slot < width; ++slot) {
      if (is_there && kinds.of[slot] == SlotKinds<width>::inner)
        pair_at[place++] = pair_below(pairs, record.children[slot]);
    }
    __syncthreads();
    return end_place - first_place;
  }

  /// Writes `count` nodes of the listed pairs from `first` on, to `place` and on; all threads.
  __device__ void write_nodes(const Write& write, const WideRecord<width>* records, const u64* parts_before,
                              u32 first, u32 count, u32 place) {
    const u32 own = threadIdx.x / width, slot = threadIdx.x % width;
    if (own < count) {
      const u32 pair = pair_at[first + own];
      const WideRecord<width>& record = records[pair];
      write(record, parts_before[pair / record_pairs] + record.first_parts, place + own, slot,
            *reinterpret_cast<Node*>(made + own * stride));
    }
    __syncthreads();
    auto* const to = reinterpret_cast<uint4*>(write.wide.nodes + place);
    const auto* const from = reinterpret_cast<const uint4*>(made);
    constexpr u32 words = sizeof(Node) / sizeof(uint4), words_apart = stride / sizeof(uint4);
    for (u32 k = threadIdx.x; k < count * words; k += record_threads) {
      to[k] = from[k / words * words_apart + k % words];
    }
    __syncthreads();
  }
};

/// blocks_a_window: of them, each writes every so many-th group of nodes
template <class Write>
__global__ void __launch_bounds__(record_threads, wide_write_blocks)
    write_wide_nodes_kernel(const Write write, const PairArrays pairs, const WideRecord<Write::width>* records,
                            const RecordedWindows windows, u32 blocks_a_window) {
  using Window = WriteWindow<Write>;
  __shared__ Window window;
  overlap_launches();
  const u32 id = blockIdx.x / blocks_a_window, part = blockIdx.x % blocks_a_window, begin = id * record_pairs;
  if (threadIdx.x == 0) window.root_pair = invalid_id;
  const u32 listed_count = list_bits(windows.wide + u64{id} * RecordWindow::rows, window.listed);
  const u32 place = place_of_parts(windows.parts[id]).node;
  for (u32 first = 0; first < listed_count; first += record_threads) {
    const u32 count = window.list_children(pairs, records, begin, first, listed_count);
    const u32 first_place = place + window.first_place;
    for (u32 k = part * Window::nodes_at_once; k < count; k += blocks_a_window * Window::nodes_at_once) {
      window.write_nodes(write, records, windows.parts, k, smaller(count - k, Window::nodes_at_once),
                         first_place + k);
    }
    __syncthreads();
  }
  if (part > 0 || window.root_pair == invalid_id) return;
  if (threadIdx.x == 0) window.pair_at[0] = window.root_pair;
  __syncthreads();
  window.write_nodes(write, records, windows.parts, 0, 1, 0);
}

}  // namespace detail

/// Contract: builders/bvh/widen.inl.
template <class Write>
void write_wide_nodes(const Executor& ex, const copse::detail::PairArrays& pairs, const BvhCounts* counts, u64 n,
                      const Write& write, u64* parts) {
  // Large launches begin after one another: the shared memory of the first would leave the next ones little cache.
  constexpr u64 large = u64{1} << 18;
  constexpr u32 width = Write::width;
  const bool overlaps = n < large;
  const u64 count = detail::record_window_count(n);
  ScratchArena::Frame frame(ex.scratch);
  auto* records = frame.allocate<detail::WideRecord<width>>(pair_capacity(n));
  const detail::RecordedWindows windows{frame.allocate<u32>(count * detail::RecordWindow::rows),
                                        frame.allocate<u64>(count)};
  launch(ex, "widen: find wide nodes", detail::record_wide_nodes_kernel<width>,
         {.blocks = count, .threads = detail::record_threads, .overlaps_earlier_launch = overlaps}, pairs, counts,
         records, windows);
  exclusive_scan(ex, "widen: places", count, Elements<u64>{windows.parts}, u64{1}, Plus{}, windows.parts, parts);
  const u32 blocks_a_window = n < large ? 4 : 1;
  launch(
      ex, "widen: write nodes", detail::write_wide_nodes_kernel<Write>,
      {.blocks = count * blocks_a_window, .threads = detail::record_threads, .overlaps_earlier_launch = overlaps},
      write, pairs, records, windows, blocks_a_window);
}

template <u32 width>
u64 write_wide_nodes_scratch_bytes(const Executor& ex, u64 n) {
  const u64 count = detail::record_window_count(n);
  return ScratchArena::bytes_for<detail::WideRecord<width>>(pair_capacity(n)) +
         ScratchArena::bytes_for<u32>(count * detail::RecordWindow::rows) + ScratchArena::bytes_for<u64>(count) +
         scan_scratch_bytes<u64>(ex, count);
}

}  // namespace copse::cuda
