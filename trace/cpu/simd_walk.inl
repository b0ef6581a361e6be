// The walk of one ray: the children of a node in the lanes, the triangles of a leaf in the lanes.

#if defined(COPSE_TRACE_CPU_SIMD_WALK) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_TRACE_CPU_SIMD_WALK
#undef COPSE_TRACE_CPU_SIMD_WALK
#else
#define COPSE_TRACE_CPU_SIMD_WALK
#endif

#include "trace/cpu/simd_children.inl"
#include "trace/cpu/simd_triangles.inl"

HWY_BEFORE_NAMESPACE();
namespace copse::cpu::HWY_NAMESPACE {

/// What triangles are fetched by, for a place among the tree's primitive ids.
template <class Triangles>
struct PlaceToTriangle {
  const u32* primitive_ids;
  HWY_INLINE u32 operator()(u32 place) const {
    if constexpr (Triangles::takes_places) {
      return place;
    } else {
      return primitive_ids[place];
    }
  }
};

/// What children wait: the key by which they were sorted, with the slot in its lowest bits, and the node. A tree
/// so deep that they do not fit is left to the walk that climbs.
struct WaitingChildren {
  static constexpr u32 size = 128;

  i32 keys[size];
  u32 nodes[size];
  u32 count;

  HWY_INLINE bool has_room(u32 width) const { return count + larger(width, 4u) <= size; }

  /// The children of a node, whose keys the caller wrote behind those that wait; room for 8 is written.
  HWY_INLINE void push(u32 node, u32 pushed) {
    const FourKeys d;
    const auto same = hn::BitCast(hn::CappedTag<u32, 4>(), hn::Set(d, i32(node)));
    hn::StoreU(same, hn::CappedTag<u32, 4>(), nodes + count);
    if (pushed > 4) hn::StoreU(same, hn::CappedTag<u32, 4>(), nodes + count + 4);
    count += pushed;
  }
};

/// Asks for what a child will be visited with: others take their turn before it.
HWY_INLINE void prefetch_lines(const void* data) {
  __builtin_prefetch(data);
  __builtin_prefetch(static_cast<const char*>(data) + 64);
}
template <class Tree, class Triangles>
HWY_INLINE void prefetch(const Tree& tree, const Triangles& triangles, const WideChild& at) {
  const void* data = tree.nodes + at.first;
  if constexpr (Triangles::takes_places) {
    if (at.is_leaf()) data = triangles.packed + at.first;
  } else {
    if (at.is_leaf()) data = tree.primitive_ids + at.first;
  }
  prefetch_lines(data);
}

/// The walks of a group's rays, each its own way. They take turns: all that stand at a node step, then all that
/// stand at a leaf test it. So the tests of different rays, which do not depend on each other, overlap in the
/// processor, where those of one ray would wait for each other and for the branches between them.
template <bool any, class Tree, class Triangles>
class RayWalks {
  using Node = Children<Tree>;

 public:
  HWY_INLINE RayWalks(const Tree& tree, const Triangles& triangles, RayGroup& group)
      : tree_(tree), triangles_(triangles), ids_{tree.primitive_ids}, group_(group) {}

  /// Walks from `from` down for the rays whose bits are set; returns those for which the tree is too deep. With
  /// `any`, a ray ends at its first hit.
  [[gnu::noinline]] u32 walk(u32 rays, WideChild from) {
    Turn turn{0, 0};
    for (; rays != 0; rays &= rays - 1) {
      const u32 lane = u32(__builtin_ctz(rays));
      slabs_[lane] = Node::slabs(group_, lane);
      shears_[lane] = OneRayShear(group_, lane);
      waiting_[lane].count = 0;
      go_to(lane, from, turn);
    }
    while (turn.node_count + turn.leaf_count > 0) {
      step_nodes(turn);
      test_leaves(turn);
    }
    return too_deep_;
  }

 private:
  /// How many rays stand at a node, and at a leaf. Not a member: stores between would have it read again each
  /// time.
  struct Turn {
    u32 node_count, leaf_count;
  };

  /// Puts a ray on the list of those that stand at a node, or at a leaf, or on none.
  HWY_INLINE void go_to(u32 lane, const WideChild& at, Turn& turn) {
    prefetch(tree_, triangles_, at);
    at_[lane] = at;
    at_nodes_[turn.node_count] = lane;
    at_leaves_[turn.leaf_count] = lane;
    turn.node_count += at.is_inner() ? 1 : 0;
    turn.leaf_count += at.is_leaf() ? 1 : 0;
  }

  HWY_INLINE void step_nodes(Turn& turn) {
    const u32 count = turn.node_count;
    for (u32 i = 0; i < count; ++i) {
      const u32 lane = at_nodes_[i];
      const u32 node = at_[lane].first;
      WaitingChildren& waiting = waiting_[lane];
      if (waiting.has_room(Node::width)) {
        u32 entered =
            Node(tree_, node).enter(slabs_[lane], group_.boxes_limit[lane], waiting.keys + waiting.count);
        waiting.push(node, entered);
      } else {
        waiting.count = 0;
        too_deep_ |= 1u << lane;
      }
    }
    turn.node_count = 0;
    for (u32 i = 0; i < count; ++i) go_on(at_nodes_[i], turn);
  }

  HWY_INLINE void test_leaves(Turn& turn) {
    const u32 count = turn.leaf_count;
    turn.leaf_count = 0;
    for (u32 i = 0; i < count; ++i) {
      const u32 lane = at_leaves_[i];
      const float before = group_.limit[lane];
      test_leaf(triangles_, ids_, at_[lane], shears_[lane], group_, lane);
      if (any && group_.closest[lane] != invalid_id) continue;
      if (group_.limit[lane] != before) group_.boxes_limit[lane] = boxes_limit_of(group_, lane);
      go_on(lane, turn);
    }
  }

  /// Goes to the latest child that waits and is entered in time.
  HWY_INLINE void go_on(u32 lane, Turn& turn) {
    constexpr i32 slots = i32(Node::width - 1);
    WaitingChildren& waiting = waiting_[lane];
    const float limit = group_.boxes_limit[lane];
    for (u32 count = waiting.count; count > 0;) {
      const i32 key = waiting.keys[--count];
      if (!(float_from_bits(u32(key & ~slots)) <= limit)) continue;
      waiting.count = count;
      go_to(lane, Node(tree_, waiting.nodes[count]).child(u32(key & slots)), turn);
      return;
    }
  }

  const Tree tree_;
  const Triangles triangles_;
  const PlaceToTriangle<Triangles> ids_;
  RayGroup& group_;

  WideChild at_[ray_lanes];
  u32 too_deep_ = 0;
  u32 at_nodes_[ray_lanes + 1], at_leaves_[ray_lanes + 1];  // lanes, and one that is written in vain
  typename Node::Slabs slabs_[ray_lanes];
  OneRayShear shears_[ray_lanes];
  WaitingChildren waiting_[ray_lanes];
};

}  // namespace copse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
