#pragma once

// The answers of queries about points and regions in a scene, and the tests of their traversals. The test of the tree
// over the instances enters each instance that it reaches, and traverses its mesh with boxes that are placed in the
// scene.

#include "queries/k_nearest.h"
#include "queries/nearest_point.h"
#include "queries/overlap.h"
#include "queries/point_inside.h"
#include "queries/wide_query_walk.h"
#include "scene/queries/placed_triangles.h"
#include "scene/scene_view.h"

namespace copse {

/// A point of a surface in a scene. If none was found, primitive, geometry and instance are invalid_id, distance is
/// infinite and all else is 0.
struct SceneNearest {
  vec3 point;
  float distance;
  u32 primitive;  // number of the triangle in its view
  u32 geometry;   // the view's geometry id
  float u, v;     // the point is (1 - u - v) a + u b + v c of the triangle in the scene
  u32 instance;   // number of the instance in the scene

  COPSE_HD friend bool is_found(const SceneNearest& nearest) { return nearest.instance != invalid_id; }
};

static_assert(sizeof(SceneNearest) == 36);

/// One of the nearest triangles of a scene. If there is none, the ids are invalid_id and distance is infinite.
struct SceneNeighbour {
  float distance;
  u32 primitive;  // number of the triangle in its view
  u32 geometry;   // the view's geometry id
  u32 instance;   // number of the instance in the scene

  COPSE_HD static SceneNeighbour none() { return {infinity, invalid_id, invalid_id, invalid_id}; }
  /// The smaller one comes first at equal distances.
  COPSE_HD u64 tie_id() const { return u64{instance} << 32 | primitive; }
};

/// A triangle of an instance.
struct SceneOverlap {
  u32 instance;
  u32 primitive;  // counts through all views of the instance's accel

  friend bool operator==(const SceneOverlap&, const SceneOverlap&) = default;
};

namespace detail {

/// An instance that a query enters.
struct QueriedInstance {
  const PlacedInstance& record;
  const AccelView& accel;
  ScenePlacement placement;

  COPSE_HD QueriedInstance(const SceneParts& scene, const PlacedInstance& of)
      : record(of), accel(scene.accels[of.accel]), placement(of) {}

  COPSE_HD PlacedTriangles triangles() const { return triangles_of(accel.triangles); }
};

/// Test of a traversal of an instance's mesh: passes each triangle, placed in the scene, to `take`.
///   take: bool operator()(const Triangle&, u32 at, float& limit)
template <class Take>
struct TakePlaced {
  static constexpr bool takes_places = true;

  const QueriedInstance& instance;
  Take& take;

  COPSE_HD bool operator()(u32 at, float& limit) {
    const Triangle triangle = instance.triangles().triangle(at);
    return is_finite(triangle) && take(instance, instance.placement.placed(triangle), at, limit);
  }
};

/// Test of the traversal of the tree over the instances: searches each instance within the limit.
template <u32 stack_size, class Take>
struct NearInstances {
  const SceneParts& scene;
  vec3 from;
  u32 mask;
  Take& take;

  COPSE_HD bool operator()(u32 record, float& limit) {
    const PlacedInstance& placed = scene.instances[record];
    if ((placed.mask & mask) == 0) return false;
    const QueriedInstance instance(scene, placed);
    TakePlaced<Take> test{instance, take};
    walk_nearest_first<stack_size>(instance.accel.tree, InPlacement{instance.placement, SquareDistance{from}},
                                   limit, test, placed.node);
    limit = take.limit(limit);
    return false;
  }
};

/// Keeps the smallest (square of the distance, instance, primitive).
struct NearestPlaced {
  vec3 from;
  TrianglePoint best;
  u32 instance = invalid_id, record_at = invalid_id, primitive = invalid_id;

  COPSE_HD float limit(float) const { return best.square; }

  COPSE_HD bool operator()(const QueriedInstance& of, const Triangle& placed, u32 at, float& limit) {
    const TrianglePoint found = nearest_on_triangle(placed, from);
    if (found.square > best.square) return false;
    if (found.square == best.square && !comes_first(of.record.number, of.triangles().primitive(at))) return false;
    best = found;
    instance = of.record.number;
    primitive = of.triangles().primitive(at);
    record_at = at;
    limit = found.square;
    return false;
  }

 private:
  COPSE_HD bool comes_first(u32 other, u32 other_primitive) const {
    return other < instance || (other == instance && other_primitive < primitive);
  }
};

/// Returns true if a triangle is among those that were found.
template <class Item>
COPSE_HD inline bool is_among(const Item* found, u32 count, const Item& one) {
  for (u32 i = 0; i < count; ++i) {
    if (!(found[i].tie_id() < one.tie_id()) && !(one.tie_id() < found[i].tie_id())) return true;
  }
  return false;
}

/// Adds triangles to the heap. During the search, `distance` holds the square of the distance, `primitive` counts
/// through all views, and `geometry` holds the place of the triangle.
struct NearPlaced {
  vec3 from;
  NeighbourHeap<SceneNeighbour> heap;
  const SceneNeighbour* found;  // the memory of the heap

  COPSE_HD float limit(float before) const { return heap.is_full() ? smaller(before, heap.farthest()) : before; }

  COPSE_HD bool operator()(const QueriedInstance& of, const Triangle& placed, u32 at, float& limit) {
    const float square = nearest_on_triangle(placed, from).square;
    if (square > limit) return false;
    const SceneNeighbour added{square, of.triangles().primitive(at), at, of.record.number};
    if (may_repeat(of.accel.tree) && is_among(found, heap.size(), added)) return false;
    heap.add(added);
    if (heap.is_full()) limit = heap.farthest();
    return false;
  }
};

/// Test of the traversal of the tree over the instances: visits the triangles of each instance that touch a region.
template <u32 stack_size, class Region, class Visit>
struct OverlapInstances {
  const SceneParts& scene;
  const Region& region;
  u32 mask;
  Visit& visit;
  bool ends = false;

  /// The test in the mesh. It tests the triangle's own box first, as VisitOverlaps does.
  struct Below {
    static constexpr bool takes_places = true;

    const QueriedInstance& instance;
    const Region& region;
    Visit& visit;
    bool& ends;

    COPSE_HD bool operator()(u32 at) {
      const Triangle in_mesh = instance.triangles().triangle(at);
      if (!is_finite(in_mesh)) return false;
      const Triangle triangle = instance.placement.placed(in_mesh);
      const Aabb around = bounds(triangle);
      if (!touches_box(region, around.lo, around.hi) || !touches(region, triangle)) return false;
      return ends = visit(SceneOverlap{instance.record.number, instance.triangles().primitive(at)});
    }
  };

  COPSE_HD bool operator()(u32 record) {
    const PlacedInstance& placed = scene.instances[record];
    if ((placed.mask & mask) == 0) return false;
    const QueriedInstance instance(scene, placed);
    Below below{instance, region, visit, ends};
    walk_overlaps<stack_size>(instance.accel.tree, InPlacement{instance.placement, OverlapsBox<Region>{region}},
                              below, 0, placed.node);
    return ends;
  }
};

/// Test of the traversal of the tree over the instances: ends at the first instance that contains a point.
template <u32 stack_size>
struct InsideInstances {
  const SceneParts& scene;
  vec3 point;
  u32 mask;
  bool found = false;

  /// Counts the triangles that the ray crosses.
  struct Below {
    static constexpr bool takes_places = true;

    const QueriedInstance& instance;
    AxisRay ray;
    u32 count = 0;

    COPSE_HD bool operator()(u32 at) {
      const Triangle in_mesh = instance.triangles().triangle(at);
      if (is_finite(in_mesh) && crosses(ray, instance.placement.placed(in_mesh))) ++count;
      return false;
    }
  };

  COPSE_HD bool operator()(u32 record) {
    const PlacedInstance& placed = scene.instances[record];
    AxisRay ray;
    if ((placed.mask & mask) == 0 || !find_way_out(point, placed.box(), ray)) return false;
    const QueriedInstance instance(scene, placed);
    Below below{instance, ray};
    walk_overlaps<stack_size>(instance.accel.tree, InPlacement{instance.placement, ray}, below);
    return found = below.count % 2 == 1;
  }
};

struct CountSceneVisits {
  u32 count = 0;
  COPSE_HD bool operator()(const SceneOverlap&) {
    ++count;
    return false;
  }
};

struct EndSceneAtOnce {
  bool found = false;
  COPSE_HD bool operator()(const SceneOverlap&) { return found = true; }
};

}  // namespace detail

}  // namespace copse
