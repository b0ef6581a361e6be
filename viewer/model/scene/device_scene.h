#pragma once

#include "builders/geometry/triangle.h"
#include "primitives/core/buffer.h"
#include "viewer/model/scene/geometry.h"
#include "viewer/model/scene/playback.h"

namespace copse::viewer {

/// A scene in a context's memory, at rest and in a pose.
class DeviceScene {
 public:
  /// Throws: Error out_of_memory.
  DeviceScene(Context& context, Geometry geometry);

  /// Replaces the geometry by another frame of the same topology, at rest.
  /// Throws: Error invalid_argument if the topology differs.
  void set_geometry(Geometry geometry);

  /// Moves the triangles. Allocates for the first pose and the first explosion only.
  void set_pose(const Pose& pose);

  /// The triangles in the pose. They change with set_pose; their primitive ids do not.
  TriangleView view() const;

  const Geometry& geometry() const { return geometry_; }
  const Pose& pose() const { return pose_; }
  u64 triangle_count() const { return triangles_.size(); }

 private:
  bool is_at_rest() const { return pose_.deformation == Deformation::none; }

  Context& context_;
  Geometry geometry_;
  Pose pose_;
  Buffer<vec3> rest_;
  Buffer<uvec3> triangles_;
  Buffer<vec3> moved_;     // as many as rest_
  Buffer<vec3> exploded_;  // three per triangle
};

}  // namespace copse::viewer
