#include "bench/embree_scene.h"

#include <algorithm>
#include <vector>

namespace copse::bench {

namespace {

/// Copies `elements` into memory that belongs to Embree.
template <class T>
void set_buffer(RTCGeometry geometry, RTCBufferType type, RTCFormat format, const std::vector<T>& elements) {
  void* memory = rtcSetNewGeometryBuffer(geometry, type, 0, format, sizeof(T), elements.size());
  std::copy(elements.begin(), elements.end(), static_cast<T*>(memory));
}

}  // namespace

EmbreeScene::EmbreeScene(const Mesh& mesh) : device_(rtcNewDevice(nullptr)), scene_(rtcNewScene(device_)) {
  const RTCGeometry geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_TRIANGLE);
  set_buffer(geometry, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT3, mesh.positions);
  set_buffer(geometry, RTC_BUFFER_TYPE_INDEX, RTC_FORMAT_UINT3, mesh.triangles);
  rtcCommitGeometry(geometry);
  rtcAttachGeometry(scene_, geometry);
  rtcReleaseGeometry(geometry);
  rtcSetSceneBuildQuality(scene_, RTC_BUILD_QUALITY_MEDIUM);
  rtcCommitScene(scene_);
}

EmbreeScene::~EmbreeScene() {
  rtcReleaseScene(scene_);
  rtcReleaseDevice(device_);
}

}  // namespace copse::bench
