// Contexts that validate: they let every good call through with the same results, and each of their messages is
// provoked here. tests/accel/misuse_test.cpp and tests/builders/triangle_check_test.cpp have those about triangles that do
// not belong to a tree, and about their indices.

#include "primitives/core/validation.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "copse/grids.h"
#include "copse/queries.h"
#include "tests/support/backends.h"
#include "tests/support/values.h"
#include "tests/trust/calls.h"

namespace copse::test {

namespace {

class Validation : public OnEachBackend {
 protected:
  void SetUp() override {
    OnEachBackend::SetUp();
    if (!IsSkipped()) validating_.emplace(ContextOptions{.backend = GetParam(), .validate = true});
  }
  Context& validating() { return *validating_; }

 private:
  std::optional<Context> validating_;
};
COPSE_ON_EACH_BACKEND(Validation);

TEST_P(Validation, LetsEveryCallThroughWithTheSameResults) {
  for (const Call& call : every_call()) {
    SCOPED_TRACE(call.name);
    EXPECT_TRUE(call.prepare(validating())(validating()) == call.prepare(context())(context()));
  }
  EXPECT_GT(validation_counts(validating()).checked_structures, 50u);
  EXPECT_EQ(validation_counts(context()).checked_structures, 0u) << "a context that does not validate checks";
}

/// The elements of a buffer from byte `offset` on. Nothing may read them.
template <class T>
BufferSpan<T> shifted(Buffer<T>& buffer, u64 count, u64 offset = 1) {
  return {reinterpret_cast<T*>(reinterpret_cast<u8*>(buffer.data()) + offset), count};
}
template <class T>
BufferSpan<const T> shifted_input(const Buffer<T>& buffer, u64 count) {
  return {reinterpret_cast<const T*>(reinterpret_cast<const u8*>(buffer.data()) + 1), count};
}

TEST_P(Validation, RefusesRaysPointsAndResultsThatAreNotAligned) {
  Context& c = validating();
  Given g(c);
  const u64 n = g.rays.size() - 1;
  const Accel accel = build(c, g.mesh.view());
  const std::vector<Instance> instances(3);
  const Scene scene = build(c, accel, instances);
  const KdTree tree = build_kd_tree(c, g.mesh.positions.span());
  Buffer<SceneHit> scene_hits(c, n + 1);
  Buffer<NearestPoint> nearest(c, n + 1);
  const auto rays = shifted_input(g.rays, n);
  const auto points = shifted_input(g.points, n);
  const std::string why = "must be at a multiple of 4";
  EXPECT_COPSE_ERROR(closest_hits(c, accel, rays, g.hits.span().first(n)), invalid,
                     "closest_hits: rays at address");
  EXPECT_COPSE_ERROR(closest_hits(c, accel, rays, g.hits.span().first(n)), invalid, why);
  EXPECT_COPSE_ERROR(closest_hits(c, accel, std::as_const(g.rays).span().first(n), shifted(g.hits, n)), invalid,
                     "closest_hits: results at address");
  EXPECT_COPSE_ERROR(any_hits(c, accel, rays, g.bytes.span().first(n)), invalid, "any_hits: rays at");
  EXPECT_COPSE_ERROR(closest_hits(c, accel, RaySpan{points, g.points.span().first(n)}, g.hits.span().first(n)),
                     invalid, "closest_hits: origins at");
  EXPECT_COPSE_ERROR(count_hits(c, accel, rays, g.counts.span().first(n)), invalid, "count_hits: origins at");
  EXPECT_COPSE_ERROR(closest_hits(c, scene, rays, scene_hits.span().first(n)), invalid, "closest_hits: rays at");
  EXPECT_COPSE_ERROR(nearest_points(c, accel, points, nearest.span().first(n)), invalid,
                     "nearest_points: points at");
  EXPECT_COPSE_ERROR(nearest_points(c, scene, points, BufferSpan<SceneNearest>()), invalid, "room for 0 results");
  EXPECT_COPSE_ERROR(points_inside(c, scene, points, g.bytes.span().first(n)), invalid,
                     "points_inside: points at");
  EXPECT_COPSE_ERROR(count_overlaps<Aabb>(c, accel, shifted_input(g.boxes, n), g.counts.span().first(n)), invalid,
                     "count_overlaps: regions at");
  EXPECT_COPSE_ERROR(count_neighbours(c, tree.view(), points, 1, g.counts.span().first(n)), invalid,
                     "count_neighbours: points at");
  EXPECT_COPSE_ERROR(build_kd_tree(c, points), invalid, "build_kd_tree: points at");
  EXPECT_COPSE_ERROR(build(c, BoxView{shifted_input(g.boxes, n)}, LbvhOptions{}), invalid, "build: boxes at");
  EXPECT_COPSE_ERROR(build(c, TriangleView{.positions = points}, LbvhOptions{}), invalid,
                     "build: triangle view 0, positions at");
  const InstanceView odd{.transforms = {reinterpret_cast<const float*>(points.data()), 3, 48}};
  EXPECT_COPSE_ERROR(build(c, accel, odd), invalid, "build: transforms at");
}

TEST_P(Validation, CountsWhatIsNoErrorButMayBeAMistake) {
  Context& c = validating();
  Given g(c);
  std::vector<Ray> rays = g.rays.download();
  rays[3].direction.y = nan;
  rays[9].origin.x = nan;
  g.rays.upload(rays);
  std::vector<vec3> points = g.points.download();
  points[5].z = nan;
  g.points.upload(points);
  Mesh mesh = generate_sphere(1);
  mesh.positions[0].x = nan;
  const DeviceMesh sick(c, mesh);
  const Accel accel = build(c, sick.view());
  closest_hits(c, accel, g.rays.span(), g.hits.span());
  points_inside(c, accel, g.points.span(), g.bytes.span());
  const ValidationCounts counts = validation_counts(c);
  EXPECT_EQ(counts.checked_structures, 1u);
  EXPECT_EQ(counts.left_out_primitives, accel.tree().counts.download()[0].invalid_count);
  EXPECT_GT(counts.left_out_primitives, 0u);
  EXPECT_EQ(counts.nan_rays, 2u);
  EXPECT_EQ(counts.nan_points, 1u);
}

TEST_P(Validation, RefusesIdsThatLeadNowhere) {
  Context& c = validating();
  Given g(c);
  const Accel accel = build(c, g.mesh.view());
  Buffer<ShortHit> hits(c, g.rays.size());
  closest_hits(c, accel, g.rays.span(), hits.span());
  EXPECT_NO_THROW(full_hits(c, accel, g.rays.span(), std::as_const(hits).span(), g.hits.span()));
  std::vector<ShortHit> forged = hits.download();
  forged[7] = {1, 320};
  hits.upload(forged);
  EXPECT_COPSE_ERROR(full_hits(c, accel, g.rays.span(), std::as_const(hits).span(), g.hits.span()), invalid,
                     "full_hits: hit 7 is of the triangle at place 320, but there are 320 places");
}

/// Gives memory that is in use once more, as if the caller had freed it too early.
class TwiceGivenMemory final : public MemoryResource {
 public:
  explicit TwiceGivenMemory(MemoryResource& behind) : behind_(behind) {}

  /// Gives this memory, of so many bytes, to the next allocation of at least `from` bytes.
  void give_again(void* memory, u64 bytes, u64 from) { again_ = memory, room_ = bytes, from_ = from; }

  void* allocate(u64 bytes, void* stream) override {
    if (again_ != nullptr && bytes >= from_ && bytes <= room_) {
      ++owners_[again_];
      return std::exchange(again_, nullptr);
    }
    void* memory = behind_.allocate(bytes, stream);
    owners_[memory] = 1;
    sizes_[memory] = bytes;
    return memory;
  }
  void deallocate(void* memory, u64, void* stream) noexcept override {
    if (--owners_[memory] == 0) behind_.deallocate(memory, sizes_[memory], stream);
  }

 private:
  MemoryResource& behind_;
  std::map<void*, int> owners_;
  std::map<void*, u64> sizes_;
  void* again_ = nullptr;
  u64 room_ = 0, from_ = 0;
};

TEST_P(Validation, FindsResultsThatWereWrittenOverTheirInput) {
  TwiceGivenMemory memory(context().memory());
  Context c({.backend = GetParam(), .stream = context().stream(), .memory = &memory, .validate = true});
  const Mesh mesh = generate_sphere(2);
  Buffer<vec3> positions(c, 1 << 16);
  const Buffer<uvec3> triangles(c, mesh.triangles);
  const BufferSpan<const vec3> used(positions.data(), mesh.positions.size());
  const TriangleView view{.positions = used, .triangles = triangles.span()};
  const auto expect_found = [&](const char* text, u64 from, const auto& make) {
    positions.upload(mesh.positions);
    EXPECT_NO_THROW(make()) << text;
    positions.upload(mesh.positions);
    memory.give_again(positions.data(), positions.size_bytes(), from);
    EXPECT_COPSE_ERROR(make(), ErrorCode::device_failure, text);
    memory.give_again(nullptr, 0, 0);
  };
  expect_found("build: the result does not fit its primitives: ", 10000, [&] { build(c, view, LbvhOptions{}); });
  expect_found("were they written or freed before the call ended?", 10000, [&] { build(c, view, SahOptions{}); });
  expect_found("build: the result does not fit its primitives: ", 10000, [&] { build(c, view); });
  expect_found("build_kd_tree: the result does not fit", 1000, [&] { build_kd_tree(c, used); });
  expect_found("build_point_bvh: the result does not fit", 1000, [&] { build_point_bvh(c, used); });
  expect_found("build_hash_grid: the result does not fit", 1000, [&] { build_hash_grid(c, used); });
}

TEST_P(Validation, FindsTreesThatWereSpoiledBeforeARefit) {
  Context& c = validating();
  const Given g(c);
  Bvh bvh = build(c, g.mesh.view(), HplocOptions{});
  bvh.primitive_ids.upload(std::vector<u32>(320, 5));
  EXPECT_COPSE_ERROR(refit(c, bvh, g.mesh.view()), ErrorCode::device_failure,
                     "refit: the result does not fit its primitives");
}

TEST_P(Validation, RefusesMemoryOfTheHostInQueriesAndScenes) {
  if (GetParam() == Backend::cpu) GTEST_SKIP() << "the CPU reads all memory of the host";
  Context& c = validating();
  const std::vector<vec3> points(8);
  if (c.device().can_read(points.data())) GTEST_SKIP() << "this GPU reads memory of the host";
  Given g(c);
  const BufferSpan<const vec3> host(points.data(), points.size());
  const Accel accel = build(c, g.mesh.view());
  EXPECT_COPSE_ERROR(points_inside(c, accel, host, g.bytes.span().first(8)), invalid,
                     "points_inside: points: the GPU cannot read them");
  EXPECT_COPSE_ERROR(build_kd_tree(c, host), invalid, "build_kd_tree: points: the GPU cannot read them");
}

}  // namespace

}  // namespace copse::test
