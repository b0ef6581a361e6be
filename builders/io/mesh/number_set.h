#pragma once

#include <vector>

#include "primitives/core/types.h"

namespace copse::detail {

/// A set of numbers below a limit.
class NumberSet {
 public:
  explicit NumberSet(u64 limit) : words_((limit + 63) / 64) {}

  /// False where it was in the set already.
  bool insert(u64 number) {
    u64& word = words_[number / 64];
    const u64 bit = u64{1} << (number % 64);
    const bool is_new = (word & bit) == 0;
    word |= bit;
    return is_new;
  }

 private:
  std::vector<u64> words_;
};

}  // namespace copse::detail
