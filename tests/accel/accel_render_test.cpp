// Pictures through an Accel are those through a Bvh, bit for bit.

#include "accel/accel_render.h"

#include <cstring>

#include "builders/bvh/lbvh.h"
#include "builders/geometry/generate.h"
#include "tests/accel/accels.h"
#include "tests/support/hard_meshes.h"

namespace copse {
namespace {

using test::DeviceMesh;

bool same_pixels(const Image& a, const Image& b) {
  return a.width == b.width && a.pixels.size() == b.pixels.size() &&
         std::memcmp(a.pixels.data(), b.pixels.data(), a.pixels.size() * sizeof(Rgba8)) == 0;
}

class AccelRender : public test::OnEachBackend {};

TEST_P(AccelRender, ShowsWhatABvhShows) {
  for (const test::NamedMesh& each : test::hard_meshes()) {
    SCOPED_TRACE(each.name);
    const DeviceMesh device(context(), each.mesh);
    const Camera camera = frame_box(bounds(each.mesh), 45, 1);
    const Bvh bvh = build(context(), device.view(), LbvhOptions{});
    Accel accel = build(context(), device.view());
    for (const bool is_compact : {false, true}) {
      if (is_compact) compact(context(), accel);
      for (const Shading shading :
           {Shading::normal, Shading::primitive, Shading::distance, Shading::ambient_occlusion}) {
        if (is_compact && shading != Shading::primitive) continue;
        const RenderOptions options{.width = 25, .height = 18, .shading = shading, .ambient_rays = 2};
        EXPECT_TRUE(same_pixels(render(context(), accel, camera, options),
                                render(context(), bvh.view(), device.view(), camera, options)))
            << int(shading) << ", compact " << is_compact;
      }
    }
  }
}

TEST_P(AccelRender, ColoursTheTrianglesOfAllViews) {
  const test::SceneOfViews scene(context(), {generate_sphere(2), generate_random(100, 0.4f)});
  const Camera camera = frame_box({vec3(-1), vec3(1)}, 45, 1);
  const RenderOptions options{.width = 64, .height = 64, .shading = Shading::primitive};
  const Bvh bvh = build(context(), scene.device(), LbvhOptions{});
  EXPECT_TRUE(same_pixels(render(context(), build(context(), scene.device()), camera, options),
                          render(context(), bvh.view(), scene.device(), camera, options)));
}

TEST_P(AccelRender, HeatShowsWhereTheTreeIs) {
  const DeviceMesh device(context(), generate_sphere(3));
  const Camera camera = frame_box({vec3(-1), vec3(1)}, 45, 1);
  const Image image = render(context(), build(context(), device.view()), camera,
                             {.width = 64, .height = 64, .shading = Shading::heat});
  const Rgba8 middle = image.pixels[32 * 64 + 32], corner = image.pixels[0];
  EXPECT_GT(middle.r + middle.g + middle.b, corner.r + corner.g + corner.b);
}

TEST_P(AccelRender, RefusesWhatWasNeverBuiltAndForeignTriangles) {
  EXPECT_COPSE_ERROR(render(context(), Accel{}, Camera{}), ErrorCode::invalid_argument,
                     "render: the structure was never built");
  const DeviceMesh device(context(), generate_cube());
  const Accel accel = build(context(), device.view());
  EXPECT_COPSE_ERROR(
      render(context(), accel.view().tree, accel.packed_triangles().triangles.span().first(3), Camera{}),
      ErrorCode::invalid_argument, "render: 3 packed triangles, 12 primitive ids of the tree");
}

COPSE_ON_EACH_BACKEND(AccelRender);

}  // namespace
}  // namespace copse
