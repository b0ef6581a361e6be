#pragma once

// A warp traverses a binary tree for 32 neighbouring rays at once. It reads each node once for all of them, and no
// lane waits while another reads a node of its own. That is fast if the rays stay together.
//
// Source: Guenther, Popov, Seidel, Slusallek, "Realtime Ray Tracing on GPU with BVH-based Packet Traversal", RT 2007:
// one stack for the warp. Theirs is in shared memory. Here a stack entry also holds a time before which no ray enters
// the child, so that children behind all hits are dropped together. If the stack is full, each ray is retraced alone.

#include "trace/batch/cuda/packet_stack.cuh"
#include "trace/batch/cuda/ray_batch.cuh"
#include "trace/batch/cuda/ray_octants.cuh"

namespace copse::cuda::detail {

using copse::detail::PairSpans;

/// The traversal of a warp, for run_in_octant. All lanes call all members together. All state is the same in all
/// lanes, except that of the lane's own ray.
template <class Query>
class PacketWalk {
 public:
  using Test = typename Query::template Test<Robustness::fast>;

  [[gnu::always_inline]] __device__ PacketWalk(const Query& query, const Ray& ray, u32 i,
                                               const PreparedRay& prepared)
      : query_(query),
        test_(query.template test<Robustness::fast>(ray, i)),
        slabs_(prepared.slabs),
        limit_(ray.t_max),
        box_limit_(prepared.enters ? prepared.box_limit : never),
        last_(last_of_warp()),
        at_(query.tree.root()) {
    test_.gives_up = prepared.gives_up;
  }

  template <u32 octant>
  [[gnu::always_inline]] __device__ void run() {
    for (;;) {
      while (at_.count == 0) {
        if (!step<octant>()) return;
      }
      test_leaf();
      if (!stack_.pop(last_, at_)) return;
    }
  }

  /// Of this lane's ray.
  __device__ bool gives_up() const { return test_.gives_up; }
  [[gnu::always_inline]] __device__ typename Query::Result result(u32 i) const {
    return query_.result(test_, limit_, i);
  }

 private:
  static constexpr float never = -1;  // no box is entered before it

  [[gnu::always_inline]] __device__ bool is_walking() const { return box_limit_ != never; }

  /// The time after which no ray enters a box. Times are compared as integers, which have the same order as they are
  /// not negative.
  [[gnu::always_inline]] __device__ i32 last_of_warp() const {
    return warp_max(all_lanes, __float_as_int(box_limit_));
  }

  /// Goes to a child of an inner node that any lane enters, or to the latest child on the stack. False at the end.
  template <u32 octant>
  [[gnu::always_inline]] __device__ bool step() {
    const PairSpans pair = PairSpans::of<octant>(query_.tree.nodes + at_.first, slabs_, box_limit_);
    const u32 into_left = __ballot_sync(all_lanes, pair.enters_left()),
              into_right = __ballot_sync(all_lanes, pair.enters_right());
    if ((into_left | into_right) == 0) return stack_.pop(last_, at_);
    if (into_left == 0 || into_right == 0) {
      at_ = pair.child(into_left == 0);
      return true;
    }
    if (stack_.is_full()) {
      // Lanes that had ended before do not give up.
      test_.gives_up = test_.gives_up || is_walking();
      return false;
    }
    // The first lane that enters both children decides which is visited first, for all lanes.
    const u32 for_right = __ballot_sync(all_lanes, pair.right_is_nearer()), both = into_left & into_right;
    const bool takes_right = (for_right & both & (0u - both)) != 0;
    at_ = pair.child(takes_right);
    // The minimum is over all lanes: a lane that misses the box can only make it earlier.
    const float entry = takes_right ? pair.in_left.entry : pair.in_right.entry;
    stack_.push(pair.child(!takes_right), warp_min(all_lanes, __float_as_int(entry)));
    return true;
  }

  [[gnu::always_inline]] __device__ void test_leaf() {
    if (is_walking()) {
      const float before = limit_;
      for (u32 place = at_.first, last = place + at_.count; place != last && is_walking(); ++place) {
        u32 which = place;
        if constexpr (!Test::takes_places) which = query_.tree.primitive_ids[place];
        if (test_(which, limit_)) box_limit_ = never;
      }
      if (is_walking() && limit_ != before) box_limit_ = copse::detail::common_range_box_limit(slabs_, limit_);
    }
    last_ = last_of_warp();
  }

  const Query& query_;
  Test test_;
  RaySlabs slabs_;
  float limit_, box_limit_;
  i32 last_;
  WideChild at_;
  PacketStack stack_;
};

template <class Query>
struct RayPackets {
  static constexpr TraceKernel kernel = TraceKernel::packets;
  static constexpr u32 blocks = 9;  // 56 registers per thread

  [[gnu::always_inline]] __device__ static bool trace(const Query& query, const Ray& ray, u32 i,
                                                      const PreparedRay& prepared,
                                                      typename Query::Result& result) {
    PacketWalk<Query> walk(query, ray, i, prepared);
    if constexpr (Query::has_masks) {
      walk.template run<any_octant>();
    } else {
      run_in_octant(octant_of_warp(prepared.slabs), walk);
    }
    if (!walk.gives_up()) result = walk.result(i);
    return !walk.gives_up();
  }
};

}  // namespace copse::cuda::detail
