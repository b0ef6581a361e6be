#pragma once

// What is left of a tree by a step from the leaves up, window by window: families not all of whose slots were
// known. They stand in lists, one for each span of families, in order. Further launches take the lists of 8 spans
// at once, and of 8 times as many, until one block has all that is left: no block waits for another one's write.
//
// Trees that stand in no order leave too much for that: what is left then is for walks that meet (left.is_left).
//
// What a launch does with listed families is a struct Step:
//
//   threads, blocks                        of a launch, and on a multiprocessor
//   families                               most that a block takes at once
//   Memory                                 in shared memory, derived of ListedFamilies<families, threads>
//   u32 count() const                      families of the tree
//   bool run(memory, left, span) const     tries the families in memory.ids; all threads of the block. Returns
//                                          whether that of the number own_family() is done, if there is one
//   static u32 own_family()

#include "builders/bvh/lbvh/pending_lists.cuh"
#include "primitives/cuda/launch.cuh"

namespace copse::cuda::detail {

struct FamiliesLeft {
  u32* ids;       // [family]: a list's from its span's first family on
  u32* counts;    // [list], level by level
  u8* is_left;    // [family]: 1 as long as it is
  u32* arrivals;  // [family]: 0 for those that the first launch left

  /// Takes note of the own family in the first launch; all threads of a block, each with a family or none, in
  /// their order. `first`, `list`: of the block's window.
  template <u32 threads>
  __device__ void note(bool is_there, bool is_done, u32 family, u32 first, u32 list,
                       BlockStorage<u32, threads>& storage) const {
    const bool stays = is_there && !is_done;
    if (is_there) is_left[family] = stays ? 1 : 0;
    if (stays) arrivals[family] = 0;
    const VoteCount vote = block_count<threads>(stays, storage);
    if (stays) ids[first + vote.before] = family;
    if (threadIdx.x == 0) counts[list] = vote.total;
  }
};

/// Families of a tree that a block has all lists of.
struct ListedSpan {
  u32 first;
  u64 size;

  __device__ bool has(u32 family) const { return u64{family - first} < size; }
};

/// Some of them, in order, in shared memory.
template <u32 capacity>
struct ListedIds {
  u32 ids[capacity];
  u32 count;

  __device__ u32 operator()(u32 i) const { return ids[i]; }

  /// The number of a family, or `capacity` where it is not listed.
  __device__ u32 find(u32 id) const {
    u32 begin = 0;
    for (u32 size = count; size > 1;) {
      const u32 half = size / 2;
      if (ids[begin + half] <= id) begin += half;
      size -= half;
    }
    return ids[begin] == id ? begin : capacity;
  }
};

template <u32 families, u32 threads>
struct ListedFamilies {
  SpanLists lists;
  ListedIds<families> ids;
  BlockStorage<u32, threads> storage;
};

/// Lists of a level.
struct ListLevel {
  u32 span;           // families a list
  const u32* counts;  // [list]
  u32* next_counts;   // [list of the next level]
};

/// Lists that one of the next level is made of.
inline constexpr u32 lists_at_once = 8;
static_assert(lists_at_once <= SpanLists::most);

/// What a block goes through, some at once, and the count of a list of more families.
inline constexpr u32 max_listed = 4096, too_many_left = 1u << 20;

template <class Step>
__global__ void __launch_bounds__(Step::threads, Step::blocks)
    finish_listed_kernel(const Step step, const FamiliesLeft left, const ListLevel level) {
  __shared__ typename Step::Memory memory;
  overlap_launches();
  const u32 family_count = step.count();
  const u64 size = u64{lists_at_once} * level.span, first = blockIdx.x * size;
  if (first >= family_count) {
    if (threadIdx.x == 0) level.next_counts[blockIdx.x] = 0;
    return;
  }
  const ListedSpan span{u32(first), size};
  const u64 list_count = divide_rounding_up(family_count - first, u64{level.span});
  memory.lists.number(level.counts + blockIdx.x * lists_at_once, u32(smaller(list_count, u64{lists_at_once})));

  // What is left of some of them goes where these stood: they are never fewer.
  const u32 listed = memory.lists.size(), own = Step::own_family();
  u32 left_count = listed > max_listed ? too_many_left : 0;
  for (u32 begin = 0; left_count < too_many_left && begin < listed; begin += Step::families) {
    const u32 count = smaller(Step::families, listed - begin);
    for (u32 i = threadIdx.x; i < count; i += Step::threads) {
      memory.ids.ids[i] = left.ids[first + memory.lists.place(begin + i, level.span)];
    }
    if (threadIdx.x == 0) memory.ids.count = count;
    __syncthreads();
    const u32 id = own < count ? memory.ids(own) : 0;
    const bool is_done = step.run(memory, left, span);
    if (is_done) left.is_left[id] = 0;
    const bool stays = own < count && !is_done;
    const VoteCount vote = block_count<Step::threads>(stays, memory.storage);
    if (stays) left.ids[first + left_count + vote.before] = id;
    left_count += vote.total;
    __syncthreads();
  }
  if (threadIdx.x == 0) level.next_counts[blockIdx.x] = left_count;
}

/// Finishes what windows of `span` families left. Returns the number of families that are left then.
template <class Step>
const u32* finish_listed(const Executor& ex, const char* label, u64 lists, u32 span, const Step& step,
                         const FamiliesLeft& left) {
  ListLevel level{span, left.counts, left.counts + lists};
  while (lists > 1) {
    lists = divide_rounding_up(lists, u64{lists_at_once});
    launch(ex, label, finish_listed_kernel<Step>,
           {.blocks = lists, .threads = Step::threads, .overlaps_earlier_launch = true}, step, left, level);
    level = {level.span * lists_at_once, level.next_counts, level.next_counts + lists};
  }
  return level.counts;
}

/// How many lists all levels have together.
inline u64 left_list_count(u64 lists) {
  u64 total = lists;
  for (; lists > 1; total += lists) lists = divide_rounding_up(lists, u64{lists_at_once});
  return total;
}

inline FamiliesLeft allocate_left(ScratchArena::Frame& frame, u64 families, u64 lists) {
  return {frame.allocate<u32>(families), frame.allocate<u32>(left_list_count(lists)), frame.allocate<u8>(families),
          frame.allocate<u32>(families)};
}
inline u64 families_left_bytes(u64 families, u64 lists) {
  return 2 * ScratchArena::bytes_for<u32>(families) + ScratchArena::bytes_for<u32>(left_list_count(lists)) +
         ScratchArena::bytes_for<u8>(families);
}

}  // namespace copse::cuda::detail
