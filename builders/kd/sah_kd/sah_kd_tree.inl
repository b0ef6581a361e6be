// Divides a level of a kd-tree of triangles: chooses a plane per node, counts on which sides its triangles lie, and
// moves the references to the children.

#include "builders/geometry/make_triangle_table.h"
#include "builders/geometry/primitive_bounds.h"
#include "builders/kd/sah_kd/kd_level.h"
#include "builders/kd/sah_kd/kd_planes.h"
#include "primitives/compact.h"
#include "primitives/inputs.h"
#include "primitives/reduce.h"
#include "primitives/scan.h"
#include "primitives/segmented_scan.h"

namespace copse::detail {

struct IsKdTriangle {
  TriangleBoxes boxes;
  COPSE_HD bool operator()(u64 i) const { return !is_empty(boxes(u32(i))); }
};

struct BoxOfKdTriangle {
  TriangleBoxes boxes;
  COPSE_HD Aabb operator()(u64 i) const { return boxes(u32(i)); }
};

struct KdTriangleId {
  COPSE_HD u32 operator()(u64 i) const { return u32(i); }
};

template <class Executor>
void list_kd_triangles(const Executor& ex, std::span<const TriangleView> views, u32* ids, u64* count,
                       Aabb* bounds) {
  ScratchArena::Frame frame(ex.scratch);
  const TriangleTable table = make_triangle_table(ex, frame, views);
  u64 n = 0;
  for (const TriangleView& view : views) n += view.triangle_count();
  compact(ex, "SAH kd-tree: triangles", n, IsKdTriangle{{table}}, KdTriangleId{}, ids, count);
  reduce(ex, "SAH kd-tree: bounds", n, BoxOfKdTriangle{{table}}, Aabb::empty(), MergeBoxes{}, bounds);
}

struct StartKdLevel {
  KdLevel level;
  const u32* ids;
  const Aabb* bounds;
  COPSE_HD void operator()(u64 i) const {
    if (i == 0) level.nodes[0] = {*bounds, 0, level.reference_count};
    if (i >= level.reference_count) return;
    level.primitives[i] = ids[i];
    level.node_of[i] = 0;
  }
};

template <class Executor>
void start_kd_level(const Executor& ex, const KdLevel& level, const u32* ids, const Aabb* bounds) {
  for_each(ex, "SAH kd-tree: root", larger(level.reference_count, 1u), StartKdLevel{level, ids, bounds});
}

/// Cuts the boxes of triangles by the cells of their nodes.
struct CutKdBox {
  TriangleBoxes boxes;
  KdLevel level;
  Aabb* cut;
  COPSE_HD void operator()(u64 i) const {
    cut[i] = intersection(boxes(level.primitives[i]), level.nodes[level.node_of[i]].cell);
  }
};

struct StartsKdNode {
  const u32* node_of;
  COPSE_HD bool operator()(u64 i) const { return node_of[i] != node_of[i - 1]; }
};

/// Finds the best plane of a small node among the faces of one box.
struct FindKdPlane {
  KdLevel level;
  const Aabb* boxes;
  float traversal_cost;
  u64* best;  // [reference]: cost, and the number of the face
  COPSE_HD void operator()(u64 i) const {
    const OpenKdNode node = level.nodes[level.node_of[i]];
    best[i] = node.count > max_small_kd_node
                  ? no_kd_face
                  : best_kd_face(node.cell, boxes + node.first, node.count, u32(i) - node.first, traversal_cost);
  }
};

/// Chooses the plan for a node.
struct ChooseKdPlan {
  KdLevel level;
  const Aabb* boxes;
  const Aabb* bounds_up_to;  // [reference]: of the boxes of its node up to this one
  const u64* best;
  KdPlanRequest request;
  KdPlan* plans;
  COPSE_HD void operator()(u64 i) const {
    const OpenKdNode node = level.nodes[i];
    KdPlan plan{0, SahKdNode::leaf_axis, 0, 0};
    if (!request.makes_leaves && node.count > max_small_kd_node) {
      plan = plan_large_kd_node(node.cell, bounds_up_to[node.first + node.count - 1]);
    } else if (!request.makes_leaves && node.count > 0) {
      u64 least = no_kd_face;
      for (u32 k = 0; k < node.count; ++k) least = smaller(least, best[node.first + k]);
      plan = plan_small_kd_node(least, boxes + node.first, node.count);
    }
    plans[i] = plan;
  }
};

/// On which sides of the plane of its node a reference lies: 1 on the left; above bit 32, 1 on the right.
struct SidesOfReference {
  KdLevel level;
  const Aabb* boxes;
  const KdPlan* plans;
  COPSE_HD u64 operator()(u64 i) const {
    if (i == level.reference_count) return 0;
    const KdPlan plan = plans[level.node_of[i]];
    if (plan.axis == SahKdNode::leaf_axis) return 0;
    const KdSides sides = kd_sides(boxes[i], plan.axis, plan.plane);
    return u64{sides.left} | u64{sides.right} << 32;
  }
};

/// Counts the references of the children. A node that would hand all references to both children becomes a leaf.
struct CountKdChildren {
  KdLevel level;
  const u64* sides_before;
  KdPlan* plans;
  COPSE_HD void operator()(u64 i) const {
    const OpenKdNode node = level.nodes[i];
    const u64 counts = sides_before[node.first + node.count] - sides_before[node.first];
    KdPlan& plan = plans[i];
    plan.left_count = u32(counts);
    plan.right_count = u32(counts >> 32);
    if (plan.left_count == node.count && plan.right_count == node.count) plan.axis = SahKdNode::leaf_axis;
  }
};

struct KdBeforeOfNode {
  KdLevel level;
  const KdPlan* plans;
  COPSE_HD KdBefore operator()(u64 i) const {
    if (i == level.node_count) return {0, 0, 0};
    const KdPlan plan = plans[i];
    if (plan.axis == SahKdNode::leaf_axis) return {0, 0, level.nodes[i].count};
    return {1, plan.left_count + plan.right_count, 0};
  }
};

struct AddKdBefore {
  COPSE_HD KdBefore operator()(const KdBefore& a, const KdBefore& b) const {
    return {a.splits + b.splits, a.references + b.references, a.listed + b.listed};
  }
};

template <class Executor>
void plan_kd_level(const Executor& ex, std::span<const TriangleView> views, const KdLevel& level,
                   const KdPlanRequest& request, const KdPlans& plans) {
  ScratchArena::Frame frame(ex.scratch);
  const u64 n = level.reference_count;
  const TriangleBoxes triangle_boxes{make_triangle_table(ex, frame, views)};
  Aabb* boxes = frame.template allocate<Aabb>(n);
  Aabb* bounds = frame.template allocate<Aabb>(n);
  u64* best = frame.template allocate<u64>(n);

  // Bound the triangles of each node, and choose its plane.
  for_each(ex, "SAH kd-tree: boxes", n, CutKdBox{triangle_boxes, level, boxes});
  segmented_inclusive_scan(ex, "SAH kd-tree: bounds of nodes", n, StartsKdNode{level.node_of},
                           Elements<Aabb>{boxes}, MergeBoxes{}, bounds);
  for_each(ex, "SAH kd-tree: planes", n, FindKdPlane{level, boxes, request.traversal_cost, best});
  for_each(ex, "SAH kd-tree: choice", level.node_count,
           ChooseKdPlan{level, boxes, bounds, best, request, plans.plans});

  // Count what goes to the children, and where it begins.
  u64* const no_total = nullptr;
  exclusive_scan(ex, "SAH kd-tree: sides", n + 1, SidesOfReference{level, boxes, plans.plans}, u64{0}, Plus{},
                 plans.sides_before, no_total);
  for_each(ex, "SAH kd-tree: children", level.node_count, CountKdChildren{level, plans.sides_before, plans.plans});
  KdBefore* const no_totals = nullptr;
  exclusive_scan(ex, "SAH kd-tree: places", u64{level.node_count} + 1, KdBeforeOfNode{level, plans.plans},
                 KdBefore{0, 0, 0}, AddKdBefore{}, plans.before, no_totals);
}

/// Stores a node, and opens its children.
struct StoreKdNode {
  KdLevel level;
  KdPlans plans;
  KdOutput out;
  KdLevel next;
  COPSE_HD void operator()(u64 i) const {
    const OpenKdNode node = level.nodes[i];
    const KdPlan plan = plans.plans[i];
    const KdBefore before = plans.before[i];
    if (plan.axis == SahKdNode::leaf_axis) {
      out.nodes[i] = SahKdNode::leaf(out.listed_before + before.listed, node.count);
      return;
    }
    const u32 child = 2 * before.splits;
    out.nodes[i] = SahKdNode::inner(plan.axis, plan.plane, out.first_child + child);
    OpenKdNode left{node.cell, before.references, plan.left_count};
    OpenKdNode right{node.cell, before.references + plan.left_count, plan.right_count};
    set_coordinate(left.cell.hi, plan.axis, plan.plane);
    set_coordinate(right.cell.lo, plan.axis, plan.plane);
    next.nodes[child] = left;
    next.nodes[child + 1] = right;
  }
};

/// Moves a reference to the list of a leaf, or to one or both children.
struct MoveKdReference {
  KdLevel level;
  KdPlans plans;
  KdOutput out;
  KdLevel next;
  COPSE_HD void operator()(u64 i) const {
    const u32 primitive = level.primitives[i], node_id = level.node_of[i];
    const OpenKdNode node = level.nodes[node_id];
    const KdPlan plan = plans.plans[node_id];
    const KdBefore before = plans.before[node_id];
    if (plan.axis == SahKdNode::leaf_axis) {
      out.listed[before.listed + u32(i) - node.first] = primitive;
      return;
    }
    const u64 sides = plans.sides_before[i + 1] - plans.sides_before[i];
    const u64 in_node = plans.sides_before[i] - plans.sides_before[node.first];
    if (u32(sides) != 0) store(before.references + u32(in_node), primitive, 2 * before.splits);
    if (sides >> 32 != 0) {
      store(before.references + plan.left_count + u32(in_node >> 32), primitive, 2 * before.splits + 1);
    }
  }

 private:
  COPSE_HD void store(u32 at, u32 primitive, u32 node) const {
    next.primitives[at] = primitive;
    next.node_of[at] = node;
  }
};

template <class Executor>
void divide_kd_level(const Executor& ex, const KdLevel& level, const KdPlans& plans, const KdOutput& out,
                     const KdLevel& next) {
  for_each(ex, "SAH kd-tree: nodes", level.node_count, StoreKdNode{level, plans, out, next});
  for_each(ex, "SAH kd-tree: references", level.reference_count, MoveKdReference{level, plans, out, next});
}

template <class Executor>
void copy_kd_level(const Executor& ex, BufferSpan<const SahKdNode> nodes, BufferSpan<const u32> listed,
                   SahKdNode* nodes_out, u32* listed_out) {
  for_each(ex, "SAH kd-tree: join", nodes.size(), CopyElements<SahKdNode>{nodes.data(), nodes_out});
  for_each(ex, "SAH kd-tree: join", listed.size(), CopyElements<u32>{listed.data(), listed_out});
}

template void list_kd_triangles(const BodyExecutor&, std::span<const TriangleView>, u32*, u64*, Aabb*);
template void start_kd_level(const BodyExecutor&, const KdLevel&, const u32*, const Aabb*);
template void plan_kd_level(const BodyExecutor&, std::span<const TriangleView>, const KdLevel&,
                            const KdPlanRequest&, const KdPlans&);
template void divide_kd_level(const BodyExecutor&, const KdLevel&, const KdPlans&, const KdOutput&,
                              const KdLevel&);
template void copy_kd_level(const BodyExecutor&, BufferSpan<const SahKdNode>, BufferSpan<const u32>, SahKdNode*,
                            u32*);

}  // namespace copse::detail
