#pragma once

// How a frustum grid lies in memory and in space, as its builder writes it and traversal reads it.

#include "builders/grid/layout.h"

namespace copse {

/// The points that a pinhole camera sees: eye + z * (forward + x * right + y * up) for x and y from -1 to 1 and
/// any depth z above 0. The three directions need not be at right angles, nor of length 1.
struct ViewFrustum {
  vec3 eye;
  vec3 forward, right, up;

  /// The depths between which the slabs lie. If one is 0, it comes from a sample of the triangles that are seen,
  /// and the nearest depth is then at least a third of the farthest. The first slab begins at the eye and the last
  /// one ends at infinity, so these depths change only how fast rays are, not what they hit.
  float nearest = 0, farthest = 0;
};

/// The largest numbers of tiles across or down, and of slabs.
inline constexpr u32 max_frustum_tiles = 512;
inline constexpr u32 max_frustum_slabs = 256;

/// A frustum on the device, in the space (-1 / depth, x, y): x runs from -1 at the left to 1, and y from -1 at the
/// top to 1. Lines stay lines in that space, and the cells of the frustum are boxes: those of a GridShape with
/// slabs along its x axis, tiles across along y and tiles down along z.
struct FrustumShape {
  dvec3 eye;
  dvec3 x, y, z;            // give the camera coordinates of p - eye; on screen |x| <= z and |y| <= z
  dvec3 x_y_z_per_length;   // maximum change of each per unit of length
  dvec3 length_per_x_y_z;   // maximum length per unit of each
  double corner;            // the longest line of sight down to depth 1
  double nearest;           // the depth from which slabs are counted
  double farthest;          // the depth at which the last slab could end; at least 5/4 of `nearest`
  double units_per_length;  // maximum units of the lattice per unit of length, at depth 1
  // How far cells reach past their faces, in units, for a triangle whose farthest vertex is at most twice as deep
  // as the nearest one.
  i32 padding;

  COPSE_HD dvec3 to_camera(const vec3& p) const {
    const dvec3 d(sub_rn(double(p.x), eye.x), sub_rn(double(p.y), eye.y), sub_rn(double(p.z), eye.z));
    return dvec3(dot(x, d), dot(y, d), dot(z, d));
  }
  COPSE_HD static double dot(const dvec3& a, const dvec3& b) {
    return add_rn(add_rn(mul_rn(a.x, b.x), mul_rn(a.y, b.y)), mul_rn(a.z, b.z));
  }
};

/// A frustum grid in the context's memory: a uniform grid over the space of its FrustumShape. Cell ids
/// run through the slabs of a tile first, so the lists of a tile follow each other front to back.
struct FrustumGridView {
  ViewFrustum frustum;
  uvec3 resolution;                      // tiles across, tiles down, slabs
  BufferSpan<const FrustumShape> shape;  // one element
  GridView cells;
};

}  // namespace copse
