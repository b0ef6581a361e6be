// Bulk calls on cuckoo tables, and tables that refuse keys.

#include "primitives/cuckoo_table.h"

#include <numeric>
#include <random>
#include <unordered_map>

#include "tests/support/backends.h"
#include "tests/support/values.h"

namespace copse::test {
namespace {

class CuckooTables : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(CuckooTables);

using Cuckoo = CuckooMap<u32, u32>;

/// Returns n different keys; the two that no slot can hold are among them.
std::vector<u32> different_keys(u64 n, u32 first = 0) {
  std::vector<u32> keys(n);
  for (u64 i = 0; i < n; ++i) keys[i] = (u32(i) + first) * 2654435761u - 1;
  if (n > 1 && first == 0) keys[1] = invalid_id - 1;
  return keys;
}

HashCounts insert_all(Context& context, Cuckoo& table, const std::vector<u32>& keys,
                      const std::vector<u32>& values) {
  const Buffer<u32> keys_there(context, keys), values_there(context, values);
  Buffer<HashCounts> counts(context, 1);
  insert(context, table, keys_there.span(), values_there.span(), counts.span());
  return counts.download()[0];
}

TEST_P(CuckooTables, TakeTheirCapacityAtAnyLoadUpTo95Percent) {
  for (float load : {0.1f, 0.5f, 0.8f, 0.9f, 0.95f}) {
    for (u64 n : {0, 1, 2, 7, 8, 9, 100, 1000, 10000, 200000}) {
      Cuckoo table(context(), n, {.max_load = load});
      const auto keys = different_keys(n), values = numbers(n, 5);
      const HashCounts inserted = insert_all(context(), table, keys, values);
      ASSERT_EQ(inserted.inserted, n) << load;
      ASSERT_EQ(insert_all(context(), table, keys, values).found, n) << load;
      ASSERT_EQ(size(context(), table), n);
      const Buffer<u32> there(context(), keys), others(context(), different_keys(n, u32(n)));
      Buffer<u32> out(context(), n);
      Buffer<HashCounts> counts(context(), 1);
      find(context(), table, there.span(), out.span(), {}, counts.span());
      ASSERT_EQ(counts.download()[0].found, n) << n << " at " << load;
      ASSERT_EQ(out.download(), values);
      find(context(), table, others.span(), out.span(), {}, counts.span());
      ASSERT_EQ(counts.download()[0].absent, n) << n << " at " << load;
    }
  }
}

TEST_P(CuckooTables, LargeInsertionsTakeEachKeyOnceAtAHighLoad) {
  constexpr u64 n = 4300000;  // the table is so large that an insertion splits its keys
  Cuckoo table(context(), n, {.max_load = 0.95f});
  const auto keys = different_keys(n), values = numbers(n, 5);
  auto twice = keys, values_of_both = values;
  twice.insert(twice.end(), keys.begin(), keys.end());
  values_of_both.insert(values_of_both.end(), values.begin(), values.end());
  const HashCounts inserted = insert_all(context(), table, twice, values_of_both);
  EXPECT_EQ(inserted.inserted, n);
  EXPECT_EQ(inserted.found, n);
  EXPECT_EQ(size(context(), table), n);

  const Buffer<u32> there(context(), keys);
  const std::vector<u32> later(values.rbegin(), values.rend());
  const Buffer<u32> later_there(context(), later);
  Buffer<HashCounts> counts(context(), 1);
  insert_or_assign(context(), table, there.span(), later_there.span(), counts.span());
  EXPECT_EQ(counts.download()[0].found, n);
  Buffer<u32> out(context(), n);
  find(context(), table, there.span(), out.span());
  EXPECT_EQ(out.download(), later);
}

TEST_P(CuckooTables, AgreeWithAMapAfterManyChanges) {
  constexpr u32 key_count = 3000, rounds = 60, per_round = 700;
  Cuckoo table(context(), key_count, {.max_load = 0.95f});
  std::unordered_map<u32, u32> model;
  std::mt19937 random(3);
  for (u32 round = 0; round < rounds; ++round) {
    std::vector<u32> keys;
    for (u32 key = 0; key < key_count; ++key) {
      if (random() % key_count < per_round) keys.push_back(key * 2654435761u);
    }
    const Buffer<u32> keys_there(context(), keys);
    const auto values = std::vector<u32>(keys.size(), round);
    const Buffer<u32> values_there(context(), values);
    if (round % 3 == 0) {
      erase(context(), table, keys_there.span());
      for (u32 key : keys) model.erase(key);
    } else if (round % 3 == 1) {
      insert(context(), table, keys_there.span(), values_there.span());
      for (u32 key : keys) model.emplace(key, round);
    } else {
      insert_or_assign(context(), table, keys_there.span(), values_there.span());
      for (u32 key : keys) model[key] = round;
    }
    table.check();
    Buffer<u32> all_keys(context(), key_count), all_values(context(), key_count);
    Buffer<u64> count(context(), 1);
    retrieve_all(context(), table, all_keys.span(), all_values.span(), count.span());
    ASSERT_EQ(count.download()[0], model.size());
    const auto got_keys = all_keys.download(model.size()), got_values = all_values.download(model.size());
    for (size_t i = 0; i < model.size(); ++i) {
      ASSERT_TRUE(model.contains(got_keys[i]));
      ASSERT_EQ(model[got_keys[i]], got_values[i]);
    }
  }
}

TEST_P(CuckooTables, SetsHoldKeysOfFourAndOfEightBytes) {
  const u32 n = 5000;
  CuckooSet<u32> small(context(), n, {.max_load = 0.95f});
  CuckooSet<u64> large(context(), n, {.max_load = 0.95f});
  const auto keys = different_keys(n);
  std::vector<u64> wide(keys.begin(), keys.end());
  for (u64& key : wide) key = ~(key << 20);
  wide[0] = ~u64{0};
  const Buffer<u32> small_keys(context(), keys);
  const Buffer<u64> large_keys(context(), wide);
  Buffer<HashCounts> counts(context(), 1);
  insert(context(), small, small_keys.span(), counts.span());
  EXPECT_EQ(counts.download()[0].inserted, n);
  insert(context(), large, large_keys.span(), counts.span());
  EXPECT_EQ(counts.download()[0].inserted, n);
  Buffer<u8> found(context(), n);
  contains(context(), small, small_keys.span(), found.span(), counts.span());
  EXPECT_EQ(counts.download()[0].found, n);
  contains(context(), large, large_keys.span(), found.span(), counts.span());
  EXPECT_EQ(counts.download()[0].found, n);
}

TEST_P(CuckooTables, UseTheSlotsOfErasedElementsAgain) {
  const u32 n = 2000;
  Cuckoo table(context(), n, {.max_load = 0.9f});
  for (u32 round = 0; round < 20; ++round) {
    const auto keys = different_keys(n, round * n + 7);
    ASSERT_EQ(insert_all(context(), table, keys, keys).inserted, n) << round;
    Buffer<HashCounts> counts(context(), 1);
    erase(context(), table, Buffer<u32>(context(), keys).span(), counts.span());
    ASSERT_EQ(counts.download()[0].found, n) << round;
  }
  table.check();
}

/// Returns keys whose two buckets are the same two in a table.
std::vector<u32> keys_that_meet(const Cuckoo& table, u32 count) {
  const auto place = [&](u32 key) {
    const auto start = table.slots().start(detail::words_of(key));
    return std::pair(start.first, start.second);
  };
  std::vector<u32> keys;
  for (u32 key = 0; keys.size() < count; ++key) {
    if (place(key) == place(0)) keys.push_back(key);
  }
  return keys;
}

TEST_P(CuckooTables, RefuseAKeyWithoutRoomAndAreRebuiltWithOtherFunctions) {
  const u32 bucket = 8, room = 3 * bucket;  // two buckets, and one in the stash
  Cuckoo table(context(), 100, {.max_load = 0.8f});
  const auto keys = keys_that_meet(table, room + 1);
  const auto values = numbers(keys.size(), 5);
  const HashCounts counts = insert_all(context(), table, keys, values);
  EXPECT_EQ(counts.inserted, room);
  EXPECT_EQ(counts.full, 1u);
  EXPECT_EQ(size(context(), table), room);
  EXPECT_COPSE_ERROR(table.check(), ErrorCode::capacity, "1 key found no room");

  table = rebuilt(context(), table);
  EXPECT_EQ(size(context(), table), room);
  const HashCounts after = insert_all(context(), table, keys, values);
  EXPECT_EQ(after.found, room);
  EXPECT_EQ(after.inserted, 1u);
  Buffer<u32> out(context(), keys.size());
  find(context(), table, Buffer<u32>(context(), keys).span(), out.span());
  EXPECT_EQ(out.download(), values);
}

/// A table that takes what it can of many keys becomes fuller than other functions can make it of the same keys.
TEST_P(CuckooTables, ThatAreTooFullForAnySeedSaySo) {
  const u32 slots = 6400;
  Cuckoo table(context(), slots, {.max_load = 1});
  const auto keys = different_keys(8 * slots);
  insert_all(context(), table, keys, keys);
  EXPECT_GT(size(context(), table), table.slot_count() * 99 / 100);
  EXPECT_COPSE_ERROR(rebuilt(context(), table), ErrorCode::capacity, "found no room in 6400 slots with any of 16");
}

TEST_P(CuckooTables, TakeNoNoticeOfBucketsAndProbes) {
  const u32 n = 1000;
  Cuckoo table(context(), n, {.max_load = 0.9f, .bucket_bytes = 128, .max_probes = 1});
  EXPECT_EQ(table.memory_bytes(), Cuckoo::bytes_for(n, {.max_load = 0.9f}));
  EXPECT_EQ(insert_all(context(), table, different_keys(n), numbers(n, 5)).inserted, n);
}

}  // namespace
}  // namespace copse::test
