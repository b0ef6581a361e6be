#pragma once

// The lower levels of a kd-tree: a block takes a subtree into shared memory, with its three sorted lists, and
// finishes it.
//
// A level splits two of the lists. The third list is the one along the axis of the level: its parts are in place
// already, and it gives the side of each point. After the last level each list has all points at their places.

#include "builders/points/kd_tree/kd_lists.cuh"
#include "primitives/cuda/launch.cuh"
#include "primitives/cuda/warp.cuh"

namespace copse::cuda::detail {

struct KdBlock {
  static constexpr u32 threads = 512;
  static constexpr u32 warps = threads / warp_size;
  static constexpr u32 rows = 20;
  static constexpr u32 capacity = threads * rows;  // points of a subtree
};

struct KdFinish {
  u32 level;              // of the roots of the subtrees
  u32 capacity;           // points that the shared memory has room for
  const u32* x_ranks[3];  // the lists along the axes, as ranks along x; null for the list of all along x
  KdRanks ranks;
  KdArrays tree;
};

/// Returns the shared memory of a block: per point the rank along x, or, later, a number in the list along x and a
/// side; and two numbers in the other lists.
inline u32 kd_finish_shared_bytes(u32 capacity) {
  return capacity * (sizeof(u32) + 2 * sizeof(u16));
}

/// Returns the points of the largest subtree that a block finishes on this GPU.
inline u32 kd_block_capacity(const Executor& ex) {
  const u32 fitting = (ex.max_shared_bytes - static_shared_bytes) / kd_finish_shared_bytes(1);
  return smaller(KdBlock::capacity, fitting / 16 * 16);
}

class KdSubtree {
 public:
  __device__ KdSubtree(const KdFinish& in, const KdShape& shape, unsigned char* memory, u32* warp_totals)
      : in_(in), shape_(shape), range_(shape.range(in.level, blockIdx.x)), warp_totals_(warp_totals) {
    x_ranks_ = reinterpret_cast<u32*>(memory);
    lists_ = reinterpret_cast<u16*>(memory);
    sides_ = memory + in.capacity * sizeof(u16);
  }

  /// Stores all nodes of the subtree. All threads of the block call it.
  __device__ void run() {
    load();
    for (u32 level = in_.level; level + 1 < shape_.level_count(); ++level) split(level);
    write();
  }

 private:
  enum Side : u32 { left, right, root, settled };
  static constexpr u32 side_shift = 14;
  static_assert(KdBlock::capacity <= 1u << side_shift);

  /// The list along an axis: numbers of points. Those of axis x begin at the front of the memory; the sides follow
  /// them, up to where the other lists begin.
  __device__ u16* list(u32 axis) const { return lists_ + (axis == 0 ? 0 : in_.capacity * (axis + 1)); }

  /// Calls f(i, k) for each number i in the subtree's order that is the thread's. All lanes of a warp call it
  /// together; past the end, i is not below the number of points.
  template <class F>
  __device__ void for_own(const F& f) const {
    const u32 rows = u32(divide_rounding_up(range_.count(), KdBlock::threads));
    const u32 first = threadIdx.x / warp_size * (warp_size * rows) + lane_id();
#pragma unroll
    for (u32 k = 0; k < KdBlock::rows; ++k) {
      if (k < rows) f(first + k * warp_size, k);
    }
  }

  __device__ u32 x_rank(u32 axis, u32 i) const {
    const u32* const ranks = in_.x_ranks[axis];
    return ranks == nullptr ? range_.begin + i : ranks[range_.begin + i];
  }

  /// Returns the number of a point in the list along x, by binary search.
  __device__ u32 find(u32 rank) const {
    u32 at = 0;
    for (u32 step = 1u << (31 - leading_zeros(range_.count())); step > 0; step /= 2) {
      if (at + step < range_.count() && x_ranks_[at + step] <= rank) at += step;
    }
    return at;
  }

  /// Loads the lists. A point is identified by its number in the list along x.
  __device__ void load() {
    const u32 count = range_.count();
    for (u32 i = threadIdx.x; i < count; i += KdBlock::threads) x_ranks_[i] = x_rank(0, i);
    __syncthreads();
    for (u32 i = threadIdx.x; i < count; i += KdBlock::threads) {
      list(1)[i] = u16(find(x_rank(1, i)));
      list(2)[i] = u16(find(x_rank(2, i)));
    }
    __syncthreads();
    for (u32 i = threadIdx.x; i < count; i += KdBlock::threads) list(0)[i] = u16(i);
    __syncthreads();
  }

  /// Returns the side of the point at a place of the list along the axis of the level; `settled` for the points of
  /// nodes above the level.
  __device__ Side side_of(u32 level, u32 place) const {
    if (shape_.level_of(place) < level) return settled;
    const u32 root_place = shape_.root_place(level, shape_.subtree_of(place, level));
    return place < root_place ? left : (place == root_place ? root : right);
  }

  __device__ void split(u32 level) {
    const u32 axis = kd_axis(level), count = range_.count();
    const u16* const sorted = list(axis);
    for_own([&](u32 i, u32) {
      if (i < count) sides_[sorted[i]] = u8(side_of(level, shape_.place_of(range_.begin + i)));
    });
    __syncthreads();
    u16* const lists[2] = {list(axis == 0 ? 1 : 0), list(axis == 2 ? 1 : 2)};
    u32 entries[KdBlock::rows];  // of both lists: number and side, 16 bits each
    count_sides(lists, entries);
    __syncthreads();
    move(level, lists, entries);
    __syncthreads();
  }

  /// Reads the entries of the thread, and counts those of the warp on the left, in the low half of a word, and
  /// those that are roots.
  __device__ void count_sides(u16* const (&lists)[2], u32 (&entries)[KdBlock::rows]) {
    u32 totals[2] = {0, 0};
    for_own([&](u32 i, u32 k) {
      entries[k] = 0;
#pragma unroll
      for (u32 which = 0; which < 2; ++which) {
        u32 entry = u32{settled} << side_shift;
        if (i < range_.count()) {
          const u32 point = lists[which][i];
          entry = point | u32{sides_[point]} << side_shift;
        }
        entries[k] |= entry << 16 * which;
        totals[which] += count_lanes(entry >> side_shift, all_lanes);
      }
    });
    if (lane_id() == 0) {
      warp_totals_[threadIdx.x / warp_size] = totals[0];
      warp_totals_[KdBlock::warps + threadIdx.x / warp_size] = totals[1];
    }
  }

  /// Returns how many of some lanes have a point on the left, and above that a root.
  __device__ static u32 count_lanes(u32 side, u32 lanes) {
    const u32 lefts = __ballot_sync(all_lanes, side == left), roots = __ballot_sync(all_lanes, side == root);
    return u32(__popc(lefts & lanes)) | u32(__popc(roots & lanes)) << 16;
  }

  /// Moves the entries of the thread to their places in the next level.
  __device__ void move(u32 level, u16* const (&lists)[2], const u32 (&entries)[KdBlock::rows]) {
    u32 before[2] = {0, 0};
    for (u32 w = 0; w < threadIdx.x / warp_size; ++w) {
      before[0] += warp_totals_[w];
      before[1] += warp_totals_[KdBlock::warps + w];
    }
    const u32 first_subtree = blockIdx.x << (level - in_.level);
    const u32 lefts_before_block = shape_.left_points_before(level, first_subtree);
    for_own([&](u32 i, u32 k) {
      const u32 number = smaller(i, range_.count() - 1);
      const u32 place = shape_.place_of(range_.begin + number);
      const bool is_settled = shape_.level_of(place) < level;
      const u32 subtree = shape_.subtree_of(place, level);
      const u32 root_rank = is_settled ? 0 : shape_.root_rank(level, subtree) - range_.begin;
      const u32 begin = is_settled ? 0 : shape_.range(level, subtree).begin - range_.begin;
      const u32 lefts_before = is_settled ? 0 : shape_.left_points_before(level, subtree) - lefts_before_block;
      const u32 roots_before = subtree - first_subtree;
#pragma unroll
      for (u32 which = 0; which < 2; ++which) {
        const u32 entry = entries[k] >> 16 * which & 0xffff, side = entry >> side_shift;
        const u32 counts = before[which] + count_lanes(side, lower_lanes());
        before[which] += count_lanes(side, all_lanes);
        if (side == settled) continue;
        const u32 lefts = (counts & 0xffff) - lefts_before, roots = (counts >> 16) - roots_before;
        const u32 to = side == left ? begin + lefts
                                    : (side == root ? root_rank : root_rank + 1 + (i - begin) - lefts - roots);
        lists[which][to] = u16(entry & ((1u << side_shift) - 1));
      }
    });
  }

  __device__ void write() const {
    const u16* const sorted = list(0);
    for (u32 i = threadIdx.x; i < range_.count(); i += KdBlock::threads) {
      in_.tree.nodes[shape_.node_of(shape_.place_of(range_.begin + i))] = in_.ranks.points[x_rank(0, sorted[i])];
    }
  }

  const KdFinish& in_;
  const KdShape& shape_;
  KdRange range_;
  u32* warp_totals_;
  u32* x_ranks_;
  u16* lists_;
  unsigned char* sides_;
};

__global__ static void __launch_bounds__(KdBlock::threads, 2) kd_finish_kernel(const KdFinish finish) {
  extern __shared__ uint4 kd_finish_memory[];
  __shared__ u32 warp_totals[2 * KdBlock::warps];
  overlap_launches();
  const KdShape shape(finish.tree.counts->point_count);
  if (!shape.has_node(finish.level, blockIdx.x)) return;
  KdSubtree(finish, shape, reinterpret_cast<unsigned char*>(kd_finish_memory), warp_totals).run();
}

/// Returns the level of the subtrees that blocks finish in a tree of `n` points: one whose subtrees fit a block, and, if
/// they do not get too small, one with work for all multiprocessors.
inline u32 kd_block_level(const Executor& ex, u64 n) {
  constexpr u32 min_points = 1024, blocks_per_multiprocessor = 2;
  const u32 capacity = kd_block_capacity(ex);
  for (u32 level = 0;; ++level) {
    const u32 count = KdShape(n).range(level, 0).count();
    const bool leaves_some_idle = u64{1} << level < u64{blocks_per_multiprocessor} * ex.multiprocessor_count;
    if (count <= capacity && (count <= min_points || !leaves_some_idle)) return level;
  }
}

inline void finish_kd_subtrees(const Executor& ex, u64 n, KdFinish finish) {
  finish.capacity = u32(divide_rounding_up(KdShape(n).range(finish.level, 0).count(), 16) * 16);
  launch(ex, "kd-tree: subtrees", kd_finish_kernel,
         {.blocks = u64{1} << finish.level,
          .threads = KdBlock::threads,
          .shared_bytes = kd_finish_shared_bytes(finish.capacity),
          .overlaps_earlier_launch = true},
         finish);
}

}  // namespace copse::cuda::detail
