// Hash tables of all kinds under crowds of threads: no key is ever there twice, and no operation loses what
// another one has done.

#include <array>
#include <atomic>

#include "primitives/bidirectional_table.h"
#include "primitives/cuckoo_table.h"
#include "primitives/hash_table.h"
#include "tests/support/crowd.h"

namespace copse::test {
namespace {

using Quad = std::array<u32, 4>;

/// Returns a value that belongs to a key and a version.
template <class Value>
Value value_for(u64 key, u32 version) {
  const u32 word = u32(key) * 64 + version % 64;
  if constexpr (sizeof(Value) == 4) {
    return word;
  } else {
    return {word, word + 1, word + 2, word + 3};
  }
}

/// True if the value is of the key and of one version.
template <class Value>
bool belongs(u64 key, const Value& value) {
  u32 word;
  std::memcpy(&word, &value, sizeof word);
  return word / 64 == u32(key) && value == value_for<Value>(key, word % 64);
}

template <class Map_>
struct MapType {
  using Map = Map_;
};

template <class Type>
class HashTableThreads : public testing::Test {
 protected:
  using Map = typename Type::Map;
  using Key = typename Map::Key;
  using Value = typename Map::Value;
  using View = typename Map::View;

  /// Calls test(crowd) several times for each crowd, since each time the threads meet in another way.
  template <class Test>
  void repeat_in_each_crowd(u32 repeats, const Test& test) {
    in_each_crowd([&](const Crowd& crowd) {
      for (u32 repeat = 0; repeat < repeats && !testing::Test::HasFailure(); ++repeat) test(crowd);
    });
  }

  Map table(u64 capacity, float max_load = 0.8f) { return Map(context_, capacity, {.max_load = max_load}); }

  static InsertResult insert(const View& view, u32 key, u32 version = 0) {
    return view.insert(Key(key), value_for<Value>(key, version));
  }
  static InsertResult assign(const View& view, u32 key, u32 version) {
    return view.insert_or_assign(Key(key), value_for<Value>(key, version));
  }

  /// Returns how often the table holds each key below n. Checks all values.
  static std::vector<u32> counted(const View& view, u32 n) {
    std::vector<u32> counts(n, 0);
    for (u64 slot = 0; slot < view.slot_count(); ++slot) {
      view.for_slot(slot, [&](const Key& key, const Value& value) {
        if (key < n) ++counts[key];
        EXPECT_LT(key, n);
        EXPECT_TRUE(belongs(key, value)) << key;
      });
    }
    for (u32 key = 0; key < n; ++key) EXPECT_EQ(view.contains(Key(key)), counts[key] > 0) << key;
    return counts;
  }

 private:
  Context context_{{.backend = Backend::cpu, .workers = 1}};
};

using MapTypes = testing::Types<MapType<HashMap<u32, u32>>, MapType<HashMap<u64, u32>>,
                                MapType<HashMap<u64, Quad>>, MapType<BidirectionalMap<u32, u32>>,
                                MapType<BidirectionalMap<u64, Quad>>, MapType<CuckooMap<u32, u32>>>;
struct MapName {
  template <class Type>
  static std::string GetName(int i) {
    return std::array{
        "Packed", "Tagged", "TaggedWide", "BidirectionalPacked", "BidirectionalWide", "Cuckoo"}[u32(i)];
  }
};
TYPED_TEST_SUITE(HashTableThreads, MapTypes, MapName);

TYPED_TEST(HashTableThreads, InsertEachKeyOnce) {
  this->repeat_in_each_crowd(10, [&](const Crowd& crowd) {
    constexpr u32 n = 1500;
    auto table = this->table(n, 0.9f);
    const auto view = table.view();
    std::vector<std::atomic<u32>> inserted(n);
    std::atomic<u32> full = 0;
    crowd.run([&](u32 thread) {
      // All threads insert all keys: half of them in the same order, the others from other places on.
      const u32 first = thread % 2 == 0 ? 0 : thread * 37;
      for (u32 k = 0; k < n; ++k) {
        const u32 key = (first + k) % n;
        const InsertResult result =
            thread % 3 == 0 ? this->assign(view, key, thread) : this->insert(view, key, thread);
        inserted[key] += result == InsertResult::inserted;
        full += result == InsertResult::full;
        EXPECT_TRUE(view.contains(key));
      }
    });
    EXPECT_EQ(full, 0u);
    for (u32 key = 0; key < n; ++key) ASSERT_EQ(inserted[key], 1u) << key;
    EXPECT_EQ(this->counted(view, n), std::vector<u32>(n, 1));
  });
}

TYPED_TEST(HashTableThreads, FillATableToItsLastSlot) {
  this->repeat_in_each_crowd(20, [&](const Crowd& crowd) {
    auto table = this->table(192, 1);
    const auto view = table.view();
    const u32 slots = u32(table.slot_count()), n = slots + 40;
    std::vector<std::atomic<u32>> told[3] = {std::vector<std::atomic<u32>>(n), std::vector<std::atomic<u32>>(n),
                                             std::vector<std::atomic<u32>>(n)};
    crowd.run([&](u32 thread) {
      Dice dice(thread, 1);
      for (u32 k = 0; k < 2 * n; ++k) {
        const u32 key = k < n ? (thread * 5 + k) % n : dice.roll(n);
        ++told[u32(this->insert(view, key + 2, thread))][key];
      }
    });
    u32 inserted_count = 0, full_count = 0;
    for (u32 key = 0; key < n; ++key) {
      const u32 inserted = told[u32(InsertResult::inserted)][key], full = told[u32(InsertResult::full)][key];
      ASSERT_LE(inserted, 1u);
      // Nothing is erased. So a key that was refused finds no room later, unless elements move.
      ASSERT_TRUE(IsCuckoo<typename TypeParam::Map> || inserted == 0 || full == 0) << key;
      ASSERT_TRUE(inserted == 1 || told[u32(InsertResult::found)][key] == 0) << key;
      ASSERT_EQ(view.contains(key + 2), inserted == 1) << key;
      inserted_count += inserted;
      full_count += full;
    }
    if (IsCuckoo<typename TypeParam::Map>) {
      EXPECT_GT(inserted_count, slots * 9 / 10);
      EXPECT_LE(inserted_count, slots);
    } else {
      EXPECT_EQ(inserted_count, slots);
    }
    EXPECT_EQ(table.refused(), full_count);
    const std::vector<u32> counts = this->counted(view, n + 2);
    for (u32 key = 0; key < n; ++key) ASSERT_EQ(counts[key + 2], told[u32(InsertResult::inserted)][key]) << key;
  });
}

/// Some keys stay. The others come and go, while searches run.
TYPED_TEST(HashTableThreads, FindWhatStaysWhileOthersComeAndGo) {
  this->repeat_in_each_crowd(10, [&](const Crowd& crowd) {
    constexpr u32 n = 120, rounds = 20000;
    // A table with linear probing needs a slot for each insertion. The bidirectional one is nearly full.
    const bool is_linear = !IsBidirectional<typename TypeParam::Map>;
    auto table = this->table(is_linear ? rounds : n, is_linear ? 0.8f : 0.95f);
    const auto view = table.view();
    for (u32 key = 0; key < n; key += 2) this->insert(view, key);
    std::vector<std::atomic<i64>> balance(n);
    for (u32 key = 0; key < n; key += 2) balance[key] = 1;
    std::atomic<u32> lost = 0, wrong = 0, full = 0;
    crowd.run([&](u32 thread) {
      Dice dice(thread, 2);
      for (u32 k = 0; k < rounds / crowd.size(); ++k) {
        const u32 key = dice.roll(n);
        const auto found = view.find(key);
        lost += key % 2 == 0 && !found.found;
        wrong += found.found && !belongs(key, found.value);
        const u32 other = dice.roll(n / 2) * 2 + 1;
        const u32 choice = dice.roll(4);
        if (choice < 2) {
          balance[other] -= view.erase(other);
        } else {
          const InsertResult result = choice == 2 ? this->insert(view, other, k) : this->assign(view, other, k);
          balance[other] += result == InsertResult::inserted;
          full += result == InsertResult::full;
        }
      }
    });
    EXPECT_EQ(lost, 0u);
    EXPECT_EQ(wrong, 0u);
    EXPECT_EQ(full, 0u);
    const std::vector<u32> counts = this->counted(view, n);
    for (u32 key = 0; key < n; ++key) ASSERT_EQ(i64(counts[key]), balance[key].load()) << key;
  });
}

/// In a nearly full cuckoo table, insertions move elements that other threads search for.
TYPED_TEST(HashTableThreads, FindEachKeyFromItsInsertionOn) {
  this->repeat_in_each_crowd(10, [&](const Crowd& crowd) {
    constexpr u32 n = 1900;
    auto table = this->table(n, 0.95f);
    const auto view = table.view();
    std::atomic<u32> lost = 0, wrong = 0, full = 0;
    crowd.run([&](u32 thread) {
      Dice dice(thread, 5);
      std::vector<u32> own;
      for (u32 key = thread; key < n; key += crowd.size()) {
        full += this->insert(view, key) != InsertResult::inserted;
        own.push_back(key);
        for (u32 k = 0; k < 20; ++k) {
          const u32 searched = own[dice.roll(u32(own.size()))];
          const auto found = view.find(searched);
          lost += !found.found;
          wrong += found.found && !belongs(searched, found.value);
        }
      }
    });
    EXPECT_EQ(lost, 0u);
    EXPECT_EQ(wrong, 0u);
    EXPECT_EQ(full, 0u);
    EXPECT_EQ(this->counted(view, n), std::vector<u32>(n, 1));
  });
}

TYPED_TEST(HashTableThreads, EraseEachKeyOnce) {
  this->repeat_in_each_crowd(10, [&](const Crowd& crowd) {
    constexpr u32 n = 800;
    auto table = this->table(n, 0.95f);
    const auto view = table.view();
    for (u32 key = 0; key < n; ++key) ASSERT_EQ(this->insert(view, key), InsertResult::inserted);
    std::vector<std::atomic<u32>> erased(n);
    std::atomic<u32> seen_later = 0;
    crowd.run([&](u32 thread) {
      for (u32 k = 0; k < n; ++k) {
        const u32 key = (thread % 2 == 0 ? k : n - 1 - k);
        erased[key] += view.erase(key);
        seen_later += view.contains(key);
      }
    });
    EXPECT_EQ(seen_later, 0u);
    for (u32 key = 0; key < n; ++key) ASSERT_EQ(erased[key], 1u) << key;
    EXPECT_EQ(this->counted(view, n), std::vector<u32>(n, 0));
  });
}

/// All threads change few keys, so that each operation meets others on its own key.
TYPED_TEST(HashTableThreads, CountEachComingAndGoingOfAKey) {
  this->repeat_in_each_crowd(10, [&](const Crowd& crowd) {
    constexpr u32 n = 5, rounds = 6000;
    const bool is_linear = !IsBidirectional<typename TypeParam::Map>;
    auto table = this->table(is_linear ? rounds : n);
    const auto view = table.view();
    std::vector<std::atomic<i64>> balance(n);
    std::atomic<u32> wrong = 0, full = 0;
    crowd.run([&](u32 thread) {
      Dice dice(thread, 3);
      for (u32 k = 0; k < rounds / crowd.size(); ++k) {
        const u32 key = dice.roll(n), choice = dice.roll(5);
        if (choice == 0) {
          const auto found = view.find(key);
          wrong += found.found && !belongs(key, found.value);
        } else if (choice < 3) {
          balance[key] -= view.erase(key);
        } else {
          const InsertResult result =
              choice == 3 ? this->insert(view, key, k + thread) : this->assign(view, key, k + thread);
          balance[key] += result == InsertResult::inserted;
          full += result == InsertResult::full;
        }
      }
    });
    EXPECT_EQ(wrong, 0u);
    EXPECT_EQ(full, 0u);
    const std::vector<u32> counts = this->counted(view, n);
    for (u32 key = 0; key < n; ++key) ASSERT_EQ(i64(counts[key]), balance[key].load()) << key;
  });
}

/// All threads assign to three keys and find them. No search may mix the words of two values.
TYPED_TEST(HashTableThreads, AssignWholeValues) {
  in_each_crowd([&](const Crowd& crowd) {
    constexpr u32 n = 3;
    auto table = this->table(n);
    const auto view = table.view();
    for (u32 key = 0; key < n; ++key) this->insert(view, key);
    std::atomic<u32> wrong = 0;
    crowd.run([&](u32 thread) {
      for (u32 k = thread; k < 400000 / crowd.size(); ++k) {
        if (k % 2 == 0) {
          wrong += this->assign(view, k % n, k) != InsertResult::found;
        } else {
          const auto found = view.find(k % n);
          wrong += !found.found || !belongs(k % n, found.value);
        }
      }
    });
    EXPECT_EQ(wrong, 0u);
    EXPECT_EQ(this->counted(view, n), std::vector<u32>(n, 1));
  });
}

/// A walk over all slots, while other threads assign to what it visits. No element moves, so it visits each once.
TYPED_TEST(HashTableThreads, VisitEachElementOnceWhileItsValueChanges) {
  this->repeat_in_each_crowd(10, [&](const Crowd& crowd) {
    constexpr u32 n = 1500;
    auto table = this->table(n, 0.9f);
    const auto view = table.view();
    for (u32 key = 0; key < n; ++key) this->insert(view, key);
    std::atomic<u32> wrong = 0;
    crowd.run([&](u32 thread) {
      Dice dice(thread, 4);
      for (u32 round = 0; round < 3; ++round) {
        if (thread % 3 == 0) {
          u32 visited = 0;
          for (u64 slot = 0; slot < view.slot_count(); ++slot) {
            view.for_slot(slot, [&](const auto& key, const auto& value) {
              ++visited;
              wrong += !belongs(key, value);
            });
          }
          wrong += visited != n;
        } else {
          for (u32 k = 0; k < n / 2; ++k) wrong += this->assign(view, dice.roll(n), k) != InsertResult::found;
        }
      }
    });
    EXPECT_EQ(wrong, 0u);
    EXPECT_EQ(this->counted(view, n), std::vector<u32>(n, 1));
  });
}

}  // namespace
}  // namespace copse::test
