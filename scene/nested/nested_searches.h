#pragma once

// The answers of queries about points and regions in a scene of scenes, and the visits of meshes that find them. The
// tests per mesh are as in scene/queries/instance_queries.h.

#include "queries/k_nearest.h"
#include "queries/nearest_point.h"
#include "queries/overlap.h"
#include "queries/point_inside.h"
#include "scene/nested/placed_path.h"
#include "scene/queries/instance_queries.h"

namespace copse {

/// A point of a surface in a scene of scenes. If none was found, primitive, geometry and the whole path are invalid_id,
/// distance is infinite and all else is 0.
struct NestedNearest {
  vec3 point;
  float distance;
  u32 primitive;  // number of the triangle in its view
  u32 geometry;   // the view's geometry id
  float u, v;     // the point is (1 - u - v) a + u b + v c of the triangle in the scene
  InstancePath path;

  COPSE_HD static NestedNearest none() {
    NestedNearest nearest{vec3(0.0f), infinity, invalid_id, invalid_id, 0, 0, {}};
    for (u32& instance : nearest.path) instance = invalid_id;
    return nearest;
  }
  COPSE_HD friend bool is_found(const NestedNearest& nearest) { return nearest.path[0] != invalid_id; }
};

static_assert(sizeof(NestedNearest) == 60);

/// One of the nearest triangles of a scene of scenes. If there is none, the ids and the whole path are invalid_id and
/// distance is infinite.
struct NestedNeighbour {
  float distance;
  u32 primitive;  // number of the triangle in its view
  u32 geometry;   // the view's geometry id
  InstancePath path;

  COPSE_HD static NestedNeighbour none() {
    NestedNeighbour neighbour{infinity, invalid_id, invalid_id, {}};
    for (u32& instance : neighbour.path) instance = invalid_id;
    return neighbour;
  }
  /// The smaller one comes first at equal distances.
  COPSE_HD const NestedNeighbour& tie_id() const { return *this; }
  COPSE_HD friend bool operator<(const NestedNeighbour& a, const NestedNeighbour& b) {
    const i32 order = detail::compare_paths(a.path, b.path);
    return order == 0 ? a.primitive < b.primitive : order < 0;
  }
};

static_assert(sizeof(NestedNeighbour) == 40);

/// A triangle of a mesh in a scene of scenes.
struct NestedOverlap {
  u32 primitive;  // counts through all views of the accel
  InstancePath path;

  friend bool operator==(const NestedOverlap&, const NestedOverlap&) = default;
};

static_assert(sizeof(NestedOverlap) == 32);

namespace detail {

/// The measure of a search by distance.
struct LevelDistance {
  vec3 from;
  COPSE_HD float operator()(const Aabb& box, const SceneView&) const {
    return SquareDistance{from}(box.lo, box.hi);
  }
};

/// The measure of a search for triangles that touch a region, with a limit of 0. Boxes are visited in the order of
/// slots.
template <class Region>
struct LevelOverlap {
  const Region& region;
  COPSE_HD float operator()(const Aabb& box, const SceneView&) const {
    return OverlapsBox<Region>{region}(box.lo, box.hi) ? 0.0f : infinity;
  }
};

/// The measure of a search for meshes that contain a point, with a limit of 0. The boxes of an opened instance may
/// not contain its inside. But a ray that leaves the inside goes through one of them.
struct LevelInside {
  vec3 point;
  AxisRay ray;
  COPSE_HD float operator()(const Aabb& box, const SceneView& scene) const {
    const Aabb at{point, point};
    const bool may_hold = scene.parts.is_opened ? ray(box.lo, box.hi) : OverlapsBox<Aabb>{at}(box.lo, box.hi);
    return may_hold ? 0.0f : infinity;
  }
};

/// Keeps the smallest (square of the distance, path, primitive).
template <u32 stack_size>
struct NearestNested {
  vec3 from;
  TrianglePoint best;
  const AccelView* accel = nullptr;
  u32 at = invalid_id;
  NestedNeighbour name = NestedNeighbour::none();

  /// The test in a mesh.
  struct Below {
    static constexpr bool takes_places = true;

    const PlacedPath& path;
    NearestNested& search;

    COPSE_HD bool operator()(u32 at, float& limit) {
      const Triangle triangle = path.triangles().triangle(at);
      if (!is_finite(triangle)) return false;
      const TrianglePoint found = nearest_on_triangle(path.placed(triangle), search.from);
      if (found.square > search.best.square) return false;
      NestedNeighbour name{found.square, path.triangles().primitive(at), 0, {}};
      path.store(name.path);
      if (found.square == search.best.square && !(name < search.name)) return false;
      search.best = found, search.accel = &path.accel(), search.at = at, search.name = name;
      limit = found.square;
      return false;
    }
  };

  COPSE_HD bool operator()(const PlacedPath& path, float& limit) {
    Below test{path, *this};
    walk_nearest_first<stack_size>(path.accel().tree, InPlacement{path, SquareDistance{from}}, limit, test,
                                   path.entered().node);
    limit = best.square;
    return false;
  }
};

/// Adds triangles to the heap. During the search, `distance` holds the square of the distance, `primitive` counts
/// through all views, and `geometry` holds the place of the triangle.
template <u32 stack_size>
struct NearNested {
  vec3 from;
  NeighbourHeap<NestedNeighbour> heap;
  const NestedNeighbour* found;  // the memory of the heap

  struct Below {
    static constexpr bool takes_places = true;

    const PlacedPath& path;
    NearNested& search;

    COPSE_HD bool operator()(u32 at, float& limit) {
      const Triangle triangle = path.triangles().triangle(at);
      if (!is_finite(triangle)) return false;
      const float square = nearest_on_triangle(path.placed(triangle), search.from).square;
      if (square > limit) return false;
      NestedNeighbour added{square, path.triangles().primitive(at), at, {}};
      path.store(added.path);
      if (may_repeat(path.accel().tree) && is_among(search.found, search.heap.size(), added)) return false;
      search.heap.add(added);
      if (search.heap.is_full()) limit = search.heap.farthest();
      return false;
    }
  };

  COPSE_HD bool operator()(const PlacedPath& path, float& limit) {
    Below test{path, *this};
    walk_nearest_first<stack_size>(path.accel().tree, InPlacement{path, SquareDistance{from}}, limit, test,
                                   path.entered().node);
    if (heap.is_full()) limit = smaller(limit, heap.farthest());
    return false;
  }
};

/// Visits the triangles of each mesh that touch a region. It tests the triangle's own box first, as VisitOverlaps does.
template <u32 stack_size, class Region, class Visit>
struct OverlapNested {
  const Region& region;
  Visit& visit;

  struct Below {
    static constexpr bool takes_places = true;

    const PlacedPath& path;
    OverlapNested& search;
    bool ends = false;

    COPSE_HD bool operator()(u32 at) {
      const Triangle in_mesh = path.triangles().triangle(at);
      if (!is_finite(in_mesh)) return false;
      const Triangle triangle = path.placed(in_mesh);
      const Aabb around = bounds(triangle);
      if (!touches_box(search.region, around.lo, around.hi) || !touches(search.region, triangle)) return false;
      NestedOverlap overlap{path.triangles().primitive(at), {}};
      path.store(overlap.path);
      return ends = search.visit(overlap);
    }
  };

  COPSE_HD bool operator()(const PlacedPath& path, float&) {
    Below below{path, *this};
    walk_overlaps<stack_size>(path.accel().tree, InPlacement{path, OverlapsBox<Region>{region}}, below, 0,
                              path.entered().node);
    return below.ends;
  }
};

/// Ends at the first mesh that contains a point.
template <u32 stack_size>
struct InsideNested {
  vec3 point;
  bool found = false;

  /// Counts the triangles that the ray crosses.
  struct Below {
    static constexpr bool takes_places = true;

    const PlacedPath& path;
    AxisRay ray;
    u32 count = 0;

    COPSE_HD bool operator()(u32 at) {
      const Triangle in_mesh = path.triangles().triangle(at);
      if (is_finite(in_mesh) && crosses(ray, path.placed(in_mesh))) ++count;
      return false;
    }
  };

  COPSE_HD bool operator()(const PlacedPath& path, float&) {
    AxisRay ray;
    if (!find_way_out(point, path.box_of_entered(), ray)) return false;
    Below below{path, ray};
    walk_overlaps<stack_size>(path.accel().tree, InPlacement{path, ray}, below);
    return found = below.count % 2 == 1;
  }
};

struct CountNestedVisits {
  u32 count = 0;
  COPSE_HD bool operator()(const NestedOverlap&) {
    ++count;
    return false;
  }
};

struct EndNestedAtOnce {
  bool found = false;
  COPSE_HD bool operator()(const NestedOverlap&) { return found = true; }
};

}  // namespace detail

}  // namespace copse
