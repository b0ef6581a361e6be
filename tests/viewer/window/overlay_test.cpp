#include "viewer/window/overlay.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace copse::test {

using namespace viewer;

namespace {

constexpr u32 size = 64;
constexpr Rgba8 black{0, 0, 0, 255}, white{255, 255, 255, 255};

/// A black picture, seen from z = 2 towards the origin, of a wall at `distance`.
Picture wall(float distance) {
  Picture picture;
  picture.image = {size, size, std::vector<Rgba8>(size * size, black)};
  picture.distances.assign(size * size, distance);
  picture.camera = look_at({0, 0, 2}, {0, 0, 0}, {0, 1, 0}, 60, 1);
  return picture;
}

Image draw(const Picture& picture, const vec3& from, const vec3& to, bool on_top = false) {
  const Lines lines{{from, white}, {to, white}};
  return picture_with_lines({.place = {}, .picture = &picture, .lines = &lines, .lines_on_top = on_top});
}

u32 lit_count(const Image& image, u8 least = 200) {
  u32 count = 0;
  for (const Rgba8& pixel : image.pixels) count += pixel.g >= least;
  return count;
}

}  // namespace

TEST(Overlay, DrawsALineWhereTheCameraSeesIt) {
  const Image image = draw(wall(infinity), {-0.5f, 0, 0}, {0.5f, 0, 0});
  // Half of 64 pixels / tan(30 degrees) at distance 2, times the length of 1.
  EXPECT_NEAR(lit_count(image), 32 / std::tan(3.14159265f / 6) / 2, 1.5);
  for (u32 x = 25; x < 39; ++x) EXPECT_EQ(image.pixels[31 * size + x].g + image.pixels[32 * size + x].g, 255) << x;
}

TEST(Overlay, DimsWhatIsBehindThePicture) {
  EXPECT_GT(lit_count(draw(wall(3), {-0.5f, 0, 0}, {0.5f, 0, 0})), 0u);
  const Image hidden = draw(wall(1), {-0.5f, 0, 0}, {0.5f, 0, 0});
  EXPECT_EQ(lit_count(hidden), 0u);
  EXPECT_GT(lit_count(hidden, 20), 0u);
  EXPECT_GT(lit_count(draw(wall(1), {-0.5f, 0, 0}, {0.5f, 0, 0}, true)), 0u);
}

TEST(Overlay, FindsWhereALineGoesBehindTheWall) {
  // Towards the wall at distance 2: its far half is hidden. Slanted, so that it covers pixels.
  const Image image = draw(wall(2), {-0.3f, 0.3f, 1}, {0.3f, -0.3f, -1});
  EXPECT_GT(lit_count(image), 3u);
  EXPECT_GT(lit_count(image, 20), lit_count(image));
}

TEST(Overlay, CutsLinesAtTheEyeAndAtTheEdges) {
  const Picture picture = wall(infinity);
  EXPECT_EQ(lit_count(draw(picture, {-1, 0, 3}, {1, 0, 3})), 0u);             // behind the eye
  EXPECT_EQ(lit_count(draw(picture, {-9, 5, 0}, {9, 5, 0})), 0u);             // above the picture
  EXPECT_EQ(lit_count(draw(picture, {-1e6f, 0, 0}, {1e6f, 0, 0})), size);     // far over both edges
  EXPECT_GT(lit_count(draw(picture, {0.1f, 0.1f, 5}, {0.1f, 0.1f, 0})), 0u);  // through the eye's plane
  EXPECT_GT(lit_count(draw(picture, {0, 0, 2}, {0.2f, 0, 0})), 0u);           // from the eye itself
}

TEST(Overlay, LeavesOutEndsThatAreNoNumbers) {
  const Picture picture = wall(infinity);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float bad : {nan, infinity, -infinity, 3e38f}) {
    for (u32 axis = 0; axis < 3; ++axis) {
      vec3 end(0.1f);
      end[int(axis)] = bad;
      EXPECT_LE(lit_count(draw(picture, {0, 0, 0}, end)), 2 * size);
      EXPECT_LE(lit_count(draw(picture, end, {0, 0, 0})), 2 * size);
      EXPECT_LE(lit_count(draw(picture, end, end)), 2 * size);
    }
  }
}

TEST(Overlay, TakesPicturesThatAreNotThere) {
  EXPECT_EQ(picture_with_lines({}).pixels.size(), 0u);
  const Picture none;
  EXPECT_EQ(draw(none, {0, 0, 0}, {1, 1, 1}).pixels.size(), 0u);
}

}  // namespace copse::test
