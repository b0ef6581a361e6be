#pragma once

// Fast ways to read the boxes of triangles on CUDA. Measured by copse bench --builder lbvh --stages.
//
// Gathered: the triangles of one view with 32-bit indices. The kind of the table is decided once per kernel, not
// for each triangle, so that the loads of several triangles overlap.
//
// Precomputed: bounds of triangles, written once in input order, so that later passes in Morton order read one
// cache line per triangle instead of four. If neighbours in the mesh are neighbours in space, the caches already
// hold the vertices that those passes read, and bounds would only be more bytes to read. Samples decide. Measured
// by copse bench random-10M --stages.

#include <type_traits>

#include "builders/geometry/triangle_table.h"
#include "primitives/core/bits.h"

namespace copse::detail {

/// Packed triples of 32-bit words, positions or vertex numbers, in memory aligned to 16 bytes. They are read four
/// at a time, by three loads of 16 bytes. Single words at a stride of 12 bytes would keep the load units busy
/// three times as long.
struct Triples {
  static constexpr u32 at_once = 4;
  static constexpr u32 alignment = 16;

  const u32* words;
  u64 count;

  struct Four {
    u32 word[3 * at_once];
  };
  struct alignas(alignment) LoadedWords {
    u32 word[4];
  };

  /// Returns the number of groups of four; the last group may have fewer.
  COPSE_HD u64 group_count() const { return divide_rounding_up(count, u64{at_once}); }
  COPSE_HD u64 whole_group_count() const { return count / at_once; }

  /// Returns triple 4 * group and the three after it. The last triple stands for those past the end.
  COPSE_HD Four load(u64 group) const {
    if (group < whole_group_count()) return load_whole(group);
    Four four;
    for (u32 k = 0; k < at_once; ++k) {
      const u64 i = smaller(group * at_once + k, count - 1);
      for (u32 j = 0; j < 3; ++j) four.word[3 * k + j] = words[3 * i + j];
    }
    return four;
  }

  /// The same for a group below whole_group_count(), without the check.
  COPSE_HD Four load_whole(u64 group) const {
    const auto* from = reinterpret_cast<const LoadedWords*>(words + 3 * at_once * group);
    Four four;
    for (u32 k = 0; k < 3; ++k) {
      const LoadedWords loaded = from[k];
      for (u32 j = 0; j < 4; ++j) four.word[4 * k + j] = loaded.word[j];
    }
    return four;
  }

  static bool takes(const void* data, u64 stride_bytes) {
    return stride_bytes == 3 * sizeof(u32) && reinterpret_cast<u64>(data) % alignment == 0;
  }
};

/// How three words are loaded.
enum class TripleLoad {
  /// One by one: fewest instructions, for triangles in their own order.
  singly,
  /// By 8 bytes and by 4: fewest accesses to cache lines, which limit a gather.
  in_pairs,
};

struct ThreeWords {
  u32 word[3];

  template <TripleLoad how>
  COPSE_HD static ThreeWords load(const u32* from) {
    if constexpr (how == TripleLoad::in_pairs) {
      return load_in_pairs(from);
    } else {
      return {{from[0], from[1], from[2]}};
    }
  }

  /// Loads from memory aligned to 4 bytes: the two words that fill 8 aligned bytes, and the word before or after
  /// them.
  COPSE_HD static ThreeWords load_in_pairs(const u32* from) {
    const bool is_first_alone = (reinterpret_cast<u64>(from) & 4) != 0;
    const TwoWords two = *reinterpret_cast<const TwoWords*>(from + (is_first_alone ? 1 : 0));
    const u32 one = from[is_first_alone ? 0 : 2];
    return is_first_alone ? ThreeWords{{one, two.word[0], two.word[1]}}
                          : ThreeWords{{two.word[0], two.word[1], one}};
  }

 private:
  struct alignas(8) TwoWords {
    u32 word[2];
  };
};

/// The triangles of one view with 32-bit indices.
template <TripleLoad how = TripleLoad::in_pairs>
struct GatheredTriangles {
  const u32* indices;
  const unsigned char* positions;
  u64 stride_bytes;

  COPSE_HD static bool takes(const TriangleView& view) { return view.triangles.index_bytes == sizeof(u32); }
  COPSE_HD static GatheredTriangles of(const TriangleView& view) {
    return {static_cast<const u32*>(view.triangles.data),
            reinterpret_cast<const unsigned char*>(view.positions.data), view.positions.stride_bytes};
  }

  COPSE_HD Triangle operator()(u32 primitive) const {
    const ThreeWords id = ThreeWords::load<how>(indices + 3 * u64{primitive});
    return {position(id.word[0]), position(id.word[1]), position(id.word[2])};
  }

 private:
  COPSE_HD vec3 position(u32 vertex) const {
    const ThreeWords p = ThreeWords::load<how>(reinterpret_cast<const u32*>(positions + vertex * stride_bytes));
    return clean_point(vec3(float_from_bits(p.word[0]), float_from_bits(p.word[1]), float_from_bits(p.word[2])));
  }
};

template <TripleLoad how = TripleLoad::in_pairs>
struct GatheredBoxes {
  GatheredTriangles<how> triangles;

  COPSE_HD static bool takes(const TriangleBoxes& boxes) {
    return boxes.table.entries == nullptr && GatheredTriangles<how>::takes(boxes.table.view);
  }
  COPSE_HD static GatheredBoxes of(const TriangleBoxes& boxes) {
    return {GatheredTriangles<how>::of(boxes.table.view)};
  }

  COPSE_HD Aabb operator()(u32 primitive) const { return bounds(triangles(primitive)); }
};

/// A box in two loads of 16 bytes.
struct alignas(32) PrecomputedBox {
  vec3 lo;
  u32 unused;
  vec3 hi;
  u32 unused_too;
};

/// The precomputed boxes of primitives.
struct PrecomputedBoxes {
  const PrecomputedBox* boxes;
  COPSE_HD Aabb operator()(u32 primitive) const {
    const PrecomputedBox box = boxes[primitive];
    return {box.lo, box.hi};
  }
};

/// Room for precomputed boxes. Samples of the primitives decide whether they are made.
struct PrecomputedBounds {
  static constexpr u32 sample_count = 256;

  PrecomputedBox* boxes = nullptr;  // [primitive]; null if they are never made
  u32* far_count = nullptr;         // samples that are far from the next primitive

  COPSE_HD bool are_made() const { return boxes != nullptr && 2 * *far_count > sample_count; }
  COPSE_HD PrecomputedBoxes made() const { return {boxes}; }
};

/// Returns 1 for a sample if the next primitive is farther away than a part of the scene's extent, on any axis.
template <class Boxes>
struct IsFarFromNext {
  static constexpr float part = 1.0f / 16;

  Boxes boxes;
  const Aabb* bounds;
  u64 n;  // at least PrecomputedBounds::sample_count

  COPSE_HD u32 operator()(u64 sample) const {
    const u32 primitive = u32(sample * ((n - 1) / PrecomputedBounds::sample_count));
    const Aabb box = boxes(primitive), next_box = boxes(primitive + 1);
    if (is_empty(box) || is_empty(next_box)) return 0;
    const vec3 at = centroid(box), next = centroid(next_box);
    return is_far(at.x, next.x, bounds->lo.x, bounds->hi.x) || is_far(at.y, next.y, bounds->lo.y, bounds->hi.y) ||
                   is_far(at.z, next.z, bounds->lo.z, bounds->hi.z)
               ? 1
               : 0;
  }

 private:
  COPSE_HD static bool is_far(float a, float b, float lo, float hi) {
    const float extent = sub_rn(mul_rn(hi, 0.5f), mul_rn(lo, 0.5f));
    const float distance = sub_rn(mul_rn(larger(a, b), 0.5f), mul_rn(smaller(a, b), 0.5f));
    return distance > mul_rn(extent, part);
  }
};

/// True if room for boxes may pay: for triangles that caches cannot hold.
template <class Boxes>
bool may_precompute_bounds(u64 n) {
  constexpr u64 fewest = u64{1} << 22, most = u64{1} << 28;
  return std::is_same_v<Boxes, TriangleBoxes> && n >= fewest && n <= most;
}

}  // namespace copse::detail
