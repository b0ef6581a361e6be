#pragma once

// The last step of sample sort. Buckets are sorted in shared memory, as many neighbouring ones together as fill a
// tile. With unlucky samples, or keys that are chosen against them, a group can be larger than the tile. One
// launch merge sorts all such groups; it costs nothing if there are none.

#include "primitives/core/atomic.h"
#include "primitives/cuda/merge_sort.cuh"

namespace copse::cuda::detail::samples {

/// A group that is larger than a tile, cut into tiles of its own. first_tile counts over the groups in the list.
struct LargeGroup {
  u64 begin, size;
  u64 first_tile;
};

/// The list of large groups; zero before the groups are sorted.
struct LargeGroups {
  static constexpr u32 max_passes = 40;

  u64 found;      // upper half: groups; lower half: their tiles; one addition changes both
  u64 max_tiles;  // of one group
  u64 ticket;
  u32 finished[max_passes];  // tiles, for each pass
};

/// The two arrays between which the passes over groups alternate.
template <class Key, class Value>
struct GroupArrays {
  Key* keys[2];
  Value* values[2];
};

/// Returns the index of the first of `count` ascending numbers that is not below `value`; `count` if there is
/// none. Called by a whole warp, which reads 32 of them at a time.
__device__ inline u64 warp_lower_bound(const u64* numbers, u64 count, u64 value) {
  u64 lo = 0, hi = count;
  while (lo < hi) {
    const u64 step = divide_rounding_up(hi - lo, warp_size);
    const u64 probe = lo + (lane_id() + 1) * step - 1;
    const u32 below = u32(__popc(__ballot_sync(all_lanes, probe < hi && numbers[probe] < value)));
    hi = smaller(hi, lo + (below + 1) * step - 1);
    lo += below * step;
  }
  return lo;
}

__device__ inline void note_large_group(LargeGroups* table, LargeGroup* list, u64 begin, u64 size, u32 tile) {
  const u64 tiles = divide_rounding_up(size, tile);
  const u64 before = fetch_add_relaxed(&table->found, u64{1} << 32 | tiles);
  list[before >> 32] = {begin, size, before & 0xffffffffu};
  atomicMax(reinterpret_cast<unsigned long long*>(&table->max_tiles), static_cast<unsigned long long>(tiles));
}

/// Sorts groups, one block per group: the buckets that begin among the elements [group * g, group * (g + 1)).
template <class Key, class Value, class Less>
__global__ void __launch_bounds__(MergeShape<Key, Value>::threads, MergeShape<Key, Value>::blocks)
    sort_groups_kernel(const u64* begins, u64 bucket_count, u64 group, const Key* keys_in, const Value* values_in,
                       Less less, Key* keys_out, Value* values_out, LargeGroups* table, LargeGroup* list) {
  using Shape = MergeShape<Key, Value>;
  extern __shared__ __align__(16) unsigned char shared_memory[];
  __shared__ u64 ends[2];
  const u32 warp = threadIdx.x / warp_size;
  if (warp < 2) {
    const u64 bucket = warp_lower_bound(begins, bucket_count, (u64{blockIdx.x} + warp) * group);
    if (lane_id() == 0) ends[warp] = begins[bucket];
  }
  __syncthreads();
  const u64 begin = ends[0], size = ends[1] - begin;
  if (size == 0) return;
  if (size > Shape::tile) {
    if (threadIdx.x == 0) note_large_group(table, list, begin, size, Shape::tile);
    return;
  }
  const auto tile = SharedTile<Key, Value>::at(shared_memory);
  fill_tile(tile, u32(size), Elements<Key>{keys_in + begin}, Elements<Value>{values_in + begin});
  sort_shared_tile(tile, u32(size), less);
  write_tile(tile, u32(size), keys_out + begin, values_out + begin);
}

/// Returns the group of a tile.
__device__ inline LargeGroup group_of(const LargeGroup* list, u64 count, u64 tile) {
  u64 lo = 0, hi = count - 1;
  while (lo < hi) {
    const u64 middle = lo + (hi - lo + 1) / 2;
    if (list[middle].first_tile <= tile) {
      lo = middle;
    } else {
      hi = middle - 1;
    }
  }
  return list[lo];
}

/// Waits until all tiles of a pass are finished. Afterwards their results are visible.
__device__ inline void wait_for_pass(const u32* finished, u32 tile_count) {
  if (threadIdx.x == 0) {
    while (load_acquire(finished) < tile_count) {
    }
  }
  __syncthreads();
}

/// Merges one tile of a group.
template <class Key, class Value, class Less>
__device__ void merge_group_tile(const SharedTile<Key, Value>& tile, const LargeGroup& group, u64 position,
                                 u64 run, const Key* keys_in, const Value* values_in, const Less& less,
                                 Key* keys_out, Value* values_out) {
  using Shape = MergeShape<Key, Value>;
  __shared__ u64 lefts[2];
  const MergePass::Pair pair = MergePass{group.size, run}.pair_of(position);
  const u64 position_end = smaller(position + Shape::tile, pair.end);
  if (threadIdx.x % warp_size == 0 && threadIdx.x < 2 * warp_size) {
    const u64 diagonal = (threadIdx.x == 0 ? position : position_end) - pair.begin;
    const Key* keys = keys_in + group.begin;
    lefts[threadIdx.x / warp_size] = merge_path(keys + pair.begin, pair.middle - pair.begin, keys + pair.middle,
                                                pair.end - pair.middle, diagonal, less);
  }
  __syncthreads();
  const u64 left = lefts[0], left_end = lefts[1];
  const MergeSources sources{group.begin + pair.begin + left,
                             group.begin + pair.middle + (position - pair.begin - left), u32(left_end - left),
                             u32(position_end - position)};
  merge_from_global(tile, keys_in, values_in, sources, group.begin + position, less, keys_out, values_out);
}

/// Merge sorts all large groups: pass 0 sorts tiles, pass k merges runs of 2^(k - 1) tiles. Blocks take (pass,
/// tile) in order by ticket, and those of a pass wait for the pass before it. So they wait only for tiles that
/// running blocks have taken.
template <class Key, class Value, class Less>
__global__ void __launch_bounds__(MergeShape<Key, Value>::threads)
    sort_large_groups_kernel(const LargeGroup* list, LargeGroups* table, GroupArrays<Key, Value> arrays,
                             u32 array_in, Less less) {
  using Shape = MergeShape<Key, Value>;
  extern __shared__ __align__(16) unsigned char shared_memory[];
  __shared__ u64 shared_task;
  const u64 group_count = table->found >> 32;
  const u32 tile_count = u32(table->found);
  if (tile_count == 0) return;
  const auto tile = SharedTile<Key, Value>::at(shared_memory);
  u32 last_pass = 0;
  while (u64{1} << last_pass < table->max_tiles) ++last_pass;

  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) shared_task = fetch_add_relaxed(&table->ticket, u64{1});
    __syncthreads();
    const u64 task = shared_task;
    const u32 pass = u32(task / tile_count);
    if (pass > last_pass) return;
    const LargeGroup group = group_of(list, group_count, task % tile_count);
    const u64 position = (task % tile_count - group.first_tile) * Shape::tile;
    const u32 to = (last_pass - pass) % 2;  // the last pass goes to the output
    if (pass == 0) {
      const u64 begin = group.begin + position;
      const u32 count = u32(smaller(group.size - position, u64{Shape::tile}));
      fill_tile(tile, count, Elements<Key>{arrays.keys[array_in] + begin},
                Elements<Value>{arrays.values[array_in] + begin});
      sort_shared_tile(tile, count, less);
      write_tile(tile, count, arrays.keys[to] + begin, arrays.values[to] + begin);
    } else {
      wait_for_pass(table->finished + pass - 1, tile_count);
      merge_group_tile(tile, group, position, u64{Shape::tile} << (pass - 1), arrays.keys[1 - to],
                       arrays.values[1 - to], less, arrays.keys[to], arrays.values[to]);
    }
    __syncthreads();
    if (threadIdx.x == 0) fetch_add_acq_rel(table->finished + pass, 1u);
  }
}

}  // namespace copse::cuda::detail::samples
