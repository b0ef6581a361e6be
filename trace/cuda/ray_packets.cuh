#pragma once

// A warp walks a binary tree for 32 neighbouring rays at once: a node is read once for all, and no lane waits for
// another's. Good where the rays stay together.
//
// Source: Guenther, Popov, Seidel, Slusallek, "Realtime Ray Tracing on GPU with BVH-based Packet Traversal", RT
// 2007: one stack for the warp, in shared memory. Where it is full, the rays walk again by themselves.

#include "trace/cuda/ray_batch.cuh"
#include "trace/cuda/ray_octants.cuh"

namespace copse::cuda::detail {

using copse::detail::PairSpans;

inline constexpr u32 packet_stack_size = 64;

/// The walk of a warp, for run_in_octant. All lanes call all members together; what has no lane's part is the same
/// in all.
template <class Query>
class PacketWalk {
 public:
  using Test = typename Query::template Test<Effort::quick>;

  /// `stack`: the warp's, of packet_stack_size.
  [[gnu::always_inline]] __device__ PacketWalk(const Query& query, const Ray& ray, u32 i, const ReadyRay& ready,
                                               WideChild* stack)
      : query_(query),
        stack_(stack),
        test_(query.template test<Effort::quick>(ray, i)),
        slabs_(ready.slabs),
        limit_(ray.t_max),
        box_limit_(ready.enters ? ready.box_limit : never),
        at_(query.tree.root()) {}

  template <u32 octant>
  [[gnu::always_inline]] __device__ void run() {
    do {
      while (at_.count == 0 && step<octant>()) continue;
      if (at_.count != 0) test_leaf();
    } while (pop());
  }

  /// Of this lane; the walk's own end concerns those lanes alone that had not ended before.
  __device__ bool gives_up() const { return test_.gives_up || (is_full_ && is_walking()); }
  [[gnu::always_inline]] __device__ typename Query::Result result() const { return query_.result(test_, limit_); }

 private:
  static constexpr float never = -1;  // no box is entered before it

  [[gnu::always_inline]] __device__ bool is_walking() const { return box_limit_ != never; }

  /// To a child of an inner node that any lane enters; false where there is none.
  template <u32 octant>
  [[gnu::always_inline]] __device__ bool step() {
    const PairSpans pair = PairSpans::of<octant>(query_.tree.nodes + at_.first, slabs_, box_limit_);
    const bool enters_left = pair.enters_left(), enters_right = pair.enters_right();
    const u32 into_left = __ballot_sync(all_lanes, enters_left),
              into_right = __ballot_sync(all_lanes, enters_right);
    if ((into_left | into_right) == 0) return false;
    if (into_left == 0 || into_right == 0) {
      at_ = pair.child(into_left == 0);
      return true;
    }
    // The first of the lanes that enter both says which is in front, and lanes that enter one of them follow.
    const u32 for_right = __ballot_sync(all_lanes, pair.right_is_nearer()), both = into_left & into_right;
    const bool takes_right = (for_right & both & (0u - both)) != 0;
    at_ = pair.child(takes_right);
    return push(pair.child(!takes_right));
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
        box_limit_ = copse::detail::usual_box_limit(slabs_, limit_);
      }
    }
    if constexpr (Query::ends_at_any) {
      if (!__any_sync(all_lanes, is_walking())) depth_ = 0;
    }
  }

  /// False where the stack is full: then the walk ends.
  [[gnu::always_inline]] __device__ bool push(const WideChild& child) {
    if (depth_ == packet_stack_size) {
      is_full_ = true;
      depth_ = 0;
      at_.count = 0;
      return false;
    }
    stack_[depth_++] = child;  // the same in all lanes
    __syncwarp();
    return true;
  }

  /// To the node that was put off last; false where none is left.
  [[gnu::always_inline]] __device__ bool pop() {
    if (depth_ == 0) return false;
    at_ = stack_[--depth_];
    __syncwarp();
    return true;
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

template <class Query>
struct PacketWay {
  static constexpr TraceKernel kernel = TraceKernel::packets;
  static constexpr u32 blocks = 9;  // 56 registers a thread

  [[gnu::always_inline]] __device__ static bool trace(const Query& query, const Ray& ray, u32 i,
                                                      const ReadyRay& ready, typename Query::Result& result) {
    __shared__ WideChild stacks[ray_threads / warp_size][packet_stack_size];
    PacketWalk<Query> walk(query, ray, i, ready, stacks[threadIdx.x / warp_size]);
    if constexpr (Query::has_masks) {
      walk.template run<any_octant>();
    } else {
      run_in_octant(octant_of_warp(ready.slabs), walk);
    }
    if (!walk.gives_up()) result = walk.result();
    return !walk.gives_up();
  }
};

}  // namespace copse::cuda::detail
