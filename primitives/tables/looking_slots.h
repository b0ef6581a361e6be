#pragma once

#include "primitives/core/warp_atomic.h"
#include "primitives/hash_result.h"
#include "primitives/spin_lock.h"
#include "primitives/tables/hash_group.h"

namespace copse::detail {

/// Operations of single threads on slots whose searches consist of looks (hash_group.h). Each operation looks
/// again until a look ends the search.
template <class Base>
class LookingSlots : public Base {
 public:
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
