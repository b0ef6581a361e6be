#pragma once

#include <cstring>

#include "primitives/core/types.h"

namespace copse::cuda {

inline constexpr u32 warp_size = 32;
inline constexpr u32 all_lanes = 0xffffffffu;

__device__ inline u32 lane_id() {
  return threadIdx.x % warp_size;
}

/// Returns the lanes below this one, as a mask.
__device__ inline u32 lower_lanes() {
  return (1u << lane_id()) - 1;
}

namespace detail {

/// Moves a value of any trivially copyable type between lanes, word by word.
template <class T, class Shuffle>
__device__ T shuffle_words(const T& value, Shuffle shuffle) {
  constexpr u32 word_count = (sizeof(T) + 3) / 4;
  u32 words[word_count] = {};
  memcpy(words, &value, sizeof(T));
#pragma unroll
  for (u32 k = 0; k < word_count; ++k) words[k] = shuffle(words[k]);
  T result;
  memcpy(&result, words, sizeof(T));
  return result;
}

struct ShuffleUp {
  u32 distance;
  __device__ u32 operator()(u32 word) const { return __shfl_up_sync(all_lanes, word, distance); }
};
struct ShuffleDown {
  u32 distance;
  __device__ u32 operator()(u32 word) const { return __shfl_down_sync(all_lanes, word, distance); }
};
struct ShuffleFrom {
  u32 lane;
  __device__ u32 operator()(u32 word) const { return __shfl_sync(all_lanes, word, int(lane)); }
};

}  // namespace detail

/// Returns the value of the lane `distance` below, or the lane's own value if there is none.
template <class T>
__device__ T shuffle_up(const T& value, u32 distance) {
  return detail::shuffle_words(value, detail::ShuffleUp{distance});
}

/// Returns the value of the lane `distance` above, or the lane's own value if there is none.
template <class T>
__device__ T shuffle_down(const T& value, u32 distance) {
  return detail::shuffle_words(value, detail::ShuffleDown{distance});
}

template <class T>
__device__ T shuffle_from(const T& value, u32 lane) {
  return detail::shuffle_words(value, detail::ShuffleFrom{lane});
}

}  // namespace copse::cuda
