#pragma once

// What accels and scenes share: options of their builds, and measures of their trees.

#include "accel/accel.h"
#include "builders/bvh/stats.h"
#include "capi/accel.h"
#include "capi/bridge/call.h"

namespace copse::capi {

/// Throws: Error invalid_argument if the quality is none of the three.
inline Quality quality_of(const copse_build_options& options) {
  if (options.quality < COPSE_QUALITY_FAST || options.quality > COPSE_QUALITY_BEST) {
    refuse("quality is " + std::to_string(options.quality) + "; it can be 0 to 2");
  }
  return Quality(options.quality);
}

/// Returns the options of an accel; null means the defaults. Throws: Error invalid_argument.
inline AccelOptions accel_options_of(const copse_build_options* given) {
  const copse_build_options defaults = COPSE_BUILD_OPTIONS_INIT;
  const copse_build_options options = read_struct("copse_build_options", given, defaults);
  return {.quality = quality_of(options), .capacity = options.capacity, .splits = float(options.splits)};
}

/// Throws: Error invalid_argument if the options ask for splits, of a call that has no triangles.
inline void refuse_splits(const copse_build_options& options) {
  if (options.splits == 1) return;
  refuse("splits is " + std::to_string(options.splits) + ", but instances cannot be split; it must be 1");
}

/// Stores measures where the caller wants them.
inline void store_stats(const WideBvhStats& measured, u64 source_count, u64 size_bytes, copse_stats* room) {
  copse_stats result = COPSE_STATS_INIT;
  result.source_count = source_count;
  result.left_out_count = measured.counts.invalid_count;
  result.node_count = measured.counts.node_count;
  result.leaf_count = measured.leaf_count;
  result.depth = measured.depth;
  result.sah_cost = measured.sah_cost;
  for (int axis = 0; axis < 3; ++axis) {
    result.lower[axis] = measured.bounds.lo[axis];
    result.upper[axis] = measured.bounds.hi[axis];
  }
  result.used_bytes = measured.used_bytes;
  result.size_bytes = size_bytes;
  write_struct("copse_stats", result, room);
}

}  // namespace copse::capi
