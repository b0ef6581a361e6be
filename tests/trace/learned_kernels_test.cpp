// Batches that come again and again: whatever the choice of a kernel learns from them, the results stay the same.

#include <gtest/gtest.h>

#include <cstring>

#include "builders/bvh/collapse.h"
#include "builders/bvh/hploc.h"
#include "builders/bvh/pack_triangles.h"
#include "builders/geometry/generate.h"
#include "primitives/core/device.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "trace/batch/choice_by_time.h"
#include "trace/trace_rays.h"

namespace copse {
namespace {

/// More than a GPU holds threads for, of up to 200 multiprocessors.
constexpr u32 across = 656;

/// Rays that stay together, or that go everywhere.
std::vector<Ray> make_rays(bool together) {
  std::vector<Ray> rays;
  for (u32 i = 0; i < across * across; ++i) {
    const float x = float(i % across) / across - 0.5f, y = float(i / across) / across - 0.5f;
    const vec3 apart(float(i * 7919u % 1009u) - 504, float(i * 104729u % 997u) - 498,
                     float(i * 1299709u % 991u) - 495);
    rays.push_back(together ? Ray{vec3(0.01f, 0.02f, 3), 0, vec3(x, y, -1), infinity}
                            : Ray{vec3(0.01f, 0.02f, 0), 0, apart, infinity});
  }
  return rays;
}

template <class Result>
bool same_bytes(const std::vector<Result>& a, const std::vector<Result>& b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(Result)) == 0;
}

/// A tree of a sphere, and rays that are traced through it again and again.
class RepeatedBatch {
 public:
  explicit RepeatedBatch(Context& context)
      : context_(context),
        device_(context, generate_sphere(3)),
        tree_(collapse<CompressedBvh4>(context, build(context, device_.view(), HplocOptions{.max_leaf_size = 3}))),
        packed_(pack_triangles(context, tree_.view(), device_.view())),
        rays_(context, make_rays(true)) {}

  u64 size() const { return rays_.size(); }

  /// Puts rays of another kind into the same memory.
  void set_rays(bool together) { rays_.upload(make_rays(together)); }

  void trace(BufferSpan<Hit> hits, const TraceOptions& options = {}) {
    closest_hits(context_, tree_.view(), packed_.view(), rays_.span(), hits, options);
  }
  void trace(BufferSpan<ShortHit> hits, const TraceOptions& options = {}) {
    closest_hits(context_, tree_.view(), packed_.view(), rays_.span(), hits, options);
  }
  void trace(BufferSpan<u8> occluded, const TraceOptions& options = {}) {
    any_hits(context_, tree_.view(), packed_.view(), rays_.span(), occluded, options);
  }

 private:
  Context& context_;
  test::DeviceMesh device_;
  CompressedBvh4 tree_;
  PackedTriangles packed_;
  Buffer<Ray> rays_;
};

class LearnedKernels : public test::OnEachBackend {
 protected:
  /// How often a batch is traced: often enough that kernels are tried and one is kept. The CPU tries nothing.
  u32 calls() const { return GetParam() == Backend::cuda ? detail::ChoiceByTime::first_calls + 20 : 2; }

  template <class Result>
  void expect_the_same_again_and_again() {
    RepeatedBatch batch(context());
    Buffer<Result> results(context(), batch.size());
    for (const bool together : {true, false, true}) {
      batch.set_rays(together);
      batch.trace(results.span(), {.kernel = TraceKernel::persistent});
      const std::vector<Result> expected = results.download();
      for (u32 i = 0; i < calls(); ++i) {
        context().device().clear(results.data(), results.size_bytes());
        batch.trace(results.span());
        ASSERT_TRUE(same_bytes(results.download(), expected)) << "call " << i;
      }
    }
  }
};

TEST_P(LearnedKernels, GiveTheSameHitsInEveryCallOfALargeBatch) {
  expect_the_same_again_and_again<Hit>();
}

TEST_P(LearnedKernels, GiveTheSameShortHitsInEveryCallOfALargeBatch) {
  expect_the_same_again_and_again<ShortHit>();
}

TEST_P(LearnedKernels, GiveTheSameAnyHitsInEveryCallOfALargeBatch) {
  expect_the_same_again_and_again<u8>();
}

TEST_P(LearnedKernels, StayOutOfTheWayOfALargeCapturedGraph) {
  RepeatedBatch batch(context());
  Buffer<Hit> hits(context(), batch.size());
  for (u32 i = 0; i < calls(); ++i) batch.trace(hits.span());
  const std::vector<Hit> expected = hits.download();
  Graph graph = context().capture([&batch, &hits] { batch.trace(hits.span()); });
  context().device().clear(hits.data(), hits.size_bytes());
  graph.launch();
  EXPECT_TRUE(same_bytes(hits.download(), expected));
}

TEST_P(LearnedKernels, SayWhichOfThemTracedALargeBatch) {
  RepeatedBatch batch(context());
  Buffer<Hit> hits(context(), batch.size());
  Buffer<u32> word(context(), 1);
  for (u32 i = 0; i < calls(); ++i) {
    const u32 none = ~0u;
    context().device().upload(word.data(), &none, sizeof none);
    batch.trace(hits.span(), {.chosen = word.span()});
    const TraceKernel kernel = TraceKernel(word.download()[0]);
    EXPECT_NE(kernel, TraceKernel::automatic);
    EXPECT_LE(u32(kernel), u32(TraceKernel::packets));
  }
}

COPSE_ON_EACH_BACKEND(LearnedKernels);

}  // namespace
}  // namespace copse
