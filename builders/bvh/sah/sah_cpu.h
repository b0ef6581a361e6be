#pragma once

// The top-down SAH split on the CPU. Contract: builders/bvh/sah/sah.inl.
//
// All workers split the large nodes together, one node after the other. The subtrees below have one worker each.

#include <algorithm>
#include <mutex>
#include <vector>

#include "builders/bvh/sah/sah_bins_cpu.h"
#include "builders/bvh/sah/sah_sweep_cpu.h"
#include "primitives/cpu/for_each.h"
#include "primitives/cpu/partition.h"

namespace copse::cpu {

namespace detail {

/// All workers together split a node of more items.
inline constexpr u32 sah_subtree_items = 1u << 15;

/// A split, with the grid that it counts in and the box of the node.
struct SahNodeSplit {
  SahGrid grid;
  SahSplit split;
  Aabb box;
};

inline SahNodeSplit choose_split(const SahGrid& grid, const SahBins& bins, const SahRange& range) {
  const bool is_deep = range.depth >= copse::detail::sah_depth_limit;
  return {grid, is_deep ? SahSplit::in_the_middle(range.count) : bins.best_split(range.count), bins.box()};
}

/// Builds subtrees on one thread.
class SahSubtree {
 public:
  explicit SahSubtree(const SahInput& in) : in_(in), sweep_(in) {}

  void build(SahRange range) {
    stack_.push_back(range);
    while (!stack_.empty()) {
      range = stack_.back();
      stack_.pop_back();
      if (range.count <= max_swept_items) {
        sweep_.build(range, in_.items + range.first);
        continue;
      }
      const u32 left_count = split(range);
      stack_.push_back(range.right(left_count));
      stack_.push_back(range.left(left_count));
    }
  }

 private:
  /// Splits a node. Returns how many items go left.
  u32 split(const SahRange& range) {
    SahItem* const items = in_.items + range.first;
    Aabb centres = Aabb::empty();
    for (u32 i = 0; i < range.count; ++i) centres = merge(centres, {items[i].centre(), items[i].centre()});
    const auto grid = SahGrid::over(centres, in_.bin_count);
    SahBins bins(in_.bin_count);
    for (u32 i = 0; i < range.count; ++i) bins.add(grid, items[i]);
    const SahNodeSplit node = choose_split(grid, bins, range);

    SahItem* const right = in_.spare + range.first;
    u32 left_count = 0, right_count = 0;
    for (u32 i = 0; i < range.count; ++i) {
      (node.split.goes_left(grid, items[i], i) ? items[left_count++] : right[right_count++]) = items[i];
    }
    std::copy_n(right, right_count, items + left_count);
    in_.tree.place_inner(range, node.box, left_count);
    return left_count;
  }

  const SahInput& in_;
  SahSweep sweep_;
  std::vector<SahRange> stack_;
};

/// Splits large nodes.
class SahTop {
 public:
  SahTop(const Executor& ex, const SahInput& in) : ex_(ex), in_(in) {}

  /// Returns the subtrees that remain, the largest first.
  std::vector<SahRange> split_large_nodes() {
    std::vector<SahRange> large, subtrees;
    const auto keep = [&](const SahRange& range) {
      (range.count > sah_subtree_items ? large : subtrees).push_back(range);
    };
    keep(SahRange::whole(*in_.valid_count));
    while (!large.empty()) {
      const SahRange range = large.back();
      large.pop_back();
      const u32 left_count = split(range);
      keep(range.left(left_count));
      keep(range.right(left_count));
    }
    std::stable_sort(subtrees.begin(), subtrees.end(),
                     [](const SahRange& a, const SahRange& b) { return a.count > b.count; });
    return subtrees;
  }

 private:
  static constexpr u64 grain = 8192;

  Aabb bound_centres(const SahRange& range) const {
    Aabb all = Aabb::empty();
    std::mutex mutex;
    parallel_ranges(ex_, "sah: centres", range.count, grain, [&](u64 begin, u64 end) {
      Aabb centres = Aabb::empty();
      for (u64 i = range.first + begin; i < range.first + end; ++i) {
        const vec3 centre = in_.items[i].centre();
        centres = merge(centres, {centre, centre});
      }
      const std::lock_guard lock(mutex);
      all = merge(all, centres);
    });
    return all;
  }

  SahBins fill_bins(const SahRange& range, const SahGrid& grid) const {
    SahBins all(in_.bin_count);
    std::mutex mutex;
    parallel_ranges(ex_, "sah: bins", range.count, grain, [&](u64 begin, u64 end) {
      SahBins bins(in_.bin_count);
      for (u64 i = range.first + begin; i < range.first + end; ++i) bins.add(grid, in_.items[i]);
      const std::lock_guard lock(mutex);
      all.add(bins);
    });
    return all;
  }

  /// Splits a node by all workers. Returns how many items go left.
  u32 split(const SahRange& range) const {
    const auto grid = SahGrid::over(range.depth == 0 ? *in_.centres : bound_centres(range), in_.bin_count);
    const SahNodeSplit node = choose_split(grid, fill_bins(range, grid), range);
    SahItem* const items = in_.items + range.first;
    SahItem* const spare = in_.spare + range.first;
    u64 left_count = 0;
    partition_each(
        ex_, "sah: split", range.count, [&](u64 i) { return node.split.goes_left(grid, items[i], u32(i)); },
        [&](u64 place, u64 i) { spare[place] = items[i]; }, &left_count);
    for_each(ex_, "sah: split", range.count, [&](u64 i) { items[i] = spare[i]; });
    in_.tree.place_inner(range, node.box, u32(left_count));
    return u32(left_count);
  }

  const Executor& ex_;
  const SahInput& in_;
};

}  // namespace detail

/// Contract: builders/bvh/sah/sah.inl.
inline void split_top_down(const Executor& ex, u64, const copse::detail::SahInput& in) {
  if (*in.valid_count == 0) return;
  const auto subtrees = detail::SahTop(ex, in).split_large_nodes();
  parallel_ranges(ex, "sah: subtrees", subtrees.size(), 1, [&](u64 begin, u64 end) {
    detail::SahSubtree subtree(in);
    for (u64 k = begin; k < end; ++k) subtree.build(subtrees[k]);
  });
}

/// Returns the scratch of split_top_down over at most `n` items.
inline u64 split_top_down_scratch_bytes(const Executor& ex, u64 n) {
  return partition_scratch_bytes<copse::detail::SahItem>(ex, n);
}

}  // namespace copse::cpu
