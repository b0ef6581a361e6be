// Longest common prefixes by the order of the text (Kasai and others, "Linear-Time Longest-Common-Prefix Computation
// in Suffix Arrays and Its Applications", CPM 2001): if the suffix at i shares m bytes with the one before it in
// the suffix array, then the suffix at i + s shares at least m - s bytes with its own. In parallel: first the
// suffix at 0, then those at multiples of a large stride, then of a quarter of it, down to all.
//
//   stride 16   0               16              32
//   stride  4   |   4   8   12  |   20  24  28  |   36
//   stride  1   | 123 567 ...

#include "primitives/inputs.h"
#include "primitives/suffixes/common_prefix.h"

namespace copse::detail {

struct StoreRankOfSuffix {
  const u32* suffixes;
  u32* ranks;
  COPSE_HD void operator()(u64 r) const { ranks[suffixes[r]] = u32(r); }
};

/// Computes one, or the three that follow a known one at multiples of the stride.
struct StoreCommonPrefixes {
  const u8* text;
  u64 n;
  const u32* suffixes;
  const u32* ranks;
  u32* prefixes;
  u64 stride;  // 0 for the suffix at 0

  /// Stores and returns the common prefix of the suffix at i, of which `known` bytes are known to be equal.
  COPSE_HD u64 store(u64 i, u64 known) const {
    const u32 rank = ranks[i];
    const u64 length = rank == 0 ? 0 : common_prefix(text, n, i, suffixes[rank - 1], known);
    prefixes[rank] = u32(length);
    return length;
  }

  COPSE_HD void operator()(u64 k) const {
    if (stride == 0) {
      store(0, 0);
      return;
    }
    const u64 first = k * 4 * stride;
    u64 length = prefixes[ranks[first]];
    for (u64 i = first + stride; i < first + 4 * stride && i < n; i += stride) {
      length = store(i, length < stride ? 0 : length - stride);
    }
  }
};

template <class Executor>
void find_common_prefixes(const Executor& ex, const u8* text, u64 n, const u32* suffixes, u32* prefixes) {
  constexpr const char* label = "lcp array";
  ScratchArena::Frame frame(ex.scratch);
  u32* ranks = frame.template allocate<u32>(n);
  for_each(ex, label, n, StoreRankOfSuffix{suffixes, ranks});
  for_each(ex, label, 1, StoreCommonPrefixes{text, n, suffixes, ranks, prefixes, 0});
  u64 stride = 1;
  while (4 * stride < n) stride *= 4;
  for (; stride > 0; stride /= 4) {
    for_each(ex, label, divide_rounding_up(n, 4 * stride),
             StoreCommonPrefixes{text, n, suffixes, ranks, prefixes, stride});
  }
}

template void find_common_prefixes(const BodyExecutor&, const u8*, u64, const u32*, u32*);

}  // namespace copse::detail
