#pragma once

// Words sorted in the registers of a warp, by a bitonic network: a lane has neighbouring ones of them, so that
// most exchanges are its own, and none goes through memory.
//
// Source: Batcher, "Sorting Networks and Their Applications", AFIPS Spring Joint Computer Conference, 1968.

#include "primitives/core/types.h"
#include "primitives/cuda/warp.cuh"

namespace copse::cuda::detail {

/// The words of a warp's lanes: those of lane 0, then those of lane 1 and so on.
///   lane_words: of each, a power of two
template <u32 lane_words>
struct WarpWords {
  u64 word[lane_words];

  /// By all lanes. Groups of 1, 2, 4 and more lanes are sorted, every second one downwards: its words are turned
  /// around meanwhile, bit for bit.
  __device__ void sort() {
    turn((lane_id() & 1) != 0);
    sort_own();
    turn((lane_id() & 1) != 0);
#pragma unroll 1
    for (u32 lanes = 2; lanes <= warp_size; lanes *= 2) {
      const bool downwards = (lane_id() & lanes) != 0;
      turn(downwards);
      merge(lanes);
      turn(downwards);
    }
  }

 private:
  __device__ void turn(bool is_turned) {
    const u64 turned = is_turned ? ~u64{0} : 0;
#pragma unroll
    for (u32 k = 0; k < lane_words; ++k) word[k] ^= turned;
  }

  __device__ static void put_in_order(u64& first, u64& second) {
    const bool are_in_order = !(second < first);
    const u64 smallest = are_in_order ? first : second;
    second = are_in_order ? second : first;
    first = smallest;
  }

  __device__ void sort_own() {
#pragma unroll
    for (u32 size = 2; size <= lane_words; size *= 2) {
#pragma unroll
      for (u32 distance = size / 2; distance > 0; distance /= 2) {
#pragma unroll
        for (u32 k = 0; k < lane_words; ++k) {
          if ((k & distance) != 0) continue;
          const bool upwards = (k & size) == 0;
          put_in_order(word[upwards ? k : k + distance], word[upwards ? k + distance : k]);
        }
      }
    }
  }

  /// Of a group of lanes the first half has sorted words, the second half sorted downwards.
  __device__ void merge(u32 lanes) {
#pragma unroll 1
    for (u32 distance = lanes / 2; distance > 0; distance /= 2) {
      const bool takes_largest = (lane_id() & distance) != 0;
#pragma unroll
      for (u32 k = 0; k < lane_words; ++k) {
        const u64 other = __shfl_xor_sync(all_lanes, word[k], int(distance));
        word[k] = (other < word[k]) != takes_largest ? other : word[k];
      }
    }
#pragma unroll
    for (u32 distance = lane_words / 2; distance > 0; distance /= 2) {
#pragma unroll
      for (u32 k = 0; k < lane_words; ++k) {
        if ((k & distance) == 0) put_in_order(word[k], word[k + distance]);
      }
    }
  }
};

}  // namespace copse::cuda::detail
