#pragma once

// The places of the items of a tile, for one pass of a distribution (distribute.cuh): ranks within the tile, and the
// places of its buckets by decoupled look-back.

#include "primitives/core/atomic.h"
#include "primitives/core/bits.h"
#include "primitives/cuda/block.cuh"

namespace copse::cuda::detail {

inline constexpr u32 bucket_bits = 8;
inline constexpr u32 bucket_limit = 1u << bucket_bits;

// A look-back word. Two of them, for two neighbouring buckets, form one word of 64 bits. The parity is that of the
// pass: in a table of all ones, no word belongs to an even pass.
//
//   31      | 30         | 29 .. 0
//   parity  | is prefix  | count, or prefix

/// The memory that the tiles of a distribution share.
struct DistributeTables {
  u32* ticket;       // zero before and after
  u64* totals;       // [bucket] items of all launches; the first tile reads them and leaves zero. Or null:
  const u64* bases;  // [bucket] first places for this launch, if there are several,
  u64* next_bases;   // and for the next one
  u64* words;        // [tile][pair of buckets]
  u32 parity;
  bool all_blocks_resident = false;
  u64* offsets = nullptr;  // where the first tile stores the places of the first `offset_count` buckets
  u32 offset_count = 0;
};

template <u32 warp_count>
struct BucketShared {
  static constexpr u32 warps = warp_count;

  u64 offsets[bucket_limit];                 // place in the output minus place in the tile
  u32 counts[warp_count][bucket_limit / 2];  // of 16 bits, two buckets in a word
  u32 warp_sums[warp_count];
  u32 tile;
};

/// Returns the lanes that have the same bucket as this lane, by one vote per bit.
__device__ inline u32 lanes_of_bucket(u32 bucket) {
  u32 lanes = all_lanes;
#pragma unroll
  for (u32 bit = 0; bit < bucket_bits; ++bit) {
    asm("{ .reg .pred p; .reg .b32 t; and.b32 t, %1, %2; setp.ne.u32 p, t, 0; vote.sync.ballot.b32 t, p, "
        "0xffffffff; "
        "@!p not.b32 t, t; and.b32 %0, %0, t; }"
        : "+r"(lanes)
        : "r"(bucket), "r"(1u << bit));
  }
  return lanes;
}

/// Ranks the items of a thread among the items of the same bucket in the part of the tile that its warp has. A
/// word holds two ranks of 16 bits.
template <u32 rows, class BucketOfRow>
__device__ void rank_rows(BucketOfRow bucket_of_row, u16* counts, u32 (&ranks)[(rows + 1) / 2]) {
#pragma unroll
  for (u32 k = 0; k < rows; ++k) {
    const u32 bucket = bucket_of_row(k);
    const u32 lanes = lanes_of_bucket(bucket);
    const u32 lower = u32(__popc(lanes & lower_lanes()));
    const u32 before = counts[bucket];
    __syncwarp();
    if (lower == 0) counts[bucket] = u16(before + u32(__popc(lanes)));
    __syncwarp();
    const u32 rank = before + lower;
    ranks[k / 2] = k % 2 == 0 ? rank : ranks[k / 2] | rank << 16;
  }
}

/// Returns the exclusive sum over the threads below `bucket_limit / 2`; the other threads pass 0. All threads must
/// call it.
__device__ inline u32 scan_pairs(u32 value, u32* warp_sums) {
  const u32 warp = threadIdx.x / warp_size;
  u32 sum = value;
#pragma unroll
  for (u32 distance = 1; distance < warp_size; distance *= 2) {
    const u32 below = __shfl_up_sync(all_lanes, sum, distance);
    if (lane_id() >= distance) sum += below;
  }
  if (lane_id() == warp_size - 1) warp_sums[warp] = sum;
  __syncthreads();
  u32 before = 0;
#pragma unroll
  for (u32 k = 0; k < bucket_limit / 2 / warp_size; ++k) before += k < warp ? warp_sums[k] : 0;
  return before + sum - value;
}

/// Two neighbouring buckets.
struct BucketPair {
  u32 first, second;
};

__device__ inline void publish_pair(const DistributeTables& tables, u32 tile, bool is_prefix, BucketPair count) {
  const u32 status = tables.parity << 31 | u32(is_prefix) << 30;
  store_relaxed(tables.words + u64(tile) * (bucket_limit / 2) + threadIdx.x,
                u64(status | count.second) << 32 | (status | count.first));
}

/// Returns the number of items of the two buckets of the thread in all tiles before this one, which is not the
/// first.
__device__ inline BucketPair look_back_pair(const DistributeTables& tables, u32 tile) {
  constexpr u32 window = 4;
  constexpr u32 count_mask = (1u << 30) - 1;
  const u64* column = tables.words + threadIdx.x;
  BucketPair sum{0, 0};
  for (i64 newest = i64(tile) - 1;;) {
    u64 words[window];
#pragma unroll
    for (u32 k = 0; k < window; ++k) {
      const i64 id = newest - k;
      words[k] = id >= 0 ? load_relaxed(column + u64(id) * (bucket_limit / 2)) : ~u64{0} * (1 - tables.parity);
    }
#pragma unroll
    for (u32 k = 0; k < window; ++k) {
      const u32 first = u32(words[k]), second = u32(words[k] >> 32);
      if (first >> 31 != tables.parity || second >> 31 != tables.parity) break;
      sum.first += first & count_mask;
      sum.second += second & count_mask;
      if ((first >> 30 & 1) != 0) return sum;
      --newest;
    }
  }
}

/// Turns the totals of all buckets into first places, stores these for the caller, and leaves the totals zero.
template <u32 warp_count>
__device__ BucketPair take_totals(const DistributeTables& tables, BucketShared<warp_count>& shared) {
  BucketPair total{0, 0};
  const u32 thread = threadIdx.x;
  if (thread < bucket_limit / 2) {
    total = {u32(tables.totals[2 * thread]), u32(tables.totals[2 * thread + 1])};
    tables.totals[2 * thread] = tables.totals[2 * thread + 1] = 0;
  }
  const u32 first = scan_pairs(total.first + total.second, shared.warp_sums);
  __syncthreads();
  if (2 * thread < tables.offset_count) tables.offsets[2 * thread] = first;
  if (2 * thread + 1 < tables.offset_count) tables.offsets[2 * thread + 1] = first + total.first;
  return {first, first + total.first};
}

/// Sums the counts of all warps for the two buckets of the thread, and replaces each by the sum of the warps
/// before it.
template <u32 warp_count>
__device__ BucketPair sum_warp_counts(BucketShared<warp_count>& shared) {
  u32 sum = 0;
#pragma unroll
  for (u32 w = 0; w < warp_count; ++w) {
    const u32 count = shared.counts[w][threadIdx.x];
    shared.counts[w][threadIdx.x] = sum;
    sum += count;
  }
  return {sum & 0xffff, sum >> 16};
}

/// Finds the places of the two buckets of the thread in the output, and publishes them for later tiles.
template <u32 warp_count>
__device__ void find_places(const DistributeTables& tables, u32 tile, u32 tile_count, BucketPair base,
                            BucketPair count, BucketPair begin, BucketShared<warp_count>& shared) {
  BucketPair before = base;
  if (tile > 0) {
    before = look_back_pair(tables, tile);
    if (tile + 1 < tile_count) {
      publish_pair(tables, tile, true, {before.first + count.first, before.second + count.second});
    }
  }
  u64 first = before.first, second = before.second;
  if (tables.bases != nullptr) {
    first += tables.bases[2 * threadIdx.x];
    second += tables.bases[2 * threadIdx.x + 1];
    if (tile + 1 == tile_count) {
      tables.next_bases[2 * threadIdx.x] = first + count.first;
      tables.next_bases[2 * threadIdx.x + 1] = second + count.second;
    }
  }
  shared.offsets[2 * threadIdx.x] = first - begin.first;
  shared.offsets[2 * threadIdx.x + 1] = second - begin.second;
}

}  // namespace copse::cuda::detail
