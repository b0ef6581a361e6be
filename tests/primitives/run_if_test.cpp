#include "primitives/run_if.h"

#include "primitives/core/buffer.h"
#include "primitives/reduce.h"
#include "tests/support/backends.h"

namespace copse::test {

/// Words in the memory of the context. The work of a branch copies one to another by a sum of one element.
class RunIf : public OnEachBackend {
 protected:
  void SetUp() override {
    OnEachBackend::SetUp();
    if (IsSkipped()) return;
    flags_ = Buffer<u32>(context(), std::vector<u32>{0, 0});
    in_ = Buffer<u32>(context(), std::vector<u32>{7});
    out_ = Buffer<u32>(context(), std::vector<u32>{0, 0, 0});
  }

  BufferSpan<const u32> flag(u64 number) const { return {flags_.data() + number, 1}; }
  void set_flags(u32 first, u32 second) { flags_.upload(std::vector<u32>{first, second}); }
  void write(u64 place) { reduce_sum<u32>(context(), in_.span(), {out_.data() + place, 1}); }

  /// Returns what was written since the last call.
  std::vector<u32> take_out() {
    std::vector<u32> written = out_.download();
    out_.upload(std::vector<u32>(3, 0));
    return written;
  }

  void write_in_branches() {
    run_if(context(), flag(0), [this] {
      write(0);
      run_if(context(), flag(1), [this] { write(1); });
    });
    write(2);
  }

 private:
  Buffer<u32> flags_, in_, out_;
};
COPSE_ON_EACH_BACKEND(RunIf);

TEST_P(RunIf, DoesTheWorkIfTheFlagIsSet) {
  write_in_branches();
  EXPECT_EQ(take_out(), (std::vector<u32>{0, 0, 7}));
  set_flags(1, 0);
  write_in_branches();
  EXPECT_EQ(take_out(), (std::vector<u32>{7, 0, 7}));
  set_flags(5, 1u << 31);
  write_in_branches();
  EXPECT_EQ(take_out(), (std::vector<u32>{7, 7, 7}));
}

TEST_P(RunIf, EveryLaunchOfAGraphLooksAtTheFlags) {
  set_flags(1, 1);
  write_in_branches();  // once before the capture
  take_out();
  Graph graph = context().capture([this] { write_in_branches(); });
  EXPECT_EQ(take_out(), (std::vector<u32>{0, 0, 0}));
  for (const auto& [first, second] : {std::pair{0u, 0u}, {1u, 0u}, {0u, 1u}, {1u, 1u}, {0u, 0u}, {3u, 9u}}) {
    set_flags(first, second);
    graph.launch();
    const u32 inner = first != 0 ? 7 : 0;
    EXPECT_EQ(take_out(), (std::vector<u32>{inner, second != 0 ? inner : 0, 7})) << first << " " << second;
  }
}

TEST_P(RunIf, AnErrorInABranchLeavesTheContextUsable) {
  set_flags(1, 1);
  write_in_branches();
  const auto fail = [] { throw Error(ErrorCode::cancelled, "stopped in the branch"); };
  const auto work = [&] { run_if(context(), flag(0), [&] { run_if(context(), flag(1), fail); }); };
  EXPECT_COPSE_ERROR(work(), ErrorCode::cancelled, "stopped in the branch");
  if (GetParam() == Backend::cuda) {
    EXPECT_COPSE_ERROR(context().capture(work), ErrorCode::cancelled, "stopped in the branch");
  }
  take_out();
  Graph graph = context().capture([this] { write_in_branches(); });
  graph.launch();
  EXPECT_EQ(take_out(), (std::vector<u32>{7, 7, 7}));
}

TEST_P(RunIf, RefusesAFlagWithoutElements) {
  EXPECT_COPSE_ERROR(run_if(context(), {}, [] {}), ErrorCode::invalid_argument, "the flag has no element");
}

}  // namespace copse::test
