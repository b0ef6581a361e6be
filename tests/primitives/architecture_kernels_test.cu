// Tests what depends on the architecture that the code of a kernel was compiled for: what the host knows of it, and
// reductions over a warp with and without the instruction for them.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "primitives/core/buffer.h"
#include "primitives/cuda/launch.cuh"
#include "primitives/cuda/warp.cuh"
#include "tests/support/backends.h"

namespace copse::test {
namespace {

__global__ void store_architecture(u32* out) {
#if COPSE_DEVICE_CODE
  *out = __CUDA_ARCH__ / 10;
#endif
}

/// What a lane gets from the reductions of its group, by the functions and by shuffles.
struct Reduced {
  u32 min, max, sum, bits;
  i32 signed_min, signed_max;

  bool operator==(const Reduced&) const = default;
};

/// Each lane reduces together with the lanes that have the same group.
__global__ void reduce_groups(const u32* groups, const u32* values, Reduced* by_functions, Reduced* by_shuffles) {
  const u32 i = blockIdx.x * cuda::warp_size + threadIdx.x, value = values[i];
  const u32 lanes = __match_any_sync(cuda::all_lanes, groups[i]);
  by_functions[i] = {cuda::warp_min(lanes, value),      cuda::warp_max(lanes, value),
                     cuda::warp_add(lanes, value),      cuda::warp_or(lanes, value),
                     cuda::warp_min(lanes, i32(value)), cuda::warp_max(lanes, i32(value))};
  using namespace cuda::detail;
  by_shuffles[i] = {
      reduce_by_shuffles(lanes, value, Smaller{}),      reduce_by_shuffles(lanes, value, Larger{}),
      reduce_by_shuffles(lanes, value, Plus{}),         reduce_by_shuffles(lanes, value, BitwiseOr{}),
      reduce_by_shuffles(lanes, i32(value), Smaller{}), reduce_by_shuffles(lanes, i32(value), Larger{})};
}

class ArchitectureKernels : public testing::Test {
 protected:
  void SetUp() override {
    COPSE_SKIP_WITHOUT_GPU();
    context_.emplace(ContextOptions{.backend = Backend::cuda});
  }
  Context& context() { return *context_; }

 private:
  std::optional<Context> context_;
};

TEST_F(ArchitectureKernels, HostKnowsWhatTheCodeWasCompiledFor) {
  const cuda::Executor& ex = context().cuda_executor();
  Buffer<u32> of_code(context(), 1);
  cuda::launch(ex, "architecture", store_architecture, {.blocks = 1, .threads = 1}, of_code.data());
  for (int time = 0; time < 2; ++time) {
    EXPECT_EQ(cuda::architecture_of(ex, "architecture", store_architecture), of_code.download()[0]);
  }
}

/// Returns what the lanes of a group get.
Reduced reduce_on_host(const u32* groups, const u32* values, u32 group) {
  Reduced of_group{~0u, 0, 0, 0, INT32_MAX, INT32_MIN};
  for (u32 lane = 0; lane < cuda::warp_size; ++lane) {
    if (groups[lane] != group) continue;
    of_group.min = std::min(of_group.min, values[lane]);
    of_group.max = std::max(of_group.max, values[lane]);
    of_group.sum += values[lane];
    of_group.bits |= values[lane];
    of_group.signed_min = std::min(of_group.signed_min, i32(values[lane]));
    of_group.signed_max = std::max(of_group.signed_max, i32(values[lane]));
  }
  return of_group;
}

TEST_F(ArchitectureKernels, LanesReduceInGroups) {
  const std::vector<u32> group_counts = {1, 2, 3, 7, 31, 32, 1000};
  const u32 n = u32(group_counts.size()) * cuda::warp_size;
  std::vector<u32> groups(n), values(n);
  std::mt19937 random(1);
  for (u32 i = 0; i < n; ++i) {
    groups[i] = u32(random()) % group_counts[i / cuda::warp_size];
    values[i] = u32(random());
  }
  std::vector<Reduced> expected(n);
  for (u32 i = 0; i < n; ++i) {
    const u32 first = i / cuda::warp_size * cuda::warp_size;
    expected[i] = reduce_on_host(groups.data() + first, values.data() + first, groups[i]);
  }
  const Buffer<u32> groups_in(context(), groups), values_in(context(), values);
  Buffer<Reduced> by_functions(context(), n), by_shuffles(context(), n);
  cuda::launch(context().cuda_executor(), "reduce", reduce_groups,
               {.blocks = group_counts.size(), .threads = cuda::warp_size}, groups_in.data(), values_in.data(),
               by_functions.data(), by_shuffles.data());
  EXPECT_EQ(by_functions.download(), expected);
  EXPECT_EQ(by_shuffles.download(), expected);
}

}  // namespace
}  // namespace copse::test
