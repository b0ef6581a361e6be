#pragma once

#include "primitives/core/types.h"

namespace copse::detail {

/// The head of a list that answers a message: the number of the message at the rank that brought it, and of the
/// items.
struct ListHead {
  u32 index, count;
};

}  // namespace copse::detail
