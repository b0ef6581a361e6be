// Calls of CUDA fail in each public call. It then throws device_failure with the words of CUDA, gives back what it took, and
// works again.
//
// The linker gives the calls of the library to the functions __wrap_... of this file (tests/trust/CMakeLists.txt). They pass
// them on to CUDA as __real_..., but for the one that is to fail, which CUDA never sees. So the GPU itself stays well.

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "primitives/core/stopwatch.h"
#include "tests/support/backends.h"
#include "tests/support/guards.h"
#include "tests/trust/calls.h"

namespace copse::test {

namespace {

constexpr u64 never = ~u64{0};
constexpr cudaError_t planted_error = cudaErrorUnknown;

thread_local u64 device_calls_left = never, device_calls_seen = 0;

/// Returns true if this call of CUDA is the one that fails.
bool device_fails_now() {
  if (guards_call_cuda) return false;
  ++device_calls_seen;
  if (device_calls_left == never) return false;
  if (device_calls_left > 0) {
    --device_calls_left;
    return false;
  }
  device_calls_left = never;
  return true;
}

}  // namespace

}  // namespace copse::test

// A fault in the stream's own memory calls is that of MemoryFaults, and those that only ask are no work of the device.
#define COPSE_WRAP(name, parameters, arguments)                             \
  cudaError_t __real_##name parameters;                                     \
  cudaError_t __wrap_##name parameters {                                    \
    if (copse::test::device_fails_now()) return copse::test::planted_error; \
    return __real_##name arguments;                                         \
  }

extern "C" {
COPSE_WRAP(cudaMemcpyAsync, (void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream),
           (to, from, bytes, kind, stream))
COPSE_WRAP(cudaMemsetAsync, (void* memory, int value, size_t bytes, cudaStream_t stream),
           (memory, value, bytes, stream))
COPSE_WRAP(cudaLaunchKernelExC, (const cudaLaunchConfig_t* config, const void* kernel, void** arguments),
           (config, kernel, arguments))
COPSE_WRAP(cudaStreamSynchronize, (cudaStream_t stream), (stream))
COPSE_WRAP(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream))
COPSE_WRAP(cudaEventSynchronize, (cudaEvent_t event), (event))
}

#undef COPSE_WRAP

namespace copse::test {

namespace {

/// Counts the allocations that are not freed.
class CountedMemory final : public MemoryResource {
 public:
  explicit CountedMemory(Context& behind) : behind_(behind) {}
  void* allocate(u64 bytes, void* stream) override {
    void* memory = behind_.memory().allocate(bytes, stream);
    ++live_count_;
    return memory;
  }
  void deallocate(void* memory, u64 bytes, void* stream) noexcept override {
    --live_count_;
    behind_.memory().deallocate(memory, bytes, stream);
  }
  u64 live_count() const { return live_count_; }

 private:
  Context& behind_;
  u64 live_count_ = 0;
};

class DeviceFaults : public testing::TestWithParam<CallTable> {
 protected:
  void SetUp() override {
    COPSE_SKIP_WITHOUT_GPU();
    behind_.emplace(ContextOptions{.backend = Backend::cuda});
  }

  /// Fails the k-th call of CUDA in a call of the library: for some values of k that are spread over all, or for each if
  /// COPSE_EVERY_FAULT is set. Returns how many times one failed.
  u64 fail_calls_of_cuda(const Call& call) {
    CountedMemory memory(*behind_);
    std::optional<Context> context(
        std::in_place, ContextOptions{.backend = Backend::cuda, .stream = behind_->stream(), .memory = &memory});
    test::Run run = call.prepare(*context);
    const u64 seen = device_calls_seen;
    const Bytes expected = run(*context);
    const u64 count = device_calls_seen - seen;
    run = nullptr;
    const u64 step = std::getenv("COPSE_EVERY_FAULT") != nullptr ? 1 : count / 8 + 1;
    u64 faults = 0;
    for (u64 k = 0; k < count; k += step) faults += fails(*context, memory, call, k, expected) ? 1 : 0;
    context.reset();
    EXPECT_EQ(memory.live_count(), 0u) << call.name << " leaves memory behind";
    return faults;
  }

 private:
  static bool fails(Context& context, const CountedMemory& memory, const Call& call, u64 k,
                    const Bytes& expected) {
    SCOPED_TRACE(std::string(call.name) + ", call of CUDA " + std::to_string(k));
    const test::Run run = call.prepare(context);
    context.release_scratch();
    const u64 live = memory.live_count();
    device_calls_left = k;
    bool failed = false;
    try {
      run(context);
    } catch (const Error& error) {
      failed = true;
      EXPECT_EQ(error.code(), ErrorCode::device_failure) << error.what();
      EXPECT_NE(std::string(error.what()).find(cudaGetErrorString(planted_error)), std::string::npos)
          << error.what();
    }
    EXPECT_TRUE(failed || device_calls_left != never) << "a call of CUDA failed, and the library did not say so";
    device_calls_left = never;
    expect_works_again(context, memory, run, expected, live);
    return failed;
  }

  std::optional<Context> behind_;
};

INSTANTIATE_TEST_SUITE_P(, DeviceFaults, testing::ValuesIn(call_tables),
                         [](const auto& info) { return std::string("cuda_") + info.param.name; });

TEST_P(DeviceFaults, EveryCallSaysSoAndWorksAgain) {
  const std::vector<Call> all = GetParam().calls();
  u64 faults = 0;
  for (const Call& call : all) faults += fail_calls_of_cuda(call);
  EXPECT_GT(faults, 4 * all.size());  // five to eight per call, in each table
  RecordProperty("faults", std::to_string(faults));
}

TEST(DeviceFaultsOfStopwatches, AreErrorsOfTheStopwatch) {
  COPSE_SKIP_WITHOUT_GPU();
  Context context({.backend = Backend::cuda});
  Stopwatch stopwatch(context);
  for (const u64 k : {0, 1}) {
    device_calls_left = k;
    EXPECT_COPSE_ERROR((void)stopwatch.milliseconds(), ErrorCode::device_failure, "event");
    device_calls_left = never;
  }
  EXPECT_GE(stopwatch.milliseconds(), 0);
}

}  // namespace

}  // namespace copse::test
