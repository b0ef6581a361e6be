// Triangles that no call may read: refused when they are given, or, where that takes a look at the data, by contexts
// that validate.

#include "builders/geometry/triangle_check.h"

#include <gtest/gtest.h>

#include "builders/bvh/build.h"
#include "builders/bvh/pack_triangles.h"
#include "builders/bvh/refit.h"
#include "builders/geometry/generate.h"
#include "primitives/core/device.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "trace/trace_rays.h"

namespace copse {
namespace {

using test::DeviceMesh;
constexpr ErrorCode invalid = ErrorCode::invalid_argument;

TEST(TriangleViews, RefuseAddressesThatAreNull) {
  const vec3 positions[3]{};
  const uvec3 indices[1]{};
  const TriangleView no_positions{.positions = {nullptr, 3, sizeof(vec3)}};
  EXPECT_COPSE_ERROR(TriangleViews{no_positions}, invalid, "triangle view 0: the address of 3 positions is null");
  TriangleView view{.positions = {positions, 3, sizeof(vec3)}, .triangles = BufferSpan<const uvec3>(nullptr, 7)};
  EXPECT_COPSE_ERROR(TriangleViews{view}, invalid, "the address of the indices of 7 triangles is null");
  view.triangles = BufferSpan(indices, 1);
  EXPECT_EQ(TriangleViews{view}.primitive_count(), 1u);
}

TEST(TriangleViews, RefuseIndicesOfOddSizes) {
  const vec3 positions[3]{};
  const uvec3 indices[1]{};
  TriangleView view{.positions = {positions, 3, sizeof(vec3)}, .triangles = BufferSpan(indices, 1)};
  for (const u32 bytes : {1, 3, 8}) {
    view.triangles.index_bytes = bytes;
    EXPECT_COPSE_ERROR(TriangleViews{view}, invalid, "an index has " + std::to_string(bytes) + " bytes");
  }
}

class TriangleCheck : public testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    if (GetParam() == Backend::cuda) COPSE_SKIP_WITHOUT_GPU();
    context_.emplace(ContextOptions{.backend = GetParam(), .validate = true});
  }
  Context& context() { return *context_; }

 private:
  std::optional<Context> context_;
};

TEST_P(TriangleCheck, FindsIndicesPastTheLastPosition) {
  Mesh mesh = generate_cube();
  const DeviceMesh good(context(), mesh);
  mesh.triangles[7].y = 1u << 30;
  mesh.triangles[9].x = 8;
  const DeviceMesh bad(context(), mesh);
  const std::string text = "triangle view 1: triangle 7 has the indices";
  const std::vector<TriangleView> views{good.view(), bad.view()};
  Bvh bvh = build(context(), std::vector{good.view(), good.view()}, LbvhOptions{});
  EXPECT_COPSE_ERROR(build(context(), views, LbvhOptions{}), invalid, text);
  EXPECT_COPSE_ERROR(build(context(), views, SahOptions{}), invalid, "1073741824, ");
  EXPECT_COPSE_ERROR(rebuild(context(), bvh, views, HplocOptions{}), invalid, "but there are 8 positions");
  EXPECT_COPSE_ERROR(refit(context(), bvh, views), invalid, text);
  EXPECT_COPSE_ERROR(pack_triangles(context(), bvh.view(), views), invalid, text);
}

TEST_P(TriangleCheck, FindsIndicesOf16Bits) {
  const Buffer<vec3> positions(context(), generate_cube().positions);
  const Buffer<glm::u16vec3> indices(context(), std::vector<glm::u16vec3>{{0, 1, 2}, {3, 4, 8}});
  const TriangleView view{.positions = positions.span(), .triangles = indices.span()};
  EXPECT_COPSE_ERROR(build(context(), view, LbvhOptions{}), invalid, "triangle 1 has the indices 3, 4, 8");
}

TEST_P(TriangleCheck, LetsGoodTrianglesThrough) {
  const DeviceMesh mesh(context(), generate_sphere(2));
  Bvh bvh = build(context(), mesh.view(), LbvhOptions{});
  refit(context(), bvh, mesh.view());
  EXPECT_NO_THROW(build(context(), TriangleView{}, LbvhOptions{}));
}

TEST_P(TriangleCheck, FindsMemoryOfTheHost) {
  if (GetParam() == Backend::cpu) GTEST_SKIP() << "the CPU reads all memory of the host";
  std::vector<vec3> positions(3);
  const TriangleView view{.positions = BufferSpan<const vec3>(positions.data(), 3)};
  if (context().device().can_read(positions.data())) GTEST_SKIP() << "this GPU reads memory of the host";
  EXPECT_COPSE_ERROR(build(context(), view, LbvhOptions{}), invalid, "positions: the GPU cannot read them");
}

/// It hung, or read what the memory held before.
TEST_P(TriangleCheck, RaysMissATreeThatIsNotBuiltYet) {
  const DeviceMesh mesh(context(), generate_sphere(2));
  const Bvh bvh = make_bvh(context(), mesh.triangles.size());
  const Buffer<Ray> rays(context(), std::vector<Ray>{{{0, 0, 3}, 0, {0, 0, -1}, 7}});
  Buffer<Hit> hits(context(), 1);
  closest_hits(context(), bvh.view(), mesh.view(), rays.span(), hits.span());
  EXPECT_FALSE(is_hit(hits.download()[0]));
}

TEST_P(TriangleCheck, RaysWithoutAddressAreRefused) {
  const DeviceMesh mesh(context(), generate_cube());
  const Bvh bvh = build(context(), mesh.view(), LbvhOptions{});
  const Buffer<Ray> rays(context(), 2);
  Buffer<Hit> hits(context(), 2);
  const BufferSpan<const Ray> no_rays(nullptr, 2);
  const BufferSpan<Hit> no_hits(nullptr, 2);
  EXPECT_COPSE_ERROR(closest_hits(context(), bvh.view(), mesh.view(), no_rays, hits.span()), invalid,
                     "the address of 2 rays is null");
  EXPECT_COPSE_ERROR(closest_hits(context(), bvh.view(), mesh.view(), rays.span(), no_hits), invalid,
                     "the address of 2 results is null");
}

COPSE_ON_EACH_BACKEND(TriangleCheck);

}  // namespace
}  // namespace copse
