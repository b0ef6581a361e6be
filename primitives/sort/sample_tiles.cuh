#pragma once

// The tiles and the buckets of one level of sample sort (sample_level.cuh, sample_scatter.cuh).

#include "primitives/cuda/block.cuh"
#include "primitives/cuda/merge_tile.cuh"
#include "primitives/inputs.h"

namespace copse::cuda::detail::samples {

using copse::detail::sample_position;
using copse::detail::SamplePlan;
using copse::detail::samples_per_bucket;

inline constexpr u32 max_buckets = 1u << SamplePlan::max_bits;

/// The sizes with which a block distributes a tile.
template <class Key, class Value>
struct LevelShape {
  static constexpr bool with_values = MergeShape<Key, Value>::with_values;
  static constexpr u32 widest = larger(u32(sizeof(Key)), u32(sizeof(Value)));
  static constexpr u32 threads = 512;
  static constexpr u32 warps = threads / warp_size;
  static constexpr u32 max_bytes = 32u << 10;
  static constexpr u32 rows = smaller(12u, max_bytes / (threads * widest));
  static constexpr u32 tile = threads * rows;
  static_assert(threads >= max_buckets);  // one thread per bucket
};

/// A tile of a level. Its count for bucket j is at column + j * stride, so that the counts of the tiles of one
/// parent follow each other, in the order of their places.
struct LevelTile {
  u64 begin;
  u64 column, stride;
  u32 count;
  u32 parent;
};

/// The input of a level. The buckets that it cuts are its parents; if there is only one, nothing is stored about
/// it.
struct Level {
  u64 n;
  u32 parent_count;
  u32 bits;
  const u64* begins;       // of the parents, followed by n
  const u64* first_tiles;  // of the parents, followed by the number of tiles
  const LevelTile* tiles;
  u32 tile;

  COPSE_HD u32 bucket_count() const { return 1u << bits; }

  /// Returns the largest possible number of tiles: each parent may end in one that is not full.
  COPSE_HD u64 max_tiles() const { return divide_rounding_up(n, tile) + (parent_count - 1); }

  __device__ u64 begin_of(u32 parent) const { return parent_count == 1 ? (parent == 0 ? 0 : n) : begins[parent]; }
  __device__ LevelTile tile_at(u32 id) const {
    if (parent_count > 1) return tiles[id];
    const u64 begin = u64{id} * tile;
    return {begin, id, divide_rounding_up(n, tile), u32(smaller(n - begin, u64{tile})), 0};
  }
};

/// Returns the number of tiles of each parent. One more entry makes room for the total of their exclusive scan.
struct CountTiles {
  const u64* begins;
  u32 parent_count;
  u32 tile;

  __device__ u64 operator()(u64 parent) const {
    return parent < parent_count ? divide_rounding_up(begins[parent + 1] - begins[parent], tile) : 0;
  }
};

/// Describes every tile. Tiles past the last are empty; their counts are at the end of all, and become zero.
struct DescribeTiles {
  Level level;
  LevelTile* tiles;

  __device__ void operator()(u64 id) const {
    const u64 tile_count = level.first_tiles[level.parent_count];
    if (id >= tile_count) {
      tiles[id] = {0, id << level.bits, 1, 0, 0};
      return;
    }
    // Find the last parent whose first tile is not after this one. Empty parents before it have no tiles.
    u32 lo = 0, hi = level.parent_count - 1;
    while (lo < hi) {
      const u32 middle = lo + (hi - lo + 1) / 2;
      if (level.first_tiles[middle] <= id) {
        lo = middle;
      } else {
        hi = middle - 1;
      }
    }
    const u64 first = level.first_tiles[lo], stride = level.first_tiles[lo + 1] - first;
    const u64 begin = level.begins[lo] + (id - first) * level.tile;
    tiles[id] = {begin, (first << level.bits) + (id - first), stride,
                 u32(smaller(level.begins[lo + 1] - begin, u64{level.tile})), lo};
  }
};

/// Finds where the buckets that the level has made begin. The last entry is n.
struct BucketBegins {
  Level level;
  const u64* places;  // the counts, scanned
  u64* begins;

  __device__ void operator()(u64 i) const {
    const u32 parent = u32(i >> level.bits), bucket = u32(i) & (level.bucket_count() - 1);
    if (parent == level.parent_count) {
      begins[i] = level.n;
    } else if (level.parent_count == 1) {
      begins[i] = places[bucket * divide_rounding_up(level.n, level.tile)];
    } else {
      const u64 first = level.first_tiles[parent], stride = level.first_tiles[parent + 1] - first;
      begins[i] = stride == 0 ? level.begins[parent] : places[(first << level.bits) + bucket * stride];
    }
  }
};

}  // namespace copse::cuda::detail::samples
