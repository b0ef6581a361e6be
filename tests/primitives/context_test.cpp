#include "primitives/core/context.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>
#include <thread>
#include <utility>

#include "primitives/core/buffer.h"
#include "primitives/core/device.h"
#include "primitives/core/profile.h"
#include "primitives/core/stopwatch.h"
#include "primitives/cuda/no_gpu.h"
#include "primitives/radix_sort.h"
#include "primitives/reduce.h"
#include "primitives/scan.h"
#include "tests/support/backends.h"

namespace copse::test {

class ContextTest : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(ContextTest);

/// Counts the allocations that it passes on to another resource.
class CountingResource final : public MemoryResource {
 public:
  explicit CountingResource(MemoryResource& behind) : behind_(behind) {}
  void* allocate(u64 bytes, void* stream) override {
    ++allocations;
    bytes_in_use += bytes;
    return behind_.allocate(bytes, stream);
  }
  void deallocate(void* memory, u64 bytes, void* stream) noexcept override {
    bytes_in_use -= bytes;
    behind_.deallocate(memory, bytes, stream);
  }

  u64 allocations = 0;
  u64 bytes_in_use = 0;

 private:
  MemoryResource& behind_;
};

void scan_ones(Context& context, Buffer<u32>& values) {
  inclusive_scan<u32>(context, values.span(), values.span());
}

TEST(ContextChoice, FallsBackToTheCpuWithoutGpu) {
  Context context;
  EXPECT_EQ(context.backend(), gpu_answers() ? Backend::cuda : Backend::cpu);
  EXPECT_FALSE(context.device_name().empty());
}

TEST(ContextChoice, SaysWhyThereIsNoGpu) {
  if (gpu_answers()) GTEST_SKIP() << "a GPU answers";
  EXPECT_COPSE_ERROR(Context({.backend = Backend::cuda}), ErrorCode::no_device,
                     built_with_cuda() ? "no GPU" : "no CUDA backend");
}

TEST(ContextChoice, SaysWhatToDoAboutTheDriver) {
  const std::string too_old = cuda::insufficient_driver_text(12040, 13000);
  EXPECT_NE(too_old.find("driver is for CUDA 12.4, but this build needs CUDA 13.0; install a newer driver"),
            std::string::npos)
      << too_old;
  EXPECT_NE(
      cuda::insufficient_driver_text(0, 12060).find("no NVIDIA driver is installed; install one for CUDA 12.6"),
      std::string::npos);
}

TEST(ContextChoice, SaysHowToBuildForTheGpu) {
  EXPECT_EQ(
      cuda::no_kernels_text("NVIDIA GeForce RTX 5090", 120, {800, 900}),
      "NVIDIA GeForce RTX 5090 has compute capability 12.0, but this build has kernels for 8.0, 9.0; build with "
      "-DCMAKE_CUDA_ARCHITECTURES=120, or run on the CPU");
}

TEST(ContextChoice, RefusesAGpuThatIsNotThere) {
  COPSE_SKIP_WITHOUT_GPU();
  EXPECT_COPSE_ERROR(Context({.backend = Backend::cuda, .device = 1000}), ErrorCode::invalid_argument, "1000");
}

TEST(ContextChoice, RefusesAbsurdWorkers) {
  EXPECT_COPSE_ERROR(Context({.backend = Backend::cpu, .workers = 5000}), ErrorCode::invalid_argument, "5000");
}

TEST(ContextChoice, KeepsTheNumberOfWorkers) {
  EXPECT_EQ(Context({.backend = Backend::cpu, .workers = 1}).worker_count(), 1u);
}

TEST(ContextChoice, TakesNoMoreWorkersThanRunAtOnceAndWarnsOfNothing) {
  testing::internal::CaptureStderr();
  Context context({.backend = Backend::cpu, .workers = 4096});
  const Buffer<u32> ones(context, std::vector<u32>(1 << 20, 1));
  Buffer<u32> sum(context, 1);
  reduce_sum<u32>(context, ones.span(), sum.span());
  EXPECT_EQ(sum.download()[0], 1u << 20);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(context.worker_count(), Context({.backend = Backend::cpu}).worker_count());
}

TEST_P(ContextTest, TakesMemoryFromTheCallersResource) {
  CountingResource memory(context().device().default_memory());
  {
    Context counted({.backend = GetParam(), .stream = context().stream(), .memory = &memory});
    Buffer<u32> values(counted, std::vector<u32>(5000, 1));
    EXPECT_GE(memory.bytes_in_use, 5000 * sizeof(u32));
    scan_ones(counted, values);
    const u64 warm = memory.allocations;
    for (int repeat = 0; repeat < 3; ++repeat) scan_ones(counted, values);
    EXPECT_EQ(memory.allocations, warm) << "a warm scan allocates";
  }
  EXPECT_EQ(memory.bytes_in_use, 0u);
}

TEST_P(ContextTest, StopsWhenCancelled) {
  std::stop_source stop;
  Context cancellable({.backend = GetParam(), .cancel = stop.get_token()});
  Buffer<u32> values(cancellable, std::vector<u32>(5000, 1));
  scan_ones(cancellable, values);
  stop.request_stop();
  EXPECT_COPSE_ERROR(scan_ones(cancellable, values), ErrorCode::cancelled, "cancelled");
}

TEST_P(ContextTest, CountsLaunchesAndRecordsStages) {
  Context recording({.backend = GetParam(), .profile = true});
  Buffer<u32> values(recording, std::vector<u32>(5000, 1));
  {
    ProfileScope scope(recording.profile(), "outer");
    scan_ones(recording, values);
  }
  EXPECT_GT(recording.profile().launch_count(), 0u);
  const std::vector<Stage> stages = recording.profile().stages();
  ASSERT_GE(stages.size(), 2u);
  EXPECT_EQ(stages[0].label, "outer");
  EXPECT_EQ(stages[0].depth, 0u);
  EXPECT_EQ(stages[1].label, "scan");
  EXPECT_EQ(stages[1].depth, 1u);
  EXPECT_GE(stages[0].milliseconds, stages[1].milliseconds);
  recording.profile().clear();
  EXPECT_TRUE(recording.profile().stages().empty());
}

TEST_P(ContextTest, ReplaysCapturedWork) {
  Buffer<u32> values(context(), std::vector<u32>(3000, 1));
  scan_ones(context(), values);
  values.upload(std::vector<u32>(3000, 1));
  Graph graph = context().capture([&] { scan_ones(context(), values); });
  EXPECT_EQ(values.download(), std::vector<u32>(3000, 1)) << "the capture must not run the work";
  graph.launch();
  EXPECT_EQ(values.download()[2999], 3000u);

  // Growing the scratch after the capture must not take the graph's memory away.
  Buffer<u32> large(context(), std::vector<u32>(500000, 1));
  scan_ones(context(), large);
  context().release_scratch();
  values.upload(std::vector<u32>(3000, 2));
  graph.launch();
  EXPECT_EQ(values.download()[2999], 6000u);
}

TEST_P(ContextTest, RefusesToCaptureColdScratch) {
  if (GetParam() == Backend::cpu) GTEST_SKIP() << "the CPU captures nothing";
  Context cold({.backend = GetParam()});
  const Buffer<u32> keys(cold, std::vector<u32>(3000, 1));
  Buffer<u32> sorted(cold, 3000);
  const auto sort = [&] { radix_sort_keys<u32>(cold, keys.span(), sorted.span()); };
  EXPECT_COPSE_ERROR(cold.capture(sort), ErrorCode::invalid_argument, "scratch");
  sort();
  EXPECT_EQ(sorted.download(), std::vector<u32>(3000, 1));
}

TEST_P(ContextTest, TimesWork) {
  Buffer<u32> values(context(), std::vector<u32>(1 << 20, 1));
  Stopwatch stopwatch(context());
  for (int repeat = 0; repeat < 4; ++repeat) scan_ones(context(), values);
  EXPECT_GT(stopwatch.milliseconds(), 0.0);
}

/// The second thread calls while the first is in a call: its memory resource waits for the second thread.
class MeetingResource final : public MemoryResource {
 public:
  explicit MeetingResource(MemoryResource& behind) : behind_(behind) {}
  void* allocate(u64 bytes, void* stream) override {
    if (meet) std::exchange(meet, nullptr)();
    return behind_.allocate(bytes, stream);
  }
  void deallocate(void* memory, u64 bytes, void* stream) noexcept override {
    behind_.deallocate(memory, bytes, stream);
  }
  std::function<void()> meet;

 private:
  MemoryResource& behind_;
};

TEST_P(ContextTest, RefusesASecondThreadWhileOneIsInACall) {
  MeetingResource memory(context().device().default_memory());
  Context shared({.backend = GetParam(), .stream = context().stream(), .memory = &memory});
  const Buffer<u32> keys(shared, std::vector<u32>(5000, 1));
  Buffer<u32> sorted(shared, 5000);
  const auto sort = [&] { radix_sort_keys<u32>(shared, keys.span(), sorted.span()); };
  bool met = false;
  memory.meet = [&] {
    std::thread([&] {
      EXPECT_COPSE_ERROR(sort(), ErrorCode::invalid_argument, "two threads use one context");
      met = true;
    }).join();
  };
  sort();  // its scratch is cold, so it allocates
  EXPECT_TRUE(met);
  std::thread(sort).join();  // one after the other is allowed
  EXPECT_EQ(sorted.download(), std::vector<u32>(5000, 1));
}

TEST_P(ContextTest, GraphsRefuseToRunWithoutTheirContext) {
  std::optional<Context> gone(std::in_place, ContextOptions{.backend = GetParam()});
  Buffer<u32> values(*gone, std::vector<u32>(3000, 1));
  scan_ones(*gone, values);
  Graph graph = gone->capture([&] { scan_ones(*gone, values); });
  gone.reset();
  EXPECT_COPSE_ERROR(graph.launch(), ErrorCode::invalid_argument, "context of the graph was destroyed");
}

TEST_P(ContextTest, RefusesToAllocateInACapture) {
  if (GetParam() == Backend::cpu) GTEST_SKIP() << "the CPU captures nothing";
  EXPECT_COPSE_ERROR(context().capture([&] { Buffer<u32>(context(), 5); }), ErrorCode::invalid_argument,
                     "a buffer of 20 bytes");
}

TEST_P(ContextTest, ValidatesIfTheOptionOrTheEnvironmentSaysSo) {
  EXPECT_TRUE(Context({.backend = GetParam(), .validate = true}).validates());
  const char* before = std::getenv("COPSE_VALIDATE");
  const std::string kept = before == nullptr ? "" : before;
  for (const char* value : {"1", "0", ""}) {
    setenv("COPSE_VALIDATE", value, 1);
    EXPECT_EQ(Context({.backend = GetParam()}).validates(), value == std::string("1")) << value;
  }
  setenv("COPSE_VALIDATE", kept.c_str(), 1);
}

TEST_P(ContextTest, TwoContextsWorkAtOnce) {
  const auto work = [backend = GetParam()] {
    Context own({.backend = backend});
    for (int repeat = 0; repeat < 20; ++repeat) {
      Buffer<u32> values(own, std::vector<u32>(40000, 1));
      scan_ones(own, values);
      Buffer<u32> largest(own, 1);
      reduce_max<u32>(own, values.span(), largest.span());
      EXPECT_EQ(largest.download()[0], 40000u);
    }
  };
  std::jthread first(work), second(work);
}

}  // namespace copse::test
