#pragma once

// Lists of subtrees of an LBVH as wholes, in a block's shared memory, with rows of 32 of them, a byte for the
// least delta of each: groups of eight lanes find the next list that has a delta at most as close as theirs.

#include "builders/bvh/build/pending_lists.cuh"
#include "builders/bvh/lbvh/leaf_tile.cuh"

namespace copse::cuda::detail {

/// Lanes that work on one thing, side by side in a warp; the groups of a warp may go different ways.
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

  /// The last byte before `end` that is at most `most`; `size` where there is none.
  __device__ u32 last(u32 end, u32 most, const LaneGroup& group) const {
    const u32 found = at_most(most) & bytes_below(end, group);
    const u32 lanes = group.vote(found != 0);
    const u32 lane = 31 - leading_zeros(lanes);
    const u32 byte = group.from(3 - leading_zeros(found) / 8, lane);
    return lanes == 0 ? size : 4 * lane + byte;
  }
  /// The first one from `begin` on.
  __device__ u32 first(u32 begin, u32 most, const LaneGroup& group) const {
    const u32 found = at_most(most) & ~bytes_below(begin, group);
    const u32 lanes = group.vote(found != 0);
    const u32 lane = u32(__ffs(int(lanes))) - 1;
    const u32 byte = group.from((u32(__ffs(int(found))) - 1) / 8, lane);
    return lanes == 0 ? size : 4 * lane + byte;
  }

 private:
  /// All bits of the bytes that are.
  __device__ u32 at_most(u32 most) const { return __vcmpleu4(word, most * 0x01010101u); }
  __device__ static u32 bytes_below(u32 end, const LaneGroup& group) {
    const u32 first = 4 * group.rank, count = end > first ? smaller(end - first, 4u) : 0;
    return count == 4 ? all_lanes : (1u << 8 * count) - 1;
  }
};

/// Lists that the last level may find.
inline constexpr u32 max_last_level_lists = 4096;

/// All lists of the last level as wholes, in shared memory: their least deltas and counts, and the least deltas and
/// the boxes of rows of lists. The boxes of lists are left to the cache, through which they come to make rows.
struct PendingTable {
  static constexpr u32 row_size = ByteRow::size, max_rows = max_last_level_lists / row_size;
  static_assert(row_size == warp_size && max_rows % row_size == 0);

  const PendingSummary* summaries;
  u32 list_count;
  alignas(u32) u8 least[max_last_level_lists];
  alignas(u32) u8 row_min[max_rows];
  u8 counts[max_last_level_lists];
  vec3 row_lo[max_rows], row_hi[max_rows];

  /// All threads of a block, a row a warp.
  __device__ void load(const PendingSummary* all_summaries, u32 count) {
    constexpr u32 padding = 255;  // no delta is as close
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
      own_min = __reduce_min_sync(all_lanes, own_min);
      if (lane_id() == 0) row_min[row] = u8(own_min);
    }
    __syncthreads();
  }

  /// The last list before `list` with a delta that is at most as close as `most`; list_count where there is none.
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
  /// The first one behind it.
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

  /// The group's share of the box around the lists `first` to `end` - 1.
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

}  // namespace copse::cuda::detail
