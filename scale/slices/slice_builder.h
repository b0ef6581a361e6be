#pragma once

// Builds the trees over slices on a device, and moves them into the tree on the host.

#include <memory>

#include "primitives/core/buffer.h"
#include "scale/links/staged_copies.h"
#include "scale/slices/curve_slices.h"
#include "scale/slices/join_slices.h"

namespace copse::detail {

/// The memory of a device that the slices share, and the copies to and from it. While the tree over a slice is built
/// and downloaded, the boxes of the next slice are uploaded; on the CPU one follows the other.
class SliceBuilder {
 public:
  /// Returns the device memory that slices of a size take, in bytes.
  static u64 device_bytes(Context& device, u64 slice_size, u32 morton_bits);

  ///   host: runs the loops over pieces
  ///   tree: of all slices, in host memory. Its primitive ids are already sorted into slices
  SliceBuilder(const cpu::Executor& host, Context& device, u64 slice_size, const MortonSlice& curve,
               const HostTriangleKeys& keys, const BvhArrays& tree);

  /// Builds the trees over `count` slots, slice by slice. Sets the deltas of all slots. Returns the trees in order.
  std::vector<SliceTree> build_all(u64 count);

 private:
  void upload(u64 slice);
  void build(u64 slice);
  void download_nodes(SliceTree& slice);
  void download_links(const SliceTree& slice);
  void download_ids(const SliceTree& slice);
  void store_border_delta(u32 slot);
  SliceTree slots_of(u64 slice) const;
  u32 box_sets() const { return device_.backend() == Backend::cuda ? 2 : 1; }
  Buffer<Aabb>& boxes_of(u64 slice) { return boxes_[slice % box_sets()]; }

  const cpu::Executor& host_;
  Context& device_;
  u64 slice_size_, slot_count_ = 0;
  MortonSlice curve_;
  const HostTriangleKeys& keys_;
  BvhArrays tree_;
  Buffer<Aabb> boxes_[2];
  Bvh slice_tree_;
  std::vector<u32> ids_;
  std::unique_ptr<StagedCopies> copies_;  // the last member: it waits for copies to and from the others
};

}  // namespace copse::detail
