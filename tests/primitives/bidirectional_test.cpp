// Compares bulk calls on tables with bidirectional linear probing with std::unordered_map.

#include "primitives/bidirectional_table.h"

#include <glm/glm.hpp>
#include <unordered_map>

#include "primitives/core/device.h"
#include "primitives/hash_growing.h"
#include "tests/support/backends.h"
#include "tests/support/watchdog.h"

namespace copse::test {
namespace {

class BidirectionalTables : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(BidirectionalTables);

template <class T>
T object_of_number(u32 number) {
  if constexpr (std::is_integral_v<T>) {
    return T(number) * T(0x9e3779b1u);
  } else {
    T object{};
    for (int k = 0; k < object.length(); ++k) object[k] = typename T::value_type(number + k);
    return object;
  }
}

/// Returns numbers that repeat and are not in order.
std::vector<u32> shuffled_numbers(u64 n, u32 distinct, u32 first = 0) {
  std::vector<u32> numbers(n);
  for (u64 i = 0; i < n; ++i) numbers[i] = u32(i * 7919 % distinct) + first;
  return numbers;
}

template <class T>
std::vector<T> objects_of(const std::vector<u32>& numbers) {
  std::vector<T> objects;
  for (u32 number : numbers) objects.push_back(object_of_number<T>(number));
  return objects;
}

/// The expected content of a table. Its keys are made from numbers.
struct Expected {
  std::unordered_map<u32, u32> values;  // from the number of a key to the number of its value

  HashCounts insert(const std::vector<u32>& keys, u32 first_value, bool assigns) {
    HashCounts counts;
    for (u64 i = 0; i < keys.size(); ++i) {
      const bool is_new = values.emplace(keys[i], first_value + u32(i)).second;
      ++(is_new ? counts.inserted : counts.found);
      if (assigns) values[keys[i]] = first_value + u32(i);
    }
    return counts;
  }
};

template <class Key, class Value>
class BulkCheck {
 public:
  BulkCheck(Context& context, u64 capacity, float max_load)
      : context_(context), table_(context, capacity, {.max_load = max_load}) {}

  enum class Call { insert, insert_or_assign, build };

  /// Makes the call. Afterwards it compares counts, results and everything that is found.
  void run(Call call, const std::vector<u32>& numbers, bool wants_results) {
    const u64 n = numbers.size();
    std::vector<u32> value_numbers(n);
    for (u64 i = 0; i < n; ++i) value_numbers[i] = next_value_ + u32(i);
    const Buffer<Key> keys(context_, objects_of<Key>(numbers));
    const Buffer<Value> values(context_, objects_of<Value>(value_numbers));
    Buffer<HashCounts> counts(context_, 1);
    Buffer<InsertResult> results(context_, wants_results ? n : 0);
    const bool was_empty = expected_.values.empty() || call == Call::build;
    if (call == Call::build) expected_.values.clear();
    const auto before = expected_.values;
    if (call == Call::insert) insert(context_, table_, keys.span(), values.span(), counts.span(), results.span());
    if (call == Call::build) build(context_, table_, keys.span(), values.span(), counts.span(), results.span());
    if (call == Call::insert_or_assign) {
      insert_or_assign(context_, table_, keys.span(), values.span(), counts.span(), results.span());
    }
    const HashCounts expected = expected_.insert(numbers, next_value_, call == Call::insert_or_assign);
    const HashCounts got = counts.download()[0];
    ASSERT_EQ(got.inserted, expected.inserted);
    ASSERT_EQ(got.found, expected.found);
    ASSERT_EQ(got.full, 0u);
    ASSERT_EQ(got.absent, 0u);
    ASSERT_EQ(size(context_, table_), expected_.values.size());
    if (wants_results) expect_results(numbers, results.download(), before);
    next_value_ += u32(n);
    expect_found(was_empty && n >= 1024 && n >= table_.slot_count() / 16);
  }

  /// Checks that the table holds all keys and no others. Checks their values too, if these are determined.
  void expect_found(bool has_determined_values) {
    std::vector<u32> numbers;
    for (const auto& [key, value] : expected_.values) numbers.push_back(key);
    const u64 there = numbers.size();
    for (u32 k = 0; k < there / 2 + 100; ++k) numbers.push_back(0x40000000u + k * 77);
    const Buffer<Key> keys(context_, objects_of<Key>(numbers));
    Buffer<Value> values(context_, numbers.size());
    Buffer<u8> found(context_, numbers.size());
    Buffer<HashCounts> counts(context_, 1);
    find(context_, table_, keys.span(), values.span(), found.span(), counts.span());
    ASSERT_EQ(counts.download()[0].found, there);
    ASSERT_EQ(counts.download()[0].absent, numbers.size() - there);
    const auto flags = found.download();
    const auto got = values.download();
    for (u64 i = 0; i < numbers.size(); ++i) {
      ASSERT_EQ(flags[i], i < there) << i;
      if (i >= there) {
        ASSERT_EQ(got[i], Value{}) << i;
      } else if (has_determined_values) {
        ASSERT_EQ(got[i], object_of_number<Value>(expected_.values[numbers[i]])) << i;
      }
    }
  }

  BidirectionalMap<Key, Value>& table() { return table_; }

 private:
  /// Checks that for each new key, exactly one pair has the result `inserted`.
  void expect_results(const std::vector<u32>& numbers, const std::vector<InsertResult>& results,
                      const std::unordered_map<u32, u32>& before) {
    std::unordered_map<u32, u32> told;
    for (u64 i = 0; i < numbers.size(); ++i) {
      ASSERT_NE(results[i], InsertResult::full);
      told[numbers[i]] += results[i] == InsertResult::inserted ? 1 : 0;
    }
    for (const auto& [key, count] : told) ASSERT_EQ(count, before.contains(key) ? 0u : 1u) << key;
  }

  Context& context_;
  BidirectionalMap<Key, Value> table_;
  Expected expected_;
  u32 next_value_ = 1;
};

template <class Key, class Value>
void expect_bulk_calls(Context& context) {
  using Check = BulkCheck<Key, Value>;
  using Call = typename Check::Call;
  for (u64 n : {1, 1023, 1024, 2047, 2048, 2049, 8191, 8193, 20000}) {
    for (float load : {0.1f, 0.8f, 0.95f, 1.0f}) {
      for (u32 distinct : {1u, 700u, 1000000u}) {
        SCOPED_TRACE(std::to_string(n) + " keys, load " + std::to_string(load) + ", distinct " +
                     std::to_string(distinct));
        Check check(context, n, load);
        check.run(n % 2 == 0 ? Call::insert : Call::insert_or_assign, shuffled_numbers(n, distinct), n % 3 == 0);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(BidirectionalTables, ABulkInsertionLeavesEachKeyOnce) {
  const Watchdog watchdog(600, "ABulkInsertionLeavesEachKeyOnce");
  expect_bulk_calls<u32, u32>(context());
}

TEST_P(BidirectionalTables, WideKeysAndValuesAreInsertedInBulk) {
  const Watchdog watchdog(600, "WideKeysAndValuesAreInsertedInBulk");
  expect_bulk_calls<u64, glm::uvec2>(context());
  expect_bulk_calls<glm::ivec2, u32>(context());
}

TEST_P(BidirectionalTables, WhatIsNotEmptyIsAddedTo) {
  const Watchdog watchdog(600, "WhatIsNotEmptyIsAddedTo");
  const auto expect = [&](auto check) {
    using Call = typename decltype(check)::Call;
    check.run(Call::insert, shuffled_numbers(5000, 5000), false);
    check.run(Call::insert, shuffled_numbers(6000, 6000, 3000), true);
    check.run(Call::insert_or_assign, shuffled_numbers(8000, 2000, 8000), true);
    check.run(Call::insert, shuffled_numbers(100, 100, 20000), true);
    check.run(Call::build, shuffled_numbers(9000, 4000, 100), true);
    check.run(Call::build, shuffled_numbers(9000, 12000, 500), false);
    check.run(Call::build, shuffled_numbers(20, 12, 500), false);
    check.run(Call::insert, shuffled_numbers(3000, 3000), false);
  };
  expect(BulkCheck<u32, u32>(context(), 11000, 0.9f));
  expect(BulkCheck<glm::ivec2, glm::uvec2>(context(), 11000, 0.9f));
}

/// Keys stand anywhere to the left or right of their homes. At these loads, runs reach through whole tiles.
TEST_P(BidirectionalTables, RunsOfAnyLengthAreFound) {
  const Watchdog watchdog(600, "RunsOfAnyLengthAreFound");
  for (u64 n : {60000, 63000, 65000, 65400, 65530, 65536}) {
    BulkCheck<u32, u32> check(context(), 65536, 1);
    check.run(BulkCheck<u32, u32>::Call::insert, shuffled_numbers(n, 100000), n % 4 == 0);
    ASSERT_FALSE(HasFatalFailure()) << n;
  }
}

TEST_P(BidirectionalTables, AFullTableTellsAndKeepsWhatItHolds) {
  const Watchdog watchdog(600, "AFullTableTellsAndKeepsWhatItHolds");
  const auto expect = [&](auto table, u32 n, u32 distinct, bool wants_results) {
    using Key = typename decltype(table)::Key;
    const u64 slots = table.slot_count();
    const auto numbers = shuffled_numbers(n, distinct, 1);  // not key 0, which lives in a cell
    const Buffer<Key> keys(context(), objects_of<Key>(numbers));
    const Buffer<u32> values(context(), objects_of<u32>(numbers));
    Buffer<u32> out(context(), n);
    Buffer<HashCounts> counts(context(), 1);
    Buffer<InsertResult> results(context(), wants_results ? n : 0);
    Buffer<u8> found(context(), n);
    insert(context(), table, keys.span(), values.span(), counts.span(), results.span());
    const HashCounts count = counts.download()[0];
    EXPECT_EQ(count.inserted, slots);
    EXPECT_EQ(count.inserted + count.found + count.full, n);
    EXPECT_COPSE_ERROR(table.check(), ErrorCode::capacity,
                       std::to_string(count.full) + " keys found no room in " + std::to_string(slots) + " slots");
    EXPECT_EQ(size(context(), table), slots);
    find(context(), table, keys.span(), out.span(), found.span(), counts.span());
    EXPECT_EQ(counts.download()[0].absent, count.full);
    const auto is_there = found.download();
    const auto result = results.download();
    const auto got = out.download();
    for (u32 i = 0; i < n; ++i) {
      ASSERT_EQ(got[i], is_there[i] != 0 ? object_of_number<u32>(numbers[i]) : 0u) << i;
      ASSERT_TRUE(!wants_results || (result[i] == InsertResult::full) == (is_there[i] == 0)) << i;
    }
    insert(context(), table, keys.span(), values.span(), counts.span());
    EXPECT_EQ(counts.download()[0].full, count.full);
    EXPECT_EQ(counts.download()[0].found, n - count.full);
  };
  for (bool wants_results : {false, true}) {
    expect(BidirectionalMap<u32, u32>(context(), 5000, {.max_load = 1}), 5777, 5777, wants_results);
    expect(BidirectionalMap<u32, u32>(context(), 5000, {.max_load = 1}), 9000, 5777, wants_results);
    expect(BidirectionalMap<u64, u32>(context(), 5000, {.max_load = 1}), 9000, 5777, wants_results);
  }
}

/// Keys whose hashes cannot be tags stand in cells.
TEST_P(BidirectionalTables, KeysOfReservedHashesAreKeysLikeOthers) {
  std::vector<u32> host;
  for (u32 hash : {0u, 1u, 2u, 3u, 0xfffffffeu, 0xffffffffu}) host.push_back(detail::unmixed(hash));
  for (u32 k = 0; k < 2000; ++k) host.push_back(host[k % 6]);
  const u32 n = u32(host.size());
  std::vector<u32> host_values(n);
  for (u32 i = 0; i < n; ++i) host_values[i] = i + 1;
  const Buffer<u32> keys(context(), host), values(context(), host_values);
  Buffer<u32> out(context(), n);
  Buffer<HashCounts> counts(context(), 1);
  BidirectionalMap<u32, u32> table(context(), 1000);
  insert(context(), table, keys.span(), values.span(), counts.span());
  EXPECT_EQ(counts.download()[0].inserted, 6u);
  EXPECT_EQ(counts.download()[0].found, n - 6);
  EXPECT_EQ(size(context(), table), 6u);
  find(context(), table, keys.span(), out.span());
  const auto got = out.download();
  for (u32 i = 0; i < n; ++i) ASSERT_EQ(got[i], (i < 6 ? i : (i - 6) % 6) + 1) << i;
  erase(context(), table, keys.span().first(3), counts.span());
  EXPECT_EQ(counts.download()[0].found, 3u);
  EXPECT_EQ(size(context(), table), 3u);
}

TEST_P(BidirectionalTables, WhatIsErasedLeavesNoTrace) {
  const Watchdog watchdog(600, "WhatIsErasedLeavesNoTrace");
  BulkCheck<u64, u32> check(context(), 4000, 1);
  const auto numbers = shuffled_numbers(4000, 4000);
  for (int round = 0; round < 3; ++round) {
    check.run(BulkCheck<u64, u32>::Call::build, numbers, false);
    const Buffer<u64> keys(context(), objects_of<u64>(numbers));
    Buffer<HashCounts> counts(context(), 1);
    erase(context(), check.table(), keys.span().first(3000), counts.span());
    EXPECT_EQ(counts.download()[0].found, 3000u);
    EXPECT_EQ(size(context(), check.table()), 1000u);
    EXPECT_EQ(used_slots(context(), check.table()), 1000u);
    Buffer<u8> found(context(), 4000);
    contains(context(), check.table(), keys.span(), found.span());
    const auto flags = found.download();
    for (u32 i = 0; i < 4000; ++i) ASSERT_EQ(flags[i], i >= 3000) << i;
  }
}

TEST_P(BidirectionalTables, ABuiltTableIsTheSameOnAllBackends) {
  const auto slots_of = [](Context& context, u64 n) {
    BidirectionalMap<u32, u32> table(context, n, {.max_load = 0.93f});
    const Buffer<u32> keys(context, objects_of<u32>(shuffled_numbers(n, 50000)));
    const Buffer<u32> values(context, shuffled_numbers(n, 60000));
    build(context, table, keys.span(), values.span());
    return download(context, BufferSpan<const u64>(table.slots().layout().word(64), table.slot_count()));
  };
  Context cpu({.backend = Backend::cpu});
  for (u64 n : {3000, 60000}) EXPECT_EQ(slots_of(context(), n), slots_of(cpu, n)) << n;
}

TEST_P(BidirectionalTables, LargeTablesHoldAll) {
  const Watchdog watchdog(600, "LargeTablesHoldAll");
  BulkCheck<u32, u32> check(context(), 3000000, 0.95f);
  check.run(BulkCheck<u32, u32>::Call::insert, shuffled_numbers(2500000, 4000000), false);
  check.run(BulkCheck<u32, u32>::Call::insert, shuffled_numbers(400000, 4000000, 10000000), false);
}

TEST_P(BidirectionalTables, AGrowingMapHoldsAll) {
  GrowingHashTable<u32, u32, detail::BidirectionalSlots> map(context(), 16);
  std::unordered_map<u32, u32> expected;
  for (u32 batch = 0; batch < 10; ++batch) {
    const auto numbers = shuffled_numbers(61u << batch, 1000000, batch * 20);
    const Buffer<u32> keys(context(), objects_of<u32>(numbers)), values(context(), numbers);
    map.insert(context(), keys.span(), values.span());
    for (u32 number : numbers) expected.emplace(number, number);
    ASSERT_EQ(size(context(), map.table()), expected.size());
  }
  const auto numbers = shuffled_numbers(61u << 9, 1000000, 180);
  const Buffer<u32> keys(context(), objects_of<u32>(numbers));
  Buffer<u32> out(context(), numbers.size());
  find(context(), map.table(), keys.span(), out.span());
  EXPECT_EQ(out.download(), numbers);
}

TEST_P(BidirectionalTables, CallsCanBeCaptured) {
  const u32 n = 5000;
  BidirectionalMap<u32, u32> table(context(), n);
  const auto numbers = shuffled_numbers(n, n);
  const Buffer<u32> keys(context(), objects_of<u32>(numbers)), values(context(), numbers);
  Buffer<u32> out(context(), n);
  Buffer<HashCounts> counts(context(), 1);
  const auto work = [&] {
    table.clear();
    insert(context(), table, keys.span(), values.span(), counts.span());
    find(context(), table, keys.span(), out.span());
    build(context(), table, keys.span(), values.span());
  };
  work();
  Graph graph = context().capture(work);
  for (int launch = 0; launch < 3; ++launch) {
    context().device().clear(out.data(), out.size_bytes());
    graph.launch();
    EXPECT_EQ(counts.download()[0].inserted, n);
    EXPECT_EQ(out.download(), numbers);
  }
}

TEST_P(BidirectionalTables, RefusesWhatDoesNotFit) {
  const auto code = ErrorCode::invalid_argument;
  using Map = BidirectionalMap<u32, u32>;
  EXPECT_COPSE_ERROR(Map(context(), 10, {.max_load = 0}), code, "max_load is 0.0");
  Map table(context(), 100);
  Buffer<u32> keys(context(), 10), values(context(), 10);
  Buffer<HashCounts> counts(context(), 2);
  EXPECT_COPSE_ERROR(build(context(), table, keys.span(), values.span().first(9)), code, "9 values for 10 keys");
  EXPECT_COPSE_ERROR(build(context(), table, keys.span(), values.span(), counts.span()), code, "counts has 2");
  EXPECT_COPSE_ERROR(insert(context(), table, keys.span(), values.span().first(9)), code, "9 values for 10 keys");
}

}  // namespace
}  // namespace copse::test
