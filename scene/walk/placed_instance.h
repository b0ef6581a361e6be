#pragma once

// The record of an instance for rays: the transform from the scene into the mesh, the mesh's tree, and the box in the
// scene.
//
// A ray is transformed into the space of the mesh as
//
//   origin'    = inverse (origin - translation)          direction' = inverse direction
//
// and its direction is not normalised, so t is the same in both spaces. The translation is subtracted first. If it
// were multiplied by the inverse beforehand, two large rounded terms would cancel.

#include "builders/bvh/wide_node.h"
#include "builders/geometry/packed_triangle.h"
#include "builders/geometry/quad.h"
#include "builders/geometry/vector_rn.h"
#include "scene/instance.h"
#include "trace/ray.h"

namespace copse::detail {

/// The record for a leaf of the tree over the instances. Record i is that of instance i. It contains all that a ray
/// needs, in one cache line of 128 bytes, read by loads of 16 bytes.
///
///   quads 0 to 2   a row of the inverse each, and a coordinate of the translation
///   quad 3         how the ray continues: mask, flags, the node to begin at, the reach of the mesh's tree
///   quad 4         the mesh's tree: the addresses of its nodes and of its triangles
///   quads 5 to 7   the box; data that is read for the instance that was hit, and by rays with masks
struct alignas(128) PlacedInstance {
  struct Row {
    float x, y, z;
    float translation;
  };

  Row rows[3];
  u32 mask;
  InstanceFlags flags;
  u32 node;        // of the mesh's tree, at which rays begin
  float farthest;  // the largest magnitude of a coordinate in that tree
  const CompressedBvh4Node* nodes;
  const PackedTriangle* triangles;
  vec3 lo;
  u32 number;  // of the instance
  vec3 hi;
  u32 id;
  const u32* masks;  // of the triangles; null: all bits are set
  u32 accel;
  u32 unused;

  COPSE_HD bool has(InstanceFlags flag) const { return (u32(flags) & u32(flag)) != 0; }
  COPSE_HD Aabb box() const { return {lo, hi}; }

  COPSE_HD vec3 turned(const vec3& v) const {
    return vec3(dot_rn(vec3(rows[0].x, rows[0].y, rows[0].z), v), dot_rn(vec3(rows[1].x, rows[1].y, rows[1].z), v),
                dot_rn(vec3(rows[2].x, rows[2].y, rows[2].z), v));
  }

  /// Returns the ray in the space of the mesh, up to `limit`.
  COPSE_HD Ray into_mesh(const Ray& ray, float limit) const {
    const vec3 translation(rows[0].translation, rows[1].translation, rows[2].translation);
    return {turned(sub_rn(ray.origin, translation)), ray.t_min, turned(ray.direction), limit};
  }

  /// The side of this instance's triangles that a ray passes over.
  COPSE_HD Cull culled_side(Cull cull) const {
    if (cull == Cull::none || has(InstanceFlags::never_culls)) return Cull::none;
    if (!has(InstanceFlags::flips_facing)) return cull;
    return cull == Cull::back ? Cull::front : Cull::back;
  }

  /// Returns a copy of the first `quads` quads of a record; the rest of the copy is not set. A compiler would load
  /// the members one by one.
  template <u32 quads>
  COPSE_HD static PlacedInstance load(const PlacedInstance* record) {
    PlacedInstance copy;
#pragma unroll
    for (u32 k = 0; k < quads; ++k) reinterpret_cast<Quad*>(&copy)[k] = reinterpret_cast<const Quad*>(record)[k];
    return copy;
  }
};

static_assert(sizeof(PlacedInstance) == 128);

/// True if the point of the ray at `t` is surely in the box, so that bring_into_box would not change t. The margin is
/// four roundings of 2^-24 of each coordinate and of the way to it: two for the point, one for the side moved by the
/// margin, and one to spare.
COPSE_HD inline bool is_surely_in_box(const Ray& ray, const Aabb& box, float t) {
  constexpr float part = 1.0f / (1u << 22), least = 1e-37f;
  const vec3 &o = ray.origin, &d = ray.direction;
  const vec3 way = mul_rn(d, t);
  const vec3 p = add_rn(o, way);
  const vec3 margin(add_rn(mul_rn(add_rn(magnitude(o.x), magnitude(way.x)), part), least),
                    add_rn(mul_rn(add_rn(magnitude(o.y), magnitude(way.y)), part), least),
                    add_rn(mul_rn(add_rn(magnitude(o.z), magnitude(way.z)), part), least));
  const vec3 below = sub_rn(p, margin), above = add_rn(p, margin);
  return (box.lo.x <= below.x) & (box.lo.y <= below.y) & (box.lo.z <= below.z) & (above.x <= box.hi.x) &
         (above.y <= box.hi.y) & (above.z <= box.hi.z);
}

/// Gives a hit at `t` on an instance with this box the promises of a leaf test (trace/traverse.h): raises t to where
/// the ray enters the box, and returns false if the ray misses the box. So the hit does not depend on the tree over
/// the instances, even if rounding in the space of a much distorted mesh moves it out of the box. It computes in
/// double. The roundings of double do not matter, as the traversal pads its boxes by far more. Products of floats are
/// exact in double, and rounding a quotient does not move it across t. So t is not changed if it is in the box, and
/// the division is skipped.
COPSE_HD inline bool bring_into_box(const Ray& ray, const Aabb& box, float& t) {
  const dvec3 origin = to_double(ray.origin), direction = to_double(ray.direction);
  const dvec3 lo = sub_rn(to_double(box.lo), origin), hi = sub_rn(to_double(box.hi), origin);
  const dvec3 way = mul_rn(direction, double(t));
  if ((lo.x <= way.x) & (lo.y <= way.y) & (lo.z <= way.z) & (way.x <= hi.x) & (way.y <= hi.y) & (way.z <= hi.z)) {
    return true;
  }
  double entry = ray.t_min, exit = ray.t_max;
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) {
    if (direction[axis] == 0) {
      if (lo[axis] > 0 || hi[axis] < 0) return false;
      continue;
    }
    const double one = div_rn(lo[axis], direction[axis]), other = div_rn(hi[axis], direction[axis]);
    const double near = one < other ? one : other, far = one < other ? other : one;
    entry = near > entry ? near : entry;
    exit = far < exit ? far : exit;
  }
  if (entry > exit) return false;
  if (double(t) < entry) t = float(entry);
  return true;
}

}  // namespace copse::detail
