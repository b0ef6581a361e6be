#pragma once

// Which nodes of a binary tree become wide ones, what their slots hold, and where in their window their parts
// stand, on CUDA. Contract: builders/bvh/widen.inl.
//
// A block takes a window of neighbouring pairs into shared memory, where most searches begin and end, and most
// children are found: relatives stand near each other. It leaves what its wide nodes take, as a sum that an
// exclusive scan over the windows, a launch of its own, turns into where the window's parts begin.

#include "builders/bvh/wide_record.h"
#include "primitives/cuda/block.cuh"
#include "primitives/cuda/launch.cuh"

namespace copse::cuda {

namespace detail {

using copse::detail::CollapsedTree;
using copse::detail::kind_of;
using copse::detail::PairArrays;
using copse::detail::PairCounts;
using copse::detail::PairLinks;
using copse::detail::SlotChoice;
using copse::detail::SlotKinds;
using copse::detail::WideRecord;

inline constexpr u32 record_threads = 256;
inline constexpr u32 record_blocks = 6;  // on a multiprocessor
inline constexpr u32 record_pairs = 1024;

/// After so many steps a search waits for others as long: lanes that are done would wait for it.
inline constexpr u32 search_steps_at_once = 3;

/// A window of pairs, and which of them belong to wide nodes.
struct RecordWindow {
  static constexpr u32 rows = record_pairs / warp_size;
  static constexpr u32 pairs_a_thread = record_pairs / record_threads;

  u32 choices[record_pairs];  // bits
  PairLinks links[record_pairs];
  PairCounts counts[record_pairs];
  u32 parents[record_pairs];
  u32 wide[rows];            // a bit a pair
  u16 listed[record_pairs];  // first those whose search is put off, then the wide nodes, in their order
  u32 listed_count;
  u64 parts[record_pairs];  // of the listed wide nodes; at last, of those before
  BlockStorage<u64, record_threads> sums;

  __device__ void load(const PairArrays& pairs, u32 begin, u32 count) {
    if (threadIdx.x == 0) listed_count = 0;
    for (u32 i = threadIdx.x; i < count; i += record_threads) {
      choices[i] = pairs.choice(begin + i).bits;
      links[i] = pairs.link(begin + i);
      counts[i] = pairs.counts_of(begin + i);
      parents[i] = pairs.parent(begin + i);
    }
    __syncthreads();
  }
};

/// The pairs of the tree, as PairArrays, those of the window from shared memory.
struct WindowPairs {
  const RecordWindow& window;
  PairArrays all;
  u32 begin, count;

  __device__ bool has(u32 pair) const { return pair - begin < count; }
  __device__ SlotChoice choice(u32 pair) const {
    return has(pair) ? SlotChoice{window.choices[pair - begin]} : all.choice(pair);
  }
  __device__ PairLinks link(u32 pair) const { return has(pair) ? window.links[pair - begin] : all.link(pair); }
  __device__ PairCounts counts_of(u32 pair) const {
    return has(pair) ? window.counts[pair - begin] : all.counts_of(pair);
  }
  __device__ u32 parent(u32 pair) const { return has(pair) ? window.parents[pair - begin] : all.parent(pair); }
};

/// Marks the pairs of wide nodes in the window. Searches that are long or leave it are put off, and then made
/// together.
template <u32 width, class Tree>
__device__ void find_wide_nodes(RecordWindow& window, const Tree& tree, u32 begin, u32 count) {
#pragma unroll
  for (u32 k = 0; k < RecordWindow::pairs_a_thread; ++k) {
    const u32 i = k * record_threads + threadIdx.x;
    bool is_wide = false;
    if (i < count) {
      auto search = Tree::begin_at({window.choices[i]}, window.parents[i]);
      for (u32 step = 0; step < search_steps_at_once && !Tree::is_settled(search); ++step) {
        if (!tree.pairs.has(sibling_pair(search.node))) break;
        tree.climb(search);
      }
      is_wide = Tree::is_settled(search) && Tree::is_wide(search);
      if (!Tree::is_settled(search)) window.listed[atomicAdd(&window.listed_count, 1u)] = u16(i);
    }
    const u32 wide = __ballot_sync(all_lanes, is_wide);
    if (lane_id() == 0) window.wide[i / warp_size] = wide;
  }
  __syncthreads();
  for (u32 k = threadIdx.x; k < window.listed_count; k += record_threads) {
    const u32 i = window.listed[k];
    auto search = Tree::begin_at({window.choices[i]}, window.parents[i]);
    while (!Tree::is_settled(search)) tree.climb(search);
    if (Tree::is_wide(search)) atomicOr(&window.wide[i / warp_size], 1u << i % warp_size);
  }
  __syncthreads();
}

/// Lists the pairs of a window whose bits are set, in their order; all threads of the block. Returns how many.
__device__ inline u32 list_bits(const u32* bits, u16* listed) {
  static_assert(RecordWindow::rows == warp_size);
  const u32 in_row = u32(__popc(bits[lane_id()])), through = warp_inclusive_scan(in_row, Plus{});
#pragma unroll
  for (u32 k = 0; k < RecordWindow::pairs_a_thread; ++k) {
    const u32 i = k * record_threads + threadIdx.x, row = i / warp_size, set = bits[row];
    const u32 before = shuffle_from(through - in_row, row);
    if ((set >> lane_id() & 1) != 0) listed[before + u32(__popc(set & lower_lanes()))] = u16(i);
  }
  __syncthreads();
  return shuffle_from(through, warp_size - 1);
}

/// The words of a record's kinds from those of its slots, in neighbouring lanes.
template <u32 width>
__device__ SlotKinds<width> kinds_of_lanes(u8 kind, u32 slot) {
  SlotKinds<width> kinds;
#pragma unroll
  for (u32 w = 0; w < width / 4; ++w) {
    u32 word = slot / 4 == w ? u32(kind) << 8 * (slot % 4) : 0;
#pragma unroll
    for (u32 distance = 1; distance < width; distance *= 2) word |= __shfl_xor_sync(all_lanes, word, distance);
    memcpy(kinds.of + 4 * w, &word, sizeof(word));
  }
  return kinds;
}

/// Records what the listed wide nodes hold, a lane a slot, and what they take.
template <u32 width, class Tree>
__device__ void record_children(RecordWindow& window, const Tree& tree, u32 begin, WideRecord<width>* records) {
  const u32 slots = window.listed_count * width;
  for (u32 first = threadIdx.x - lane_id(); first < slots; first += record_threads) {
    const u32 listed = (first + lane_id()) / width, slot = lane_id() % width;
    const bool is_there = listed < window.listed_count;
    const u32 i = is_there ? window.listed[listed] : 0;
    u8 kind = SlotKinds<width>::nothing;
    if (is_there) {
      const auto child = tree.child_at(begin + i, slot);
      kind = kind_of<width>(child, slot);
      records[begin + i].children[slot] = child.node;
    }
    const SlotKinds<width> kinds = kinds_of_lanes<width>(kind, slot);
    if (!is_there || slot > 0) continue;
    records[begin + i].kinds = kinds;
    records[begin + i].node = window.parents[i];
    window.parts[listed] = kinds.parts();
  }
  __syncthreads();
}

/// Turns the parts of the listed nodes into those before each. Returns the sum of all.
__device__ inline u64 sum_parts(RecordWindow& window) {
  constexpr u32 rows = RecordWindow::pairs_a_thread;
  const u32 first = threadIdx.x * rows;
  u64 parts[rows], sum = 0;
#pragma unroll
  for (u32 k = 0; k < rows; ++k) {
    parts[k] = first + k < window.listed_count ? window.parts[first + k] : 0;
    sum += parts[k];
  }
  const BlockScan<u64> scan = block_inclusive_scan<record_threads>(sum, Plus{}, window.sums);
  u64 before = scan.inclusive - sum;
#pragma unroll
  for (u32 k = 0; k < rows; ++k) {
    if (first + k < window.listed_count) window.parts[first + k] = before;
    before += parts[k];
  }
  return scan.total;
}

/// Stores where the parts of the listed nodes begin in the window.
template <u32 width>
__device__ void store_parts(const RecordWindow& window, u32 begin, WideRecord<width>* records) {
  for (u32 listed = threadIdx.x; listed < window.listed_count; listed += record_threads) {
    records[begin + window.listed[listed]].first_parts = window.parts[listed];
  }
}

/// What the windows leave, beside the records.
struct RecordedWindows {
  u32* wide;   // [pair / 32]: a bit a pair
  u64* parts;  // [window]: of all its nodes; then, of all windows before and the root
};

template <u32 width>
__global__ void __launch_bounds__(record_threads, record_blocks)
    record_wide_nodes_kernel(const PairArrays pairs, const BvhCounts* counts, WideRecord<width>* records,
                             const RecordedWindows windows) {
  __shared__ RecordWindow window;
  overlap_launches();
  const u32 pair_count = counts->node_count / 2, begin = smaller(blockIdx.x * record_pairs, pair_count);
  const u32 count = smaller(record_pairs, pair_count - begin);

  window.load(pairs, begin, count);
  const CollapsedTree<width, WindowPairs> tree{{window, pairs, begin, count}};
  find_wide_nodes<width>(window, tree, begin, count);
  const u32 listed_count = list_bits(window.wide, window.listed);
  if (threadIdx.x == 0) window.listed_count = listed_count;
  __syncthreads();
  record_children<width>(window, tree, begin, records);
  const u64 sum = sum_parts(window);
  __syncthreads();
  store_parts(window, begin, records);
  if (threadIdx.x < RecordWindow::rows) {
    windows.wide[blockIdx.x * RecordWindow::rows + threadIdx.x] = window.wide[threadIdx.x];
  }
  if (threadIdx.x == 0) windows.parts[blockIdx.x] = sum;
}

inline u64 record_window_count(u64 n) {
  return larger(u64{1}, divide_rounding_up(pair_capacity(n), u64{record_pairs}));
}

}  // namespace detail

}  // namespace copse::cuda
