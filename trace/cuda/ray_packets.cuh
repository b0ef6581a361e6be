#pragma once

// A warp walks a binary tree for 32 neighbouring rays at once: a node is read once for all, and no lane waits for
// another's. Good where the rays stay together.
//
// Source: Guenther, Popov, Seidel, Slusallek, "Realtime Ray Tracing on GPU with BVH-based Packet Traversal", RT
// 2007: one stack for the warp, in shared memory. Where it is full, the rays walk again by themselves.

#include "trace/cuda/binary_rays.cuh"

namespace copse::cuda {

namespace detail {

using copse::detail::pick_child;

inline constexpr u32 packet_stack_size = 64;
inline constexpr u32 packet_blocks = 8;

/// The walk of a warp, for run_in_octant. All lanes call all members together; what has no lane's part is the same
/// in all.
template <class Query>
class PacketWalk {
 public:
  using Test = typename Query::template Test<Effort::quick>;

  /// `stack`: the warp's, of packet_stack_size.
  [[gnu::always_inline]] __device__ PacketWalk(const Query& query, const Ray& ray, const ReadyRay& ready,
                                               WideChild* stack)
      : query_(query),
        stack_(stack),
        test_(query.template test<Effort::quick>(ray)),
        slabs_(ready.slabs),
        limit_(ray.t_max),
        box_limit_(ready.enters ? ready.box_limit : never),
        at_(query.tree.root()) {}

  template <u32 octant>
  [[gnu::always_inline]] __device__ void run() {
    while (!at_.is_nothing()) {
      if (at_.is_leaf()) {
        test_leaf();
      } else {
        step<octant>();
      }
    }
  }

  /// Of this lane; the walk's own end concerns those lanes alone that had not ended before.
  __device__ bool gives_up() const { return test_.gives_up || (is_full_ && is_walking()); }
  [[gnu::always_inline]] __device__ typename Query::Result result() const {
    return query_.template result<Effort::quick>(test_, limit_);
  }

 private:
  static constexpr float never = -1;  // no box is entered before it

  [[gnu::always_inline]] __device__ bool is_walking() const { return box_limit_ != never; }

  template <u32 octant>
  [[gnu::always_inline]] __device__ BoxSpan clipped_span(const BvhNode& node) const {
    const BoxSpan span = intersect_box<octant>(slabs_, node.lo, node.hi);
    return {span.entry, min_number(span.exit, box_limit_)};
  }

  template <u32 octant>
  [[gnu::always_inline]] __device__ void step() {
    const BvhNode left = query_.tree.nodes[at_.first], right = query_.tree.nodes[at_.first + 1];
    const BoxSpan in_left = clipped_span<octant>(left), in_right = clipped_span<octant>(right);
    const bool enters_left = in_left.entry <= in_left.exit, enters_right = in_right.entry <= in_right.exit;
    const u32 into_left = __ballot_sync(all_lanes, enters_left),
              into_right = __ballot_sync(all_lanes, enters_right);
    if (into_left != 0 && into_right != 0) {
      // The lanes vote, each for the child whose part of its ray is in front.
      const bool is_nearer = in_right.entry + in_right.exit < in_left.entry + in_left.exit;
      const u32 for_right = __ballot_sync(all_lanes, enters_right && (is_nearer || !enters_left));
      const bool takes_right = 2 * population_count(for_right) > population_count(into_left | into_right);
      at_ = pick_child(takes_right, right, left);
      push(pick_child(takes_right, left, right));
    } else if (into_left != 0 || into_right != 0) {
      at_ = pick_child(into_left != 0, left, right);
    } else {
      pop();
    }
  }

  [[gnu::always_inline]] __device__ void test_leaf() {
    for (u32 place = at_.first, last = place + at_.count; place != last; ++place) {
      u32 which = place;
      if constexpr (!Test::takes_places) which = query_.tree.primitive_ids[place];
      if (!is_walking()) continue;
      const float before = limit_;
      if (test_(which, limit_)) {
        box_limit_ = never;
      } else if (limit_ != before) {
        box_limit_ = box_limit(slabs_, limit_);
      }
    }
    if (__any_sync(all_lanes, is_walking())) {
      pop();
    } else {
      at_ = WideChild::nothing();
    }
  }

  [[gnu::always_inline]] __device__ void push(const WideChild& child) {
    if (depth_ == packet_stack_size) {
      is_full_ = true;
      at_ = WideChild::nothing();
      return;
    }
    if (lane_id() == 0) stack_[depth_] = child;
    ++depth_;
    __syncwarp();
  }

  [[gnu::always_inline]] __device__ void pop() {
    at_ = WideChild::nothing();
    if (depth_ == 0) return;
    at_ = stack_[--depth_];
    __syncwarp();
  }

  const Query& query_;
  WideChild* stack_;
  Test test_;
  RaySlabs slabs_;
  float limit_, box_limit_;
  WideChild at_;
  u32 depth_ = 0;
  bool is_full_ = false;
};

/// True where the ray must walk again by itself, and the result means nothing.
template <class Query>
[[gnu::always_inline]] __device__ inline bool trace_packet(const Query& query, const Ray& ray,
                                                           const ReadyRay& ready, typename Query::Result& result) {
  __shared__ WideChild stacks[ray_threads / warp_size][packet_stack_size];
  PacketWalk<Query> walk(query, ray, ready, stacks[threadIdx.x / warp_size]);
  run_in_octant(octant_of_warp(ready.slabs), walk);
  if (!walk.gives_up()) result = walk.result();
  return walk.gives_up();
}

/// `choice`: null, or a word on the device that says whether this kernel is to trace.
template <class Query>
__global__ void __launch_bounds__(ray_threads, packet_blocks)
    packets_kernel(u32 n, const __grid_constant__ Query query, const u32* choice) {
  overlap_launches();
  if (choice != nullptr && *choice != u32(TraceKernel::packets)) return;
  const u32 i = blockIdx.x * ray_threads + threadIdx.x;
  const u32 first = i - lane_id();
  if (first >= n) return;
  bool gives_up = false;
  {
    const Ray ray = load_ray(query.rays, smaller(i, n - 1));
    const ReadyRay ready(query.tree, ray, i < n);
    typename Query::Result result;
    if (__any_sync(all_lanes, ready.enters)) {
      gives_up = trace_packet(query, ray, ready, result);
    } else {
      result = Query::miss(ray);
    }
    __syncwarp();
    store_results_of_warp(query.results, first, smaller(n - first, warp_size), result);
  }
  if (gives_up) trace_wholly(query, i);
}

}  // namespace detail

/// `choice`: null, or a word on the device that says whether this kernel is to trace.
template <class Query>
void trace_packets(const Executor& ex, const char* label, const Query& query, u32 n, const u32* choice) {
  launch(ex, label, detail::packets_kernel<Query>,
         {.blocks = divide_rounding_up(n, detail::ray_threads),
          .threads = detail::ray_threads,
          .overlaps_earlier_launch = true},
         n, query, choice);
}

}  // namespace copse::cuda
