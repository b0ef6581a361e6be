#pragma once

#include "motion/rays/motion_batch.h"
#include "primitives/cpu/for_each.h"

namespace copse::cpu {

namespace detail {

template <class Query>
struct TraceMovingRay {
  Query query;

  void operator()(u64 i) const {
    using copse::detail::Robustness;
    const Ray ray = query.batch.ray(i);
    const auto time = query.batch.key_time_of(i);
    const auto tree = query.batch.accel.tree_at(time);
    copse::detail::StackEntry entries[Query::stack_size];
    typename Query::FastWalk walk(tree, entries);
    typename Query::template Test<Robustness::fast> test(query.triangles(ray, time, i), ray);
    NoCounter counter;
    walk.begin(prepare_moving_ray(ray, copse::detail::TreeReach::of(tree.bounds())));
    walk_to_end(walk, test, counter);
    const bool gave_up = walk.gives_up() || test.gives_up;
    query.results[i] = gave_up ? query.trace_robust(i) : query.result(test, walk.limit());
  }
};

}  // namespace detail

/// Contract: motion/rays/motion_rays.inl.
template <class Query>
void trace_moving_rays(const Executor& ex, const char* label, const Query& query, u64 n) {
  for_each(ex, label, n, detail::TraceMovingRay<Query>{query});
}

}  // namespace copse::cpu
