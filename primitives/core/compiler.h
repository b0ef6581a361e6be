#pragma once

// Extensions of compilers, under plain names. Only files of primitives/core call a compiler's own functions
// (__builtin_...) and types; tests/layering/check-includes finds others.

#include "primitives/core/macros.h"
#include "primitives/core/types.h"

namespace copse {

/// Returns the index of the lowest set bit of `value`, which must not be 0.
///
///   00010100   2
///
/// For host code. std::countr_zero also answers for 0, and needs a branch for it on older processors.
inline u32 lowest_bit(u32 value) {
  return u32(__builtin_ctz(value));
}

/// Returns the index of the highest set bit of `value`, which must not be 0. For host code.
inline u32 highest_bit(u32 value) {
  return 31 - u32(__builtin_clz(value));
}

/// Asks the processor to load the cache line of `address`, which need not be valid memory. GCC 12 takes
/// a function that only prefetches for one without an effect, and drops its calls, unless it is always inlined.
[[gnu::always_inline]] inline void prefetch_line(const void* address) {
  __builtin_prefetch(address);
}

/// Returns `pointer`, and promises the compiler that it is a multiple of `alignment`.
template <unsigned alignment, class T>
COPSE_HD inline const T* aligned_to(const T* pointer) {
  return static_cast<const T*>(__builtin_assume_aligned(pointer, alignment));
}

/// Promises the compiler that this place is never reached.
[[noreturn]] COPSE_HD inline void unreachable() {
  __builtin_unreachable();
}

/// The quiet NaN without a sign.
inline constexpr float not_a_number = __builtin_nanf("");

}  // namespace copse
