#pragma once

// The query of a batch, for the kernels of both backends: it makes the leaf test of each ray and stores its result.

#include "trace/masked_triangles.h"
#include "trace/short_hit.h"
#include "trace/walk/binary_walk.h"
#include "trace/walk/unordered_walk.h"
#include "trace/walk/wide_walk.h"

namespace copse::detail {

/// The form in which leaf tests hold the triangles of a source.
template <class Source>
using TrianglesOf = decltype(triangles_of_ray(std::declval<const Source&>(), 0));

template <class View>
using TreeOf = decltype(tree_of(std::declval<const View&>()));

/// Rays through a tree or a grid, and where their results go.
///   Source: TriangleTable or BufferSpan<const PackedTriangle>, or WithMasks of one. A query holds it by value, since
///           a kernel reads nothing of the host but its parameters.
///   TestOf: ClosestTriangle or AnyTriangle
template <class TreeType, class Source, class Out, template <class, Robustness> class TestOf>
struct RayQuery {
  using Tree = TreeType;
  template <Robustness robustness>
  using Test = TestOf<TrianglesOf<Source>, robustness>;
  using Result = Out;
  static constexpr bool has_masks = is_masked<Source>;

  Tree tree;
  Source source;
  const Ray* rays;
  Result* results;
  u64 triangle_count;  // for which the tree has room; TraceKernel::automatic uses it

  /// The leaf test of ray i.
  template <Robustness robustness>
  COPSE_HD Test<robustness> test(const Ray& ray, u64 i) const {
    return {triangles_of_ray(source, i), ray};
  }

  /// Drops the first rays.
  void skip(u64 count) {
    rays += count;
    results += count;
    if constexpr (has_masks) source.masks.skip(count);
  }
};

template <class Tree, class Source>
struct ClosestHits : RayQuery<Tree, Source, Hit, ClosestTriangle> {
  static constexpr bool finds_closest = true;

  template <class Test>
  COPSE_HD static Hit result(const Test& test, float limit, u64) {
    return test.hit(limit);
  }
  COPSE_HD static Hit miss(const Ray& ray) { return {ray.t_max, invalid_id, invalid_id, 0, 0}; }
};

/// The closest hits in 8 bytes each. The triangles must be packed: a leaf test then knows each by its place.
template <class Tree, class Source>
struct ShortHits : RayQuery<Tree, Source, ShortHit, ClosestTriangle> {
  static constexpr bool finds_closest = true;

  template <class Test>
  COPSE_HD static ShortHit result(const Test& test, float limit, u64) {
    static_assert(Test::takes_places);
    return {limit, test.closest};
  }
  COPSE_HD static ShortHit miss(const Ray& ray) { return {ray.t_max, invalid_id}; }
};

template <class Tree, class Source>
struct AnyHits : RayQuery<Tree, Source, u8, AnyTriangle> {
  static constexpr bool finds_closest = false;

  template <class Test>
  COPSE_HD static u8 result(const Test& test, float, u64) {
    return test.found ? 1 : 0;
  }
  COPSE_HD static u8 miss(const Ray&) { return 0; }
};

/// Any hits by the traversal of closest hits, nearest child first. In hair, and among triangles at random places, it
/// finds an occluder sooner than UnorderedWalk.
template <class Tree, class Source>
struct NearestFirst : AnyHits<Tree, Source> {};

/// Any hits by UnorderedWalk, starting at each node with the child that the ray leaves last. In interiors it is often
/// the faster order for rays that go in all directions.
template <class Tree, class Source>
struct LatestExitFirst : AnyHits<Tree, Source> {};

/// The query for this type of result: Hit and ShortHit for the closest hits, u8 for any hits.
template <class Tree, class Source, class Result>
struct QueryOf {
  using type = AnyHits<Tree, Source>;
};
template <class Tree, class Source>
struct QueryOf<Tree, Source, Hit> {
  using type = ClosestHits<Tree, Source>;
};
template <class Tree, class Source>
struct QueryOf<Tree, Source, ShortHit> {
  using type = ShortHits<Tree, Source>;
};
template <class Tree, class Source, class Result>
using QueryFor = typename QueryOf<Tree, Source, Result>::type;

/// The fast traversal of a query. Rays that look for any hit in wide trees use UnorderedWalk.
template <class Query, u32 stack_size>
struct FastWalkOf {
  using type = Walk<typename Query::Tree, stack_size, Robustness::fast>;
};
template <class Node, class Source, u32 stack_size>
struct FastWalkOf<AnyHits<WideTree<Node>, Source>, stack_size> {
  using type = UnorderedWalk<Node, stack_size>;
};

template <class Node, class Source, u32 stack_size>
struct FastWalkOf<LatestExitFirst<WideTree<Node>, Source>, stack_size> {
  using type = UnorderedWalk<Node, stack_size, FirstChild::of_latest_exit>;
};

/// Entries of the stacks of fast traversals. A traversal whose stack is full gives up.
inline constexpr u32 fast_stack_size = 64;

/// Traces ray i by robust traversal.
template <class Query>
COPSE_HD inline typename Query::Result trace_robust(const Query& query, const Ray& ray, u64 i) {
  auto test = query.template test<Robustness::robust>(ray, i);
  NoCounter counter;
  const float limit = traverse_robust(query.tree, ray, test, counter);
  return query.result(test, limit, i);
}

}  // namespace copse::detail
