// Files that the viewer writes: screenshots, recordings, statistics.

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/viewer/window/desktop.h"
#include "tests/viewer/window/png.h"

namespace copse::test {

using namespace viewer;
namespace fs = std::filesystem;

using Window = Desktop;

namespace {

/// How many pixels differ, and in which rows of the image.
struct Differences {
  u64 count = 0;
  u32 first_row = ~0u, last_row = 0;
};

/// Compares an image with the part of a PNG that has its upper left corner at (x, y).
Differences differences(const Png& png, const Image& image, u32 x, u32 y) {
  Differences found;
  for (u32 row = 0; row < image.height; ++row) {
    for (u32 column = 0; column < image.width; ++column) {
      const Rgba8 pixel = image.pixels[size_t(row) * image.width + column];
      const u8* bytes = &png.bytes.at((size_t(y + row) * png.width + x + column) * 3);
      if (bytes[0] == pixel.r && bytes[1] == pixel.g && bytes[2] == pixel.b) continue;
      ++found.count;
      found.first_row = std::min(found.first_row, row);
      found.last_row = std::max(found.last_row, row);
    }
  }
  return found;
}

/// Expects the image in a PNG, with a line of text over its first rows.
void expect_picture_with_label(const Png& png, const Image& image, u32 x) {
  const Differences label = differences(png, image, x, 0);
  EXPECT_GT(label.count, 500u) << "there is no label";
  EXPECT_GE(label.first_row, 8u);
  EXPECT_LT(label.last_row, 50u) << "not the picture that was seen";
}

}  // namespace

TEST_F(Window, SavesScreenshotsUnderNamesThatAreFree) {
  load(sphere());
  press(GLFW_KEY_P);
  press(GLFW_KEY_P);
  const Png first = read_png(folder / "copse-0001.png");
  EXPECT_EQ(first.width, session.picture(0).image.width);
  EXPECT_EQ(first.height, session.picture(0).image.height);
  EXPECT_EQ(mean_difference(first, read_png(folder / "copse-0002.png")), 0);
  EXPECT_TRUE(said("copse-0002.png"));
}

TEST_F(Window, DrawsItsLinesIntoScreenshots) {
  load(sphere());
  press(GLFW_KEY_P);
  press(GLFW_KEY_B);
  press(GLFW_KEY_P);
  EXPECT_GT(mean_difference(read_png(folder / "copse-0001.png"), read_png(folder / "copse-0002.png")), 0);
}

TEST_F(Window, RecordsPictures) {
  load(sphere());
  choose("Motion/Deformation", "twist");
  press(GLFW_KEY_K);
  press(GLFW_KEY_SPACE);
  for (int frame = 0; frame < 6; ++frame) application.run_frame();
  press(GLFW_KEY_K);
  EXPECT_FALSE(session.recording());
  const fs::path first = folder / "copse-recording-0001" / "frame-00000.png";
  const fs::path last = folder / "copse-recording-0001" / "frame-00004.png";
  EXPECT_GT(mean_difference(read_png(first), read_png(last)), 0);
}

TEST_F(Window, SavesStatisticsAsJson) {
  load(sphere());
  press(GLFW_KEY_J);
  const auto json = nlohmann::json::parse(std::ifstream(folder / "copse-statistics-0001.json"), nullptr, false);
  EXPECT_TRUE(json.is_object());
}

TEST_F(Window, SaysWhereNothingCanBeSaved) {
  load(sphere());
  application.save_screenshot(folder / "no" / "such" / "folder" / "picture.png");
  EXPECT_TRUE(said("saving the screenshot"));
  EXPECT_TRUE(has_errors());
}

TEST_F(Window, SavesAComparisonAsItIsSeen) {
  load(sphere());
  press(GLFW_KEY_6);
  press(GLFW_KEY_P);
  press(GLFW_KEY_C);
  run_until([&] { return session.has_structure(1); });
  run();
  press(GLFW_KEY_P);
  const Png alone = read_png(folder / "copse-0001.png"), both = read_png(folder / "copse-0002.png");
  EXPECT_EQ(both.width, alone.width);
  EXPECT_EQ(both.height, alone.height);
  const Image &a = session.picture(0).image, &b = session.picture(1).image;
  ASSERT_EQ(both.width, a.width + b.width + 2) << "a gap of 2 points";
  expect_picture_with_label(both, a, 0);
  expect_picture_with_label(both, b, a.width + 2);
  press(GLFW_KEY_C);
  press(GLFW_KEY_P);
  expect_picture_with_label(read_png(folder / "copse-0003.png"), session.difference().image, 0);
  EXPECT_FALSE(has_errors());
}

TEST_F(Window, SavesThePanelsOnRequest) {
  load(sphere());
  press(GLFW_KEY_P, GLFW_KEY_LEFT_SHIFT);
  const Png window = read_png(folder / "copse-0001.png");
  EXPECT_EQ(window.width, 940u);
  EXPECT_EQ(window.height, 1000u);
  const Rectangle place = display.last_places().at(0);
  const Differences axes = differences(window, session.picture(0).image, u32(place.x), u32(place.y));
  EXPECT_GT(axes.count, 100u);
  EXPECT_LT(axes.last_row, 100u) << "the axes in the corner, and nothing else";
  const Rectangle button = *ui.widgets().find("Scene/Open...");
  u32 bright = 0, dark = 0;  // text on a button
  for (u32 y = u32(button.y); y < u32(button.y + button.height); ++y) {
    for (u32 x = u32(button.x); x < u32(button.x + button.width); ++x) {
      const u8 red = window.bytes[(size_t(y) * window.width + x) * 3];
      bright += red > 200;
      dark += red < 80;
    }
  }
  EXPECT_GT(bright, 20u);
  EXPECT_GT(dark, bright * 3);
}

}  // namespace copse::test
