#pragma once

// Input functions for primitives, and the usual operators.

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

struct Plus {
  template <class T>
  COPSE_HD T operator()(T a, T b) const {
    return a + b;
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

}  // namespace copse
