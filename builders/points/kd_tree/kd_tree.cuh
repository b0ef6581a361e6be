#pragma once

// The kd-tree on CUDA: three sorts, one split of one list per level, and blocks for the subtrees that fit shared
// memory. bench: copse-bench-points, kd_tree/.

#include "builders/points/kd_tree/kd_finish.cuh"
#include "builders/points/kd_tree/kd_split.cuh"

namespace copse::cuda {

namespace detail {

/// The scratch of a build.
struct KdMemory {
  KdRanks ranks;
  KdSpareWords spare;
  u32* pivots;
  u64* words;    // of all splits
  u32* tickets;  // behind the words: one per split
  KdItem* items[4];
};

/// How many splits a build of `n` points makes down to level `last`, and the look-back words that they need.
struct KdSplitSizes {
  u32 count = 0;
  u64 words = 0;

  KdSplitSizes(u64 n, u32 last) {
    u32 levels[3] = {0, 0, 0};
    const auto add = [&](u32 axis, u32 to_level) {
      words += kd_split_word_count(n, levels[axis]);
      levels[axis] = to_level;
      ++count;
    };
    for (u32 level = 1; level < last; ++level) add(kd_axis(level), level);
    if (last > 0) {
      for (u32 axis = 0; axis < 3; ++axis) add(axis, last);
    }
  }

  /// The words and the tickets in one piece, so that one command clears them.
  u64 cleared_words() const { return words + divide_rounding_up(count, 2); }
};

/// Splits the lists down to the level of the blocks. Returns the lists of that level, as ranks along x.
class KdSplits {
 public:
  KdSplits(const Executor& ex, u64 n, const KdArrays& tree, const KdMemory& memory)
      : ex_(ex), n_(n), tree_(tree), memory_(memory) {
    spare_ = memory.items[3];
    for (u32 axis = 0; axis < 3; ++axis) lists_[axis].axis = axis;
  }

  /// Splits the list along the axis of a level by the subtrees of that level, and finds their roots.
  void find_roots(u32 level) {
    KdList& list = lists_[kd_axis(level)];
    KdItem* const out = list.items == nullptr ? memory_.items[list.axis] : spare_;
    split("kd-tree: level", list, level, out, nullptr);
    if (list.items != nullptr) spare_ = const_cast<KdItem*>(list.items);
    list.level = level;
    list.items = out;
  }

  void finish_lists(u32 level) {
    for (const KdList& list : lists_) {
      split("kd-tree: lists of subtrees", list, level, nullptr, memory_.spare.words[list.axis]);
    }
  }

 private:
  void split(const char* label, const KdList& list, u32 level, KdItem* out, u32* x_ranks) {
    const u32 tiles = kd_tiles_per_subtree(n_, list.level);
    split_kd_list(ex_, label,
                  {list, level, tiles, memory_.ranks, tree_, memory_.pivots, out, x_ranks,
                   memory_.words + words_used_, memory_.tickets + tickets_used_});
    words_used_ += kd_split_word_count(n_, list.level);
    ++tickets_used_;
  }

  const Executor& ex_;
  u64 n_;
  KdArrays tree_;
  const KdMemory& memory_;
  KdList lists_[3];
  KdItem* spare_;
  u64 words_used_ = 0;
  u32 tickets_used_ = 0;
};

}  // namespace detail

/// Contract: builders/points/kd_tree/kd_tree.inl. There is at least one point.
inline void store_kd_nodes(const Executor& ex, const PositionSpan& points, const detail::KdArrays& tree) {
  using detail::KdItem;
  ScratchArena::Frame frame(ex.scratch);
  const u64 n = points.size;
  const u32 block_level = detail::kd_block_level(ex, n);
  const detail::KdSplitSizes sizes(n, block_level);
  detail::KdMemory memory{};
  memory.ranks.points = frame.allocate<KdPoint>(n);
  memory.ranks.y_order = frame.allocate<u32>(2 * n);
  memory.ranks.z_order = memory.ranks.y_order + n;
  for (u32** words : {&memory.ranks.y_rank, &memory.ranks.z_rank, memory.spare.words, memory.spare.words + 1,
                      memory.spare.words + 2}) {
    *words = frame.allocate<u32>(n);
  }
  memory.pivots = frame.allocate<u32>(u64{1} << block_level);
  memory.words = frame.allocate<u64>(sizes.cleared_words());
  memory.tickets = reinterpret_cast<u32*>(memory.words + sizes.words);

  // Sort the points along each axis.
  rank_kd_points(ex, points, tree, memory.ranks, memory.spare, memory.pivots);
  detail::KdFinish finish{
      block_level, 0, {nullptr, memory.ranks.y_order, memory.ranks.z_order}, memory.ranks, tree};

  // Split the lists level by level, until a block can take a subtree.
  if (block_level > 0) {
    for (KdItem*& items : memory.items) items = frame.allocate<KdItem>(n);
    fill_bytes(ex, "kd-tree: clear", memory.words, sizes.cleared_words(), 0);
    detail::KdSplits splits(ex, n, tree, memory);
    for (u32 level = 1; level < block_level; ++level) splits.find_roots(level);
    splits.finish_lists(block_level);
    for (u32 axis = 0; axis < 3; ++axis) finish.x_ranks[axis] = memory.spare.words[axis];
  }

  // Finish the subtrees.
  finish_kd_subtrees(ex, n, finish);
}

inline u64 kd_stage_scratch_bytes(const Executor& ex, u64 n) {
  const u32 block_level = detail::kd_block_level(ex, n);
  const detail::KdSplitSizes sizes(n, block_level);
  const u64 lists = block_level > 0 ? 4 * ScratchArena::bytes_for<detail::KdItem>(n) : 0;
  return ScratchArena::bytes_for<KdPoint>(n) + ScratchArena::bytes_for<u32>(2 * n) +
         5 * ScratchArena::bytes_for<u32>(n) + ScratchArena::bytes_for<u32>(u64{1} << block_level) +
         ScratchArena::bytes_for<u64>(sizes.cleared_words()) + larger(lists, detail::kd_sort_scratch_bytes(ex, n));
}

}  // namespace copse::cuda
