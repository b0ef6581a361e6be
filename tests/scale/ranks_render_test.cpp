// Pictures that ranks share have the bytes of those of one context.

#include "scale/ranks_render.h"

#include <gtest/gtest.h>

#include "accel/accel_render.h"
#include "builders/geometry/generate.h"
#include "tests/scale/ranks.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"

namespace copse {
namespace {

using test::DeviceMesh;
using test::RankOutcome;
using test::same_bytes;

class RanksRender : public test::OnEachBackend {};

COPSE_ON_EACH_BACKEND(RanksRender);

/// Each rank has a context and an Accel of its own, of which the picture tells nothing.
Image render_by_ranks(u32 rank_count, Backend backend, const Mesh& mesh, const Camera& camera,
                      const RenderOptions& options, u32 root) {
  Image picture;
  const std::vector<RankOutcome> outcomes =
      test::run_ranks(Communicator::of_threads(rank_count), [&](Communicator& comm, u32 rank) {
        Context context({.backend = backend, .workers = 1});
        const DeviceMesh on_device(context, mesh);
        const Accel accel = build(context, on_device.view());
        Image image = render(comm, context, accel, camera, options, root);
        if (rank == root) {
          picture = std::move(image);
        } else {
          EXPECT_TRUE(image.pixels.empty());
        }
      });
  for (const RankOutcome& outcome : outcomes) EXPECT_FALSE(outcome.has_failed) << outcome.text;
  return picture;
}

TEST_P(RanksRender, GivesThePictureOfOneContext) {
  const Mesh mesh = generate_random(2000, 0.2f);
  const DeviceMesh on_device(context(), mesh);
  const Accel accel = build(context(), on_device.view());
  for (const auto& [width, height] : {std::pair{90u, 101u}, std::pair{1u, 1u}, std::pair{17u, 260u}}) {
    const Camera camera = frame_box(bounds(mesh), 45, float(width) / float(height));
    for (u32 shading = 0; shading <= u32(Shading::heat); ++shading) {
      const RenderOptions options{
          .width = width, .height = height, .shading = Shading(shading), .ambient_rays = 3};
      const Image one = render(context(), accel, camera, options);
      for (const u32 ranks : {1u, 2u, 3u, 4u, 7u}) {
        const Image shared = render_by_ranks(ranks, GetParam(), mesh, camera, options, ranks - 1);
        EXPECT_EQ(shared.width, width);
        EXPECT_EQ(shared.height, height);
        EXPECT_TRUE(same_bytes(shared.pixels, one.pixels)) << ranks << " ranks, shading " << shading;
      }
    }
  }
}

TEST(RanksRenderOnTheHost, ThrowsTheErrorOfOneRankOnAll) {
  const Mesh mesh = generate_sphere(2);
  const Camera camera = frame_box(bounds(mesh), 45, 1);
  const auto errors_of = [&](u32 bad_rank, const RenderOptions& bad_options, u32 root) {
    return test::run_ranks(Communicator::of_threads(3), [&](Communicator& comm, u32 rank) {
      Context context({.backend = Backend::cpu, .workers = 1});
      const DeviceMesh on_device(context, mesh);
      const Accel accel = build(context, on_device.view());
      render(comm, context, accel, camera, rank == bad_rank ? bad_options : RenderOptions{}, root);
    });
  };
  const auto expect_all = [](const std::vector<RankOutcome>& outcomes, const std::string& text) {
    for (const RankOutcome& outcome : outcomes) {
      EXPECT_TRUE(outcome.has_failed);
      EXPECT_EQ(outcome.code, ErrorCode::invalid_argument);
      EXPECT_NE(outcome.text.find(text), std::string::npos) << outcome.text;
    }
  };
  expect_all(errors_of(2, {.height = 0}, 0), "rank 2: render: height is 0");
  expect_all(errors_of(3, {}, 3), "rank 0: render: root is 3, but there are 3 ranks, counted from 0");
}

}  // namespace
}  // namespace copse
