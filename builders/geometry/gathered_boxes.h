#pragma once

// Boxes of the triangles of one view with indices of 32 bits, as CUDA gathers them: what kind of table they stand
// in is asked once a kernel, not for each of them, so that nothing stands between the loads of several. Measured
// by copse bench --builder lbvh --stages.

#include "builders/geometry/triangle_table.h"
#include "primitives/core/bits.h"

namespace copse::detail {

/// Packed triples of 32-bit words, which are positions or vertex numbers, from a place aligned to 16 bytes. They
/// are read four at a time, by three loads of 16 bytes, where words one by one at a stride of 12 bytes would keep
/// the load units busy three times as long.
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

  /// How many groups of four there are, the last one perhaps of fewer.
  COPSE_HD u64 group_count() const { return divide_rounding_up(count, u64{at_once}); }
  COPSE_HD u64 whole_group_count() const { return count / at_once; }

  /// Triples 4 * group and the three after it. Past the last triple, the last one again.
  COPSE_HD Four load(u64 group) const {
    if (group < whole_group_count()) return load_whole(group);
    Four four;
    for (u32 k = 0; k < at_once; ++k) {
      const u64 i = smaller(group * at_once + k, count - 1);
      for (u32 j = 0; j < 3; ++j) four.word[3 * k + j] = words[3 * i + j];
    }
    return four;
  }

  /// The same for a group below whole_group_count(), without asking.
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
  /// By 8 bytes and by 4: fewest visits to lines of the cache, which is what a gather takes its time for.
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

  /// From any place that is aligned to 4 bytes: the two that stand in 8 aligned bytes, and the third before or
  /// after them.
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

template <TripleLoad how = TripleLoad::in_pairs>
struct GatheredBoxes {
  const u32* indices;
  const unsigned char* positions;
  u64 stride_bytes;

  COPSE_HD static bool takes(const TriangleBoxes& boxes) {
    return boxes.table.entries == nullptr && boxes.table.view.triangles.index_bytes == sizeof(u32);
  }
  COPSE_HD static GatheredBoxes of(const TriangleBoxes& boxes) {
    const TriangleView& view = boxes.table.view;
    return {static_cast<const u32*>(view.triangles.data),
            reinterpret_cast<const unsigned char*>(view.positions.data), view.positions.stride_bytes};
  }

  COPSE_HD Aabb operator()(u32 primitive) const {
    const ThreeWords id = ThreeWords::load<how>(indices + 3 * u64{primitive});
    return bounds(Triangle{position(id.word[0]), position(id.word[1]), position(id.word[2])});
  }

 private:
  COPSE_HD vec3 position(u32 vertex) const {
    const ThreeWords p = ThreeWords::load<how>(reinterpret_cast<const u32*>(positions + vertex * stride_bytes));
    return clean_point(vec3(float_from_bits(p.word[0]), float_from_bits(p.word[1]), float_from_bits(p.word[2])));
  }
};

}  // namespace copse::detail
