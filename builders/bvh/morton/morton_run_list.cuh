#pragma once

// Runs of primitives that share the prefix of their keys, by who puts them in order: runs of at most 32 a thread a
// primitive (morton_tie_break.cuh), which lists the longer ones for a warp or a block each (morton_runs.cuh).

#include "builders/bvh/morton/morton_keys.h"
#include "primitives/core/atomic.h"
#include "primitives/cuda/grid_barrier.cuh"
#include "primitives/no_value.h"
#include "primitives/sort_plan.h"

namespace copse::cuda::detail {

using copse::detail::KeyWords;
using copse::detail::MergeShape;
using copse::detail::MortonOrderOutput;
using copse::detail::SortedPrefixes;

inline constexpr u32 max_short_run = 32;

/// Of the longer runs, those that a warp puts in order, and those that a block does.
inline constexpr u32 max_warp_run = 256;
inline constexpr u32 max_block_run = MergeShape<u64, NoValue>::tile;

/// What blocks tell each other; zero between launches.
struct RunState {
  GridCounters grid;
  u32 warp_run_count;
  u32 block_run_count;
  u32 needs_resort;
};

/// Where the long runs begin, and memory for the sort over all.
struct RunList {
  u32* begins;  // of those for warps from the front, of those for blocks from the back
  u64 capacity;
  u32* digit_counts;  // [digit][block]
  u32* digit_totals;  // [digit]
  u32* ids;           // primitives half-way

  __device__ void add_warp_run(u32 begin, RunState* state) const {
    begins[fetch_add_relaxed(&state->warp_run_count, 1u)] = begin;
  }
  __device__ void add_block_run(u32 begin, RunState* state) const {
    begins[capacity - 1 - fetch_add_relaxed(&state->block_run_count, 1u)] = begin;
  }
  __device__ u32 warp_run(u64 i) const { return begins[i]; }
  __device__ u32 block_run(u64 i) const { return begins[capacity - 1 - i]; }
};

}  // namespace copse::cuda::detail
