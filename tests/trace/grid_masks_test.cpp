// Rays through grids that pass over geometries.

#include <gtest/gtest.h>

#include "builders/bvh/lbvh.h"
#include "builders/geometry/generate.h"
#include "builders/grid/frustum_grid.h"
#include "builders/grid/uniform_grid.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/trace/oracle.h"
#include "trace/frustum_rays.h"
#include "trace/grid_rays.h"
#include "trace/masked_triangles.h"
#include "trace/trace_rays.h"

namespace copse {
namespace {

using test::DeviceMesh;
using test::masks_of_views;

class GridMasks : public test::OnEachBackend {
 protected:
  void SetUp() override {
    OnEachBackend::SetUp();
    if (IsSkipped()) return;
    all_ = generate_random(480, 0.2f);
    for (u32 i = 0; i < 4; ++i) {
      Mesh part = all_;
      part.triangles.assign(all_.triangles.begin() + 120 * i, all_.triangles.begin() + 120 * (i + 1));
      meshes_.emplace_back(context(), part);
      views_.push_back(meshes_.back().view(10 + i));
      views_.back().mask = masks_of_views[i];
    }
  }

  std::vector<u32> masks_for(size_t count) const {
    std::vector<u32> masks(count);
    for (size_t i = 0; i < count; ++i) masks[i] = i % 17 == 16 ? ~u32{0} : u32(i % 16);
    return masks;
  }

  /// The hits through a tree, which has tests of its own.
  std::vector<Hit> expected(const std::vector<Ray>& rays, const std::vector<u32>& masks) {
    const Bvh bvh = build(context(), views_, LbvhOptions{});
    const Buffer<Ray> device_rays(context(), rays);
    const Buffer<u32> device_masks(context(), masks);
    Buffer<Hit> hits(context(), rays.size());
    closest_hits(context(), bvh.view(), views_, device_rays.span(), hits.span(), {.masks = device_masks.span()});
    return hits.download();
  }

  void expect_same(const Buffer<Hit>& hits, const std::vector<Hit>& expected) {
    const std::vector<Hit> got = hits.download();
    u64 hit_count = 0;
    for (size_t i = 0; i < got.size(); ++i) {
      ASSERT_TRUE(test::same_bits(got[i], expected[i]))
          << i << ": " << test::text(got[i]) << ", not " << test::text(expected[i]);
      hit_count += is_hit(got[i]) ? 1 : 0;
    }
    EXPECT_GT(hit_count, got.size() / 8);
  }

  Mesh all_;
  std::vector<DeviceMesh> meshes_;
  std::vector<TriangleView> views_;
};

TEST_P(GridMasks, RaysThroughUniformGridsPassOverWhatTheyShareNoBitWith) {
  const Grid grid = build_grid(context(), views_, {.resolution = uvec3(9, 7, 8)});
  const std::vector<Ray> host_rays = test::difficult_rays(all_, 800, 3);
  const Buffer<Ray> rays(context(), host_rays);
  Buffer<Hit> hits(context(), host_rays.size());
  Buffer<u8> occluded(context(), host_rays.size());
  for (const std::vector<u32>& host_masks : {masks_for(host_rays.size()), std::vector<u32>{}}) {
    const std::vector<Hit> expected_hits = expected(host_rays, host_masks);
    const Buffer<u32> masks(context(), host_masks);
    closest_hits(context(), grid.view(), views_, rays.span(), hits.span(), {.masks = masks.span()});
    expect_same(hits, expected_hits);
    any_hits(context(), grid.view(), views_, rays.span(), occluded.span(), {.masks = masks.span()});
    const std::vector<u8> got_any = occluded.download();
    for (size_t i = 0; i < got_any.size(); ++i) ASSERT_EQ(got_any[i], is_hit(expected_hits[i]) ? 1 : 0) << i;
  }
}

TEST_P(GridMasks, RaysThroughFrustumGridsPassOverWhatTheyShareNoBitWith) {
  constexpr u32 width = 50, height = 30;
  const Camera camera = frame_box({vec3(0), vec3(1)}, 40, float(width) / height);
  const FrustumGrid grid =
      build_frustum_grid(context(), views_, view_frustum(camera), {.resolution = uvec3(8, 8, 4)});
  std::vector<Ray> host_rays;
  for (u32 i = 0; i < width * height; ++i) {
    host_rays.push_back(camera_ray(camera, i % width, i / width, width, height));
  }
  const Buffer<Ray> rays(context(), host_rays);
  Buffer<Hit> hits(context(), host_rays.size());
  for (const std::vector<u32>& host_masks : {masks_for(host_rays.size()), std::vector<u32>{}}) {
    const std::vector<Hit> expected_hits = expected(host_rays, host_masks);
    const Buffer<u32> masks(context(), host_masks);
    closest_hits(context(), grid.view(), views_, width, height, hits.span(), {.masks = masks.span()});
    expect_same(hits, expected_hits);
    closest_hits(context(), grid.view(), views_, rays.span(), hits.span(), {.masks = masks.span()});
    expect_same(hits, expected_hits);
  }
}

TEST_P(GridMasks, ThatDoNotFitAreRefused) {
  const Grid grid = build_grid(context(), views_, {.resolution = uvec3(4)});
  const Camera camera = frame_box({vec3(0), vec3(1)}, 40, 1);
  const FrustumGrid frustum =
      build_frustum_grid(context(), views_, view_frustum(camera), {.resolution = uvec3(2, 2, 2)});
  const Buffer<Ray> rays(context(), std::vector<Ray>(16, camera_ray(camera, 1, 1, 4, 4)));
  const Buffer<u32> five(context(), 5);
  Buffer<Hit> hits(context(), 16);
  const BufferSpan<const u32> over(reinterpret_cast<const u32*>(hits.data()), 16);
  const ErrorCode invalid = ErrorCode::invalid_argument;
  EXPECT_COPSE_ERROR(
      closest_hits(context(), grid.view(), views_, rays.span(), hits.span(), {.masks = five.span()}), invalid,
      "5 masks for 16 rays");
  EXPECT_COPSE_ERROR(closest_hits(context(), grid.view(), views_, rays.span(), hits.span(), {.masks = over}),
                     invalid, "overlap the masks");
  EXPECT_COPSE_ERROR(closest_hits(context(), frustum.view(), views_, 4, 4, hits.span(), {.masks = five.span()}),
                     invalid, "5 masks for 16 pixels");
  EXPECT_COPSE_ERROR(closest_hits(context(), frustum.view(), views_, 4, 4, hits.span(), {.masks = over}), invalid,
                     "overlap the masks");
  EXPECT_COPSE_ERROR(
      closest_hits(context(), frustum.view(), views_, rays.span(), hits.span(), {.masks = five.span()}), invalid,
      "5 masks for 16 rays");
}

COPSE_ON_EACH_BACKEND(GridMasks);

}  // namespace
}  // namespace copse
