// Proof that the content of a kd-tree of triangles is right.
//
// 1. Nodes: each is below one other, with a larger number, in 60 levels at most. So every walk ends.
// 2. Lists: each entry is in one leaf, and the ids of a leaf ascend.
// 3. References: the box of each triangle goes down the tree by the rule of the builder. Each leaf that it reaches must
//    list the triangle. Entries that no triangle finds are wrong.

#include "builders/geometry/make_triangle_table.h"
#include "builders/kd/measure/sah_kd_faults.h"
#include "builders/kd/sah_kd/kd_planes.h"
#include "primitives/core/atomic.h"
#include "primitives/inputs.h"
#include "primitives/reduce.h"

namespace copse::detail {

/// The box of triangles, and how many there are.
struct SahKdBox {
  Aabb box;
  u64 count;
};

struct BoxOfSahKdTriangle {
  TriangleBoxes boxes;
  COPSE_HD SahKdBox operator()(u64 i) const {
    const Aabb box = boxes(u32(i));
    return {box, is_empty(box) ? u64{0} : u64{1}};
  }
};

struct MergeSahKdBoxes {
  COPSE_HD SahKdBox operator()(const SahKdBox& a, const SahKdBox& b) const {
    return {merge(a.box, b.box), a.count + b.count};
  }
};

/// Stores the parent of the children of a node, and counts how many name each child.
struct ListSahKdParents {
  SahKdView tree;
  u32* parents;
  u32* parent_counts;
  SahKdFaults* faults;
  COPSE_HD void operator()(u64 i) const {
    const SahKdNode node = tree.nodes.data()[i];
    if (node.is_leaf()) {
      const bool fits = u64{node.first()} + node.count() <= tree.primitive_ids.size();
      if (!fits) fetch_add_relaxed(&faults->bad_nodes, u64{1});
      return;
    }
    const u64 child = node.first_child();
    if (child <= i || child + 1 >= tree.nodes.size() || !is_finite(node.plane())) {
      fetch_add_relaxed(&faults->bad_nodes, u64{1});
      return;
    }
    for (u32 k = 0; k < 2; ++k) {
      store_relaxed(parents + child + k, u32(i));
      fetch_add_relaxed(parent_counts + child + k, 1u);
    }
  }
};

/// Walks up from a node, for its level, and marks the entries of a leaf.
struct CheckSahKdNode {
  SahKdView tree;
  const u32* parents;
  const u32* parent_counts;
  u32* leaf_counts;  // [entry]
  u32* levels;       // [node]
  SahKdFaults* faults;

  COPSE_HD void operator()(u64 i) const {
    levels[i] = level_of(u32(i));
    if (parent_counts[i] != (i == 0 ? 0 : 1) || levels[i] > max_sah_kd_level) {
      fetch_add_relaxed(&faults->bad_nodes, u64{1});
      return;
    }
    const SahKdNode node = tree.nodes.data()[i];
    if (!node.is_leaf() || u64{node.first()} + node.count() > tree.primitive_ids.size()) return;
    for (u32 k = 0; k < node.count(); ++k) {
      fetch_add_relaxed(leaf_counts + node.first() + k, 1u);
      if (k == 0) continue;
      const u32* const ids = tree.primitive_ids.data() + node.first();
      if (ids[k] <= ids[k - 1]) fetch_add_relaxed(&faults->bad_ids, u64{1});
    }
  }

 private:
  /// Parents have smaller numbers, so the walk ends. It ends early below the limit, and at a node without a parent.
  COPSE_HD u32 level_of(u32 node) const {
    u32 level = 0;
    for (; node != 0 && parent_counts[node] != 0 && level <= max_sah_kd_level; ++level) node = parents[node];
    return level;
  }
};

struct CheckSahKdEntry {
  SahKdView tree;
  TriangleBoxes boxes;
  u64 triangle_count;
  const u32* leaf_counts;
  SahKdFaults* faults;
  COPSE_HD void operator()(u64 i) const {
    if (leaf_counts[i] != 1) fetch_add_relaxed(&faults->bad_lists, u64{1});
    const u32 id = tree.primitive_ids.data()[i];
    if (id >= triangle_count || is_empty(boxes(id))) fetch_add_relaxed(&faults->bad_ids, u64{1});
  }
};

struct CompareSahKdCounts {
  SahKdView tree;
  SahKdCounts counts;
  const SahKdBox* box;
  const u32* deepest;
  SahKdFaults* faults;
  COPSE_HD void operator()(u64) const {
    const Aabb bounds = tree.bounds.data()[0];
    const bool fit = bounds == box->box || (is_empty(bounds) && is_empty(box->box));
    if (!fit || counts.valid_count != box->count || counts.depth != *deepest) {
      fetch_add_relaxed(&faults->bad_counts, u64{1});
    }
  }
};

template <class Executor>
void check_sah_kd_nodes(const Executor& ex, std::span<const TriangleView> views, const SahKdView& tree,
                        const SahKdCounts& counts, SahKdFaults* faults) {
  ScratchArena::Frame frame(ex.scratch);
  const TriangleBoxes boxes{make_triangle_table(ex, frame, views)};
  u64 n = 0;
  for (const TriangleView& view : views) n += view.triangle_count();
  const u64 node_count = tree.nodes.size(), entry_count = tree.primitive_ids.size();
  u32* parents = frame.template allocate<u32>(node_count);
  u32* parent_counts = frame.template allocate<u32>(node_count);
  u32* leaf_counts = frame.template allocate<u32>(entry_count);
  u32* levels = frame.template allocate<u32>(node_count);
  u32* deepest = frame.template allocate<u32>(1);
  auto* box = frame.template allocate<SahKdBox>(1);
  fill_bytes(ex, "SAH kd-tree validate: parents", parent_counts, node_count, 0);
  fill_bytes(ex, "SAH kd-tree validate: entries", leaf_counts, entry_count, 0);
  for_each(ex, "SAH kd-tree validate: parents", node_count,
           ListSahKdParents{tree, parents, parent_counts, faults});
  for_each(ex, "SAH kd-tree validate: nodes", node_count,
           CheckSahKdNode{tree, parents, parent_counts, leaf_counts, levels, faults});
  reduce(ex, "SAH kd-tree validate: depth", node_count, Elements<u32>{levels}, 0u, Larger{}, deepest);
  for_each(ex, "SAH kd-tree validate: entries", entry_count, CheckSahKdEntry{tree, boxes, n, leaf_counts, faults});
  reduce(ex, "SAH kd-tree validate: bounds", n, BoxOfSahKdTriangle{boxes}, SahKdBox{Aabb::empty(), 0},
         MergeSahKdBoxes{}, box);
  for_each(ex, "SAH kd-tree validate: counts", 1, CompareSahKdCounts{tree, counts, box, deepest, faults});
}

/// A part of a tree that a triangle reaches.
struct SahKdPart {
  Aabb cell;
  u32 node;
};

/// Follows the box of a triangle down the tree.
struct FindSahKdReferences {
  SahKdView tree;
  TriangleBoxes boxes;
  u64* found_count;
  SahKdFaults* faults;

  COPSE_HD void operator()(u64 i) const {
    const Aabb box = boxes(u32(i));
    if (is_empty(box)) return;
    SahKdPart put_off[max_sah_kd_level];
    u32 put_off_count = 0;
    SahKdPart at{tree.bounds.data()[0], 0};
    for (;;) {
      const SahKdNode node = tree.nodes.data()[at.node];
      if (node.is_leaf()) {
        u64* const counter = lists(node, u32(i)) ? found_count : &faults->missing_references;
        fetch_add_relaxed(counter, u64{1});
        if (put_off_count == 0) return;
        at = put_off[--put_off_count];
        continue;
      }
      const KdSides sides = kd_sides(intersection(box, at.cell), node.axis(), node.plane());
      SahKdPart left{at.cell, node.first_child()}, right{at.cell, node.first_child() + 1};
      set_coordinate(left.cell.hi, node.axis(), node.plane());
      set_coordinate(right.cell.lo, node.axis(), node.plane());
      if (sides.left && sides.right) put_off[put_off_count++] = right;
      at = sides.left ? left : right;
    }
  }

 private:
  /// True if a leaf lists a triangle. Ids ascend.
  COPSE_HD bool lists(const SahKdNode& leaf, u32 id) const {
    const u32* const ids = tree.primitive_ids.data() + leaf.first();
    u32 first = 0, count = leaf.count();
    while (count > 0) {
      const u32 half = count / 2;
      const bool is_below = ids[first + half] < id;
      first += is_below ? half + 1 : 0;
      count = is_below ? count - half - 1 : half;
    }
    return first < leaf.count() && ids[first] == id;
  }
};

struct CountWrongSahKdEntries {
  u64 entry_count;
  const u64* found_count;
  SahKdFaults* faults;
  COPSE_HD void operator()(u64) const { faults->wrong_references = entry_count - *found_count; }
};

template <class Executor>
void check_sah_kd_references(const Executor& ex, std::span<const TriangleView> views, const SahKdView& tree,
                             SahKdFaults* faults) {
  ScratchArena::Frame frame(ex.scratch);
  const TriangleBoxes boxes{make_triangle_table(ex, frame, views)};
  u64 n = 0;
  for (const TriangleView& view : views) n += view.triangle_count();
  u64* found_count = frame.template allocate<u64>(1);
  fill_bytes(ex, "SAH kd-tree validate: found", found_count, 1, 0);
  for_each(ex, "SAH kd-tree validate: references", n, FindSahKdReferences{tree, boxes, found_count, faults});
  for_each(ex, "SAH kd-tree validate: wrong references", 1,
           CountWrongSahKdEntries{tree.primitive_ids.size(), found_count, faults});
}

template void check_sah_kd_nodes(const BodyExecutor&, std::span<const TriangleView>, const SahKdView&,
                                 const SahKdCounts&, SahKdFaults*);
template void check_sah_kd_references(const BodyExecutor&, std::span<const TriangleView>, const SahKdView&,
                                      SahKdFaults*);

}  // namespace copse::detail
