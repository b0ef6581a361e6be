// Computes the positions over which a tree of moving triangles is built, and the nodes of the other keys.

#include "motion/build/motion_keys.h"

namespace copse::detail {

namespace {

/// The middle between two keys. If it is NaN or infinite, the first key.
struct StoreMiddlePosition {
  PositionSpan before, after;
  vec3* middle;

  COPSE_HD void operator()(u64 i) const {
    const vec3 p = before.at(i);
    const vec3 mean = between_keys(p, after.at(i), 0.5f);
    middle[i] = is_finite(mean) ? mean : p;
  }
};

/// Replaces a middle position that is NaN or infinite by that of a key.
struct ReplaceMiddlePosition {
  PositionSpan key;
  vec3* middle;

  COPSE_HD void operator()(u64 i) const {
    if (!is_finite(middle[i])) middle[i] = key.at(i);
  }
};

/// Copies the links of the first key to all others.
struct CopyLinks {
  const WideBvhCounts* counts;
  CompressedBvh4Node* nodes;
  u64 stride;
  u32 key_count;

  COPSE_HD void operator()(u64 i) const {
    if (i > 0 && i >= counts->node_count) return;  // an empty tree has a root nevertheless
    const CompressedBvh4Node node = nodes[i];
    for (u32 key = 1; key < key_count; ++key) nodes[key * stride + i] = node;
  }
};

/// Converts the planes of a node's children to steps that are 2^shift times as long. Planes are rounded outwards, and
/// no other rounding occurs, as the origin stays. Empty children are not changed.
COPSE_HD void widen_steps(u8 (&lo)[4], u8 (&hi)[4], u32 shift) {
  for (u32 slot = 0; slot < CompressedBvh4Node::width; ++slot) {
    if (lo[slot] > hi[slot]) continue;
    lo[slot] = shift < 8 ? u8(lo[slot] >> shift) : u8(0);
    hi[slot] = shift < 8 ? u8((hi[slot] + (1u << shift) - 1) >> shift) : u8(hi[slot] > 0);
  }
}

/// Gives a node the same steps at all keys: along each axis, the largest of its steps.
struct ShareSteps {
  const WideBvhCounts* counts;
  CompressedBvh4Node* nodes;
  u64 stride;
  u32 key_count;

  COPSE_HD void operator()(u64 i) const {
    if (i >= counts->node_count) return;
    u8 largest[3] = {0, 0, 0};
    for (u32 key = 0; key < key_count; ++key) {
      const CompressedBvh4Node& node = nodes[key * stride + i];
      for (u32 axis = 0; axis < 3; ++axis) {
        if (node.exponents[axis] > largest[axis]) largest[axis] = node.exponents[axis];
      }
    }
    for (u32 key = 0; key < key_count; ++key) {
      CompressedBvh4Node node = nodes[key * stride + i];
      widen_steps(node.lo_x, node.hi_x, largest[0] - node.exponents[0]);
      widen_steps(node.lo_y, node.hi_y, largest[1] - node.exponents[1]);
      widen_steps(node.lo_z, node.hi_z, largest[2] - node.exponents[2]);
      for (u32 axis = 0; axis < 3; ++axis) node.exponents[axis] = largest[axis];
      nodes[key * stride + i] = node;
    }
  }
};

struct CopyMotionNodes {
  MotionNodes from, to;

  COPSE_HD void operator()(u64 i) const {
    for (u32 key = 0; key < to.key_count; ++key) to.first[key * to.stride + i] = from.first[key * from.stride + i];
  }
};

struct CopyMotionParents {
  const u32* from;
  u32* to;
  COPSE_HD void operator()(u64 i) const { to[i] = from[i]; }
};

/// The box around the roots of all keys, enlarged by more than the rounding between keys: see
/// motion/walk/moving_tree.h.
struct StoreMovingBox {
  const CompressedBvh4Node* nodes;
  u64 stride;
  u32 key_count;
  Aabb* box;

  COPSE_HD void operator()(u64) const {
    Aabb all = Aabb::empty();
    for (u32 key = 0; key < key_count; ++key) {
      for (u32 slot = 0; slot < CompressedBvh4Node::width; ++slot) {
        const CompressedBvh4Node& root = nodes[key * stride];
        const Aabb child = root.child_box(slot);
        if (!root.child(slot).is_nothing() && !is_empty(child)) all = merge(all, child);
      }
    }
    if (is_empty(all)) {
      *box = all;
      return;
    }
    constexpr float share = 1.0f / (1u << 20);
    const float pad = mul_rn(TreeReach::of(all).farthest, share);
    *box = {sub_rn(all.lo, vec3(pad)), add_rn(all.hi, vec3(pad))};
  }
};

}  // namespace

template <class Executor>
void store_middle_positions(const Executor& ex, const PositionSpan& before, const PositionSpan& after,
                            vec3* middle) {
  for_each(ex, "motion: middle", before.size, StoreMiddlePosition{before, after, middle});
}

template <class Executor>
void replace_middle_positions(const Executor& ex, const PositionSpan& key, vec3* middle) {
  for_each(ex, "motion: middle", key.size, ReplaceMiddlePosition{key, middle});
}

template <class Executor>
void copy_motion_links(const Executor& ex, const MotionNodes& nodes, const WideBvhCounts* counts) {
  for_each(ex, "motion: links", nodes.stride, CopyLinks{counts, nodes.first, nodes.stride, nodes.key_count});
}

template <class Executor>
void share_motion_steps(const Executor& ex, const MotionNodes& nodes, const WideBvhCounts* counts) {
  for_each(ex, "motion: steps", nodes.stride, ShareSteps{counts, nodes.first, nodes.stride, nodes.key_count});
}

template <class Executor>
void copy_motion_nodes(const Executor& ex, const MotionNodes& from, const MotionNodes& to) {
  for_each(ex, "motion: compact", to.stride, CopyMotionNodes{from, to});
}

template <class Executor>
void copy_motion_parents(const Executor& ex, const u32* from, u64 count, u32* to) {
  for_each(ex, "motion: compact", count, CopyMotionParents{from, to});
}

template <class Executor>
void store_moving_box(const Executor& ex, const MotionNodes& nodes, Aabb* box) {
  for_each(ex, "motion: box", 1, StoreMovingBox{nodes.first, nodes.stride, nodes.key_count, box});
}

template void store_middle_positions(const BodyExecutor&, const PositionSpan&, const PositionSpan&, vec3*);
template void replace_middle_positions(const BodyExecutor&, const PositionSpan&, vec3*);
template void copy_motion_links(const BodyExecutor&, const MotionNodes&, const WideBvhCounts*);
template void share_motion_steps(const BodyExecutor&, const MotionNodes&, const WideBvhCounts*);
template void copy_motion_nodes(const BodyExecutor&, const MotionNodes&, const MotionNodes&);
template void copy_motion_parents(const BodyExecutor&, const u32*, u64, u32*);
template void store_moving_box(const BodyExecutor&, const MotionNodes&, Aabb*);

}  // namespace copse::detail
