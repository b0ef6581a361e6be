// Functions of the caller that throw. The exception reaches the caller as it is, and the context works on.

#include <gtest/gtest.h>

#include <stdexcept>

#include "copse/grids.h"
#include "primitives/cpu/for_each.h"
#include "primitives/cpu/reduce.h"
#include "primitives/run_if.h"
#include "tests/support/backends.h"
#include "tests/trust/calls.h"

namespace copse::test {

namespace {

/// An exception that is none of Copse's.
struct OfTheCaller : std::runtime_error {
  OfTheCaller() : std::runtime_error("thrown by the caller") {}
};

struct ThrowsAt {
  u64 at;
  u32* seen;
  void operator()(u64 i) const {
    if (i == at) throw OfTheCaller();
    seen[i] = u32(i);
  }
};

struct ValueOrThrow {
  u64 at;
  u64 operator()(u64 i) const {
    if (i == at) throw OfTheCaller();
    return i;
  }
};

struct AddNumbers {
  u64 operator()(u64 a, u64 b) const { return a + b; }
};

// Functors of the CPU; those of kernels cannot throw.
TEST(ThrowingFunctors, ReachTheCaller) {
  Context context({.backend = Backend::cpu});
  const cpu::Executor& ex = context.cpu_executor();
  constexpr u64 n = 100000;
  std::vector<u32> seen(n);
  u64 sum = 0;
  for (const u64 at : {u64{0}, n / 2, n - 1}) {
    EXPECT_THROW(cpu::for_each(ex, "a test", n, ThrowsAt{at, seen.data()}), OfTheCaller) << at;
    EXPECT_THROW(cpu::reduce(ex, "a test", n, ValueOrThrow{at}, u64{0}, AddNumbers{}, &sum), OfTheCaller) << at;
  }
  cpu::for_each(ex, "a test", n, ThrowsAt{n, seen.data()});
  cpu::reduce(ex, "a test", n, ValueOrThrow{n}, u64{0}, AddNumbers{}, &sum);
  EXPECT_EQ(seen[n - 1], n - 1);
  EXPECT_EQ(sum, n * (n - 1) / 2);
}

class CallerFaults : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(CallerFaults);

TEST_P(CallerFaults, FunctionsThatTakeBlocksOfVoxelsMayThrow) {
  Given g(context());
  u32 blocks = 0;
  const auto build_blocks = [&](u32 last) {
    build_brick_blocks(context(), g.mesh.view(), {.resolution = 64, .block_layers = 1}, [&](const BrickBlock&) {
      if (++blocks == last) throw OfTheCaller();
    });
  };
  EXPECT_THROW(build_blocks(2), OfTheCaller);
  EXPECT_EQ(blocks, 2u);
  blocks = 0;
  EXPECT_NO_THROW(build_blocks(~0u));
  EXPECT_GT(blocks, 2u);
}

TEST_P(CallerFaults, WorkOfGraphsAndBranchesMayThrow) {
  Given g(context());
  const Accel accel = build(context(), g.mesh.view());
  const auto trace = [&] { closest_hits(context(), accel, g.rays.span(), g.hits.span()); };
  trace();
  const std::vector<Hit> expected = g.hits.download();
  bool is_bad = true;
  const auto work = [&] {
    trace();
    if (is_bad) throw OfTheCaller();
  };
  const auto run_graph = [&] { context().capture(work).launch(); };
  EXPECT_THROW(run_graph(), OfTheCaller);
  const Buffer<u32> flag(context(), std::vector<u32>(1, 1));
  EXPECT_THROW(run_if(context(), flag.span(), work), OfTheCaller);
  is_bad = false;
  g.hits.upload(std::vector<Hit>(expected.size()));
  run_graph();
  EXPECT_TRUE(same_bytes(g.hits.download(), expected));
  g.hits.upload(std::vector<Hit>(expected.size()));
  run_if(context(), flag.span(), work);
  EXPECT_TRUE(same_bytes(g.hits.download(), expected));
}

}  // namespace

}  // namespace copse::test
