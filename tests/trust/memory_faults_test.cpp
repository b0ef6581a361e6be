// Each allocation of each public call fails once. The call then says so, gives back what it took, and works again.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "primitives/core/sanitizers.h"
#include "tests/support/backends.h"
#include "tests/trust/calls.h"
#include "tests/trust/faulty_memory.h"

namespace copse::test {

namespace {

/// Returns false if the call ended well, since it has no allocation `k`.
bool allocation_fails(Context& faulty, FaultyMemory& memory, const Call& call, Fault fault, u64 k,
                      const Bytes& expected) {
  SCOPED_TRACE(std::string(call.name) + ", allocation " + std::to_string(k));
  const auto run = call.prepare(faulty);
  faulty.release_scratch();
  const u64 live = memory.live_count();
  memory.fail_after(k, fault);
  bool failed = false;
  try {
    run(faulty);
  } catch (const Error& error) {
    failed = true;
    EXPECT_EQ(error.code(), ErrorCode::out_of_memory) << error.what();
    EXPECT_TRUE(memory.is_named_in(error.what())) << error.what();
  }
  memory.work();
  expect_works_again(faulty, memory, run, expected, live);
  return failed;
}

/// Fails the allocations of a call from the k-th one on, for every k, until the call needs no more. Returns how many
/// there were.
u64 fail_every_allocation(Context& context, const Call& call, Fault fault) {
  constexpr u64 max_allocations = 400;
  FaultyMemory memory(context);
  std::optional<Context> faulty(
      std::in_place, ContextOptions{.backend = context.backend(), .stream = context.stream(), .memory = &memory});
  const Bytes expected = call.prepare(context)(context);
  u64 k = 0;
  for (; allocation_fails(*faulty, memory, call, fault, k, expected); ++k) {
    if (k > max_allocations) break;
  }
  EXPECT_LE(k, max_allocations) << call.name;
  faulty.reset();
  EXPECT_EQ(memory.live_count(), 0u) << call.name << " leaves memory behind";
  EXPECT_EQ(memory.overrun_count(), 0u) << call.name << " writes beside its memory";
  return k;
}

class MemoryFaultsOfCalls : public OnEachRow<CallTable> {};
COPSE_ON_EACH_ROW(MemoryFaultsOfCalls, CallTable, call_tables);

TEST_P(MemoryFaultsOfCalls, EveryCallSaysSoAndWorksAgain) {
  const std::vector<Call> all = row().calls();
  u64 faults = 0;
  for (const Call& call : all) faults += fail_every_allocation(context(), call, Fault::error);
  EXPECT_GT(faults, all.size());  // 1.8 to 48 per call, in each table and on both backends
  RecordProperty("calls", std::to_string(all.size()));
  RecordProperty("faults", std::to_string(faults));
}

class MemoryFaults : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(MemoryFaults);

class Canaries : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(Canaries);

// A resource that does not keep to its documentation brings no crash.
TEST_P(MemoryFaults, NullAndBadAllocAreErrorsWithTheBytes) {
  for (const Call& call : accel_calls()) {
    fail_every_allocation(context(), call, Fault::null);
    fail_every_allocation(context(), call, Fault::bad_alloc);
  }
}

TEST_P(MemoryFaults, ContextsWithoutMemoryAreNotMadeOrWorkLater) {
  FaultyMemory memory(context());
  memory.fail_after(0, Fault::error);
  const ContextOptions options{.backend = GetParam(), .stream = context().stream(), .memory = &memory};
  if (GetParam() == Backend::cuda) {
    EXPECT_COPSE_ERROR(Context{options}, ErrorCode::out_of_memory, "bytes");
    return;
  }
  Context faulty(options);
  EXPECT_COPSE_ERROR(Buffer<u32>(faulty, 7), ErrorCode::out_of_memory, "28 bytes");
  EXPECT_COPSE_ERROR(faulty.reserve_scratch(1000), ErrorCode::out_of_memory, "1024 bytes");
  memory.work();
  EXPECT_EQ(Buffer<u32>(faulty, std::vector<u32>(7, 3)).download(), std::vector<u32>(7, 3));
}

/// Gives memory that is aligned to 64 bytes only.
class MisalignedMemory final : public MemoryResource {
 public:
  explicit MisalignedMemory(MemoryResource& behind) : behind_(behind) {}
  void* allocate(u64 bytes, void* stream) override {
    ++live;
    return static_cast<u8*>(behind_.allocate(bytes + 64, stream)) + 64;
  }
  void deallocate(void* memory, u64 bytes, void* stream) noexcept override {
    --live;
    behind_.deallocate(static_cast<u8*>(memory) - 64, bytes + 64, stream);
  }
  int live = 0;

 private:
  MemoryResource& behind_;
};

TEST_P(MemoryFaults, MisalignedMemoryIsRefused) {
  MisalignedMemory memory(context().memory());
  const auto use = [&] {
    Context misaligned({.backend = GetParam(), .stream = context().stream(), .memory = &memory});
    Buffer<u32>(misaligned, 10);
  };
  EXPECT_COPSE_ERROR(use(), ErrorCode::invalid_argument, "64 past a multiple of 256");
  EXPECT_EQ(memory.live, 0);
}

// The guards themselves: a planted fault is found.
TEST_P(MemoryFaults, WritesBesideAnAllocationAreSeen) {
  FaultyMemory memory(context());
  {
    Context guarded({.backend = GetParam(), .stream = context().stream(), .memory = &memory});
    Buffer<u8> buffer(guarded, 100);
    const u8 byte = 7;
    guarded.device().upload(buffer.data() + 100, &byte, 1);
    guarded.device().upload(buffer.data() - 256, &byte, 1);
  }
  EXPECT_EQ(memory.overrun_count(), 2u);
}

// The same of tests/support/guarded_new.cpp and guarded_device.cpp, in a process of its own.
TEST_P(Canaries, AWriteBesideAnAllocationEndsTheProgram) {
#if COPSE_THREAD_SANITIZER && defined(__clang__)
  GTEST_SKIP() << "Clang's thread sanitizer has an operator new of its own";
#endif
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const char* before = std::getenv("COPSE_CANARIES");
  const std::string kept = before == nullptr ? "" : before;
  setenv("COPSE_CANARIES", "1", 1);
  const auto write_at = [](std::ptrdiff_t place) {
    Context context({.backend = GetParam()});
    Buffer<u8> buffer(context, 100);
    const u8 byte = 7;
    context.device().upload(buffer.data() + place, &byte, 1);
  };
  EXPECT_DEATH(write_at(100), "canaries: byte 1 after an allocation of 100 bytes was written");
  EXPECT_DEATH(write_at(-3), "canaries: byte 3 before an allocation of 100 bytes was written");
  setenv("COPSE_CANARIES", kept.c_str(), 1);
}

}  // namespace

}  // namespace copse::test
