// Allocations of the host's heap fail in each public call: memory of vectors, texts and functions, which no MemoryResource
// gives. The call then throws, gives back what it took, and works again.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <optional>

#include "scale/devices.h"
#include "scale/sharded_build.h"
#include "scale/sharded_rays.h"
#include "tests/scale/ranks.h"
#include "tests/trust/calls.h"
#include "tests/trust/failing_new.h"
#include "tests/trust/faulty_memory.h"

namespace copse::test {

namespace {

class HeapFaults : public testing::TestWithParam<HeapFault::Of> {
 protected:
  /// Fails the allocations of a call from the k-th one on: for some values of k that are spread over all, or for each if
  /// COPSE_EVERY_FAULT is set. Returns how many times one failed.
  u64 fail_allocations(const Call& call) {
    Bytes expected;
    const u64 count = count_allocations(call, expected);
    const u64 step = std::getenv("COPSE_EVERY_FAULT") != nullptr ? 1 : count / 8 + 1;
    u64 faults = 0;
    for (u64 k = 0; k < count; k += step) faults += fails(call, k, expected) ? 1 : 0;
    return faults;
  }

 private:
  /// A context and the memory behind it.
  struct Place {
    explicit Place(HeapFault::Of of)
        : behind({.backend = Backend::cpu}),
          memory(behind),
          // By one thread, the order of the allocations is the same in each run.
          context(std::in_place, ContextOptions{.backend = Backend::cpu,
                                                .memory = &memory,
                                                .workers = of == HeapFault::Of::this_thread ? 1u : 3u}) {}
    Context behind;
    FaultyMemory memory;
    std::optional<Context> context;
  };

  static u64 count_allocations(const Call& call, Bytes& expected) {
    Place place(GetParam());
    const test::Run run = call.prepare(*place.context);
    const HeapFault never(1u << 30, GetParam());
    expected = run(*place.context);
    return never.passed_count();
  }

  /// Returns true if the k-th allocation was there to fail.
  static bool fails(const Call& call, u64 k, const Bytes& expected) {
    SCOPED_TRACE(std::string(call.name) + ", allocation " + std::to_string(k));
    Place place(GetParam());
    test::Run run = call.prepare(*place.context);
    const u64 live = live_heap_allocations();
    const bool happened = run_with_fault(run, *place.context, k);
    const u64 live_after_error = live_heap_allocations();
    EXPECT_TRUE(run(*place.context) == expected) << "the call has other results than without the error";
    // What a call keeps for the next one, such as the list of blocks of scratch, it keeps without an error too.
    EXPECT_LE(live_after_error, std::max(live, live_heap_allocations()))
        << "the error left memory of the host behind";
    run = nullptr;
    place.context.reset();
    EXPECT_EQ(place.memory.live_count(), 0u) << "the error left memory behind";
    EXPECT_EQ(place.memory.overrun_count(), 0u);
    return happened;
  }

  static bool run_with_fault(const test::Run& run, Context& context, u64 k) {
    std::exception_ptr thrown;
    bool happened;
    {
      const HeapFault fault(k, GetParam());
      try {
        run(context);
      } catch (...) {
        thrown = std::current_exception();
      }
      happened = fault.has_happened();
    }
    if (thrown == nullptr) return happened;
    EXPECT_TRUE(happened);
    try {
      std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) {
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::out_of_memory) << error.what();
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
    return happened;
  }
};

TEST_P(HeapFaults, EveryCallThrowsAndWorksAgain) {
  u64 faults = 0;
  for (const Call& call : every_call()) faults += fail_allocations(call);
  EXPECT_GT(faults, 500u);  // so that the table cannot become empty
  RecordProperty("faults", std::to_string(faults));
}

INSTANTIATE_TEST_SUITE_P(Host, HeapFaults, testing::Values(HeapFault::Of::this_thread, HeapFault::Of::all_threads),
                         [](const auto& info) {
                           return info.param == HeapFault::Of::this_thread ? "OneThread" : "AllThreads";
                         });

/// Makes a value, or nothing of it is left: for each allocation that the making needs.
///   make: void operator()()
template <class Make>
u64 fail_each_allocation(const Make& make) {
  make();
  const u64 live = live_heap_allocations();
  u64 k = 0;
  for (bool has_failed = true; has_failed && k < 1000; ++k) {
    bool has_thrown = false;
    {
      const HeapFault fault(k);
      try {
        make();
      } catch (const std::bad_alloc&) {
        has_thrown = true;
      }
      has_failed = fault.has_happened();
    }
    EXPECT_EQ(has_thrown, has_failed) << k;
    EXPECT_EQ(live_heap_allocations(), live) << k;
  }
  return k;
}

TEST(HeapFaultsOfContexts, AContextIsMadeOrNothingIsLeft) {
  EXPECT_GT(
      fail_each_allocation([] { Context context({.backend = Backend::cpu, .workers = 1, .profile = true}); }), 5u);
}

TEST(HeapFaultsOfContexts, DevicesAndTheirThreadsAreMadeOrNothingIsLeft) {
  EXPECT_GT(fail_each_allocation([] { Devices devices({.backend = Backend::cpu, .count = 3, .workers = 1}); }),
            20u);
}

/// Builds and traces with three ranks, of which one fails from its k-th allocation on. Returns the number of those that it
/// made. No rank waits for ever.
u64 work_of_ranks(u64 k) {
  u64 passed = 0;
  bool happened = false;
  const auto outcomes = run_ranks(Communicator::of_threads(3), [&](Communicator& comm, u32 rank) {
    Context context({.backend = Backend::cpu, .workers = 1});
    const Mesh mesh = generate_random(300, 0.2f);
    const DeviceMesh device(context, mesh);
    const Buffer<Ray> rays(context, std::vector<Ray>(20, Ray{{0.5f, 0.5f, -1}, 0, {0, 0, 1}, 10}));
    Buffer<Hit> hits(context, rays.size());
    std::exception_ptr thrown;
    {
      const HeapFault fault(rank == 1 ? k : 1u << 30);
      try {
        const ShardedBvh shard = build_sharded(comm, context, device.view(), {.hploc_radius = 4});
        const ShardedAccel accel = make_accel(comm, context, shard, Quality::fast);
        closest_hits(comm, context, accel, rays.span(), hits.span());
      } catch (...) {
        thrown = std::current_exception();
      }
      if (rank == 1) passed = fault.passed_count(), happened = thrown != nullptr;
    }
    try {
      if (thrown != nullptr) std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) {
      throw Error(ErrorCode::out_of_memory, "the host");
    }
  });
  for (const RankOutcome& outcome : outcomes) {
    EXPECT_EQ(outcome.has_failed, happened) << outcome.text;
    // Where the rank had no memory before it met the others, they learn that it left.
    const bool says_why = outcome.code == ErrorCode::out_of_memory || outcome.text.find("rank 1 left") == 0;
    EXPECT_TRUE(!outcome.has_failed || says_why) << outcome.text;
  }
  return passed;
}

TEST(HeapFaultsOfContexts, NoRankWaitsForOneWithoutMemory) {
  const u64 count = work_of_ranks(1u << 30);
  EXPECT_GT(count, 100u);
  for (u64 k = 0; k < count; k += count / 50 + 1) work_of_ranks(k);
}

// The test itself: a leak and a fault are seen.
TEST(HeapFaultsOfContexts, TheHeapFailsAndCountsAsItIsTold) {
  const u64 live = live_heap_allocations();
  auto kept = std::make_unique<int>(3);
  EXPECT_EQ(live_heap_allocations(), live + 1);
  void* last = nullptr;
  bool failed_early = true, failed = false;
  u64 error_count = 0, passed = 0;
  {  // an expectation may allocate too
    const HeapFault fault(1);
    last = ::operator new(64);
    failed_early = fault.has_happened();
    for (int i = 0; i < 2; ++i) {
      try {
        ::operator delete(::operator new(64));
      } catch (const std::bad_alloc&) {
        ++error_count;
      }
    }
    failed = fault.has_happened();
    passed = fault.passed_count();
  }
  EXPECT_FALSE(failed_early);
  EXPECT_TRUE(failed);
  EXPECT_EQ(error_count, 2u) << "all after the first fault fail too";
  EXPECT_EQ(passed, 1u);
  EXPECT_EQ(live_heap_allocations(), live + 2);
  ::operator delete(last);
}

}  // namespace

}  // namespace copse::test
