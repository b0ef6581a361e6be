// Inputs that broke other libraries: fans, subdivided surfaces, vertices of random bits, records with garbage between
// the vertices, rays that are none among good ones, and triangles that all rays see edge-on.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "accel/accel_hits.h"
#include "builders/bvh/build.h"
#include "builders/bvh/validate.h"
#include "builders/geometry/generate.h"
#include "tests/accel/accels.h"
#include "tests/support/values.h"
#include "tests/trace/all_layouts.h"

namespace copse {
namespace {

using test::BvhCopy;
using test::DeviceMesh;

class HardInputs : public test::OnEachBackend {};

COPSE_ON_EACH_BACKEND(HardInputs);

/// A closed fan: `count` triangles around vertex 0, each with an edge in common with the next. Seen from above, they
/// do not overlap.
Mesh fan(u32 count) {
  Mesh mesh{{vec3(0.25f, -0.125f, 0.5f)}, {}};
  for (u32 i = 0; i < count; ++i) {
    const double angle = 6.283185307179586 * i / count;
    mesh.positions.emplace_back(std::cos(angle), std::sin(angle), 0);
    mesh.triangles.emplace_back(0, 1 + i, 1 + (i + 1) % count);
  }
  return mesh;
}

/// Rays from above: the first at the shared vertex, then in turns at shared edges and at any point of the fan.
std::vector<Ray> rays_at_fan(const Mesh& mesh, u32 ray_count) {
  test::RayMaker make(11);
  const vec3 apex = mesh.positions[0];
  std::vector<Ray> rays = {{apex + vec3(0, 0, 4.5f), 0, vec3(0, 0, -1), infinity}};
  while (rays.size() < ray_count) {
    const uvec3 t = mesh.triangles[make.below(u32(mesh.triangles.size()))];
    const float along = rays.size() % 2 == 0 ? 0 : make.uniform(0, 1);
    const vec3 rim = mesh.positions[t.y] + along * (mesh.positions[t.z] - mesh.positions[t.y]);
    const vec3 target = apex + make.uniform(0, 0.95f) * (rim - apex);
    const vec3 origin = vec3(make.uniform(-0.2f, 0.2f), make.uniform(-0.2f, 0.2f), 5);
    rays.push_back({origin, 0, target - origin, infinity});
  }
  return rays;
}

TEST_P(HardInputs, AFanIsHitOnceOrByTwoNeighbours) {
  for (const u32 count : {4, 16, 256, 4096, 65536}) {
    SCOPED_TRACE(count);
    const Mesh mesh = fan(count);
    const std::vector<Ray> rays = rays_at_fan(mesh, count > 4096 ? 100 : 1000);
    const DeviceMesh device(context(), mesh);
    const Accel accel = build(context(), device.view(), {.quality = Quality::fast});
    const Buffer<Ray> device_rays(context(), rays);
    const HitLists lists = all_hits(context(), accel, device_rays.span());
    const std::vector<u64> offsets = lists.offsets.download();
    const std::vector<Hit> all = lists.hits.download();
    const std::vector<Hit> closest = test::trace(context(), accel, rays);
    EXPECT_EQ(offsets[1], count) << "all triangles have the shared vertex";
    EXPECT_EQ(closest[0].primitive, 0u);
    EXPECT_EQ(closest[0].t, 4.5f);
    for (size_t i = 1; i < rays.size(); ++i) {
      const u64 hit_count = offsets[i + 1] - offsets[i];
      ASSERT_GE(hit_count, 1u) << test::text(rays[i]) << " slips through";
      ASSERT_LE(hit_count, 2u) << test::text(rays[i]);
      const Hit &first = all[offsets[i]], &last = all[offsets[i + 1] - 1];
      ASSERT_TRUE(test::same_bits(closest[i], first));
      const u32 apart = (last.primitive + count - first.primitive) % count;
      ASSERT_TRUE(apart <= 1 || apart == count - 1) << first.primitive << " and " << last.primitive;
    }
  }
}

TEST_P(HardInputs, AFanOfManyGeometriesIsThatOfOne) {
  const u32 count = 65536;
  const Mesh mesh = fan(count);
  const std::vector<Ray> rays = rays_at_fan(mesh, 500);
  const DeviceMesh device(context(), mesh);
  std::vector<TriangleView> views;
  for (u32 i = 0; i < count; ++i) {
    views.push_back(device.view(i));
    views.back().triangles = device.triangles.span().subspan(i, 1);
  }
  const Accel whole = build(context(), device.view(), {.quality = Quality::fast});
  const Accel parts = build(context(), views, {.quality = Quality::fast});
  const u32 node_count = whole.tree().counts.download()[0].node_count;
  EXPECT_TRUE(test::same_bytes(parts.tree().counts.download(), whole.tree().counts.download()));
  EXPECT_TRUE(test::same_bytes(parts.tree().nodes.download(node_count), whole.tree().nodes.download(node_count)));
  const std::vector<Hit> expected = test::trace(context(), whole, rays);
  std::vector<Hit> found = test::trace(context(), parts, rays);
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_TRUE(is_hit(found[i])) << test::text(rays[i]) << " slips through";
    ASSERT_EQ(found[i].primitive, 0u);
    std::swap(found[i].primitive, found[i].geometry);
    ASSERT_TRUE(test::same_bits(found[i], expected[i])) << test::text(rays[i]);
  }
}

TEST_P(HardInputs, AFanHasEqualHitsInAllLayouts) {
  for (const u32 count : {3, 4, 64}) {
    const Mesh mesh = fan(count);
    const test::HostBvh binary = test::build_host_bvh(test::host_view(mesh), 2);
    ASSERT_NO_FATAL_FAILURE(
        test::expect_brute_force_in_all_layouts(context(), mesh, binary, rays_at_fan(mesh, 500)));
  }
}

TEST_P(HardInputs, ASubdividedTriangleIsHitWhereTheWholeOneIs) {
  // All midpoints are floats, so the parts lie exactly on the whole triangle.
  Mesh mesh{{{0, 0, 0}, {4096, 0, 2048}, {0, 4096, -1024}}, {{0, 1, 2}}};
  test::RayMaker make(5);
  std::vector<Ray> rays;
  for (u32 i = 0; i < 3000; ++i) {
    float u = make.uniform(-0.1f, 1.1f), v = make.uniform(-0.1f, 1.1f);
    const float smallest = std::min({u, v, 1 - u - v});
    if (smallest > -0.001f && smallest < 0.001f) continue;  // rounding decides
    const vec3 target = u * mesh.positions[1] + v * mesh.positions[2];
    const vec3 origin = make.point(-3000, 3000) + vec3(0, 0, 9000);
    rays.push_back({origin, 0, target - origin, infinity});
  }
  const auto hits_of = [&](const Mesh& part) {
    const DeviceMesh device(context(), part);
    return test::trace(context(), build(context(), device.view()), rays);
  };
  const std::vector<Hit> whole = hits_of(mesh);
  for (u32 times : {1, 2, 4, 7}) {
    const std::vector<Hit> parts = hits_of(subdivide(mesh, times));
    for (size_t i = 0; i < rays.size(); ++i) {
      ASSERT_EQ(is_hit(parts[i]), is_hit(whole[i])) << times << ", " << test::text(rays[i]);
      if (is_hit(whole[i])) {
        ASSERT_NEAR(parts[i].t, whole[i].t, 1e-6f) << test::text(rays[i]);
      }
    }
  }
}

TEST_P(HardInputs, ASubdividedBoxHoldsItsRays) {
  const Mesh whole = generate_cube();
  const Mesh parts = subdivide(whole, 4);
  test::RayMaker make(6);
  std::vector<Ray> rays;
  for (const uvec3& t : parts.triangles) {
    const vec3 a = parts.positions[t.x], b = parts.positions[t.y], origin = make.point(0.1f, 0.9f);
    rays.push_back({origin, 0, a - origin, infinity});
    rays.push_back({origin, 0, 0.5f * (a + b) - origin, infinity});
  }
  const DeviceMesh device_whole(context(), whole), device_parts(context(), parts);
  const std::vector<Hit> expected = test::trace(context(), build(context(), device_whole.view()), rays);
  const std::vector<Hit> found = test::trace(context(), build(context(), device_parts.view()), rays);
  for (size_t i = 0; i < rays.size(); ++i) {
    ASSERT_TRUE(is_hit(expected[i]) && is_hit(found[i])) << test::text(rays[i]);
    ASSERT_NEAR(found[i].t, expected[i].t, 1e-6f) << test::text(rays[i]);
    ASSERT_NEAR(found[i].t, 1, 1e-6f) << test::text(rays[i]);
  }
}

/// Vertices of random bits: any number, infinity and NaN.
Mesh garbage(u32 seed) {
  std::mt19937 random(seed);
  Mesh mesh;
  const u32 vertex_count = 1 + random() % 200, triangle_count = random() % 600;
  for (u32 i = 0; i < vertex_count; ++i) {
    const float x = float_from_bits(random()), y = float_from_bits(random()), z = float_from_bits(random());
    mesh.positions.emplace_back(x, y, z);
  }
  for (u32 i = 0; i < triangle_count; ++i) {
    const u32 a = random() % vertex_count, b = random() % vertex_count, c = random() % vertex_count;
    mesh.triangles.emplace_back(a, b, c);
  }
  return mesh;
}

TEST_P(HardInputs, VerticesOfRandomBitsGiveValidTrees) {
  for (u32 seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const DeviceMesh device(context(), garbage(seed));
    for (const AnyBuildOptions& options : {AnyBuildOptions(LbvhOptions{}), AnyBuildOptions(HplocOptions{}),
                                           AnyBuildOptions(SahOptions{.max_leaf_size = 1 + seed % 8})}) {
      Bvh bvh = build(context(), device.view(), options);
      const ValidationReport report = validate(context(), bvh, device.view());
      ASSERT_TRUE(report.is_valid()) << report.message();
      reinsert(context(), bvh, {.passes = 1});
      const ValidationReport again = validate(context(), bvh, device.view());
      ASSERT_TRUE(again.is_valid()) << again.message();
    }
    for (const float splits : {1.0f, 1.5f}) {
      const Accel accel = build(context(), device.view(), {.quality = Quality(seed % 3), .splits = splits});
      const ValidationReport report = validate(context(), accel.tree(), device.view());
      ASSERT_TRUE(report.is_valid()) << "splits " << splits << ": " << report.message();
    }
  }
}

TEST_P(HardInputs, IndicesOfRandomBitsAreRefusedByAContextThatValidates) {
  Context validating({.backend = GetParam(), .validate = true});
  std::mt19937 random(1);
  Mesh mesh = garbage(3);
  for (uvec3& t : mesh.triangles) t = uvec3(random(), random(), random());
  const DeviceMesh device(validating, mesh);
  EXPECT_COPSE_ERROR(build(validating, device.view()), test::invalid,
                     "but there are " + std::to_string(mesh.positions.size()) + " positions");
}

/// A mesh whose vertices and indices stand in records at an offset, with NaN and large numbers around them.
struct Record {
  Record(Context& context, const Mesh& mesh, u32 index_bytes, u32 stride_words, u32 offset_words) {
    std::vector<float> words(offset_words, test::nan);
    const auto add = [&](const vec3& p) {
      const size_t end = words.size() + stride_words;
      words.insert(words.end(), {p.x, p.y, p.z});
      words.resize(end, test::nan);
    };
    if (index_bytes == 0) {
      for (const uvec3& t : mesh.triangles) {
        for (int k = 0; k < 3; ++k) add(mesh.positions[t[k]]);
      }
    } else {
      for (const vec3& p : mesh.positions) add(p);
    }
    const u64 count = (words.size() - offset_words) / stride_words;
    // The last vertex ends where the allocation ends.
    words.resize(offset_words + (count - 1) * stride_words + 3);
    positions = Buffer<float>(context, words);
    view.positions = {reinterpret_cast<const vec3*>(positions.data() + offset_words), count, stride_words * 4};
    if (index_bytes == 4) add_indices<u32>(context, mesh, offset_words);
    if (index_bytes == 2) add_indices<u16>(context, mesh, offset_words);
  }

  template <class T>
  void add_indices(Context& context, const Mesh& mesh, u32 offset) {
    std::vector<T> all(offset, T(~T{0}));
    for (const uvec3& t : mesh.triangles) all.insert(all.end(), {T(t.x), T(t.y), T(t.z)});
    std::vector<u8> bytes(all.size() * sizeof(T));
    std::memcpy(bytes.data(), all.data(), bytes.size());
    indices = Buffer<u8>(context, bytes);
    view.triangles.data = indices.data() + offset * sizeof(T);
    view.triangles.size = mesh.triangles.size();
    view.triangles.index_bytes = sizeof(T);
  }

  Buffer<float> positions;
  Buffer<u8> indices;
  TriangleView view;
};

TEST_P(HardInputs, RecordsOfAnyStrideAndOffsetGiveTheSameTree) {
  const Mesh mesh = generate_sphere(2);
  const DeviceMesh plain(context(), mesh);
  const BvhCopy expected(build(context(), plain.view(), HplocOptions{}));
  const Accel accel = build(context(), plain.view());
  const std::vector<Ray> rays = test::difficult_rays(mesh, 200, 3);
  const std::vector<Hit> hits = test::trace(context(), accel, rays);
  for (const u32 index_bytes : {0, 2, 4}) {
    for (const u32 stride_words : {3, 4, 5, 8, 17}) {
      for (const u32 offset_words : {0, 1, 2, 3, 7}) {
        SCOPED_TRACE(std::to_string(index_bytes) + " bytes, stride " + std::to_string(stride_words) + ", offset " +
                     std::to_string(offset_words));
        const Record record(context(), mesh, index_bytes, stride_words, offset_words);
        ASSERT_TRUE(same_bytes(expected, BvhCopy(build(context(), record.view, HplocOptions{}))));
        Accel moved = build(context(), record.view);
        refit(context(), moved, record.view);
        const std::vector<Hit> found = test::trace(context(), moved, rays);
        for (size_t i = 0; i < rays.size(); ++i) ASSERT_TRUE(test::same_bits(found[i], hits[i]));
      }
    }
  }
}

TEST_P(HardInputs, RaysThatAreNoneChangeNoNeighbour) {
  const Mesh mesh = generate_sphere(2);
  const test::HostBvh binary = test::build_host_bvh(test::host_view(mesh), 2);
  const Ray good{vec3(0.1f, 0.2f, 5), 0, vec3(0, 0, -1), infinity};
  const std::vector<Ray> bad = test::rays_that_are_none(good);
  // Neighbours stay together, as packets need. More and more of them are none.
  std::vector<Ray> rays;
  for (u32 i = 0; i < 1536; ++i) {
    Ray ray = good;
    ray.direction = vec3(float(i % 32) / 160 - 0.1f, float(i / 32) / 240 - 0.1f, -1);
    const bool is_good = i < 512 ? i % 16 != i / 16 % 16 : i < 1024 ? i % 2 == 0 : i % 16 == i / 16 % 16;
    rays.push_back(is_good ? ray : bad[i % bad.size()]);
  }
  test::expect_brute_force_in_all_layouts(context(), mesh, binary, rays);
}

TEST_P(HardInputs, ALargeMeshOfTrianglesSeenEdgeOnHidesNothing) {
  // They lie in planes of equal x, and the rays in the same planes. Their boxes are entered, hundreds per ray.
  constexpr u32 plane_count = 1024, count = 1000000;
  test::RayMaker make(9);
  Mesh mesh;
  for (u32 i = 0; i < count; ++i) {
    const float x = float(i % plane_count) / plane_count, y = make.uniform(0, 1), z = make.uniform(0, 1);
    mesh.positions.insert(mesh.positions.end(), {{x, y, z}, {x, y + 0.1f, z}, {x, y, z + 0.01f}});
    mesh.triangles.emplace_back(3 * i, 3 * i + 1, 3 * i + 2);
  }
  for (const vec3& p : {vec3(-9, -9, 2), vec3(9, -9, 2), vec3(0, 9, 2)}) mesh.positions.push_back(p);
  mesh.triangles.emplace_back(3 * count, 3 * count + 1, 3 * count + 2);
  std::vector<Ray> rays;
  for (u32 i = 0; i < 8192; ++i)
    rays.push_back(
        {vec3(float(i % plane_count) / plane_count, make.uniform(0, 1), -1), 0, vec3(0, 0, 1), infinity});
  const DeviceMesh device(context(), mesh);
  const Accel accel = build(context(), device.view(), {.quality = Quality::fast});
  for (const Hit& hit : test::trace(context(), accel, rays)) {
    ASSERT_EQ(hit.primitive, count);
    ASSERT_NEAR(hit.t, 3, 1e-6f);
  }
}

}  // namespace
}  // namespace copse
