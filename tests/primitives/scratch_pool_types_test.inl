// Tests scratch pools for single threads and tasks, on each backend.

#include <algorithm>

#include "primitives/core/device.h"
#include "primitives/scratch_pool.h"
#include "tests/support/body_test.h"
#include "tests/support/two_contexts.h"
#include "tests/support/watchdog.h"

namespace copse::detail {
namespace {

/// Acquires a slot, fills it, and checks that no other thread fills it. Adds one to its first word, which each
/// holder hands on to the next.
struct FillScratch {
  const ScratchPoolView& pool;
  u32 word_count;
  u32* holders;  // [slot]
  u32* faults;
  u32 salt;

  COPSE_HD void operator()(unsigned char* memory) const {
    u32* const words = reinterpret_cast<u32*>(memory);
    u32* const holder = holders + u64(memory - pool.memory(0)) / pool.slot_bytes();
    if (fetch_add_relaxed(holder, 1u) != 0) fetch_add_relaxed(faults, 1u);
    for (u32 k = 1; k < word_count; ++k) words[k] = salt + k;
    ++words[0];
    for (u32 k = 1; k < word_count; ++k) {
      if (words[k] != salt + k) fetch_add_relaxed(faults, 1u);
    }
    fetch_add_relaxed(holder, ~0u);
  }
};
struct UseScratch {
  ScratchPoolView pool;
  u32 word_count;
  u32 start;  // all places are multiples of this
  u32* holders;
  u32* faults;

  COPSE_HD void operator()(u64 i) const {
    with_scratch(pool, i * start, FillScratch{pool, word_count, holders, faults, u32(i)});
  }
};

/// Takes a slot and keeps it.
struct TakeOne {
  ScratchPoolView pool;
  u32* taken;
  COPSE_HD void operator()(u64 i) const { taken[i] = pool.try_acquire(u32(i * 7 % pool.slot_count())); }
};
struct GiveBack {
  ScratchPoolView pool;
  const u32* taken;
  COPSE_HD void operator()(u64 i) const { pool.release(taken[i]); }
};

template <class Executor>
class ScratchSlot : public test::BodyTest<Executor> {
 protected:
  /// Runs `n` threads on a pool of `slot_count` slots.
  void use(u64 n, u64 slot_count, u32 start = 1) { use_on(this->context(), n, slot_count, start); }

  static void use_on(Context& context, u64 n, u64 slot_count, u32 start) {
    constexpr u32 word_count = 20;
    ScratchPool pool(context, slot_count, word_count * sizeof(u32));
    context.device().clear(pool.view().memory(0), pool.slot_count() * pool.slot_bytes());
    Buffer<u32> holders(context, std::vector<u32>(slot_count, 0)), faults(context, std::vector<u32>{0});
    const UseScratch functor{pool.view(), word_count, start, holders.data(), faults.data()};
    for_each(test::BodyTest<Executor>::executor_of(context), "test", n, functor);
    EXPECT_EQ(faults.download()[0], 0u);
    EXPECT_EQ(uses(context, pool), n) << slot_count;
    EXPECT_EQ(pool.report().held_count, 0u) << slot_count;
  }

  static u64 uses(Context& context, ScratchPool& pool) {
    const auto* words = reinterpret_cast<const u32*>(pool.view().memory(0));
    const u64 stride = pool.slot_bytes() / sizeof(u32);
    const std::vector<u32> all = download(context, BufferSpan<const u32>(words, pool.slot_count() * stride));
    u64 sum = 0;
    for (u64 k = 0; k < pool.slot_count(); ++k) sum += all[k * stride];
    return sum;
  }

  /// Tries to acquire more slots than there are. Checks that each slot is handed out once.
  void take_all(u64 slot_count) {
    ScratchPool pool(this->context(), slot_count, 16);
    Buffer<u32> taken(this->context(), slot_count + 10);
    for_each(this->executor(), "test", slot_count + 10, TakeOne{pool.view(), taken.data()});
    std::vector<u32> numbers = taken.download();
    std::sort(numbers.begin(), numbers.end());
    for (u64 k = 0; k < slot_count; ++k) ASSERT_EQ(numbers[k], k) << slot_count;
    for (u64 k = 0; k < 10; ++k) ASSERT_EQ(numbers[slot_count + k], invalid_id) << slot_count;
    EXPECT_EQ(pool.report().held_count, slot_count);

    const Buffer<u32> sorted(this->context(), numbers);
    for_each(this->executor(), "test", slot_count, GiveBack{pool.view(), sorted.data()});
    EXPECT_EQ(pool.report().held_count, 0u) << slot_count;
  }

 private:
  test::Watchdog watchdog_{300, "a test of scratch pools"};
};
TYPED_TEST_SUITE(ScratchSlot, TheBackend, BackendName);

TYPED_TEST(ScratchSlot, HasOneHolderAtATime) {
  for (u64 slot_count : {5, 31, 32, 33, 64, 1000}) this->use(20000, slot_count);
}

TYPED_TEST(ScratchSlot, IsHandedOnByAllThreadsOfAWarp) {
  this->use(1, 1);
  this->use(32, 1);
  this->use(1000, 1);
}

TYPED_TEST(ScratchSlot, IsFoundWhenAllStartAtOnePlace) {
  for (u64 slot_count : {1, 40, 300}) this->use(3000, slot_count, 0);
}

TYPED_TEST(ScratchSlot, IsFoundByAMultiprocessorFullOfThreads) {
  for (int k = 0; k < 20; ++k) this->use(2048, 2048);
}

TYPED_TEST(ScratchSlot, IsTakenAThousandTimes) {
  for (int k = 0; k < 1000; ++k) this->use(64, 3);
}

TYPED_TEST(ScratchSlot, IsHandedOutOnceWhenAllAreTaken) {
  for (u64 slot_count : {1, 31, 32, 33, 95, 1024, 10001}) this->take_all(slot_count);
}

TYPED_TEST(ScratchSlot, ServesTwoContextsAtOnce) {
  test::on_two_contexts(body_backend, [&](Context& context) {
    for (int k = 0; k < 10; ++k) this->use_on(context, 5000, 70, 1);
  });
}

TYPED_TEST(ScratchSlot, ComesBackInAGraph) {
  Context& context = this->context();
  ScratchPool pool(context, 6, 128);
  context.device().clear(pool.view().memory(0), pool.slot_count() * pool.slot_bytes());
  Buffer<u32> holders(context, std::vector<u32>(6, 0)), faults(context, std::vector<u32>{0});
  const UseScratch functor{pool.view(), 8, 1, holders.data(), faults.data()};
  Graph graph = context.capture([&] { for_each(this->executor(), "test", 500, functor); });
  for (int k = 0; k < 3; ++k) graph.launch();
  EXPECT_EQ(this->uses(context, pool), 1500u);
  EXPECT_EQ(faults.download()[0], 0u);
}

TYPED_TEST(ScratchSlot, IsFreeAgainAfterClear) {
  ScratchPool pool(this->context(), 40, 16);
  Buffer<u32> taken(this->context(), 40);
  for (int k = 0; k < 2; ++k) {
    for_each(this->executor(), "test", 40, TakeOne{pool.view(), taken.data()});
    EXPECT_EQ(pool.report().held_count, 40u);
    pool.clear();
    EXPECT_EQ(pool.report().held_count, 0u);
  }
}

TYPED_TEST(ScratchSlot, LargeCrowdOnFew) {
  this->use(1000000, 2048);
}

}  // namespace
}  // namespace copse::detail
