#pragma once

// The triangles of an instance as placed in the scene, for queries about points and regions.
//
// A vertex p of the mesh is placed at M p + t, computed in double and rounded to float once. M is the inverse of the
// instance's inverse in floats, W, by which rays go into the mesh (see scene/scene_spawn_offset.h). Then the vertex
// is moved into the instance's box, if it is outside. The box is computed from the transform itself, with a margin,
// so vertices can move only in instances that are distorted by more than a factor of about 8.
//
// Boxes of the mesh's tree are placed by the same operations in the same order, at the corner that gives the smallest
// number, and at the one that gives the largest. Each operation is monotonic even with its rounding: a product with a
// fixed number, a sum with a fixed number, the rounding to float, the move into a box. So a placed box contains its
// placed contents exactly, without a margin. The traversals of queries require that (queries/nearest/nearest_walk.h).

#include "builders/geometry/point_triangle.h"
#include "scene/scene_spawn_offset.h"

namespace copse::detail {

/// Places points, boxes and triangles of an instance's mesh in the scene.
class ScenePlacement {
 public:
  COPSE_HD ScenePlacement() {}  // places nothing yet
  COPSE_HD explicit ScenePlacement(const PlacedInstance& instance)
      : matrix_(SpawnMatrix::inverse_of(instance).inverted()),
        translation_(instance.rows[0].translation, instance.rows[1].translation, instance.rows[2].translation),
        box_(instance.box()) {}

  COPSE_HD vec3 placed(const vec3& p) const { return vec3(coordinate(0, p), coordinate(1, p), coordinate(2, p)); }
  COPSE_HD Triangle placed(const Triangle& t) const { return {placed(t.a), placed(t.b), placed(t.c)}; }

  /// Returns a box around the placed contents of a box of the mesh.
  COPSE_HD Aabb placed_box(const vec3& lo, const vec3& hi) const {
    Aabb box;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      const dvec3& row = matrix_.rows[axis];
      box.lo[axis] =
          coordinate(axis, vec3(row.x < 0 ? hi.x : lo.x, row.y < 0 ? hi.y : lo.y, row.z < 0 ? hi.z : lo.z));
      box.hi[axis] =
          coordinate(axis, vec3(row.x < 0 ? lo.x : hi.x, row.y < 0 ? lo.y : hi.y, row.z < 0 ? lo.z : hi.z));
    }
    return box;
  }

 private:
  COPSE_HD float coordinate(int axis, const vec3& p) const {
    const double exact = add_rn(dot_rn(matrix_.rows[axis], to_double(p)), translation_[axis]);
    const float rounded = add_rn(float(exact), 0.0f);  // no negative zero
    return min_number(max_number(rounded, box_.lo[axis]), box_.hi[axis]);
  }

  SpawnMatrix matrix_;
  dvec3 translation_;
  Aabb box_;
};

/// A measure or a test of boxes in the scene, for boxes of an instance's mesh.
///   Placement: ScenePlacement, or another one with placed_box
template <class Placement, class OfBox>
struct InPlacement {
  const Placement& placement;
  OfBox of_box;

  COPSE_HD auto operator()(const vec3& lo, const vec3& hi) const {
    const Aabb box = placement.placed_box(lo, hi);
    return of_box(box.lo, box.hi);
  }
};
template <class Placement, class OfBox>
InPlacement(const Placement&, OfBox) -> InPlacement<Placement, OfBox>;

}  // namespace copse::detail
