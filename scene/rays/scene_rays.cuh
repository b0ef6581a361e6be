#pragma once

#include "scene/rays/scene_query.h"
#include "trace/batch/cuda/trace_rays.cuh"

namespace copse::cuda {

namespace detail {

/// A packet would have to go down into an instance as a whole.
template <class Out, class Sights>
inline constexpr bool has_packets<copse::detail::SceneQuery<Out, Sights>> = false;

}  // namespace detail

/// Contract: scene/rays/scene_rays.inl. By the kernels of batches through an accel.
template <class Query>
void trace_scene_batch(const Executor& ex, const char* label, const Query& query, u64 n) {
  trace_batch(ex, label, TraceKernel::automatic, query, n, nullptr);
}

}  // namespace copse::cuda
