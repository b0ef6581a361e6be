// Rays through Accel find what brute force finds, bit for bit: batches, and one ray at a time on its view.

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "accel/accel_rays.h"
#include "builders/geometry/generate.h"
#include "tests/accel/accels.h"
#include "tests/support/hard_meshes.h"
#include "trace/trace_rays.h"

namespace copse {
namespace {

using test::DeviceMesh;
using test::host_view;

/// One mesh as four geometries with different masks, and an empty one.
std::vector<Mesh> parts_of_a_mesh() {
  const Mesh all = generate_random(480, 0.2f);
  std::vector<Mesh> parts(4, all);
  for (u32 i = 0; i < 4; ++i) {
    parts[i].triangles.assign(all.triangles.begin() + 120 * i, all.triangles.begin() + 120 * (i + 1));
  }
  parts.push_back({});
  return parts;
}

class AccelRays : public test::OnEachBackend {};

TEST_P(AccelRays, FindTheHitsOfBruteForce) {
  for (const test::NamedMesh& each : test::hard_meshes()) {
    if (each.mesh.positions.empty()) continue;
    const DeviceMesh device(context(), each.mesh);
    const std::vector<Ray> rays = test::difficult_rays(each.mesh, 400, 1);
    const std::vector<Hit> expected = test::brute_force_hits({host_view(each.mesh)}, rays);
    for (const Quality quality : test::all_qualities) {
      const Accel accel = build(context(), device.view(), {.quality = quality});
      ASSERT_NO_FATAL_FAILURE(
          test::expect_hits(context(), accel, rays, expected, each.name + ", " + name_of(quality)));
    }
  }
}

TEST_P(AccelRays, MissWithoutTriangles) {
  const Accel accel = build(context(), TriangleView{});
  const std::vector<Ray> rays{{{0, 0, 3}, 0, {0, 0, -1}, 7}};
  test::expect_hits(context(), accel, rays, {Hit{7, invalid_id, invalid_id, 0, 0}}, "no triangles");
  test::expect_hits(context(), accel, {}, {}, "no rays");
}

TEST_P(AccelRays, SeeGeometriesByMasks) {
  const test::SceneOfViews scene(context(), parts_of_a_mesh(), {0b0001, 0b0110, 0, ~u32{0}, 8});
  const std::vector<Ray> rays = test::difficult_rays(generate_random(480, 0.2f), 800, 3);
  std::vector<u32> masks(rays.size());
  for (size_t i = 0; i < masks.size(); ++i) masks[i] = i % 17 == 16 ? ~u32{0} : u32(i % 16);
  const Buffer<u32> device_masks(context(), masks);
  for (const Quality quality : test::all_qualities) {
    const Accel accel = build(context(), scene.device(), {.quality = quality});
    std::vector<Hit> expected, of_all, of_six;
    for (size_t i = 0; i < rays.size(); ++i) {
      expected.push_back(scene.hit(rays[i], masks[i]));
      of_all.push_back(scene.hit(rays[i]));
      of_six.push_back(scene.hit(rays[i], 6));
    }
    test::expect_hits(context(), accel, rays, of_all, "no mask");
    test::expect_hits(context(), accel, rays, of_six, "one mask", {.mask = 6});
    test::expect_hits(context(), accel, rays, expected, "masks", {.masks = device_masks.span()});
  }
}

TEST_P(AccelRays, PassOverOneSideOfTriangles) {
  const Mesh mesh = generate_sphere(2);
  const DeviceMesh device(context(), mesh);
  const Accel accel = build(context(), device.view());
  std::vector<Ray> rays = test::difficult_rays(mesh, 300, 8);
  for (u32 i = 0; i < 32 * 32; ++i) {  // rays that stay together
    rays.push_back({{0.01f, 0.02f, 3}, 0, {float(i % 32) / 600, float(i / 32) / 600, -1}, infinity});
  }
  for (const Cull cull : {Cull::none, Cull::back, Cull::front}) {
    std::vector<Hit> expected;
    for (const Ray& ray : rays) expected.push_back(test::brute_force_culled_hit(host_view(mesh), ray, cull));
    for (const TraceKernel kernel :
         {TraceKernel::automatic, TraceKernel::thread_per_ray, TraceKernel::persistent, TraceKernel::packets}) {
      ASSERT_NO_FATAL_FAILURE(
          test::expect_hits(context(), accel, rays, expected, name_of(cull), {.kernel = kernel, .cull = cull}));
    }
    if (GetParam() != Backend::cpu) continue;
    for (size_t i = 0; i < rays.size(); i += 3) {
      ASSERT_TRUE(test::same_bits(closest_hit(accel.view(), rays[i], ~u32{0}, cull), expected[i]));
      ASSERT_EQ(any_hit(accel.view(), rays[i], ~u32{0}, cull), is_hit(expected[i]));
    }
  }
}

TEST_P(AccelRays, NameTheTriangleInAShortHit) {
  const test::SceneOfViews scene(context(), parts_of_a_mesh());
  const std::vector<Ray> rays = test::difficult_rays(generate_random(480, 0.2f), 800, 9);
  for (const Quality quality : test::all_qualities) {
    Accel accel = build(context(), scene.device(), {.quality = quality});
    if (quality == Quality::fast) compact(context(), accel);
    const std::vector<ShortHit> hits = test::trace_short(context(), accel, rays);
    const std::vector<PackedTriangle> triangles = accel.packed_triangles().triangles.download();
    u32 hit_count = 0;
    for (size_t i = 0; i < rays.size(); ++i) {
      const Hit expected = scene.hit(rays[i]);
      ASSERT_EQ(is_hit(hits[i]), is_hit(expected));
      if (!is_hit(expected)) {
        ASSERT_EQ(hits[i].triangle, invalid_id);
        ASSERT_EQ(std::bit_cast<u32>(hits[i].t), std::bit_cast<u32>(rays[i].t_max));
        continue;
      }
      ++hit_count;
      ASSERT_LT(hits[i].triangle, triangles.size());
      ASSERT_EQ(triangles[hits[i].triangle].local_id, expected.primitive);
      ASSERT_EQ(triangles[hits[i].triangle].geometry, expected.geometry);
      // On the host the view can be read on the CPU's backend alone.
      if (GetParam() == Backend::cpu) {
        ASSERT_TRUE(test::same_bits(full_hit(accel.view(), rays[i], hits[i]), expected));
      }
    }
    ASSERT_GT(hit_count, 100u);
  }
}

TEST_P(AccelRays, FillShortHitsAfterARefit) {
  Mesh mesh = generate_random(480, 0.2f);
  const DeviceMesh before(context(), mesh);
  Accel accel = build(context(), before.view());
  for (vec3& position : mesh.positions) position = position * 1.5f + vec3(0.1f, 0, 0);
  const DeviceMesh after(context(), mesh);
  refit(context(), accel, after.view());
  const std::vector<Ray> rays = test::difficult_rays(mesh, 400, 11);
  test::expect_hits(context(), accel, rays, test::brute_force_hits({host_view(mesh)}, rays), "after a refit");
}

/// A ray inside a record of the caller's.
struct PathState {
  u32 pixel;
  Ray ray;
  float weight;
};

TEST_P(AccelRays, StandInArraysOrRecordsOfTheCaller) {
  const test::SceneOfViews scene(context(), parts_of_a_mesh(), {0b0001, 0b0110, 0, ~u32{0}, 8});
  const Accel accel = build(context(), scene.device());
  // More than are gathered at a time on the CPU.
  const std::vector<Ray> few = test::difficult_rays(generate_random(480, 0.2f), 1000, 5);
  std::vector<PathState> records;
  std::vector<vec3> origins, directions;
  std::vector<float> t_max;
  std::vector<u32> masks;
  for (u32 i = 0; i < 20000; ++i) {
    const Ray& ray = few[i % few.size()];
    records.push_back({i, ray, 1});
    origins.push_back(ray.origin), directions.push_back(ray.direction), t_max.push_back(2);
    masks.push_back(i % 16);
  }
  const Buffer<PathState> device_records(context(), records);
  const Buffer<vec3> device_origins(context(), origins), device_directions(context(), directions);
  const Buffer<float> device_t_max(context(), t_max);
  const Buffer<u32> device_masks(context(), masks);
  Buffer<Hit> hits(context(), records.size());
  Buffer<u8> occluded(context(), records.size());
  const RaySpan in_records = RaySpan::in_records(&device_records.data()->ray, records.size(), sizeof(PathState));
  closest_hits(context(), accel, in_records, hits.span(), {.masks = device_masks.span()});
  Buffer<ShortHit> short_hits(context(), records.size());
  closest_hits(context(), accel, in_records, short_hits.span(), {.masks = device_masks.span()});
  const std::vector<ShortHit> got_short = short_hits.download();
  any_hits(context(), accel, in_records, occluded.span(), {.masks = device_masks.span()});
  std::vector<Hit> got = hits.download();
  std::vector<u8> got_any = occluded.download();
  for (u32 i = 0; i < 20000; i += i < 1000 ? 1 : 371) {
    const Hit expected = scene.hit(records[i].ray, masks[i]);
    ASSERT_TRUE(test::same_bits(got[i], expected)) << i;
    ASSERT_EQ(got_any[i], is_hit(expected)) << i;
    ASSERT_EQ(got_short[i].t, expected.t) << i;
    ASSERT_EQ(is_hit(got_short[i]), is_hit(expected)) << i;
  }

  const RaySpan in_arrays{
      .origins = device_origins.span(), .directions = device_directions.span(), .t_max = {device_t_max.data()}};
  closest_hits(context(), accel, in_arrays, hits.span());
  got = hits.download();
  for (u32 i = 0; i < 20000; i += i < 1000 ? 1 : 371) {
    const Ray ray{origins[i], 0, directions[i], 2};
    ASSERT_TRUE(test::same_bits(got[i], scene.hit(ray))) << i;
  }
  const std::vector<Ray> gathered = ray_records(context(), in_arrays).download();
  ASSERT_EQ(gathered.size(), origins.size());
  for (u32 i = 0; i < origins.size(); ++i) {
    const Ray ray{origins[i], 0, directions[i], 2};
    ASSERT_EQ(std::memcmp(&gathered[i], &ray, sizeof ray), 0) << i;
  }
  const RaySpan one_direction{.origins = device_origins.span(),
                              .directions = {device_directions.data(), origins.size(), 0}};
  closest_hits(context(), accel, one_direction, hits.span());
  got = hits.download();
  for (u32 i = 0; i < 1000; ++i) {
    const Ray ray{origins[i], 0, directions[0], infinity};
    ASSERT_TRUE(test::same_bits(got[i], scene.hit(ray))) << i;
  }
}

TEST_P(AccelRays, OfAnyLayoutTakeAllOptions) {
  const test::SceneOfViews scene(context(), parts_of_a_mesh(), {0b0001, 0b0110, 0, ~u32{0}, 8});
  const Accel accel = build(context(), scene.device());
  const std::vector<Ray> rays = test::difficult_rays(generate_random(480, 0.2f), 3000, 9);
  std::vector<u32> masks;
  for (u32 i = 0; i < rays.size(); ++i) masks.push_back(i % 16);
  const Buffer<Ray> device_rays(context(), rays);
  const Buffer<u32> device_masks(context(), masks);
  Buffer<u32> word(context(), 1);
  Buffer<Hit> hits(context(), rays.size());
  const RaySpan span = RaySpan::in_records(device_rays.span());
  for (const TraceOptions& options : {TraceOptions{.masks = device_masks.span(), .cull = Cull::back},
                                      TraceOptions{.mask = 6, .cull = Cull::front},
                                      TraceOptions{.kernel = TraceKernel::packets, .chosen = word.span()}}) {
    closest_hits(context(), accel, device_rays.span(), hits.span(), options);
    const std::vector<Hit> expected = hits.download();
    closest_hits(context(), accel, span, hits.span(), options);
    const std::vector<Hit> got = hits.download();
    for (size_t i = 0; i < rays.size(); ++i) ASSERT_TRUE(test::same_bits(got[i], expected[i])) << i;
  }
  EXPECT_NE(TraceKernel(word.download()[0]), TraceKernel::automatic);
  EXPECT_COPSE_ERROR(closest_hits(context(), accel, span, hits.span(), {.cull = Cull(3)}),
                     ErrorCode::invalid_argument, "closest_hits: options.cull is 3");
  EXPECT_COPSE_ERROR(closest_hits(context(), accel, span, hits.span(), {.masks = device_masks.span().first(7)}),
                     ErrorCode::invalid_argument, "7 masks for 3000 rays");
}

/// Parts of rays are read in pieces of 16 bytes. The one at the end of its memory is not.
TEST(AccelRaysOnTheCpu, ReadNothingBehindTheLastPart) {
  Context context({.backend = Backend::cpu});
  const DeviceMesh device(context, generate_cube());
  const Accel accel = build(context, device.view());
  const size_t page = size_t(sysconf(_SC_PAGESIZE));
  void* const pages = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  u8* const end = static_cast<u8*>(pages) + page;
  ASSERT_EQ(mprotect(end, page, PROT_NONE), 0);
  const vec3 direction(0, 0, -1);
  for (const u64 count : {u64{1}, u64{2}, page / sizeof(vec3)}) {
    for (const u64 stride : {u64{0}, sizeof(vec3)}) {
      vec3* const origins = reinterpret_cast<vec3*>(end - sizeof(vec3) * (stride == 0 ? 1 : count));
      std::fill(origins, reinterpret_cast<vec3*>(end), vec3(0.1f, 0.2f, 3));
      std::vector<Hit> hits(count);
      const RaySpan rays{.origins = {origins, count, stride}, .directions = {&direction, count, 0}};
      closest_hits(context, accel, rays, BufferSpan<Hit>(hits.data(), count));
      for (const Hit& hit : hits) ASSERT_TRUE(is_hit(hit) && hit.t < 3);
    }
  }
  munmap(pages, 2 * page);
}

TEST_P(AccelRays, RefuseSpansThatDoNotFit) {
  const DeviceMesh device(context(), generate_cube());
  const Accel accel = build(context(), device.view());
  const Buffer<vec3> points(context(), 4);
  Buffer<Hit> hits(context(), 4);
  const ErrorCode code = ErrorCode::invalid_argument;
  RaySpan rays{.origins = points.span(), .directions = points.span()};
  EXPECT_NO_THROW(closest_hits(context(), accel, RaySpan{}, BufferSpan<Hit>{}));
  rays.directions.size = 3;
  EXPECT_COPSE_ERROR(closest_hits(context(), accel, rays, hits.span()), code, "4 origins, 3 directions");
  rays.directions.size = 4;
  EXPECT_COPSE_ERROR(closest_hits(context(), accel, rays, hits.span().first(2)), code,
                     "2 results, but the number of rays is 4");
  rays.directions.stride_bytes = 13;
  EXPECT_COPSE_ERROR(closest_hits(context(), accel, rays, hits.span()), code, "directions are 13 bytes apart");
  rays.directions = {nullptr, 4, sizeof(vec3)};
  EXPECT_COPSE_ERROR(closest_hits(context(), accel, rays, hits.span()), code,
                     "the address of 4 directions is null");
  rays.directions = {reinterpret_cast<const vec3*>(hits.data()), 4, sizeof(vec3)};
  EXPECT_COPSE_ERROR(closest_hits(context(), accel, rays, hits.span()), code, "overlap the directions");
  EXPECT_COPSE_ERROR(closest_hits(context(), accel, BufferSpan<const Ray>(nullptr, 4), hits.span()), code,
                     "the address of 4 rays is null");
  EXPECT_COPSE_ERROR(closest_hits(context(), accel, BufferSpan<const Ray>{}, BufferSpan<Hit>{}, {.cull = Cull(3)}),
                     code, "options.cull is 3");
}

/// Keeps the hits that all_hits visits.
struct Collect {
  std::vector<Hit>& hits;
  bool operator()(const Hit& hit) {
    hits.push_back(hit);
    return true;
  }
};

/// One ray at a time, on the host: for the CPU's memory alone.
TEST(AccelView, OneRayAtATimeFindsWhatBruteForceFinds) {
  Context context({.backend = Backend::cpu});
  const test::SceneOfViews scene(context, parts_of_a_mesh(), {0b0001, 0b0110, 0, ~u32{0}, 8});
  const std::vector<Ray> rays = test::difficult_rays(generate_random(480, 0.2f), 300, 7);
  for (const Quality quality : test::all_qualities) {
    const Accel accel = build(context, scene.device(), {.quality = quality});
    for (const u32 mask : {~u32{0}, u32{1}, u32{6}, u32{0}}) {
      for (const Ray& ray : rays) {
        const Hit expected = scene.hit(ray, mask);
        ASSERT_TRUE(test::same_bits(closest_hit(accel.view(), ray, mask), expected)) << test::text(ray);
        ASSERT_EQ(any_hit(accel.view(), ray, mask), is_hit(expected));
      }
    }
    for (const Ray& ray : rays) {
      ASSERT_TRUE(test::same_bits(closest_hit(accel.view(), ray), scene.hit(ray)));
      std::vector<Hit> hits;
      Collect collect{hits};
      all_hits(accel.view(), ray, collect, 1);
      for (size_t i = 0; i < hits.size(); ++i) {
        EXPECT_TRUE(hits[i].geometry == 10 || hits[i].geometry == 13);
        EXPECT_LE(hits[i == 0 ? 0 : i - 1].t, hits[i].t);
      }
      ASSERT_EQ(!hits.empty(), is_hit(scene.hit(ray, 1)));
    }
  }
}

TEST_P(AccelRays, RefuseWhatDoesNotFit) {
  const DeviceMesh device(context(), generate_cube());
  const Accel accel = build(context(), device.view()), none;
  const Buffer<Ray> rays(context(), 4);
  Buffer<Hit> hits(context(), 4);
  Buffer<u8> occluded(context(), 4);
  const Buffer<u32> masks(context(), 3);
  EXPECT_COPSE_ERROR(closest_hits(context(), accel, rays.span(), hits.span().first(3)),
                     ErrorCode::invalid_argument, "3 results, but the number of rays is 4");
  EXPECT_COPSE_ERROR(closest_hits(context(), accel, rays.span(), hits.span(), {.masks = masks.span()}),
                     ErrorCode::invalid_argument, "3 masks for 4 rays");
  Buffer<ShortHit> short_hits(context(), 4);
  EXPECT_COPSE_ERROR(closest_hits(context(), accel, rays.span(), short_hits.span().first(3)),
                     ErrorCode::invalid_argument, "3 results, but the number of rays is 4");
  EXPECT_COPSE_ERROR(full_hits(context(), accel, rays.span(), short_hits.span().first(3), hits.span()),
                     ErrorCode::invalid_argument, "full_hits: 4 rays, 3 hits");
  EXPECT_COPSE_ERROR(full_hits(context(), accel, rays.span(), short_hits.span(), hits.span().first(3)),
                     ErrorCode::invalid_argument, "3 results, but the number of rays is 4");
  EXPECT_COPSE_ERROR(full_hits(context(), none, rays.span(), short_hits.span(), hits.span()),
                     ErrorCode::invalid_argument, "full_hits: the structure was never built");
  EXPECT_COPSE_ERROR(closest_hits(context(), accel.tree().view(), device.view(), rays.span(), short_hits.span()),
                     ErrorCode::invalid_argument, "the triangles are not packed");
  EXPECT_COPSE_ERROR(closest_hits(context(), none, rays.span(), short_hits.span()), ErrorCode::invalid_argument,
                     "closest_hits: the structure was never built");
  EXPECT_COPSE_ERROR(closest_hits(context(), none, rays.span(), hits.span()), ErrorCode::invalid_argument,
                     "closest_hits: the structure was never built");
  EXPECT_COPSE_ERROR(any_hits(context(), none, rays.span(), occluded.span()), ErrorCode::invalid_argument,
                     "any_hits: the structure was never built");
}

COPSE_ON_EACH_BACKEND(AccelRays);

}  // namespace
}  // namespace copse
