#pragma once

// Lists of subtrees of an LBVH as wholes, in a block's shared memory: the box of each and its least gap, and the
// same for rows of 32 lists. Groups of eight lanes find the next list that has a gap as wide as theirs.

#include "builders/bvh/cuda/leaf_tile.cuh"

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

  __device__ u32 least(const LaneGroup& group) const {
    u32 own = smaller(smaller(word & 255, word >> 8 & 255), smaller(word >> 16 & 255, word >> 24));
#pragma unroll
    for (u32 k = 1; k < LaneGroup::size; k *= 2) own = smaller(own, group.from(own, group.rank ^ k));
    return own;
  }

 private:
  /// All bits of the bytes that are.
  __device__ u32 at_most(u32 most) const {
    return __vcmpleu4(word, most * 0x01010101u);
  }
  __device__ static u32 bytes_below(u32 end, const LaneGroup& group) {
    const u32 first = 4 * group.rank, count = end > first ? smaller(end - first, 4u) : 0;
    return count == 4 ? all_lanes : (1u << 8 * count) - 1;
  }
};

/// All lists of the last level as wholes, in shared memory, and rows of them.
class ListTable {
 public:
  static constexpr u32 row_size = ByteRow::size;

  /// All threads of a block.
  __device__ ListTable(unsigned char* memory, const ListSummary* summaries, u32 list_count, u32 room)
      : list_count_(list_count), row_room_(rows_of(room)) {
    least_ = memory;
    row_least_ = least_ + row_room_ * row_size;
    lo_ = reinterpret_cast<vec3*>(row_least_ + padded(row_room_));
    hi_ = lo_ + row_room_ * row_size;
    row_lo_ = hi_ + row_room_ * row_size;
    row_hi_ = row_lo_ + row_room_;
    load(summaries);
  }

  static u64 bytes_for(u64 room) {
    const u64 rows = rows_of(room);
    return rows * row_size + padded(rows) + 2 * sizeof(vec3) * rows * (row_size + 1);
  }

  /// The last list before `list` with a gap that is at most as close as `most`; list_count() where there is none.
  __device__ u32 last_before(u32 list, u32 most, const LaneGroup& group) const {
    const u32 own_row = list / row_size;
    const u32 in_row = ByteRow(least_ + own_row * row_size, group).last(list % row_size, most, group);
    if (in_row < row_size) return own_row * row_size + in_row;
    for (u32 end = own_row; end > 0;) {
      const u32 begin = (end - 1) / row_size * row_size;
      const u32 row = ByteRow(row_least_ + begin, group).last(end - begin, most, group);
      if (row < row_size) {
        const u32 first = (begin + row) * row_size;
        return first + ByteRow(least_ + first, group).last(row_size, most, group);
      }
      end = begin;
    }
    return list_count_;
  }
  /// The first one behind `list`.
  __device__ u32 first_behind(u32 list, u32 most, const LaneGroup& group) const {
    const u32 own_row = list / row_size, row_count = divide_rounding_up(list_count_, row_size);
    const u32 in_row = ByteRow(least_ + own_row * row_size, group).first(list % row_size + 1, most, group);
    if (in_row < row_size) return own_row * row_size + in_row;
    for (u32 begin = own_row + 1; begin < row_count;) {
      const u32 base = begin / row_size * row_size;
      const u32 row = ByteRow(row_least_ + base, group).first(begin - base, most, group);
      if (row < row_size) {
        const u32 first = (base + row) * row_size;
        return first + ByteRow(least_ + first, group).first(0, most, group);
      }
      begin = base + row_size;
    }
    return list_count_;
  }
  __device__ u32 list_count() const { return list_count_; }

  /// The group's share of the box around the lists `first` to `end` - 1.
  __device__ Aabb share_of_box(u32 first, u32 end, const LaneGroup& group) const {
    Aabb box = Aabb::empty();
    const u32 first_row = divide_rounding_up(first, row_size), end_row = end / row_size;
    if (first_row >= end_row) return around(box, lo_, hi_, first, end, group);
    box = around(box, lo_, hi_, first, first_row * row_size, group);
    box = around(box, row_lo_, row_hi_, first_row, end_row, group);
    return around(box, lo_, hi_, end_row * row_size, end, group);
  }

 private:
  static constexpr u32 padding_byte = 255;

  COPSE_HD static constexpr u32 rows_of(u64 lists) { return u32(divide_rounding_up(lists, u64{row_size})); }
  COPSE_HD static constexpr u64 padded(u64 bytes) { return divide_rounding_up(bytes, u64{row_size}) * row_size; }
  __device__ static Aabb around(Aabb box, const vec3* lo, const vec3* hi, u32 first, u32 end,
                                const LaneGroup& group) {
    for (u32 i = first + group.rank; i < end; i += LaneGroup::size) box = merge(box, {lo[i], hi[i]});
    return box;
  }

  __device__ void load(const ListSummary* summaries) {
    for (u32 i = threadIdx.x; i < row_room_ * row_size; i += blockDim.x) {
      ListSummary summary{Aabb::empty().lo, padding_byte, Aabb::empty().hi};
      if (i < list_count_) summary = summaries[i];
      lo_[i] = summary.lo;
      hi_[i] = summary.hi;
      least_[i] = u8(summary.least_closeness);
    }
    for (u32 i = threadIdx.x; i < padded(row_room_); i += blockDim.x) row_least_[i] = padding_byte;
    __syncthreads();
    const LaneGroup group;
    for (u32 row = threadIdx.x / LaneGroup::size; row < row_room_; row += blockDim.x / LaneGroup::size) {
      const Aabb box =
          group.box_of_all(around(Aabb::empty(), lo_, hi_, row * row_size, (row + 1) * row_size, group));
      const u32 least = ByteRow(least_ + row * row_size, group).least(group);
      if (group.rank > 0) continue;
      row_lo_[row] = box.lo;
      row_hi_[row] = box.hi;
      row_least_[row] = u8(least);
    }
    __syncthreads();
  }

  u32 list_count_, row_room_;
  vec3 *lo_, *hi_, *row_lo_, *row_hi_;
  u8 *least_, *row_least_;
};

}  // namespace copse::cuda::detail
