// Each public call is cancelled at each place where it looks at its token. It then says so, gives back what it took, and
// works when it is called again.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <optional>

#include "tests/support/backends.h"
#include "tests/trust/calls.h"
#include "tests/trust/faulty_memory.h"

namespace copse::test {

namespace {

/// Requests a stop once it has been looked at so many times.
struct CountedStop {
  std::atomic<u64> looks = 0, stop_after = ~u64{0};
};
struct CountedToken {
  CountedStop* stop;
  bool stop_requested() const { return stop->looks.fetch_add(1) >= stop->stop_after; }
};

class CancelFaults : public OnEachRow<CallTable> {
 protected:
  /// Cancels a call at its k-th look at the token: for some values of k that are spread over all looks, or for each if
  /// COPSE_EVERY_FAULT is set. Returns how many there were.
  u64 cancel_everywhere(const Call& call) {
    FaultyMemory memory(context());
    CountedStop stop;
    std::optional<Context> cancelled(
        std::in_place,
        ContextOptions{
            .backend = backend(), .stream = context().stream(), .memory = &memory, .cancel = CountedToken{&stop}});
    auto run = call.prepare(*cancelled);
    stop.looks = 0;
    const Bytes expected = run(*cancelled);
    run = nullptr;
    const u64 looks = stop.looks;
    const u64 step = std::getenv("COPSE_EVERY_FAULT") != nullptr ? 1 : looks / 8 + 1;
    u64 places = 0;
    for (u64 k = 0; k < looks; k += step, ++places) cancel_at(*cancelled, memory, stop, call, k, expected);
    cancelled.reset();
    EXPECT_EQ(memory.live_count(), 0u) << call.name << " leaves memory behind";
    EXPECT_EQ(memory.overrun_count(), 0u) << call.name << " writes beside its memory";
    return places;
  }

 private:
  static void cancel_at(Context& context, FaultyMemory& memory, CountedStop& stop, const Call& call, u64 k,
                        const Bytes& expected) {
    SCOPED_TRACE(std::string(call.name) + ", look " + std::to_string(k));
    stop.stop_after = ~u64{0};
    const auto run = call.prepare(context);
    context.release_scratch();
    const u64 live = memory.live_count();
    stop.looks = 0, stop.stop_after = k;
    try {
      run(context);
      ADD_FAILURE() << "a call that was cancelled returned as if nothing had happened";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::cancelled) << error.what();
      EXPECT_NE(std::string(error.what()).find("cancelled"), std::string::npos) << error.what();
    }
    stop.stop_after = ~u64{0};
    expect_works_again(context, memory, run, expected, live);
  }
};
COPSE_ON_EACH_ROW(CancelFaults, CallTable, call_tables);

TEST_P(CancelFaults, EveryCallSaysSoAndWorksAgain) {
  const std::vector<Call> all = row().calls();
  u64 places = 0;
  for (const Call& call : all) places += cancel_everywhere(call);
  EXPECT_GT(places, 2 * all.size());  // three to seven per call, in each table and on both backends
  RecordProperty("places", std::to_string(places));
}

}  // namespace

}  // namespace copse::test
