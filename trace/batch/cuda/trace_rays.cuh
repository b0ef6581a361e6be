#pragma once

// Chooses the kernel that traces a batch, and launches it. Contract: trace/batch/trace_rays.inl.

#include "trace/batch/cuda/choose_kernel.cuh"
#include "trace/batch/cuda/learned_kernels.cuh"
#include "trace/batch/cuda/persistent_rays.cuh"
#include "trace/batch/cuda/ray_packets.cuh"
#include "trace/batch/cuda/thread_per_ray.cuh"
#include "trace/batch/cuda/wide_packets.cuh"

namespace copse::cuda {

namespace detail {

struct StoreKernel {
  u32 kernel;
  u32* chosen;
  __device__ void operator()(u64) const { *chosen = kernel; }
};

struct CopyKernel {
  const u32* choice;
  u32* chosen;
  __device__ void operator()(u64) const { *chosen = *choice; }
};

/// Packets through CompressedBvh4 are for closest hits alone: any hits are faster with a thread per ray.
template <class Query>
inline constexpr bool has_packets =
    WalksBinaryTree<Query> || (std::is_same_v<typename Query::Tree, copse::detail::WideTree<CompressedBvh4Node>> &&
                               Query::finds_closest && !Query::has_masks);

/// The kernel that this query uses for `kernel`. Batches with masks are rare and have no thread_per_ray kernel: there
/// is less to compile, and it costs them at most a fifth of the speed.
template <class Query>
constexpr TraceKernel kernel_for(TraceKernel kernel) {
  const bool is_there = kernel == TraceKernel::packets ? has_packets<Query> : !Query::has_masks;
  return is_there ? kernel : TraceKernel::persistent;
}

/// How packets traverse the tree of a query.
template <class Query>
using Packets = std::conditional_t<WalksBinaryTree<Query>, RayPackets<Query>, WidePackets<Query>>;

/// From this many rays per triangle on, packets are used: half as many as a packet has.
inline constexpr u64 rays_per_triangle_for_packets = warp_size / 2;

/// The fastest kernels for a batch of n rays. bench/notes/rays-gpu.md has the measurements. If triangles are finer
/// than the distance between rays, neighbours part early, and waiting for each other costs more.
template <class Query>
KernelTable kernels_for(const Query& query, u64 n) {
  using enum TraceKernel;
  using Tree = typename Query::Tree;
  const u64 count = query.triangle_count;
  const bool sees_few = has_packets<Query> && count <= n / rays_per_triangle_for_packets;
  const TraceKernel together = kernel_for<Query>(sees_few ? packets : thread_per_ray);
  if constexpr (WalksBinaryTree<Query>) {
    return {together, together, persistent};
  } else if constexpr (Query::has_masks) {
    return {persistent, persistent, persistent};
  } else if constexpr (std::is_same_v<Tree, copse::detail::WideTree<CompressedBvh4Node>> && Query::finds_closest) {
    return {count > n / 2 ? persistent : together, count > n ? persistent : together, persistent};
  } else if constexpr (std::is_same_v<Tree, copse::detail::WideTree<CompressedBvh8Node>>) {
    return {persistent, persistent, persistent};
  } else {
    return {together, together, persistent};
  }
}

/// True if all rays of a batch through a wide tree get a thread at the same time. Then persistent warps would find no
/// more rays to take, and a sample costs more than it saves. bench/notes/rays-gpu.md has the measurements.
template <class Query>
bool fits_at_once(const Executor& ex, u32 n) {
  const u64 threads = u64{ex.multiprocessor_count} * ThreadPerRay<Query>::blocks * ray_threads;
  return !WalksBinaryTree<Query> && !Query::has_masks && n <= threads;
}

/// Launches `kernel`. `choice` is as for the kernels. `grouped` and `persistent` may traverse different trees.
template <class Grouped, class Persistent>
void trace_with_kernel(const Executor& ex, const char* label, TraceKernel kernel, const Grouped& grouped,
                       const Persistent& persistent, u32 n, const u32* choice) {
  if (!stand_at_quads(grouped.rays)) return trace_by_robust_traversal(ex, label, kernel, grouped, n, choice);
  if constexpr (!Grouped::has_masks) {
    if (kernel == TraceKernel::thread_per_ray) {
      trace_in_groups<ThreadPerRay<Grouped>>(ex, label, grouped, n, choice);
    }
  }
  if constexpr (has_packets<Grouped>) {
    if (kernel == TraceKernel::packets) trace_in_groups<Packets<Grouped>>(ex, label, grouped, n, choice);
  }
  if (kernel == TraceKernel::persistent) trace_persistent(ex, label, persistent, n, choice);
}

/// If the table names one kernel, launches it. Otherwise a sample of the rays writes the choice, and all kernels of
/// the table are launched: those not chosen end at once. `choice`: a word on the device. If `tells`, it receives the
/// kernel in either case.
template <class Grouped, class Persistent>
void trace_by_table(const Executor& ex, const char* label, const KernelTable& table, const Grouped& grouped,
                    const Persistent& persistent, u32 n, u32* choice, bool tells) {
  if (table.is_one()) {
    trace_with_kernel(ex, label, table.apart, grouped, persistent, n, nullptr);
    if (tells) for_each(ex, "trace: choice", 1, StoreKernel{u32(table.apart), choice});
    return;
  }
  choose_trace_kernel(ex, grouped.tree, grouped.rays, n, table, choice);
  for (const TraceKernel kernel : {TraceKernel::packets, TraceKernel::thread_per_ray, TraceKernel::persistent}) {
    if (table.names(kernel)) trace_with_kernel(ex, label, kernel, grouped, persistent, n, choice);
  }
}

/// Traces by the kernel that a sample of the rays chooses.
template <class Query>
void trace_sampled(const Executor& ex, const char* label, const Query& query, u32 n, u32* chosen) {
  ScratchArena::Frame frame(ex.scratch);
  u32* choice = frame.allocate<u32>(1);
  trace_by_table(ex, label, kernels_for(query, n), query, query, n, choice, chosen != nullptr);
  if (chosen != nullptr) for_each(ex, "trace: chosen", 1, CopyKernel{choice, chosen});
}

/// The ways to trace a query that automatic chooses from.
template <class Query>
constexpr KernelWays ways_of() {
  using enum TraceKernel;
  KernelWays ways;
  ways.add({persistent});
  if (kernel_for<Query>(thread_per_ray) == thread_per_ray) ways.add({thread_per_ray});
  if (has_packets<Query>) ways.add({packets});
  if (has_orders<Query>) ways.add({persistent, VisitOrder::nearest_first});
  if (has_orders<Query>) ways.add({persistent, VisitOrder::latest_exit_first});
  return ways;
}

template <class Query>
void trace_by_way(const Executor& ex, const char* label, KernelWay way, const Query& query, u32 n) {
  if constexpr (has_orders<Query>) {
    if (way.order != VisitOrder::usual && stand_at_quads(query.rays)) {
      if (way.order == VisitOrder::nearest_first)
        return trace_persistent(ex, label, nearest_first(query), n, nullptr);
      return trace_persistent(ex, label, latest_exit_first(query), n, nullptr);
    }
  }
  trace_with_kernel(ex, label, way.kernel, query, query, n, nullptr);
}

/// Traces by the way that was the fastest for earlier batches of this kind. The first batches use a sample.
template <class Query>
void trace_as_learned(const Executor& ex, const char* label, const Query& query, u32 n, u32* chosen) {
  constexpr KernelWays ways = ways_of<Query>();
  auto& learned = ex.memos.template get<copse::detail::LearnedKernels>();
  learned.trace(ex.device, key_of(query, n), n, ways.count, [&](u32 way) {
    if (way == copse::detail::ChoiceByTime::undecided) return trace_sampled(ex, label, query, n, chosen);
    trace_by_way(ex, label, ways.ways[way], query, n);
    if (chosen != nullptr) for_each(ex, "trace: chosen", 1, StoreKernel{u32(ways.ways[way].kernel), chosen});
  });
}

/// True for batches that fill the GPU, as others end too soon to be timed. False in captures: a graph is launched
/// with other rays later, so it takes a sample each time.
template <class Query>
bool learns_from(const Executor& ex, u32 n) {
  constexpr u64 threads_of_multiprocessor = 2048;
  return ways_of<Query>().count > 1 && n > ex.multiprocessor_count * threads_of_multiprocessor &&
         !is_capturing(ex);
}

/// At most 2^31 rays.
template <class Query>
void trace_by(const Executor& ex, const char* label, TraceKernel kernel, const Query& query, u32 n, u32* chosen) {
  if (kernel == TraceKernel::automatic && fits_at_once<Query>(ex, n)) kernel = TraceKernel::thread_per_ray;
  if (kernel == TraceKernel::automatic) {
    if (learns_from<Query>(ex, n)) return trace_as_learned(ex, label, query, n, chosen);
    return trace_sampled(ex, label, query, n, chosen);
  }
  kernel = kernel_for<Query>(kernel);
  trace_with_kernel(ex, label, kernel, query, query, n, nullptr);
  if (chosen != nullptr) for_each(ex, "trace: chosen", 1, StoreKernel{u32(kernel), chosen});
}

}  // namespace detail

template <class Query>
void trace_batch(const Executor& ex, const char* label, TraceKernel kernel, Query query, u64 n, u32* chosen) {
  constexpr u64 max_at_once = u64{1} << 31;
  for (u64 begin = 0; begin < n; begin += max_at_once) {
    const u32 count = u32(smaller(n - begin, max_at_once));
    detail::trace_by(ex, label, kernel, query, count, chosen);
    query.skip(count);
  }
}

}  // namespace copse::cuda
