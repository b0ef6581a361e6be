#pragma once

// Triangles behind masks, for closest_hit, any_hit and all_hits through trees and grids, on the host and in
// kernels.
//
//   copse::Hit hit = copse::closest_hit(bvh.view(), copse::masked(triangles, mask), ray);
//
// A triangle exists for a ray if the ray's mask and the mask of the triangle's view (TriangleView::mask) share a
// bit.

#include <utility>

#include "trace/traverse.h"

namespace copse {

/// The masks of packed triangles by their place. Without masks, all bits of every mask are set.
struct PackedMasks {
  const u32* masks = nullptr;  // of PackedTriangles::masks; null for none
  COPSE_HD u32 operator()(u32 place) const { return masks == nullptr ? ~u32{0} : masks[place]; }
};

namespace detail {

/// The masks of triangles by their id.
struct TableMasks {
  const TriangleTable* table;
  COPSE_HD u32 operator()(u32 id) const { return table->mask(id); }
};

/// True if a ray of this direction comes from the side of the triangle that `cull` names.
COPSE_HD inline bool is_culled(const Triangle& triangle, const vec3& direction, Cull cull) {
  const dvec3 a = to_double(triangle.a);
  const dvec3 normal = cross_rn(sub_rn(to_double(triangle.b), a), sub_rn(to_double(triangle.c), a));
  const double along = dot_rn(normal, to_double(direction));
  return cull == Cull::back ? along > 0 : along < 0;
}

/// Triangles for leaf tests. The tests skip those that the ray does not see.
template <class Triangles, class Masks>
struct SeenTriangles : Triangles {
  Masks masks;
  u32 ray_mask;
  vec3 direction = vec3(0.0f);  // of the ray, if it culls
  Cull cull = Cull::none;

  COPSE_HD bool sees(u32 at) const {
    return (masks(at) & ray_mask) != 0 && (cull == Cull::none || !is_culled(this->triangle(at), direction, cull));
  }
};

}  // namespace detail

/// Triangles as a ray with a mask sees them. masked() returns them.
struct MaskedTable {
  TriangleTable triangles;
  u32 ray_mask;

  COPSE_HD detail::SeenTriangles<detail::IndexedTriangles, detail::TableMasks> for_leaf_tests() const {
    return {detail::triangles_of(triangles), {&triangles}, ray_mask};
  }
};
struct MaskedPackedTriangles {
  BufferSpan<const PackedTriangle> triangles;
  PackedMasks masks;
  u32 ray_mask;
  vec3 direction = vec3(0.0f);  // of the ray, if it culls
  Cull cull = Cull::none;

  COPSE_HD detail::SeenTriangles<detail::PlacedTriangles, PackedMasks> for_leaf_tests() const {
    return {detail::triangles_of(triangles), masks, ray_mask, direction, cull};
  }
};

/// Returns the triangles that share a bit with the ray's mask: a small value that refers to them.
///   masks: of the packed triangles
COPSE_HD inline MaskedTable masked(const TriangleTable& triangles, u32 ray_mask) {
  return {triangles, ray_mask};
}
COPSE_HD inline MaskedTable masked(const TriangleView& triangles, u32 ray_mask) {
  return {TriangleTable{triangles}, ray_mask};
}
COPSE_HD inline MaskedPackedTriangles masked(const BufferSpan<const PackedTriangle>& triangles, PackedMasks masks,
                                             u32 ray_mask) {
  return {triangles, masks, ray_mask};
}
COPSE_HD inline MaskedPackedTriangles masked(const PackedTrianglesView& triangles, u32 ray_mask) {
  return {triangles.triangles, {triangles.masks.empty() ? nullptr : triangles.masks.data()}, ray_mask};
}

namespace detail {

/// The masks of a batch.
///   rays:     a mask per ray; null: all bits are set
///   packed:   a mask per packed triangle; null: all bits are set
///   all_rays: the bits that a ray may have
///   culling:  the rays themselves, if they cull
struct BatchMasks {
  const u32* rays;
  const u32* packed;
  u32 all_rays = ~u32{0};
  Cull cull = Cull::none;
  const Ray* culling = nullptr;

  COPSE_HD u32 of_ray(u64 i) const { return rays == nullptr ? all_rays : rays[i] & all_rays; }
  COPSE_HD TableMasks of(const IndexedTriangles& triangles) const { return {triangles.table}; }
  COPSE_HD PackedMasks of(const PlacedTriangles&) const { return {packed}; }

  template <class Triangles>
  COPSE_HD auto seen(const Triangles& triangles, u64 ray) const {
    const vec3 direction = cull == Cull::none ? vec3(0.0f) : culling[ray].direction;
    return SeenTriangles<Triangles, decltype(of(triangles))>{triangles, of(triangles), of_ray(ray), direction,
                                                             cull};
  }

  /// True if ray `ray` passes over this triangle because of its side.
  COPSE_HD bool culls(u64 ray, const Triangle& triangle) const {
    return cull != Cull::none && is_culled(triangle, culling[ray].direction, cull);
  }

  /// Drops the masks of the first rays.
  COPSE_HD void skip(u64 count) {
    if (rays != nullptr) rays += count;
    if (culling != nullptr) culling += count;
  }
};

/// The triangles of a batch, with the masks of its rays.
template <class Source>
struct WithMasks {
  Source triangles;
  BatchMasks masks;
};
template <class Source>
WithMasks(Source, BatchMasks) -> WithMasks<Source>;

template <class Source>
inline constexpr bool is_masked = false;
template <class Source>
inline constexpr bool is_masked<WithMasks<Source>> = true;

/// The triangles that ray i of a batch sees.
template <class Source>
COPSE_HD inline auto triangles_of_ray(const Source& source, u64) {
  return triangles_of(source);
}
template <class Source>
COPSE_HD inline auto triangles_of_ray(const WithMasks<Source>& source, u64 i) {
  return source.masks.seen(triangles_of(source.triangles), i);
}

}  // namespace detail

// Deprecated names, until 0.2.

template <u32 stack_size = default_stack_size, class View>
[[deprecated("use closest_hit with masked(triangles, mask)")]] COPSE_HD inline Hit closest_hit_masked(
    const View& view, const TriangleTable& triangles, const Ray& ray, u32 mask) {
  return closest_hit<stack_size>(view, masked(triangles, mask), ray);
}
template <u32 stack_size = default_stack_size, RayTree View>
[[deprecated("use closest_hit with masked(triangles, masks, mask)")]] COPSE_HD inline Hit closest_hit_masked(
    const View& bvh, const BufferSpan<const PackedTriangle>& triangles, PackedMasks masks, const Ray& ray,
    u32 mask) {
  return closest_hit<stack_size>(bvh, masked(triangles, masks, mask), ray);
}
template <u32 stack_size = default_stack_size, class View>
[[deprecated("use any_hit with masked(triangles, mask)")]] COPSE_HD inline bool any_hit_masked(
    const View& view, const TriangleTable& triangles, const Ray& ray, u32 mask) {
  return any_hit<stack_size>(view, masked(triangles, mask), ray);
}
template <u32 stack_size = default_stack_size, RayTree View>
[[deprecated("use any_hit with masked(triangles, masks, mask)")]] COPSE_HD inline bool any_hit_masked(
    const View& bvh, const BufferSpan<const PackedTriangle>& triangles, PackedMasks masks, const Ray& ray,
    u32 mask) {
  return any_hit<stack_size>(bvh, masked(triangles, masks, mask), ray);
}

}  // namespace copse
