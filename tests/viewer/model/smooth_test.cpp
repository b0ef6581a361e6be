// What lies over or between the pixels of a picture: smooth edges, wire frame, axes.

#include <glm/geometric.hpp>

#include "tests/viewer/scenes.h"
#include "viewer/model/picture/axes.h"

namespace copse::test {
namespace {

using namespace viewer;

/// How many pixels are neither the colour of the ball nor of the background at the silhouette.
u32 distinct_colours(const Image& image) {
  std::vector<u32> seen;
  for (const Rgba8& p : image.pixels) seen.push_back(u32(p.r) << 16 | u32(p.g) << 8 | p.b);
  std::sort(seen.begin(), seen.end());
  return u32(std::unique(seen.begin(), seen.end()) - seen.begin());
}

TEST(Smoothing, MixesTheColoursAtEdges) {
  SmallSession s(join_meshes({{"cube", generate_cube()}}));
  s.session.view().view = View::normals;
  s.session.view().smooth_samples = 1;
  s.session.finish();
  const Image jagged = s.session.picture(0).image;
  const std::vector<float> distances = s.session.picture(0).distances;
  s.session.view().smooth_samples = 16;
  s.session.finish();
  const Image& smooth = s.session.picture(0).image;
  EXPECT_GT(distinct_colours(smooth), distinct_colours(jagged) + 20);
  const auto middle = [](const Image& image) {
    return image.pixels[image.width * (image.height / 2) + image.width / 2];
  };
  EXPECT_NEAR(middle(smooth).r, middle(jagged).r, 1) << "within a face nothing changes";
  EXPECT_EQ(s.session.picture(0).distances, distances) << "lines are hidden as before";
  EXPECT_FALSE(s.session.busy());
}

TEST(Smoothing, BeginsAgainWhenTheCameraMoves) {
  SmallSession s, other;
  s.session.camera().orbit(0.3f, 0.1f);
  s.session.finish();
  s.session.camera().orbit(-0.2f, 0.2f);
  s.session.finish();
  other.session.camera().set_pose(s.session.camera().pose());
  other.session.finish();
  EXPECT_TRUE(same_pixels(s.session.picture(0).image, other.session.picture(0).image));
}

TEST(Smoothing, LeavesMeasuredViewsAlone) {
  ViewSettings view;
  EXPECT_TRUE(is_smoothed(view));
  view.view = View::heat;
  EXPECT_FALSE(is_smoothed(view));
  view.view = View::ambient_occlusion;
  EXPECT_FALSE(is_smoothed(view));
  view = {};
  view.smooth_samples = 1;
  EXPECT_FALSE(is_smoothed(view));
}

TEST(Wire, DrawsTheEdgesOfTriangles) {
  SmallSession s(join_meshes({{"cube", generate_cube()}}));
  s.session.view().smooth_samples = 1;
  s.session.finish();
  const Image plain = s.session.picture(0).image;
  s.session.view().wire = true;
  s.session.finish();
  const Image& wire = s.session.picture(0).image;
  u32 changed = 0;
  for (size_t i = 0; i < plain.pixels.size(); ++i) changed += plain.pixels[i].r != wire.pixels[i].r;
  // The silhouette and the edges of a cube of about 45 pixels, with a diagonal in each face.
  EXPECT_GT(changed, 150u);
  EXPECT_LT(changed, 1000u);
}

TEST(Axes, PointWhereTheCameraSeesThem) {
  const Camera camera = look_at({0, 0, 5}, {0, 0, 0}, {0, 1, 0}, 40, 1.5f);
  const auto ends = axis_ends(camera);
  const AxisEnd& nearest = ends[5];
  EXPECT_EQ(nearest.axis, 2u);
  EXPECT_FALSE(nearest.negative);
  EXPECT_NEAR(nearest.towards, 1, 1e-5);
  EXPECT_TRUE(ends[0].axis == 2 && ends[0].negative) << "the farthest comes first";
  for (const AxisEnd& end : ends) {
    const float expected = end.negative ? -1.0f : 1.0f;
    if (end.axis < 2) {
      EXPECT_NEAR(end.axis == 0 ? end.x : end.y, expected, 1e-5);
    }
  }
}

}  // namespace
}  // namespace copse::test
