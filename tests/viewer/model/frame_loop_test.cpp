// The frames of a headless run, on one device and on several.

#include <cstring>

#include "scale/devices.h"
#include "tests/support/backends.h"
#include "tests/viewer/scenes.h"
#include "viewer/model/session/headless.h"

namespace copse::test {
namespace {

using namespace viewer;

class FrameLoops : public OnEachBackend {
 protected:
  FrameLoopOptions options(UpdateMode update_mode, View view) const {
    return {.structure = tree_on(GetParam()),
            .update_mode = update_mode,
            .deformation = Deformation::twist,
            .view = view,
            .width = 203,
            .height = 101,
            .frames = 4,
            .workers = 1};
  }

  /// Several contexts share a CPU. GPUs are those that there are.
  bool has_devices(u32 count) const { return GetParam() == Backend::cpu || count <= gpu_count(); }

  void expect_the_same(FrameLoopOptions options) {
    const Image expected = run_frame_loop(sphere(), options).last;
    ASSERT_EQ(expected.pixels.size(), 203u * 101);
    for (const u32 count : {2u, 3u, 7u}) {
      if (!has_devices(count)) continue;
      options.devices = count;
      const FrameLoopResult result = run_frame_loop(sphere(), options);
      ASSERT_EQ(result.last.pixels.size(), expected.pixels.size());
      EXPECT_EQ(
          std::memcmp(result.last.pixels.data(), expected.pixels.data(), expected.pixels.size() * sizeof(Rgba8)),
          0)
          << count << " devices";
      EXPECT_EQ(result.device.substr(0, 4), std::to_string(count) + " x ");
    }
  }
};
COPSE_ON_EACH_BACKEND(FrameLoops);

TEST_P(FrameLoops, SeveralDevicesMakeThePictureOfOne) {
  for (u32 view = 0; view < names<View>().size(); ++view) {
    SCOPED_TRACE(names<View>()[view]);
    expect_the_same(options(UpdateMode::rebuild, View(view)));
  }
}

TEST_P(FrameLoops, SeveralDevicesUpdateAsOne) {
  for (const UpdateMode mode : {UpdateMode::nothing, UpdateMode::refit, UpdateMode::automatic}) {
    SCOPED_TRACE(names<UpdateMode>()[u32(mode)]);
    expect_the_same(options(mode, View::shaded));
  }
}

TEST_P(FrameLoops, SeveralDevicesTraceEachKindAsOne) {
  for (const StructureKind kind : {StructureKind::grid, StructureKind::frustum, StructureKind::voxels}) {
    SCOPED_TRACE(names<StructureKind>()[u32(kind)]);
    FrameLoopOptions loop = options(UpdateMode::rebuild, View::normals);
    loop.structure.kind = kind;
    loop.structure.voxel_resolution = 50;
    expect_the_same(loop);
  }
}

TEST_P(FrameLoops, TellsTheStagesOfTheFirstDevice) {
  FrameLoopOptions loop = options(UpdateMode::rebuild, View::shaded);
  loop.devices = has_devices(2) ? 2 : 1;
  const std::string text = in_words(run_frame_loop(sphere(), loop));
  EXPECT_EQ(text.substr(0, 12), "4 frames in ");
  for (const char* stage : {"frame: move and build", "frame: trace", "frame: shade"}) {
    EXPECT_NE(text.find(stage), std::string::npos) << text;
  }
}

TEST(FrameLoop, RefusesMoreGpusThanThereAre) {
  FrameLoopOptions loop{.structure = tree_on(Backend::cuda), .width = 8, .height = 8, .devices = gpu_count() + 1};
  if (gpu_count() == 0) {
    EXPECT_COPSE_ERROR(run_frame_loop(sphere(), loop), ErrorCode::no_device, "");
  } else {
    EXPECT_COPSE_ERROR(run_frame_loop(sphere(), loop), ErrorCode::invalid_argument, "GPUs were asked for");
  }
}

}  // namespace
}  // namespace copse::test
