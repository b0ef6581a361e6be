// The traversals of rays that are traced independently, after their shared descent.

#if defined(COPSE_TRACE_CPU_SIMD_WALK) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_TRACE_CPU_SIMD_WALK
#undef COPSE_TRACE_CPU_SIMD_WALK
#else
#define COPSE_TRACE_CPU_SIMD_WALK
#endif

#include "trace/batch/cpu/simd_children.inl"
#include "trace/batch/cpu/simd_grid_children.inl"
#include "trace/batch/cpu/simd_leaves.inl"
#include "trace/batch/cpu/simd_shared_descent.inl"
#include "trace/batch/cpu/simd_stacks.inl"

HWY_BEFORE_NAMESPACE();
namespace copse::cpu::HWY_NAMESPACE {

/// The slabs of one ray in the form that its steps use. Rays in blocks have none.
template <class Node, bool in_blocks>
struct SlabsOf {
  using Type = typename Node::Slabs;
};
template <class Node>
struct SlabsOf<Node, true> {
  struct Type {};
};

/// The independent traversals of a group's rays. They take turns: all rays at a node take a step, then all rays at a
/// leaf test it. The tests of different rays do not depend on each other, so the processor overlaps them. The tests
/// of one ray would wait for each other, and for the branches between them.
template <Goal goal, class Tree, class Triangles>
class RayWalks {
  using Node = Children<Tree>;

 public:
  HWY_INLINE RayWalks(const Tree& tree, const Triangles& triangles, RayGroup& group)
      : tree_(tree), triangles_(triangles), leaves_(triangles_, tree.primitive_ids), group_(group) {
    stacks_.clear();
  }

  /// Puts the rays of these bits at `at`. No other rays are active.
  HWY_INLINE void begin(u32 rays, WideChild at) {
    set_up(rays);
    Turn turn{0, 0};
    for (; rays != 0; rays &= rays - 1) go_to(lowest_bit(rays), at, turn);
    standing_ = turn;
  }

  /// Puts the rays of these bits at the root. From there they descend together to their origins.
  HWY_INLINE void begin_together(u32 rays) {
    const WideChild root = tree_.root();
    if (rays == 0 || !root.is_inner()) return begin(rays, root);
    set_up(rays);
    SharedDescent<Tree, Triangles>(tree_, triangles_, group_).descend(rays, root.first, stacks_);
    Turn turn{0, 0};
    for (; rays != 0; rays &= rays - 1) go_on(lowest_bit(rays), turn);
    standing_ = turn;
  }

  /// Takes over ray `from` of others as ray `to`, which must not be active. The tree must not have been too deep for
  /// it so far.
  HWY_INLINE void take(u32 to, RayWalks& others, u32 from) {
    group_.copy(to, others.group_, from);
    stacks_.copy(to, others.stacks_, from);
    if constexpr (!Node::in_blocks) slabs_[to] = others.slabs_[from];
    too_deep_ &= ~(1u << to);
    Turn turn = standing_;
    go_to(to, others.at_[from], turn);
    standing_ = turn;
  }

  /// Continues until at most `few` rays are active. With Goal::any, a ray ends at its first hit. Leaves wait until they
  /// fill a block; meanwhile their prefetched memory arrives.
  HWY_NOINLINE void walk(u32 few) {
    constexpr u32 turns_unlooked = 16;
    Turn turn = standing_;
    for (u32 turns = 0; turn.node_count + turn.leaf_count > few; ++turns) {
      if (turns % turns_unlooked == 0) {
        for (u32 full = stacks_.full(Node::width, turns_unlooked); full != 0; full &= full - 1) {
          give_up(lowest_bit(full));
        }
      }
      if (turn.node_count > 0) step_nodes(turn);
      const u32 enough = turn.node_count > 0 ? block_rays : 1;
      if (turn.leaf_count >= enough) test_leaves(turn);
    }
    standing_ = turn;
  }

  /// Bits of the active rays.
  HWY_INLINE u32 under_way() const {
    u32 rays = 0;
    for (u32 i = 0; i < standing_.node_count; ++i) rays |= 1u << at_nodes_[i];
    for (u32 i = 0; i < standing_.leaf_count; ++i) rays |= 1u << at_leaves_[i];
    return rays;
  }

  /// Bits of the rays for which the tree is too deep. Their results are invalid.
  u32 too_deep() const { return too_deep_; }

 private:
  /// The number of rays at a node, and at a leaf.
  struct Turn {
    u32 node_count, leaf_count;
  };

  HWY_INLINE void set_up(u32 rays) {
    too_deep_ = 0;
    stacks_.clear();
    if constexpr (!Node::in_blocks) {
      for (; rays != 0; rays &= rays - 1) {
        const u32 lane = lowest_bit(rays);
        slabs_[lane] = Node::slabs(group_, lane);
      }
    }
  }

  /// Puts a ray on the list of rays at a node, on the list of rays at a leaf, or on none.
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
    if constexpr (Node::in_blocks) {
      fill_block(at_nodes_, count);
      for (u32 i = 0; i < count; i += block_rays) step_blocks(at_nodes_ + i);
    } else {
      for (u32 i = 0; i < count; ++i) step_one(at_nodes_[i]);
    }
    turn.node_count = 0;
    for (u32 i = 0; i < count; ++i) go_on(at_nodes_[i], turn);
  }

  /// Fills the last block by repeating one of its rays in the unused lanes.
  HWY_INLINE static void fill_block(u32* list, u32 count) {
    const u32 last = list[(count - 1) / block_rays * block_rays];
    for (u32 i = 0; i < 3; ++i) list[count + i] = last;
  }

  /// Ends a ray, so that it enters no more boxes. It will be retraced.
  HWY_NOINLINE void give_up(u32 lane) {
    too_deep_ |= 1u << lane;
    stacks_.tops[lane] = stacks_.bottom(lane);
    group_.limit[lane] = group_.boxes_limit[lane] = -infinity;
  }

  HWY_INLINE void step_one(u32 lane) {
    const u32 node = at_[lane].first;
    i32* keys = stacks_.keys(stacks_.tops[lane]);
    stacks_.push(lane, node, Node(tree_, node).enter(slabs_[lane], group_.boxes_limit[lane], keys));
  }

  /// The steps of a block of rays. `lanes`: as for RayBlocks.
  HWY_INLINE void step_blocks(const u32* lanes) {
    const hn::CappedTag<u32, 4> d;
    u32 nodes[block_rays], tops[block_rays];
    i32* keys_to[block_rays];
    for (u32 r = 0; r < block_rays; ++r) {
      nodes[r] = at_[lanes[r]].first, tops[r] = stacks_.tops[lanes[r]];
      keys_to[r] = stacks_.keys(tops[r]);
    }
    const RayBlocks rays(lanes);
    VecOf<RayKeys> keys;
    const u32 entered = Node::enter(tree_, nodes, rays, group_, keys);
    store_blocks(RayKeys(), keys, keys_to);
    for (u32 r = 0; r < block_rays; ++r) {
      hn::StoreU(hn::Set(d, nodes[r]), d, stacks_.nodes(tops[r]));
      stacks_.tops[lanes[r]] = tops[r] + population_count(entered >> (4 * r) & block_bits);
    }
  }

  /// Tests the leaves of full blocks, or of the only block if it is not full.
  HWY_INLINE void test_leaves(Turn& turn) {
    const u32 end = turn.leaf_count, begin = end < block_rays ? 0 : end % block_rays;
    fill_block(at_leaves_ + begin, end - begin);
    for (u32 i = begin; i < end; i += block_rays) {
      test_leaves_of<goal>(triangles_, leaves_, at_leaves_ + i, smaller(end - i, block_rays), at_, group_);
    }
    group_.boxes_limit.store(boxes_limit(group_.limit.load(), group_.start.load(), group_.time_scale.load()));
    turn.leaf_count = begin;
    for (u32 i = begin; i < end; ++i) {
      const u32 lane = at_leaves_[i];
      WideChild& at = at_[lane];
      if (goal == Goal::any && group_.closest[lane] != invalid_id) continue;
      if (at.count > 4) {
        at = {at.first + 4, at.count - 4};
        at_leaves_[turn.leaf_count++] = lane;
      } else {
        go_on(lane, turn);
      }
    }
  }

  /// Goes to the latest child on the stack that is entered within the limit. Numbers that are not negative sort as
  /// their bits. With a negative limit nothing is entered.
  HWY_INLINE void go_on(u32 lane, Turn& turn) {
    constexpr i32 slots = i32(Node::width - 1);
    const u32 bottom = stacks_.bottom(lane);
    const i32 limit = i32(bits_of(group_.boxes_limit[lane]));
    for (u32 top = stacks_.tops[lane]; top != bottom;) {
      const i32 key = *stacks_.keys(--top);
      if ((key & ~slots) > limit) continue;
      stacks_.tops[lane] = top;
      go_to(lane, Node(tree_, *stacks_.nodes(top)).child(u32(key & slots)), turn);
      return;
    }
    stacks_.tops[lane] = bottom;
  }

  const Tree tree_;
  const Triangles triangles_;
  LeafTriangles<Triangles> leaves_;
  RayGroup& group_;

  WideChild at_[ray_lanes];
  u32 too_deep_ = 0;
  Turn standing_{0, 0};
  u32 at_nodes_[ray_lanes + 4], at_leaves_[ray_lanes + 4];  // lanes, with room to fill the last block
  typename SlabsOf<Node, Node::in_blocks>::Type slabs_[ray_lanes];
  ChildStacks stacks_;
};

}  // namespace copse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
