#pragma once

// Questions about points and regions to a copse::Scene, one at a time, on the host and in kernels. There is nothing else
// to link. For batches: scene/scene_queries.h.
//
//   copse::SceneNearest nearest = copse::nearest_point(scene.view(), point);
//
// The answers are those of one mesh of all triangles of all instances, each vertex placed by its instance's transform and
// rounded once; scene/queries/placed_triangles.h says how. They depend on no tree, apart from the order of overlaps. What
// they mean stands at the functions of the same names in queries/nearest_point.h, k_nearest.h, point_inside.h and
// overlap.h. Masks of views have no effect; `mask` chooses instances that share a bit with it.

#include <concepts>

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

/// An instance that a query looks at.
struct QueriedInstance {
  const PlacedInstance& record;
  const AccelView& accel;
  ScenePlacement placement;

  COPSE_HD QueriedInstance(const SceneParts& scene, const PlacedInstance& of)
      : record(of), accel(scene.accels[of.accel]), placement(of) {}

  COPSE_HD PlacedTriangles triangles() const { return triangles_of(accel.triangles); }
};

/// Test of a traversal of an instance's mesh: gives each triangle as it stands in the scene to `take`.
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

/// Test of the traversal of the tree over the instances: searches each near instance.
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

/// Adds triangles to the heap. Until the search ends, `distance` is the square of the distance, `primitive` counts
/// through all views, and `geometry` is the place of the triangle.
struct NearPlaced {
  vec3 from;
  NeighbourHeap<SceneNeighbour> heap;

  COPSE_HD float limit(float before) const { return heap.is_full() ? smaller(before, heap.farthest()) : before; }

  COPSE_HD bool operator()(const QueriedInstance& of, const Triangle& placed, u32 at, float& limit) {
    const float square = nearest_on_triangle(placed, from).square;
    if (square > limit) return false;
    heap.add({square, of.triangles().primitive(at), at, of.record.number});
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

/// Test of the traversal of the tree over the instances: ends at the first one that a point is inside of.
template <u32 stack_size>
struct InsideInstances {
  const SceneParts& scene;
  vec3 point;
  u32 mask;
  bool found = false;

  /// Counts the triangles that the ray goes through.
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

/// Returns the nearest point of all triangles of all instances that are no farther than `max_distance`. Among equal
/// squares of the distance, the smallest (instance, primitive id through all views) wins.
///   scene: in memory that the caller can read; in a kernel that is device memory
template <u32 stack_size = detail::walk_stack_size>
COPSE_HD inline SceneNearest nearest_point(const SceneView& scene, const vec3& point,
                                           float max_distance = infinity, u32 mask = ~u32{0}) {
  const float limit = detail::square_limit(max_distance);
  detail::NearestPlaced nearest{point, {vec3(0.0f), limit, 0, 0}};
  detail::NearInstances<stack_size, detail::NearestPlaced> test{scene.parts, point, mask, nearest};
  if (is_finite(point)) walk_nearest_first<stack_size>(scene.tree, SquareDistance{point}, limit, test);
  if (nearest.instance == invalid_id) {
    return {vec3(0.0f), infinity, invalid_id, invalid_id, 0, 0, invalid_id};
  }
  const auto triangles =
      detail::triangles_of(scene.parts.accels[scene.parts.instances[nearest.instance].accel].triangles);
  return {add_rn(point, nearest.best.offset),
          sqrt_rn(nearest.best.square),
          triangles.local_id(nearest.record_at),
          triangles.geometry(nearest.record_at),
          nearest.best.u,
          nearest.best.v,
          nearest.instance};
}

/// Stores the `k` triangles nearest to a point, nearest first, and returns how many there are. They are sorted by (square
/// of the distance, instance, primitive id through all views).
///   neighbours: room for k. Elements past the returned number are left as they were
template <u32 stack_size = detail::walk_stack_size>
COPSE_HD inline u32 k_nearest(const SceneView& scene, const vec3& point, float max_distance, u32 k,
                              SceneNeighbour* neighbours, u32 mask = ~u32{0}) {
  if (k == 0 || !is_finite(point)) return 0;
  const float limit = detail::square_limit(max_distance);
  detail::NearPlaced near{point, detail::NeighbourHeap<SceneNeighbour>(neighbours, k)};
  detail::NearInstances<stack_size, detail::NearPlaced> test{scene.parts, point, mask, near};
  walk_nearest_first<stack_size>(scene.tree, SquareDistance{point}, limit, test);
  near.heap.sort();
  for (u32 i = 0; i < near.heap.size(); ++i) {
    const SceneNeighbour found = neighbours[i];
    const auto triangles =
        detail::triangles_of(scene.parts.accels[scene.parts.instances[found.instance].accel].triangles);
    neighbours[i] = {sqrt_rn(found.distance), triangles.local_id(found.geometry),
                     triangles.geometry(found.geometry), found.instance};
  }
  return near.heap.size();
}

/// Returns true if a point is inside any instance. All instances that may hold it are closed meshes.
template <u32 stack_size = detail::walk_stack_size>
COPSE_HD inline bool is_inside(const SceneView& scene, const vec3& point, u32 mask = ~u32{0}) {
  detail::InsideInstances<stack_size> test{scene.parts, point, mask};
  detail::AxisRay ray;
  if (!detail::find_way_out(point, root_box(scene.tree), ray)) return false;
  if (scene.parts.is_opened) {
    // The boxes of an opened instance may not hold its inside. But a ray that leaves it goes through one of them.
    walk_overlaps<stack_size>(scene.tree, ray, test);
  } else {
    const Aabb at{point, point};
    walk_overlaps<stack_size>(scene.tree, detail::OverlapsBox<Aabb>{at}, test);
  }
  return test.found;
}

/// Calls `visit(overlap)` for every triangle of every instance that touches the region, in the order of the trees.
///   visit: bool operator()(const SceneOverlap&); ends the search by returning true
template <u32 stack_size = detail::walk_stack_size, class Region, class Visit>
COPSE_HD inline void for_each_overlap(const SceneView& scene, const Region& region, Visit& visit,
                                      u32 mask = ~u32{0}) {
  if (!has_points(region)) return;
  detail::OverlapInstances<stack_size, Region, Visit> test{scene.parts, region, mask, visit};
  walk_overlaps<stack_size>(scene.tree, detail::OverlapsBox<Region>{region}, test);
}

/// Returns how many triangles of all instances touch the region.
///   mask: of any integral type, or the function for a tree, its triangles and a region would take it for a region
template <u32 stack_size = detail::walk_stack_size, class Region, std::integral Mask = u32>
COPSE_HD inline u32 count_overlaps(const SceneView& scene, const Region& region, Mask mask = ~u32{0}) {
  detail::CountSceneVisits visits;
  for_each_overlap<stack_size>(scene, region, visits, u32(mask));
  return visits.count;
}

/// Returns true if any triangle of any instance touches the region.
template <u32 stack_size = detail::walk_stack_size, class Region, std::integral Mask = u32>
COPSE_HD inline bool any_overlap(const SceneView& scene, const Region& region, Mask mask = ~u32{0}) {
  detail::EndSceneAtOnce visit;
  for_each_overlap<stack_size>(scene, region, visit, u32(mask));
  return visit.found;
}

}  // namespace copse
