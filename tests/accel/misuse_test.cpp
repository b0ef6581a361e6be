// Triangles and memory that do not belong to a tree are refused: by what their objects know, or, where that takes a
// look at the data, by contexts that validate.

#include <gtest/gtest.h>

#include <optional>

#include "accel/accel_rays.h"
#include "builders/bvh/build.h"
#include "builders/bvh/collapse.h"
#include "builders/bvh/pack_triangles.h"
#include "builders/bvh/refit.h"
#include "builders/geometry/generate.h"
#include "primitives/core/device.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/values.h"
#include "tests/trace/oracle.h"
#include "trace/trace_rays.h"

namespace copse {
namespace {

using test::DeviceMesh;
using test::invalid;

Mesh moved(Mesh mesh) {
  for (vec3& p : mesh.positions) p = p * vec3(1, 2, 1);
  return mesh;
}

class Misuse : public test::OnEachBackend {
 protected:
  void trace(const TreeView& tree, const TraceTriangles& triangles) { trace(context(), tree, triangles); }
  static void trace(Context& context, const TreeView& tree, const TraceTriangles& triangles) {
    const Buffer<Ray> rays(context, std::vector<Ray>{{{0, 0, 3}, 0, {0, 0, -1}, 7}});
    Buffer<Hit> hits(context, 1);
    Buffer<u8> occluded(context, 1);
    closest_hits(context, tree, triangles, rays.span(), hits.span());
    any_hits(context, tree, triangles, rays.span(), occluded.span());
  }
};

TEST_P(Misuse, TrianglesPackedForAnotherTreeAreRefused) {
  const DeviceMesh mesh(context(), generate_sphere(2));
  Bvh bvh = build(context(), mesh.view(), LbvhOptions{});
  const Bvh other = build(context(), mesh.view(), SahOptions{});
  const Bvh4 wide = collapse<Bvh4>(context(), bvh);
  const PackedTriangles packed = pack_triangles(context(), bvh.view(), mesh.view());
  EXPECT_COPSE_ERROR(trace(other.view(), packed.view()), invalid,
                     "closest_hits: the triangles were packed for another tree");
  EXPECT_COPSE_ERROR(trace(wide.view(), packed.view()), invalid, "packed for another tree");
  EXPECT_NO_THROW(trace(bvh.view(), packed.view()));
  const Bvh in_another_place = std::move(bvh);
  EXPECT_NO_THROW(trace(in_another_place.view(), packed.view()));
}

TEST_P(Misuse, ViewsOfPackedTrianglesBringTheirMasks) {
  const DeviceMesh mesh(context(), generate_sphere(2));
  TriangleView view = mesh.view();
  view.mask = 2;
  const Bvh bvh = build(context(), view, LbvhOptions{});
  const PackedTriangles packed = pack_triangles(context(), bvh.view(), view);
  const Buffer<Ray> rays(context(), std::vector<Ray>{{{0, 0, 3}, 0, {0, 0, -1}, 7}});
  Buffer<Hit> hits(context(), 1);
  for (const u32 mask : {1u, 2u}) {
    closest_hits(context(), bvh.view(), packed.view(), rays.span(), hits.span(), {.mask = mask});
    EXPECT_EQ(is_hit(hits.download()[0]), mask == 2) << mask;
  }
}

TEST_P(Misuse, StructuresOutliveTheirContext) {
  std::optional<Context> gone(ContextOptions{.backend = GetParam()});
  std::optional<DeviceMesh> mesh(std::in_place, *gone, generate_sphere(2));
  std::optional<Accel> accel(build(*gone, mesh->view()));
  std::optional<Bvh> bvh(build(*gone, mesh->view(), LbvhOptions{}));
  gone->wait();
  gone.reset();
  EXPECT_NO_THROW(trace(bvh->view(), mesh->view()));
  const Buffer<Ray> rays(context(), std::vector<Ray>{{{0, 0, 3}, 0, {0, 0, -1}, 7}});
  Buffer<Hit> hits(context(), 1);
  closest_hits(context(), *accel, rays.span(), hits.span());
  EXPECT_TRUE(is_hit(hits.download()[0]));
  bvh.reset();
  mesh.reset();
  accel.reset();
}

COPSE_ON_EACH_BACKEND(Misuse);

/// On contexts that validate.
class ValidatedMisuse : public Misuse {
 protected:
  void SetUp() override {
    if (GetParam() == Backend::cuda) COPSE_SKIP_WITHOUT_GPU();
    validating_.emplace(ContextOptions{.backend = GetParam(), .validate = true});
  }
  Context& context() { return *validating_; }
  void expect_fault(const TreeView& tree, const TraceTriangles& triangles, const char* text) {
    EXPECT_COPSE_ERROR(trace(context(), tree, triangles), invalid, text);
  }

 private:
  std::optional<Context> validating_;
};

TEST_P(ValidatedMisuse, TrianglesPackedBeforeARebuildAreRefused) {
  const DeviceMesh mesh(context(), generate_sphere(2)), other(context(), generate_random(320, 0.1f));
  Bvh bvh = build(context(), mesh.view(), LbvhOptions{});
  PackedTriangles packed = pack_triangles(context(), bvh.view(), mesh.view());
  rebuild(context(), bvh, other.view(), LbvhOptions{});
  expect_fault(bvh.view(), packed.view(), "is not the primitive that the tree has there");
  repack_triangles(context(), packed, bvh.view(), other.view());
  EXPECT_NO_THROW(trace(context(), bvh.view(), packed.view()));
}

TEST_P(ValidatedMisuse, TrianglesPackedBeforeARefitAreRefused) {
  const DeviceMesh before(context(), generate_sphere(2)), after(context(), moved(generate_sphere(2)));
  Bvh bvh = build(context(), after.view(), LbvhOptions{});
  CompressedBvh8 wide = collapse<CompressedBvh8>(context(), bvh);
  PackedTriangles packed = pack_triangles(context(), wide.view(), after.view());
  refit(context(), wide, before.view());
  expect_fault(wide.view(), packed.view(), "is outside of its leaf's box");
  repack_triangles(context(), packed, wide.view(), before.view());
  EXPECT_NO_THROW(trace(context(), wide.view(), packed.view()));
}

TEST_P(ValidatedMisuse, OtherTrianglesThanThoseOfTheTreeAreRefused) {
  const DeviceMesh mesh(context(), generate_sphere(2)), other(context(), moved(generate_sphere(2)));
  const Bvh bvh = build(context(), mesh.view(), LbvhOptions{.max_leaf_size = 4});
  expect_fault(bvh.view(), other.view(), "of the leaves is outside of its leaf's box");
  expect_fault(collapse<Bvh4>(context(), bvh).view(), other.view(), "is outside of its leaf's box");
  expect_fault(collapse<CompressedBvh4>(context(), bvh).view(), other.view(), "is outside of its leaf's box");
}

TEST_P(ValidatedMisuse, TheTrianglesOfTheTreeAreLetThrough) {
  for (const Mesh& mesh : {Mesh{}, generate_cube(), generate_sphere(3), generate_random(500, 0.3f)}) {
    const DeviceMesh device(context(), mesh);
    const Bvh bvh = build(context(), device.view(), SahOptions{.max_leaf_size = 3});
    const Bvh4 bvh4 = collapse<Bvh4>(context(), bvh);
    const CompressedBvh4 cbvh4 = collapse<CompressedBvh4>(context(), bvh);
    const CompressedBvh8 cbvh8 = collapse<CompressedBvh8>(context(), bvh);
    for (const TreeView& tree :
         {TreeView(bvh.view()), TreeView(bvh4.view()), TreeView(cbvh4.view()), TreeView(cbvh8.view())}) {
      EXPECT_NO_THROW(trace(context(), tree, device.view())) << tree.index();
    }
    Accel accel = build(context(), device.view());
    for (const bool is_compact : {false, true}) {
      if (is_compact) compact(context(), accel);
      const Buffer<Ray> rays(context(), std::vector<Ray>{{{0, 0, 3}, 0, {0, 0, -1}, 7}});
      Buffer<Hit> hits(context(), 1);
      EXPECT_NO_THROW(closest_hits(context(), accel, rays.span(), hits.span())) << is_compact;
    }
  }
}

TEST_P(ValidatedMisuse, RaysInMemoryOfTheHostAreRefused) {
  if (GetParam() == Backend::cpu) GTEST_SKIP() << "the CPU reads all memory of the host";
  const DeviceMesh mesh(context(), generate_cube());
  const Accel accel = build(context(), mesh.view());
  std::vector<Ray> rays(2, Ray{{0, 0, 3}, 0, {0, 0, -1}, 7});
  std::vector<Hit> hits(2);
  if (context().device().can_read(rays.data())) GTEST_SKIP() << "this GPU reads memory of the host";
  const Buffer<Ray> device_rays(context(), rays);
  Buffer<Hit> device_hits(context(), 2);
  const BufferSpan<const Ray> host_rays(rays.data(), 2);
  EXPECT_COPSE_ERROR(closest_hits(context(), accel, host_rays, device_hits.span()), invalid,
                     "closest_hits: rays: the GPU cannot read them");
  EXPECT_COPSE_ERROR(closest_hits(context(), accel, device_rays.span(), BufferSpan<Hit>(hits.data(), 2)), invalid,
                     "closest_hits: results: the GPU cannot read them");
  EXPECT_COPSE_ERROR(
      closest_hits(context(), accel, RaySpan::in_records(rays.data(), 2, sizeof(Ray)), device_hits.span()),
      invalid, "closest_hits: origins: the GPU cannot read them");
}

COPSE_ON_EACH_BACKEND(ValidatedMisuse);

}  // namespace
}  // namespace copse
