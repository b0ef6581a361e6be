#pragma once

// Shared by the kernels of batches: reading rays, storing results, the bounds of the tree, and the kernel that gives
// each thread a ray. Its warps trace by one of three methods: thread_per_ray.cuh, ray_packets.cuh, wide_packets.cuh.

#include <type_traits>

#include "primitives/cuda/launch.cuh"
#include "primitives/cuda/warp.cuh"
#include "trace/batch/ray_queries.h"
#include "trace/trace_options.h"

namespace copse::cuda {

namespace detail {

using copse::detail::fast_stack_size;
using copse::detail::PreparedRay;
using copse::detail::Robustness;
using copse::detail::StackEntry;
using copse::detail::trace_robust;
using copse::detail::TreeReach;

inline constexpr u32 ray_threads = 128;

template <class Query>
using FastWalk = typename copse::detail::FastWalkOf<Query, fast_stack_size>::type;

template <class Query>
concept WalksBinaryTree = std::is_same_v<typename Query::Tree, copse::detail::BinaryTree>;

/// The memory of the rays of a query. A query that changes rays as they are read has a type of its own for them, and
/// this function and load_ray for it.
inline const Ray* memory_of(const Ray* rays) {
  return rays;
}

/// True if fast kernels can read the rays. The caller's memory may be aligned to floats only.
template <class Rays>
bool stand_at_quads(const Rays& rays) {
  return reinterpret_cast<u64>(memory_of(rays)) % sizeof(float4) == 0;
}

/// Reads a ray without caching: it is read once, and must not evict nodes.
__device__ inline Ray load_ray(const Ray* rays, u64 i) {
  const auto* quads = reinterpret_cast<const float4*>(rays + i);
  const float4 a = __ldcs(quads), b = __ldcs(quads + 1);
  return {vec3(a.x, a.y, a.z), a.w, vec3(b.x, b.y, b.z), b.w};
}

template <class Result>
__device__ inline const copse::detail::Word* words_of(const Result& result) {
  return reinterpret_cast<const copse::detail::Word*>(&result);
}

/// For results of several words each, such as Hit.
template <class Result>
__device__ inline void store_result(Result* results, u64 i, const Result& result) {
  auto* const words = reinterpret_cast<u32*>(results + i);
#pragma unroll
  for (u32 k = 0; k < sizeof(Result) / sizeof(u32); ++k) {
    __stcs(words + k, words_of(result)[k]);
  }
}
__device__ inline void store_result(ShortHit* hits, u64 i, const ShortHit& hit) {
  __stcs(reinterpret_cast<uint2*>(hits + i), make_uint2(__float_as_uint(hit.t), hit.triangle));
}
__device__ inline void store_result(u8* results, u64 i, u8 result) {
  results[i] = result;
}

/// Stores the results of a warp's neighbouring rays, of which the first `count` exist. Hits go through shared memory:
/// stored directly, the words of neighbouring lanes would be 20 bytes apart, and a transaction would hold only a few.
template <class Result>
__device__ inline void store_results_of_warp(Result* results, u64 first, u32 count, const Result& result) {
  constexpr u32 result_words = sizeof(Result) / sizeof(u32), quads_of_warp = warp_size * result_words / 4;
  __shared__ alignas(uint4) u32 staged[ray_threads * result_words];
  u32* const own = staged + threadIdx.x / warp_size * warp_size * result_words;
  u32* const words = own + lane_id() * result_words;
#pragma unroll
  for (u32 k = 0; k < result_words; ++k) words[k] = words_of(result)[k];
  __syncwarp();
  if (count == warp_size && reinterpret_cast<u64>(results + first) % sizeof(uint4) == 0) {
    // The hits of a warp fill 40 times 16 bytes; hits through a scene fill 48 times.
    auto* const out = reinterpret_cast<uint4*>(results + first);
    const auto* const quads = reinterpret_cast<const uint4*>(own);
    __stcs(out + lane_id(), quads[lane_id()]);
    constexpr u32 more = quads_of_warp - warp_size;
    if (lane_id() < more) __stcs(out + warp_size + lane_id(), quads[warp_size + lane_id()]);
  } else {
    u32* const out = reinterpret_cast<u32*>(results + first);
    for (u32 k = lane_id(); k < count * result_words; k += warp_size) __stcs(out + k, own[k]);
  }
  __syncwarp();
}
__device__ inline void store_results_of_warp(ShortHit* hits, u64 first, u32 count, const ShortHit& hit) {
  if (lane_id() < count) store_result(hits, first + lane_id(), hit);
}
__device__ inline void store_results_of_warp(u32* results, u64 first, u32 count, u32 result) {
  if (lane_id() < count) store_result(results, first + lane_id(), result);
}
__device__ inline void store_results_of_warp(u8* results, u64 first, u32 count, u8 result) {
  if (lane_id() < count) results[first + lane_id()] = result;
}

/// Stores the bounds of a tree to words 0 to 5, and the largest magnitude in them to word 6. All threads of a block
/// call it.
template <class Tree>
__device__ inline void store_reach(const Tree& tree, float* words) {
  if (threadIdx.x != 0) return;
  const auto [box, farthest] = TreeReach::of(tree.bounds());
  words[0] = box.lo.x, words[1] = box.lo.y, words[2] = box.lo.z;
  words[3] = box.hi.x, words[4] = box.hi.y, words[5] = box.hi.z;
  words[6] = farthest;
}

/// The same with a sixth of the instructions: each of six threads decodes one plane, at the lowest or highest of the
/// children's steps. Empty slots have the steps 255 and 0, which change neither.
__device__ inline void store_reach(const copse::detail::WideTree<CompressedBvh4Node>& tree, float* words) {
  constexpr u32 plane_count = 6, these_lanes = (1u << plane_count) - 1;
  if (threadIdx.x >= plane_count) return;
  const auto* const node = reinterpret_cast<const u32*>(tree.nodes);
  const u32 axis = threadIdx.x % 3, steps = node[9 + threadIdx.x];
  const u32 a = steps & 255, b = steps >> 8 & 255, c = steps >> 16 & 255, d = steps >> 24;
  const u32 outermost = threadIdx.x < 3 ? min(min(a, b), min(c, d)) : max(max(a, b), max(c, d));
  const float plane =
      copse::detail::grid_point(__uint_as_float(node[axis]), u8(node[3] >> 8 * axis), u8(outermost));
  words[threadIdx.x] = plane;
  words[6] = __int_as_float(warp_max(these_lanes, __float_as_int(fabsf(plane))));
}

__device__ inline bool is_in(const Aabb& box, const vec3& p) {
  return box.lo.x <= p.x && p.x <= box.hi.x && box.lo.y <= p.y && p.y <= box.hi.y && box.lo.z <= p.z &&
         p.z <= box.hi.z;
}

/// TreeReach of a tree. All threads of a block construct it together: for a wide tree it is computed once for all
/// rays of the block.
template <class Tree>
class SharedReach {
 public:
  __device__ explicit SharedReach(const Tree& tree) {
    __shared__ alignas(float4) float of_block[8];
    words_ = of_block;
    store_reach(tree, of_block);
    __syncthreads();
  }

  __device__ TreeReach operator()() const {
    const auto* const quads = reinterpret_cast<const float4*>(words_);
    const float4 a = quads[0], b = quads[1];
    return {{vec3(a.x, a.y, a.z), vec3(a.w, b.x, b.y)}, b.z};
  }

 private:
  float* words_;
};

/// The root of a binary tree holds the bounds.
template <>
class SharedReach<copse::detail::BinaryTree> {
 public:
  __device__ explicit SharedReach(const copse::detail::BinaryTree& tree) : tree_(tree) {}
  __device__ TreeReach operator()() const { return TreeReach::of(tree_.bounds()); }

 private:
  const copse::detail::BinaryTree& tree_;
};

/// Traces a ray that gave up, by robust traversal. It is out of line, so that fast traversals spend no registers on
/// it.
template <class Query>
__noinline__ __device__ void retrace_robust(const Query& query, u32 ray_id) {
  store_result(query.results, ray_id, trace_robust(query, query.rays[ray_id], ray_id));
}

/// A thread per ray, by robust traversal. `choice` and `kernel` are as below.
template <class Query>
__global__ void __launch_bounds__(ray_threads)
    robust_rays_kernel(u32 n, const __grid_constant__ Query query, TraceKernel kernel, const u32* choice) {
  overlap_launches();
  if (choice != nullptr && *choice != u32(kernel)) return;
  const u32 i = blockIdx.x * ray_threads + threadIdx.x;
  if (i < n) retrace_robust(query, i);
}

/// Returns the group of rays that a block traces; there are as many groups as blocks. Blocks that run at the same
/// time take groups spread over a stretch of the batch. So rays that miss everything, and wait for memory, run beside
/// rays that compute much. In the order of a picture they would run one after the other. bench/notes/rays-gpu.md has
/// gains and costs.
__device__ inline u32 group_of_block() {
  constexpr u32 stretch = 8192, stride = 3137;  // odd, so that all of a stretch are met
  const u32 begin = blockIdx.x / stretch * stretch;
  return begin + stretch <= gridDim.x ? begin + blockIdx.x * stride % stretch : blockIdx.x;
}

/// True in all lanes if the rays of the warp surely miss the tree. If a ray begins in the tree's box, the answer is
/// no, without further tests.
__device__ inline bool warp_misses(const Ray& ray, const TreeReach& tree) {
  return !__any_sync(all_lanes, is_in(tree.bounds, ray.origin)) &&
         __all_sync(all_lanes, copse::detail::passes_by(ray, tree));
}

/// `Method`: how a warp traces the rays of its lanes:
///   static constexpr TraceKernel kernel
///   static constexpr u32 blocks
///     Blocks per multiprocessor. More blocks hide more of the memory's latency, but spill registers.
///   static bool trace(query, ray, i, prepared, result)
///     All lanes of a warp call it if at least one of them enters the tree. False if the lane's ray gave up; then the
///     result is invalid.
/// `choice`: null, or a word on the device. The kernel traces only if the word names it.
template <class Method, class Query>
__global__ void __launch_bounds__(ray_threads, Method::blocks)
    rays_kernel(u32 n, const __grid_constant__ Query query, const u32* choice) {
  overlap_launches();
  if (choice != nullptr && *choice != u32(Method::kernel)) return;
  const u32 i = group_of_block() * ray_threads + threadIdx.x;
  const u32 own = smaller(i, n - 1);
  const Ray ray = load_ray(query.rays, own);  // before the barrier in SharedReach, so that both latencies overlap
  const SharedReach<typename Query::Tree> reach(query.tree);
  const u32 first = i - lane_id();
  if (first >= n) return;
  bool is_traced = true;
  if (warp_misses(ray, reach())) {
    store_results_of_warp(query.results, first, smaller(n - first, warp_size), Query::miss(ray));
    return;
  }
  {
    PreparedRay prepared = prepare_ray(ray, reach());
    if (i >= n) prepared.enters = prepared.gives_up = false;
    typename Query::Result result;
    if (__any_sync(all_lanes, prepared.enters)) {
      is_traced = Method::trace(query, ray, own, prepared, result);
    } else {
      result = Query::miss(ray);
      is_traced = !prepared.gives_up;
    }
    __syncwarp();
    store_results_of_warp(query.results, first, smaller(n - first, warp_size), result);
  }
  if (!is_traced) retrace_robust(query, i);
}

}  // namespace detail

/// Traces rays that are not aligned to 16 bytes, in place of `kernel`. Such rays are rare, so they have no fast
/// kernels.
template <class Query>
void trace_by_robust_traversal(const Executor& ex, const char* label, TraceKernel kernel, const Query& query,
                               u32 n, const u32* choice) {
  launch(ex, label, detail::robust_rays_kernel<Query>,
         {.blocks = divide_rounding_up(n, detail::ray_threads),
          .threads = detail::ray_threads,
          .overlaps_earlier_launch = true},
         n, query, kernel, choice);
}

/// `choice`: null, or a word on the device. The kernel traces only if the word names it.
template <class Method, class Query>
void trace_in_groups(const Executor& ex, const char* label, const Query& query, u32 n, const u32* choice) {
  launch(ex, label, detail::rays_kernel<Method, Query>,
         {.blocks = divide_rounding_up(n, detail::ray_threads),
          .threads = detail::ray_threads,
          .overlaps_earlier_launch = true},
         n, query, choice);
}

}  // namespace copse::cuda
