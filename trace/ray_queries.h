#pragma once

// What a batch asks of each ray, for the kernels of both backends: which leaf test, and what comes of it.

#include "trace/binary_walk.h"
#include "trace/traverse.h"
#include "trace/wide_walk.h"

namespace copse::detail {

/// The triangles that a query holds: by value, since a kernel's parameters are all that it sees of the host.
template <class Source>
using TrianglesOf = decltype(triangles_of(std::declval<const Source&>()));

template <class View>
using TreeOf = decltype(tree_of(std::declval<const View&>()));

template <class View, class Source>
struct ClosestHits {
  using Tree = TreeOf<View>;
  template <Effort effort>
  using Test = ClosestTriangle<TrianglesOf<Source>, effort>;
  using Result = Hit;

  Tree tree;
  Source source;
  const Ray* rays;
  Hit* results;

  template <Effort effort>
  COPSE_HD Test<effort> test(const Ray& ray) const {
    return {triangles_of(source), ray};
  }
  template <Effort effort>
  COPSE_HD Hit result(const Test<effort>& test, float limit) const {
    return test.hit(limit);
  }
  COPSE_HD static Hit miss(const Ray& ray) { return {ray.t_max, invalid_id, invalid_id, 0, 0}; }
};

template <class View, class Source>
struct AnyHits {
  using Tree = TreeOf<View>;
  template <Effort effort>
  using Test = AnyTriangle<TrianglesOf<Source>, effort>;
  using Result = u8;

  Tree tree;
  Source source;
  const Ray* rays;
  u8* results;

  template <Effort effort>
  COPSE_HD Test<effort> test(const Ray& ray) const {
    return {triangles_of(source), ray};
  }
  template <Effort effort>
  COPSE_HD u8 result(const Test<effort>& test, float) const {
    return test.found ? 1 : 0;
  }
  COPSE_HD static u8 miss(const Ray&) { return 0; }
};

/// Entries of the stacks of quick walks, which give up where they are full.
inline constexpr u32 quick_stack_size = 64;

/// Walks for one ray; false where a quick walk gave up. `entries`: room for default_stack_size, or for
/// quick_stack_size where the walk is a quick one.
template <Effort effort, class Query>
COPSE_HD inline bool trace_with_effort(const Query& query, const Ray& ray, StackEntry* entries,
                                       typename Query::Result& result) {
  constexpr u32 stack_size = effort == Effort::quick ? quick_stack_size : default_stack_size;
  Walk<typename Query::Tree, stack_size, effort> walk(query.tree, entries);
  walk.begin(ray);
  auto test = query.template test<effort>(ray);
  NoCounter counter;
  while (!walk.is_done()) {
    if (walk.is_at_leaf()) {
      walk.test_leaf(test, counter);
    } else {
      walk.step(counter);
    }
  }
  if (walk.gives_up() || test.gives_up) return false;
  result = query.template result<effort>(test, walk.limit());
  return true;
}

/// Walks for one ray, quickly if that will do. `entries`: room for quick_stack_size.
template <class Query>
COPSE_HD inline typename Query::Result trace_ray(const Query& query, const Ray& ray, StackEntry* entries) {
  typename Query::Result result;
  if (!trace_with_effort<Effort::quick>(query, ray, entries, result)) {
    trace_with_effort<Effort::whole>(query, ray, entries, result);
  }
  return result;
}

/// Traces ray i by itself.
template <class Query>
struct TraceOne {
  Query query;

  COPSE_HD void operator()(u64 i) const {
    StackEntry entries[quick_stack_size];
    query.results[i] = trace_ray(query, query.rays[i], entries);
  }
};

}  // namespace copse::detail
