#pragma once

// Traversal of many rays by warps that stay resident, and take new rays for their idle lanes.
//
// Source: Aila, Laine, "Understanding the Efficiency of Ray Traversal on GPUs", HPG 2009: persistent threads,
// inner steps and leaves in turns. Aila, Laine, Karras, "Understanding the Efficiency of Ray Traversal on GPUs -
// Kepler and Fermi Addendum", NVIDIA 2012: idle lanes are refilled in the middle. Here a warp computes the results
// of its finished rays together, when it refills their lanes.

#include "primitives/cuda/persistent.cuh"
#include "trace/batch/cuda/ray_batch.cuh"

namespace copse::cuda {

namespace detail {

/// Blocks per multiprocessor. Nodes in full precision and nodes of eight children need more registers.
template <class Query>
inline constexpr u32 persistent_blocks =
    std::is_same_v<typename Query::Tree, copse::detail::WideTree<Bvh4Node>> ||
            std::is_same_v<typename Query::Tree, copse::detail::WideTree<CompressedBvh8Node>>
        ? 7
        : 8;

/// max_idle_lanes: lanes that may be idle before the warp takes new rays. steps_between_votes: inner steps between
/// two counts of them. max_waiting_lanes: lanes that may wait with a ray that gave up. If more wait, the warp
/// retraces their rays.
inline constexpr u32 max_idle_lanes = 12;
inline constexpr u32 steps_between_votes = 4;
inline constexpr u32 max_waiting_lanes = 8;

/// The state of one lane in a persistent warp. All lanes of a warp call all members together.
template <class Query>
class PersistentLane {
 public:
  using Reach = SharedReach<typename Query::Tree>;

  __device__ PersistentLane(const Query& query, const Reach& reach, StackEntry* entries)
      : query_(query),
        reach_(reach),
        walk_(query.tree, entries),
        test_(query.template test<Robustness::fast>(Ray{}, 0)) {}

  /// Traces until the batch has ended or too many lanes wait. On return all lanes are done or wait. Returns true if
  /// too many wait.
  __device__ bool traverse_fast(u32 n, u32* ticket) {
    NoCounter counter;
    for (;;) {
      const u32 idle = __ballot_sync(all_lanes, walk_.is_done());
      if (population_count(idle) > lanes_left_idle_) {
        const u32 waiting = hand_in();
        const bool takes = lanes_left_idle_ < all_but_one && waiting <= max_waiting_lanes;
        if (idle == all_lanes && !takes) return waiting > max_waiting_lanes;
        lanes_left_idle_ = takes && take_rays(n, ticket) ? max_idle_lanes + waiting : all_but_one;
      }
      walk_.template take_steps<steps_between_votes>(counter);
      if (walk_.is_at_leaf()) walk_.test_leaf(test_, counter);
    }
  }

  /// After traverse_fast: the ray that gave up and still needs a result, or no_ray.
  __device__ u32 waiting_ray() const { return ray_id_; }

  static constexpr u32 no_ray = ~u32{0};

 private:
  static constexpr u32 all_but_one = warp_size - 1;

  /// Stores the results of finished rays. A lane whose ray gave up keeps it and waits. Returns the number of waiting
  /// lanes.
  __device__ u32 hand_in() {
    if (walk_.is_done() && ray_id_ != no_ray && !walk_.gives_up() && !test_.gives_up) {
      store_result(query_.results, ray_id_, query_.result(test_, walk_.limit(), ray_id_));
      ray_id_ = no_ray;
    }
    return population_count(__ballot_sync(all_lanes, walk_.is_done() && ray_id_ != no_ray));
  }

  /// Takes rays for lanes that have none. False at the end of the batch.
  __device__ bool take_rays(u32 n, u32* ticket) {
    const bool takes = ray_id_ == no_ray;
    u32 next = 0;
    if (takes) next = fetch_add_relaxed(ticket, 1u);  // the compiler joins the additions of the lanes
    const bool is_last = __any_sync(all_lanes, takes && next >= n - 1);
    if (takes && next < n) {
      ray_id_ = next;
      const Ray ray = load_ray(query_.rays, next);
      test_ = query_.template test<Robustness::fast>(ray, next);
      walk_.begin(prepare_ray(ray, reach_()));
    }
    return !is_last;
  }

  const Query& query_;
  const Reach& reach_;
  FastWalk<Query> walk_;
  typename Query::template Test<Robustness::fast> test_;
  u32 ray_id_ = no_ray;
  u32 lanes_left_idle_ = 0;  // lanes that may be idle before hand_in; all_but_one: the warp takes no new rays
};

template <class Query>
__global__ void __launch_bounds__(ray_threads, persistent_blocks<Query>)
    persistent_rays_kernel(u32 n, const __grid_constant__ Query query, const u32* choice, GridCounters* counters) {
  overlap_launches();
  if (choice == nullptr || *choice == u32(TraceKernel::persistent)) {
    const SharedReach<typename Query::Tree> reach(query.tree);
    StackEntry entries[fast_stack_size];
    // Tickets fit in 32 bits: one per ray, and one more per lane. A 64-bit atomic operation would take a dozen
    // instructions more.
    auto* const ticket = reinterpret_cast<u32*>(&counters->ticket);
    bool more = true;
    while (more) {
      // The state of the lane ends with each round, so that it needs no registers while some rays are retraced.
      u32 waiting_ray;
      {
        PersistentLane<Query> lane(query, reach, entries);
        more = lane.traverse_fast(n, ticket);
        waiting_ray = lane.waiting_ray();
      }
      if (waiting_ray != PersistentLane<Query>::no_ray) retrace_robust(query, waiting_ray);
      __syncwarp();
    }
  }
  leave_grid(counters);
}

}  // namespace detail

/// `choice`: null, or a word on the device. The kernel traces only if the word names it.
template <class Query>
void trace_persistent(const Executor& ex, const char* label, const Query& query, u32 n, const u32* choice) {
  const auto kernel = detail::persistent_rays_kernel<Query>;
  const u64 blocks =
      smaller(resident_blocks(ex, label, kernel, detail::ray_threads), divide_rounding_up(n, detail::ray_threads));
  with_grid_counters(ex, [&](GridCounters* counters) {
    launch(ex, label, kernel, {.blocks = blocks, .threads = detail::ray_threads, .overlaps_earlier_launch = true},
           n, query, choice, counters);
  });
}

}  // namespace copse::cuda
