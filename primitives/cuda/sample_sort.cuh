#pragma once

// Sample sort: each level distributes into up to 256 buckets, until the buckets fit in shared memory and are
// sorted there (Leischner, Osipov, Sanders, "GPU Sample Sort", IPDPS 2010; Mueller, CSE 591, lecture on global
// memory and sample sort). 2^26 keys pass through memory three times. A merge sort has 13 passes.
//
// All sizes stay on the device. So launches cover the worst case, and blocks without work end at once.

#include "primitives/cuda/scan.cuh"
#include "primitives/sample_sort.h"
#include "primitives/sort/sample_groups.cuh"
#include "primitives/sort/sample_level.cuh"
#include "primitives/sort/sample_scatter.cuh"

namespace copse::cuda {

namespace detail::samples {

using copse::detail::plan_sample_sort;
using copse::detail::sample_sort_min_tiles;

/// The memory of a level while it runs.
template <class Key>
struct LevelScratch {
  Splitters<Key> splitters;
  u64* counts;  // after their scan: places
  u64* first_tiles;
  LevelTile* tiles;

  LevelScratch(ScratchArena::Frame& frame, const Level& level) {
    const u64 bucket_count = u64{level.parent_count} << level.bits, tile_count = level.max_tiles();
    splitters = {frame.allocate<Key>(bucket_count), frame.allocate<u64>(bucket_count)};
    counts = frame.allocate<u64>(tile_count << level.bits);
    first_tiles = level.parent_count > 1 ? frame.allocate<u64>(level.parent_count + 1) : nullptr;
    tiles = level.parent_count > 1 ? frame.allocate<LevelTile>(tile_count) : nullptr;
  }

  static u64 bytes(const Executor& ex, const Level& level) {
    const u64 bucket_count = u64{level.parent_count} << level.bits, tile_count = level.max_tiles();
    u64 sum = ScratchArena::bytes_for<Key>(bucket_count) + ScratchArena::bytes_for<u64>(bucket_count) +
              ScratchArena::bytes_for<u64>(tile_count << level.bits);
    u64 scan_bytes = scan_scratch_bytes<u64>(ex, tile_count << level.bits);
    if (level.parent_count > 1) {
      sum += ScratchArena::bytes_for<u64>(level.parent_count + 1) + ScratchArena::bytes_for<LevelTile>(tile_count);
      scan_bytes = larger(scan_bytes, scan_scratch_bytes<u64>(ex, level.parent_count + 1));
    }
    return sum + scan_bytes;
  }
};

/// Distributes from the inputs to the outputs, and stores where the new buckets begin.
template <class Key, class Value, class KeyInput, class ValueInput, class Less>
void run_level(const Executor& ex, const char* label, Level level, const KeyInput& key_input,
               const ValueInput& value_input, const Less& less, u8* buckets, Key* keys_out, Value* values_out,
               u64* begins_out) {
  using Shape = LevelShape<Key, Value>;
  using SampleShape = MergeShape<Key, u32>;
  ScratchArena::Frame frame(ex.scratch);
  const LevelScratch<Key> scratch(frame, level);
  const u64 tile_count = level.max_tiles();

  if (level.parent_count > 1) {
    exclusive_scan(ex, label, level.parent_count + 1, CountTiles{level.begins, level.parent_count, level.tile},
                   u64{0}, Plus{}, scratch.first_tiles);
    level.first_tiles = scratch.first_tiles;
    for_each(ex, label, tile_count, DescribeTiles{level, scratch.tiles});
    level.tiles = scratch.tiles;
  }
  launch(ex, label, choose_splitters_kernel<Key, KeyInput, Less>,
         {level.parent_count, SampleShape::threads, available_shared_bytes(ex, SharedTile<Key, u32>::bytes)},
         level, key_input, less, scratch.splitters);
  launch(ex, label, classify_kernel<Key, Value, KeyInput, Less>, {tile_count, Shape::threads}, level, key_input,
         less, scratch.splitters, buckets, scratch.counts);
  exclusive_scan(ex, label, tile_count << level.bits, Elements<u64>{scratch.counts}, u64{0}, Plus{},
                 scratch.counts);
  launch(ex, label, scatter_kernel<Key, Value, KeyInput, ValueInput>, {tile_count, Shape::threads}, level,
         key_input, value_input, buckets, scratch.counts, keys_out, values_out);
  for_each(ex, label, (u64{level.parent_count} << level.bits) + 1,
           BucketBegins{level, scratch.counts, begins_out});
}

/// Returns the values that a level has moved, as an input function.
template <class Value>
auto values_at([[maybe_unused]] const Value* values) {
  if constexpr (!copse::detail::has_value<Value>) {
    return copse::detail::NoValueInput{};
  } else {
    return Elements<Value>{values};
  }
}

template <class Key, class Value, class Less>
void sort_groups(const Executor& ex, const char* label, u64 n, const SamplePlan& plan, const u64* begins,
                 u64 bucket_count, const GroupArrays<Key, Value>& arrays, u32 array_in, const Less& less) {
  using Shape = MergeShape<Key, Value>;
  const u32 shared_bytes = available_shared_bytes(ex, SharedTile<Key, Value>::bytes);
  ScratchArena::Frame frame(ex.scratch);
  LargeGroups* table = frame.allocate<LargeGroups>(1);
  LargeGroup* list = frame.allocate<LargeGroup>(n / plan.tile);
  fill_bytes(ex, label, table, 1, 0);
  launch(ex, label, sort_groups_kernel<Key, Value, Less>,
         {divide_rounding_up(n, plan.group), Shape::threads, shared_bytes}, begins, bucket_count, plan.group,
         arrays.keys[array_in], arrays.values[array_in], less, arrays.keys[0], arrays.values[0], table, list);
  launch(ex, label, sort_large_groups_kernel<Key, Value, Less>,
         {u64{2} * ex.multiprocessor_count, Shape::threads, shared_bytes}, list, table, arrays, array_in, less);
}

/// Returns level k of a plan, without its pointers.
template <class Key, class Value>
Level level_of(const SamplePlan& plan, u32 k, u64 n) {
  u32 bits_before = 0;
  for (u32 j = 0; j < k; ++j) bits_before += plan.bits[j];
  return {n, 1u << bits_before, plan.bits[k], nullptr, nullptr, nullptr, LevelShape<Key, Value>::tile};
}

template <class Key, class Value, class KeyInput, class ValueInput, class Less>
void sample_sort_elements(const Executor& ex, const char* label, u64 n, const SamplePlan& plan,
                          const KeyInput& key_input, const ValueInput& value_input, const Less& less,
                          Key* keys_out, Value* values_out) {
  using Shape = MergeShape<Key, Value>;
  ScratchArena::Frame frame(ex.scratch);
  Key* scratch_keys = frame.allocate<Key>(n);
  Value* scratch_values = Shape::with_values ? frame.allocate<Value>(n) : nullptr;
  const GroupArrays<Key, Value> arrays{{keys_out, scratch_keys}, {values_out, scratch_values}};
  u8* buckets = frame.allocate<u8>(n);

  // The levels alternate between two arrays. The first one writes to scratch, so that the inputs may read the
  // outputs.
  u32 at = 0;
  u64* begins = nullptr;
  for (u32 k = 0; k < plan.level_count; ++k) {
    Level level = level_of<Key, Value>(plan, k, n);
    level.begins = begins;
    begins = frame.allocate<u64>((u64{level.parent_count} << level.bits) + 1);
    if (k == 0) {
      run_level(ex, label, level, key_input, value_input, less, buckets, arrays.keys[1], arrays.values[1], begins);
    } else {
      run_level(ex, label, level, Elements<Key>{arrays.keys[at]}, values_at(arrays.values[at]), less, buckets,
                arrays.keys[1 - at], arrays.values[1 - at], begins);
    }
    at = 1 - at;
  }
  sort_groups(ex, label, n, plan, begins, u64{1} << plan.total_bits(), arrays, at, less);
}

template <class Key, class Value>
u64 sample_sort_elements_bytes(const Executor& ex, u64 n, const SamplePlan& plan) {
  using Shape = MergeShape<Key, Value>;
  u64 held = ScratchArena::bytes_for<Key>(n) + (Shape::with_values ? ScratchArena::bytes_for<Value>(n) : 0) +
             ScratchArena::bytes_for<u8>(n);
  u64 most = 0;
  for (u32 k = 0; k < plan.level_count; ++k) {
    const Level level = level_of<Key, Value>(plan, k, n);
    held += ScratchArena::bytes_for<u64>((u64{level.parent_count} << level.bits) + 1);
    most = larger(most, held + LevelScratch<Key>::bytes(ex, level));
  }
  return larger(
      most, held + ScratchArena::bytes_for<LargeGroups>(1) + ScratchArena::bytes_for<LargeGroup>(n / plan.tile));
}

inline bool merge_sort_wins(u64 n, u32 tile) {
  return n <= sample_sort_min_tiles * tile;
}

template <class Key, class Value, class KeyInput, class ValueInput, class Less>
void sample_sort(const Executor& ex, const char* label, u64 n, const KeyInput& key_input,
                 const ValueInput& value_input, const Less& less, Key* keys_out, Value* values_out) {
  if constexpr (!MergeShape<Key, Value>::by_index) {
    const u32 tile = merge_tile<Key, Value>(ex, label, sort_groups_kernel<Key, Value, Less>);
    if (!merge_sort_wins(n, tile)) {
      return sample_sort_elements(ex, label, n, plan_sample_sort(n, tile), key_input, value_input, less, keys_out,
                                  values_out);
    }
  }
  merge_sort(ex, label, n, key_input, value_input, less, keys_out, values_out);
}

}  // namespace detail::samples

/// Returns enough scratch for the tiles of every GPU.
template <class Key, class Value = NoValue>
u64 sample_sort_scratch_bytes(const Executor& ex, u64 n) {
  using Shape = detail::MergeShape<Key, Value>;
  u64 bytes = merge_sort_scratch_bytes<Key, Value>(ex, n);
  if constexpr (!Shape::by_index) {
    for (u32 tile : {Shape::tile, Shape::turing_tile}) {
      if (detail::samples::merge_sort_wins(n, tile)) continue;
      const auto plan = copse::detail::plan_sample_sort(n, tile);
      bytes = larger(bytes, detail::samples::sample_sort_elements_bytes<Key, Value>(ex, n, plan));
    }
  }
  return bytes;
}

/// Contract: primitives/sample_sort.h.
template <class Key, class KeyInput, class Less>
void sample_sort_keys(const Executor& ex, const char* label, u64 n, KeyInput key_input, Less less, Key* keys_out) {
  detail::samples::sample_sort(ex, label, n, key_input, copse::detail::NoValueInput{}, less, keys_out,
                               static_cast<NoValue*>(nullptr));
}

/// Contract: primitives/sample_sort.h.
template <class Key, class Value, class KeyInput, class ValueInput, class Less>
void sample_sort_pairs(const Executor& ex, const char* label, u64 n, KeyInput key_input, ValueInput value_input,
                       Less less, Key* keys_out, Value* values_out) {
  detail::samples::sample_sort(ex, label, n, key_input, value_input, less, keys_out, values_out);
}

}  // namespace copse::cuda
