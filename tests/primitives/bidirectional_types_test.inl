// Searches in tables with bidirectional probing while insertions and erasures move the elements.

#include "primitives/bidirectional_table.h"
#include "tests/support/body_test.h"
#include "tests/support/watchdog.h"

namespace copse::detail {
namespace {

template <class T>
struct OfNumber;
template <>
struct OfNumber<u32> {
  COPSE_HD static u32 make(u32 number) { return number * 2654435761u; }
};
struct Four {
  u32 words[4];
};
template <>
struct OfNumber<Four> {
  COPSE_HD static Four make(u32 number) { return {{number, ~number, number * 3, number ^ 0x5555u}}; }
};

template <class T>
COPSE_HD bool is_of_number(const T& object, u32 number) {
  return words_of(object) == words_of(OfNumber<T>::make(number));
}

template <class View>
struct InsertNumbers {
  View view;
  u32 first;
  COPSE_HD void operator()(u64 i) const {
    const u32 number = u32(i) + first;
    view.insert(OfNumber<typename View::Key>::make(number), OfNumber<typename View::Value>::make(number));
  }
};

/// Each thread inserts and erases a key of its own. It looks for keys that stay, and for keys that are never
/// inserted.
template <class View>
struct ChurnAround {
  using Key = typename View::Key;
  using Value = typename View::Value;
  View view;
  u32 resident_count, rounds;
  u32* wrong;

  COPSE_HD void operator()(u64 thread) const {
    const u32 own = resident_count + u32(thread);
    u32 state = u32(thread) * 2654435761u + 99u;
    for (u32 round = 0; round < rounds; ++round) {
      expect(view.insert(OfNumber<Key>::make(own), OfNumber<Value>::make(own)) == InsertResult::inserted);
      state = mixed(state + 1);
      look(state % resident_count, true);
      look(0x40000000u + state % 0x10000000u, false);
      look(own, true);
      if (state % 3 == 0) assign(own);
      expect(view.erase(OfNumber<Key>::make(own)));
      look(own, false);
      look((state >> 8) % resident_count, true);
    }
  }
  COPSE_HD void assign(u32 number) const {
    const auto result = view.insert_or_assign(OfNumber<Key>::make(number), OfNumber<Value>::make(number));
    expect(result == InsertResult::found);
  }
  COPSE_HD void look(u32 number, bool is_there) const {
    const auto result = view.find(OfNumber<Key>::make(number));
    expect(result.found == is_there && (!is_there || is_of_number(result.value, number)));
  }
  COPSE_HD void expect(bool holds) const {
    if (!holds) fetch_add_relaxed(wrong, 1u);
  }
};

struct CountElements {
  u64* count;
  template <class Key, class Value>
  COPSE_HD void operator()(const Key&, const Value&) const {
    fetch_add_relaxed(count, u64{1});
  }
};

template <class Executor>
class BidirectionalTypes : public test::BodyTest<Executor> {
 protected:
  /// Makes the keys of the threads fill the table up to its last slot.
  template <class Key, class Value>
  void expect_found_beside_churn(u32 slots, u32 threads, u32 rounds) {
    BidirectionalMap<Key, Value> table(this->context(), slots, {.max_load = 1});
    const u32 residents = u32(table.slot_count()) - threads;
    using View = typename BidirectionalMap<Key, Value>::View;
    Buffer<u32> wrong(this->context(), std::vector<u32>(1));
    for_each(this->executor(), "insert", residents, InsertNumbers<View>{table.view(), 0});
    for_each(this->executor(), "churn", threads, ChurnAround<View>{table.view(), residents, rounds, wrong.data()});
    EXPECT_EQ(wrong.download()[0], 0u) << slots << " slots, " << threads << " threads";
    EXPECT_EQ(table.refused(), 0u);
    Buffer<u64> count(this->context(), std::vector<u64>(1));
    hash_for_each(this->executor(), "count", table.view(), CountElements{count.data()});
    EXPECT_EQ(count.download()[0], residents);
  }
};

TYPED_TEST_SUITE(BidirectionalTypes, TheBackend, BackendName);

TYPED_TEST(BidirectionalTypes, WhatStaysIsFoundWhileItMoves) {
  const test::Watchdog watchdog(600, "WhatStaysIsFoundWhileItMoves");
  this->template expect_found_beside_churn<u32, u32>(128, 32, 20);
  this->template expect_found_beside_churn<Four, Four>(128, 32, 20);
  this->template expect_found_beside_churn<u32, u32>(20000, 2048, 5);
  this->template expect_found_beside_churn<u32, u32>(20000, 4096, 5);
  this->template expect_found_beside_churn<Four, Four>(40000, 8192, 3);
}

}  // namespace
}  // namespace copse::detail
