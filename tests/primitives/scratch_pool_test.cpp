#include "primitives/scratch_pool.h"

#include "primitives/cpu/scratch_pool.h"
#include "primitives/cpu/workers.h"
#include "primitives/free_list.h"
#include "tests/support/backends.h"
#include "tests/support/watchdog.h"

namespace copse::test {

class ScratchPools : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(ScratchPools);

TEST_P(ScratchPools, RefuseWhatCannotBe) {
  const u64 most = (u64{1} << 31) - 32;
  EXPECT_COPSE_ERROR(ScratchPool(context(), 0, 16), ErrorCode::invalid_argument, "0 slots");
  EXPECT_COPSE_ERROR(ScratchPool(context(), most + 1, 1), ErrorCode::invalid_argument, std::to_string(most));
  EXPECT_COPSE_ERROR(ScratchPool(context(), 5, 0), ErrorCode::invalid_argument, "0 bytes");
  EXPECT_COPSE_ERROR(ScratchPool(context(), 5, 16, 0), ErrorCode::invalid_argument, "0 groups");
  EXPECT_COPSE_ERROR(ScratchPool(context(), 5, 16, 6), ErrorCode::invalid_argument, "6 groups");
  EXPECT_COPSE_ERROR(ScratchPool(context(), 5, ~u64{0} - 3), ErrorCode::out_of_memory, "5 slots");
}

TEST_P(ScratchPools, HaveRoomAndAlignmentForEachSlot) {
  ScratchPool pool(context(), 70, 1000);
  EXPECT_EQ(pool.slot_count(), 70u);
  EXPECT_EQ(pool.slot_bytes(), 1024u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pool.view().memory(0)) % 128, 0u);
  EXPECT_EQ(pool.view().memory(69) - pool.view().memory(0), 69 * 1024);
  const ScratchPoolReport report = pool.report();
  EXPECT_EQ(report.held_count, 0u);
  EXPECT_EQ(report.wait_count, 0u);
}

TEST_P(ScratchPools, GiveGroupsPlacesOfTheirOwn) {
  ScratchPool pool(context(), 70, 16, 8);
  std::vector<u32> seen;
  for (u32 group = 0; group < 8; ++group) {
    for (u32 member = 0; member < 8; ++member) seen.push_back(pool.view().place_of(group, member));
  }
  for (u32 k = 0; k < 64; ++k) EXPECT_EQ(seen[k], k);
  EXPECT_LT(pool.view().place_of(1000, 1000), 70u);
}

TEST_P(ScratchPools, AreMadeForWhateverRuns) {
  ScratchPool pool = scratch_pool_for_any_warps(context(), 256);
  EXPECT_GE(pool.slot_count(), GetParam() == Backend::cpu ? context().worker_count() : 64u);
}

TEST_P(ScratchPools, FreeListsRefuseWhatCannotBe) {
  EXPECT_COPSE_ERROR(FreeList(context(), 0), ErrorCode::invalid_argument, "0 nodes");
  EXPECT_COPSE_ERROR(FreeList(context(), (u64{1} << 31) + 1), ErrorCode::capacity, "2147483649");
}

TEST(TaskScratch, LetsEachWorkerGetItsOwnAtOnce) {
  const Watchdog watchdog(300, "scratch of tasks");
  for (const u32 wanted : {1u, 2u, 7u}) {
    Context context({.backend = Backend::cpu, .workers = wanted});
    const u32 workers = context.worker_count();  // no more than cores
    ScratchPool pool = scratch_pool_for_any_warps(context, sizeof(u64));
    EXPECT_EQ(pool.slot_count(), workers);
    for (u32 k = 0; k < workers; ++k) *reinterpret_cast<u64*>(pool.view().memory(k)) = 0;
    const ScratchPoolView view = pool.view();
    cpu::parallel_ranges(context.cpu_executor(), "test", 100000, 10, [&](u64 begin, u64 end) {
      const cpu::TaskScratch scratch(view);
      *scratch.data<u64>() += end - begin;
    });
    u64 sum = 0;
    for (u32 k = 0; k < workers; ++k) sum += *reinterpret_cast<u64*>(pool.view().memory(k));
    EXPECT_EQ(sum, 100000u);
    EXPECT_EQ(pool.report().held_count, 0u);
    EXPECT_EQ(pool.report().wait_count, 0u);
  }
}

}  // namespace copse::test
