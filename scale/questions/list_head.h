#pragma once

#include "primitives/core/types.h"

namespace copse::detail {

/// Of a list that answers one message: the number of the message at the rank that brought it, and the items.
struct ListHead {
  u32 index, count;
};

}  // namespace copse::detail
