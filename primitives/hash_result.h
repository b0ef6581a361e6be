#pragma once

#include "primitives/core/types.h"

namespace copse {

/// What became of a key that was to be inserted.
enum class InsertResult : u8 {
  inserted,  // it was not there, and now is
  found,     // it was there
  full,      // it is not there, and there was no room for it
};

/// What became of a search.
template <class Value>
struct FindResult {
  bool found;
  Value value;  // zeros where not found
};

/// What a bulk call came to, on the device: how many keys it inserted, found to be there, had no room for, and
/// searched in vain.
struct HashCounts {
  u64 inserted = 0;
  u64 found = 0;
  u64 full = 0;
  u64 absent = 0;
};

}  // namespace copse
