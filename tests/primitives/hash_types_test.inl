// Tests the operations of threads on hash tables: all widths, all operations at once, full tables, one key.

#include <string>

#include "primitives/bidirectional_table.h"
#include "primitives/hash_table.h"
#include "tests/primitives/hash_functors.h"
#include "tests/support/body_test.h"
#include "tests/support/watchdog.h"

namespace copse::detail {
namespace {

/// A kind of table, for any types of key and value.
struct Linear {
  static constexpr const char* name = "linear";
  static constexpr u64 threads_on_one_key = 100000;
  template <class Key, class Value>
  using Table = HashMap<Key, Value>;
};

struct Bidirectional {
  static constexpr const char* name = "bidirectional";
  static constexpr u64 threads_on_one_key = 10000;  // fewer, because their assignments wait for each other
  template <class Key, class Value>
  using Table = BidirectionalMap<Key, Value>;
};

template <class Kind>
class HashTypes : public test::BodyTest<BodyExecutor> {
 protected:
  template <class Key, class Value>
  using Table = typename Kind::template Table<Key, Value>;

  template <class T>
  Buffer<T> zeros(u64 size) {
    return Buffer<T>(this->context(), std::vector<T>(size));
  }

  template <class Table>
  std::vector<u8> insert(Table& table, u32 n, u32 distinct, u32 first, bool assigns = false) {
    auto results = this->template zeros<u8>(n);
    for_each(this->executor(), "insert", n,
             test::InsertKeys<typename Table::View>{table.view(), distinct, first, assigns, results.data()});
    return results.download();
  }

  template <class Table>
  std::vector<u8> erase(Table& table, u32 n, u32 distinct, u32 first, u32 stride) {
    auto results = this->template zeros<u8>(n);
    for_each(this->executor(), "erase", n,
             test::EraseKeys<typename Table::View>{table.view(), distinct, first, stride, results.data()});
    return results.download();
  }

  template <class Table>
  auto find(Table& table, u32 n, u32 first) {
    Buffer<test::Seen<typename Table::Value>> seen(this->context(), n);
    for_each(this->executor(), "find", n, test::FindKeys<typename Table::View>{table.view(), first, seen.data()});
    return seen.download();
  }

  /// Returns how often a walk meets each key. The last element counts the other keys that it meets.
  template <class Table>
  std::vector<u32> visit(Table& table, u32 distinct, u32 first) {
    auto visits = this->template zeros<u32>(distinct + 1);
    const auto view = table.view();
    for_each(this->executor(), "visit", view.slot_count(),
             test::VisitElements<typename Table::View>{view, distinct, first, visits.data()});
    return visits.download();
  }

  /// nvcc compiles elements that fit one word of 8 bytes, and elements of seven words, the last ones not whole.
  template <class Key, class Value>
  static constexpr bool is_tested =
      test::is_compiled<(std::is_same_v<Key, u32> && std::is_same_v<Value, u32>) || word_bytes<Key> == 13>;

  /// Inserts, finds, erases and visits keys. The keys begin at `first`, so that a test can include or exclude
  /// those around 0.
  template <class Key, class Value>
  void expect_all(u32 first) {
    if constexpr (is_tested<Key, Value>) check_all<Key, Value>(first);
  }
  template <class Key, class Value>
  void check_all(u32 first) {
    const u32 n = 6000, distinct = 2500;
    SCOPED_TRACE(std::to_string(word_bytes<Key>) + " and " + std::to_string(word_bytes<Value>) + " bytes from " +
                 std::to_string(first));
    Table<Key, Value> table(this->context(), 2 * distinct);  // erased elements keep their slots
    const auto results = insert(table, n, distinct, first);
    std::vector<Value> expected(distinct);
    std::vector<u32> inserted(distinct);
    for (u32 i = 0; i < n; ++i) {
      if (InsertResult(results[i]) == InsertResult::inserted) {
        ++inserted[i % distinct];
        expected[i % distinct] = test::object_from<Value>(i + 1);
      } else {
        ASSERT_EQ(InsertResult(results[i]), InsertResult::found) << i;
      }
    }
    const auto found = find(table, distinct + 100, first);
    for (u32 k = 0; k < distinct + 100; ++k) {
      ASSERT_EQ(found[k].found, k < distinct) << k;
      if (k >= distinct) continue;
      ASSERT_EQ(inserted[k], 1u) << k;
      ASSERT_TRUE(words_of(found[k].value) == words_of(expected[k])) << k;
    }

    const auto erased = erase(table, distinct, distinct, first, 3);
    for (u32 k = 0; k < distinct; ++k) ASSERT_EQ(erased[k], 1) << k;
    EXPECT_EQ(visit(table, distinct, first), std::vector<u32>(distinct + 1));

    const auto again = insert(table, distinct, distinct, first, true);
    for (u32 k = 0; k < distinct; ++k) ASSERT_EQ(InsertResult(again[k]), InsertResult::inserted) << k;
    const auto assigned = insert(table, n, distinct, first, true);
    for (u32 i = 0; i < n; ++i) ASSERT_EQ(InsertResult(assigned[i]), InsertResult::found) << i;
    const auto last = find(table, distinct, first);
    for (u32 k = 0; k < distinct; ++k) {
      bool is_one_of_them = false;
      for (u32 i = k; i < n; i += distinct) is_one_of_them |= test::is_object_of(last[k].value, i + 1);
      ASSERT_TRUE(last[k].found && is_one_of_them) << k;
    }
    std::vector<u32> once(distinct + 1, 1);
    once.back() = 0;
    EXPECT_EQ(visit(table, distinct, first), once);
    EXPECT_EQ(table.refused(), 0u);
  }

  template <class Key, class Value>
  void expect_churn(u32 distinct, u64 threads, u32 rounds) {
    if constexpr (is_tested<Key, Value>) check_churn<Key, Value>(distinct, threads, rounds);
  }
  template <class Key, class Value>
  void check_churn(u32 distinct, u64 threads, u32 rounds) {
    // A key may take another slot each time that it is inserted again after it was erased.
    Table<Key, Value> table(this->context(), threads * rounds + distinct);
    auto inserted = this->template zeros<u32>(distinct), erased = this->template zeros<u32>(distinct);
    auto wrong = this->template zeros<u32>(1);
    for_each(this->executor(), "churn", threads,
             test::Churn<typename Table<Key, Value>::View>{table.view(), distinct, rounds, inserted.data(),
                                                           erased.data(), wrong.data()});
    const auto ins = inserted.download(), era = erased.download(), visits = visit(table, distinct, 0);
    const auto found = find(table, distinct, 0);
    ASSERT_EQ(wrong.download()[0], 0u);
    for (u32 k = 0; k < distinct; ++k) {
      ASSERT_EQ(ins[k] - era[k], visits[k]) << k;
      ASSERT_LE(visits[k], 1u) << k;
      ASSERT_EQ(found[k].found, visits[k]) << k;
    }
  }

  template <class Key, class Value>
  void expect_full(u64 capacity, u32 bucket_bytes) {
    if constexpr (is_tested<Key, Value>) check_full<Key, Value>(capacity, bucket_bytes);
  }
  template <class Key, class Value>
  void check_full(u64 capacity, u32 bucket_bytes) {
    Table<Key, Value> table(this->context(), capacity, {.max_load = 1, .bucket_bytes = bucket_bytes});
    const u32 slots = u32(table.slot_count()), n = slots + 500, first = 7;
    const auto results = insert(table, n, n, first);
    u32 inserted = 0;
    for (u32 i = 0; i < n; ++i) {
      if (InsertResult(results[i]) == InsertResult::inserted) ++inserted;
      ASSERT_NE(InsertResult(results[i]), InsertResult::found);
    }
    EXPECT_EQ(inserted, slots);
    EXPECT_EQ(table.refused(), n - slots);
    EXPECT_COPSE_ERROR(table.check(), ErrorCode::capacity,
                       std::to_string(n - slots) + " keys found no room in " + std::to_string(slots) + " slots");
    const auto found = find(table, n, first);
    for (u32 i = 0; i < n; ++i) {
      ASSERT_EQ(found[i].found, InsertResult(results[i]) == InsertResult::inserted) << i;
      ASSERT_TRUE(!found[i].found || test::is_object_of(found[i].value, i + 1)) << i;
    }
    const auto visits = visit(table, n, first);
    for (u32 i = 0; i < n; ++i) ASSERT_EQ(visits[i], found[i].found) << i;
    table.clear();
    EXPECT_EQ(table.refused(), 0u);
    EXPECT_EQ(visit(table, n, first), std::vector<u32>(n + 1));
  }

  template <class Key, class Value>
  void expect_one_key(u64 threads) {
    if constexpr (is_tested<Key, Value>) check_one_key<Key, Value>(threads);
  }
  template <class Key, class Value>
  void check_one_key(u64 threads) {
    Table<Key, Value> table(this->context(), 100);
    const u32 n = u32(threads);
    auto results = insert(table, n, 1, 3);
    u32 winner = n;
    for (u32 i = 0; i < n; ++i) {
      if (InsertResult(results[i]) == InsertResult::found) continue;
      ASSERT_EQ(InsertResult(results[i]), InsertResult::inserted);
      ASSERT_EQ(winner, n) << "two threads inserted one key";
      winner = i;
    }
    ASSERT_LT(winner, n);
    EXPECT_TRUE(test::is_object_of(find(table, 1, 3)[0].value, winner + 1));
    results = insert(table, n, 1, 3, true);
    for (u32 i = 0; i < n; ++i) ASSERT_EQ(InsertResult(results[i]), InsertResult::found) << i;
    const auto erased = erase(table, n, 1, 3, 1);
    u32 count = 0;
    for (u8 one : erased) count += one;
    EXPECT_EQ(count, 1u);
    EXPECT_EQ(find(table, 1, 3)[0].found, 0);
  }
};

struct KindName {
  template <class Kind>
  static std::string GetName(int) {
    return std::string(name_of(body_backend)) + "_" + Kind::name;
  }
};
using HashKinds = testing::Types<Linear, Bidirectional>;
TYPED_TEST_SUITE(HashTypes, HashKinds, KindName);

TYPED_TEST(HashTypes, EveryWidthOfKeyAndValue) {
  const test::Watchdog watchdog(600, "EveryWidthOfKeyAndValue");
  this->template expect_all<test::Bytes<4>, NoValue>(1);
  this->template expect_all<u64, NoValue>(1);
  this->template expect_all<test::Bytes<12>, NoValue>(1);
  this->template expect_all<test::Bytes<16>, NoValue>(1);
  this->template expect_all<u32, u32>(1);
  this->template expect_all<u64, test::Bytes<2>>(1);
  this->template expect_all<u64, u32>(1);
  this->template expect_all<u64, u64>(1);
  this->template expect_all<test::Bytes<12>, u32>(1);
  this->template expect_all<test::Bytes<16>, test::Bytes<16>>(1);
}

TYPED_TEST(HashTypes, WidthsThatAreNoWholeWords) {
  const test::Watchdog watchdog(600, "WidthsThatAreNoWholeWords");
  this->template expect_all<test::Bytes<5>, NoValue>(1);
  this->template expect_all<test::Bytes<5>, test::Bytes<3>>(1);
  this->template expect_all<test::Bytes<6>, test::Bytes<2>>(1);
  this->template expect_all<test::Bytes<4>, test::Bytes<3>>(1);
  this->template expect_all<test::Bytes<7>, test::Bytes<5>>(1);
  this->template expect_all<test::Bytes<9>, NoValue>(1);
  this->template expect_all<test::Bytes<13>, test::Bytes<11>>(1);
  this->template expect_all<u32, test::Bytes<12>>(1);
}

/// These keys are around 0: all bits set, all but one set, all clear, all but one clear.
TYPED_TEST(HashTypes, NoKeyIsReserved) {
  const test::Watchdog watchdog(600, "NoKeyIsReserved");
  this->template expect_all<u32, u32>(~u32{0} - 1000);
  this->template expect_all<test::Bytes<4>, NoValue>(~u32{0} - 1000);
  this->template expect_all<test::Bytes<6>, test::Bytes<2>>(~u32{0} - 1000);
  this->template expect_all<u64, NoValue>(~u32{0} - 1000);
  this->template expect_all<u64, u32>(~u32{0} - 1000);
  this->template expect_all<test::Bytes<12>, u32>(~u32{0} - 1000);
  this->template expect_all<test::Bytes<16>, test::Bytes<16>>(~u32{0} - 1000);
}

TYPED_TEST(HashTypes, AllAtOnceNeverLeaveAKeyTwice) {
  const test::Watchdog watchdog(600, "AllAtOnceNeverLeaveAKeyTwice");
  for (u32 distinct : {1, 7, 100}) {
    this->template expect_churn<u32, u32>(distinct, 2000, 10);
    this->template expect_churn<u64, NoValue>(distinct, 2000, 10);
    this->template expect_churn<u64, u64>(distinct, 2000, 10);
    this->template expect_churn<test::Bytes<12>, u32>(distinct, 2000, 10);
    this->template expect_churn<test::Bytes<13>, test::Bytes<11>>(distinct, 2000, 10);
  }
}

TYPED_TEST(HashTypes, AFullTableRefusesAndKeepsWhatItHolds) {
  const test::Watchdog watchdog(600, "AFullTableRefusesAndKeepsWhatItHolds");
  for (u32 bucket_bytes : {32, 64, 128}) {
    for (u64 capacity : {0, 1, 31, 33, 1000}) {
      this->template expect_full<u32, u32>(capacity, bucket_bytes);
      this->template expect_full<u32, NoValue>(capacity, bucket_bytes);
      this->template expect_full<test::Bytes<12>, u32>(capacity, bucket_bytes);
      this->template expect_full<test::Bytes<13>, test::Bytes<11>>(capacity, bucket_bytes);
    }
  }
}

TYPED_TEST(HashTypes, OneInserterOfAKeyWins) {
  const test::Watchdog watchdog(600, "OneInserterOfAKeyWins");
  this->template expect_one_key<u32, u32>(TypeParam::threads_on_one_key);
  this->template expect_one_key<u64, NoValue>(TypeParam::threads_on_one_key);
  this->template expect_one_key<u64, u64>(TypeParam::threads_on_one_key);
  this->template expect_one_key<test::Bytes<12>, u32>(TypeParam::threads_on_one_key);
  this->template expect_one_key<test::Bytes<13>, test::Bytes<11>>(TypeParam::threads_on_one_key);
}

TYPED_TEST(HashTypes, SmallTablesAreRightEveryTime) {
  const test::Watchdog watchdog(600, "SmallTablesAreRightEveryTime");
  for (u32 repeat = 0; repeat < 1000; ++repeat) {
    if (repeat % 2 == 0) {
      this->template expect_full<u32, u32>(60, 32);
      this->template expect_churn<u32, u32>(5, 64, 4);
    } else {
      this->template expect_full<test::Bytes<12>, u64>(60, 32);
      this->template expect_churn<test::Bytes<13>, test::Bytes<11>>(5, 64, 4);
    }
    if (this->HasFatalFailure()) FAIL() << repeat;
  }
}

TYPED_TEST(HashTypes, TemplatesTakeFunctionsOfTheIndex) {
  using Key = test::Bytes<6>;
  using Value = test::Bytes<9>;
  const u32 n = 5000;
  typename TestFixture::template Table<Key, Value> table(this->context(), n);
  const auto view = table.view();
  const auto& ex = this->executor();
  auto counts = this->template zeros<HashCounts>(1);
  const auto keys = test::ObjectAt<Key>{};
  hash_insert(ex, "insert", view, n, keys, test::ObjectAt<Value>{}, HashMode::keep, counts.data(),
              static_cast<InsertResult*>(nullptr));
  EXPECT_EQ(counts.download()[0].inserted, n);
  hash_insert(ex, "assign", view, n, keys, test::ObjectAt<Value>{}, HashMode::assign, counts.data(),
              static_cast<InsertResult*>(nullptr));
  EXPECT_EQ(counts.download()[0].found, n);

  Buffer<test::Seen<Value>> seen(this->context(), n + 100);
  hash_find(ex, "find", view, n + 100, keys, test::StoreSeen<Value>{seen.data()}, counts.data());
  EXPECT_EQ(counts.download()[0].found, n);
  EXPECT_EQ(counts.download()[0].absent, 100u);
  const auto found = seen.download();
  for (u32 i = 0; i < n + 100; ++i) {
    ASSERT_EQ(found[i].found, i < n) << i;
    ASSERT_TRUE(i >= n || test::is_object_of(found[i].value, i + 1)) << i;
  }

  hash_erase(ex, "erase", view, n / 2, keys, static_cast<u8*>(nullptr), counts.data());
  EXPECT_EQ(counts.download()[0].found, n / 2);
  auto visits = this->template zeros<u32>(n + 1);
  hash_for_each(ex, "visit", view, test::CountElement<Key, Value>{1, n, visits.data()});
  std::vector<u32> expected(n + 1);
  for (u32 i = n / 2; i < n; ++i) expected[i] = 1;
  EXPECT_EQ(visits.download(), expected);
}

TYPED_TEST(HashTypes, LargeInsertionsTakeTheScratchTheySay) {
  const u64 n = 4500000;
  typename TestFixture::template Table<u32, u32> table(this->context(), n);
  const auto& ex = this->executor();
  const u64 bytes = hash_insert_scratch_bytes(ex, table.view(), n);
  EXPECT_GT(bytes, n * 8);
  this->context().release_scratch();
  this->context().reserve_scratch(bytes);
  const u64 reserved = this->context().scratch_bytes();
  auto counts = this->template zeros<HashCounts>(1);
  hash_insert(ex, "insert", table.view(), n, test::ObjectAt<u32>{}, test::ObjectAt<u32>{}, HashMode::keep,
              counts.data(), static_cast<InsertResult*>(nullptr));
  EXPECT_EQ(counts.download()[0].inserted, n);
  EXPECT_EQ(this->context().scratch_bytes(), reserved);
}

TYPED_TEST(HashTypes, WhatIsFoundWhileOthersInsertIsWhole) {
  const test::Watchdog watchdog(600, "WhatIsFoundWhileOthersInsertIsWhole");
  const u64 n = 200000;
  const auto expect = [&](auto table) {
    auto wrong = this->template zeros<u32>(1);
    for_each(this->executor(), "insert and find", 2 * n,
             test::InsertAndFind<typename decltype(table)::View>{table.view(), wrong.data()});
    EXPECT_EQ(wrong.download()[0], 0u);
  };
  expect(typename TestFixture::template Table<u32, u32>(this->context(), n));
  if constexpr (TestFixture::template is_tested<u64, u64>) {
    expect(typename TestFixture::template Table<u64, u64>(this->context(), n));
  }
  expect(typename TestFixture::template Table<test::Bytes<13>, test::Bytes<11>>(this->context(), n));
}

}  // namespace
}  // namespace copse::detail
