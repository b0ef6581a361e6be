// Compares bulk calls on hash tables with std::unordered_map.

#include <algorithm>
#include <glm/glm.hpp>
#include <limits>
#include <set>
#include <unordered_map>

#include "primitives/core/device.h"
#include "primitives/hash_bulk.h"
#include "primitives/hash_growing.h"
#include "tests/support/backends.h"
#include "tests/support/values.h"
#include "tests/support/watchdog.h"

namespace copse::test {
namespace {

class HashTables : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(HashTables);

u32 scattered(u32 i) {
  return i * 2654435761u;
}

std::vector<u32> scattered_keys(u64 n, u32 distinct, u32 first = 0) {
  std::vector<u32> keys(n);
  for (u64 i = 0; i < n; ++i) keys[i] = scattered(u32(i) % distinct + first);
  return keys;
}

using Map = HashMap<u32, u32>;

// Bulk calls on tables of other sizes do not compile; the error names the size and the templates to call.
static_assert(detail::is_compiled_hash_size(4, 0) && detail::is_compiled_hash_size(8, 8));
static_assert(!detail::is_compiled_hash_size(4, 8) && !detail::is_compiled_hash_size(12, 4));

/// Inserts the keys, each with its place as its value. Then checks that the table holds each key once, with a place
/// where this key stands.
void expect_insert(Context& context, Map& table, const std::vector<u32>& keys, bool wants_results) {
  const u64 n = keys.size();
  const auto values = numbers(n);
  Buffer<HashCounts> counts(context, 1);
  Buffer<InsertResult> results(context, wants_results ? n : 0);
  const Buffer<u32> keys_there(context, keys), values_there(context, values);
  insert(context, table, keys_there.span(), values_there.span(), counts.span(), results.span());
  std::vector<u32> distinct = keys;
  std::ranges::sort(distinct);
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  const HashCounts count = counts.download()[0];
  EXPECT_EQ(count.inserted, distinct.size());
  EXPECT_EQ(count.found, n - distinct.size());
  EXPECT_EQ(count.full, 0u);
  EXPECT_EQ(size(context, table), distinct.size());

  Buffer<u32> out(context, n);
  Buffer<u8> found(context, n);
  find(context, table, keys_there.span(), out.span(), found.span(), counts.span());
  EXPECT_EQ(counts.download()[0].found, n);
  const auto is_found = found.download();
  const auto of_key = out.download();
  const auto result = results.download();
  for (u64 i = 0; i < n; ++i) {
    ASSERT_EQ(is_found[i], 1) << i;
    ASSERT_LT(of_key[i], n) << i;
    ASSERT_EQ(keys[of_key[i]], keys[i]) << i;
    if (wants_results) {
      ASSERT_EQ(result[i] == InsertResult::inserted, of_key[i] == values[i]) << i;
    }
  }
}

TEST_P(HashTables, ABulkInsertionLeavesEachKeyOnce) {
  for (u64 n : {0, 1, 2, 31, 255, 256, 257, 1023, 1024, 1025, 10000}) {
    for (u32 distinct : {1u, 100u, 1000000u}) {
      for (bool wants_results : {false, true}) {
        Map table(context(), n);
        expect_insert(context(), table, scattered_keys(n, distinct), wants_results);
      }
    }
  }
}

/// Tables that are larger than the caches insert their keys part by part.
TEST_P(HashTables, LargeTablesAreFilledInParts) {
  const u64 n = 5000000;
  Map table(context(), n);
  ASSERT_GT(table.memory_bytes(), u64{32} << 20);
  expect_insert(context(), table, scattered_keys(n, 4000000), false);
}

TEST_P(HashTables, LargeTablesKeepWhatIsNotNew) {
  const u64 n = 4500000;
  Map table(context(), n);
  const Buffer<u32> keys(context(), scattered_keys(n, 4000000));
  const Buffer<u32> first(context(), numbers(n)), second(context(), numbers(n, 10000000));
  Buffer<u32> out(context(), n);
  Buffer<HashCounts> counts(context(), 1);
  insert(context(), table, keys.span(), first.span());
  insert(context(), table, keys.span(), second.span(), counts.span());
  EXPECT_EQ(counts.download()[0].found, n);
  find(context(), table, keys.span(), out.span());
  for (u32 value : out.download()) ASSERT_LT(value, 10000000u);
  insert_or_assign(context(), table, keys.span(), second.span(), counts.span());
  EXPECT_EQ(counts.download()[0].found, n);
  find(context(), table, keys.span(), out.span());
  for (u32 value : out.download()) ASSERT_GE(value, 10000000u);
}

TEST_P(HashTables, SearchesForWhatIsNotThereGiveZeros) {
  const u32 n = 3000;
  Map table(context(), n);
  const Buffer<u32> keys(context(), scattered_keys(n, n)), others(context(), scattered_keys(2 * n, 2 * n, n / 2));
  const Buffer<u32> values(context(), numbers(n, 1));
  insert(context(), table, keys.span(), values.span());
  Buffer<u32> out(context(), 2 * n);
  Buffer<u8> found(context(), 2 * n), contained(context(), 2 * n);
  Buffer<HashCounts> counts(context(), 1);
  find(context(), table, others.span(), out.span(), found.span(), counts.span());
  EXPECT_EQ(counts.download()[0].found, n / 2);
  EXPECT_EQ(counts.download()[0].absent, 2 * n - n / 2);
  contains(context(), table, others.span(), contained.span(), counts.span());
  EXPECT_EQ(counts.download()[0].found, n / 2);
  EXPECT_EQ(contained.download(), found.download());
  const auto values_out = out.download();
  const auto flags = found.download();
  for (u32 i = 0; i < 2 * n; ++i) {
    ASSERT_EQ(flags[i], i < n / 2) << i;
    ASSERT_EQ(values_out[i], i < n / 2 ? i + n / 2 + 1 : 0) << i;
  }
}

TEST_P(HashTables, WhatIsErasedIsGoneAndMayComeBack) {
  const u32 n = 3000;
  HashMap<u64, glm::uvec2> table(context(), 2 * n);
  std::vector<u64> host_keys(n);
  std::vector<glm::uvec2> host_values(n);
  for (u32 i = 0; i < n; ++i) {
    host_keys[i] = u64(scattered(i)) << 32 | i;
    host_values[i] = {i, i + 1};
  }
  const Buffer<u64> keys(context(), host_keys);
  const Buffer<glm::uvec2> values(context(), host_values);
  Buffer<HashCounts> counts(context(), 1);
  Buffer<u8> flags(context(), n / 2);
  insert(context(), table, keys.span(), values.span(), counts.span());
  EXPECT_EQ(counts.download()[0].inserted, n);
  erase(context(), table, keys.span().first(n / 2), counts.span(), flags.span());
  EXPECT_EQ(counts.download()[0].found, n / 2);
  EXPECT_EQ(flags.download(), std::vector<u8>(n / 2, 1));
  erase(context(), table, keys.span().first(n / 2), counts.span());
  EXPECT_EQ(counts.download()[0].found, 0u);
  EXPECT_EQ(counts.download()[0].absent, n / 2);
  EXPECT_EQ(size(context(), table), n - n / 2);
  EXPECT_EQ(used_slots(context(), table), n);

  auto smaller_one = rehashed(context(), table, n - n / 2);
  EXPECT_EQ(size(context(), smaller_one), n - n / 2);
  EXPECT_EQ(used_slots(context(), smaller_one), n - n / 2);
  insert(context(), table, keys.span(), values.span(), counts.span());
  EXPECT_EQ(counts.download()[0].inserted, n / 2);
  Buffer<glm::uvec2> out(context(), n);
  find(context(), table, keys.span(), out.span());
  const auto found = out.download();
  for (u32 i = 0; i < n; ++i) ASSERT_EQ(found[i], host_values[i]) << i;
}

TEST_P(HashTables, RetrieveAllGivesEachElementOnce) {
  const u32 n = 5000;
  HashMap<glm::ivec2, float> table(context(), n);
  std::vector<glm::ivec2> host_keys(n);
  std::vector<float> host_values(n);
  for (u32 i = 0; i < n; ++i) {
    host_keys[i] = {int(i % 67) - 33, int(i / 67) - 37};
    host_values[i] = float(i);
  }
  const Buffer<glm::ivec2> keys(context(), host_keys);
  const Buffer<float> values(context(), host_values);
  insert(context(), table, keys.span(), values.span());
  Buffer<glm::ivec2> keys_out(context(), n);
  Buffer<float> values_out(context(), n);
  Buffer<u64> count(context(), 1);
  retrieve_all(context(), table, keys_out.span(), values_out.span(), count.span());
  ASSERT_EQ(count.download()[0], n);
  const auto got_keys = keys_out.download();
  const auto got_values = values_out.download();
  std::set<u32> seen;
  for (u32 k = 0; k < n; ++k) {
    const u32 i = u32(got_values[k]);
    ASSERT_LT(i, n);
    ASSERT_EQ(got_keys[k], host_keys[i]) << i;
    ASSERT_TRUE(seen.insert(i).second) << i;
  }
  Buffer<u32> guard(context(), std::vector<u32>(4, 12345));
  HashSet<u32> set(context(), 100);
  const Buffer<u32> some(context(), scattered_keys(50, 50));
  insert(context(), set, some.span());
  retrieve_all(context(), set, guard.span().first(3), count.span());
  EXPECT_EQ(count.download()[0], 50u);
  EXPECT_EQ(guard.download()[3], 12345u);
}

TEST_P(HashTables, AFullTableTellsAndKeepsWhatItHolds) {
  const Watchdog watchdog(300, "AFullTableTellsAndKeepsWhatItHolds");
  Map table(context(), 1000, {.max_load = 1});
  const u32 slots = u32(table.slot_count()), n = slots + 77;
  const Buffer<u32> keys(context(), scattered_keys(n, n)), values(context(), numbers(n));
  Buffer<HashCounts> counts(context(), 1);
  insert(context(), table, keys.span(), values.span(), counts.span());
  EXPECT_EQ(counts.download()[0].inserted, slots);
  EXPECT_EQ(counts.download()[0].full, 77u);
  EXPECT_COPSE_ERROR(table.check(), ErrorCode::capacity, "77 keys found no room in 1000 slots");
  EXPECT_EQ(size(context(), table), slots);
  Buffer<u32> out(context(), n);
  find(context(), table, keys.span(), out.span(), {}, counts.span());
  EXPECT_EQ(counts.download()[0].found, slots);
  EXPECT_EQ(counts.download()[0].absent, 77u);
  insert(context(), table, keys.span(), values.span(), counts.span());
  EXPECT_EQ(counts.download()[0].full, 77u);
  EXPECT_EQ(counts.download()[0].found, slots);
}

TEST_P(HashTables, ProbesAreBounded) {
  Map table(context(), 100000, {.max_load = 0.99f, .max_probes = 8});
  const u32 n = 100000;
  const Buffer<u32> keys(context(), scattered_keys(n, n)), values(context(), numbers(n));
  Buffer<HashCounts> counts(context(), 1);
  insert(context(), table, keys.span(), values.span(), counts.span());
  const HashCounts count = counts.download()[0];
  EXPECT_EQ(count.inserted + count.full, n);
  EXPECT_GT(count.full, 0u);
  EXPECT_EQ(table.refused(), count.full);
  contains(context(), table, keys.span(), {}, counts.span());
  EXPECT_EQ(counts.download()[0].found, count.inserted);
}

TEST_P(HashTables, AGrowingMapHoldsAll) {
  GrowingHashMap<u32, u32> map(context(), 16);
  std::unordered_map<u32, u32> expected;
  for (u32 batch = 0; batch < 12; ++batch) {
    const u32 n = 37u << (batch / 2);
    const auto keys = scattered_keys(n, n, batch * 20), values = numbers(n, batch * 100000);
    const Buffer<u32> keys_there(context(), keys), values_there(context(), values);
    map.insert(context(), keys_there.span(), values_there.span());
    for (u32 i = 0; i < n; ++i) expected.emplace(keys[i], values[i]);
    ASSERT_EQ(size(context(), map.table()), expected.size());
    map.table().check();
  }
  std::vector<u32> keys, values;
  for (const auto& [key, value] : expected) {
    keys.push_back(key);
    values.push_back(value);
  }
  const Buffer<u32> keys_there(context(), keys);
  Buffer<u32> out(context(), keys.size());
  find(context(), map.table(), keys_there.span(), out.span());
  EXPECT_EQ(out.download(), values);
}

TEST_P(HashTables, AGrowingSetStaysSmallUnderChurnAndRepeats) {
  GrowingHashSet<u64> set(context(), 1000);
  std::vector<u64> host(700);
  for (u32 round = 0; round < 50; ++round) {
    for (u64 i = 0; i < host.size(); ++i) host[i] = round * 100000 + i;
    const Buffer<u64> keys(context(), host);
    for (u32 repeat = 0; repeat < 3; ++repeat) set.insert(context(), keys.span());
    EXPECT_EQ(size(context(), set.table()), host.size());
    erase(context(), set.table(), keys.span());
  }
  EXPECT_LE(set.table().capacity(), 2000u);
  set.clear();
  set.reserve(context(), 5000);
  EXPECT_GE(set.table().capacity(), 5000u);
}

/// There are more slots than there are 32-bit numbers.
TEST_P(HashTables, LargeTablesPast32BitsOfSlots) {
  if (GetParam() == Backend::cpu) GTEST_SKIP() << "takes long";
  const u32 n = 3000000;
  HashSet<u64> set(context(), (u64{1} << 32) + 12345, {.max_load = 1});
  EXPECT_GT(set.slot_count(), u64{1} << 32);
  std::vector<u64> host(2 * n);
  for (u32 i = 0; i < 2 * n; ++i) host[i] = i * 0x9e3779b97f4a7c15u;
  const Buffer<u64> keys(context(), host);
  Buffer<HashCounts> counts(context(), 1);
  Buffer<u8> found(context(), 2 * n);
  insert(context(), set, keys.span().first(n), counts.span());
  EXPECT_EQ(counts.download()[0].inserted, n);
  contains(context(), set, keys.span(), found.span(), counts.span());
  EXPECT_EQ(counts.download()[0].found, n);
  const auto flags = found.download();
  for (u32 i = 0; i < 2 * n; ++i) ASSERT_EQ(flags[i], i < n) << i;
  EXPECT_EQ(size(context(), set), n);
}

TEST_P(HashTables, CallsCanBeCaptured) {
  const u32 n = 2000;
  Map table(context(), n);
  const Buffer<u32> keys(context(), scattered_keys(n, n)), values(context(), numbers(n));
  Buffer<u32> out(context(), n);
  Buffer<HashCounts> counts(context(), 1);
  const auto work = [&] {
    table.clear();
    insert(context(), table, keys.span(), values.span(), counts.span());
    find(context(), table, keys.span(), out.span());
  };
  work();
  Graph graph = context().capture(work);
  for (int launch = 0; launch < 3; ++launch) {
    context().device().clear(out.data(), out.size_bytes());
    graph.launch();
    EXPECT_EQ(counts.download()[0].inserted, n);
    EXPECT_EQ(out.download(), numbers(n));
  }
}

TEST_P(HashTables, RefusesWhatDoesNotFit) {
  const auto code = ErrorCode::invalid_argument;
  EXPECT_COPSE_ERROR(Map(context(), 10, {.max_load = 0}), code, "max_load is 0.0");
  EXPECT_COPSE_ERROR(Map(context(), 10, {.max_load = 1.5f}), code, "max_load is 1.5");
  EXPECT_COPSE_ERROR(Map(context(), 10, {.max_load = std::numeric_limits<float>::quiet_NaN()}), code,
                     "max_load is");
  EXPECT_COPSE_ERROR(Map(context(), 10, {.bucket_bytes = 48}), code, "bucket_bytes is 48");
  EXPECT_COPSE_ERROR(Map(context(), ~u64{0}), code, "2^48 slots");
  Map table(context(), 100);
  Buffer<u32> keys(context(), 10), values(context(), 10), out(context(), 10);
  Buffer<HashCounts> counts(context(), 2);
  Buffer<InsertResult> results(context(), 9);
  Buffer<u8> flags(context(), 9);
  const auto all = keys.span();
  EXPECT_COPSE_ERROR(insert(context(), table, all, values.span().first(9)), code, "9 values for 10 keys");
  EXPECT_COPSE_ERROR(insert(context(), table, all, values.span(), counts.span()), code, "counts has 2");
  EXPECT_COPSE_ERROR(insert(context(), table, all, values.span(), {}, results.span()), code, "9 results");
  EXPECT_COPSE_ERROR(find(context(), table, all, out.span().first(9)), code, "9 values for 10 keys");
  EXPECT_COPSE_ERROR(find(context(), table, all, keys.span()), code, "overlaps");
  EXPECT_COPSE_ERROR(find(context(), table, all, out.span(), flags.span()), code, "9 flags");
  EXPECT_COPSE_ERROR(contains(context(), table, all, flags.span()), code, "9 flags");
  EXPECT_COPSE_ERROR(erase(context(), table, all, {}, flags.span()), code, "9 flags");
  const BufferSpan<const u32> odd(reinterpret_cast<const u32*>(reinterpret_cast<const u8*>(keys.data()) + 1), 9);
  EXPECT_COPSE_ERROR(contains(context(), table, odd, flags.span()), code, "it must be a multiple of 4");
  EXPECT_COPSE_ERROR(retrieve_all(context(), table, keys.span(), values.span(), {}), code, "counts has 0");
}

}  // namespace
}  // namespace copse::test
