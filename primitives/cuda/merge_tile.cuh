#pragma once

// Sorting and merging in the shared memory of a block. All threads of the block take part. The shape is
// MergeShape<Key, Value> of primitives/sort_plan.h.

#include "primitives/cuda/launch.cuh"
#include "primitives/cuda/warp.cuh"
#include "primitives/sort/merge_path.h"
#include "primitives/sort_plan.h"

namespace copse::cuda::detail {

using copse::detail::merge_path;
using copse::detail::MergeShape;

/// The elements that a thread holds, in registers.
template <class Key, class Value>
struct ThreadElements {
  Key keys[MergeShape<Key, Value>::items];
  Value values[MergeShape<Key, Value>::items];
};

/// A tile in the dynamic shared memory of a block. The places after its end may be read, but hold no elements. So
/// a thread that has merged all elements does not have to check at every step.
template <class Key, class Value>
struct SharedTile {
  using Shape = MergeShape<Key, Value>;
  static constexpr u32 places = Shape::tile + Shape::items;
  static constexpr u32 key_bytes = (places * sizeof(Key) + 15) / 16 * 16;
  static constexpr u32 bytes = key_bytes + (Shape::with_values ? places * sizeof(Value) : 0);
  static_assert(bytes <= shared_bytes_everywhere);

  Key* keys;
  Value* values;

  __device__ static SharedTile at(unsigned char* memory) {
    return {reinterpret_cast<Key*>(memory), reinterpret_cast<Value*>(memory + key_bytes)};
  }
};

/// Sorts a thread's elements by odd-even transposition. It exchanges only neighbours, so equal keys keep their
/// order. The compiler knows its indices, so the elements stay in registers.
template <class Key, class Value, class Less>
__device__ void sort_thread_elements(ThreadElements<Key, Value>& held, const Less& less) {
  using Shape = MergeShape<Key, Value>;
#pragma unroll
  for (u32 round = 0; round < Shape::items; ++round) {
#pragma unroll
    for (u32 k = round & 1; k + 1 < Shape::items; k += 2) {
      if (less(held.keys[k + 1], held.keys[k])) {
        const Key key = held.keys[k];
        held.keys[k] = held.keys[k + 1];
        held.keys[k + 1] = key;
        if constexpr (Shape::with_values) {
          const Value value = held.values[k];
          held.values[k] = held.values[k + 1];
          held.values[k + 1] = value;
        }
      }
    }
  }
}

/// Merges [a, a_end) with [b, b_end) of the tile until the thread has all of its elements. Past the end of both
/// ranges the elements are arbitrary. `less` is called only with elements inside the ranges.
template <class Key, class Value, class Less>
__device__ void merge_thread_elements(const SharedTile<Key, Value>& tile, u32 a, u32 a_end, u32 b, u32 b_end,
                                      const Less& less, ThreadElements<Key, Value>& held) {
  using Shape = MergeShape<Key, Value>;
  Key key_a = tile.keys[a], key_b = tile.keys[b];
#pragma unroll
  for (u32 k = 0; k < Shape::items; ++k) {
    const bool right = b < b_end && (a >= a_end || less(key_b, key_a));
    held.keys[k] = right ? key_b : key_a;
    if constexpr (Shape::with_values) held.values[k] = tile.values[right ? b : a];
    a += right ? 0 : 1;
    b += right ? 1 : 0;
    if (k + 1 < Shape::items) {
      const Key key = tile.keys[right ? b : a];
      if (right) {
        key_b = key;
      } else {
        key_a = key;
      }
    }
  }
}

/// Stores the elements of a thread at their places in the tile, in the order of the threads.
template <class Key, class Value>
__device__ void put_thread_elements(const ThreadElements<Key, Value>& held, const SharedTile<Key, Value>& tile) {
  using Shape = MergeShape<Key, Value>;
  const u32 first = threadIdx.x * Shape::items;
#pragma unroll
  for (u32 k = 0; k < Shape::items; ++k) {
    tile.keys[first + k] = held.keys[k];
    if constexpr (Shape::with_values) tile.values[first + k] = held.values[k];
  }
}

/// Lets each thread sort its own part of the first `count` elements of the tile.
template <class Key, class Value, class Less>
__device__ void sort_thread_parts(const SharedTile<Key, Value>& tile, u32 count, const Less& less) {
  using Shape = MergeShape<Key, Value>;
  const u32 first = threadIdx.x * Shape::items;
  if (first >= count) return;
  ThreadElements<Key, Value> held;
#pragma unroll
  for (u32 k = 0; k < Shape::items; ++k) {
    held.keys[k] = tile.keys[first + k];
    if constexpr (Shape::with_values) held.values[k] = tile.values[first + k];
  }
  if (first + Shape::items > count) {
    // Places past the end take the largest key. They are equal to it and come last, so they stay last.
    Key largest = held.keys[0];
#pragma unroll
    for (u32 k = 1; k < Shape::items; ++k) {
      if (first + k >= count) {
        held.keys[k] = largest;
      } else if (less(largest, held.keys[k])) {
        largest = held.keys[k];
      }
    }
  }
  sort_thread_elements(held, less);
  put_thread_elements(held, tile);
}

/// Sorts the first `count` elements of the tile. All threads may store elements until they call it. Ends with a
/// barrier.
template <class Key, class Value, class Less>
__device__ void sort_shared_tile(const SharedTile<Key, Value>& tile, u32 count, const Less& less) {
  using Shape = MergeShape<Key, Value>;
  __syncthreads();
  sort_thread_parts(tile, count, less);

  // Merge runs of the elements of 1, 2, 4, ... threads. Threads past the end only take part in the barriers. These
  // are barriers of the block even while a warp merges only its own elements, because a thread may read (and not
  // use) the first place past its group.
  const u32 first = threadIdx.x * Shape::items;
  for (u32 width = 1; width * Shape::items < count; width *= 2) {
    ThreadElements<Key, Value> held;
    __syncthreads();
    if (first < count) {
      const u32 run = width * Shape::items;
      const u32 a = (threadIdx.x & ~(2 * width - 1)) * Shape::items;
      const u32 b = smaller(a + run, count), end = smaller(a + 2 * run, count);
      const u32 diagonal = first - a;
      const u32 from_a = merge_path(tile.keys + a, b - a, tile.keys + b, end - b, diagonal, less);
      merge_thread_elements(tile, a + from_a, b, b + (diagonal - from_a), end, less, held);
    }
    __syncthreads();
    if (first < count) put_thread_elements(held, tile);
  }
  __syncthreads();
}

/// Merges the first `a_count` elements of the tile with the rest of the `count` elements. All threads may store
/// elements until they call it. Ends with a barrier.
template <class Key, class Value, class Less>
__device__ void merge_shared_tile(const SharedTile<Key, Value>& tile, u32 a_count, u32 count, const Less& less) {
  using Shape = MergeShape<Key, Value>;
  __syncthreads();
  const u32 diagonal = smaller(threadIdx.x * Shape::items, count);
  const u32 from_a = merge_path(tile.keys, a_count, tile.keys + a_count, count - a_count, diagonal, less);
  ThreadElements<Key, Value> held;
  merge_thread_elements(tile, from_a, a_count, a_count + (diagonal - from_a), count, less, held);
  __syncthreads();
  put_thread_elements(held, tile);
  __syncthreads();
}

/// Fills the first `count` places of the tile: key k is key_input(k). A thread issues all of its loads before its
/// first store, so that they are in flight together.
template <class Key, class Value, class KeyInput, class ValueInput>
__device__ void fill_tile(const SharedTile<Key, Value>& tile, u32 count, const KeyInput& key_input,
                          const ValueInput& value_input) {
  using Shape = MergeShape<Key, Value>;
  ThreadElements<Key, Value> held;
#pragma unroll
  for (u32 k = 0; k < Shape::items; ++k) {
    const u32 i = threadIdx.x + k * Shape::threads;
    if (i < count) {
      held.keys[k] = key_input(i);
      if constexpr (Shape::with_values) held.values[k] = value_input(i);
    }
  }
#pragma unroll
  for (u32 k = 0; k < Shape::items; ++k) {
    const u32 i = threadIdx.x + k * Shape::threads;
    if (i < count) {
      tile.keys[i] = held.keys[k];
      if constexpr (Shape::with_values) tile.values[i] = held.values[k];
    }
  }
}

/// Writes the first `count` elements of the tile.
template <class Key, class Value>
__device__ void write_tile(const SharedTile<Key, Value>& tile, u32 count, Key* keys_out, Value* values_out) {
  using Shape = MergeShape<Key, Value>;
#pragma unroll
  for (u32 k = 0; k < Shape::items; ++k) {
    const u32 i = threadIdx.x + k * Shape::threads;
    if (i < count) {
      keys_out[i] = tile.keys[i];
      if constexpr (Shape::with_values) values_out[i] = tile.values[i];
    }
  }
}

/// An input function that begins at place `begin` of another.
template <class Input>
struct InputFrom {
  const Input& input;
  u64 begin;
  __device__ auto operator()(u32 i) const { return input(begin + i); }
};

/// Two runs, one after the other: `a_count` elements from `a` on, then elements from `b` on.
template <class T>
struct JoinedRuns {
  const T* a;
  const T* b;
  u32 a_count;
  __device__ T operator()(u32 i) const { return i < a_count ? a[i] : b[i - a_count]; }
};

/// Two runs of sorted arrays that make up a tile of their merge.
struct MergeSources {
  u64 a, b;
  u32 a_count, count;
};

/// Loads and merges one tile of a merge, and writes it from place `out` on.
template <class Key, class Value, class Less>
__device__ void merge_from_global(const SharedTile<Key, Value>& tile, const Key* keys_in, const Value* values_in,
                                  const MergeSources& sources, u64 out, const Less& less, Key* keys_out,
                                  Value* values_out) {
  fill_tile(tile, sources.count, JoinedRuns<Key>{keys_in + sources.a, keys_in + sources.b, sources.a_count},
            JoinedRuns<Value>{values_in + sources.a, values_in + sources.b, sources.a_count});
  merge_shared_tile(tile, sources.a_count, sources.count, less);
  write_tile(tile, sources.count, keys_out + out, values_out + out);
}

}  // namespace copse::cuda::detail
