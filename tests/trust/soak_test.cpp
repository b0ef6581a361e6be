// What takes minutes: many small builds, the memory of a build for every count, and frames without end. The tests with
// "Large" in their name have the label night, the others slow.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "accel/accel_batch.h"
#include "builders/bvh/build.h"
#include "builders/bvh/checksum.h"
#include "builders/bvh/validate.h"
#include "builders/geometry/generate.h"
#include "scene/scene_rays.h"
#include "tests/accel/accels.h"

namespace copse {
namespace {

using test::DeviceMesh;

/// Hands on the memory of a context, and counts it. It serves contexts on that context's stream.
class CountedMemory final : public MemoryResource {
 public:
  explicit CountedMemory(Context& behind) : behind_(behind) {}

  void* allocate(u64 bytes, void* stream) override {
    void* memory = behind_.memory().allocate(bytes, stream);
    in_use_ += bytes;
    peak_ = std::max(peak_, in_use_);
    ++allocation_count_;
    return memory;
  }
  void deallocate(void* memory, u64 bytes, void* stream) noexcept override {
    in_use_ -= bytes;
    behind_.memory().deallocate(memory, bytes, stream);
  }

  u64 in_use() const { return in_use_; }
  u64 allocation_count() const { return allocation_count_; }

  /// Returns the most bytes in use since the last call.
  u64 take_peak() { return std::exchange(peak_, in_use_); }

 private:
  Context& behind_;
  u64 in_use_ = 0, peak_ = 0, allocation_count_ = 0;
};

/// Runs on a second context, whose memory is counted.
class Soak : public test::OnEachBackend {
 protected:
  void SetUp() override {
    test::OnEachBackend::SetUp();
    if (IsSkipped()) return;
    memory_.emplace(context());
    counted_.emplace(ContextOptions{.backend = GetParam(), .stream = context().stream(), .memory = &*memory_});
  }
  Context& counted() { return *counted_; }
  CountedMemory& memory() { return *memory_; }

 private:
  std::optional<CountedMemory> memory_;
  std::optional<Context> counted_;
};

COPSE_ON_EACH_BACKEND(Soak);

TEST_P(Soak, AHundredThousandBuildsOfOneTo64TrianglesFindTheHitsOfBruteForce) {
  test::RayMaker make(1);
  const Mesh all = generate_random(4096, 0.3f);
  const DeviceMesh device(context(), all);
  for (u32 i = 0; i < 100000; ++i) {
    const u32 count = 1 + i % 64, first = i * 31 % (4096 - count);
    TriangleView view = device.view();
    view.triangles = device.triangles.span().subspan(first, count);
    const AccelOptions options{.quality = Quality(i % 3), .splits = i % 7 == 0 ? 1.5f : 1};
    const Accel accel = build(context(), view, options);
    const std::vector<Ray> rays(4, make.into({vec3(0), vec3(1)}));
    TriangleView host = test::host_view(all);
    host.triangles = BufferSpan<const uvec3>(all.triangles.data() + first, count);
    const std::vector<Hit> expected = test::brute_force_hits({host}, rays);
    const std::vector<Hit> found = test::trace(context(), accel, rays);
    for (size_t k = 0; k < rays.size(); ++k) ASSERT_TRUE(test::same_bits(found[k], expected[k])) << "build " << i;
    if (i % 16 == 0) {
      const ValidationReport report = validate(context(), accel.tree(), view);
      ASSERT_TRUE(report.is_valid()) << "build " << i << ": " << report.message();
    }
  }
}

/// Builds with exactly the scratch that was promised, and expects that the peak is what was promised.
template <class Options>
void expect_promised_memory(Context& context, CountedMemory& memory, const TriangleView& view,
                            const Options& options) {
  const BuildSizes sizes = build_sizes(context, view.triangle_count(), options);
  context.release_scratch();
  const u64 before = memory.in_use();
  context.reserve_scratch(sizes.scratch_bytes);
  const u64 scratch_bytes = memory.in_use() - before;
  memory.take_peak();
  const auto tree = build(context, view, options);
  ASSERT_EQ(tree.size_bytes(), sizes.result_bytes);
  ASSERT_EQ(memory.take_peak() - before, sizes.result_bytes + scratch_bytes);
  ASSERT_LT(scratch_bytes, sizes.scratch_bytes + 4096);
}

TEST_P(Soak, ThePeakOfABuildIsWhatSizesSayForEveryCountUpTo5000) {
  const Mesh mesh = generate_random(5000, 0.05f);
  const DeviceMesh device(counted(), mesh);
  for (u32 count = 0; count <= 5000; ++count) {
    SCOPED_TRACE(count);
    TriangleView view = device.view();
    view.triangles = device.triangles.span().first(count);
    ASSERT_NO_FATAL_FAILURE(expect_promised_memory(counted(), memory(), view, LbvhOptions{}));
    ASSERT_NO_FATAL_FAILURE(expect_promised_memory(counted(), memory(), view, HplocOptions{}));
    ASSERT_NO_FATAL_FAILURE(expect_promised_memory(counted(), memory(), view, SahOptions{}));
    ASSERT_NO_FATAL_FAILURE(
        expect_promised_memory(counted(), memory(), view, AccelOptions{.quality = Quality(count % 3)}));
  }
}

/// A mesh that moves, an Accel, a batch and a scene of it, and rays. A frame rebuilds or refits all of them.
class Frames {
 public:
  static constexpr u32 phase_count = 8;

  explicit Frames(Context& context)
      : context_(context), mesh_(generate_sphere(3)), device_(context, mesh_), hits_(context, 1024) {
    accel_ = build(context_, device_.view());
    meshes_ = {part(0, 300), part(300, 1), part(301, 500)};
    batch_ = build_batch(context_, meshes_);
    for (u32 i = 0; i < 5; ++i) instances_.push_back(Instance::of(glm::mat4x3(1), i % 2));
    const Buffer<Instance> placed(context_, instances_);
    scene_ =
        build(context_, SceneAccels(std::vector<const Accel*>{&accel_, &accel_}), InstanceView::of(placed.span()));
    test::RayMaker make(4);
    for (u32 i = 0; i < 1024; ++i) rays_.push_back(make.into({vec3(-1), vec3(3, 1, 1)}));
    device_rays_ = Buffer<Ray>(context_, rays_);
    scene_hits_ = Buffer<SceneHit>(context_, rays_.size());
    device_instances_ = Buffer<Instance>(context_, instances_);
  }

  /// Returns the checksum of all that a frame makes. A phase follows from its number alone.
  u64 run(u32 phase) {
    std::vector<vec3> moved = mesh_.positions;
    for (vec3& p : moved) p *= 1 + 0.125f * float(phase) * (p.x + p.y);
    for (u32 i = 0; i < instances_.size(); ++i) instances_[i].rows[0][3] = float(i * phase) / 8;
    device_.positions.upload(moved);
    device_instances_.upload(instances_);
    rebuild(context_, accel_, device_.view());
    rebuild(context_, batch_);
    if (phase % 2 == 1) {
      refit(context_, accel_, device_.view());
      refit(context_, batch_);
    }
    rebuild(context_, scene_, InstanceView::of(device_instances_.span()));
    closest_hits(context_, accel_, device_rays_.span(), hits_.span());
    closest_hits(context_, scene_, device_rays_.span(), scene_hits_.span());
    const std::vector<Hit> hits = hits_.download();
    const std::vector<SceneHit> scene_hits = scene_hits_.download();
    return Fnv1a()
        .add(std::span<const Hit>(hits))
        .add(std::span<const SceneHit>(scene_hits))
        .add(std::span<const u64>(
            std::vector<u64>{checksum(context_, accel_.tree()), checksum(context_, scene_.tree())}))
        .value();
  }

 private:
  TriangleView part(u64 first, u64 count) const {
    TriangleView view = device_.view();
    view.triangles = device_.triangles.span().subspan(first, count);
    return view;
  }

  Context& context_;
  Mesh mesh_;
  DeviceMesh device_;
  Buffer<Hit> hits_;
  Accel accel_;
  std::vector<TriangleView> meshes_;
  AccelBatch batch_;
  std::vector<Instance> instances_;
  Buffer<Instance> device_instances_;
  Scene scene_;
  std::vector<Ray> rays_;
  Buffer<Ray> device_rays_;
  Buffer<SceneHit> scene_hits_;
};

TEST_P(Soak, TenThousandLargeFramesTakeNoMoreMemoryAndGiveTheSameBytes) {
  constexpr u32 frame_count = 10000;
  Frames frames(counted());
  std::vector<u64> expected;
  u64 in_use = 0, peak = 0;
  for (u32 frame = 0; frame < frame_count; ++frame) {
    const u32 phase = frame % Frames::phase_count;
    const u64 sum = frames.run(phase);
    if (frame < Frames::phase_count) {
      expected.push_back(sum);
    } else if (frame < 2 * Frames::phase_count) {
      in_use = memory().in_use();
      peak = std::max(peak, memory().take_peak());
    } else {
      ASSERT_EQ(memory().in_use(), in_use) << "frame " << frame;
      ASSERT_LE(memory().take_peak(), peak) << "frame " << frame;
    }
    ASSERT_EQ(sum, expected[phase]) << "frame " << frame;
  }
}

}  // namespace
}  // namespace copse
