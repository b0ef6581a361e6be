#pragma once

// Steps 1 and 2 of distance fields: the bricks near each triangle, as bits of their places, then as pairs of a brick
// and a triangle.

#include "builders/grid/distance/field_triangles.h"
#include "primitives/core/atomic.h"

namespace copse::detail {

struct CountFieldParts {
  FieldTriangles triangles;
  COPSE_HD u32 operator()(u64 i) const { return triangles.part_count(u32(i)); }
};

struct MarkFieldBricks {
  FieldTriangles triangles;
  BrickPlaces places;
  u32* brick_counts;

  struct Mark {
    const MarkFieldBricks& all;
    u32& count;
    COPSE_HD void operator()(const uvec3& brick) const {
      all.places.mark(all.triangles.shape.bricks.cell_id(brick));
      ++count;
    }
  };

  COPSE_HD void operator()(u64 i, u64 part, u64) const {
    u32 count = 0;
    triangles.visit_part(u32(i), u32(part), Mark{*this, count});
    if (count > 0) fetch_add_relaxed(&brick_counts[i], count);
  }
};

struct FieldPairCount {
  const u32* brick_counts;
  COPSE_HD u64 operator()(u64 i) const { return brick_counts[i]; }
};

/// Stores the keys of the bricks in a word of places.
struct StoreFieldKeys {
  BrickPlaces places;
  u64* keys;
  COPSE_HD void operator()(u64 i) const {
    u64 brick = places.ranks[i];
    for (u32 left = places.bits[i]; left != 0; left &= left - 1, ++brick) {
      keys[brick] = u64{i} * 32 + 31 - leading_zeros(left & (~left + 1));
    }
  }
};

/// Threads that share a triangle take its slots in any order, from its last slot down.
struct StoreFieldPairs {
  FieldTriangles triangles;
  FieldSearch search;
  FieldPairs pairs;

  struct Store {
    const StoreFieldPairs& all;
    u32 triangle;
    COPSE_HD void operator()(const uvec3& brick) const {
      const u32 left = fetch_add_relaxed(&all.search.brick_counts[triangle], ~u32{0});
      const u64 slot = all.search.pairs_before[triangle] + left - 1;
      all.pairs.bricks[slot] = all.search.places.brick_at(all.triangles.shape.bricks.cell_id(brick));
      all.pairs.triangles[slot] = triangle;
    }
  };

  COPSE_HD void operator()(u64 i, u64 part, u64) const {
    triangles.visit_part(u32(i), u32(part), Store{*this, u32(i)});
  }
};

struct FieldPairTotal {
  u64 count;
  COPSE_HD u64 operator()() const { return count; }
};

}  // namespace copse::detail
