// A new top for a binary tree, by the SAH builder over the clusters below it. See top.h for the source.
//
// The cooperative stage, top_cpu.h and top.cuh:
//
//   cut_top(ex, bvh, cut)
//     Stores the clusters of a tree, the pairs of children of the nodes above them, and how many clusters there are.
//     top_cut.h describes the order of both lists.
//
// The top has one node less than there are clusters, and so has any tree over the clusters. So the nodes of the new
// top take the pairs that the old one had:
//
//   small tree   node t is in pair (t - 1) / 2     ->   pairs[(t - 1) / 2] + (t - 1) % 2 in the large one
//                leaf of cluster c                 ->   a copy of the node of clusters[c]

#include "builders/bvh/build/bvh_arrays.h"
#include "builders/bvh/reinsert.h"
#include "builders/bvh/sah.h"
#include "builders/bvh/top/top_cut.h"
#include "primitives/inputs.h"
#include "primitives/reduce.h"

namespace copse::detail {

// Of sah.inl, and of reinsert.inl.
template <class Executor, class Options>
void build_over_boxes(const Executor& ex, const Aabb* boxes, u64 n, const Options& options, const BvhArrays& bvh);
template <class Executor, class Options>
u64 build_scratch_bytes(const Executor& ex, u64 n, u64 view_count, const Options& options);
template <class Executor>
void reinsert_nodes(const Executor& ex, u64 node_count, const BvhArrays& bvh, const ReinsertOptions& options);
template <class Executor>
u64 reinsert_scratch_bytes(const Executor& ex, u64 node_count);

inline constexpr SahOptions top_options{.rotation_passes = 0};
inline constexpr ReinsertOptions top_reinsertion{.passes = 2};

/// Keeps the node of a cluster, and stores its box. Places past the last cluster get an empty box, which the SAH
/// builder leaves out.
struct TakeCluster {
  BvhArrays bvh;
  TopCut cut;
  BvhNode* nodes;
  Aabb* boxes;

  COPSE_HD void operator()(u64 i) const {
    const bool is_there = i < *cut.cluster_count;
    if (is_there) nodes[i] = bvh.nodes[cut.clusters[i].node];
    boxes[i] = is_there ? nodes[i].box() : Aabb::empty();
  }
};

/// Returns whether the small tree has a leaf for each cluster. It has fewer if a refit has emptied clusters.
COPSE_HD inline bool has_all_clusters(const BvhArrays& small, const TopCut& cut) {
  return *cut.cluster_count > 1 && small.counts->leaf_count == *cut.cluster_count;
}

/// Areas of inner nodes as whole numbers, so that sums are the same in any order.
struct TopAreas {
  u64 old_top, new_top;
};
struct AddTopAreas {
  COPSE_HD TopAreas operator()(const TopAreas& a, const TopAreas& b) const {
    return {a.old_top + b.old_top, a.new_top + b.new_top};
  }
};
struct TopAreaOf {
  BvhArrays bvh, small;
  TopCut cut;

  COPSE_HD TopAreas operator()(u64 pair) const {
    if (pair + 1 >= *cut.cluster_count || !has_all_clusters(small, cut)) return {0, 0};
    const u32 old_parent = bvh.parents[sibling_pair(cut.pairs[pair])], new_parent = small.parents[pair];
    return {share(bvh.nodes[old_parent].box()), share(small.nodes[new_parent].box())};
  }

 private:
  COPSE_HD u64 share(const Aabb& box) const {
    constexpr double units = u64{1} << 48;
    const double root = half_area(bvh.nodes[0].box()), area = half_area(box);
    return area < root ? u64(area / root * units) : u64(units);
  }
};

/// Stores a node of the new top, or a cluster, at its place in the large tree.
struct PlaceTopNode {
  BvhArrays bvh, small;
  TopCut cut;
  const BvhNode* clusters;
  const TopAreas* areas;

  COPSE_HD void operator()(u64 t) const {
    if (!has_all_clusters(small, cut) || areas->new_top >= areas->old_top) return;
    if (t >= 2 * u64{*cut.cluster_count} - 1) return;
    const u32 node = place(u32(t));
    BvhNode own = small.nodes[t];
    if (own.is_leaf()) {
      own = clusters[small.primitive_ids[own.first]];
    } else {
      own.first = cut.pairs[sibling_pair(own.first)];
    }
    bvh.nodes[node] = own;
    if (!own.is_leaf()) bvh.parents[sibling_pair(own.first)] = node;
    if (t == 0) *bvh.has_deltas = 0;
  }

 private:
  COPSE_HD u32 place(u32 t) const { return t == 0 ? 0 : cut.pairs[sibling_pair(t)] + (t - 1) % 2; }
};

/// Returns room for a tree over `n` primitives in scratch.
inline BvhArrays allocate_small_tree(ScratchArena::Frame& frame, u64 n) {
  u32* const words = frame.allocate<u32>(delta_words(n));
  return {frame.allocate<BvhNode>(node_capacity(n)),
          frame.allocate<u32>(n),
          frame.allocate<u32>(n),
          frame.allocate<BvhCounts>(1),
          reinterpret_cast<u8*>(words + 2),
          words,
          words + 1};
}

inline u64 small_tree_bytes(u64 n) {
  return ScratchArena::bytes_for<u32>(delta_words(n)) + ScratchArena::bytes_for<BvhNode>(node_capacity(n)) +
         2 * ScratchArena::bytes_for<u32>(n) + ScratchArena::bytes_for<BvhCounts>(1);
}

template <class Executor>
void rebuild_top_nodes(const Executor& ex, u64 n, const BvhArrays& bvh) {
  ScratchArena::Frame frame(ex.scratch);
  const u64 capacity = TopShape::capacity(n);
  if (capacity < 3) return;
  const TopCut cut{frame.allocate<TopCluster>(capacity), frame.allocate<TopCluster>(capacity),
                   frame.allocate<u32>(capacity), frame.allocate<u32>(1), u32(capacity)};
  auto* const clusters = frame.allocate<BvhNode>(capacity);
  auto* const boxes = frame.allocate<Aabb>(capacity);
  auto* const areas = frame.allocate<TopAreas>(1);
  const BvhArrays small = allocate_small_tree(frame, capacity);

  cut_top(ex, bvh, cut);
  for_each(ex, "top: clusters", capacity, TakeCluster{bvh, cut, clusters, boxes});
  build_over_boxes(ex, static_cast<const Aabb*>(boxes), capacity, top_options, small);
  reinsert_nodes(ex, node_capacity(capacity), small, top_reinsertion);
  reduce(ex, "top: areas", capacity, TopAreaOf{bvh, small, cut}, TopAreas{0, 0}, AddTopAreas{}, areas);
  for_each(ex, "top: place", node_capacity(capacity), PlaceTopNode{bvh, small, cut, clusters, areas});
}

template <class Executor>
u64 rebuild_top_scratch_bytes(const Executor& ex, u64 n) {
  const u64 capacity = TopShape::capacity(n);
  if (capacity < 3) return 0;
  const u64 build_bytes = larger(build_scratch_bytes(ex, capacity, 0, top_options),
                                 reinsert_scratch_bytes(ex, node_capacity(capacity)));
  return 2 * ScratchArena::bytes_for<TopCluster>(capacity) + ScratchArena::bytes_for<u32>(capacity) +
         ScratchArena::bytes_for<u32>(1) + ScratchArena::bytes_for<BvhNode>(capacity) +
         ScratchArena::bytes_for<Aabb>(capacity) + ScratchArena::bytes_for<TopAreas>(1) +
         small_tree_bytes(capacity) + larger(build_bytes, u64(reduce_scratch_bytes<TopAreas>(ex, capacity)));
}

template void rebuild_top_nodes(const BodyExecutor&, u64, const BvhArrays&);
template u64 rebuild_top_scratch_bytes(const BodyExecutor&, u64);

}  // namespace copse::detail
