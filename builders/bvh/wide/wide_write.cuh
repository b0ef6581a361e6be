#pragma once

// Writes wide nodes on CUDA. Contract: builders/bvh/wide/collapse.inl.
//
// The inner children of a window's wide nodes are neighbours in the wide tree. So a block takes a window and
// writes the children of its nodes, not the nodes themselves: it encodes them in shared memory, one thread per
// slot, and stores whole words in order.

#include "builders/bvh/wide/collapse_write.h"
#include "builders/bvh/wide/wide_records.cuh"
#include "primitives/cuda/scan.cuh"

namespace copse::cuda {

namespace detail {

using copse::detail::pair_below;
using copse::detail::place_of_parts;
using copse::detail::WholeWords;

template <u32 width>
inline constexpr u32 wide_write_blocks = width == 4 ? 6 : 5;  // on a multiprocessor

/// Over fewer primitives, more than one block writes a window, so that all multiprocessors end together.
inline constexpr u64 many_windows_primitives = 4'000'000;

/// Up to this many windows, every block sums up their room itself, which saves a launch.
inline constexpr u32 few_windows = record_threads;

/// Loads one node per lane; all lanes take part. Two neighbouring lanes load the node of the even lane together,
/// then that of the odd lane, half a node each, and exchange halves. So a load touches half as many cache lines.
__device__ inline BvhNode load_by_pairs(const BvhNode* nodes, u32 id) {
  const bool is_odd = lane_id() % 2 != 0;
  const u32 other = __shfl_xor_sync(all_lanes, id, 1);
  const auto* const halves = reinterpret_cast<const WholeWords*>(nodes);
  const WholeWords of_even = halves[u64{2} * (is_odd ? other : id) + is_odd];
  const WholeWords of_odd = halves[u64{2} * (is_odd ? id : other) + is_odd];
  WholeWords own[2];
#pragma unroll
  for (u32 k = 0; k < 4; ++k) {
    const u32 received = __shfl_xor_sync(all_lanes, is_odd ? of_even.word[k] : of_odd.word[k], 1);
    own[0].word[k] = is_odd ? received : of_even.word[k];
    own[1].word[k] = is_odd ? of_odd.word[k] : received;
  }
  BvhNode node;
  memcpy(&node, own, sizeof(node));
  return node;
}

/// The children of some wide nodes of a window, before they are stored.
template <class Write>
struct WriteWindow {
  static constexpr u32 width = Write::width;
  static constexpr u32 nodes_at_once = record_threads / width;
  using Node = std::remove_reference_t<decltype(*Write{}.wide.nodes)>;

  /// Bytes from one node to the next: threads with neighbouring nodes write to different banks.
  static constexpr u32 stride = sizeof(Node) % 64 == 0 ? sizeof(Node) + sizeof(uint4) : sizeof(Node);

  alignas(16) unsigned char made[nodes_at_once * stride];
  u32 pair_at[record_threads * width];  // [place, from first_place on]
  u16 listed[record_pairs];
  u32 first_place, end_place;  // in the window
  u32 root_pair;
  u64 before[few_windows];  // the places where windows begin, if they are few
  BlockStorage<u64, record_threads> sums;

  /// Finds the places where windows begin, if they are few, and stores the room that the root and all of them
  /// take.
  __device__ const u64* sum_few(const u64* parts_of, u32 count, u64* parts) {
    const u64 own = threadIdx.x < count ? parts_of[threadIdx.x] : 0;
    const BlockScan<u64> scan = block_inclusive_scan<record_threads>(own, Plus{}, sums);
    before[threadIdx.x] = 1 + scan.inclusive - own;
    if (blockIdx.x == 0 && threadIdx.x == 0) *parts = 1 + scan.total;
    __syncthreads();
    return before;
  }

  /// Lists the children of the wide nodes from `first` on, one node per thread. Returns how many there are.
  __device__ u32 list_children(const PairArrays<width>& pairs, const WideRecord<width>* records, u32 begin,
                               u32 first, u32 listed_count) {
    const u32 count = smaller(listed_count - first, record_threads);
    const bool is_there = threadIdx.x < count;
    const u32 pair = begin + listed[first + (is_there ? threadIdx.x : 0)];
    const WideRecord<width> record = load_whole(records + pair);
    const SlotKinds<width> kinds = record.head.kinds;
    u32 place = place_of_parts(record.head.first_parts).node;
    if (threadIdx.x == 0) first_place = place;
    if (threadIdx.x == count - 1) end_place = place + place_of_parts(kinds.parts()).node;
    if (is_there && record.head.node == 0) root_pair = pair;
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

  /// Writes `count` nodes, those of the listed pairs from `first` on, to the places from `place` on; all threads.
  __device__ void write_nodes(const Write& write, const WideRecord<width>* records, const u64* parts_before,
                              u32 first, u32 count, u32 place) {
    const u32 own = threadIdx.x / width, slot = threadIdx.x % width;
    const u32 pair = pair_at[first + smaller(own, count - 1)];
    const WideRecord<width> record = load_whole(records + pair);
    const bool has_child = record.head.kinds.at(slot) != SlotKinds<width>::nothing;
    const BvhNode child = load_by_pairs(write.nodes, has_child ? record.child(slot) : 0);
    if (own < count) {
      write(record, parts_before[pair / record_pairs] + record.head.first_parts, place + own, slot, child,
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

inline constexpr u32 count_blocks = 256;  // they share the work of write_counts

///   blocks_per_window: block k of them writes every blocks_per_window-th group of nodes, from group k on
///   parts:             of the whole tree; stored here if windows are few
template <class Write, class WriteCounts>
__global__ void __launch_bounds__(record_threads, wide_write_blocks<Write::width>)
    write_wide_nodes_kernel(const Write write, const WriteCounts write_counts,
                            const PairArrays<Write::width> pairs, const WideRecord<Write::width>* records,
                            const RecordedWindows windows, u32 blocks_per_window, u64* parts) {
  using Window = WriteWindow<Write>;
  __shared__ Window window;
  overlap_launches();
  const u32 window_count = gridDim.x / blocks_per_window;
  const u64* const parts_before =
      window_count <= few_windows ? window.sum_few(windows.parts, window_count, parts) : windows.parts;
  if (blockIdx.x < count_blocks) {
    write_counts(u64{blockIdx.x} * record_threads + threadIdx.x,
                 u64{smaller(gridDim.x, count_blocks)} * record_threads);
  }
  const u32 id = blockIdx.x / blocks_per_window, part = blockIdx.x % blocks_per_window, begin = id * record_pairs;
  if (threadIdx.x == 0) window.root_pair = invalid_id;
  const u32 listed_count = list_bits(windows.wide + u64{id} * record_rows, window.listed);
  const u32 place = place_of_parts(parts_before[id]).node;
  constexpr u32 at_once = Window::nodes_at_once;
  for (u32 first = 0; first < listed_count; first += record_threads) {
    const u32 count = window.list_children(pairs, records, begin, first, listed_count);
    const u32 first_place = place + window.first_place;
    for (u32 k = part * at_once; k < count; k += blocks_per_window * at_once) {
      window.write_nodes(write, records, parts_before, k, smaller(count - k, at_once), first_place + k);
    }
    __syncthreads();
  }
  if (part > 0 || window.root_pair == invalid_id) return;
  if (threadIdx.x == 0) window.pair_at[0] = window.root_pair;
  __syncthreads();
  window.write_nodes(write, records, parts_before, 0, 1, 0);
}

}  // namespace detail

/// Contract: builders/bvh/wide/collapse.inl.
template <class Write, class WriteCounts>
void write_wide_nodes(const Executor& ex, const copse::detail::PairArrays<Write::width>& pairs,
                      const BvhCounts* counts, u64 n, const Write& write, const WriteCounts& write_counts,
                      u64* parts) {
  constexpr u32 width = Write::width;
  const bool overlaps = n < detail::large_tree;
  const u64 count = detail::record_window_count(n);
  ScratchArena::Frame frame(ex.scratch);
  auto* records = frame.allocate<detail::WideRecord<width>>(pair_capacity(n));
  const detail::RecordedWindows windows{frame.allocate<u32>(count * detail::record_rows),
                                        frame.allocate<u64>(count)};
  launch(ex, "collapse: find wide nodes", detail::record_wide_nodes_kernel<width>,
         {.blocks = count, .threads = detail::record_threads, .overlaps_earlier_launch = overlaps}, pairs, counts,
         records, windows);
  if (count > detail::few_windows) {
    exclusive_scan(ex, "collapse: places", count, Elements<u64>{windows.parts}, u64{1}, Plus{}, windows.parts,
                   parts);
  }
  const u32 blocks_per_window = overlaps ? 4 : n < detail::many_windows_primitives ? 2 : 1;
  launch(ex, "collapse: write nodes", detail::write_wide_nodes_kernel<Write, WriteCounts>,
         {.blocks = count * blocks_per_window,
          .threads = detail::record_threads,
          .overlaps_earlier_launch = overlaps},
         write, write_counts, pairs, records, windows, blocks_per_window, parts);
}

template <u32 width>
u64 write_wide_nodes_scratch_bytes(const Executor& ex, u64 n) {
  const u64 count = detail::record_window_count(n);
  return ScratchArena::bytes_for<detail::WideRecord<width>>(pair_capacity(n)) +
         ScratchArena::bytes_for<u32>(count * detail::record_rows) + ScratchArena::bytes_for<u64>(count) +
         scan_scratch_bytes<u64>(ex, count);
}

}  // namespace copse::cuda
