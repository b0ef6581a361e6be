#pragma once

// How many parts each triangle gets, so that all together they stay within a budget.
//
// A split pays where the box of a triangle has much more area than the triangle fills, at a plane that is important:
//
//   priority p = (2^-turn (A - A_ideal))^(1/3)
//     turn:    of the first plane through the box, see SplitPlane
//     A:       the area of the box
//     A_ideal: the sum of the areas of infinitely many boxes around infinitely small parts
//   splits s = floor(d p), with the largest d for which the sum of all s is within the budget
//
// Source: Karras, Aila, "Fast Parallel Construction of High-Quality Bounding Volume Hierarchies", HPG 2013, section
// 4.3. Where we differ: priorities are rounded to 512 classes, 8 for each power of two of p^3. So one histogram tells
// how many splits each d takes, where the paper goes over all triangles for each d that it tries. All d and p are
// integers, so both backends find the same.

#include "builders/bvh/splits/split_planes.h"
#include "builders/geometry/triangle_table.h"

namespace copse::detail {

/// The classes of priorities, the highest first. The last class is never split.
struct SplitClasses {
  static constexpr u32 count = 512;
  static constexpr u32 never = count - 1;
  static constexpr u32 max_splits_of_one = 63;

  /// Steps of d: 2^(k / 32), with mantissas of 6 bits.
  static constexpr u32 factor_count = 1024;

  ///   ratio: 2^-turn (A - A_ideal) over the area of the scene, above 0
  COPSE_HD static u32 of_ratio(float ratio) {
    const u32 code = bits_of(ratio) >> mantissa_shift;
    return code >= code_of_one ? 0 : smaller(code_of_one - code, never);
  }

  /// Returns the priority of a class, times 2^20.
  COPSE_HD static u64 priority(u32 split_class) {
    const u32 code = code_of_one - split_class, halvings = 127 - (code >> 3);
    const u64 mantissa = 8 + (code & 7);  // 8 to 15, in eighths
    return cube_root(halvings <= 57 ? mantissa << (57 - halvings) : mantissa >> (halvings - 57));  // times 2^60
  }

  /// Returns the splits of a triangle by the d of step `factor`.
  COPSE_HD static u32 splits(u32 split_class, u32 factor) {
    if (split_class == never) return 0;
    const u64 d = u64{32 + factor % 32} << (factor / 32);  // below 2^38, and a priority is at most 2^20
    return u32(smaller(d * priority(split_class) >> 32, u64{max_splits_of_one}));
  }

 private:
  static constexpr u32 mantissa_shift = 20;  // keeps 3 bits of the mantissa
  static constexpr u32 code_of_one = 127 << 3;

  /// Returns the cube root of a number below 2^61, rounded down.
  COPSE_HD static u64 cube_root(u64 x) {
    u64 root = 0;
    for (u64 bit = u64{1} << 20; bit > 0; bit >>= 1) {
      const u64 next = root | bit;
      if (next * next * next <= x) root = next;
    }
    return root;
  }
};

/// Stores the class of each triangle.
struct ClassifyTriangle {
  TriangleTable triangles;
  const Aabb* bounds_of_scene;
  u16* classes;

  COPSE_HD void operator()(u64 i) const {
    const Aabb scene = *bounds_of_scene;
    classes[i] = u16(class_of(MortonGrid::of(scene), half_area(scene), triangles.triangle(u32(i))));
  }

 private:
  COPSE_HD static u32 class_of(const MortonGrid& grid, double half_scene, const Triangle& triangle) {
    const Aabb box = bounds(triangle);
    if (is_empty(box)) return SplitClasses::never;
    const SplitPlane plane = split_plane(grid, box);
    if (!plane.is_there()) return SplitClasses::never;
    const dvec3 a = to_double(triangle.a);
    const dvec3 normal = cross_rn(sub_rn(to_double(triangle.b), a), sub_rn(to_double(triangle.c), a));
    const double excess = sub_rn(half_area(box), mul_rn(sum_of_magnitudes(normal), 0.5));
    if (!(excess > 0) || !(half_scene > 0)) return SplitClasses::never;
    const float ratio = float(div_rn(excess, half_scene));
    return SplitClasses::of_ratio(mul_rn(ratio, float_from_bits((127 - smaller(plane.turn, 126u)) << 23)));
  }
};

struct ClassOf {
  COPSE_HD u32 operator()(u16 split_class) const { return split_class; }
};

/// Stores the splits of all triangles by one d.
struct SumSplits {
  const u64* counts;  // of triangles, [class]
  u64* totals;        // [factor]
  COPSE_HD void operator()(u64 factor) const {
    u64 total = 0;
    for (u32 each = 0; each < SplitClasses::never; ++each) {
      if (counts[each] > 0) total += counts[each] * SplitClasses::splits(each, u32(factor));
    }
    totals[factor] = total;
  }
};

/// Stores how many parts a triangle of a class has, by the largest d within the budget.
struct StorePartCount {
  const u64* totals;  // rise with the factor; the first is 0
  u64 budget;         // splits
  u32* part_counts;   // [class]
  COPSE_HD void operator()(u64 split_class) const {
    u32 factor = 0;
    for (u32 step = SplitClasses::factor_count / 2; step > 0; step /= 2) {
      if (totals[factor + step] <= budget) factor += step;
    }
    part_counts[split_class] = 1 + SplitClasses::splits(u32(split_class), factor);
  }
};

/// The parts of each triangle.
struct PartCountOf {
  const u16* classes;
  const u32* part_counts;
  COPSE_HD u32 operator()(u64 i) const { return part_counts[classes[i]]; }
};

}  // namespace copse::detail
