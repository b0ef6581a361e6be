#pragma once

#include "scene/instance.h"
#include "viewer/model/scene/geometry.h"

namespace copse::viewer {

/// Meshes that stand in many places, as a scene file holds them. Part i of the scene has the triangles of instance i.
struct PlacedMeshes {
  std::shared_ptr<const std::vector<NamedMesh>> meshes;
  std::vector<Instance> instances;  // Instance::accel is the number of the mesh
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
