#pragma once

// What a batch asks of each ray, for the kernels of both backends: which leaf test, and what comes of it.

#include "trace/traverse.h"

namespace copse::detail {

/// The triangles that a query holds: by value, since a kernel's parameters are all that it sees of the host.
template <class Source>
using TrianglesOf = decltype(triangles_of(std::declval<const Source&>()));

template <class View>
using TreeOf = decltype(tree_of(std::declval<const View&>()));

template <class View, class Source>
struct ClosestHits {
  using Tree = TreeOf<View>;
  using Test = ClosestTriangle<TrianglesOf<Source>>;
  using Result = Hit;

  Tree tree;
  Source source;
  const Ray* rays;
  Hit* results;

  COPSE_HD Test test(const Ray& ray) const { return Test(triangles_of(source), ray); }
  COPSE_HD Hit result(const Test& test, float limit) const { return test.hit(limit); }
};

template <class View, class Source>
struct AnyHits {
  using Tree = TreeOf<View>;
  using Test = AnyTriangle<TrianglesOf<Source>>;
  using Result = u8;

  Tree tree;
  Source source;
  const Ray* rays;
  u8* results;

  COPSE_HD Test test(const Ray& ray) const { return Test(triangles_of(source), ray); }
  COPSE_HD u8 result(const Test& test, float) const { return test.found ? 1 : 0; }
};

/// Traces ray i by itself.
template <class Query>
struct TraceOne {
  Query query;

  COPSE_HD void operator()(u64 i) const {
    StackEntry entries[default_stack_size];
    const Ray ray = query.rays[i];
    Walk<typename Query::Tree, default_stack_size> walk(query.tree, entries);
    typename Query::Test test = query.test(ray);
    NoCounter counter;
    walk.begin(ray);
    while (!walk.is_done()) {
      if (walk.is_at_leaf()) {
        walk.test_leaf(test, counter);
      } else {
        walk.step(counter);
      }
    }
    query.results[i] = query.result(test, walk.limit());
  }
};

}  // namespace copse::detail
