// Rays and queries that several devices share give the bytes of one device.

#include <gtest/gtest.h>

#include "accel/accel_queries.h"
#include "accel/accel_render.h"
#include "builders/geometry/generate.h"
#include "copse/scale.h"
#include "tests/accel/accels.h"
#include "tests/queries/query_oracle.h"
#include "tests/support/hard_meshes.h"

namespace copse {
namespace {

using test::DeviceMesh;
using test::same_bytes;

/// The devices of each test: contexts of the CPU, or all GPUs; with peer access, or by copies.
std::vector<DevicesOptions> all_options(Backend backend) {
  std::vector<DevicesOptions> all;
  for (const bool peer_access : {true, false}) {
    if (backend == Backend::cuda) {
      all.push_back({.backend = backend, .peer_access = peer_access});
      continue;
    }
    for (const u32 count : {1u, 2u, 3u, 4u, 7u}) {
      all.push_back({.backend = backend, .count = count, .workers = 1, .peer_access = peer_access});
    }
  }
  return all;
}

/// What rays and points find, in bytes.
struct Answers {
  std::vector<Hit> hits;
  std::vector<ShortHit> short_hits;
  std::vector<u8> occluded, inside;
  std::vector<NearestPoint> nearest;
  std::vector<Neighbour> neighbours;
};

/// Asks one device, or several that share the work. `target` comes before the spans in every call.
template <class Place, class Target>
Answers ask(Context& first, Place& place, const Target& target, const std::vector<Ray>& rays,
            const std::vector<vec3>& points, const std::vector<u32>& masks) {
  const Buffer<Ray> near_rays(first, rays);
  const Buffer<vec3> near_points(first, points);
  const Buffer<u32> near_masks(first, masks);
  Buffer<Hit> hits(first, rays.size());
  Buffer<ShortHit> short_hits(first, rays.size());
  Buffer<u8> occluded(first, rays.size()), inside(first, points.size());
  Buffer<NearestPoint> nearest(first, points.size());
  Buffer<Neighbour> neighbours(first, 3 * points.size());
  closest_hits(place, target, near_rays.span(), hits.span(), {.masks = near_masks.span()});
  closest_hits(place, target, near_rays.span(), short_hits.span(), {.mask = 2});
  any_hits(place, target, near_rays.span(), occluded.span(), {.masks = near_masks.span(), .cull = Cull::back});
  nearest_points(place, target, near_points.span(), nearest.span(), 0.5f);
  nearest_primitives(place, target, near_points.span(), neighbours.span());
  points_inside(place, target, near_points.span(), inside.span());
  return {hits.download(),   short_hits.download(), occluded.download(),
          inside.download(), nearest.download(),    neighbours.download()};
}

void expect_equal(const Answers& a, const Answers& b, const std::string& name) {
  EXPECT_TRUE(same_bytes(a.hits, b.hits)) << name;
  EXPECT_TRUE(same_bytes(a.short_hits, b.short_hits)) << name;
  EXPECT_TRUE(same_bytes(a.occluded, b.occluded)) << name;
  EXPECT_TRUE(same_bytes(a.inside, b.inside)) << name;
  EXPECT_TRUE(same_bytes(a.nearest, b.nearest)) << name;
  EXPECT_TRUE(same_bytes(a.neighbours, b.neighbours)) << name;
}

/// A mesh in two views with masks, so that the Accel has masks of its own.
std::vector<TriangleView> two_views(const DeviceMesh& mesh) {
  TriangleView a = mesh.view(4), b = mesh.view(9);
  const u64 half = mesh.triangles.size() / 2;
  a.triangles = mesh.triangles.span().first(half);
  b.triangles = mesh.triangles.span().subspan(half, mesh.triangles.size() - half);
  a.mask = 1, b.mask = 6;
  return {a, b};
}

std::string name_of_options(const std::string& mesh, Devices& devices, const DevicesOptions& options) {
  return mesh + ", " + std::to_string(devices.count()) + " devices" + (options.peer_access ? "" : ", by copies");
}

class Replicated : public testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    if (GetParam() == Backend::cuda) COPSE_SKIP_WITHOUT_GPU();
  }
};
COPSE_ON_EACH_BACKEND(Replicated);

TEST_P(Replicated, AccelsAnswerAsOne) {
  u32 next = 0;
  for (const test::NamedMesh& each : test::hard_meshes()) {
    if (each.mesh.positions.empty()) continue;
    const std::vector<Ray> rays = test::difficult_rays(each.mesh, 700, 5);
    const std::vector<vec3> points = test::difficult_points(each.mesh, 300, 6);
    std::vector<u32> masks(rays.size());
    for (u32 i = 0; i < masks.size(); ++i) masks[i] = i % 4;
    const std::vector<DevicesOptions> all = all_options(GetParam());
    for (u32 i = 0; i < 2; ++i) {
      const DevicesOptions& options = all[next++ % all.size()];
      Devices devices(options);
      const DeviceMesh mesh(devices.first(), each.mesh);
      ReplicatedAccel accel = replicate(devices, build(devices.first(), two_views(mesh)));
      ASSERT_EQ(accel.count(), devices.count());
      const Answers one = ask(devices.first(), devices.first(), accel.first(), rays, points, masks);
      expect_equal(ask(devices.first(), devices, accel, rays, points, masks), one,
                   name_of_options(each.name, devices, options));
    }
  }
}

TEST_P(Replicated, RaysOfAnyLayoutHitTheSame) {
  for (const DevicesOptions& options : all_options(GetParam())) {
    Devices devices(options);
    const DeviceMesh mesh(devices.first(), generate_sphere(3));
    const ReplicatedAccel accel = replicate(devices, build(devices.first(), two_views(mesh)));
    const Buffer<Ray> rays(devices.first(), test::difficult_rays(generate_sphere(3), 700, 8));
    const RaySpan span = RaySpan::in_records(rays.span());
    Buffer<Hit> hits(devices.first(), rays.size());
    Buffer<u8> occluded(devices.first(), rays.size());
    closest_hits(devices, accel, rays.span(), hits.span(), {.mask = 2});
    const std::vector<Hit> expected = hits.download();
    hits.upload(std::vector<Hit>(rays.size()));
    closest_hits(devices, accel, span, hits.span(), {.mask = 2});
    any_hits(devices, accel, span, occluded.span(), {.mask = 2});
    EXPECT_TRUE(same_bytes(hits.download(), expected));
    const std::vector<u8> got = occluded.download();
    for (size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], is_hit(expected[i])) << i;
    EXPECT_COPSE_ERROR(closest_hits(devices, accel, span, hits.span().first(699)), ErrorCode::invalid_argument,
                       "699 results, but the number of rays is 700");
  }
}

/// The Accel of the first device changes in every way. After update() the others answer as it does.
TEST_P(Replicated, AccelsFollowTheFirst) {
  const Mesh mesh = generate_random(3000, 0.2f), other = generate_random(2000, 0.3f);
  Mesh moved = mesh;
  for (vec3& position : moved.positions) position += vec3(0.1f, 0, position.x);
  const std::vector<Ray> rays = test::difficult_rays(mesh, 900, 7);
  const std::vector<vec3> points = test::difficult_points(mesh, 300, 8);
  const std::vector<u32> masks(rays.size(), 3);
  for (const DevicesOptions& options : all_options(GetParam())) {
    Devices devices(options);
    Context& first = devices.first();
    const DeviceMesh a(first, mesh), b(first, moved), c(first, other);
    ReplicatedAccel accel = replicate(devices, build(first, two_views(a)));
    const auto expect_same = [&](const char* after) {
      update(devices, accel);
      const Answers one = ask(first, first, accel.first(), rays, points, masks);
      expect_equal(ask(first, devices, accel, rays, points, masks), one, name_of_options(after, devices, options));
    };
    refit(first, accel.first(), two_views(b));
    expect_same("refit");
    rebuild(first, accel.first(), two_views(c));
    expect_same("rebuild");
    compact(first, accel.first());
    expect_same("compact");
    const std::vector<Hit> hits = test::trace(first, accel.first(), rays);
    devices.run([&](Context& context, u32 device) {
      EXPECT_TRUE(same_bytes(test::trace(context, accel.on(device), rays), hits)) << "device " << device;
    });
  }
}

TEST_P(Replicated, PicturesEqualThoseOfOne) {
  const Mesh mesh = generate_random(3000, 0.2f);
  for (const DevicesOptions& options : all_options(GetParam())) {
    Devices devices(options);
    const DeviceMesh on_first(devices.first(), mesh);
    ReplicatedAccel accel = replicate(devices, build(devices.first(), on_first.view()));
    for (const auto& [width, height] : {std::pair{90u, 101u}, std::pair{1u, 1u}, std::pair{17u, 260u}}) {
      const Camera camera = frame_box(bounds(mesh), 45, float(width) / float(height));
      for (u32 shading = 0; shading <= u32(Shading::heat); ++shading) {
        const RenderOptions render_options{
            .width = width, .height = height, .shading = Shading(shading), .ambient_rays = 3};
        const Image one = render(devices.first(), accel.first(), camera, render_options);
        const Image shared = render(devices, accel, camera, render_options);
        EXPECT_TRUE(same_bytes(shared.pixels, one.pixels))
            << name_of_options("shading " + std::to_string(shading), devices, options);
      }
    }
    EXPECT_COPSE_ERROR(render(devices, accel, frame_box(bounds(mesh), 45, 1), {.width = 0}),
                       ErrorCode::invalid_argument, "render: width is 0");
  }
}

TEST_P(Replicated, AccelsRefuseWhatDoesNotFit) {
  Devices devices({.backend = GetParam(), .count = GetParam() == Backend::cpu ? 2u : 0u});
  Devices others({.backend = GetParam(), .count = 1});
  const DeviceMesh mesh(devices.first(), generate_sphere(2));
  const Buffer<Ray> rays(devices.first(), 300);
  Buffer<Hit> hits(devices.first(), 299);
  constexpr ErrorCode invalid = ErrorCode::invalid_argument;
  EXPECT_COPSE_ERROR(replicate(devices, Accel()), invalid, "replicate: the structure was never built");
  ReplicatedAccel accel = replicate(devices, build(devices.first(), mesh.view()));
  EXPECT_COPSE_ERROR(closest_hits(devices, accel, rays.span(), hits.span()), invalid,
                     "there is room for 299 results, but the number of rays is 300");
  EXPECT_COPSE_ERROR(closest_hits(others, accel, rays.span().first(299), hits.span()), invalid,
                     "closest_hits: the structure was replicated for other devices");
  EXPECT_COPSE_ERROR(update(devices, *std::make_unique<ReplicatedAccel>()), invalid,
                     "update: the structure was never replicated");
  EXPECT_COPSE_ERROR(accel.on(99), invalid, "device 99 was asked for");
  EXPECT_COPSE_ERROR(ReplicatedAccel().first(), invalid, "was never replicated");
}

/// As many rays as make several pieces on each GPU, and rays in memory that only the first GPU reaches.
TEST(ReplicatedOnGpus, LargeBatchesGiveTheBytesOfOne) {
  COPSE_SKIP_WITHOUT_GPU();
  const Mesh mesh = generate_random(100000, 0.05f);
  const std::vector<Ray> rays = test::difficult_rays(mesh, (u32{1} << 20) + 77, 9);
  for (const DevicesOptions& options : all_options(Backend::cuda)) {
    Devices devices(options);
    const DeviceMesh on_first(devices.first(), mesh);
    ReplicatedAccel accel = replicate(devices, build(devices.first(), on_first.view()));
    Context closed({.backend = Backend::cuda});  // its memory is not open to the other GPUs
    const Buffer<Ray> closed_rays(closed, rays), open_rays(devices.first(), rays);
    closed.wait();
    const std::vector<Hit> one = test::trace(devices.first(), accel.first(), rays);
    for (const Buffer<Ray>* each : {&open_rays, &closed_rays}) {
      Buffer<Hit> hits(devices.first(), rays.size());
      for (u32 repeat = 0; repeat < 3; ++repeat) {
        hits.upload(std::vector<Hit>(rays.size()));
        closest_hits(devices, accel, each->span(), hits.span());
        EXPECT_TRUE(same_bytes(hits.download(), one)) << name_of_options("large", devices, options);
      }
    }
  }
}

TEST(ReplicatedOnGpus, AreRefusedInACapture) {
  COPSE_SKIP_WITHOUT_GPU();
  Devices devices({.backend = Backend::cuda});
  if (devices.count() == 1) GTEST_SKIP() << "one GPU answers";
  const DeviceMesh mesh(devices.first(), generate_sphere(2));
  const ReplicatedAccel accel = replicate(devices, build(devices.first(), mesh.view()));
  const Buffer<Ray> rays(devices.first(), u64{1} << 19);
  Buffer<Hit> hits(devices.first(), rays.size());
  EXPECT_COPSE_ERROR(devices.first().capture([&] { closest_hits(devices, accel, rays.span(), hits.span()); }),
                     ErrorCode::invalid_argument, "cannot be captured");
}

}  // namespace
}  // namespace copse
