#pragma once

// A warp walks a binary tree for 32 neighbouring rays at once: a node is read once for all, and no lane waits for
// another's. Good where the rays stay together.
//
// Source: Guenther, Popov, Seidel, Slusallek, "Realtime Ray Tracing on GPU with BVH-based Packet Traversal", RT
// 2007. Theirs keeps the stack in shared memory; here each lane holds an entry of it. As in trace/walk.h a full
// stack drops its oldest entry and the walk climbs later. That needs an order of siblings that climbing finds
// again: the lanes vote by their boxes alone, those of rays that have ended too.

#include "primitives/cuda/persistent.cuh"
#include "trace/cuda/ray_kernels.cuh"

namespace copse::cuda {

namespace detail {

/// The walk of a warp. All lanes call all members together; what has no lane's part is the same in all.
class PacketWalk {
 public:
  __device__ explicit PacketWalk(const copse::detail::BinaryTree& tree) : tree_(tree) {}

  /// `has_ray`: false for lanes past the batch's end.
  __device__ void begin(const Ray& ray, bool has_ray) {
    at_ = WideChild::nothing();
    limit_ = ray.t_max;
    box_limit_ = never;
    can_hit_ = false;
    top_ = bottom_ = 0;
    node_ = 0;
    const Aabb bounds = tree_.bounds();
    if (is_empty(bounds)) return;
    can_hit_ = has_ray && is_traceable(ray);
    slabs_ = make_slabs(can_hit_ ? ray : Ray{vec3(0), 0, vec3(0, 0, 1), 0}, bounds);
    can_hit_ = can_hit_ && slabs_.is_bounded;
    if (can_hit_) box_limit_ = box_limit(slabs_, limit_);
    const BoxSpan span = intersect_box(slabs_, bounds.lo, bounds.hi);
    if (__any_sync(all_lanes, is_within(span, box_limit_))) at_ = tree_.root();
  }

  __device__ bool is_done() const { return at_.is_nothing(); }
  __device__ bool is_at_leaf() const { return at_.is_leaf(); }
  __device__ float limit() const { return limit_; }

  __device__ void step() {
    node_ = at_.first;
    const BvhNode left = tree_.nodes[node_], right = tree_.nodes[node_ + 1];
    const Siblings siblings = compare(left, right);
    if (siblings.any_left && siblings.any_right) {
      push(siblings.left_first ? right : left);
      at_ = child_of(siblings.left_first ? left : right);
    } else if (siblings.any_left || siblings.any_right) {
      at_ = child_of(siblings.any_left ? left : right);
    } else {
      go_on({node_, 0});
    }
  }

  template <class LeafTest>
  __device__ void test_leaf(LeafTest& leaf_test) {
    const WideChild leaf = at_;
    const float before = limit_;
    for (u32 i = 0; i < leaf.count; ++i) {
      const u32 place = leaf.first + i;
      u32 which = place;
      if constexpr (!LeafTest::takes_places) which = tree_.primitive_ids[place];
      if (box_limit_ != never && leaf_test(which, limit_)) box_limit_ = never;
    }
    if (box_limit_ != never && limit_ != before) box_limit_ = box_limit(slabs_, limit_);
    go_on(leaf);
  }

 private:
  static constexpr float never = -1;  // no box is entered before it

  struct Siblings {
    bool any_left, any_right;
    bool left_first;
  };

  __device__ static WideChild child_of(const BvhNode& node) { return {node.first, node.count}; }

  __device__ Siblings compare(const BvhNode& left, const BvhNode& right) const {
    const BoxSpan a = intersect_box(slabs_, left.lo, left.hi), b = intersect_box(slabs_, right.lo, right.hi);
    const bool meets_a = can_hit_ && a.entry <= a.exit, meets_b = can_hit_ && b.entry <= b.exit;
    const u32 voters = __ballot_sync(all_lanes, meets_a || meets_b);
    const u32 for_right = __ballot_sync(
        all_lanes, meets_b && (!meets_a || copse::detail::middle_key(b) < copse::detail::middle_key(a)));
    return {__any_sync(all_lanes, meets_a && a.entry <= box_limit_) != 0,
            __any_sync(all_lanes, meets_b && b.entry <= box_limit_) != 0,
            2 * population_count(for_right) <= population_count(voters)};
  }

  /// Entry k of the stack is held by lane k % 32.
  __device__ void push(const BvhNode& node) {
    ++top_;
    bottom_ = larger(bottom_, top_ < warp_size ? 0u : top_ - warp_size);
    if (lane_id() == top_ % warp_size) held_ = child_of(node);
  }

  __device__ void go_on(const WideChild& finished) {
    at_ = WideChild::nothing();
    if (!__any_sync(all_lanes, box_limit_ != never)) return;
    if (top_ != bottom_) {
      at_ = {__shfl_sync(all_lanes, held_.first, int(top_ % warp_size)),
             __shfl_sync(all_lanes, held_.count, int(top_ % warp_size))};
      --top_;
    } else if (bottom_ > 0) {
      climb(finished);
    }
  }

  __device__ void climb(const WideChild& finished) {
    u32 pair = node_, slot = 0;
    if (finished.is_leaf()) {
      slot = slot_of_leaf(tree_, pair, finished.first);
    } else if (!tree_.to_parent(pair, slot)) {
      return;
    }
    do {
      const BvhNode left = tree_.nodes[pair], right = tree_.nodes[pair + 1];
      const Siblings siblings = compare(left, right);
      const bool came_first = siblings.left_first == (slot == 0);
      if (came_first && (slot == 0 ? siblings.any_right : siblings.any_left)) {
        at_ = child_of(slot == 0 ? right : left);
        node_ = pair;
        return;
      }
    } while (tree_.to_parent(pair, slot));
  }

  copse::detail::BinaryTree tree_;
  RaySlabs slabs_;
  float limit_, box_limit_;
  bool can_hit_;
  WideChild at_;
  u32 node_;
  u32 top_, bottom_;
  WideChild held_{0, 0};
};

template <class Query>
__global__ void __launch_bounds__(ray_threads, ray_blocks) packets_kernel(u32 n, const Query query) {
  overlap_launches();
  const u32 i = blockIdx.x * ray_threads + threadIdx.x;
  const u32 first = i - lane_id();
  if (first >= n) return;
  const Ray ray = load_ray(query.rays, smaller(i, n - 1));
  PacketWalk walk(query.tree);
  walk.begin(ray, i < n);
  auto test = query.template test<Effort::quick>(ray);
  while (!walk.is_done()) {
    if (walk.is_at_leaf()) {
      walk.test_leaf(test);
    } else {
      walk.step();
    }
  }

  // Lanes whose test gave up walk again by themselves.
  typename Query::Result result;
  if (test.gives_up) {
    StackEntry entries[default_stack_size];
    copse::detail::trace_with_effort<Effort::whole>(query, ray, entries, result);
  } else {
    result = query.template result<Effort::quick>(test, walk.limit());
  }
  __syncwarp();
  store_results_of_warp(query.results, first, smaller(n - first, warp_size), result);
}

}  // namespace detail

template <class Query>
void trace_packets(const Executor& ex, const char* label, const Query& query, u32 n) {
  launch(ex, label, detail::packets_kernel<Query>,
         {.blocks = divide_rounding_up(n, detail::ray_threads),
          .threads = detail::ray_threads,
          .overlaps_earlier_launch = true},
         n, query);
}

}  // namespace copse::cuda
