#pragma once

// The last level of an LBVH: all nodes that the lists still lack, at once. The node that splits at a split reaches
// to both sides over all splits that are closer, and where its range ends is enough to know its box, from those of
// the subtrees that were made before: so no node waits for another one, however deep the tree is. Eight lanes
// take a split. They look for either end of its range in the split's own list, then among whole lists
// (pending_subtrees.cuh), then in the list where the range ends. Measured by copse bench --builder lbvh --stages.

#include "builders/bvh/lbvh/pending_subtrees.cuh"

namespace copse::cuda::detail {

/// The lists of the last level.
struct LastLevel {
  u32 span;  // leaves a list
  u32 room;  // for lists, at most max_last_level_lists
  PendingSubtrees lists;

  static constexpr u32 threads = 1024, blocks = 1;  // on a multiprocessor

  /// Lists of a block, so that all blocks of a launch work at once.
  u32 lists_per_block(u32 multiprocessor_count) const {
    return smaller(u32(divide_rounding_up(room, blocks * multiprocessor_count)), PendingLists::max_lists);
  }
};

/// A split by its list and its place there, that of the subtree before it.
struct SplitPlace {
  u32 list, i;
};

/// Makes nodes by the lists of the last level; a group of lanes each.
struct JoinAtSplit {
  LastLevel in;
  const PendingTable& table;
  BvhArrays bvh;
  LaneGroup group;

  __device__ void operator()(const SplitPlace& split) const {
    const PendingSubtree own = at(split);
    if (own.delta_right == 0) return;  // none is behind the last leaf

    // Find the splits at both ends of the node, and the box between them.
    const SplitPlace before = last_before(split, own.delta_right), after = first_behind(split, own.delta_right);
    const bool begins_inside = before.list < table.list_count;
    const PendingSubtree left = begins_inside ? at(before) : no_subtree(), right = at(after);
    const SplitPlace begin = begins_inside ? SplitPlace{before.list, before.i + 1} : SplitPlace{0, 0};
    const Aabb box = group.box_of_all(share_of_box(begin, {after.list, after.i + 1}));

    const LeafRange range{left.last_leaf + 1, right.last_leaf};
    const u32 place = SubtreePlace(range, left.delta_right, right.delta_right).node;
    if (group.rank == 0) StoreSubtree{bvh}.inner_alone(box, own.last_leaf, place);
  }

 private:
  static constexpr u32 nowhere = invalid_id;

  __device__ static PendingSubtree no_subtree() { return {invalid_id, 0}; }
  __device__ PendingSubtree at(const SplitPlace& split) const {
    return in.lists.subtrees[u64{split.list} * in.span + split.i];
  }
  __device__ u32 count(u32 list) const { return table.counts[list]; }

  /// The subtree before one.
  __device__ PendingSubtree before(const SplitPlace& split) const {
    if (split.i > 0) return at({split.list, split.i - 1});
    return split.list == 0 ? no_subtree() : at({split.list - 1, count(split.list - 1) - 1});
  }

  /// The last split of a list before place `end` that is at most as close as `most`.
  __device__ u32 last_in(u32 list, u32 end, u32 most) const {
    for (; end > 0; end -= smaller(end, LaneGroup::size)) {
      const u32 lanes = group.vote(group.rank < end && at({list, end - 1 - group.rank}).delta_right <= most);
      if (lanes != 0) return end - u32(__ffs(int(lanes)));
    }
    return nowhere;
  }
  /// The first one from `begin` on.
  __device__ u32 first_in(u32 list, u32 begin, u32 most) const {
    const u32 end = count(list);
    for (; begin < end; begin += LaneGroup::size) {
      const u32 i = begin + group.rank;
      const u32 lanes = group.vote(i < end && at({list, i}).delta_right <= most);
      if (lanes != 0) return begin + u32(__ffs(int(lanes))) - 1;
    }
    return nowhere;
  }

  /// The last split before one that is at most as close; in no list where there is none.
  __device__ SplitPlace last_before(const SplitPlace& split, u32 most) const {
    const u32 i = last_in(split.list, split.i, most);
    if (i != nowhere) return {split.list, i};
    const u32 list = table.last_before(split.list, most, group);
    return {list, list < table.list_count ? last_in(list, count(list), most) : 0};
  }
  /// The first one behind it. There is one: behind the last leaf.
  __device__ SplitPlace first_behind(const SplitPlace& split, u32 most) const {
    const u32 i = first_in(split.list, split.i + 1, most);
    if (i != nowhere) return {split.list, i};
    const u32 list = table.first_behind(split.list, most, group);
    return {list, first_in(list, 0, most)};
  }

  /// The group's share of the box around the subtrees from `begin` up to, without it, `end`.
  __device__ Aabb share_of_box(const SplitPlace& begin, const SplitPlace& end) const {
    const bool is_one_list = begin.list == end.list;
    const u32 first_count = (is_one_list ? end.i : count(begin.list)) - begin.i;
    const u32 all_count = first_count + (is_one_list ? 0 : end.i);
    Aabb box = is_one_list ? Aabb::empty() : table.share_of_box(begin.list + 1, end.list, group);
    for (u32 k = group.rank; k < all_count; k += LaneGroup::size) {
      box = merge(box, box_of(k < first_count ? SplitPlace{begin.list, begin.i + k}
                                              : SplitPlace{end.list, k - first_count}));
    }
    return box;
  }
  __device__ Aabb box_of(const SplitPlace& subtree) const {
    const PendingSubtree own = at(subtree), previous = before(subtree);
    const LeafRange range{previous.last_leaf + 1, own.last_leaf};
    return bvh.nodes[SubtreePlace(range, previous.delta_right, own.delta_right).node].box();
  }
};

/// Makes all nodes that the lists lack; all threads of a block, of which each has some of the lists.
__device__ inline void join_last_level(const LastLevel& in, u32 lists_per_block, const BvhArrays& bvh) {
  __shared__ PendingTable table;
  __shared__ PendingLists own_lists;
  const u32 list_count = u32(divide_rounding_up(bvh.counts->leaf_count, in.span));
  const u32 first = blockIdx.x * lists_per_block;
  if (first >= list_count) return;
  if (threadIdx.x / warp_size == LastLevel::threads / warp_size - 1) {  // it has the fewest rows to load
    own_lists.number_by_one_warp(in.lists.counts + first, smaller(lists_per_block, list_count - first));
  }
  table.load(in.lists.summaries, list_count);
  const JoinAtSplit join{in, table, bvh, {}};
  constexpr u32 groups = LastLevel::threads / LaneGroup::size;
  for (u32 number = threadIdx.x / LaneGroup::size; number < own_lists.size(); number += groups) {
    const u32 list = own_lists.list_of(number);
    join({first + list, number - own_lists.begin(list)});
  }
}

}  // namespace copse::cuda::detail
