#pragma once

// Walks of many rays on a GPU by warps that stay and take new rays for lanes that are done.
//
// Source: Aila, Laine, "Understanding the Efficiency of Ray Traversal on GPUs", HPG 2009: persistent threads,
// inner steps and leaves in turns. Refilling idle lanes in the middle: Aila, Laine, Karras, "Understanding the
// Efficiency of Ray Traversal on GPUs - Kepler and Fermi Addendum", NVIDIA 2012. Here the results of a warp's
// finished rays are worked out together, when their lanes are refilled.

#include "primitives/cuda/persistent.cuh"
#include "trace/cuda/ray_batch.cuh"

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

/// Compressed nodes of four children are stepped through soonest.
template <class Query>
inline constexpr bool steps_soon =
    std::is_same_v<typename Query::Tree, copse::detail::WideTree<CompressedBvh4Node>>;

/// Lanes that may be idle before the warp takes new rays, inner steps between looks at that, and lanes that may
/// wait with a ray whose walk gave up before the warp walks again for all of them.
template <class Query>
inline constexpr u32 most_idle_lanes = steps_soon<Query> ? 8 : 12;
template <class Query>
inline constexpr u32 steps_between_votes = steps_soon<Query> ? 4 : 3;
inline constexpr u32 most_waiting_lanes = 8;

/// A lane's part in a persistent warp. All lanes of a warp call all members together.
template <class Query>
class PersistentLane {
 public:
  using Bounds = TreeBounds<typename Query::Tree>;

  __device__ PersistentLane(const Query& query, const Bounds& bounds, StackEntry* entries)
      : query_(query),
        bounds_(bounds),
        walk_(query.tree, entries),
        test_(query.template test<Effort::quick>(Ray{}, 0)) {}

  /// Walks until the batch is at its end or too many lanes wait; all lanes are done or wait then.
  __device__ void walk_quickly(u32 n, u32* ticket) {
    NoCounter counter;
    for (;;) {
      const u32 idle = __ballot_sync(all_lanes, walk_.is_done());
      if (idle == all_lanes || (takes_rays_ && population_count(idle & ~waiting_) > most_idle_lanes<Query>)) {
        hand_in();
        takes_rays_ = more_ && population_count(waiting_) <= most_waiting_lanes;
        if (idle == all_lanes && !takes_rays_) return;
        if (takes_rays_) take_rays(idle & ~waiting_, n, ticket);
      }
      step(counter);
      if (walk_.is_at_leaf()) walk_.test_leaf(test_, counter);
    }
  }

  /// Afterwards: the ray of a lane that waits, else no_ray; and whether the batch is not at its end.
  __device__ u32 waiting_ray() const { return ray_id_; }
  __device__ bool has_more() const { return more_; }

  static constexpr u32 no_ray = ~u32{0};

 private:
  /// The steps between two votes.
  __device__ void step(NoCounter& counter) {
    constexpr u32 most = steps_between_votes<Query>;
    if constexpr (WalksBinaryTree<Query>) {
      for (u32 k = 0; k < most && walk_.is_at_inner(); ++k) walk_.step(counter);
    } else {
      if (walk_.is_at_inner() && !walk_.has_room(most)) walk_.give_up();
      for (u32 k = 0; k < most && walk_.is_at_inner(); ++k) walk_.step_with_room(counter);
    }
  }

  /// Stores what is finished. A lane whose walk gave up keeps its ray and waits.
  __device__ void hand_in() {
    if (walk_.is_done() && ray_id_ != no_ray && !walk_.gives_up() && !test_.gives_up) {
      store_result(query_.results, ray_id_, query_.result(test_, walk_.limit()));
      ray_id_ = no_ray;
    }
    waiting_ = __ballot_sync(all_lanes, walk_.is_done() && ray_id_ != no_ray);
  }

  __device__ void take_rays(u32 takers, u32 n, u32* ticket) {
    const u32 count = population_count(takers);
    u32 first = 0;
    if (lane_id() == 0) first = fetch_add_relaxed(ticket, count);
    first = shuffle_from(first, 0);
    more_ = first + count < n;
    takes_rays_ = more_;
    const u32 next = first + population_count(takers & lower_lanes());
    if ((takers >> lane_id() & 1) == 0 || next >= n) return;
    ray_id_ = next;
    const Ray ray = load_ray(query_.rays, next);
    test_ = query_.template test<Effort::quick>(ray, next);
    walk_.begin(make_ready<Query>(bounds_, ray));
  }

  const Query& query_;
  const Bounds& bounds_;
  copse::detail::Walk<typename Query::Tree, quick_stack_size, Effort::quick> walk_;
  typename Query::template Test<Effort::quick> test_;
  u32 ray_id_ = no_ray;
  u32 waiting_ = 0;         // the lanes that wait
  bool more_ = true;        // the batch is not at its end
  bool takes_rays_ = true;  // nor do too many lanes wait
};

template <class Query>
__global__ void __launch_bounds__(ray_threads, persistent_blocks<Query>)
    persistent_rays_kernel(u32 n, const __grid_constant__ Query query, const u32* choice, GridCounters* counters) {
  overlap_launches();
  if (choice == nullptr || *choice == u32(TraceKernel::persistent)) {
    const TreeBounds<typename Query::Tree> bounds(query.tree);
    StackEntry entries[quick_stack_size];
    // All tickets that are ever taken are below 2^32: the batch, and once more the lanes that there are. An atomic
    // operation on 8 bytes is a dozen instructions more.
    auto* const ticket = reinterpret_cast<u32*>(&counters->ticket);
    bool more = true;
    while (more) {
      // A lane's state ends with the round, so that it need not be kept while some walk again.
      u32 waiting_ray;
      {
        PersistentLane<Query> lane(query, bounds, entries);
        lane.walk_quickly(n, ticket);
        waiting_ray = lane.waiting_ray();
        more = lane.has_more();
      }
      if (waiting_ray != PersistentLane<Query>::no_ray) trace_again(query, waiting_ray);
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
