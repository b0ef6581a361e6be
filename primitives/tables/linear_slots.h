#pragma once

#include "primitives/tables/packed_slots.h"
#include "primitives/tables/tagged_slots.h"

namespace copse::detail {

/// The slots of a table with linear probing. A slot is one word if key and value fit in 8 bytes together. The
/// operation of a single thread looks again until a look ends the search.
template <u32 key_bytes, u32 value_bytes>
class LinearSlots : public std::conditional_t<(key_bytes + value_bytes <= 8), PackedSlots<key_bytes, value_bytes>,
                                              TaggedSlots<key_bytes, value_bytes>> {
 public:
  using Base = std::conditional_t<(key_bytes + value_bytes <= 8), PackedSlots<key_bytes, value_bytes>,
                                  TaggedSlots<key_bytes, value_bytes>>;
  using Base::Base;
  using Value = typename Base::Value;
  using Start = typename Base::Start;

  COPSE_HD InsertResult insert(Start search, const Value& value) const { return put(search, value, false); }
  COPSE_HD InsertResult insert_or_assign(Start search, const Value& value) const {
    return put(search, value, true);
  }

  COPSE_HD bool find(Start search, Value& value) const {
    SpinWait wait;
    Look look;
    while ((look = this->template look_for<false>(search, value)) >= Look::going) {
      if (look == Look::waiting) wait();
    }
    return look == Look::found;
  }

  COPSE_HD bool erase(Start search) const {
    SpinWait wait;
    Look look;
    while ((look = this->look_to_erase(search)) >= Look::going) {
      if (look == Look::waiting) wait();
    }
    return look == Look::found;
  }

 private:
  COPSE_HD InsertResult put(Start search, const Value& value, bool assigns) const {
    SpinWait wait;
    Look look;
    while ((look = this->look_to_put(search, value, assigns)) >= Look::going) {
      if (look == Look::waiting) wait();
    }
    return InsertResult(look);
  }
};

}  // namespace copse::detail
