#pragma once

#include "builders/geometry/image.h"
#include "scene/scene_meshes.h"
#include "scene/walk/scene_parts.h"
#include "trace/camera.h"
#include "trace/random.h"
#include "trace/shade.h"

namespace copse::detail {

/// A picture of a scene, made in batches of one ray per pixel. All arrays are in the executor's memory, in image
/// order.
struct ScenePicture {
  SceneMeshesView meshes;
  Camera camera;
  u32 width, height;
  Ray* rays;
  const SceneHit* hits;  // of the camera's rays
  Rgba8* pixels;
  u32* extremes;  // 2 words: the bits of the nearest and the farthest t

  // Ambient occlusion.
  SpherePoints* sphere;  // per pixel: generator of its directions
  const u8* occluded;    // of the last ambient rays
  u32* open_counts;      // the ambient rays that escaped

  u32* visits;  // of the camera's rays, for heat; extremes[1] is their maximum

  COPSE_HD u64 pixel_count() const { return u64{width} * height; }

  COPSE_HD Ray camera_ray_of(u64 i) const {
    return camera_ray(camera, u32(i % width), u32(i / width), width, height);
  }
};

}  // namespace copse::detail
