#pragma once

// An instance at a time: its box, and the transform of a ray into its mesh.
//
// Why does the box between two keys contain the instance? Let y0 and y1 be a point of the mesh at the two keys, after
// stretch and pivot and before the rotation. In between, the point is at R(t) y(t) + T(t), where y and T are
// interpolated linearly and R(t) is the interpolated rotation. The boxes of the keys contain R0 y0 + T0 and R1 y1 +
// T1, so the interpolated box contains the point on the straight line between these. The rotation moves the point off
// this line by
//
//   E = (1 - t) (R(t) - R0) y0 + t (R(t) - R1) y1
//
// With m = (y0 + y1) / 2, d = y1 - y0, s = 2 t - 1 and the angle a from R0 to R1, at most half a turn, E is the sum of
//
//   F = (R(t) - (1 - t) R0 - t R1) m          G = (s R(t) + (1 - t) R0 - t R1) d / 2
//
// All rotations are about one axis. In the plane normal to it, with tau = tan(a / 4), the interpolated quaternion
// turns by b from the middle rotation, where tan(b / 2) = s tau. A point at distance r from the axis is then off the
// chord by
//
//   |F| = r 2 tau^2 (1 - s^2) / ((1 + tau^2) sqrt(1 + s^2 tau^2))  <=  r (1 - cos(a / 2)) 4 t (1 - t)
//
// F has this bound as a vector: its component along the line from the axis to the middle of the chord, and the
// component normal to that, which is s tau times as long, are combined under the square root. The norm of R(t) - R0
// is twice the sine of half the angle between them: 4 t tau / (sqrt(1 + tau^2) sqrt(1 + s^2 tau^2)). The norm of R(t)
// - R1 has 1 - t in place of t. As G = ((1 - t) (R0 - R(t)) - t (R1 - R(t))) d / 2,
//
//   |G|  <=  |d| / 2 * 8 t (1 - t) tau / sqrt(1 + tau^2)  =  |d| sin(a / 4) 4 t (1 - t)
//
// Both vectors lie in the plane normal to the axis: along a coordinate they are shorter by the sine of the angle
// between the axis and this coordinate. cos(a / 2) is the dot product c of the quaternions, and sin(a / 4) is sqrt((1
// - c) / 2). So square roots suffice. The sum of both bounds, without the factor 4 t (1 - t), is MovingBox::bulge.
//
// MovingBox::grain covers rounding. Let S be the sum of the magnitudes of all terms of a coordinate of the instance,
// and u = 2^-24. Then 2 u S are for the rows of the transform, 5 u S for the ray in the space of the mesh
// (scene/build/instance_box.h), 3 u S for the sides of this box, 6 u S for moving them outwards, and 2 u S for
// quaternions whose length is not exactly 1. The grain is 32 u S.

#include "motion/motion_transform.h"
#include "motion/motion_view.h"
#include "scene/build/instance_box.h"
#include "scene/walk/scene_parts.h"

namespace copse::detail {

/// The box of an instance at a key. It is empty if the instance does not exist there.
struct MovingBox {
  vec3 lo;
  float grain;
  vec3 hi;
  float unused;
  vec3 bulge;  // on the way to the next key
  float unused_too;

  COPSE_HD Aabb box() const { return {lo, hi}; }
};

static_assert(sizeof(MovingBox) == 48);

/// The box at a time between two keys; empty if one of theirs is. At a key it is the box of a fixed instance.
COPSE_HD inline Aabb box_between(const MovingBox& before, const MovingBox& after, float part) {
  const Aabb p = before.box(), q = after.box();
  if (part == 0) return p;
  if (is_empty(p) || is_empty(q)) return Aabb::empty();
  const float share = mul_rn(mul_rn(4.0f, part), sub_rn(1.0f, part));
  const vec3 pad = add_rn(mul_rn(before.bulge, share), vec3(before.grain));
  return {clean_point(sub_rn(between_keys(p.lo, q.lo, part), pad)),
          clean_point(add_rn(between_keys(p.hi, q.hi, part), pad))};
}

/// The data of an instance that do not move.
struct alignas(64) MovingInstance {
  u32 mask;
  InstanceFlags flags;
  u32 accel;
  u32 id;
  const CompressedBvh4Node* nodes;  // of an Accel
  const PackedTriangle* triangles;  // of a MotionAccel: those of its first key
  const u32* masks;
  float farthest;
  u32 moves_inside;  // 1: its mesh is a MotionAccel
};

static_assert(sizeof(MovingInstance) == 64);

/// The data of a scene of moving instances that rays read.
struct MotionParts {
  const MovingInstance* instances;
  const MotionTransform* transforms;  // [instance][key], with unit rotations
  const MovingBox* boxes;             // [instance][key]
  const AccelView* accels;
  const MotionView* moving;  // accels with numbers from accel_count on
  u32 accel_count;           // of type Accel
  u32 key_count;
  bool has_masks;  // of triangles

  COPSE_HD Aabb box_at(u32 instance, const KeyTime& time) const {
    const MovingBox* const own = boxes + u64{instance} * key_count;
    return box_between(own[time.before], own[time.after], time.part);
  }

  COPSE_HD TransformRows rows_at(u32 instance, const KeyTime& time) const {
    const MotionTransform* const own = transforms + u64{instance} * key_count;
    return rows_between(own[time.before], own[time.after], time.part);
  }

  COPSE_HD const MotionView& moving_mesh(const MovingInstance& instance) const {
    return moving[instance.accel - accel_count];
  }

  /// Makes the record of an instance at a time, without its box. False if its transform has no inverse then.
  COPSE_HD bool place(u32 number, const MovingInstance& instance, const KeyTime& time,
                      PlacedInstance& placed) const {
    placed.mask = instance.mask;
    placed.flags = instance.flags;
    placed.node = 0;
    placed.farthest = instance.farthest;
    placed.nodes = instance.nodes;
    placed.triangles = instance.triangles;
    placed.masks = instance.masks;
    placed.number = number;
    const TransformRows at_time = rows_at(number, time);
    return Affine::of(&at_time.rows[0][0]).store_inverse(placed.rows);
  }
};

/// The memory for the records of moving instances (motion/build/place_motion.inl).
struct MotionPlaces {
  MovingInstance* records;      // [instance]
  MotionTransform* transforms;  // [instance][key]
  MovingBox* boxes;             // [instance][key]
  Aabb* swept;                  // [tree][instance], `stride` apart
  u64 stride;
  u32 tree_count;
};

}  // namespace copse::detail
