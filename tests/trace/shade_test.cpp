#include "trace/shade.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "builders/bvh/lbvh.h"
#include "builders/geometry/generate.h"
#include "builders/grid/frustum_grid.h"
#include "builders/grid/uniform_grid.h"
#include "tests/support/backends.h"
#include "trace/frustum_rays.h"

namespace copse {
namespace {

constexpr Shading all_shadings[] = {Shading::normal, Shading::primitive, Shading::distance,
                                    Shading::ambient_occlusion, Shading::heat};

struct Scene {
  Buffer<vec3> positions;
  Buffer<uvec3> indices;
  TriangleView triangles;
  Bvh bvh;
  Camera camera;

  Scene(Context& context, const Mesh& mesh)
      : positions(context, mesh.positions), indices(context, mesh.triangles) {
    triangles.positions = positions.span();
    triangles.triangles = indices.span();
    bvh = build(context, triangles, LbvhOptions{.max_leaf_size = 4});
    camera = frame_box(bounds(mesh), 45, 1);
  }
};

u32 packed(const Rgba8& c) {
  return u32(c.r) | u32(c.g) << 8 | u32(c.b) << 16 | u32(c.a) << 24;
}
u32 brightness(const Rgba8& c) {
  return u32(c.r) + c.g + c.b;
}
const Rgba8& pixel(const Image& image, u32 x, u32 y) {
  return image.pixels[size_t(y) * image.width + x];
}

bool same_pixels(const Image& a, const Image& b) {
  return a.width == b.width && a.height == b.height && a.pixels.size() == b.pixels.size() &&
         std::memcmp(a.pixels.data(), b.pixels.data(), a.pixels.size() * sizeof(Rgba8)) == 0;
}

u64 different_pixels(const Image& a, const Image& b) {
  u64 count = 0;
  for (size_t i = 0; i < a.pixels.size(); ++i) count += packed(a.pixels[i]) != packed(b.pixels[i]);
  return count;
}

class Render : public test::OnEachBackend {
 protected:
  Image picture(const Scene& scene, const RenderOptions& options) {
    return render(context(), scene.bvh.view(), scene.triangles, scene.camera, options);
  }
};

TEST_P(Render, EveryShadingShowsTheMeshBeforeABackground) {
  const Scene scene(context(), generate_sphere(2));
  for (Shading shading : all_shadings) {
    const Image image = picture(scene, {.width = 61, .height = 53, .shading = shading, .ambient_rays = 4});
    ASSERT_EQ(image.pixels.size(), 61u * 53u);
    std::set<u32> colours;
    for (const Rgba8& p : image.pixels) {
      EXPECT_EQ(p.a, 255);
      colours.insert(packed(p));
    }
    EXPECT_GT(colours.size(), 1u) << int(shading);
    EXPECT_NE(packed(pixel(image, 30, 26)), packed(pixel(image, 0, 0))) << int(shading);
  }
}

TEST_P(Render, ShowsTheSameThroughGrids) {
  for (const Mesh& mesh : {generate_sphere(3), generate_random(300, 0.3f)}) {
    const Scene scene(context(), mesh);
    const Grid grid = build_grid(context(), scene.triangles, {});
    const FrustumGrid frustum = build_frustum_grid(context(), scene.triangles, view_frustum(scene.camera),
                                                   {.resolution = uvec3(16, 8, 4)});
    for (const Shading shading : {Shading::normal, Shading::primitive, Shading::distance}) {
      const RenderOptions options{.width = 75, .height = 66, .shading = shading};
      const Image expected = picture(scene, options);
      EXPECT_TRUE(same_pixels(render(context(), grid.view(), scene.triangles, scene.camera, options), expected))
          << int(shading);
      EXPECT_TRUE(same_pixels(render(context(), frustum.view(), scene.triangles, options), expected))
          << int(shading);
    }
    const RenderOptions ambient{
        .width = 40, .height = 30, .shading = Shading::ambient_occlusion, .ambient_rays = 8};
    EXPECT_TRUE(same_pixels(render(context(), grid.view(), scene.triangles, scene.camera, ambient),
                            picture(scene, ambient)));
    EXPECT_COPSE_ERROR(render(context(), frustum.view(), scene.triangles, ambient), ErrorCode::invalid_argument,
                       "ambient occlusion");
    const RenderOptions heat{.width = 64, .height = 64, .shading = Shading::heat};
    for (const Image& image : {render(context(), grid.view(), scene.triangles, scene.camera, heat),
                               render(context(), frustum.view(), scene.triangles, heat)}) {
      EXPECT_NE(packed(pixel(image, 32, 32)), packed(pixel(image, 0, 0)));
    }
  }
}

TEST_P(Render, RefusesGridsThatWereNeverMade) {
  const Scene scene(context(), generate_cube());
  EXPECT_COPSE_ERROR(render(context(), GridView{}, scene.triangles, scene.camera), ErrorCode::invalid_argument,
                     "0 cells");
  EXPECT_COPSE_ERROR(render(context(), FrustumGridView{}, scene.triangles), ErrorCode::invalid_argument,
                     "0 cells");
}

TEST_P(Render, TakesImagesOfAnySize) {
  const Scene scene(context(), generate_cube());
  for (const auto& [width, height] : {std::pair{1u, 1u}, {1u, 17u}, {9u, 1u}, {8u, 8u}, {65u, 7u}}) {
    for (Shading shading : all_shadings) {
      const Image image = picture(scene, {.width = width, .height = height, .shading = shading});
      EXPECT_EQ(image.width, width);
      EXPECT_EQ(image.height, height);
      EXPECT_EQ(image.pixels.size(), size_t(width) * height);
    }
  }
}

TEST_P(Render, GivesTheSamePictureTwice) {
  const Scene scene(context(), generate_random(200, 0.2f));
  for (Shading shading : all_shadings) {
    const RenderOptions options{.width = 40, .height = 30, .shading = shading, .ambient_rays = 8};
    EXPECT_TRUE(same_pixels(picture(scene, options), picture(scene, options))) << int(shading);
  }
}

TEST_P(Render, ShowsTheTopAtTheTop) {
  Mesh mesh;  // a triangle in the upper left of what the camera sees
  mesh.positions = {vec3(-1, 1, 0), vec3(-0.2f, 1, 0), vec3(-1, 0.2f, 0)};
  mesh.triangles = {uvec3(0, 1, 2)};
  Scene scene(context(), mesh);
  scene.camera = look_at(vec3(0, 0, 1), vec3(0), vec3(0, 1, 0), 90, 1);
  const Image image = picture(scene, {.width = 20, .height = 20, .shading = Shading::distance});
  EXPECT_GT(brightness(pixel(image, 2, 2)), 300u);
  EXPECT_LT(brightness(pixel(image, 17, 2)), 60u);
  EXPECT_LT(brightness(pixel(image, 2, 17)), 60u);
}

TEST_P(Render, PrimitivesHaveColoursOfTheirOwn) {
  Scene scene(context(), generate_grid(2));
  scene.camera = look_at(vec3(0.5f, 0.5f, 1), vec3(0.5f, 0.5f, 0), vec3(0, 1, 0), 40, 1);
  const Image image = picture(scene, {.width = 64, .height = 64, .shading = Shading::primitive});
  const u32 quarter = 20;  // two triangles of each quad, told apart by which half of it they are in
  EXPECT_NE(packed(pixel(image, quarter, quarter)), packed(pixel(image, 63 - quarter, quarter)));
  EXPECT_NE(packed(pixel(image, quarter, quarter)), packed(pixel(image, quarter, 63 - quarter)));
}

TEST_P(Render, NearIsBrightAndFarIsDark) {
  Scene scene(context(), generate_grid(8));
  scene.camera = look_at(vec3(0.5f, -0.5f, 0.5f), vec3(0.5f, 0.5f, 0), vec3(0, 0, 1), 40, 1);
  const Image image = picture(scene, {.width = 64, .height = 64, .shading = Shading::distance});
  EXPECT_GT(brightness(pixel(image, 32, 40)), brightness(pixel(image, 32, 28)) + 50);
}

TEST_P(Render, CornersAreOccludedAndOpenSurfacesAreNot) {
  Mesh mesh;  // a floor with a wall along its far side
  mesh.positions = {vec3(-2, 0, -2), vec3(2, 0, -2),  vec3(2, 0, 2),
                    vec3(-2, 0, 2),  vec3(-2, 2, -2), vec3(2, 2, -2)};
  mesh.triangles = {uvec3(0, 1, 2), uvec3(0, 2, 3), uvec3(0, 1, 5), uvec3(0, 5, 4)};
  Scene scene(context(), mesh);
  scene.camera = look_at(vec3(0, 3, 0), vec3(0), vec3(0, 0, -1), 66, 1);
  const Image image = picture(scene, {.width = 64,
                                      .height = 64,
                                      .shading = Shading::ambient_occlusion,
                                      .ambient_rays = 256,
                                      .ambient_distance = 100});
  const u32 open = brightness(pixel(image, 32, 50)), corner = brightness(pixel(image, 32, 1));
  EXPECT_GT(open, 3 * 220u);
  // Half of the sky is behind the wall; shown as its square root.
  EXPECT_LT(corner, open * 8 / 10);
  EXPECT_GT(corner, open * 6 / 10);
  const Image near_sighted = picture(
      scene, {.width = 64, .height = 64, .shading = Shading::ambient_occlusion, .ambient_distance = 1e-4f});
  EXPECT_GT(brightness(pixel(near_sighted, 32, 8)), 3 * 220u);
}

TEST_P(Render, HeatGrowsWithTheVisitsAndItsLimitSetsTheScale) {
  const Scene scene(context(), generate_random(2000, 0.1f));
  const auto heat = [&](u32 limit) {
    return picture(scene, {.width = 32, .height = 32, .shading = Shading::heat, .heat_limit = limit});
  };
  u64 automatic = 0, cold = 0;
  for (const Rgba8& p : heat(0).pixels) automatic += brightness(p);
  for (const Rgba8& p : heat(1000000).pixels) cold += brightness(p);
  EXPECT_LT(cold, automatic / 2);
  for (const Rgba8& p : heat(1000000).pixels) EXPECT_LT(brightness(p), brightness(heat_colour(0.01f)) + 5);
  u32 hottest = 0;
  for (const Rgba8& p : heat(0).pixels) hottest = std::max(hottest, brightness(p));
  EXPECT_EQ(hottest, brightness(heat_colour(1)));
}

TEST_P(Render, HeatMapsCarryTheirScale) {
  const Scene scene(context(), generate_cube());
  const Image image = picture(scene, {.width = 256, .height = 256, .shading = Shading::heat, .heat_limit = 80});
  std::set<u32> wanted, found;
  for (u32 i = 0; i <= 10; ++i) wanted.insert(packed(heat_colour(float(i) / 10)));
  u32 ink = 0;
  for (u32 y = 256 - 20; y < 256; ++y) {
    for (u32 x = 0; x < 256; ++x) {
      ink += brightness(pixel(image, x, y)) == 236 + 236 + 240;
      found.insert(brightness(pixel(image, x, y)));
    }
  }
  EXPECT_GT(ink, 50u);                                        // ticks and digits
  EXPECT_TRUE(found.count(brightness(heat_colour(0))) == 1);  // both ends of the bar
  EXPECT_TRUE(found.count(brightness(heat_colour(1))) == 1);
  EXPECT_GT(found.size(), 100u);
}

TEST_P(Render, AnEmptyTreeIsAllBackground) {
  const Scene scene(context(), Mesh{});
  for (Shading shading : all_shadings) {
    const Image image = picture(scene, {.width = 16, .height = 16, .shading = shading});
    for (u32 x = 1; x < 16; ++x) EXPECT_EQ(packed(pixel(image, x, 5)), packed(pixel(image, 0, 5)));
  }
}

TEST_P(Render, RefusesOptionsOutOfRange) {
  const Scene scene(context(), generate_cube());
  const auto refuses = [&](const RenderOptions& options, const char* name) {
    EXPECT_COPSE_ERROR(picture(scene, options), ErrorCode::invalid_argument, name);
  };
  refuses({.width = 0}, "width is 0");
  refuses({.height = 16385}, "16384");
  refuses({.ambient_rays = 0}, "ambient_rays");
  refuses({.ambient_rays = 4097}, "4096");
  refuses({.ambient_distance = -1}, "ambient_distance");
  refuses({.ambient_distance = std::numeric_limits<float>::quiet_NaN()}, "ambient_distance");
  refuses({.shading = Shading(9)}, "shading");
  EXPECT_COPSE_ERROR(render(context(), BvhView{}, scene.triangles, scene.camera, {}), ErrorCode::invalid_argument,
                     "0 nodes");
}

COPSE_ON_EACH_BACKEND(Render);

TEST(RenderOnBoth, GivesTheSamePictureOnCpuAndCuda) {
  COPSE_SKIP_WITHOUT_GPU();
  for (const Mesh& mesh : {generate_sphere(3), generate_random(1000, 0.2f)}) {
    for (Shading shading : all_shadings) {
      std::vector<Image> images;
      for (Backend backend : {Backend::cpu, Backend::cuda}) {
        Context context({.backend = backend});
        const Scene scene(context, mesh);
        images.push_back(render(context, scene.bvh.view(), scene.triangles, scene.camera,
                                {.width = 200, .height = 150, .shading = shading, .ambient_rays = 8}));
      }
      if (shading == Shading::heat) {
        EXPECT_LT(different_pixels(images[0], images[1]), images[0].pixels.size() / 20);
      } else {
        EXPECT_TRUE(same_pixels(images[0], images[1])) << int(shading);
      }
    }
  }
}

TEST(HeatColour, GrowsLighterWithHeat) {
  u32 before = 0;
  for (int i = 0; i <= 20; ++i) {
    const Rgba8 c = heat_colour(float(i) / 20);
    const u32 luminance = 299u * c.r + 587u * c.g + 114u * c.b;
    EXPECT_GT(luminance, before) << i;
    before = luminance;
  }
  EXPECT_EQ(packed(heat_colour(-1)), packed(heat_colour(0)));
  EXPECT_EQ(packed(heat_colour(2)), packed(heat_colour(1)));
  EXPECT_EQ(packed(heat_colour(std::numeric_limits<float>::quiet_NaN())), packed(heat_colour(0)));
}

}  // namespace
}  // namespace copse
