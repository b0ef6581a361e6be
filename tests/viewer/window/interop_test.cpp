// Pictures that are copied to OpenGL: through the host, or directly from a CUDA device that draws too. Without a
// window, by EGL, so that servers with a GPU can run it.

#include "viewer/window/interop.h"

#include <gtest/gtest.h>

#include "tests/support/backends.h"
#include "tests/viewer/scenes.h"
#include "tests/viewer/window/egl_context.h"
#include "viewer/window/gl_pane.h"

namespace copse::test {
namespace {

using namespace viewer;

constexpr u32 width = 240, height = 160;

/// Returns what the painter draws for a picture, rows from the top.
Image painted(gl::PanePainter& painter, const Pane& pane, std::string& problem) {
  problem = painter.paint(pane, 1, int(height));
  Image rows{width, height, std::vector<Rgba8>(u64{width} * height)};
  std::vector<Rgba8> from_below(rows.pixels.size());
  glReadPixels(0, 0, int(width), int(height), GL_RGBA, GL_UNSIGNED_BYTE, from_below.data());
  for (u32 y = 0; y < height; ++y) {
    std::copy_n(from_below.begin() + (height - 1 - y) * width, width, rows.pixels.begin() + y * width);
  }
  return rows;
}

u32 count_different(const Image& a, const Image& b) {
  u32 count = 0;
  for (u64 i = 0; i < a.pixels.size(); ++i) {
    const Rgba8 p = a.pixels[i], q = b.pixels[i];
    count += p.r != q.r || p.g != q.g || p.b != q.b;
  }
  return count;
}

class Interop : public testing::Test {
 protected:
  Interop() : egl(int(width), int(height)) {}

  void SetUp() override {
    if (!egl.problem().empty()) GTEST_SKIP() << egl.problem();
  }

  Pane pane_of(const Session& session) const {
    return {.place = {0, 0, float(width), float(height)},
            .picture = &session.picture(0),
            .lines = &session.lines(0),
            .lines_revision = session.lines_revision(0)};
  }

  EglContext egl;
};

TEST_F(Interop, PictureOfTheHostIsShownPixelForPixel) {
  SmallSession s(sphere(), width, height);
  gl::PanePainter painter;
  std::string problem;
  const Image shown = painted(painter, pane_of(s.session), problem);
  EXPECT_EQ(problem, "");
  EXPECT_TRUE(same_pixels(shown, s.session.picture(0).image));
}

TEST_F(Interop, PicturesOfTheHostAreShownOneAfterAnother) {
  SmallSession s(sphere(), width, height);
  s.session.overlay().boxes = true;
  gl::PanePainter painter;
  std::string problem;
  for (u32 turn = 0; turn < 4; ++turn) {
    s.session.set_picture_size(width / (1 + turn % 2), height / (1 + turn % 2));
    s.session.camera().orbit(0.1f, 0);
    s.session.finish();
    const Image by_one = painted(painter, pane_of(s.session), problem);
    gl::PanePainter other;
    EXPECT_EQ(count_different(by_one, painted(other, pane_of(s.session), problem)), 0u) << turn;
  }
}

TEST_F(Interop, PictureThatCannotBeTakenIsToldOfAndTheLastOneStays) {
  if (gl::interop_problem().empty()) GTEST_SKIP() << "the CUDA device draws here";
  SmallSession s(sphere(), width, height);
  gl::PanePainter painter;
  std::string problem;
  const Image before = painted(painter, pane_of(s.session), problem);
  Picture elsewhere = s.session.picture(0);
  elsewhere.image.pixels.clear();
  elsewhere.distances.clear();
  const Rgba8 somewhere{};
  elsewhere.device.pixels = &somewhere;
  ++elsewhere.revision;
  Pane pane = pane_of(s.session);
  pane.picture = &elsewhere;
  const Image after = painted(painter, pane, problem);
  EXPECT_NE(problem, "");
  EXPECT_TRUE(same_pixels(before, after));
}

TEST_F(Interop, PictureOnTheDeviceIsShownAsThatOnTheHost) {
  if (!gpu_answers()) GTEST_SKIP() << "no GPU answers";
  if (const std::string problem = gl::interop_problem(); !problem.empty()) {
    GTEST_SKIP() << problem << ", on " << egl.renderer();
  }
  Session session;
  session.wanted(0).backend = Backend::cuda;
  session.leave_pictures_on_device(true);
  session.show(sphere());
  session.finish();
  session.overlay().boxes = true;
  gl::PanePainter painter;
  std::string problem;
  for (u32 turn = 0; turn < 6; ++turn) {
    // Pictures of changing sizes, so that buffers are replaced and used in part.
    const u32 part = turn % 3 == 1 ? 1 : 2;
    session.set_picture_size(width / part, height / part);
    session.camera().orbit(0.1f, 0);
    while (session.busy()) session.update(0.01);
    EXPECT_TRUE(session.picture(0).image.pixels.empty());
    EXPECT_NE(session.picture(0).device.pixels, nullptr);
    const Image from_device = painted(painter, pane_of(session), problem);
    EXPECT_EQ(problem, "");
    session.finish();
    ASSERT_FALSE(session.picture(0).image.pixels.empty());
    gl::PanePainter other;
    const Image from_host = painted(other, pane_of(session), problem);
    const Rgba8 a = from_device.pixels[0], b = from_host.pixels[0];
    EXPECT_EQ(count_different(from_device, from_host), 0u)
        << "turn " << turn << ", on " << egl.renderer() << "; the first pixels are (" << +a.r << ", " << +a.g
        << ", " << +a.b << ") and (" << +b.r << ", " << +b.g << ", " << +b.b << ")";
  }
}

}  // namespace
}  // namespace copse::test
