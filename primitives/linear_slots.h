#pragma once

#include "primitives/packed_slots.h"
#include "primitives/tagged_slots.h"

namespace copse::detail {

/// The slots of a table with linear probing: of one word where key and value fit 8 bytes together.
template <u32 key_bytes, u32 value_bytes>
using LinearSlots = std::conditional_t<(key_bytes + value_bytes <= 8), PackedSlots<key_bytes, value_bytes>,
                                       TaggedSlots<key_bytes, value_bytes>>;

}  // namespace copse::detail
