#pragma once

// What the public functions of merge sort and sample sort check.

#include <string>

#include "primitives/core/check.h"
#include "primitives/core/error.h"
#include "primitives/core/span.h"

namespace copse::detail {

template <class T>
void check_sort_output(const char* sort, const char* what, BufferSpan<const T> in, BufferSpan<T> out) {
  if (in.size() != out.size()) {
    throw Error(ErrorCode::invalid_argument, std::string(sort) + ": the output has " + std::to_string(out.size()) +
                                                 " " + what + ", the input " + std::to_string(in.size()));
  }
  if (in.data() != out.data() && overlap(in, out)) {
    throw Error(ErrorCode::invalid_argument,
                std::string(sort) + ": the output " + what + " overlap the input, and are not the same");
  }
}

inline void check_sort_values(const char* sort, u64 key_count, u64 value_count) {
  if (key_count != value_count) {
    throw Error(ErrorCode::invalid_argument, std::string(sort) + ": " + std::to_string(value_count) +
                                                 " values for " + std::to_string(key_count) + " keys");
  }
}

}  // namespace copse::detail
