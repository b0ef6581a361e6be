#pragma once

#include "primitives/core/bits.h"
#include "primitives/core/macros.h"
#include "primitives/core/types.h"

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

}  // namespace copse::detail
