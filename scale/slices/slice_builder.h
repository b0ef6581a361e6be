#pragma once

// Builds the trees over slices on a device, moves them into the tree on the host, and joins them.

#include <memory>
#include <optional>

#include "builders/bvh/hploc/hploc_slice.h"
#include "primitives/core/buffer.h"
#include "scale/links/staged_copies.h"
#include "scale/slices/curve_slices.h"
#include "scale/slices/join_slices.h"

namespace copse::detail {

/// The slices of a build, and the builder.
struct SlicePlan {
  u64 slice_size;
  u32 morton_bits;
  u32 hploc_radius;  // 0 for an LBVH

  bool is_hploc() const { return hploc_radius > 0; }
  u64 waiting_ranges() const { return is_hploc() ? max_waiting_ranges(slice_size) : 0; }
};

/// The memory of a device that the slices share, and the copies to and from it. While the tree over a slice is built
/// and downloaded, the boxes of the next slice are uploaded; on the CPU one follows the other.
class SliceBuilder {
 public:
  /// Returns the device memory that the slices take, in bytes.
  static u64 device_bytes(Context& device, const SlicePlan& plan);

  ///   host:   runs the loops over pieces
  ///   bounds: of all triangles
  ///   tree:   of all slices, in host memory. Its primitive ids are already sorted into slices
  SliceBuilder(const cpu::Executor& host, Context& device, const SlicePlan& plan, const Aabb& bounds,
               const HostTriangleKeys& keys, const BvhArrays& tree);

  /// Builds the trees over `count` slots, slice by slice.
  void build_all(u64 count);

  /// Joins them to one tree.
  void join();

 private:
  void upload(u64 slice);
  void finish(u64 slice);
  void build(const SliceTree& slice, const Aabb* boxes);
  void download_nodes(SliceTree& slice);
  void download_links(const SliceTree& slice);
  void download_deltas(const SliceTree& slice);
  void download_ids(const SliceTree& slice);
  void download_ranges(const SliceTree& slice);
  void push_ranges(u32 delta_right);
  void place_clusters();
  u8 border_delta(u32 slot) const;
  SliceTree slots_of(u64 slice) const;
  u32 box_sets() const { return device_.backend() == Backend::cuda ? 2 : 1; }
  Buffer<Aabb>& boxes_of(u64 slice) { return boxes_[slice % box_sets()]; }

  const cpu::Executor& host_;
  Context& device_;
  SlicePlan plan_;
  u64 slot_count_ = 0;
  MortonSlice curve_;
  const HostTriangleKeys& keys_;
  BvhArrays tree_;
  Buffer<Aabb> boxes_[2];
  Bvh slice_tree_;
  Buffer<u32> range_count_;
  Buffer<WaitingRange> ranges_;
  std::vector<u32> ids_;
  std::vector<SliceTree> slices_;
  std::vector<WaitingRange> last_ranges_;  // of the last slice, until the delta behind it is known
  std::optional<RangeJoin> range_join_;    // of an H-PLOC tree
  std::unique_ptr<StagedCopies> copies_;   // the last member: it waits for copies to and from the others
};

}  // namespace copse::detail
