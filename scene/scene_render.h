#pragma once

#include "scene/scene.h"
#include "scene/scene_meshes.h"
#include "trace/shade.h"

namespace copse {

/// Returns a ray-cast picture of a scene, equal on all backends. Shading::normal is tinted by the base colours of the
/// materials, Shading::primitive has a colour for each instance. For a scene of one instance with the identity
/// transform and a white material, the pictures by normals, distance and ambient occlusion equal those of its Accel.
/// Shading::heat counts nodes of both levels, instances and triangles; it alone differs between backends, by a few
/// visits.
///   scene:  built over the accels of `meshes` and over meshes.instances(), and refitted if these have moved
/// Throws: Error invalid_argument for options out of range, or unless the scene has as many instances and accels as the
/// meshes; Error out_of_memory, Error cancelled.
/// Waits: for the picture.
/// Memory: buffers of 60 bytes per pixel, 64 for heat, 77 for ambient occlusion, and the image on the host.
COPSE_API Image render(Context& context, const Scene& scene, const SceneMeshes& meshes, const Camera& camera,
                       const RenderOptions& options = {});

/// Returns the box around all instances; empty if there are none that rays can hit.
/// Throws: Error invalid_argument if `scene` was never built.
/// Waits: to read the boxes of the instances.
COPSE_API Aabb bounds(Context& context, const Scene& scene);

}  // namespace copse
