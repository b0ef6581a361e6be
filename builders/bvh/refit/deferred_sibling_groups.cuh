#pragma once

// Sibling groups that a window of a bottom-up step had to defer, since some of their slots were not known yet.
//
// They are listed in order, one list per span of groups. Each further launch joins the lists of 8 spans into one
// and tries their groups again, until one block has all that remain. Small trees join 16 lists, for one launch
// less. No block waits for a write of another block in the same launch.
//
// Where the nodes of a tree stand in no order, too many groups are deferred for the lists. Walks then finish the
// remaining groups, those with is_deferred set.
//
// A struct Step says what a launch does with listed groups:
//
//   threads, blocks                        of a launch, and blocks on a multiprocessor
//   groups                                 maximum that a block takes at once
//   Memory                                 in shared memory, derived from ListedSiblingGroups<groups, threads>
//   u32 count() const                      groups of the tree
//   bool run(memory, deferred, span) const tries the groups in memory.ids; all threads of the block. Returns
//                                          whether group own_group() of the thread is done, if there is one
//   static u32 own_group()

#include "builders/bvh/build/join_subtrees.cuh"
#include "primitives/cuda/launch.cuh"

namespace copse::cuda::detail {

struct DeferredSiblingGroups {
  u32* ids;         // [group]: a list begins at the first group of its span
  u32* counts;      // [list], level by level
  u8* is_deferred;  // [group]: 1 until it is done
  u32* arrivals;    // [group]: 0 for those that the first launch deferred

  /// Lists the thread's group in the first launch if it is not done; all threads of a block, each with one group
  /// or none, in the order of the groups.
  ///   first, list: the first group of the block's window, and its list
  template <u32 threads>
  __device__ void note(bool is_there, bool is_done, u32 group, u32 first, u32 list,
                       BlockStorage<u32, threads>& storage) const {
    const bool stays = is_there && !is_done;
    if (is_there) is_deferred[group] = stays ? 1 : 0;
    if (stays) arrivals[group] = 0;
    const VoteCount vote = block_count<threads>(stays, storage);
    if (stays) ids[first + vote.before] = group;
    if (threadIdx.x == 0) counts[list] = vote.total;
  }
};

/// The groups of the spans that a block takes.
struct ListedSpan {
  u32 first;
  u64 size;

  __device__ bool has(u32 group) const { return u64{group - first} < size; }
};

/// Ids of some deferred groups, ascending, in shared memory.
template <u32 capacity>
struct ListedIds {
  u32 ids[capacity];
  u32 count;

  __device__ u32 operator()(u32 i) const { return ids[i]; }

  /// Returns the place of a group in the list, or `capacity` if it is not listed.
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

template <u32 groups, u32 threads>
struct ListedSiblingGroups {
  PendingLists lists;
  ListedIds<groups> ids;
  BlockStorage<u32, threads> storage;
};

/// The lists of a level.
struct ListLevel {
  u32 span;           // groups per list
  const u32* counts;  // [list]
  u32* next_counts;   // [list of the next level]
  u32 joined;         // lists that make one of the next level
};

/// Returns how many lists are joined into one of the next level, in a tree of `lists` lists. With 16 in place of
/// 8, a refit of the testball takes .036 ms in place of .043. In larger interiors 16 lists hold more groups than a
/// block takes at once: there it takes .065 ms in place of .055 (bench/notes/wide-trees.md).
inline u32 lists_to_join(u64 lists) {
  constexpr u64 few_lists = 800;
  static_assert(16 <= PendingLists::max_lists);
  return lists <= few_lists ? 16 : 8;
}

/// Maximum groups that a block tries, and the count that marks a longer list.
inline constexpr u32 max_listed = 4096, too_many_remaining = 1u << 20;

template <class Step>
__global__ void __launch_bounds__(Step::threads, Step::blocks)
    finish_deferred_kernel(const Step step, const DeferredSiblingGroups deferred, const ListLevel level) {
  __shared__ typename Step::Memory memory;
  overlap_launches();
  const u32 group_count = step.count();
  const u64 size = u64{level.joined} * level.span, first = blockIdx.x * size;
  if (first >= group_count) {
    if (threadIdx.x == 0) level.next_counts[blockIdx.x] = 0;
    return;
  }
  const ListedSpan span{u32(first), size};
  const u64 list_count = divide_rounding_up(group_count - first, u64{level.span});
  memory.lists.number(level.counts + blockIdx.x * level.joined, u32(smaller(list_count, u64{level.joined})));

  // The remaining groups overwrite the list: there are never more of them than were read.
  const u32 listed = memory.lists.size(), own = Step::own_group();
  u32 remaining_count = listed > max_listed ? too_many_remaining : 0;
  for (u32 begin = 0; remaining_count < too_many_remaining && begin < listed; begin += Step::groups) {
    const u32 count = smaller(Step::groups, listed - begin);
    for (u32 i = threadIdx.x; i < count; i += Step::threads) {
      memory.ids.ids[i] = deferred.ids[first + memory.lists.place(begin + i, level.span)];
    }
    if (threadIdx.x == 0) memory.ids.count = count;
    __syncthreads();
    const u32 id = own < count ? memory.ids(own) : 0;
    const bool is_done = step.run(memory, deferred, span);
    if (is_done) deferred.is_deferred[id] = 0;
    const bool stays = own < count && !is_done;
    const VoteCount vote = block_count<Step::threads>(stays, memory.storage);
    if (stays) deferred.ids[first + remaining_count + vote.before] = id;
    remaining_count += vote.total;
    __syncthreads();
  }
  if (threadIdx.x == 0) level.next_counts[blockIdx.x] = remaining_count;
}

/// Finishes the groups that windows of `span` groups deferred. Returns where the number of those that remain is
/// stored.
template <class Step>
const u32* finish_deferred(const Executor& ex, const char* label, u64 lists, u32 span, const Step& step,
                           const DeferredSiblingGroups& deferred) {
  const u32 joined = lists_to_join(lists);
  ListLevel level{span, deferred.counts, deferred.counts + lists, joined};
  while (lists > 1) {
    lists = divide_rounding_up(lists, u64{joined});
    launch(ex, label, finish_deferred_kernel<Step>,
           {.blocks = lists, .threads = Step::threads, .overlaps_earlier_launch = true}, step, deferred, level);
    level = {level.span * joined, level.next_counts, level.next_counts + lists, joined};
  }
  return level.counts;
}

/// Returns the number of lists on all levels together.
inline u64 deferred_list_count(u64 lists) {
  const u64 joined = lists_to_join(lists);
  u64 total = lists;
  for (; lists > 1; total += lists) lists = divide_rounding_up(lists, joined);
  return total;
}

inline DeferredSiblingGroups allocate_deferred(ScratchArena::Frame& frame, u64 groups, u64 lists) {
  return {frame.allocate<u32>(groups), frame.allocate<u32>(deferred_list_count(lists)), frame.allocate<u8>(groups),
          frame.allocate<u32>(groups)};
}
inline u64 deferred_scratch_bytes(u64 groups, u64 lists) {
  return 2 * ScratchArena::bytes_for<u32>(groups) + ScratchArena::bytes_for<u32>(deferred_list_count(lists)) +
         ScratchArena::bytes_for<u8>(groups);
}

}  // namespace copse::cuda::detail
