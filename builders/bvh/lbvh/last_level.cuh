#pragma once

// The last level of an LBVH: makes all remaining nodes at once, one for each split between two pending subtrees.
// The range of a node extends from its split to both sides, over all splits with higher deltas. The ends of the
// range give the box: it is the union of the boxes of the pending subtrees between them. So no node waits for
// another one, whatever the depth of the tree. Eight lanes work on one split. They search for each end of the
// range first in the list of the split, then among whole lists (PendingTable), then in the list where the range
// ends. Measured by copse bench --builder lbvh --stages.

#include "builders/bvh/build/join_subtrees.cuh"
#include "builders/bvh/lbvh/leaf_tile.cuh"

namespace copse::cuda::detail {

/// Neighbouring lanes of a warp that work on one split. The groups of a warp may diverge.
struct LaneGroup {
  static constexpr u32 size = 8;

  u32 rank = lane_id() % size;

  __device__ u32 vote(bool own) const { return __ballot_sync(mask(), own) >> shift() & ((1u << size) - 1); }
  __device__ u32 from(u32 value, u32 other) const { return __shfl_sync(mask(), value, int(other), int(size)); }

  __device__ Aabb box_of_all(Aabb box) const {
#pragma unroll
    for (u32 distance = size / 2; distance > 0; distance /= 2) {
      const Aabb other{across(box.lo, distance), across(box.hi, distance)};
      box = merge(box, other);
    }
    return box;
  }

 private:
  __device__ u32 shift() const {
    return lane_id() - rank;
  }
  __device__ u32 mask() const {
    return ((1u << size) - 1) << shift();
  }
  __device__ vec3 across(const vec3& p, u32 distance) const {
    return vec3(__shfl_xor_sync(mask(), p.x, int(distance)), __shfl_xor_sync(mask(), p.y, int(distance)),
                __shfl_xor_sync(mask(), p.z, int(distance)));
  }
};

/// A row of bytes, 4 in each lane of a group.
struct ByteRow {
  static constexpr u32 size = 4 * LaneGroup::size;

  u32 word;

  __device__ ByteRow(const u8* row, const LaneGroup& group)
      : word(reinterpret_cast<const u32*>(row)[group.rank]) {}

  /// Returns the last byte before `end` that is at most `most`, or `size` if there is none.
  __device__ u32 last(u32 end, u32 most, const LaneGroup& group) const {
    const u32 found = at_most(most) & bytes_below(end, group);
    const u32 lanes = group.vote(found != 0);
    const u32 lane = 31 - leading_zeros(lanes);
    const u32 byte = group.from(3 - leading_zeros(found) / 8, lane);
    return lanes == 0 ? size : 4 * lane + byte;
  }
  /// Returns the first such byte from `begin` on, or `size`.
  __device__ u32 first(u32 begin, u32 most, const LaneGroup& group) const {
    const u32 found = at_most(most) & ~bytes_below(begin, group);
    const u32 lanes = group.vote(found != 0);
    const u32 lane = u32(__ffs(int(lanes))) - 1;
    const u32 byte = group.from((u32(__ffs(int(found))) - 1) / 8, lane);
    return lanes == 0 ? size : 4 * lane + byte;
  }

 private:
  /// All bits of the bytes that are at most `most`.
  __device__ u32 at_most(u32 most) const { return __vcmpleu4(word, most * 0x01010101u); }
  __device__ static u32 bytes_below(u32 end, const LaneGroup& group) {
    const u32 first = 4 * group.rank, count = end > first ? smaller(end - first, 4u) : 0;
    return count == 4 ? ~0u : (1u << 8 * count) - 1;
  }
};

/// The maximum number of lists that the last level can take.
inline constexpr u32 max_last_level_lists = 4096;

/// A summary of all lists of the last level, in shared memory: the lowest delta and the count of each list, and
/// the lowest delta and the box of each row of 32 lists. The boxes of single lists stay in global memory; the pass
/// that makes the rows leaves them in the cache.
struct PendingTable {
  static constexpr u32 row_size = ByteRow::size, max_rows = max_last_level_lists / row_size;
  static_assert(row_size == warp_size && max_rows % row_size == 0);

  const PendingSummary* summaries;
  u32 list_count;
  alignas(u32) u8 least[max_last_level_lists];
  alignas(u32) u8 row_min[max_rows];
  u8 counts[max_last_level_lists];
  vec3 row_lo[max_rows], row_hi[max_rows];

  /// Loads the summaries. All threads of the block call it; a warp makes a row.
  __device__ void load(const PendingSummary* all_summaries, u32 count) {
    constexpr u32 padding = 255;  // above every delta
    if (threadIdx.x == 0) {
      summaries = all_summaries;
      list_count = count;
    }
    for (u32 row = threadIdx.x / warp_size; row < max_rows; row += blockDim.x / warp_size) {
      const u32 list = row * row_size + lane_id();
      u32 own_min = padding;
      if (row * row_size < count) {
        PendingSummary summary{Aabb::empty().lo, padding, Aabb::empty().hi, 0};
        if (list < count) summary = all_summaries[list];
        own_min = summary.min_delta;
        counts[list] = u8(summary.count);
        least[list] = u8(own_min);
        const Aabb box = box_of_all_lanes({summary.lo, summary.hi});
        if (lane_id() == 0) {
          row_lo[row] = box.lo;
          row_hi[row] = box.hi;
        }
      }
      own_min = warp_min(all_lanes, own_min);
      if (lane_id() == 0) row_min[row] = u8(own_min);
    }
    __syncthreads();
  }

  /// Returns the last list before `list` with a delta of at most `most`, or list_count if there is none.
  __device__ u32 last_before(u32 list, u32 most, const LaneGroup& group) const {
    const u32 own_row = list / row_size;
    const u32 in_row = ByteRow(least + own_row * row_size, group).last(list % row_size, most, group);
    if (in_row < row_size) return own_row * row_size + in_row;
    for (u32 end = own_row; end > 0;) {
      const u32 begin = (end - 1) / row_size * row_size;
      const u32 row = ByteRow(row_min + begin, group).last(end - begin, most, group);
      if (row < row_size) {
        const u32 first = (begin + row) * row_size;
        return first + ByteRow(least + first, group).last(row_size, most, group);
      }
      end = begin;
    }
    return list_count;
  }
  /// Returns the first such list after `list`, or list_count.
  __device__ u32 first_behind(u32 list, u32 most, const LaneGroup& group) const {
    const u32 own_row = list / row_size;
    const u32 in_row = ByteRow(least + own_row * row_size, group).first(list % row_size + 1, most, group);
    if (in_row < row_size) return own_row * row_size + in_row;
    for (u32 begin = own_row + 1; begin < max_rows;) {
      const u32 base = begin / row_size * row_size;
      const u32 row = ByteRow(row_min + base, group).first(begin - base, most, group);
      if (row < row_size) {
        const u32 first = (base + row) * row_size;
        return first + ByteRow(least + first, group).first(0, most, group);
      }
      begin = base + row_size;
    }
    return list_count;
  }

  /// Returns this lane's share of the box around the lists `first` to `end` - 1.
  __device__ Aabb share_of_box(u32 first, u32 end, const LaneGroup& group) const {
    const u32 first_row = divide_rounding_up(first, row_size), end_row = end / row_size;
    if (first_row >= end_row) return share_of_lists(first, end, group);
    Aabb box = share_of_lists(first, first_row * row_size, group);
    for (u32 row = first_row + group.rank; row < end_row; row += LaneGroup::size) {
      box = merge(box, {row_lo[row], row_hi[row]});
    }
    return merge(box, share_of_lists(end_row * row_size, end, group));
  }

 private:
  __device__ Aabb share_of_lists(u32 first, u32 end, const LaneGroup& group) const {
    Aabb box = Aabb::empty();
    for (u32 list = first + group.rank; list < end; list += LaneGroup::size) {
      box = merge(box, {summaries[list].lo, summaries[list].hi});
    }
    return box;
  }
};

/// The lists of the last level.
struct LastLevel {
  u32 span;  // leaves per list
  u32 room;  // lists, at most max_last_level_lists
  PendingSubtrees lists;

  static constexpr u32 threads = 1024, blocks = 1;  // per multiprocessor

  /// Lists per block, such that all blocks of a launch run at once.
  u32 lists_per_block(u32 multiprocessor_count) const {
    return smaller(u32(divide_rounding_up(room, blocks * multiprocessor_count)), PendingLists::max_lists);
  }
};

/// A split: the list and the place of the subtree on its left side.
struct SplitPlace {
  u32 list, i;
};

/// Makes the node of one split. All lanes of a group call it.
struct JoinAtSplit {
  LastLevel in;
  const PendingTable& table;
  BvhArrays bvh;
  LaneGroup group;

  __device__ void operator()(const SplitPlace& split) const {
    const PendingSubtree own = at(split);
    if (own.delta_right == 0) return;  // behind the last leaf there is no split

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

  /// The subtree before the one at `split`.
  __device__ PendingSubtree before(const SplitPlace& split) const {
    if (split.i > 0) return at({split.list, split.i - 1});
    return split.list == 0 ? no_subtree() : at({split.list - 1, count(split.list - 1) - 1});
  }

  /// Returns the last place of a list before `end` with a delta of at most `most`, or `nowhere`.
  __device__ u32 last_in(u32 list, u32 end, u32 most) const {
    for (; end > 0; end -= smaller(end, LaneGroup::size)) {
      const u32 lanes = group.vote(group.rank < end && at({list, end - 1 - group.rank}).delta_right <= most);
      if (lanes != 0) return end - u32(__ffs(int(lanes)));
    }
    return nowhere;
  }
  /// Returns the first such place from `begin` on, or `nowhere`.
  __device__ u32 first_in(u32 list, u32 begin, u32 most) const {
    const u32 end = count(list);
    for (; begin < end; begin += LaneGroup::size) {
      const u32 i = begin + group.rank;
      const u32 lanes = group.vote(i < end && at({list, i}).delta_right <= most);
      if (lanes != 0) return begin + u32(__ffs(int(lanes))) - 1;
    }
    return nowhere;
  }

  /// Returns the last split before this one with a delta of at most `most`. If there is none, its list is
  /// list_count.
  __device__ SplitPlace last_before(const SplitPlace& split, u32 most) const {
    const u32 i = last_in(split.list, split.i, most);
    if (i != nowhere) return {split.list, i};
    const u32 list = table.last_before(split.list, most, group);
    return {list, list < table.list_count ? last_in(list, count(list), most) : 0};
  }
  /// Returns the first such split after this one. There always is one, behind the last leaf.
  __device__ SplitPlace first_behind(const SplitPlace& split, u32 most) const {
    const u32 i = first_in(split.list, split.i + 1, most);
    if (i != nowhere) return {split.list, i};
    const u32 list = table.first_behind(split.list, most, group);
    return {list, first_in(list, 0, most)};
  }

  /// Returns this lane's share of the box around the subtrees from `begin` up to `end`, without `end`.
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

/// Makes all nodes that are left. All threads of all blocks call it; each block takes some of the lists.
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
