#pragma once

#include "primitives/tables/looking_slots.h"
#include "primitives/tables/packed_slots.h"
#include "primitives/tables/tagged_slots.h"

namespace copse::detail {

template <u32 key_bytes, u32 value_bytes>
using LinearSlotsBase = std::conditional_t<(key_bytes + value_bytes <= 8), PackedSlots<key_bytes, value_bytes>,
                                           TaggedSlots<key_bytes, value_bytes>>;

/// The slots of a table with linear probing. A slot is one word if key and value fit in 8 bytes together.
template <u32 key_bytes, u32 value_bytes>
class LinearSlots : public LookingSlots<LinearSlotsBase<key_bytes, value_bytes>> {
 public:
  using LookingSlots<LinearSlotsBase<key_bytes, value_bytes>>::LookingSlots;
};

}  // namespace copse::detail
