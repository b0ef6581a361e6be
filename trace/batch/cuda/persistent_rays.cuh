#pragma once

// Walks of many rays on a GPU by warps that stay and take new rays for lanes that are done.
//
// Source: Aila, Laine, "Understanding the Efficiency of Ray Traversal on GPUs", HPG 2009: persistent threads,
// inner steps and leaves in turns. Refilling idle lanes in the middle: Aila, Laine, Karras, "Understanding the
// Efficiency of Ray Traversal on GPUs - Kepler and Fermi Addendum", NVIDIA 2012. Here the results of a warp's
// finished rays are worked out together, when their lanes are refilled.

#include "primitives/cuda/persistent.cuh"
#include "trace/batch/cuda/ray_batch.cuh"

namespace copse::cuda {

namespace detail {

/// Blocks that a multiprocessor shall hold. Nodes in full precision and those of eight children take more
/// registers on the way.
template <class Query>
inline constexpr u32 persistent_blocks =
    std::is_same_v<typename Query::Tree, copse::detail::WideTree<Bvh4Node>> ||
            std::is_same_v<typename Query::Tree, copse::detail::WideTree<CompressedBvh8Node>>
        ? 7
        : 8;

/// Lanes that may be idle before the warp takes new rays, inner steps between looks at that, and lanes that may
/// wait with a ray whose walk gave up before the warp walks again for all of them.
inline constexpr u32 max_idle_lanes = 12;
inline constexpr u32 steps_between_votes = 4;
inline constexpr u32 max_waiting_lanes = 8;

/// A lane's part in a persistent warp. All lanes of a warp call all members together.
template <class Query>
class PersistentLane {
 public:
  using Reach = SharedReach<typename Query::Tree>;

  __device__ PersistentLane(const Query& query, const Reach& reach, StackEntry* entries)
      : query_(query),
        reach_(reach),
        walk_(query.tree, entries),
        test_(query.template test<Robustness::fast>(Ray{}, 0)) {}

  /// Walks until the batch is at its end or too many lanes wait, which it returns; all lanes are done or wait
  /// then.
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

  /// Afterwards: the ray of a lane that waits, else no_ray.
  __device__ u32 waiting_ray() const { return ray_id_; }

  static constexpr u32 no_ray = ~u32{0};

 private:
  static constexpr u32 all_but_one = warp_size - 1;

  /// Stores what is finished. A lane whose walk gave up keeps its ray and waits; returns how many do.
  __device__ u32 hand_in() {
    if (walk_.is_done() && ray_id_ != no_ray && !walk_.gives_up() && !test_.gives_up) {
      store_result(query_.results, ray_id_, query_.result(test_, walk_.limit()));
      ray_id_ = no_ray;
    }
    return population_count(__ballot_sync(all_lanes, walk_.is_done() && ray_id_ != no_ray));
  }

  /// For lanes that have none. False at the end of the batch.
  __device__ bool take_rays(u32 n, u32* ticket) {
    const bool takes = ray_id_ == no_ray;
    u32 next = 0;
    if (takes) next = fetch_add_relaxed(ticket, 1u);  // the compiler joins what the lanes add
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
  copse::detail::Walk<typename Query::Tree, fast_stack_size, Robustness::fast> walk_;
  typename Query::template Test<Robustness::fast> test_;
  u32 ray_id_ = no_ray;
  u32 lanes_left_idle_ = 0;  // before the warp takes new rays; all_but_one where it takes none
};

template <class Query>
__global__ void __launch_bounds__(ray_threads, persistent_blocks<Query>)
    persistent_rays_kernel(u32 n, const __grid_constant__ Query query, const u32* choice, GridCounters* counters) {
  overlap_launches();
  if (choice == nullptr || *choice == u32(TraceKernel::persistent)) {
    const SharedReach<typename Query::Tree> reach(query.tree);
    StackEntry entries[fast_stack_size];
    // All tickets that are ever taken are below 2^32: the batch, and once more the lanes that there are. An atomic
    // operation on 8 bytes is a dozen instructions more.
    auto* const ticket = reinterpret_cast<u32*>(&counters->ticket);
    bool more = true;
    while (more) {
      // A lane's state ends with the round, so that it need not be kept while some walk again.
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

/// `choice`: null, or a word on the device that says whether this kernel is to trace.
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
