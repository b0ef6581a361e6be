// Pictures that are made piece by piece.

#include "viewer/model/picture/renderer.h"

#include <cmath>
#include <optional>

#include "tests/support/backends.h"
#include "tests/viewer/scenes.h"

namespace copse::test {
namespace {

using namespace viewer;

PictureRequest request_of(const Geometry& geometry, u32 width, u32 height, View view = View::shaded) {
  CameraRig rig;
  rig.frame(geometry->bounds);
  PictureRequest request;
  request.width = width;
  request.height = height;
  request.shot.box = geometry->bounds;
  request.shot.view.view = view;
  request.shot.camera = rig.camera(float(width) / float(height));
  return request;
}

PictureRequest turned(PictureRequest request, float angle) {
  CameraRig rig;
  rig.frame(request.shot.box);
  rig.orbit(angle, 0);
  request.shot.camera = rig.camera(float(request.width) / float(request.height));
  return request;
}

class Pictures : public OnEachBackend {
 protected:
  std::optional<LiveStructure> live_;
  Renderer renderer_;

  void SetUp() override {
    OnEachBackend::SetUp();
    if (!IsSkipped()) live_.emplace(tree_on(GetParam()), sphere(), Pose{}, 0, std::stop_token());
  }

  const Picture& make_whole(PictureRequest request) {
    request.whole = true;
    renderer_.advance(*live_, request);
    return renderer_.picture();
  }
};
COPSE_ON_EACH_BACKEND(Pictures);

TEST_P(Pictures, PiecesMakeTheSamePictureAsOneGo) {
  PictureRequest request = request_of(sphere(), 333, 217);
  const Image whole = make_whole(request).image;
  Renderer patient;
  request.budget_ms = 0;
  u32 calls = 0;
  while (!patient.is_done(*live_, request)) {
    patient.advance(*live_, request);
    ASSERT_LT(++calls, 1000u);
  }
  EXPECT_FALSE(patient.picture().is_preview);
  EXPECT_TRUE(same_pixels(whole, patient.picture().image));
}

TEST_P(Pictures, EveryViewShowsTheSphereBeforeTheBackground) {
  for (u32 view = 0; view < names<View>().size(); ++view) {
    PictureRequest request = request_of(sphere(), 64, 64, View(view));
    request.shot.view.heat_legend = false;
    const Picture& picture = make_whole(request);
    ASSERT_EQ(picture.image.pixels.size(), 64u * 64);
    const Rgba8 corner = picture.image.pixels[0], middle = picture.image.pixels[64 * 32 + 32];
    EXPECT_TRUE(corner.r != middle.r || corner.g != middle.g || corner.b != middle.b) << name_of(View(view));
    EXPECT_EQ(picture.distances[0], infinity);
    EXPECT_LT(picture.distances[64 * 32 + 32], infinity);
  }
}

TEST_P(Pictures, BackendsMakeTheSamePixels) {
  LiveStructure there(tree_on(Backend::cpu), sphere(), {}, 0, {});
  for (const View view :
       {View::shaded, View::normals, View::primitives, View::distance, View::ambient_occlusion, View::leaves}) {
    PictureRequest request = request_of(sphere(), 101, 67, view);
    request.shot.view.ambient_samples = 3;
    request.whole = true;
    Renderer other;
    other.advance(there, request);
    EXPECT_TRUE(same_pixels(other.picture().image, make_whole(request).image)) << name_of(view);
  }
}

TEST_P(Pictures, AmbientOcclusionConverges) {
  PictureRequest request = request_of(sphere(), 48, 48, View::ambient_occlusion);
  const auto with_samples = [&](u32 samples) {
    request.shot.view.ambient_samples = samples;
    const Picture& picture = make_whole(request);
    EXPECT_EQ(picture.samples, samples);
    return picture.image;
  };
  const Image one = with_samples(1), some = with_samples(16), more = with_samples(64), most = with_samples(512);
  const auto difference = [&](const Image& image) {
    u64 sum = 0;
    for (u64 i = 0; i < image.pixels.size(); ++i) {
      sum += u64(std::abs(int(image.pixels[i].r) - int(most.pixels[i].r)));
    }
    return sum;
  };
  // A sphere is open everywhere. Only rays close to its facets are occluded.
  EXPECT_LE(difference(some), difference(one));
  EXPECT_LE(difference(more), difference(some));
  EXPECT_GT(most.pixels[48 * 24 + 24].r, 200);
}

TEST_P(Pictures, AmbientOcclusionGoesOnWhereItWasAndBeginsAnewWhereAnythingMoves) {
  PictureRequest request = request_of(sphere(), 40, 40, View::ambient_occlusion);
  request.shot.view.ambient_samples = 6;
  request.budget_ms = 0;
  u32 last = 0;
  for (u32 calls = 0; !renderer_.is_done(*live_, request); ++calls) {
    renderer_.advance(*live_, request);
    EXPECT_GE(renderer_.picture().samples, last);
    last = renderer_.picture().samples;
    ASSERT_LT(calls, 1000u);
  }
  EXPECT_EQ(last, 6u);
  while (!renderer_.advance(*live_, turned(request, 0.1f))) {
  }
  EXPECT_EQ(renderer_.picture().samples, 1u);
  while (!renderer_.is_done(*live_, turned(request, 0.1f))) renderer_.advance(*live_, turned(request, 0.1f));
  live_->move({Deformation::twist, 1, 0.2f}, UpdateMode::refit, false);
  while (!renderer_.advance(*live_, turned(request, 0.1f))) {
  }
  EXPECT_EQ(renderer_.picture().samples, 1u);
}

TEST_P(Pictures, PicturesOfAMovingCameraAreReducedButNeverUnderHalfOfHd) {
  PictureRequest request = request_of(sphere(), 1280, 720);
  request.budget_ms = 0.01;
  u32 previews = 0;
  for (u32 frame = 0; previews < 3; ++frame) {
    ASSERT_LT(frame, 10000u);
    if (!renderer_.advance(*live_, turned(request, 0.01f * float(frame)))) continue;
    const Image& image = renderer_.picture().image;
    EXPECT_GE(image.width, 640u);
    EXPECT_GE(image.height, 360u);
    previews += renderer_.picture().is_preview;
  }
  EXPECT_GT(previews, 0u);
  const PictureRequest still = turned(request, 1);
  for (u32 calls = 0; !renderer_.is_done(*live_, still); ++calls) {
    renderer_.advance(*live_, still);
    ASSERT_LT(calls, 10000u);
  }
  EXPECT_EQ(renderer_.picture().image.width, 1280u);
  EXPECT_FALSE(renderer_.picture().is_preview);
}

TEST_P(Pictures, PicturesOfAMovingCameraComeThoughNoneFitsAnUpdate) {
  // The picture is too small to be reduced and too large for one piece.
  PictureRequest request = request_of(sphere(), 640, 360);
  request.budget_ms = 0;
  u32 pictures = 0, frame = 0;
  for (; pictures < 3; ++frame) {
    ASSERT_LT(frame, 10000u) << "each picture was thrown away for the next";
    pictures += renderer_.advance(*live_, turned(request, 0.01f * float(frame)));
    EXPECT_FALSE(renderer_.picture().is_preview);
  }
  if (GetParam() == Backend::cpu) {
    EXPECT_GT(frame, 6u) << "a picture took one update";
  }
}

TEST_P(Pictures, SlicePlaneCutsTheSphereOpen) {
  PictureRequest request = request_of(sphere(), 64, 64);
  const float outside = make_whole(request).distances[64 * 32 + 32];
  request.shot.view.slice = {.on = true, .axis = 2, .place = 0.5f, .flipped = false};
  const float inside = make_whole(request).distances[64 * 32 + 32];
  EXPECT_GT(inside, outside + 0.5f) << "the far side, seen from within";
  request.shot.view.slice.place = 1;
  EXPECT_EQ(make_whole(request).distances[64 * 32 + 32], outside) << "nothing is cut away";
  request.shot.view.slice = {.on = true, .axis = 0, .place = 0, .flipped = false};
  for (const float distance : make_whole(request).distances) EXPECT_EQ(distance, infinity) << "all is cut away";
}

TEST_P(Pictures, PictureOfNoSizeIsNoPicture) {
  make_whole(request_of(sphere(), 32, 32));
  const u64 revision = renderer_.picture().revision;
  for (const auto& [width, height] : {std::pair{0u, 32u}, std::pair{32u, 0u}, std::pair{0u, 0u}}) {
    PictureRequest request = request_of(sphere(), 32, 32);
    request.width = width;
    request.height = height;
    make_whole(request);
    EXPECT_EQ(renderer_.picture().image.width, 0u);
    EXPECT_TRUE(renderer_.is_done(*live_, request));
  }
  EXPECT_GT(renderer_.picture().revision, revision);
  EXPECT_EQ(make_whole(request_of(sphere(), 1, 1)).image.pixels.size(), 1u);
}

TEST_P(Pictures, AnotherHeatScaleIsThePictureThatItWouldHaveBeen) {
  PictureRequest request = request_of(sphere(), 120, 80, View::heat);
  make_whole(request);
  request.shot.view.heat_limit = 17;
  const Image recoloured = make_whole(request).image;
  Renderer fresh;
  request.whole = true;
  fresh.advance(*live_, request);
  EXPECT_TRUE(same_pixels(recoloured, fresh.picture().image));
}

TEST_P(Pictures, HeatMapWhoseScaleChangesAllTheTimeBecomesWhole) {
  PictureRequest request = request_of(sphere(), 1280, 720, View::heat);
  request.budget_ms = 0;
  for (u32 calls = 0; renderer_.picture().image.width != 1280; ++calls) {
    request.shot.view.heat_limit = 10 + calls % 7;  // as another heat map beside it asks for
    renderer_.advance(*live_, request);
    ASSERT_LT(calls, 5000u) << "each change began it anew";
  }
  while (!renderer_.is_done(*live_, request)) renderer_.advance(*live_, request);
  Renderer fresh;
  const Image made = renderer_.picture().image;
  request.whole = true;
  fresh.advance(*live_, request);
  EXPECT_TRUE(same_pixels(made, fresh.picture().image));
}

TEST_P(Pictures, HeatHasAScale) {
  PictureRequest request = request_of(sphere(), 320, 200, View::heat);
  const Picture plain = make_whole(request);
  EXPECT_GT(plain.heat_limit, 10u);
  request.shot.view.heat_limit = 5;
  EXPECT_EQ(make_whole(request).heat_limit, 5u);
  request.shot.view.heat_legend = false;
  const Image without = make_whole(request).image;
  request.shot.view.heat_legend = true;
  EXPECT_FALSE(same_pixels(without, make_whole(request).image));
}

}  // namespace
}  // namespace copse::test
