#pragma once

// A level of a kd-tree that is being built: the nodes that may be divided, and the references to triangles of each,
// one node after the other. It is in the memory of the context.

#include "builders/kd/sah_kd_layout.h"

namespace copse::detail {

/// A node to be divided.
struct OpenKdNode {
  Aabb cell;
  u32 first, count;  // its references
};

struct KdLevel {
  u32 node_count, reference_count;
  OpenKdNode* nodes;
  u32* primitives;  // [reference]
  u32* node_of;     // [reference]: ascending
};

/// The plan for a node: a plane and the counts of its children, or a leaf.
struct KdPlan {
  float plane;
  u32 axis;                     // SahKdNode::leaf_axis: it becomes a leaf
  u32 left_count, right_count;  // references of the children
};

/// Numbers before a node or a reference of a level, in its order; behind the last one, the totals.
struct KdBefore {
  u32 splits;
  u32 references;  // of children
  u32 listed;      // references of leaves
};

/// The results of the planning of a level.
struct KdPlans {
  KdPlan* plans;      // [node]
  KdBefore* before;   // [node], and the totals
  u64* sides_before;  // [reference], and the totals: on the left; above bit 32, on the right
};

struct KdPlanRequest {
  float traversal_cost;
  bool makes_leaves;  // all nodes become leaves
};

/// Where the nodes and lists of a level go.
struct KdOutput {
  SahKdNode* nodes;   // of this level
  u32* listed;        // of this level
  u32 listed_before;  // references in the lists of all levels above
  u32 first_child;    // number of the first node of the next level
};

}  // namespace copse::detail
