#pragma once

#include "primitives/core/span.h"

namespace copse {

/// True where two spans share memory.
template <class T, class U>
bool overlap(BufferSpan<T> a, BufferSpan<U> b) {
  const u64 a_begin = reinterpret_cast<u64>(a.data()), b_begin = reinterpret_cast<u64>(b.data());
  return a_begin < b_begin + b.size_bytes() && b_begin < a_begin + a.size_bytes();
}

}  // namespace copse
