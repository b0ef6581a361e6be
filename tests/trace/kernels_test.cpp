// Batches through every layout, by every kernel, of fetched and of packed triangles: all give the same bytes.

#include <gtest/gtest.h>

#include <cstring>

#include "builders/bvh/collapse.h"
#include "builders/bvh/hploc.h"
#include "builders/bvh/refit.h"
#include "builders/geometry/generate.h"
#include "tests/support/backends.h"
#include "tests/support/hard_meshes.h"
#include "tests/trace/all_layouts.h"
#include "tests/trace/uneven_rays.h"

namespace copse {
namespace {

using test::brute_force_hit;
using test::build_host_bvh;
using test::DeviceMesh;
using test::difficult_rays;
using test::host_view;
using test::HostBvh;
using test::HostSplit;
using test::UploadedBvh;

class Kernels : public test::OnEachBackend {
 protected:
  void expect_hits(const TreeView& bvh, const TraceTriangles& triangles, const std::vector<Ray>& rays,
                   const std::vector<Hit>& expected) {
    test::expect_hits(context(), bvh, triangles, rays, expected);
  }

  void expect_hits_of_brute_force(const Mesh& mesh, const HostBvh& binary, const std::vector<Ray>& rays) {
    test::expect_brute_force_in_all_layouts(context(), mesh, binary, rays);
  }
};

TEST_P(Kernels, FindTheHitsOfBruteForceAmongRandomTriangles) {
  const Mesh mesh = generate_random(400, 0.2f);
  for (u32 leaf_size : {1, 3}) {
    expect_hits_of_brute_force(mesh, build_host_bvh(host_view(mesh), leaf_size), difficult_rays(mesh, 1000, 1));
  }
}

TEST_P(Kernels, FindTheHitsOfBruteForceOnASphere) {
  const Mesh mesh = generate_sphere(3);
  expect_hits_of_brute_force(mesh, build_host_bvh(host_view(mesh), 2), difficult_rays(mesh, 1000, 2));
}

TEST_P(Kernels, BatchesOfAnySizeAreTracedWhole) {
  const Mesh mesh = generate_cube();
  const HostBvh binary = build_host_bvh(host_view(mesh));
  for (u32 count : {0u, 1u, 2u, 31u, 32u, 33u, 127u, 128u, 129u, 1000u}) {
    expect_hits_of_brute_force(mesh, binary, difficult_rays(mesh, count, 3));
  }
}

TEST_P(Kernels, FindTheHitsOfBruteForceOnHardMeshes) {
  for (const test::NamedMesh& hard : test::hard_meshes()) {
    SCOPED_TRACE(hard.name);
    if (hard.mesh.positions.empty()) continue;
    const HostBvh binary = build_host_bvh(host_view(hard.mesh), 2);
    ASSERT_NO_FATAL_FAILURE(expect_hits_of_brute_force(hard.mesh, binary, difficult_rays(hard.mesh, 160, 4)));
  }
}

TEST_P(Kernels, FindTheHitsOfBruteForceWhereNumbersUnderflow) {
  for (u32 seed = 200; seed < 230; ++seed) {
    SCOPED_TRACE(seed);
    const test::UnevenScene scene(seed);
    const HostBvh binary = build_host_bvh(host_view(scene.mesh), 2);
    ASSERT_NO_FATAL_FAILURE(expect_hits_of_brute_force(scene.mesh, binary, scene.rays));
  }
}

/// Stacks overflow, so that every kernel climbs.
TEST_P(Kernels, FollowAChainOfTenThousand) {
  const Mesh mesh = test::chain_mesh();
  std::vector<Ray> rays;
  for (float sign : {1.0f, -1.0f}) {
    for (float x : {0.25f, 0.3f, 0.75f}) {  // the last is in every box and in no triangle
      rays.push_back({vec3(x, x, -2 * sign), 0, vec3(0, 0, sign), infinity});
      rays.push_back({vec3(x, x, 0.5f), 0, vec3(0.001f, 0, sign), infinity});
    }
  }
  expect_hits_of_brute_force(mesh, build_host_bvh(host_view(mesh), 1, HostSplit::chain), rays);
}

TEST_P(Kernels, RaysThatAreNoneMiss) {
  const Mesh mesh = generate_cube();
  const Ray good{vec3(0.3f, 0.4f, -1), 0, vec3(0, 0, 1), infinity};
  std::vector<Ray> rays = test::rays_that_are_none(good);
  rays.push_back(good);
  rays.push_back({good.origin, -infinity, good.direction, infinity});
  expect_hits_of_brute_force(mesh, build_host_bvh(host_view(mesh)), rays);
}

/// Rays at an address that is no multiple of 16, as in the caller's own memory.
TEST_P(Kernels, RaysMayStandAtAnyFloat) {
  const Mesh mesh = generate_sphere(2);
  const DeviceMesh device(context(), mesh);
  const Bvh bvh = build(context(), device.view(), HplocOptions{});
  const std::vector<Ray> rays = difficult_rays(mesh, 300, 5);
  std::vector<u32> words(1 + 8 * rays.size());
  std::memcpy(words.data() + 1, rays.data(), rays.size() * sizeof(Ray));
  const Buffer<u32> memory(context(), words);
  const BufferSpan<const Ray> shifted(reinterpret_cast<const Ray*>(memory.data() + 1), rays.size());
  Buffer<Hit> hits(context(), rays.size());
  for (TraceKernel kernel : test::all_kernels) {
    closest_hits(context(), bvh.view(), device.view(), shifted, hits.span(), {.kernel = kernel});
    const std::vector<Hit> found = hits.download();
    for (size_t i = 0; i < rays.size(); ++i) {
      ASSERT_TRUE(test::same_bits(found[i], brute_force_hit({host_view(mesh)}, rays[i]))) << name_of(kernel);
    }
  }
}

/// Results at an address that is no multiple of 16.
TEST_P(Kernels, HitsMayStandAtAnyFloat) {
  const Mesh mesh = generate_sphere(2);
  const DeviceMesh device(context(), mesh);
  const Bvh bvh = build(context(), device.view(), HplocOptions{});
  const std::vector<Ray> rays = difficult_rays(mesh, 300, 6);
  const Buffer<Ray> device_rays(context(), rays);
  for (TraceKernel kernel : test::all_kernels) {
    Buffer<u32> memory(context(), std::vector<u32>(1 + 5 * rays.size()));
    const BufferSpan<Hit> shifted(reinterpret_cast<Hit*>(memory.data() + 1), rays.size());
    closest_hits(context(), bvh.view(), device.view(), device_rays.span(), shifted, {.kernel = kernel});
    const std::vector<u32> words = memory.download();
    for (size_t i = 0; i < rays.size(); ++i) {
      Hit found;
      std::memcpy(&found, words.data() + 1 + 5 * i, sizeof found);
      ASSERT_TRUE(test::same_bits(found, brute_force_hit({host_view(mesh)}, rays[i]))) << name_of(kernel);
    }
  }
}

/// More triangles than an entry of a stack can count.
TEST_P(Kernels, LeavesOfHundredsAreTestedWhole) {
  const Mesh mesh = generate_random(1000, 0.3f);
  const DeviceMesh device(context(), mesh);
  const UploadedBvh uploaded(context(), build_host_bvh(host_view(mesh), 200));
  const PackedTriangles packed = pack_triangles(context(), uploaded.view(), device.view());
  const std::vector<Ray> rays = difficult_rays(mesh, 300, 7);
  const std::vector<Hit> expected = test::brute_force_hits({host_view(mesh)}, rays);
  ASSERT_NO_FATAL_FAILURE(expect_hits(uploaded.view(), device.view(), rays, expected));
  ASSERT_NO_FATAL_FAILURE(expect_hits(uploaded.view(), packed.view(), rays, expected));
}

/// Warps with rays that all point into one octant, for each octant, and the same rays mixed.
TEST_P(Kernels, EveryOctantGivesTheHitsOfBruteForce) {
  const Mesh mesh = generate_sphere(3);
  const HostBvh binary = build_host_bvh(host_view(mesh), 2);
  test::RayMaker make(8);
  std::vector<Ray> rays, mixed;
  for (u32 octant = 0; octant < 8; ++octant) {
    const vec3 sign(octant & 1 ? -1 : 1, octant & 2 ? -1 : 1, octant & 4 ? -1 : 1);
    for (u32 i = 0; i < 128; ++i) {
      const vec3 direction = make.point(0.01f, 1) * sign;
      rays.push_back({make.point(-0.5f, 0.5f) - direction * (i % 2 == 0 ? 3.0f : 0.1f), 0, direction, infinity});
    }
  }
  for (u32 i = 0; i < rays.size(); ++i) mixed.push_back(rays[i * 129 % rays.size()]);
  ASSERT_NO_FATAL_FAILURE(expect_hits_of_brute_force(mesh, binary, rays));
  ASSERT_NO_FATAL_FAILURE(expect_hits_of_brute_force(mesh, binary, mixed));
}

TEST_P(Kernels, SayWhichOfThemTraced) {
  const Mesh mesh = generate_sphere(2);
  const DeviceMesh device(context(), mesh);
  const Bvh bvh = build(context(), device.view(), HplocOptions{});
  std::vector<Ray> together, parallel, apart;
  test::RayMaker make(7);
  for (u32 i = 0; i < 4096; ++i) {
    together.push_back({vec3(0, 0, 3), 0, vec3(float(i % 64) * 0.001f, float(i / 64) * 0.001f, -1), infinity});
    parallel.push_back({make.point(-1, 1), 0, vec3(0, 0, -1), infinity});
    apart.push_back({vec3(0), 0, make.point(-1, 1), infinity});
  }
  const auto chosen = [&](const std::vector<Ray>& rays, TraceKernel kernel) {
    const Buffer<Ray> device_rays(context(), rays);
    Buffer<Hit> hits(context(), rays.size());
    Buffer<u32> word(context(), 1);
    closest_hits(context(), bvh.view(), device.view(), device_rays.span(), hits.span(),
                 {.kernel = kernel, .chosen = word.span()});
    return TraceKernel(word.download()[0]);
  };
  if (GetParam() == Backend::cpu) {
    EXPECT_EQ(chosen(apart, TraceKernel::automatic), TraceKernel::thread_per_ray);
    return;
  }
  EXPECT_EQ(chosen(together, TraceKernel::automatic), TraceKernel::thread_per_ray);
  EXPECT_EQ(chosen(parallel, TraceKernel::automatic), TraceKernel::thread_per_ray);
  EXPECT_EQ(chosen(apart, TraceKernel::automatic), TraceKernel::persistent);
  EXPECT_EQ(chosen(apart, TraceKernel::packets), TraceKernel::packets);
}

TEST_P(Kernels, SayWhichOfThemTracedACompressedTree) {
  if (GetParam() == Backend::cpu) GTEST_SKIP() << "the CPU has no such kernels";
  const Mesh mesh = generate_sphere(2);  // 320 triangles
  const DeviceMesh device(context(), mesh);
  const CompressedBvh4 tree = collapse<CompressedBvh4>(context(), build(context(), device.view(), HplocOptions{}));
  const auto chosen = [&](u32 across, TraceKernel kernel, bool any) {
    std::vector<Ray> rays;
    const float step = 0.03f / float(across);
    for (u32 i = 0; i < across * across; ++i) {
      rays.push_back({vec3(0, 0, 3), 0, vec3(float(i % across) * step, float(i / across) * step, -1), infinity});
    }
    const Buffer<Ray> device_rays(context(), rays);
    Buffer<Hit> hits(context(), rays.size());
    Buffer<u8> occluded(context(), rays.size());
    Buffer<u32> word(context(), 1);
    const TraceOptions options{.kernel = kernel, .chosen = word.span()};
    if (any) {
      any_hits(context(), tree.view(), device.view(), device_rays.span(), occluded.span(), options);
    } else {
      closest_hits(context(), tree.view(), device.view(), device_rays.span(), hits.span(), options);
    }
    return TraceKernel(word.download()[0]);
  };
  // Few enough for a thread each.
  EXPECT_EQ(chosen(64, TraceKernel::automatic, false), TraceKernel::thread_per_ray);
  EXPECT_EQ(chosen(64, TraceKernel::automatic, true), TraceKernel::thread_per_ray);
  EXPECT_EQ(chosen(1024, TraceKernel::automatic, false), TraceKernel::packets);
  EXPECT_EQ(chosen(1024, TraceKernel::automatic, true), TraceKernel::thread_per_ray);
  EXPECT_EQ(chosen(64, TraceKernel::packets, false), TraceKernel::packets);
  EXPECT_EQ(chosen(64, TraceKernel::packets, true), TraceKernel::persistent);
}

TEST_P(Kernels, PackedTrianglesFollowARefit) {
  Mesh mesh = generate_sphere(2);
  const DeviceMesh before(context(), mesh);
  Bvh bvh = build(context(), before.view(), HplocOptions{});
  PackedTriangles packed = pack_triangles(context(), bvh.view(), before.view());
  for (vec3& p : mesh.positions) p = p * vec3(2, 0.5f, 1) + vec3(1, 1, 1);
  const DeviceMesh after(context(), mesh);
  refit(context(), bvh, after.view());
  repack_triangles(context(), packed, bvh.view(), after.view());
  const std::vector<Ray> rays = difficult_rays(mesh, 500, 8);
  const std::vector<Hit> expected = test::brute_force_hits({host_view(mesh)}, rays);
  expect_hits(bvh.view(), packed.view(), rays, expected);
}

TEST_P(Kernels, PackedTrianglesReportTheirGeometryAndTheirOwnNumber) {
  const Mesh mesh = generate_sphere(1);
  Mesh other = mesh;
  for (vec3& p : other.positions) p += vec3(3, 0, 0);
  const DeviceMesh first(context(), mesh), second(context(), other);
  const std::vector<TriangleView> views = {first.view(17), second.view(4)};
  const Bvh bvh = build(context(), views, HplocOptions{.max_leaf_size = 3});
  const PackedTriangles packed = pack_triangles(context(), bvh.view(), views);
  std::vector<TriangleView> host = {host_view(mesh), host_view(other)};
  host[0].geometry = 17;
  host[1].geometry = 4;
  test::RayMaker make(9);
  std::vector<Ray> rays;
  std::vector<Hit> expected;
  for (int i = 0; i < 500; ++i) {
    rays.push_back(make.into({vec3(-1), vec3(4, 1, 1)}));
    expected.push_back(brute_force_hit(host, rays.back()));
  }
  expect_hits(bvh.view(), packed.view(), rays, expected);
}

TEST_P(Kernels, RefuseWhatDoesNotFit) {
  const Mesh mesh = generate_cube();
  const DeviceMesh device(context(), mesh);
  const Bvh bvh = build(context(), device.view(), HplocOptions{});
  PackedTriangles packed = pack_triangles(context(), bvh.view(), device.view());
  Buffer<Ray> rays(context(), 10);
  Buffer<Hit> hits(context(), 10);
  Buffer<u32> words(context(), 2);
  EXPECT_COPSE_ERROR(
      closest_hits(context(), bvh.view(), packed.view().triangles.first(3), rays.span(), hits.span()),
      ErrorCode::invalid_argument, "3 packed triangles, but the tree has room for 12");
  EXPECT_COPSE_ERROR(
      closest_hits(context(), bvh.view(), packed.view(), rays.span(), hits.span(), {.chosen = words.span()}),
      ErrorCode::invalid_argument, "2 chosen kernels");
  EXPECT_COPSE_ERROR(closest_hits(context(), CompressedBvh4View{}, device.view(), rays.span(), hits.span()),
                     ErrorCode::invalid_argument, "0 nodes");
  packed.triangles = Buffer<PackedTriangle>(context(), 5);
  EXPECT_COPSE_ERROR(repack_triangles(context(), packed, bvh.view(), device.view()), ErrorCode::invalid_argument,
                     "room for 5 triangles");
}

COPSE_ON_EACH_BACKEND(Kernels);

}  // namespace
}  // namespace copse
