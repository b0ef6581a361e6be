#pragma once

// Checks of arguments at the public boundary. All of them throw Error invalid_argument with the value and the limit.

#include <string>

#include "primitives/core/error.h"
#include "primitives/core/span.h"

namespace copse::detail {

/// Throws: always, with the message "function: what".
[[noreturn]] inline void refuse(const char* function, const std::string& what) {
  throw Error(ErrorCode::invalid_argument, std::string(function) + ": " + what);
}

/// Throws: if the option called `name` is not in [min, max].
inline void check_option(const char* name, u32 value, u32 min, u32 max) {
  if (value >= min && value <= max) return;
  throw Error(ErrorCode::invalid_argument, std::string(name) + " is " + std::to_string(value) + "; it can be " +
                                               std::to_string(min) + " to " + std::to_string(max));
}

}  // namespace copse::detail

namespace copse {

/// True if the two spans share memory.
template <class T, class U>
bool overlap(BufferSpan<T> a, BufferSpan<U> b) {
  const u64 a_begin = reinterpret_cast<u64>(a.data()), b_begin = reinterpret_cast<u64>(b.data());
  return a_begin < b_begin + b.size_bytes() && b_begin < a_begin + a.size_bytes();
}

}  // namespace copse
