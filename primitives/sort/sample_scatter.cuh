#pragma once

// The last step of a level of sample sort: tiles move their elements to the buckets. It is stable.

#include "primitives/sort/sample_tiles.cuh"

namespace copse::cuda::detail::samples {

/// Returns the lanes that have the same bucket as this one.
__device__ inline u32 lanes_of_bucket(u32 bucket, u32 bits) {
  u32 lanes = all_lanes;
#pragma unroll
  for (u32 bit = 0; bit < SamplePlan::max_bits; ++bit) {
    if (bit < bits) {
      const bool set = (bucket >> bit & 1) != 0;
      const u32 setting = __ballot_sync(all_lanes, set);
      lanes &= set ? setting : ~setting;
    }
  }
  return lanes;
}

template <class Key, class Value>
struct ScatterMemory {
  using Shape = LevelShape<Key, Value>;
  alignas(16) unsigned char elements[Shape::tile * Shape::widest];  // keys, then values
  alignas(16) u64 offsets[max_buckets];                             // place in the output minus place in the tile
  u16 counts[Shape::warps][max_buckets];
  u8 buckets[Shape::tile];
  BlockStorage<u32, Shape::threads> sums;
};

/// The elements of a thread while a tile is scattered. A warp holds neighbouring rows of neighbouring elements. Places
/// past the end count for the last bucket, behind all others.
template <class Key, class Value>
struct ScatterRows {
  using Shape = LevelShape<Key, Value>;
  using Memory = ScatterMemory<Key, Value>;

  Key keys[Shape::rows];
  u32 targets[Shape::rows];  // the bucket, and above it the rank among the warp's elements of it; then the place
  u32 warp, first;

  template <class KeyInput>
  __device__ __forceinline__ void load(const LevelTile& tile, u32 last_bucket, const KeyInput& key_input,
                                       const u8* buckets) {
    warp = threadIdx.x / warp_size;
    first = warp * (warp_size * Shape::rows) + lane_id();
#pragma unroll
    for (u32 k = 0; k < Shape::rows; ++k) {
      const u32 i = first + k * warp_size;
      targets[k] = last_bucket;
      if (i < tile.count) {
        keys[k] = key_input(tile.begin + i);
        targets[k] = buckets[tile.begin + i];
      }
    }
  }

  /// Ranks the elements among those of the warp that have the same bucket, and counts them.
  __device__ __forceinline__ void rank(u32 bits, Memory& shared) {
    for (u32 k = lane_id(); k < max_buckets; k += warp_size) shared.counts[warp][k] = 0;
    __syncwarp();
#pragma unroll
    for (u32 k = 0; k < Shape::rows; ++k) {
      const u32 bucket = targets[k];
      const u32 lanes = lanes_of_bucket(bucket, bits);
      const u32 lower = lanes & lower_lanes();
      const u32 before = shared.counts[warp][bucket];
      __syncwarp();
      if (lower == 0) shared.counts[warp][bucket] = u16(before + u32(__popc(lanes)));
      __syncwarp();
      targets[k] = bucket | (before + u32(__popc(lower))) << SamplePlan::max_bits;
    }
  }

  /// Puts the keys into the order of their buckets in shared memory, and turns ranks into places there.
  __device__ __forceinline__ void order_keys(u32 count, Memory& shared) {
    Key* tile_keys = reinterpret_cast<Key*>(shared.elements);
#pragma unroll
    for (u32 k = 0; k < Shape::rows; ++k) {
      const u32 bucket = targets[k] & (max_buckets - 1);
      targets[k] = shared.counts[warp][bucket] + (targets[k] >> SamplePlan::max_bits);
      if (first + k * warp_size < count) {
        tile_keys[targets[k]] = keys[k];
        shared.buckets[targets[k]] = u8(bucket);
      }
    }
  }

  template <class ValueInput>
  __device__ __forceinline__ void order_values(const LevelTile& tile, const ValueInput& value_input,
                                               Memory& shared) const {
    Value* tile_values = reinterpret_cast<Value*>(shared.elements);
#pragma unroll
    for (u32 k = 0; k < Shape::rows; ++k) {
      const u32 i = first + k * warp_size;
      if (i < tile.count) tile_values[targets[k]] = value_input(tile.begin + i);
    }
  }
};

/// Finds where the elements of each warp and bucket begin in the tile and in the output, with a thread per bucket.
/// `place` is that of the thread's bucket in the output.
template <class Key, class Value>
__device__ __forceinline__ void place_buckets(u64 place, ScatterMemory<Key, Value>& shared) {
  using Shape = LevelShape<Key, Value>;
  const u32 thread = threadIdx.x;
  u32 count = 0;
  if (thread < max_buckets) {
#pragma unroll
    for (u32 w = 0; w < Shape::warps; ++w) {
      const u32 warp_count = shared.counts[w][thread];
      shared.counts[w][thread] = u16(count);
      count += warp_count;
    }
  }
  const u32 begin = block_exclusive_sum<Shape::threads>(count, shared.sums).before;
  if (thread >= max_buckets) return;
  shared.offsets[thread] = place - begin;
#pragma unroll
  for (u32 w = 0; w < Shape::warps; ++w) shared.counts[w][thread] = u16(shared.counts[w][thread] + begin);
}

/// Writes the ordered elements of the tile, in runs.
template <class Element, class Key, class Value>
__device__ __forceinline__ void write_runs(u32 count, const ScatterMemory<Key, Value>& shared, Element* out) {
  using Shape = LevelShape<Key, Value>;
  const Element* elements = reinterpret_cast<const Element*>(shared.elements);
#pragma unroll
  for (u32 k = 0; k < Shape::rows; ++k) {
    const u32 i = threadIdx.x + k * Shape::threads;
    if (i < count) out[shared.offsets[shared.buckets[i]] + i] = elements[i];
  }
}

/// Moves the elements of a tile to the places that the scan of the counts gives.
template <class Key, class Value, class KeyInput, class ValueInput>
__global__ void __launch_bounds__(LevelShape<Key, Value>::threads, 2)
    scatter_kernel(Level level, KeyInput key_input, ValueInput value_input, const u8* buckets, const u64* places,
                   Key* keys_out, Value* values_out) {
  __shared__ ScatterMemory<Key, Value> shared;
  const LevelTile tile = level.tile_at(blockIdx.x);
  if (tile.count == 0) return;
  const u32 bucket_count = level.bucket_count();
  const u64 place = threadIdx.x < bucket_count ? places[tile.column + threadIdx.x * tile.stride] : 0;

  ScatterRows<Key, Value> rows;
  rows.load(tile, bucket_count - 1, key_input, buckets);
  rows.rank(level.bits, shared);
  __syncthreads();
  place_buckets(place, shared);
  __syncthreads();
  rows.order_keys(tile.count, shared);
  __syncthreads();
  write_runs(tile.count, shared, keys_out);
  if constexpr (LevelShape<Key, Value>::with_values) {
    __syncthreads();
    rows.order_values(tile, value_input, shared);
    __syncthreads();
    write_runs(tile.count, shared, values_out);
  }
}

}  // namespace copse::cuda::detail::samples
