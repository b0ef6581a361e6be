#include "viewer/layout.h"

#include <gtest/gtest.h>

namespace copse::test {

using namespace viewer;

namespace {

bool overlap(const Rectangle& a, const Rectangle& b) {
  return a.width > 0 && b.width > 0 && a.height > 0 && b.height > 0 && a.x < b.x + b.width &&
         b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

float area(const Rectangle& place) {
  return place.width * place.height;
}

}  // namespace

TEST(Layout, PartsFillTheWindowAndDoNotOverlap) {
  for (const float scale : {1.0f, 1.5f, 2.0f}) {
    for (const float width : {0.0f, 1.0f, 320.0f, 640.0f, 1000.0f, 1600.0f, 3840.0f}) {
      for (const float height : {0.0f, 22.0f, 300.0f, 800.0f, 2160.0f}) {
        const WindowLayout layout = lay_out(width, height, 22, scale, true);
        const Rectangle parts[] = {layout.left, layout.right, layout.bottom, layout.picture};
        float sum = 0;
        for (size_t i = 0; i < 4; ++i) {
          sum += area(parts[i]);
          EXPECT_GE(parts[i].width, 0);
          EXPECT_GE(parts[i].height, 0);
          for (size_t j = 0; j < i; ++j) EXPECT_FALSE(overlap(parts[i], parts[j])) << width << " " << height;
        }
        EXPECT_NEAR(sum, width * std::max(height - 22, 0.0f), 1) << width << " " << height;
      }
    }
  }
}

TEST(Layout, ThePictureComesFirstInASmallWindow) {
  EXPECT_GT(lay_out(1600, 1000, 22, 1, true).right.width, 0);
  const WindowLayout narrow = lay_out(700, 500, 22, 1, true);
  EXPECT_GT(narrow.left.width, 0);
  EXPECT_EQ(narrow.right.width, 0);
  const WindowLayout tiny = lay_out(200, 150, 22, 1, true);
  EXPECT_EQ(area(tiny.left) + area(tiny.right) + area(tiny.bottom), 0);
}

TEST(Layout, PanelsGetNarrowerBeforeTheyGo) {
  const WindowLayout large = lay_out(800, 600, 44, 2, true);  // 400 x 300 at scale 2
  EXPECT_GE(large.left.width, 400);
  EXPECT_GE(large.picture.width, 320);
  EXPECT_GE(lay_out(300, 300, 22, 1, true).left.width, 120);
}

TEST(Layout, ThePictureHasAllWithoutPanels) {
  const Rectangle picture = lay_out(1000, 800, 22, 1, false).picture;
  EXPECT_EQ(area(picture), 1000.0f * 778);
}

}  // namespace copse::test
