#pragma once

// Leaf tests over triangles: find the closest hit, any hit, or the next hit behind a known one. They fetch triangles
// by id, through the indices of views, or by place, from a packed copy in leaf order.

#include "builders/geometry/packed_triangle.h"
#include "builders/geometry/quad.h"
#include "builders/geometry/triangle_table.h"
#include "trace/hit/intersect.h"
#include "trace/walk/robustness.h"

namespace copse::detail {

/// Triangles by primitive id.
struct IndexedTriangles {
  static constexpr bool takes_places = false;

  const TriangleTable* table;
  COPSE_HD Triangle triangle(u32 id) const { return table->triangle(id); }
  COPSE_HD u32 primitive(u32 id) const { return id; }
  COPSE_HD u32 local_id(u32 id) const { return table->local_id(id); }
  COPSE_HD u32 geometry(u32 id) const { return table->geometry(id); }
  COPSE_HD static constexpr bool sees(u32) { return true; }
};

/// Triangles by their place in leaf order.
struct PlacedTriangles {
  static constexpr bool takes_places = true;

  const PackedTriangle* packed;
  /// Reads all of it by three 16-byte loads.
  COPSE_HD Triangle triangle(u32 place) const {
    const auto* quads = reinterpret_cast<const Quad*>(packed + place);
    const Quad a = quads[0], b = quads[1], c = quads[2];
    return {a.point(), b.point(), c.point()};
  }
  COPSE_HD u32 primitive(u32 place) const { return packed[place].primitive; }
  COPSE_HD u32 local_id(u32 place) const { return packed[place].local_id; }
  COPSE_HD u32 geometry(u32 place) const { return packed[place].geometry; }
  COPSE_HD static constexpr bool sees(u32) { return true; }
};

COPSE_HD inline IndexedTriangles triangles_of(const TriangleTable& table) {
  return {&table};
}
COPSE_HD inline PlacedTriangles triangles_of(const BufferSpan<const PackedTriangle>& packed) {
  return {packed.data()};
}

/// Passes on triangles that leaf tests can fetch already. The next overload is for those behind masks
/// (trace/masked_triangles.h).
template <class Triangles, class = decltype(Triangles::takes_places)>
COPSE_HD inline const Triangles& triangles_of(const Triangles& triangles) {
  return triangles;
}
template <class Triangles>
COPSE_HD inline auto triangles_of(const Triangles& triangles) -> decltype(triangles.for_leaf_tests()) {
  return triangles.for_leaf_tests();
}

/// A hit, with the number by which its triangle is fetched; invalid_id on a miss.
struct TriangleAt {
  TriangleHit hit;
  u32 at = invalid_id;
};

/// True for a hit. A fast test that cannot decide sets `gives_up`, which then stays set.
template <Robustness robustness>
COPSE_HD inline bool test_triangle(const RayShear& shear, const Triangle& triangle, float t_min, float limit,
                                   UndividedHit& hit, bool& gives_up) {
  if constexpr (robustness == Robustness::robust) {
    return intersect_triangle(shear, triangle, t_min, limit, hit);
  } else {
    return intersect_in_float(shear, triangle, t_min, limit, hit, gives_up);
  }
}

/// Keeps the smallest (t, primitive id). If a fast test gives up, the traversal goes on, although its result will not be
/// used. This is rare. A check after every triangle would cost more.
template <class Triangles, Robustness robustness = Robustness::robust>
struct ClosestTriangle {
  static constexpr bool takes_places = Triangles::takes_places;

  Triangles triangles;
  RayShear shear;
  float t_min;
  u32 closest = invalid_id;
  float v = 0, w = 0, inverse = 1;  // of the closest, as UndividedHit has them
  bool gives_up = false;

  COPSE_HD ClosestTriangle(const Triangles& all, const Ray& ray)
      : triangles(all), shear(make_shear(ray)), t_min(ray.t_min) {}

  COPSE_HD bool operator()(u32 at, float& limit) {
    if (!triangles.sees(at)) return false;
    UndividedHit found;
    if (test_triangle<robustness>(shear, triangles.triangle(at), t_min, limit, found, gives_up) &&
        (found.t < limit || closest == invalid_id || triangles.primitive(at) < triangles.primitive(closest))) {
      closest = at;
      limit = found.t;
      v = found.v, w = found.w, inverse = found.inverse;
    }
    return false;
  }

  /// `limit`: the last limit of a traversal that did not give up.
  COPSE_HD TriangleAt result(float limit) const { return {UndividedHit{limit, v, w, inverse}.divided(), closest}; }

  COPSE_HD Hit hit(float limit) const {
    if (closest == invalid_id) return {limit, invalid_id, invalid_id, 0, 0};
    const TriangleAt found = result(limit);
    return {found.hit.t, triangles.local_id(closest), triangles.geometry(closest), found.hit.u, found.hit.v};
  }
};

/// Ends the traversal at the first triangle that the ray hits.
template <class Triangles, Robustness robustness = Robustness::robust>
struct AnyTriangle {
  static constexpr bool takes_places = Triangles::takes_places;

  Triangles triangles;
  RayShear shear;
  float t_min;
  bool found = false;
  bool gives_up = false;

  COPSE_HD AnyTriangle(const Triangles& all, const Ray& ray)
      : triangles(all), shear(make_shear(ray)), t_min(ray.t_min) {}

  COPSE_HD bool operator()(u32 at, float& limit) {
    if (!triangles.sees(at)) return false;
    UndividedHit hit;
    found = test_triangle<robustness>(shear, triangles.triangle(at), t_min, limit, hit, gives_up);
    return found || gives_up;
  }
};

/// Keeps the smallest (t, primitive id) that is behind a known one.
template <class Triangles>
struct NextTriangle : ClosestTriangle<Triangles> {
  using Base = ClosestTriangle<Triangles>;

  float last_t;
  u32 last_primitive;

  COPSE_HD NextTriangle(const Triangles& all, const Ray& ray, float t, u32 primitive)
      : Base(all, ray), last_t(t), last_primitive(primitive) {}

  COPSE_HD bool operator()(u32 at, float& limit) {
    UndividedHit found;
    if (!intersect_triangle(this->shear, this->triangles.triangle(at), this->t_min, limit, found)) return false;
    if (found.t == last_t && this->triangles.primitive(at) <= last_primitive) return false;
    return Base::operator()(at, limit);
  }
};

}  // namespace copse::detail
