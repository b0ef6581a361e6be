#include "viewer/model/scene/device_scene.h"

#include <string>

#include "primitives/core/counted.h"
#include "primitives/core/error.h"
#include "viewer/model/scene/deform.h"

namespace copse::viewer {

DeviceScene::DeviceScene(Context& context, Geometry geometry)
    : context_(context),
      geometry_(std::move(geometry)),
      rest_(context, geometry_->mesh.positions),
      triangles_(context, geometry_->mesh.triangles) {}

void DeviceScene::set_geometry(Geometry geometry) {
  if (!same_topology(*geometry_, *geometry)) {
    throw Error(ErrorCode::invalid_argument,
                "a frame of " + detail::counted(geometry->mesh.triangles.size(), "triangles") + " over " +
                    detail::counted(geometry->mesh.positions.size(), "vertices") + " for a scene of " +
                    std::to_string(geometry_->mesh.triangles.size()) + " over " +
                    std::to_string(geometry_->mesh.positions.size()) + ", or with other corners");
  }
  geometry_ = std::move(geometry);
  rest_.upload(geometry_->mesh.positions);
  pose_ = {};
}

void DeviceScene::set_pose(const Pose& pose) {
  const u64 count = deformed_vertex_count(pose.deformation, rest_.size(), triangles_.size());
  Buffer<vec3>& out = pose.deformation == Deformation::explode ? exploded_ : moved_;
  if (pose.deformation != Deformation::none) {
    if (out.size() != count) out = Buffer<vec3>(context_, count);
    deform(context_, pose, geometry_->bounds, rest_.span(), triangles_.span(), out.span());
  }
  pose_ = pose;
}

TriangleView DeviceScene::view() const {
  if (pose_.deformation == Deformation::explode) return {.positions = exploded_.span()};
  return {.positions = is_at_rest() ? rest_.span() : moved_.span(), .triangles = triangles_.span()};
}

}  // namespace copse::viewer
