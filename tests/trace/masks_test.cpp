// Rays that pass over geometries, through every layout, over fetched and packed triangles, by every kernel.

#include <gtest/gtest.h>

#include "builders/bvh/collapse.h"
#include "builders/bvh/hploc.h"
#include "builders/geometry/generate.h"
#include "tests/support/backends.h"
#include "tests/trace/all_layouts.h"
#include "trace/masked_triangles.h"

namespace copse {
namespace {

using test::DeviceMesh;
using test::host_view;
using test::masks_of_views;

/// Meshes at one place. Each is a geometry with a mask of its own.
struct MaskedScene {
  std::vector<Mesh> meshes;
  std::vector<TriangleView> host;

  MaskedScene() {
    const Mesh all = generate_random(480, 0.2f);
    for (u32 i = 0; i < 4; ++i) {
      meshes.push_back(all);
      meshes[i].triangles.assign(all.triangles.begin() + 120 * i, all.triangles.begin() + 120 * (i + 1));
    }
    for (u32 i = 0; i < 4; ++i) {
      host.push_back(host_view(meshes[i]));
      host.back().geometry = 10 + i;
      host.back().mask = masks_of_views[i];
    }
  }

  std::vector<Ray> rays(u32 count) const { return test::difficult_rays(meshes[0], count, 3); }

  /// Brute force over the views that the ray sees.
  Hit hit(const Ray& ray, u32 mask) const {
    std::vector<TriangleView> seen;
    for (const TriangleView& view : host) {
      if ((view.mask & mask) != 0) seen.push_back(view);
    }
    return test::brute_force_hit(seen, ray);
  }
};

std::vector<u32> masks_for(size_t count) {
  std::vector<u32> masks(count);
  for (size_t i = 0; i < count; ++i) masks[i] = i % 17 == 16 ? ~u32{0} : u32(i % 16);
  return masks;
}

class Masks : public test::OnEachBackend {
 protected:
  void SetUp() override {
    OnEachBackend::SetUp();
    if (IsSkipped()) return;
    for (u32 i = 0; i < 4; ++i) {
      meshes_.emplace_back(context(), scene_.meshes[i]);
      views_.push_back(meshes_.back().view(10 + i));
      views_.back().mask = masks_of_views[i];
    }
    rays_ = scene_.rays(800);
  }

  /// The kernel that traces rays that go apart.
  static TraceKernel kernel_for(TraceKernel asked, const TreeView& tree) {
    if (GetParam() == Backend::cpu) return asked == TraceKernel::packets ? asked : TraceKernel::thread_per_ray;
    const bool is_binary = std::holds_alternative<BvhView>(tree);
    return asked == TraceKernel::packets && is_binary ? asked : TraceKernel::persistent;
  }

  void expect_hits(const TreeView& tree, const TraceTriangles& triangles, const std::vector<u32>& masks) {
    const Buffer<Ray> rays(context(), rays_);
    const Buffer<u32> device_masks(context(), masks);
    Buffer<Hit> hits(context(), rays_.size());
    Buffer<u8> occluded(context(), rays_.size());
    std::vector<Hit> expected;
    for (size_t i = 0; i < rays_.size(); ++i) {
      expected.push_back(scene_.hit(rays_[i], masks.empty() ? ~u32{0} : masks[i]));
    }
    for (const TraceKernel kernel : test::all_kernels) {
      Buffer<u32> chosen(context(), 1);
      const TraceOptions options{.kernel = kernel, .chosen = chosen.span(), .masks = device_masks.span()};
      closest_hits(context(), tree, triangles, rays.span(), hits.span(), options);
      any_hits(context(), tree, triangles, rays.span(), occluded.span(), options);
      EXPECT_EQ(TraceKernel(chosen.download()[0]), kernel_for(kernel, tree)) << name_of(kernel);
      ASSERT_NO_FATAL_FAILURE(
          test::expect_results(name_of(kernel), rays_, hits.download(), occluded.download(), expected));
    }
  }

  template <class Tree>
  void expect_hits_of(const Tree& tree) {
    const PackedTriangles packed = pack_triangles(context(), tree.view(), views_);
    for (const std::vector<u32>& masks : {masks_for(rays_.size()), std::vector<u32>{}}) {
      ASSERT_NO_FATAL_FAILURE(expect_hits(tree.view(), views_, masks));
      ASSERT_NO_FATAL_FAILURE(expect_hits(tree.view(), {packed.view(), packed.masks.span()}, masks));
    }
  }

  MaskedScene scene_;
  std::vector<DeviceMesh> meshes_;
  std::vector<TriangleView> views_;
  std::vector<Ray> rays_;
};

TEST_P(Masks, RaysPassOverWhatTheyShareNoBitWith) {
  const Bvh bvh = build(context(), views_, HplocOptions{});
  expect_hits_of(bvh);
  expect_hits_of(collapse<Bvh4>(context(), bvh));
  expect_hits_of(collapse<CompressedBvh4>(context(), bvh));
  expect_hits_of(collapse<CompressedBvh8>(context(), bvh));
}

/// There are enough rays per triangle for packets.
TEST_P(Masks, RaysThatStayTogetherGoInPackets) {
  const Bvh bvh = build(context(), views_, HplocOptions{});
  rays_.clear();
  for (u32 i = 0; i < 32 * 480; ++i) {
    rays_.push_back({vec3(0.5f, 0.5f, 4), 0, vec3(float(i % 128) * 1e-3f, float(i / 128) * 1e-3f, -1), infinity});
  }
  std::vector<u32> masks(rays_.size());
  for (size_t i = 0; i < masks.size(); ++i) masks[i] = u32(i % 5);
  const Buffer<Ray> rays(context(), rays_);
  const Buffer<u32> device_masks(context(), masks);
  Buffer<Hit> hits(context(), rays_.size());
  Buffer<u32> chosen(context(), 1);
  closest_hits(context(), bvh.view(), views_, rays.span(), hits.span(),
               {.chosen = chosen.span(), .masks = device_masks.span()});
  EXPECT_EQ(TraceKernel(chosen.download()[0]), TraceKernel::packets);
  const std::vector<Hit> found = hits.download();
  for (size_t i = 0; i < rays_.size(); ++i) {
    ASSERT_TRUE(test::same_bits(found[i], scene_.hit(rays_[i], masks[i]))) << i;
  }
}

/// Trees are deeper than any stack: rays are retraced by robust traversal, with their masks.
TEST_P(Masks, AreHeededByWalksThatClimb) {
  const Mesh mesh = test::chain_mesh();
  const DeviceMesh device(context(), mesh);
  TriangleView host = host_view(mesh), view = device.view();
  host.mask = view.mask = 0b10;
  views_ = {view};
  rays_.clear();
  for (float sign : {1.0f, -1.0f}) {
    for (float x : {0.25f, 0.3f, 0.75f}) rays_.push_back({vec3(x, x, -2 * sign), 0, vec3(0, 0, sign), infinity});
  }
  scene_.host = {host};
  const std::vector<u32> masks = {0b01, 0b10, 0b11, 0b11, 0b00, 0b10};
  const test::HostBvh binary = test::build_host_bvh(host, 1, test::HostSplit::chain);
  ASSERT_NO_FATAL_FAILURE(expect_hits(test::UploadedBvh(context(), binary).view(), views_, masks));
  const auto four = test::build_host_wide<CompressedBvh4Node>(binary).upload(context());
  ASSERT_NO_FATAL_FAILURE(expect_hits(four.view(), views_, masks));
}

TEST_P(Masks, ArePackedOnlyWhereAViewHasOne) {
  const TriangleView all = meshes_[3].view();
  const Bvh bvh = build(context(), all, HplocOptions{});
  PackedTriangles packed = pack_triangles(context(), bvh.view(), all);
  EXPECT_TRUE(packed.masks.empty());
  TriangleView some = all;
  some.mask = 6;
  repack_triangles(context(), packed, bvh.view(), some);
  EXPECT_EQ(packed.masks.download(), std::vector<u32>(120, 6));
  repack_triangles(context(), packed, bvh.view(), all);
  EXPECT_EQ(packed.masks.download(), std::vector<u32>(120, ~u32{0}));
}

TEST_P(Masks, RefuseWhatDoesNotFit) {
  const Bvh bvh = build(context(), views_, HplocOptions{});
  const PackedTriangles packed = pack_triangles(context(), bvh.view(), views_);
  const Buffer<Ray> rays(context(), rays_);
  Buffer<Hit> hits(context(), rays_.size());
  const Buffer<u32> masks(context(), 5);
  EXPECT_COPSE_ERROR(
      closest_hits(context(), bvh.view(), views_, rays.span(), hits.span(), {.masks = masks.span()}),
      ErrorCode::invalid_argument, "5 masks for " + std::to_string(rays_.size()) + " rays");
  EXPECT_COPSE_ERROR(closest_hits(context(), bvh.view(), {packed.view(), masks.span()}, rays.span(), hits.span()),
                     ErrorCode::invalid_argument, "5 masks for 480 packed triangles");
  const BufferSpan<const u32> over(reinterpret_cast<const u32*>(hits.data()), rays_.size());
  EXPECT_COPSE_ERROR(closest_hits(context(), bvh.view(), views_, rays.span(), hits.span(), {.masks = over}),
                     ErrorCode::invalid_argument, "overlap the masks");
}

COPSE_ON_EACH_BACKEND(Masks);

TEST(MaskedHits, OnTheHostAreThoseOfBruteForce) {
  const MaskedScene scene;
  const test::HostBvh bvh = test::build_host_bvh(scene.host[0], 2);
  const TriangleView triangles = scene.host[0];
  for (const Ray& ray : scene.rays(300)) {
    for (const u32 mask : {0u, 1u, 2u, ~0u}) {
      const Hit expected = (mask & 1) != 0 ? test::brute_force_hit({scene.host[0]}, ray)
                                           : Hit{ray.t_max, invalid_id, invalid_id, 0, 0};
      ASSERT_TRUE(test::same_bits(closest_hit(bvh.view(), masked(triangles, mask), ray), expected));
      ASSERT_EQ(any_hit(bvh.view(), masked(triangles, mask), ray), is_hit(expected));
    }
  }
}

TEST(MaskedHits, OfPackedTrianglesAreThoseOfBruteForce) {
  const MaskedScene scene;
  Context cpu({.backend = Backend::cpu});
  const Bvh bvh = build(cpu, scene.host, HplocOptions{});
  const PackedTriangles packed = pack_triangles(cpu, bvh.view(), scene.host);
  const PackedMasks masks{packed.masks.data()};
  for (const Ray& ray : scene.rays(300)) {
    for (const u32 mask : {0u, 1u, 2u, ~0u}) {
      const Hit expected = scene.hit(ray, mask);
      const MaskedPackedTriangles seen = masked(packed.view(), masks, mask);
      ASSERT_TRUE(test::same_bits(closest_hit(bvh.view(), seen, ray), expected));
      ASSERT_EQ(any_hit(bvh.view(), seen, ray), is_hit(expected));
    }
  }
}

}  // namespace
}  // namespace copse
