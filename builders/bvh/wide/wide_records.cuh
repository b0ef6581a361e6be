#pragma once

// Records, on CUDA, which nodes of a binary tree become wide nodes, the children in their slots, and the places of
// these within a window. Contract: builders/bvh/wide/collapse.inl.
//
// A block loads a window of neighbouring pairs into shared memory. Most searches begin and end there, and most
// children are found there, since related nodes stand near each other. The block stores the sum of the room that
// its wide nodes take. An exclusive scan of these sums, in a launch of its own, gives the place where the children
// of each window begin.

#include "builders/bvh/wide/wide_record.h"
#include "primitives/cuda/block.cuh"
#include "primitives/cuda/launch.cuh"

namespace copse::cuda {

namespace detail {

using copse::detail::CollapsedTree;
using copse::detail::kind_of;
using copse::detail::load_whole;
using copse::detail::PairArrays;
using copse::detail::PairChoice;
using copse::detail::PairLinks;
using copse::detail::SlotKinds;
using copse::detail::store_whole;
using copse::detail::WideHead;
using copse::detail::WideRecord;

/// For this many primitives or more, launches do not overlap: the shared memory of the first would leave little
/// cache to the next.
inline constexpr u64 large_tree = u64{1} << 18;

inline constexpr u32 record_threads = 256;
inline constexpr u32 record_blocks = 6;  // on a multiprocessor
inline constexpr u32 record_pairs = 1024;
static_assert(record_pairs <= 1024, "DeferredSearch has ten bits for a pair");

/// A search is deferred after this many steps, since lanes that are done would wait for it.
inline constexpr u32 search_steps_at_once = 3;

/// A deferred search: the node where it began, the ancestor that it reached, and the bytes of Search as one bit
/// for each number of slots. The number of a node is that of its children's pair, from the first pair of the
/// window on.
///   26        20 19     10 9      0
///   slots, 7 to 1   came to   began
struct DeferredSearch {
  u32 bits;

  template <class Search>
  __device__ static DeferredSearch of(u32 began, u32 came_to, const Search& search) {
    return {(first_bits(search.lo) | first_bits(search.hi) << 4) << 20 | came_to << 10 | began};
  }
  __device__ u32 began() const { return bits & 1023u; }
  __device__ u32 came_to() const { return bits >> 10 & 1023u; }
  template <class Search>
  __device__ Search search(u32 node) const {
    return {node, bytes_of(bits >> 20 & 15u), bytes_of(bits >> 24)};
  }

 private:
  /// Packs four bytes of 0 or 1 into four bits: the product moves bit 8 k to bit 28 + k. And back: bit k to bit 8
  /// k.
  __device__ static u32 first_bits(u32 bytes) { return bytes * 0x10204080u >> 28; }
  __device__ static u32 bytes_of(u32 bits) { return bits * 0x00204081u & 0x01010101u; }
};

inline constexpr u32 record_rows = record_pairs / warp_size;
inline constexpr u32 record_pairs_per_thread = record_pairs / record_threads;

/// A window of pairs, and which of their parents become wide nodes.
template <u32 width>
struct RecordWindow {
  /// With four slots, the parts of a node are computed once, not at every step through it: those of the left child
  /// in the low half of a word, those of the right child in the high half.
  static constexpr bool keeps_parts = width == 4;

  PairChoice<width> choices[record_pairs];
  u32 parts[keeps_parts ? record_pairs : 1];
  PairLinks links[record_pairs];
  u32 parents[record_pairs];
  u32 wide[record_rows];     // a bit per pair
  u16 listed[record_pairs];  // the wide nodes, in their order
  u32 listed_count, deferred_count;
  union {
    DeferredSearch deferred[record_pairs];
    SlotKinds<width> kinds[record_pairs];  // of the listed wide nodes
  };
  BlockStorage<u32, record_threads> sums;

  __device__ void load(const PairArrays<width>& pairs, u32 begin, u32 count) {
    if (threadIdx.x == 0) deferred_count = 0;
    for (u32 i = threadIdx.x; i < count; i += record_threads) {
      const PairChoice<width> chosen = pairs.choice(begin + i);
      choices[i] = chosen;
      if constexpr (keeps_parts) {
        const u32 left = chosen.choice().template parts_less_one<width>(false);
        parts[i] = left | chosen.choice().template parts_less_one<width>(true) << 16;
      }
      links[i] = pairs.link(begin + i);
      parents[i] = pairs.parent(begin + i);
    }
    __syncthreads();
  }

  __device__ u32 parts_less_one(u32 i, bool is_right) const {
    if constexpr (keeps_parts) return parts[i] >> (is_right ? 16 : 0);
    return choices[i].choice().template parts_less_one<width>(is_right);
  }
};

/// The pairs of the tree, as PairArrays; those of the window are read from shared memory.
template <u32 width>
struct WindowPairs {
  const RecordWindow<width>& window;
  PairArrays<width> all;
  u32 begin, count;

  __device__ bool has(u32 pair) const { return pair - begin < count; }
  __device__ PairChoice<width> choice(u32 pair) const {
    return has(pair) ? window.choices[pair - begin] : all.choice(pair);
  }
  __device__ PairLinks link(u32 pair) const { return has(pair) ? window.links[pair - begin] : all.link(pair); }
  __device__ u32 parent(u32 pair) const { return has(pair) ? window.parents[pair - begin] : all.parent(pair); }
  __device__ u32 parts_less_one(u32 pair, bool is_right) const {
    return has(pair) ? window.parts_less_one(pair - begin, is_right) : all.parts_less_one(pair, is_right);
  }
};

/// Marks the pairs of wide nodes in the window. Searches that are long or leave the window are deferred, and then
/// continue together.
template <u32 width, class Tree>
__device__ void find_wide_nodes(RecordWindow<width>& window, const Tree& tree, u32 begin, u32 count) {
#pragma unroll
  for (u32 k = 0; k < record_pairs_per_thread; ++k) {
    const u32 i = k * record_threads + threadIdx.x;
    bool is_wide = false;
    if (i < count) {
      auto search = Tree::begin_at(window.choices[i].choice(), window.parents[i]);
      u32 came_to = i;
      for (u32 step = 0; step < search_steps_at_once && !Tree::is_settled(search); ++step) {
        const u32 above = sibling_pair(search.node);
        if (!tree.pairs.has(above)) break;
        tree.climb(search);
        came_to = above - begin;
      }
      is_wide = Tree::is_settled(search) && Tree::is_wide(search);
      if (!Tree::is_settled(search)) {
        window.deferred[atomicAdd(&window.deferred_count, 1u)] = DeferredSearch::of(i, came_to, search);
      }
    }
    const u32 wide = __ballot_sync(all_lanes, is_wide);
    if (lane_id() == 0) window.wide[i / warp_size] = wide;
  }
  __syncthreads();
  for (u32 k = threadIdx.x; k < window.deferred_count; k += record_threads) {
    const DeferredSearch begun = window.deferred[k];
    const u32 i = begun.began();
    auto search = begun.search<typename Tree::Search>(window.parents[begun.came_to()]);
    while (!Tree::is_settled(search)) tree.climb(search);
    if (Tree::is_wide(search)) atomicOr(&window.wide[i / warp_size], 1u << i % warp_size);
  }
  __syncthreads();
}

/// Lists the pairs of a window whose bits are set, in order; all threads of the block. Returns how many there are.
__device__ inline u32 list_bits(const u32* bits, u16* listed) {
  static_assert(record_rows == warp_size);
  const u32 in_row = u32(__popc(bits[lane_id()])), through = warp_inclusive_scan(in_row, Plus{});
#pragma unroll
  for (u32 k = 0; k < record_pairs_per_thread; ++k) {
    const u32 i = k * record_threads + threadIdx.x, row = i / warp_size, set = bits[row];
    const u32 before = shuffle_from(through - in_row, row);
    if ((set >> lane_id() & 1) != 0) listed[before + u32(__popc(set & lower_lanes()))] = u16(i);
  }
  __syncthreads();
  return shuffle_from(through, warp_size - 1);
}

/// Returns the kinds of a record from those of its slots, which stand in neighbouring lanes.
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

/// Records the children of the listed wide nodes, one lane per slot, and finds their kinds.
template <u32 width, class Tree>
__device__ void record_children(RecordWindow<width>& window, const Tree& tree, u32 begin,
                                WideRecord<width>* records) {
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
    if (is_there && slot == 0) window.kinds[listed] = kinds;
  }
  __syncthreads();
}

/// The room that some wide nodes of a window take, in a word: inner children in the low 14 bits, primitives above.
///   31          14 13       0
///   primitives      nodes
struct WindowParts {
  static constexpr u32 node_bits = 14;
  static_assert(record_pairs * 8 < 1u << node_bits && u64{record_pairs} * 4 * 32 < u64{1} << (32 - node_bits));

  __device__ static u32 pack(u64 parts) { return u32(parts >> 32) << node_bits | u32(parts); }
  __device__ static u64 unpack(u32 parts) {
    return u64(parts >> node_bits) << 32 | (parts & ((1u << node_bits) - 1));
  }
};

/// Completes the records of the listed nodes with their places in the window. Returns the room that all of them
/// take.
template <u32 width>
__device__ u64 record_places(RecordWindow<width>& window, u32 begin, WideRecord<width>* records) {
  constexpr u32 nodes = record_pairs_per_thread;
  const u32 first = threadIdx.x * nodes;
  u32 parts[nodes], sum = 0;
#pragma unroll
  for (u32 k = 0; k < nodes; ++k) {
    parts[k] = first + k < window.listed_count ? WindowParts::pack(window.kinds[first + k].parts()) : 0;
    sum += parts[k];
  }
  const BlockScan<u32> scan = block_inclusive_scan<record_threads>(sum, Plus{}, window.sums);
  u32 before = scan.inclusive - sum;
#pragma unroll
  for (u32 k = 0; k < nodes; ++k) {
    if (first + k >= window.listed_count) break;
    const u32 i = window.listed[first + k];
    store_whole(WideHead<width>{WindowParts::unpack(before), window.kinds[first + k], window.parents[i]},
                &records[begin + i].head);
    before += parts[k];
  }
  return WindowParts::unpack(scan.total);
}

/// The output of the windows besides the records.
struct RecordedWindows {
  u32* wide;   // [pair / 32]: a bit per pair
  u64* parts;  // [window]: of all its nodes; after the scan, of the root and all windows before
};

template <u32 width>
__global__ void __launch_bounds__(record_threads, record_blocks)
    record_wide_nodes_kernel(const PairArrays<width> pairs, const BvhCounts* counts, WideRecord<width>* records,
                             const RecordedWindows windows) {
  __shared__ RecordWindow<width> window;
  overlap_launches();
  const u32 pair_count = counts->node_count / 2, begin = smaller(blockIdx.x * record_pairs, pair_count);
  const u32 count = smaller(record_pairs, pair_count - begin);

  window.load(pairs, begin, count);
  const CollapsedTree<width, WindowPairs<width>> tree{{window, pairs, begin, count}};
  find_wide_nodes<width>(window, tree, begin, count);
  const u32 listed_count = list_bits(window.wide, window.listed);
  if (threadIdx.x == 0) window.listed_count = listed_count;
  __syncthreads();
  record_children<width>(window, tree, begin, records);
  const u64 sum = record_places(window, begin, records);
  if (threadIdx.x < record_rows) {
    windows.wide[blockIdx.x * record_rows + threadIdx.x] = window.wide[threadIdx.x];
  }
  if (threadIdx.x == 0) windows.parts[blockIdx.x] = sum;
}

inline u64 record_window_count(u64 n) {
  return larger(u64{1}, divide_rounding_up(pair_capacity(n), u64{record_pairs}));
}

}  // namespace detail

}  // namespace copse::cuda
