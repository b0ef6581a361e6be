#pragma once

#include <cstring>

#include "primitives/core/macros.h"
#include "primitives/core/types.h"
#include "primitives/inputs.h"

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

namespace detail {

/// Reduces over the lanes of a mask where no instruction does.
template <class T, class Op>
__device__ T reduce_by_shuffles(u32 lanes, T value, Op op) {
  if (lanes == all_lanes) {
#pragma unroll
    for (u32 distance = warp_size / 2; distance > 0; distance /= 2) {
      value = op(value, __shfl_xor_sync(all_lanes, value, int(distance)));
    }
    return value;
  }
  T result = __shfl_sync(lanes, value, __ffs(int(lanes)) - 1);
  for (u32 rest = lanes & (lanes - 1); rest != 0; rest &= rest - 1) {
    result = op(result, __shfl_sync(lanes, value, __ffs(int(rest)) - 1));
  }
  return result;
}

struct BitwiseOr {
  __device__ u32 operator()(u32 a, u32 b) const { return a | b; }
};

}  // namespace detail

/// Returns the smallest value of the lanes in a mask, u32 or i32. All of these lanes call it, with the same mask.
template <class T>
__device__ T warp_min(u32 lanes, T value) {
#if COPSE_TURING_CODE
  return detail::reduce_by_shuffles(lanes, value, Smaller{});
#else
  return __reduce_min_sync(lanes, value);
#endif
}

/// As warp_min, but returns the largest value.
template <class T>
__device__ T warp_max(u32 lanes, T value) {
#if COPSE_TURING_CODE
  return detail::reduce_by_shuffles(lanes, value, Larger{});
#else
  return __reduce_max_sync(lanes, value);
#endif
}

/// As warp_min, but returns the sum.
__device__ inline u32 warp_add(u32 lanes, u32 value) {
#if COPSE_TURING_CODE
  return detail::reduce_by_shuffles(lanes, value, Plus{});
#else
  return __reduce_add_sync(lanes, value);
#endif
}

/// As warp_min, but returns the bits that any of the lanes has.
__device__ inline u32 warp_or(u32 lanes, u32 value) {
#if COPSE_TURING_CODE
  return detail::reduce_by_shuffles(lanes, value, detail::BitwiseOr{});
#else
  return __reduce_or_sync(lanes, value);
#endif
}

}  // namespace copse::cuda
