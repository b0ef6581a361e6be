#pragma once

// The build of a sharded tree, step by step. Each step that may fail runs in Communicator::agree(), so that all ranks
// continue or all of them throw.

#include <memory>

#include "builders/bvh/hploc/hploc_slice.h"
#include "scale/sharded_build.h"
#include "scale/shards/exchange_plan.h"
#include "scale/slices/curve_slices.h"

namespace copse::detail {

class ShardBuild {
 public:
  ///   old_keys: the borders of an earlier build, to be tried first; empty if there are none
  ShardBuild(Communicator& comm, Context& context, const TriangleViews& triangles,
             const ShardedBuildOptions& options, const std::vector<u64>& old_keys)
      : comm_(comm), context_(context), triangles_(triangles), options_(options), old_keys_(old_keys) {}

  /// Counts ids and slots as if ranks before the first one had so many triangles, which are nowhere. So tests can reach
  /// counts for which there is no memory.
  void count_from(u64 triangles_before) { triangles_before_ = triangles_before; }

  ShardedBvh run();

 private:
  void compare_inputs();
  void make_keys();
  bool keep_borders();
  void find_borders();
  void split_by_borders();
  void check_shares() const;
  void place_splitters(const std::vector<u64>& keys, const std::vector<std::vector<u64>>& counts);
  void exchange_triangles();
  void build_tree();
  void merge_clusters(const Buffer<Aabb>& boxes);
  void find_border_deltas();
  void merge_over_borders();

  bool is_hploc() const { return options_.hploc_radius > 0; }
  u64 own_count() const { return triangles_.primitive_count(); }
  std::vector<u64> count_keys();
  u64 key_of_slot(u64 slot) const;

  Communicator& comm_;
  Context& context_;
  const TriangleViews& triangles_;
  const ShardedBuildOptions& options_;
  const std::vector<u64> old_keys_;
  u64 triangles_before_ = 0;

  MortonSlice curve_{};
  u32 first_id_ = 0;  // of this rank's triangles
  bool has_masks_ = false;
  Buffer<u64> keys_;
  BorderSearch search_{1};
  std::vector<Splitter> splitters_;  // [rank - 1]
  bool cuts_equal_keys_ = false;     // true if the slots of the splitters are known, not only their keys
  Buffer<u32> split_ids_;
  std::unique_ptr<ExchangePlan> plan_;
  Buffer<PackedTriangle> received_;
  Buffer<u32> received_masks_;
  Buffer<WaitingRange> ranges_;  // of an H-PLOC tree
  u64 range_count_ = 0;
  ShardedBvh shard_;
};

}  // namespace copse::detail
