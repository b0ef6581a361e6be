#pragma once

// What compaction and partition are asked for, as functions of the index.

#include "primitives/flags.h"

namespace copse::detail {

/// A predicate of the index and the value that `input` has there, or of the index, as one of the index.
template <class T, class Keep, class Input>
struct KeepByIndex {
  Keep keep;
  Input input;
  COPSE_HD bool operator()(u64 i) const {
    if constexpr (keeps_by_value<Keep, T>) {
      return keep(i, input(i));
    } else {
      return keep(i);
    }
  }
};

/// Stores an input function's values at their places.
template <class T, class Input>
struct StoreInput {
  Input input;
  T* out;
  COPSE_HD void operator()(u64 place, u64 i) const { out[place] = input(i); }
};

/// Stores the indices themselves.
template <class T>
struct StoreIndex {
  T* out;
  COPSE_HD void operator()(u64 place, u64 i) const { out[place] = T(i); }
};

/// Stores values and indices.
template <class T, class Input, class I>
struct StoreInputAndIndex {
  Input input;
  T* out;
  I* indices;
  COPSE_HD void operator()(u64 place, u64 i) const {
    out[place] = input(i);
    indices[place] = I(i);
  }
};

}  // namespace copse::detail
