#pragma once

// What compaction and partition are asked for, as functions of the index.

#include "primitives/flags.h"

namespace copse::detail {

/// A predicate of the index and the value that `input` has there, or of the index, as one of the index.
template <class T, class Predicate, class Input>
struct SelectByIndex {
  Predicate predicate;
  Input input;
  COPSE_HD bool operator()(u64 i) const {
    if constexpr (predicate_takes_value<Predicate, T>) {
      return predicate(i, input(i));
    } else {
      return predicate(i);
    }
  }
};

/// Stores an input function's values at their places.
template <class T, class Input>
struct StoreValue {
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
struct StoreValueAndIndex {
  Input input;
  T* out;
  I* indices;
  COPSE_HD void operator()(u64 place, u64 i) const {
    out[place] = input(i);
    indices[place] = I(i);
  }
};

}  // namespace copse::detail
