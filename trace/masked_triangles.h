#pragma once

// Rays that see some geometries and pass over others, through trees and grids, for the host and for kernels.
//
//   copse::Hit hit = copse::closest_hit_masked(bvh.view(), triangles, ray, mask);
//
// A triangle is there for a ray where the ray's mask and that of the triangle's view share a bit.

#include <utility>

#include "trace/traverse.h"

namespace copse {

/// The masks of packed triangles by their place; of a null pointer all ones.
struct PackedMasks {
  const u32* masks;
  COPSE_HD u32 operator()(u32 place) const { return masks == nullptr ? ~u32{0} : masks[place]; }
};

namespace detail {

/// Those of triangles by their id.
struct TableMasks {
  const TriangleTable* table;
  COPSE_HD u32 operator()(u32 id) const { return table->mask(id); }
};

/// Masks of a batch: of its rays, or null, which are masks of ones; of packed triangles, or null.
struct BatchMasks {
  const u32* rays;
  const u32* packed;

  COPSE_HD u32 of_ray(u64 i) const { return rays == nullptr ? ~u32{0} : rays[i]; }
  COPSE_HD TableMasks of(const IndexedTriangles& triangles) const { return {triangles.table}; }
  COPSE_HD PackedMasks of(const PlacedTriangles&) const { return {packed}; }

  /// Leaves out the first rays.
  void skip(u64 count) {
    if (rays != nullptr) rays += count;
  }
};

template <class Triangles>
using MasksOf = decltype(std::declval<const BatchMasks&>().of(std::declval<const Triangles&>()));

/// A leaf test that passes over what a ray's mask says.
template <class Test, class Masks>
struct MaskedTest : Test {
  Masks masks;
  u32 ray_mask;

  COPSE_HD MaskedTest(const Test& test, const Masks& all, u32 mask) : Test(test), masks(all), ray_mask(mask) {}

  COPSE_HD bool operator()(u32 at, float& limit) {
    return (masks(at) & ray_mask) != 0 && Test::operator()(at, limit);
  }
};

}  // namespace detail

/// The closest hit among the triangles that share a bit with `mask`; else as closest_hit.
template <u32 stack_size = default_stack_size, class View>
COPSE_HD inline Hit closest_hit_masked(const View& view, const TriangleTable& triangles, const Ray& ray,
                                       u32 mask) {
  detail::MaskedTest test(detail::ClosestTriangle(detail::triangles_of(triangles), ray),
                          detail::TableMasks{&triangles}, mask);
  NoCounter counter;
  return test.hit(traverse<stack_size>(view, ray, test, counter));
}

/// The same over the packed triangles of a tree.
template <u32 stack_size = default_stack_size, RayTree View>
COPSE_HD inline Hit closest_hit_masked(const View& bvh, const BufferSpan<const PackedTriangle>& triangles,
                                       PackedMasks masks, const Ray& ray, u32 mask) {
  detail::MaskedTest test(detail::ClosestTriangle(detail::triangles_of(triangles), ray), masks, mask);
  NoCounter counter;
  return test.hit(traverse<stack_size>(bvh, ray, test, counter));
}

/// True where the ray hits any triangle that shares a bit with `mask`.
template <u32 stack_size = default_stack_size, class View>
COPSE_HD inline bool any_hit_masked(const View& view, const TriangleTable& triangles, const Ray& ray, u32 mask) {
  detail::MaskedTest test(detail::AnyTriangle(detail::triangles_of(triangles), ray),
                          detail::TableMasks{&triangles}, mask);
  NoCounter counter;
  traverse<stack_size>(view, ray, test, counter);
  return test.found;
}

/// The same over the packed triangles of a tree.
template <u32 stack_size = default_stack_size, RayTree View>
COPSE_HD inline bool any_hit_masked(const View& bvh, const BufferSpan<const PackedTriangle>& triangles,
                                    PackedMasks masks, const Ray& ray, u32 mask) {
  detail::MaskedTest test(detail::AnyTriangle(detail::triangles_of(triangles), ray), masks, mask);
  NoCounter counter;
  traverse<stack_size>(bvh, ray, test, counter);
  return test.found;
}

}  // namespace copse
