#pragma once

// Boxes that are far from most others, in the order along the Morton curve.
//
// The cells of the Morton curve grow with the scene. One box a million times as far away as the others makes a
// cell so large that all others fall into it. They then have equal keys, and no order. So if most boxes fill a
// small part of the scene, the dense box, that part gets a grid of its own:
//
//   63        62            61 .. 0
//   invalid   is an outlier  the key in the grid of the dense box, or for an outlier in that of the scene
//
// The root of the tree then splits between the outliers and the others. The dense box comes from up to 64 samples
// of centroids. Along each axis, the lowest and the highest few samples are left out, and the range of the others
// is extended by its own length to both sides.

#include "builders/geometry/morton.h"
#include "builders/geometry/triangle_table.h"
#include "builders/geometry/vector_rn.h"

namespace copse::detail {

/// Stores the box around the middle of samples of the centroids: around all but the lowest and the highest few along
/// each axis. Stores an empty box if there are too few.
struct MiddleOfSamples {
  static constexpr u32 max_count = 64, min_count = 8;

  CustomBoxes boxes;
  u32 count, stride;  // of samples
  Aabb* middle;

  ///   n: at least 1
  MiddleOfSamples(const CustomBoxes& of, u64 n, Aabb* out)
      : boxes(of), count(u32(smaller(n, u64{max_count}))), stride(u32(n / count)), middle(out) {}

  /// An item is a sample along an axis.
  u64 item_count() const { return 3 * u64{count}; }

  COPSE_HD void operator()(u64 item) const {
    const int axis = int(item % 3);
    const u32 own = u32(item / 3);
    const Aabb own_box = box_of(own);
    const float value = is_empty(own_box) ? 0 : centroid(own_box)[axis];
    u32 rank = 0, valid = 0;  // of the sample among the valid ones, and their count
#pragma unroll 8
    for (u32 k = 0; k < count; ++k) {  // without branches, so that loads of several samples overlap
      const Aabb box = box_of(k);
      const bool is_valid = !is_empty(box);
      const float other = centroid(box)[axis];
      valid += u32(is_valid);
      rank += u32(is_valid & ((other < value) | ((other == value) & (k < own))));
    }
    if (valid < min_count) {
      if (own == 0) middle->lo[axis] = infinity, middle->hi[axis] = -infinity;
      return;
    }
    if (is_empty(own_box)) return;
    const u32 left_out = 1 + valid / 32;
    if (rank == left_out) middle->lo[axis] = value;
    if (rank == valid - 1 - left_out) middle->hi[axis] = value;
  }

 private:
  COPSE_HD Aabb box_of(u32 sample) const {
    return boxes(sample * stride);
  }
};

/// The grid of the dense box, if there is one.
struct OutlierGrid {
  Aabb dense = Aabb::empty();
  MortonGrid grid = {};

  /// The scene must be at least this many times as long as the dense box.
  static constexpr float min_ratio = 16;

  ///   bounds: of all boxes
  ///   middle: as stored by MiddleOfSamples
  COPSE_HD static OutlierGrid of(const Aabb& bounds, const Aabb& middle) {
    if (is_empty(middle)) return {};
    const vec3 apart = sub_rn(middle.hi, middle.lo);
    Aabb dense{sub_rn(middle.lo, apart), add_rn(middle.hi, apart)};
    for (int axis = 0; axis < 3; ++axis) {
      dense.lo[axis] = max_number(dense.lo[axis], bounds.lo[axis]);
      dense.hi[axis] = min_number(dense.hi[axis], bounds.hi[axis]);
    }
    if (!(half_length(bounds) >= mul_rn(half_length(dense), min_ratio))) return {};
    return {dense, MortonGrid::of(dense)};
  }

  COPSE_HD bool is_there() const { return !is_empty(dense); }

  ///   all: the grid of the scene
  COPSE_HD u64 key(const MortonGrid& all, const vec3& p) const {
    const bool is_outlier = !(p.x >= dense.lo.x && p.x <= dense.hi.x && p.y >= dense.lo.y && p.y <= dense.hi.y &&
                              p.z >= dense.lo.z && p.z <= dense.hi.z);
    constexpr u64 outlier = u64{1} << (morton_key_bits - 1);
    return is_outlier ? outlier | all.key(p) >> 1 : grid.key(p) >> 1;
  }

 private:
  /// Half the longest extent, which no finite box exceeds.
  COPSE_HD static float half_length(const Aabb& box) {
    float most = 0;
    for (int axis = 0; axis < 3; ++axis) {
      most = max_number(most, sub_rn(mul_rn(box.hi[axis], 0.5f), mul_rn(box.lo[axis], 0.5f)));
    }
    return most;
  }
};

}  // namespace copse::detail
