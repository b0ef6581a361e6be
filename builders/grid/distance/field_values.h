#pragma once

// Steps 4 and 5 of distance fields: the distance of each voxel, with the sign from its bit, and the choice of the
// bricks that stay. A thread per block of 2 x 2 x 2 voxels takes the minimum over the triangles of its brick. A
// minimum does not depend on the order of its operands.

#include "builders/geometry/point_triangle.h"
#include "builders/geometry/triangle_table.h"
#include "builders/grid/distance/field_build.h"

namespace copse::detail {

/// The blocks of 2 x 2 x 2 voxels of a brick.
inline constexpr u32 field_blocks = brick_values / 8;

/// The nearest squares of a block of 2 x 2 x 2 voxels. A triangle is loaded once for all of them.
class FieldBlock {
 public:
  ///   first: the voxel with the lowest coordinates
  COPSE_HD FieldBlock(const FieldShape& shape, const uvec3& first)
      : lo_(voxel_centre(shape.voxels, first)), hi_(voxel_centre(shape.voxels, first + 1u)) {
    const float square = mul_rn(shape.band, shape.band);
#pragma unroll
    for (u32 k = 0; k < 8; ++k) nearest_[k] = square;
  }

  /// Returns false if the triangle is not nearer to any centre than the nearest one so far. Rounding keeps order:
  /// the box of the triangle is not farther from a centre than from the box of all eight, to the last bit.
  COPSE_HD bool may_be_nearer(const Aabb& box) const {
    const vec3 outside(max_number(max_number(0.0f, sub_rn(box.lo.x, hi_.x)), sub_rn(lo_.x, box.hi.x)),
                       max_number(max_number(0.0f, sub_rn(box.lo.y, hi_.y)), sub_rn(lo_.y, box.hi.y)),
                       max_number(max_number(0.0f, sub_rn(box.lo.z, hi_.z)), sub_rn(lo_.z, box.hi.z)));
    return dot_rn(outside, outside) < farthest();
  }

  COPSE_HD void add(const Triangle& triangle, const Aabb& box) {
#pragma unroll
    for (u32 k = 0; k < 8; ++k) {
      const vec3 centre((k & 1) == 0 ? lo_.x : hi_.x, (k & 2) == 0 ? lo_.y : hi_.y, (k & 4) == 0 ? lo_.z : hi_.z);
      if (SquareDistance{centre}(box.lo, box.hi) >= nearest_[k]) continue;
      nearest_[k] = min_number(nearest_[k], nearest_on_triangle(triangle, centre).square);
    }
  }

  COPSE_HD float square(u32 k) const {
    return nearest_[k];
  }

 private:
  COPSE_HD float farthest() const {
    float most = nearest_[0];
#pragma unroll
    for (u32 k = 1; k < 8; ++k) most = max_number(most, nearest_[k]);
    return most;
  }

  vec3 lo_, hi_;  // of the centres
  float nearest_[8];
};

/// Stores the distances of a block of voxels, with the signs from their bits.
struct StoreFieldBlock {
  TriangleTable table;
  FieldShape shape;
  FieldPairs pairs;
  FieldBricks bricks;

  COPSE_HD void operator()(u64 i) const {
    const u64 brick = i / field_blocks;
    const u32 number = u32(i % field_blocks);
    const uvec3 first = uvec3(number % 4, number / 4 % 4, number / 16) * 2u;
    FieldBlock block(shape, shape.bricks.cell_of(bricks.keys[brick]) * brick_edge + first);
    add_triangles(block, pairs.begins[brick], pairs.begins[brick + 1]);
#pragma unroll
    for (u32 k = 0; k < 8; ++k) {
      const u32 voxel = first.x + (k & 1) + 8 * (first.y + (k >> 1 & 1)) + 64 * (first.z + (k >> 2));
      const float distance = min_number(sqrt_rn(block.square(k)), shape.band);
      const bool is_inside = (bricks.words[brick * brick_words + voxel / 32] >> (voxel % 32) & 1) != 0;
      bricks.values[brick * brick_values + voxel] = is_inside ? -distance : distance;
    }
  }

  /// Each thread first skips to its next triangle that may be nearer; then all lanes of a warp compute distances
  /// together.
  COPSE_HD void add_triangles(FieldBlock& block, u32 begin, u32 end) const {
    u32 at = begin;
    for (;;) {
      Triangle triangle{};
      Aabb box{};
      bool is_found = false;
      while (!is_found && at < end) {
        triangle = table.triangle(pairs.sorted_triangles[at++]);
        box = bounds(triangle);
        is_found = block.may_be_nearer(box);
      }
      if (!is_found) return;
      block.add(triangle, box);
    }
  }
};

/// Stores the voxels within the band, in place of those inside.
struct StoreFieldWord {
  FieldBricks bricks;
  float band;
  COPSE_HD void operator()(u64 i) const {
    u32 word = 0;
    for (u32 k = 0; k < 32; ++k) word |= (magnitude(bricks.values[32 * i + k]) < band ? 1u : 0u) << k;
    bricks.words[i] = word;
  }
};

struct IsFieldBrickKept {
  const u32* words;
  COPSE_HD u32 operator()(u64 brick) const {
    u32 any = 0;
    for (u32 k = 0; k < brick_words; ++k) any |= words[brick * brick_words + k];
    return any != 0 ? 1 : 0;
  }
};

/// Copies the values of a brick that stays, and its key and words.
struct KeepFieldBrick {
  FieldBricks from;
  KeptBricks to;
  COPSE_HD void operator()(u64 i) const {
    const u64 brick = i / brick_values, k = i % brick_values;
    const u64 kept = from.kept_before[brick];
    if (kept == (brick + 1 < from.count ? from.kept_before[brick + 1] : *from.kept_count)) return;
    to.values[kept * brick_values + k] = from.values[i];
    if (k < brick_words) to.words[kept * brick_words + k] = from.words[brick * brick_words + k];
    if (k == 0) to.keys[kept] = from.keys[brick];
  }
};

}  // namespace copse::detail
