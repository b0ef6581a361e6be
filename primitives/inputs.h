#pragma once

// Input functions for primitives, and the usual operators.

#include <type_traits>

#include "primitives/core/bits.h"
#include "primitives/core/macros.h"
#include "primitives/core/types.h"

namespace copse {

/// The elements of an array.
template <class T>
struct Elements {
  const T* data;
  COPSE_HD T operator()(u64 i) const { return data[i]; }
};

/// The index itself.
struct Index {
  COPSE_HD u32 operator()(u64 i) const { return u32(i); }
};

/// Stands for the type of values where keys are sorted alone.
struct NoValue {};

namespace detail {

template <class Value>
inline constexpr bool has_value = !std::is_same_v<Value, NoValue>;

/// The value input where there are no values.
struct NoValueInput {
  COPSE_HD NoValue operator()(u64) const { return {}; }
};

}  // namespace detail

/// An element functor that copies an array.
template <class T>
struct CopyElements {
  const T* from;
  T* to;
  COPSE_HD void operator()(u64 i) const { to[i] = from[i]; }
};

/// Integers wrap around, the signed ones too.
struct Plus {
  template <class T>
  COPSE_HD T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      using Unsigned = std::make_unsigned_t<T>;
      return T(Unsigned(a) + Unsigned(b));
    } else {
      return a + b;
    }
  }
};

struct Smaller {
  template <class T>
  COPSE_HD T operator()(T a, T b) const {
    return smaller(a, b);
  }
};

struct Larger {
  template <class T>
  COPSE_HD T operator()(T a, T b) const {
    return larger(a, b);
  }
};

/// True if the order of the operands is known not to matter, so that a primitive may change it.
template <class Op, class T>
inline constexpr bool commutes = std::is_integral_v<T> &&
                                 (std::is_same_v<Op, Plus> || std::is_same_v<Op, Smaller> ||
                                  std::is_same_v<Op, Larger>);

}  // namespace copse
