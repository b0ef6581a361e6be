#pragma once

// Predicates and outputs of compaction and partition, as functions of the index.

#include "primitives/flags.h"

namespace copse::detail {

/// Makes a predicate of the index from one of the index and the value of `input`, or from one of the index.
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

/// Stores the values of an input function at their places.
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
