#pragma once

// Segmented sums as sums of pairs (Schwartz, "Ultracomputers", TOPLAS 1980; Sengupta, Harris, Zhang, Owens, "Scan
// Primitives for GPU Computing", Graphics Hardware 2007). A pair describes a range of elements: the sum since the
// last start of a segment in it, and whether a segment starts in it. The operator of the pairs is associative if
// that of the elements is.

#include "primitives/core/atomic.h"
#include "primitives/core/macros.h"

namespace copse::detail {

template <class T>
struct SegmentSum {
  T value;
  u32 starts;  // 1 if a segment starts in the range
};

/// Combines the elements of segments. With an initial value, each segment starts from it.
template <bool has_init, class T, class Op>
struct SegmentOp {
  T init;
  Op op;

  /// Returns the sum of the first element of a segment.
  COPSE_HD T first(const T& value) const {
    if constexpr (has_init) {
      return op(init, value);
    } else {
      return value;
    }
  }
  /// Returns the sum of a range of one element.
  COPSE_HD SegmentSum<T> single(const T& value, bool starts) const {
    return {starts ? first(value) : value, starts};
  }
  /// Returns the sum of a range and the element after it.
  COPSE_HD SegmentSum<T> append(const SegmentSum<T>& left, const T& value, bool starts) const {
    if (starts) return {first(value), 1};
    return {op(left.value, value), left.starts};
  }
  /// Returns the sum of two neighbouring ranges.
  COPSE_HD SegmentSum<T> operator()(const SegmentSum<T>& left, const SegmentSum<T>& right) const {
    if (right.starts != 0) return right;
    return {op(left.value, right.value), left.starts};
  }
};

/// Sets the bits of the elements at which segments start, if they are below n.
template <class Offset>
struct SetStartBits {
  const Offset* offsets;
  u64 n;
  u32* words;
  COPSE_HD void operator()(u64 segment) const {
    const u64 i = offsets[segment];
    if (i < n) fetch_or_relaxed(&words[i / 32], 1u << (i % 32));
  }
};

}  // namespace copse::detail
