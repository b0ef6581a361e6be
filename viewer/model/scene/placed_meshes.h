#pragma once

#include <map>

#include "scene/instance.h"
#include "viewer/model/scene/geometry.h"

namespace copse::viewer {

/// Meshes that stand in many places, as a scene file holds them. Part i of the scene has the triangles of instance i.
struct PlacedMeshes {
  std::shared_ptr<const std::vector<NamedMesh>> meshes;
  std::vector<Instance> instances;  // Instance::accel is the number of the mesh
};

/// Returns true if two instances stand in the same place, to the bit.
bool same_transform(const Instance& a, const Instance& b);

/// Instances that the user has moved by hand.
struct PlacedByHand {
  u64 scene = 0;                      // a number that no other scene of the session has
  std::map<u32, Instance> instances;  // by their numbers, as they stand now

  /// True if they stand in the same places. Those of two scenes count as equal too, since undo must not lead from one
  /// to the other.
  bool operator==(const PlacedByHand& other) const;
};

/// Returns a scene of the triangles of all instances. They are also kept as instances, for a structure of two levels.
///   names: one per instance; an empty one becomes that of its mesh
/// Throws: Error capacity past 2^31 triangles or 2^32 - 1 vertices.
Geometry scene_of(PlacedMeshes placed, const std::vector<std::string>& names);

/// Returns the same scene with its instances elsewhere. The box at rest stays.
///   scene:     has placed meshes
///   instances: as many as before, each of the same mesh
Geometry moved(const SceneGeometry& scene, std::vector<Instance> instances);

}  // namespace copse::viewer
