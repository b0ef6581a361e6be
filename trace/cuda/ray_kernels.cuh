#pragma once

// Walks of many rays on a GPU: a thread for each, or warps that stay and refill.
//
// Source: Aila, Laine, "Understanding the Efficiency of Ray Traversal on GPUs", HPG 2009: persistent threads,
// inner steps and leaves in turns. Refilling idle lanes in the middle: Aila, Laine, Karras, "Understanding the
// Efficiency of Ray Traversal on GPUs - Kepler and Fermi Addendum", NVIDIA 2012. Here the results of a warp's
// finished rays are worked out together, when their lanes are refilled.

#include <type_traits>

#include "primitives/cuda/persistent.cuh"
#include "trace/ray_queries.h"
#include "trace/trace_options.h"

namespace copse::cuda {

namespace detail {

using copse::detail::Effort;
using copse::detail::quick_stack_size;
using copse::detail::StackEntry;

inline constexpr u32 ray_threads = 128;

/// Blocks of them that a multiprocessor shall hold: more hide more of the memory's latency, but spill registers.
inline constexpr u32 ray_blocks = 8;

/// Nodes in full precision and those of eight children take more registers on the way.
template <class Query>
inline constexpr u32 persistent_blocks =
    std::is_same_v<typename Query::Tree, copse::detail::WideTree<Bvh4Node>> ||
            std::is_same_v<typename Query::Tree, copse::detail::WideTree<CompressedBvh8Node>>
        ? 7
        : 8;

/// Rays are read once: they shall not drive nodes out of the caches. The caller's memory may begin at any float.
__device__ inline Ray load_ray(const Ray* rays, u64 i) {
  if (reinterpret_cast<u64>(rays) % sizeof(float4) == 0) {
    const auto* quads = reinterpret_cast<const float4*>(rays + i);
    const float4 a = __ldcs(quads), b = __ldcs(quads + 1);
    return {vec3(a.x, a.y, a.z), a.w, vec3(b.x, b.y, b.z), b.w};
  }
  const auto* words = reinterpret_cast<const float*>(rays + i);
  return {vec3(__ldcs(words), __ldcs(words + 1), __ldcs(words + 2)), __ldcs(words + 3),
          vec3(__ldcs(words + 4), __ldcs(words + 5), __ldcs(words + 6)), __ldcs(words + 7)};
}

__device__ inline void store_result(Hit* hits, u64 i, const Hit& hit) {
  auto* words = reinterpret_cast<float*>(hits + i);
  __stcs(words, hit.t);
  __stcs(words + 1, __uint_as_float(hit.primitive));
  __stcs(words + 2, __uint_as_float(hit.geometry));
  __stcs(words + 3, hit.u);
  __stcs(words + 4, hit.v);
}
__device__ inline void store_result(u8* results, u64 i, u8 result) {
  results[i] = result;
}

/// Stores the results of a warp's neighbouring rays, of which the first `count` are there. Hits go through shared
/// memory: their words stand 20 bytes apart, and would be stored a few to a transaction.
__device__ inline void store_results_of_warp(Hit* hits, u64 first, u32 count, const Hit& hit) {
  constexpr u32 words_a_hit = sizeof(Hit) / sizeof(u32);
  __shared__ alignas(uint4) u32 staged[ray_threads * words_a_hit];
  u32* const own = staged + threadIdx.x / warp_size * warp_size * words_a_hit;
  u32* const words = own + lane_id() * words_a_hit;
  words[0] = __float_as_uint(hit.t);
  words[1] = hit.primitive;
  words[2] = hit.geometry;
  words[3] = __float_as_uint(hit.u);
  words[4] = __float_as_uint(hit.v);
  __syncwarp();
  if (count == warp_size && reinterpret_cast<u64>(hits) % sizeof(uint4) == 0) {
    // 40 times 16 bytes.
    auto* const out = reinterpret_cast<uint4*>(hits + first);
    const auto* const quads = reinterpret_cast<const uint4*>(own);
    __stcs(out + lane_id(), quads[lane_id()]);
    constexpr u32 more = warp_size * words_a_hit / 4 - warp_size;
    if (lane_id() < more) __stcs(out + warp_size + lane_id(), quads[warp_size + lane_id()]);
  } else {
    u32* const out = reinterpret_cast<u32*>(hits + first);
    for (u32 k = lane_id(); k < count * words_a_hit; k += warp_size) __stcs(out + k, own[k]);
  }
  __syncwarp();
}
__device__ inline void store_results_of_warp(u8* results, u64 first, u32 count, u8 result) {
  if (lane_id() < count) results[first + lane_id()] = result;
}

/// The bounds of a tree, found once for all rays of a block. All its threads make one together.
class BlockBounds {
 public:
  template <class Tree>
  __device__ explicit BlockBounds(const Tree& tree) {
    __shared__ float of_block[6];
    words_ = of_block;
    if (threadIdx.x == 0) {
      const Aabb box = tree.bounds();
      words_[0] = box.lo.x, words_[1] = box.lo.y, words_[2] = box.lo.z;
      words_[3] = box.hi.x, words_[4] = box.hi.y, words_[5] = box.hi.z;
    }
    __syncthreads();
  }

  __device__ Aabb box() const {
    return {vec3(words_[0], words_[1], words_[2]), vec3(words_[3], words_[4], words_[5])};
  }

 private:
  float* words_;
};

template <class Query>
using QuickWalk = copse::detail::Walk<typename Query::Tree, quick_stack_size, Effort::quick>;

template <class Walk>
[[gnu::always_inline]] __device__ inline void begin_walk(Walk& walk, const Ray& ray, const BlockBounds& bounds) {
  if constexpr (requires { walk.begin(ray, bounds.box()); }) {
    walk.begin(ray, bounds.box());
  } else {
    walk.begin(ray);
  }
}

/// Walks for a ray whose quick walk gave up.
template <class Query>
__noinline__ __device__ void walk_wholly(const Query& query, u32 ray_id, StackEntry* entries) {
  typename Query::Result result;
  const Ray ray = load_ray(query.rays, ray_id);
  copse::detail::trace_with_effort<Effort::whole>(query, ray, entries, result);
  store_result(query.results, ray_id, result);
}

/// Walks quickly for one ray; false where that gave up.
template <class Query>
[[gnu::always_inline]] __device__ inline bool walk_alone(const Query& query, const Ray& ray,
                                                         const BlockBounds& bounds, StackEntry* entries,
                                                         typename Query::Result& result) {
  QuickWalk<Query> walk(query.tree, entries);
  begin_walk(walk, ray, bounds);
  auto test = query.template test<Effort::quick>(ray);
  NoCounter counter;
  while (!walk.is_done()) {
    if (walk.is_at_leaf()) {
      walk.test_leaf(test, counter);
    } else {
      walk.step(counter);
    }
  }
  if (walk.gives_up() || test.gives_up) return false;
  result = query.template result<Effort::quick>(test, walk.limit());
  return true;
}

/// `choice`: null, or a word on the device that says whether this kernel is to trace.
template <class Query>
__global__ void __launch_bounds__(ray_threads, ray_blocks)
    one_ray_a_thread_kernel(u32 n, const __grid_constant__ Query query, const u32* choice) {
  overlap_launches();
  if (choice != nullptr && *choice != u32(TraceKernel::one_ray_a_thread)) return;
  const BlockBounds bounds(query.tree);
  const u32 i = blockIdx.x * ray_threads + threadIdx.x;
  const u32 first = i - lane_id();
  if (first >= n) return;
  StackEntry entries[quick_stack_size];
  bool is_traced;
  {
    const Ray ray = load_ray(query.rays, smaller(i, n - 1));
    typename Query::Result result{};
    is_traced = walk_alone(query, ray, bounds, entries, result);
    __syncwarp();
    store_results_of_warp(query.results, first, smaller(n - first, warp_size), result);
  }
  if (!is_traced && i < n) walk_wholly(query, i, entries);
}

/// Lanes that may be idle before the warp takes new rays, inner steps between looks at that, and lanes that may
/// wait with a ray whose walk gave up before the warp walks again for all of them.
inline constexpr u32 most_idle_lanes = 12;
inline constexpr u32 steps_between_votes = 3;
inline constexpr u32 most_waiting_lanes = 8;

/// A lane's part in a persistent warp. All lanes of a warp call all members together.
template <class Query>
class PersistentLane {
 public:
  __device__ PersistentLane(const Query& query, const BlockBounds& bounds, StackEntry* entries)
      : query_(query),
        bounds_(bounds),
        walk_(query.tree, entries),
        test_(query.template test<Effort::quick>(Ray{})) {}

  /// Walks until the batch is at its end or too many lanes wait; all lanes are done or wait then.
  __device__ void walk_quickly(u32 n, u64* ticket) {
    NoCounter counter;
    for (;;) {
      const u32 idle = __ballot_sync(all_lanes, walk_.is_done());
      if (idle == all_lanes || (takes_rays_ && population_count(idle & ~waiting_) > most_idle_lanes)) {
        hand_in();
        takes_rays_ = more_ && population_count(waiting_) <= most_waiting_lanes;
        if (idle == all_lanes && !takes_rays_) return;
        if (takes_rays_) take_rays(idle & ~waiting_, n, ticket);
      }
      for (u32 k = 0; k < steps_between_votes && walk_.is_at_inner(); ++k) walk_.step(counter);
      if (walk_.is_at_leaf()) walk_.test_leaf(test_, counter);
    }
  }

  /// Afterwards: the ray of a lane that waits, else no_ray; and whether the batch is not at its end.
  __device__ u32 waiting_ray() const { return ray_id_; }
  __device__ bool has_more() const { return more_; }

  static constexpr u32 no_ray = ~u32{0};

 private:
  /// Stores what is finished. A lane whose walk gave up keeps its ray and waits.
  __device__ void hand_in() {
    if (walk_.is_done() && ray_id_ != no_ray && !walk_.gives_up() && !test_.gives_up) {
      store_result(query_.results, ray_id_, query_.template result<Effort::quick>(test_, walk_.limit()));
      ray_id_ = no_ray;
    }
    waiting_ = __ballot_sync(all_lanes, walk_.is_done() && ray_id_ != no_ray);
  }

  __device__ void take_rays(u32 takers, u32 n, u64* ticket) {
    const u32 count = population_count(takers);
    const u64 first = take_tickets_by_warp(ticket, count);
    more_ = first + count < n;
    takes_rays_ = more_;
    const u64 next = first + population_count(takers & lower_lanes());
    if ((takers >> lane_id() & 1) == 0 || next >= n) return;
    ray_id_ = u32(next);
    const Ray ray = load_ray(query_.rays, next);
    test_ = query_.template test<Effort::quick>(ray);
    begin_walk(walk_, ray, bounds_);
  }

  const Query& query_;
  const BlockBounds& bounds_;
  QuickWalk<Query> walk_;
  typename Query::template Test<Effort::quick> test_;
  u32 ray_id_ = no_ray;
  u32 waiting_ = 0;         // the lanes that wait
  bool more_ = true;        // the batch is not at its end
  bool takes_rays_ = true;  // nor do too many lanes wait
};

template <class Query>
__global__ void __launch_bounds__(ray_threads, persistent_blocks<Query>)
    persistent_rays_kernel(u32 n, const __grid_constant__ Query query, const u32* choice, GridCounters* counters) {
  if (choice == nullptr || *choice == u32(TraceKernel::persistent)) {
    const BlockBounds bounds(query.tree);
    StackEntry entries[quick_stack_size];
    bool more = true;
    while (more) {
      // A lane's state ends with the round, so that it need not be kept while some walk again.
      u32 waiting_ray;
      {
        PersistentLane<Query> lane(query, bounds, entries);
        lane.walk_quickly(n, &counters->ticket);
        waiting_ray = lane.waiting_ray();
        more = lane.has_more();
      }
      if (waiting_ray != PersistentLane<Query>::no_ray) walk_wholly(query, waiting_ray, entries);
      __syncwarp();
    }
  }
  leave_grid(counters);
}

}  // namespace detail

/// `choice`: null, or a word on the device that says whether this kernel is to trace.
template <class Query>
void trace_one_ray_a_thread(const Executor& ex, const char* label, const Query& query, u32 n, const u32* choice) {
  launch(ex, label, detail::one_ray_a_thread_kernel<Query>,
         {.blocks = divide_rounding_up(n, detail::ray_threads),
          .threads = detail::ray_threads,
          .overlaps_earlier_launch = true},
         n, query, choice);
}

/// `choice`: as above.
template <class Query>
void trace_persistent(const Executor& ex, const char* label, const Query& query, u32 n, const u32* choice) {
  const auto kernel = detail::persistent_rays_kernel<Query>;
  const u64 blocks =
      smaller(resident_blocks(ex, label, kernel, detail::ray_threads), divide_rounding_up(n, detail::ray_threads));
  with_grid_counters(ex, [&](GridCounters* counters) {
    launch(ex, label, kernel, {blocks, detail::ray_threads}, n, query, choice, counters);
  });
}

}  // namespace copse::cuda
