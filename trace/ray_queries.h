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
  static constexpr bool ends_at_any = false;

  Tree tree;
  Source source;
  const Ray* rays;
  Hit* results;
  u64 triangle_count = 0;  // that the tree has room for: what automatic goes by

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
  static constexpr bool ends_at_any = true;  // a ray's walk ends at the first triangle

  Tree tree;
  Source source;
  const Ray* rays;
  u8* results;
  u64 triangle_count = 0;  // as above

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

/// Walks wholly for one ray.
template <class Query>
COPSE_HD inline typename Query::Result trace_wholly(const Query& query, const Ray& ray) {
  auto test = query.template test<Effort::whole>(ray);
  NoCounter counter;
  const float limit = walk_wholly(query.tree, ray, test, counter);
  return query.template result<Effort::whole>(test, limit);
}

}  // namespace copse::detail
