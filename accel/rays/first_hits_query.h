#pragma once

// The query of a batch that looks for the first k hits of each ray. trace/batch/ray_queries.h has the queries for one
// hit; the same kernels trace both. The list of a ray is built in the memory of its results.

#include "accel/rays/hit_batch.h"
#include "trace/batch/ray_queries.h"

namespace copse::detail {

/// The leaf test of a ray through an accel: keeps its first hits in memory of the caller.
template <class Triangles, Robustness robustness>
struct FirstTriangles {
  static constexpr bool takes_places = true;

  Triangles triangles;
  RayShear shear;
  float t_min;
  FirstHits<TriangleOrder<PlacedTriangles>> first;
  bool gives_up = false;

  COPSE_HD bool operator()(u32 at, float& limit) {
    if (!triangles.sees(at)) return false;
    UndividedHit found;
    if (!test_triangle<robustness>(shear, triangles.triangle(at), t_min, limit, found, gives_up)) return false;
    const TriangleHit hit = found.divided();
    return first.take({hit.t, at, 0, hit.u, hit.v}, limit);
  }
};

/// Rays through an accel. The result is the number of hits.
///   sees_all: no mask and no culling hides triangles from the rays, so there is no check per triangle
template <bool sees_all>
struct FirstHitsQuery {
  using Tree = WideTree<CompressedBvh4Node>;
  using Result = u32;
  using Triangles = std::conditional_t<sees_all, PlacedTriangles, SeenTriangles<PlacedTriangles, PackedMasks>>;
  template <Robustness robustness>
  using Test = FirstTriangles<Triangles, robustness>;
  static constexpr bool finds_closest = true;
  static constexpr bool has_masks = !sees_all;

  Tree tree;
  HitBatch<AccelView> batch;
  const Ray* rays;
  u32* results;  // the counts
  u64 triangle_count;
  u32 k;
  Hit* hits;

  FirstHitsQuery(const HitBatch<AccelView>& all, const Ray* records, u32 hits_each, Hit* lists, u32* counts)
      : tree(tree_of(all.view.tree)),
        batch(all),
        rays(records),
        results(counts),
        triangle_count(all.view.tree.primitive_ids.size()),
        k(hits_each),
        hits(lists) {}

  template <Robustness robustness>
  COPSE_HD Test<robustness> test(const Ray& ray, u64 i) const {
    const PlacedTriangles all{batch.view.triangles.data()};
    Triangles triangles;
    if constexpr (sees_all) {
      triangles = all;
    } else {
      triangles = triangles_of(batch.view.seen_by(ray, batch.mask_of(i), batch.cull));
    }
    return {triangles, make_shear(ray), ray.t_min, {{all}, hits + i * k, k}};
  }

  /// Finishes the list of a ray.
  template <class Test>
  COPSE_HD static u32 result(const Test& test, float, u64) {
    test.first.finish();
    return test.first.count;
  }
  COPSE_HD static u32 miss(const Ray&) { return 0; }

  /// Drops the first rays.
  void skip(u64 count) {
    rays += count;
    results += count;
    hits += count * k;
    if (batch.masks != nullptr) batch.masks += count;
  }
};

}  // namespace copse::detail
