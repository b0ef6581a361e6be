#pragma once

// What a batch asks of each ray, for the kernels of both backends: which leaf test, and what comes of it.

#include "trace/masked_triangles.h"
#include "trace/walk/binary_walk.h"
#include "trace/walk/wide_walk.h"

namespace copse::detail {

/// The triangles that a query holds: by value, since a kernel's parameters are all that it sees of the host.
template <class Source>
using TrianglesOf = decltype(triangles_of(std::declval<const Source&>()));

template <class View>
using TreeOf = decltype(tree_of(std::declval<const View&>()));

/// Rays through a tree, and where their results go. `TestOf`: ClosestTriangle or AnyTriangle.
template <class View, class Source, class Out, template <class, Robustness> class TestOf>
struct RayQuery {
  using Tree = TreeOf<View>;
  template <Robustness robustness>
  using Test = TestOf<TrianglesOf<Source>, robustness>;
  using Result = Out;
  static constexpr bool has_masks = false;

  Tree tree;
  Source source;
  const Ray* rays;
  Result* results;
  u64 triangle_count;  // that the tree has room for: what automatic goes by

  /// For ray i.
  template <Robustness robustness>
  COPSE_HD Test<robustness> test(const Ray& ray, u64) const {
    return {triangles_of(source), ray};
  }

  /// Leaves out the first rays.
  void skip(u64 count) {
    rays += count;
    results += count;
  }
};

template <class View, class Source>
struct ClosestHits : RayQuery<View, Source, Hit, ClosestTriangle> {
  static constexpr bool ends_at_any = false;

  template <class Test>
  COPSE_HD static Hit result(const Test& test, float limit) {
    return test.hit(limit);
  }
  COPSE_HD static Hit miss(const Ray& ray) { return {ray.t_max, invalid_id, invalid_id, 0, 0}; }
};

template <class View, class Source>
struct AnyHits : RayQuery<View, Source, u8, AnyTriangle> {
  static constexpr bool ends_at_any = true;  // a ray's walk ends at the first triangle

  template <class Test>
  COPSE_HD static u8 result(const Test& test, float) {
    return test.found ? 1 : 0;
  }
  COPSE_HD static u8 miss(const Ray&) { return 0; }
};

/// A query whose rays pass over triangles that share no bit with their masks.
template <class Query>
struct WithMasks : Query {
  template <Robustness robustness>
  using Test =
      MaskedTest<typename Query::template Test<robustness>, MasksOf<TrianglesOf<decltype(Query::source)>>>;
  static constexpr bool has_masks = true;

  BatchMasks masks;

  template <Robustness robustness>
  COPSE_HD Test<robustness> test(const Ray& ray, u64 i) const {
    const auto all = Query::template test<robustness>(ray, i);
    return {all, masks.of(all.triangles), masks.of_ray(i)};
  }

  void skip(u64 count) {
    Query::skip(count);
    masks.skip(count);
  }
};

/// Entries of the stacks of quick walks, which give up where they are full.
inline constexpr u32 fast_stack_size = 64;

/// Walks wholly for ray i.
template <class Query>
COPSE_HD inline typename Query::Result trace_robust(const Query& query, const Ray& ray, u64 i) {
  auto test = query.template test<Robustness::robust>(ray, i);
  NoCounter counter;
  const float limit = traverse_robust(query.tree, ray, test, counter);
  return query.result(test, limit);
}

}  // namespace copse::detail
