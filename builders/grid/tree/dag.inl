// Sparse voxel DAGs: merges equal subtrees, level by level from the leaves up. Two subtrees of a level are equal
// if they have the same mask and the same new numbers of their children. They are sorted by a hash. In each run of
// equal hashes, a subtree is compared with the first one, and after a hash collision also with later ones. The
// first of equal subtrees stands for all of them. New numbers ascend with the hash, so the result does not depend
// on the order of threads.

#include "builders/grid/tree/tree_build.h"
#include "primitives/core/executor.h"
#include "primitives/for_each.h"
#include "primitives/inputs.h"
#include "primitives/radix_sort.h"
#include "primitives/scan.h"

namespace copse::detail {

/// A bijection of 64 bits whose bits all depend on all bits: the end of SplitMix64 (Steele, Lea, Flood, "Fast Splittable
/// Pseudorandom Number Generators", OOPSLA 2014).
COPSE_HD inline u64 mix_for_dag(u64 value) {
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
  value = (value ^ value >> 27) * 0x94d049bb133111ebu;
  return value ^ value >> 31;
}

/// The child `child` of a subtree that is a node, by its new number.
COPSE_HD inline u32 new_child(const Subtrees& trees, const VoxelNode& node, u32 child) {
  return trees.new_number[node.first + children_before(node.mask, child)];
}

/// Leaves are their own hash, so that they are sorted by their bits.
struct HashOfSubtree {
  Subtrees trees;
  COPSE_HD u64 operator()(u64 i) const {
    if (trees.are_leaves()) return trees.octree.leaves.data()[i];
    const VoxelNode node = trees.octree.nodes.data()[trees.first + i];
    u64 hash = mix_for_dag(node.mask);
    for (u32 child = 0; child < 8; ++child) {
      if ((node.mask >> child & 1) != 0) hash = mix_for_dag(hash + new_child(trees, node, child));
    }
    return hash;
  }
};

COPSE_HD inline bool are_equal(const Subtrees& trees, u32 a, u32 b) {
  if (trees.are_leaves()) return trees.octree.leaves.data()[a] == trees.octree.leaves.data()[b];
  const VoxelNode x = trees.octree.nodes.data()[trees.first + a], y = trees.octree.nodes.data()[trees.first + b];
  if (x.mask != y.mask) return false;
  for (u32 child = 0; child < 8; ++child) {
    if ((x.mask >> child & 1) != 0 && new_child(trees, x, child) != new_child(trees, y, child)) return false;
  }
  return true;
}

/// Input of a scan by maximum: i where a run of equal hashes begins, else 0.
struct RunBeginAt {
  const u64* hashes;
  COPSE_HD u32 operator()(u64 i) const { return i == 0 || hashes[i] != hashes[i - 1] ? u32(i) : 0; }
};

struct LaterRun {
  COPSE_HD u32 operator()(u32 a, u32 b) const { return larger(a, b); }
};

struct FindEqualSubtree {
  Subtrees trees;
  SubtreeOrder order;
  COPSE_HD void operator()(u64 i) const {
    u32 at = order.run_begin[i];
    while (at < i && !are_equal(trees, order.ids[at], order.ids[i])) ++at;
    order.equals[i] = at;
  }
};

/// Counts a different subtree, and in the high half its children.
struct FirstOfEquals {
  Subtrees trees;
  SubtreeOrder order;
  COPSE_HD u64 operator()(u64 i) const {
    if (order.equals[i] != i) return 0;
    if (trees.are_leaves()) return 1;
    return 1 | u64{population_count(trees.octree.nodes.data()[trees.first + order.ids[i]].mask)} << 32;
  }
};

struct RankOfSubtree {
  const u64* before;
  u32* rank;
  COPSE_HD void operator()(u64 i) const { rank[i] = u32(before[i]); }
};

struct StoreDagCounts {
  const u64* total;
  DagCounts* counts;
  COPSE_HD void operator()(u64) const { *counts = {*total & 0xffffffff, *total >> 32}; }
};

/// Stores the new numbers of a level by the old ones.
struct StoreNewNumber {
  Subtrees trees;
  SubtreeOrder order;
  u32 first_number;
  u32* new_number;
  COPSE_HD void operator()(u64 i) const {
    new_number[trees.first + order.ids[i]] = first_number + order.rank[order.equals[i]];
  }
};

/// Writes the first of equal subtrees.
struct WriteSubtree {
  Subtrees trees;
  SubtreeOrder order;
  const u64* before;
  u64 first_link;
  VoxelNode* nodes;
  u32* links;
  u64* leaves;
  COPSE_HD void operator()(u64 i) const {
    if (order.equals[i] != i) return;
    const u32 rank = order.rank[i];
    if (trees.are_leaves()) {
      leaves[rank] = trees.octree.leaves.data()[order.ids[i]];
      return;
    }
    const VoxelNode node = trees.octree.nodes.data()[trees.first + order.ids[i]];
    u64 link = first_link + (before[i] >> 32);
    nodes[rank] = {u32(link), node.mask};
    for (u32 child = 0; child < 8; ++child) {
      if ((node.mask >> child & 1) != 0) links[link++] = new_child(trees, node, child);
    }
  }
};

/// Numbers the different subtrees of a level.
///   before: as FirstOfEquals, the sums before each subtree
template <class Executor>
void order_subtrees(const Executor& ex, const Subtrees& trees, const SubtreeOrder& order, u64* before,
                    DagCounts* counts) {
  ScratchArena::Frame frame(ex.scratch);
  u64* const total = frame.allocate<u64>(1);
  const u64 n = trees.count;
  radix_sort_pairs(ex, "dag: sort", n, HashOfSubtree{trees}, Index{}, order.hashes, order.ids, BitRange{0, 64});
  inclusive_scan(ex, "dag: runs", n, RunBeginAt{order.hashes}, LaterRun{}, order.run_begin);
  for_each(ex, "dag: compare", n, FindEqualSubtree{trees, order});
  exclusive_scan(ex, "dag: numbers", n, FirstOfEquals{trees, order}, u64{0}, Plus{}, before, total);
  for_each(ex, "dag: ranks", n, RankOfSubtree{before, order.rank});
  for_each(ex, "dag: counts", 1, StoreDagCounts{total, counts});
}

template <class Executor>
void write_subtrees(const Executor& ex, const Subtrees& trees, const SubtreeOrder& order, const u64* before,
                    u32 first_number, u64 first_link, u32* new_number, const TreeMemory& dag, u32* links) {
  for_each(ex, "dag: new numbers", trees.count, StoreNewNumber{trees, order, first_number, new_number});
  for_each(ex, "dag: write", trees.count,
           WriteSubtree{trees, order, before, first_link, dag.nodes + first_number, links, dag.leaves});
}

struct CopyDagWord {
  const u32* from;
  u32* to;
  COPSE_HD void operator()(u64 i) const { to[i] = from[i]; }
};

template <class Executor>
void copy_dag_words(const Executor& ex, const u32* from, u32* to, u64 count) {
  for_each(ex, "dag: copy", count, CopyDagWord{from, to});
}

template <class Executor>
u64 dag_scratch_bytes(const Executor& ex, u64 n) {
  return ScratchArena::bytes_for<u64>(1) +
         larger(u64(radix_sort_pairs_scratch_bytes<u64, u32>(ex, n, BitRange{0, 64})),
                larger(u64(scan_scratch_bytes<u64>(ex, n)), u64(scan_scratch_bytes<u32>(ex, n))));
}

template void order_subtrees(const BodyExecutor&, const Subtrees&, const SubtreeOrder&, u64*, DagCounts*);
template void write_subtrees(const BodyExecutor&, const Subtrees&, const SubtreeOrder&, const u64*, u32, u64, u32*,
                             const TreeMemory&, u32*);
template void copy_dag_words(const BodyExecutor&, const u32*, u32*, u64);
template u64 dag_scratch_bytes(const BodyExecutor&, u64);

}  // namespace copse::detail
