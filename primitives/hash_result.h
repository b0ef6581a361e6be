#pragma once

#include "primitives/core/types.h"

namespace copse {

/// The result of an insertion.
enum class InsertResult : u8 {
  inserted,  // the table did not hold the key, and now does
  found,     // the table held the key already
  full,      // the table did not hold the key, and had no room for it
};

/// The result of a search.
template <class Value>
struct FindResult {
  bool found;
  Value value;  // zeros where not found
};

/// The results of a bulk call, on the device: how many keys it inserted, found, had no room for, and did not find.
struct HashCounts {
  u64 inserted = 0;
  u64 found = 0;
  u64 full = 0;
  u64 absent = 0;
};

}  // namespace copse
